//! `docent log key`: prints the public key of the log.

use std::process::ExitCode;

use super::own_key_ambient;
use crate::app::App;
use crate::args::LogPlace;
use crate::terminal::error::CommandError;

/// Prints the key.
///
/// # Errors
/// Returns an error if the key cannot be read.
pub fn run(app: &App, place: &LogPlace) -> Result<ExitCode, CommandError> {
    let directory = place.directory(app)?;
    app.print(&own_key_ambient(&directory)?.to_string())
}
