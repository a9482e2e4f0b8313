//! The commands, one in each file or folder, and their calls of the component.

use std::path::{Path, PathBuf};

use docent_host::{CallError, Session};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::terminal::error::CommandError;
use crate::terminal::place::{Place, Root};

pub mod call;
pub mod doctor;
pub mod edit;
pub mod embed;
pub mod explore;
pub mod find;
pub mod grep;
pub mod help;
pub mod history;
pub mod log;
pub mod query;
pub mod search;
pub mod setup;
pub mod summary;
pub mod tags;
pub mod token;
pub mod understand;
pub mod undo;
mod wording;
pub mod writing;

/// Calls a function of the component.
///
/// # Errors
/// Returns an error if the component refuses, in the terms of the command line, or fails.
fn call<T: DeserializeOwned>(
    session: &mut Session,
    function: &str,
    arguments: Map<String, Value>,
) -> Result<T, CommandError> {
    let answer = session.call(function, arguments).map_err(|error| {
        CommandError::Call(match error {
            CallError::Refused(refusal) => CallError::Refused(wording::refusal(function, refusal)),
            fault @ CallError::Fault(_) => fault,
        })
    })?;
    serde_json::from_value(answer).map_err(CommandError::Answer)
}

/// Returns the arguments of a call about a place.
fn arguments(root: &Root, place: &Place) -> Map<String, Value> {
    let mut arguments = Map::new();
    arguments.insert("root".to_owned(), json!(root.name));
    if let Some(path) = place.asked() {
        arguments.insert("path".to_owned(), json!(path));
    }
    arguments
}

/// Returns the location of a document in an answer.
fn target(root: &Root, path: &str) -> PathBuf {
    root.directory.join(Path::new(path.trim_start_matches('/')))
}
