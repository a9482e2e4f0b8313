//! `docent log anchor`: sends the last checkpoint to anchors.

use std::process::ExitCode;

use clap::Args;
use docent_access_log::anchor::Anchor;
use docent_access_log::checkpoint::Checkpoint;
use docent_access_log::last_checkpoint_ambient;

use super::own_key_ambient;
use crate::app::App;
use crate::args::LogPlace;
use crate::terminal::error::CommandError;

/// The arguments of `docent log anchor`.
#[derive(Debug, Args)]
pub struct LogAnchorArgs {
    /// Anchors: file:PATH, exec:PROGRAM, git:DIR or syslog
    #[arg(required = true)]
    anchors: Vec<Anchor>,
    #[command(flatten)]
    place: LogPlace,
}

/// Sends the last checkpoint.
///
/// # Errors
/// Returns an error if there is no checkpoint of this machine, or if an anchor does not take it.
pub fn run(app: &App, args: &LogAnchorArgs) -> Result<ExitCode, CommandError> {
    let directory = args.place.directory(app)?;
    let last = last_checkpoint_ambient(&directory)?;
    let checkpoint =
        last.ok_or_else(|| CommandError::Usage("nothing of the log is signed yet".to_owned()))?;
    // A checkpoint that this machine has not signed is not passed on: an anchor that has it
    // once would make every later verification fail.
    Checkpoint::parse_verified(&checkpoint, &own_key_ambient(&directory)?)
        .map_err(|error| CommandError::Usage(format!("the last checkpoint: {error}")))?;
    for anchor in &args.anchors {
        anchor.keep_ambient(&checkpoint)?;
    }
    Ok(ExitCode::SUCCESS)
}
