//! Parts shared by the commands that write: the granted directory, the call, and the output of its
//! answer.

use std::path::Path;

use docent_host::Session;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::terminal::call::call;
use crate::terminal::error::CommandError;

mod diff;
pub mod ground;
pub mod operation;
mod print;

pub use print::print;

/// A function that reads a file named on the command line as text; `-` is stdin.
pub type ReadText<'a> = &'a dyn Fn(&Path) -> Result<String, CommandError>;

/// The mode of a command that writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Shows the diff.
    DryRun,
    /// Shows the diff and writes it.
    Apply,
}

/// The outcome of a command that writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// Everything is written, or shown.
    All,
    /// There was nothing to change.
    Nothing,
    /// A part is missing, which has been reported.
    Part,
}

/// A call of a tool that writes.
pub struct Request {
    function: &'static str,
    arguments: Map<String, Value>,
}

/// The answer of a tool that writes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Written {
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

impl Request {
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
    pub fn ask(
        self,
        session: &mut Session,
        mode: Mode,
        note: Option<&str>,
    ) -> Result<Written, CommandError> {
        let Self {
            function,
            mut arguments,
        } = self;
        // Always set: the defaults of the tools differ.
        arguments.insert("dryRun".to_owned(), json!(mode == Mode::DryRun));
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
