//! Refusals: the errors of the contract, each with what was wrong, what was expected, and what to
//! do next.

use docent_api::types::{Error, ErrorCode};

use crate::error::refuse;

use crate::path::RelPath;

const NOT_FOUND_HINT: &str = "List the directory to see what is there; hidden and ignored files, \
                              links and what lies outside are not served.";

/// Returns the one error for what is missing, outside, forbidden or hidden.
pub fn not_found(path: &RelPath) -> Error {
    refuse(
        ErrorCode::DocumentNotFound,
        format!("`{path}` is not there; expected a document or directory of this root"),
        NOT_FOUND_HINT,
    )
}

/// Returns the error for a path whose name is on the list of sensitive ones.
pub fn sensitive(path: &RelPath) -> Error {
    refuse(
        ErrorCode::Sensitive,
        format!("`{path}` is of a sensitive kind; expected a document without secrets"),
        "Files that hold keys or credentials are never opened; ask the person for what you need.",
    )
}
