//! Refusals: the errors of the contract, each with what was wrong, what was expected, and what to
//! do next. Here alone the errors of this crate become those of the contract, which have no room
//! for a cause: callers must not learn whether what they cannot have is missing, hidden or
//! forbidden.

use docent_api::types::{Error, ErrorCode};

use crate::disk::Failure;
use crate::error::refuse;
use crate::glob::GlobError;
use crate::locate::LocateError;
use crate::path::{PathError, RelPath};

impl From<PathError> for Error {
    fn from(error: PathError) -> Self {
        refuse(
            ErrorCode::InvalidPath,
            error.to_string(),
            "Give the path as an answer or a listing shows it.",
        )
    }
}

impl From<LocateError> for Error {
    fn from(error: LocateError) -> Self {
        let (code, hint) = match &error {
            LocateError::Sensitive(_) => (
                ErrorCode::Sensitive,
                "Files that hold keys or credentials are never opened; ask the person for what \
                 you need.",
            ),
            LocateError::NotFound { .. } => (
                ErrorCode::DocumentNotFound,
                "List the directory to see what is there; links and what lies outside are not \
                 served.",
            ),
            LocateError::Ignored { .. } => (
                ErrorCode::InvalidPath,
                "Set includeIgnored to true where there is such an argument, or ask the person to \
                 change the rule.",
            ),
            LocateError::Versioned(_) => (
                ErrorCode::InvalidPath,
                "What is in such directories is read and changed by its own program alone.",
            ),
            LocateError::RootGone(_) => (
                ErrorCode::DocumentNotFound,
                "Ask the person whether the granted directory was moved or deleted.",
            ),
            LocateError::NotADocument(_) => (
                ErrorCode::InvalidRequest,
                "List the directory to see which documents it holds, and name one of them.",
            ),
            LocateError::NotADirectory(_) => (
                ErrorCode::InvalidRequest,
                "Read the document, or name the directory that holds it.",
            ),
        };
        refuse(code, error.to_string(), hint)
    }
}

impl From<GlobError> for Error {
    /// The refusal of an argument called `glob`.
    fn from(error: GlobError) -> Self {
        refuse(
            ErrorCode::InvalidRequest,
            format!("`glob` {error}"),
            "Leave glob out for everything; `*` stays within a segment, `**` spans any number of them.",
        )
    }
}

/// Returns the one error for what is missing, outside or forbidden.
pub fn not_found(path: &RelPath) -> Error {
    LocateError::nowhere(path).into()
}

/// Returns the error for what the disk does not give: the same as for what is missing.
pub fn unavailable(path: &RelPath, failure: Failure) -> Error {
    LocateError::failed(path, failure).into()
}

/// Returns the error for a path whose name is on the list of sensitive ones.
pub fn sensitive(path: &RelPath) -> Error {
    LocateError::Sensitive(path.clone()).into()
}
