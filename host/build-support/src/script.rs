//! The common parts of build scripts.

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// Returns the exit code of a build script, and prints its error message.
pub fn exit_code(outcome: Result<(), Box<dyn Error>>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the directory of the workspace, `levels` above the crate that is being built. It uses
/// the path that cargo sets at run time, because the script may have been compiled elsewhere.
///
/// # Errors
/// If cargo has not started this, or the crate is less deep.
pub fn workspace(levels: usize) -> Result<PathBuf, Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let workspace = here.ancestors().nth(levels);
    let workspace = workspace.ok_or_else(|| {
        let here = here.display();
        format!("`{here}` does not lie {levels} levels below the workspace")
    })?;
    Ok(workspace.to_owned())
}
