//! `docent undo`: undoes a change.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::app::App;
use crate::args::{OutputArgs, StateArgs};
use crate::terminal::error::CommandError;
use crate::writing::undo::{UndoDirection, take_back};

/// The arguments of `docent undo`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent undo 12

All files of the change are reverted at once, or none if one of them has changed since. An undo is \
a change with its own number; `docent redo` reverts it. Exit status: 0, or 2 on an error.")]
pub struct UndoArgs {
    /// Number of a change, or a file for its latest change [default: the latest change]
    #[arg(value_name = "NUMBER|FILE")]
    target: Option<PathBuf>,
    #[command(flatten)]
    kept: StateArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Undoes a change.
///
/// # Errors
/// Returns an error if the directory cannot be granted, if the component refuses or fails, in which
/// case nothing was written, or if the output cannot be written.
pub fn run(app: &App, args: &UndoArgs) -> Result<ExitCode, CommandError> {
    let target = args.target.as_deref();
    take_back(app, UndoDirection::Undo, target, &args.kept, &args.output)
}
