//! Refusals: the errors of the contract, each with the fault, the expectation, and the next step.
//! Only here the errors of this crate become those of the contract, which cannot carry a cause:
//! callers must not learn if an inaccessible entry is missing, hidden or forbidden.

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
            LocateError::Container { failure, .. } | LocateError::Member { failure, .. } => {
                (failure.code(), failure.hint())
            }
            LocateError::Versioned(_) => (
                ErrorCode::InvalidPath,
                "Only the version control program reads and changes files in such directories.",
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
    /// Returns the refusal of an argument called `glob`.
    fn from(error: GlobError) -> Self {
        refuse(
            ErrorCode::InvalidRequest,
            format!("`glob` {error}"),
            "Leave glob out for everything; `*` stays within a segment, `**` spans any number of them.",
        )
    }
}

/// Returns the single error for entries that are missing, outside or forbidden.
pub fn not_found(path: &RelPath) -> Error {
    LocateError::hidden_error(path).into()
}

/// Returns the error for a failure of the disk; see [`LocateError::disk_error`].
pub fn unavailable(path: &RelPath, failure: Failure) -> Error {
    LocateError::disk_error(path, failure).into()
}

/// Returns the error for a path whose name is on the list of sensitive ones.
pub fn sensitive(path: &RelPath) -> Error {
    LocateError::Sensitive(path.clone()).into()
}
