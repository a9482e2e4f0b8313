//! Writes the tool table, derived from `wit/`, to `tools.json` in `OUT_DIR`.

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

use docent_build_support::{guest, script};
use docent_wit_reader::Contract;

fn main() -> Result<(), Box<dyn Error>> {
    let workspace = script::workspace(2)?;
    guest::watch(&workspace, &["wit"]);
    let contract = Contract::read(&workspace.join("wit"), "docent")?;
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join("tools.json"),
        serde_json::to_vec(&contract.tool_table()?)?,
    )?;
    Ok(())
}
