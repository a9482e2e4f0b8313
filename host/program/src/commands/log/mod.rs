//! `docent log`: shows the log of calls, verifies it, and shortens it; each in a file.

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;
use docent_access_log::StoredLine;
use docent_access_log::entry::LogEntry;
use docent_access_log::key::{Signer, Verifier};

use crate::app::App;
use crate::args::{LogPlace, key_path};
use crate::terminal::error::CommandError;

mod anchor;
mod drop;
mod erase;
mod key;
mod prove;
mod show;
mod verify;

#[derive(Debug, Subcommand)]
pub enum LogCommand {
    /// Verify that the log is unchanged
    Verify(verify::LogVerifyArgs),
    /// List recorded calls
    Show(show::LogShowArgs),
    /// Print a proof of one entry, verifiable without the log
    Prove(prove::LogProveArgs),
    /// Print the public key of the log
    Key(LogPlace),
    /// Send the last checkpoint to an anchor
    Anchor(anchor::LogAnchorArgs),
    /// Erase entries; the rest still verifies
    Erase(erase::LogEraseArgs),
    /// Drop old entries; the rest still verifies
    Drop(drop::LogDropArgs),
}

/// Reads the log, or changes it.
///
/// # Errors
/// Returns an error if the log cannot be read, or not be changed.
pub fn run(app: &App, command: LogCommand) -> Result<ExitCode, CommandError> {
    match command {
        LogCommand::Verify(args) => verify::run(app, &args),
        LogCommand::Show(args) => show::run(app, &args),
        LogCommand::Prove(args) => prove::run(app, &args),
        LogCommand::Key(place) => key::run(app, &place),
        LogCommand::Anchor(args) => anchor::run(app, &args),
        LogCommand::Erase(args) => erase::run(app, &args),
        LogCommand::Drop(args) => drop::run(app, &args),
    }
}

/// Returns the public key of this machine for the log in a directory.
fn own_key_ambient(directory: &Path) -> Result<Verifier, CommandError> {
    let path = key_path(directory);
    let signer = Signer::read_ambient(&path)
        .map_err(|error| CommandError::Usage(format!("`{}`: {error}", path.display())))?;
    Ok(signer.verifier().clone())
}

/// Returns true if an entry matches the caller or the number that is asked for.
fn is_meant(line: &StoredLine, who: Option<&str>, seq: Option<u64>) -> bool {
    let own = match &line.entry {
        Some(LogEntry::Call(call)) => Some(call.who.as_str()),
        Some(LogEntry::Begin(begin)) => Some(begin.who.as_str()),
        _ => None,
    };
    who.is_none_or(|who| own == Some(who)) && seq.is_none_or(|seq| line.seq == seq)
}
