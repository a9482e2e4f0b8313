//! `docent redo`: redoes a change that was undone.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::app::App;
use crate::args::{OutputArgs, StateArgs};
use crate::terminal::error::CommandError;
use crate::writing::undo::{UndoDirection, take_back};

/// The arguments of `docent redo`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent redo

All files of the change are restored at once, or none. Exit status: 0, or 2 on an error.")]
pub struct RedoArgs {
    /// Number of an undo, or a file for its latest undo [default: the latest undo]
    #[arg(value_name = "NUMBER|FILE")]
    target: Option<PathBuf>,
    #[command(flatten)]
    kept: StateArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Redoes a change that was undone.
///
/// # Errors
/// Returns an error if the directory cannot be granted, if the component refuses or fails, in which
/// case nothing was written, or if the output cannot be written.
pub fn run(app: &App, args: &RedoArgs) -> Result<ExitCode, CommandError> {
    let target = args.target.as_deref();
    take_back(app, UndoDirection::Redo, target, &args.kept, &args.output)
}
