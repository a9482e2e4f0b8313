//! Parts shared by the commands that write: the granted directory, the call, and the output of its
//! answer.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use docent_host::Session;
use docent_host::grant::{Right, RootSpec};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::args::{OutputArgs, StateArgs, Writing};
use crate::config::Flags;
use crate::terminal::call::call;
use crate::terminal::error::CommandError;
use crate::terminal::outcome::{NOTHING, TROUBLE};

pub mod command_root;
mod diff;
pub mod operation;
mod print;
pub mod undo;

use command_root::CommandRoot;

/// A function that reads a file named on the command line as text; `-` is stdin.
pub type ReadText<'a> = &'a dyn Fn(&Path) -> Result<String, CommandError>;

/// The mode of a command that writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriteMode {
    /// Shows the diff.
    DryRun,
    /// Shows the diff and writes it.
    Apply,
}

/// The outcome of a command that writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Done {
    /// Everything is written, or shown.
    All,
    /// There was nothing to change.
    Nothing,
    /// A part is missing, which has been reported.
    Part,
}

/// A call of a tool that writes.
pub struct WriteCall {
    function: &'static str,
    arguments: Map<String, Value>,
}

/// The answer of a tool that writes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    files: Vec<ChangedFile>,
    plan_id: Option<String>,
    undo_id: Option<String>,
    rollback_available: bool,
    warnings: Vec<String>,
}

/// The answer of the tool that writes one file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenFile {
    file: ChangedFile,
    undo_id: Option<String>,
    rollback_available: bool,
    warnings: Vec<String>,
}

/// The change of one file, made or planned.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct ChangedFile {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_hash: Option<String>,
    changed: bool,
    applied: bool,
    added_lines: u64,
    removed_lines: u64,
    diff: String,
    diff_is_cut: bool,
    edits: Vec<AppliedEdit>,
}

/// The effect of one edit.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct AppliedEdit {
    #[serde(rename = "match")]
    matched: String,
    places: Vec<Value>,
    more_places: u64,
}

impl WriteCall {
    /// Creates the call that makes one edit, with these fields.
    pub fn for_edit(fields: Map<String, Value>) -> Self {
        let mut arguments = Map::new();
        arguments.insert("edits".to_owned(), json!([fields]));
        Self {
            function: "change",
            arguments,
        }
    }

    /// Creates the call that writes one file, with these arguments.
    pub fn for_file(arguments: Map<String, Value>) -> Self {
        Self {
            function: "write",
            arguments,
        }
    }

    /// Makes the call.
    ///
    /// # Errors
    /// Returns an error if the component refuses or fails, in which case nothing was written.
    fn ask(
        self,
        session: &mut Session,
        mode: WriteMode,
        note: Option<&str>,
    ) -> Result<Written, CommandError> {
        let Self {
            function,
            mut arguments,
        } = self;
        // The argument is always set, because the defaults differ: `change` is a dry run
        // without it, and `write` is not. A command that shows a diff must never write.
        arguments.insert("dryRun".to_owned(), json!(mode == WriteMode::DryRun));
        if let Some(note) = note {
            arguments.insert("note".to_owned(), json!(note));
        }
        if function == "change" {
            return call(session, function, arguments);
        }
        let answer: WrittenFile = call(session, function, arguments)?;
        Ok(Written {
            files: vec![answer.file],
            plan_id: None,
            undo_id: answer.undo_id,
            rollback_available: answer.rollback_available,
            warnings: answer.warnings,
        })
    }
}

/// Makes the call that `ask` returns for the names of `files`, and prints its outcome.
///
/// # Errors
/// Returns an error if the directory cannot be granted, if the component refuses or fails, in which
/// case nothing was written, or if the output cannot be written.
pub fn carry_out(
    app: &App,
    writing: &Writing,
    files: &[PathBuf],
    ask: impl FnOnce(&[String]) -> WriteCall,
) -> Result<ExitCode, CommandError> {
    let mode = if writing.apply {
        WriteMode::Apply
    } else {
        WriteMode::DryRun
    };
    let (command_root, mut session) =
        open_command_root(app, &writing.kept, &writing.output, files)?;
    let request = ask(&command_root.names(files)?);
    let written = request.ask(&mut session, mode, writing.note.as_deref())?;
    let page = app.page(&writing.output);
    Ok(match print::print(page, &written, &command_root, mode)? {
        Done::All => ExitCode::SUCCESS,
        Done::Nothing => ExitCode::from(NOTHING),
        Done::Part => ExitCode::from(TROUBLE),
    })
}

/// Grants the directory that a command about `files` writes to. A dry run is granted the same one:
/// an interrupted write is completed before anything is read, so that the diff shown is the one
/// that would be written.
///
/// # Errors
/// Returns an error if the directory cannot be granted, or the component cannot be loaded.
pub fn open_command_root(
    app: &App,
    kept: &StateArgs,
    output: &OutputArgs,
    files: &[PathBuf],
) -> Result<(CommandRoot, Session), CommandError> {
    let flags = Flags {
        state: kept.state(),
        config: output.config.clone(),
        ..Flags::default()
    };
    let setup = app.load_setup(&flags)?;
    let usual = app.choose_root(&setup, &[]);
    let root = match &kept.root {
        Some(directory) => Some(writable(directory.clone())),
        None => app.choose_root(&setup, files),
    };
    let Some(root) = root else {
        let message = "there is no current directory; name one with `--root DIR`";
        return Err(CommandError::Usage(message.to_owned()));
    };
    let grants = app.grant_roots(&setup, &[root], None)?;
    let root = grants.all()[0].path().to_owned();
    let command_root = CommandRoot {
        is_usual: usual.is_some_and(|usual| usual.path == root),
        root,
        here: app.current_directory(),
    };
    Ok((command_root, app.session(&setup, grants)?))
}

fn writable(path: PathBuf) -> RootSpec {
    RootSpec {
        name: None,
        path,
        right: Right::ReadWrite,
        sensitive: false,
    }
}

/// Returns a text that is given literally or in a file; none if neither is given.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn text(
    given: Option<&str>,
    file: Option<&Path>,
    read: ReadText<'_>,
) -> Result<Option<String>, CommandError> {
    match (given, file) {
        (Some(text), _) => Ok(Some(text.to_owned())),
        (None, Some(file)) => read(file).map(Some),
        (None, None) => Ok(None),
    }
}
