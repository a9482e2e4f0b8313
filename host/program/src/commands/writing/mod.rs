//! What the commands that write have in common: the directory that they are granted, the call, and
//! what is shown of its answer.

use std::path::Path;

use docent_host::Session;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::call;
use crate::terminal::error::CommandError;

mod diff;
pub mod ground;
pub mod operation;
mod print;

pub use print::print;

/// Reads a file that is named on the command line, as text; `-` is stdin.
pub type ReadText<'a> = &'a dyn Fn(&Path) -> Result<String, CommandError>;

/// Whether anything is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The difference is shown.
    DryRun,
    /// It is written, too.
    Apply,
}

/// What came of a command that writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// All of it is written, or shown.
    All,
    /// There is nothing to change.
    Nothing,
    /// Some is not, which has been told.
    Part,
}

/// A call of a tool that writes.
pub struct Request {
    function: &'static str,
    arguments: Map<String, Value>,
}

/// What was written, or would be.
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

/// What became, or would become, of one file.
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

/// What one edit did.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct AppliedEdit {
    #[serde(rename = "match")]
    matched: String,
    places: Vec<Value>,
    more_places: u64,
}

impl Request {
    /// Returns the call that makes one edit, with these fields.
    pub fn of_edit(fields: Map<String, Value>) -> Self {
        let mut arguments = Map::new();
        arguments.insert("edits".to_owned(), json!([fields]));
        Self {
            function: "change",
            arguments,
        }
    }

    /// Returns the call that writes one file, with these arguments.
    pub fn of_file(arguments: Map<String, Value>) -> Self {
        Self {
            function: "write",
            arguments,
        }
    }

    /// Makes the call.
    ///
    /// # Errors
    /// When the component refuses or fails; then nothing was written.
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
        // Always said: the tools differ in what they do where it is not.
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

/// Returns a text that is given as it is or in a file; none where neither is.
///
/// # Errors
/// When the file cannot be read.
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
