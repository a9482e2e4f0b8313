//! The measured program.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the cargo profile and the target directory of a program that cargo built.
///
/// # Errors
/// If it does not lie in a folder of a target directory.
pub fn profile_and_target(program: &Path) -> Result<(String, PathBuf), Box<dyn Error>> {
    let folder = program.parent().ok_or("a program lies in a folder")?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let profile = if name == "debug" {
        "dev".to_owned()
    } else {
        name.into_owned()
    };
    let target = folder
        .parent()
        .ok_or("a profile's folder lies in the target folder")?;
    Ok((profile, target.to_owned()))
}

/// Builds the program with its own features alone, as it is published, and returns its path.
///
/// # Errors
/// If it cannot be built.
pub fn build_docent(profile: &str, target: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(3)
        .ok_or("tests lie in a workspace")?;
    let status = Command::new(cargo)
        .current_dir(workspace)
        .args([
            "build",
            "--profile",
            profile,
            "--package",
            "docent",
            "--bin",
            "docent",
        ])
        .arg("--target-dir")
        .arg(target)
        .status()?;
    if !status.success() {
        return Err("docent could not be built".into());
    }
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(target.join(folder).join("docent"))
}
