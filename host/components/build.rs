//! Compiles the main component, the readers' and that of no embedder, and says where they lie.

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use docent_build::guest::{self, Effort};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let workspace = here
        .ancestors()
        .nth(2)
        .ok_or("this crate lies two levels below the workspace")?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    guest::watch_packages(workspace)?;
    let effort = Effort::of(&out);
    let main = guest::build(workspace, &out, "docent-component", effort.component())?;
    let readers = "docent-extract-component";
    let readers = guest::build(workspace, &out, readers, effort.readers())?;
    let embedder = "docent-no-embedder-component";
    let embedder = guest::build(workspace, &out, embedder, effort.readers())?;
    // Read by the build script of `docent-host` as `DEP_DOCENT_COMPONENTS_MAIN`, `…_READERS` and
    // `…_EMBEDDER`.
    println!("cargo::metadata=main={}", main.display());
    println!("cargo::metadata=readers={}", readers.display());
    println!("cargo::metadata=embedder={}", embedder.display());
    Ok(())
}
