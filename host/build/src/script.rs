//! What build scripts do around their work.

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// Returns how a build script ends, and says what went wrong, in words.
pub fn ended(outcome: Result<(), Box<dyn Error>>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the directory of the workspace, so many levels above the crate that is built now: that
/// which cargo names, for a script may have been compiled in another one.
///
/// # Errors
/// When cargo has not started this, or the crate lies less deep.
pub fn workspace(levels: usize) -> Result<PathBuf, Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let workspace = here.ancestors().nth(levels);
    let workspace = workspace.ok_or_else(|| {
        let here = here.display();
        format!("`{here}` does not lie {levels} levels below the workspace")
    })?;
    Ok(workspace.to_owned())
}
