//! The sources of the crates that this workspace is built from: real text, and the examples of the
//! CommonMark specification.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the texts are files of other crates"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns where the packages of the workspace's dependencies lie, by name.
pub fn packages() -> Vec<(String, PathBuf)> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--quiet"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
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

/// Returns a text file; none where it is not there.
pub fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}
