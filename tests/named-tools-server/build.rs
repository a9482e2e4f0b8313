//! Builds the component with the tools, and writes their tool table, derived from its WIT as
//! docent's own is, to `tools.json` in `OUT_DIR`.

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use docent_build::guest::{self, Effort, Priority};
use docent_build::script;
use docent_contract::Contract;

fn main() -> ExitCode {
    script::ended(run())
}

fn run() -> Result<(), Box<dyn Error>> {
    let workspace = script::workspace(2)?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    guest::watch(
        &workspace,
        &[
            "tests/named-tools",
            "tests/named-tools-server/build.rs",
            "Cargo.lock",
            ".cargo/config.toml",
        ],
    );
    let contract = Contract::read(&workspace.join("tests/named-tools/wit"), "named-tools")?;
    fs::write(
        out.join("tools.json"),
        serde_json::to_vec(&contract.tool_table()?)?,
    )?;
    let component = guest::build(
        &workspace,
        &out,
        "docent-test-named-tools",
        Effort::detect(&out),
        Priority::Speed,
    )?;
    println!("cargo::rustc-env=NAMED_TOOLS={}", component.display());
    Ok(())
}
