//! `docent apply`: a patch of several files.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, json};

use crate::app::App;
use crate::args::Writing;
use crate::terminal::error::CommandError;
use crate::writing::{WriteCall, carry_out};

/// The arguments of `docent apply`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example: git diff | docent apply - --root ../copy --apply

The patch is a unified diff, as written by `git diff` or `diff -u`; its line numbers are hints. \
All of its files are changed, or none. Their names, without `a/` and `b/`, are relative to the top \
of the current git repository, otherwise to the current directory, or to --root. A patch can \
create and rename files, and delete files with the content that it lists; copies, binary files and \
changes of the mode alone are refused.

Without --apply nothing is written. Exit status: 0 when something changes, 1 when nothing does, 2 \
on an error.")]
pub struct ApplyArgs {
    /// Patch file; `-` for stdin
    patch: PathBuf,
    #[command(flatten)]
    writing: Writing,
}

/// Applies a patch.
///
/// # Errors
/// Returns an error if the directory cannot be granted, if the component refuses or fails, in which
/// case nothing was written, or if the output cannot be written.
pub fn run(app: &App, args: &ApplyArgs) -> Result<ExitCode, CommandError> {
    let mut fields = Map::new();
    fields.insert("diff".to_owned(), json!(app.read_text(&args.patch)?));
    // The patch names its files, relative to the root.
    carry_out(app, &args.writing, &[], |_| WriteCall::for_edit(fields))
}
