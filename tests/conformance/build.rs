//! Generates the list of all cases, from which each test crate generates one test per case.

use std::collections::BTreeSet;
use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;

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
    let cases = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("cases");
    println!("cargo:rerun-if-changed={}", cases.display());
    println!("cargo:rerun-if-changed=build.rs");
    let paths: Result<Vec<PathBuf>, _> = fs::read_dir(&cases)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect();
    let mut paths = paths?;
    paths.sort();
    let mut list = String::new();
    for path in paths {
        let shown = path.display();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if path.extension().is_none_or(|extension| extension != "json") {
            return Err(format!("{shown} is no file of cases; expected `NAME.json`").into());
        }
        let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(&path)?)
            .map_err(|error| format!("{shown}: {error}"))?;
        let mut names = BTreeSet::new();
        let _ = writeln!(list, "        {} {stem:?} {{", identifier(&stem));
        for (index, case) in cases.iter().enumerate() {
            let name = case["name"].as_str().unwrap_or_default();
            let identifier = identifier(name);
            let _ = writeln!(list, "            {identifier} = {index},");
            if !names.insert(identifier) {
                return Err(format!("{shown} has two cases called `{name}`").into());
            }
        }
        list.push_str("        }\n");
    }
    let out = Path::new(&env::var("OUT_DIR")?).join("list.rs");
    fs::write(out, format!("{HEAD}{list}{TAIL}"))?;
    Ok(())
}

/// The text before the list.
const HEAD: &str = "/// Calls a macro with all cases: for each file an identifier, its name, and in braces for each
/// case an identifier, `=`, and its place in the file.
#[macro_export]
macro_rules! for_each_case {
    ($macro:ident) => { $macro! {
";

/// The text after the list.
const TAIL: &str = "    } };
}
";

/// Converts a name to the identifier of a test: in `snake_case`, without punctuation.
fn identifier(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let name = words.join("_");
    match name.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("_{name}"),
        false => name,
    }
}
