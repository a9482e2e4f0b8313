//! Versions of libraries for the compilation of a package.

use std::path::Path;
use std::{fs, io};

/// Sets environment variables for the compilation of the package from the lock file; `libraries`
/// holds pairs of a library and the variable for its version.
///
/// # Errors
/// If the lock file cannot be read, or does not contain a library.
pub fn tell(lock_file: &Path, libraries: &[(&str, &str)]) -> io::Result<()> {
    let text = fs::read_to_string(lock_file)?;
    for (library, variable) in libraries {
        let version = text
            .split("[[package]]")
            .find(|package| package.contains(&format!("\nname = \"{library}\"\n")))
            .and_then(|package| package.split("\nversion = \"").nth(1))
            .and_then(|rest| rest.split('"').next())
            .ok_or_else(|| io::Error::other(format!("`{library}` is not in the lock file")))?;
        println!("cargo::rustc-env={variable}={version}");
    }
    Ok(())
}
