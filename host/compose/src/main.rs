//! Plugs components into another one: `docent-compose MAIN PLUG... > COMPOSED`.

use std::env;
use std::error::Error;
use std::fs;
use std::io::{self, Write as _};
use std::process::ExitCode;

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
    let paths: Vec<String> = env::args().skip(1).collect();
    let [main, plugs @ ..] = paths.as_slice() else {
        return Err("expected `docent-compose MAIN PLUG...`".into());
    };
    let read = |path: &String| -> Result<Vec<u8>, Box<dyn Error>> {
        Ok(fs::read(path).map_err(|error| format!("`{path}`: {error}"))?)
    };
    let main = read(main)?;
    let plugs = plugs
        .iter()
        .map(|path| docent_compose::undocumented(&read(path)?))
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    // Names used only within the composition; its users never see them.
    let names: Vec<String> = (1..=plugs.len())
        .map(|n| format!("docent:plug{n}"))
        .collect();
    let plugs: Vec<_> = names
        .iter()
        .zip(&plugs)
        .map(|(name, plug)| (name.as_str(), plug.as_slice()))
        .collect();
    io::stdout().write_all(&docent_compose::plug(&main, &plugs)?)?;
    Ok(())
}
