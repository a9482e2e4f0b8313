//! `docent log prove`: prints a proof of one entry.

use std::process::ExitCode;

use clap::Args;
use docent_access_log::proof::prove_ambient;

use crate::app::App;
use crate::args::LogPlace;
use crate::terminal::error::CommandError;

/// The arguments of `docent log prove`.
#[derive(Debug, Args)]
pub struct LogProveArgs {
    /// Number of the entry
    entry: u64,
    #[command(flatten)]
    place: LogPlace,
}

/// Prints a proof.
///
/// # Errors
/// Returns an error if there is no such entry, or none that is signed.
pub fn run(app: &App, args: &LogProveArgs) -> Result<ExitCode, CommandError> {
    let proof = prove_ambient(&args.place.directory(app)?, args.entry)?;
    app.print(&serde_json::to_string_pretty(&proof).map_err(CommandError::Answer)?)
}
