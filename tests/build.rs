//! Builds the misbehaving components that the sandbox tests run, and says where they lie.

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use docent_build::guest;

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
        .parent()
        .ok_or("the tests lie in a workspace")?
        .to_owned();
    let out = PathBuf::from(env::var("OUT_DIR")?);
    guest::watch(
        &workspace,
        &["tests/guests", "tests/readers", "guest/api", "wit"],
    );
    guest::watch(&workspace, &["Cargo.lock", ".cargo/config.toml"]);
    guest::watch(&workspace, &["tests/build.rs"]);
    let readers = guest::build(&workspace, &out, "docent-test-readers", "guest")?;
    println!("cargo:rustc-env=DOCENT_TEST_READERS={}", readers.display());
    let component = guest::build(&workspace, &out, "docent-test-guests", "guest")?;
    println!("cargo:rustc-env=DOCENT_TEST_GUEST={}", component.display());
    Ok(())
}
