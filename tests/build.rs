//! Builds the misbehaving component that the sandbox tests run, and says where it lies.

#[path = "../host/build/guest.rs"]
mod guest;

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

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
    for watched in [
        "tests/guests",
        "guest/api",
        "wit",
        "Cargo.lock",
        ".cargo/config.toml",
        "host/build/guest.rs",
    ] {
        println!(
            "cargo:rerun-if-changed={}",
            workspace.join(watched).display()
        );
    }
    println!("cargo:rerun-if-changed={}", here.join("build.rs").display());
    let component = guest::build(&workspace, &out, "docent-test-guests")?;
    println!("cargo:rustc-env=DOCENT_TEST_GUEST={}", component.display());
    Ok(())
}
