//! `docent mv`: the move of a file or a directory, with the links to it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, json};

use crate::app::{App, Last};
use crate::args::Writing;
use crate::terminal::error::CommandError;
use crate::writing::{WriteCall, carry_out};

/// The arguments of `docent mv`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent mv notes/draft.md notes/done/ --apply

If a file has the new path already, nothing is moved. Links to the file, in all documents of its \
root, and links in it are rewritten.

Without --apply nothing is moved. Exit status: 0, or 2 on an error.")]
pub struct MvArgs {
    /// File or directory to move
    old: PathBuf,
    /// New path, or an existing directory to move into
    new: PathBuf,
    #[command(flatten)]
    writing: Writing,
}

/// Moves a file or a directory.
///
/// # Errors
/// Returns an error if the directory cannot be granted, if the component refuses or fails, in which
/// case nothing was written, or if the output cannot be written.
pub fn run(app: &App, args: &MvArgs) -> Result<ExitCode, CommandError> {
    // The last segment is not followed: moving a link by its target would move the target and
    // leave a link that leads nowhere.
    let metadata = app.metadata(&args.old)?;
    let old = app.resolve(&args.old, Last::Name)?;
    let new = if app.is_directory(&args.new) {
        let directory = app.resolve(&args.new, Last::Target)?;
        directory.join(old.file_name().unwrap_or_default())
    } else if metadata.is_dir() {
        // The new path of a directory may end with a slash.
        app.resolve(&args.new.components().collect::<PathBuf>(), Last::Name)?
    } else {
        app.resolve(&args.new, Last::Name)?
    };
    carry_out(app, &args.writing, &[old, new], |names| {
        let mut fields = Map::new();
        fields.insert("path".to_owned(), json!(names[0]));
        fields.insert("move".to_owned(), json!(names[1]));
        WriteCall::for_edit(fields)
    })
}
