//! Calls of the component's functions about a place on the command line.

use std::path::{Path, PathBuf};

use docent_host::{CallError, Session};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::error::CommandError;
use super::place::{GrantedRoot, SearchPlace};
use super::wording;

/// Calls a function of the component.
///
/// # Errors
/// Returns an error if the component refuses, in the terms of the command line, or fails.
pub fn call<T: DeserializeOwned>(
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
pub fn arguments(root: &GrantedRoot, place: &SearchPlace) -> Map<String, Value> {
    let mut arguments = Map::new();
    arguments.insert("root".to_owned(), json!(root.name));
    if let Some(path) = place.requested_path() {
        arguments.insert("path".to_owned(), json!(path));
    }
    arguments
}

/// Returns the location of a document in an answer.
pub fn target(root: &GrantedRoot, path: &str) -> PathBuf {
    root.directory.join(Path::new(path.trim_start_matches('/')))
}
