//! Builds the component, describes its tools and compiles it ahead of time.
//!
//! Three artefacts go to `OUT_DIR`: `docent.wasm` (what is published), `docent.cwasm` (the same,
//! compiled for this target) and `tools.json` (what a host shows of the tools, derived from
//! `wit/`).

#[path = "build/artifact.rs"]
mod artifact;
#[path = "build/contract.rs"]
mod contract;
#[path = "build/guest.rs"]
mod guest;
#[path = "build/image.rs"]
mod image;
#[path = "build/schema.rs"]
mod schema;
#[path = "src/spelling.rs"]
mod spelling;
#[path = "build/templates.rs"]
mod templates;
#[path = "src/tuning.rs"]
mod tuning;
#[path = "build/versions.rs"]
mod versions;

use std::env;
use std::error::Error;
use std::fs;
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
    let host = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let workspace = host
        .parent()
        .ok_or("the host lies in a workspace")?
        .to_owned();
    let out = PathBuf::from(env::var("OUT_DIR")?);
    for watched in [
        "guest",
        "wit",
        "Cargo.toml",
        "Cargo.lock",
        ".cargo/config.toml",
    ] {
        println!(
            "cargo:rerun-if-changed={}",
            workspace.join(watched).display()
        );
    }
    for watched in ["build.rs", "build", "src/tuning.rs"] {
        println!("cargo:rerun-if-changed={}", host.join(watched).display());
    }

    let contract = contract::Contract::read(&workspace.join("wit"))?;
    fs::write(
        out.join("tools.json"),
        serde_json::to_vec(&contract.tool_table()?)?,
    )?;

    templates::write(&host.join("templates"), &out)?;
    versions::tell(&workspace.join("Cargo.lock"))?;

    // The readers of foreign formats will be components of their own; they are built here as
    // well and plugged into the main one before it is finished.
    let linked = fs::read(guest::build(&workspace, &out, "docent-component")?)?;
    let component = artifact::finish(&linked, &contract)?;
    fs::write(out.join("docent.wasm"), &component)?;
    fs::write(out.join("interface.txt"), artifact::interface(&component)?)?;

    let target = env::var("TARGET")?;
    fs::write(
        out.join("docent.cwasm"),
        image::compile(&component, &target)?,
    )?;
    Ok(())
}
