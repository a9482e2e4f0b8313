//! `docent log erase`: erases entries.

use std::process::ExitCode;

use clap::Args;
use docent_access_log::StoredLine;
use docent_access_log::entry::LogEntry;
use docent_access_log::withhold::erase_ambient;

use super::is_meant;
use crate::app::App;
use crate::args::LogPlace;
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::outcome::NOTHING;

/// The arguments of `docent log erase`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("which").required(true).multiple(true)), after_help = "\
The hash of each erased entry stays, so that the other entries still verify and the erasure is \
visible. No program may write to the log meanwhile.")]
pub struct LogEraseArgs {
    #[command(flatten)]
    place: LogPlace,
    /// Calls that opened this file, PATH or ROOT/PATH
    #[arg(long, value_name = "PATH", group = "which")]
    path: Option<String>,
    /// Calls of this token, or `local`
    #[arg(long, value_name = "NAME", group = "which")]
    who: Option<String>,
    /// One entry
    #[arg(long, value_name = "N", group = "which")]
    call: Option<u64>,
}

/// Erases entries.
///
/// # Errors
/// Returns an error if the log cannot be changed.
pub fn run(app: &App, args: &LogEraseArgs) -> Result<ExitCode, CommandError> {
    let is_erased = |line: &StoredLine| {
        let has_path = |path: &String| match &line.entry {
            Some(LogEntry::Call(call)) => call.files.has(path),
            Some(LogEntry::Begin(begin)) => begin.names(path),
            _ => false,
        };
        is_meant(line, args.who.as_deref(), args.call) && args.path.as_ref().is_none_or(has_path)
    };
    let erased = erase_ambient(&args.place.directory(app)?, is_erased)?;
    note(format_args!("{erased} entries erased"));
    Ok(if erased > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(NOTHING)
    })
}
