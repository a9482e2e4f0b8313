//! Builds the component with the tools, and writes what is shown of them, derived from its WIT as that
//! of docent's is, to `tools.json` in `OUT_DIR`.

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use docent_build::guest::{self, Effort, Priority};
use docent_contract::Contract;

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
    guest::watch(
        workspace,
        &["tests/named-tools", "Cargo.lock", ".cargo/config.toml"],
    );
    guest::watch(&here, &["build.rs"]);
    let contract = Contract::read(&workspace.join("tests/named-tools/wit"), "named-tools")?;
    fs::write(
        out.join("tools.json"),
        serde_json::to_vec(&contract.tool_table()?)?,
    )?;
    let component = guest::build(
        workspace,
        &out,
        "docent-test-named-tools",
        Effort::of(&out),
        Priority::Speed,
    )?;
    println!("cargo::rustc-env=NAMED_TOOLS={}", component.display());
    Ok(())
}
