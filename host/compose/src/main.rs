//! Plugs components into another one: `docent-compose [--world WORLD] MAIN PLUG... > COMPOSED`.
//! With a world of `wit/` the result has the names and the documentation of its functions.

use std::env;
use std::error::Error;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use docent_wit_reader::Contract;

/// The option that names a world.
const WORLD: &str = "--world";

/// The directory of the contract.
const WIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../wit");

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("docent-compose: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (world, paths) = match arguments.as_slice() {
        [option, world, paths @ ..] if option == WORLD => (Some(world), paths),
        paths => (None, paths),
    };
    let [main, plugs @ ..] = paths else {
        return Err("expected `docent-compose [--world WORLD] MAIN PLUG...`".into());
    };
    let read = |path: &String| -> Result<Vec<u8>, Box<dyn Error>> {
        Ok(fs::read(path).map_err(|error| format!("`{path}`: {error}"))?)
    };
    let main = read(main)?;
    let plugs = plugs
        .iter()
        .map(|path| docent_compose::strip_documentation(&read(path)?))
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    // The composition needs a name for each component. Its users never see them.
    let names: Vec<String> = (1..=plugs.len())
        .map(|n| format!("docent:plug{n}"))
        .collect();
    let plugs: Vec<_> = names
        .iter()
        .zip(&plugs)
        .map(|(name, plug)| (name.as_str(), plug.as_slice()))
        .collect();
    let mut composed = docent_compose::plug(&main, &plugs)?;
    if let Some(world) = world {
        let contract = Contract::read(Path::new(WIT), world)?;
        composed =
            docent_compose::add_documentation(&docent_compose::add_names(&composed)?, &contract)?;
    }
    io::stdout().write_all(&composed)?;
    Ok(())
}
