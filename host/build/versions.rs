//! Tells the program which versions of its main libraries it is built with.

use std::path::Path;
use std::{fs, io};

/// The libraries, and the environment variables that hold their versions during compilation.
const LIBRARIES: [(&str, &str); 2] = [("wasmtime", "WASMTIME_VERSION"), ("rmcp", "RMCP_VERSION")];

/// Sets the variables from the lock file.
///
/// # Errors
/// When the lock file cannot be read, or names a library not at all.
pub fn tell(lock_file: &Path) -> io::Result<()> {
    let text = fs::read_to_string(lock_file)?;
    for (library, variable) in LIBRARIES {
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
