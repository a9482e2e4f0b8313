//! The sources of the workspace's dependencies.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the directories of the workspace's dependencies, by name.
///
/// # Panics
/// If `cargo` does not report them.
#[must_use]
pub fn packages() -> Vec<(String, PathBuf)> {
    let cargo = |arguments: &[&str]| {
        Command::new(env!("CARGO"))
            .args(arguments)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("cargo runs")
    };
    let version = cargo(&["-vV"]).stdout;
    let version = String::from_utf8(version).expect("cargo tells its version");
    let mut lines = version.lines();
    let host = lines.find_map(|line| line.strip_prefix("host: "));
    // Dependencies for other platforms were not downloaded.
    let filter = ["--filter-platform", host.expect("cargo tells its host")];
    let tell = ["metadata", "--format-version", "1", "--offline", "--quiet"];
    let output = cargo(&[&tell[..], &filter[..]].concat());
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo tells");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    packages
        .iter()
        .filter(|package| package["source"].is_string())
        .filter_map(|package| {
            let manifest = Path::new(package["manifest_path"].as_str()?);
            Some((
                package["name"].as_str()?.to_owned(),
                manifest.parent()?.to_owned(),
            ))
        })
        .collect()
}

/// Returns the content of a text file; none if it does not exist.
#[must_use]
pub fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}
