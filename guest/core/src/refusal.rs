//! Refusals: the errors of the contract, each with what was wrong, what was expected, and what to
//! do next.

use docent_api::types::{Error, ErrorCode};

use crate::disk::Failure;
use crate::limits::DOCUMENT_BYTES;
use crate::path::RelPath;

const NOT_FOUND_HINT: &str = "See what is there with list_full_tree; hidden and ignored files, \
                              links and what lies outside are not served.";

/// Returns the error of kind `code`.
pub fn refuse(code: ErrorCode, message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error {
        code,
        message: message.into(),
        hint: hint.into(),
    }
}

/// Returns the error for a number outside `range`.
pub fn out_of_range(argument: &str, value: u32, (least, most): (u32, u32)) -> Error {
    refuse(
        ErrorCode::InvalidRequest,
        format!("`{argument}` is {value}; expected {least} to {most}"),
        format!("Leave {argument} out for its default, or give a number from {least} to {most}."),
    )
}

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

/// Returns the error for a document that is there, with so many bytes, and could not be read.
pub fn failed(path: &RelPath, failure: Failure, size: Option<u64>) -> Error {
    match failure {
        Failure::NotFound
        | Failure::Symlink
        | Failure::WrongKind
        | Failure::MountPoint
        | Failure::Permission => not_found(path),
        Failure::TooLarge => {
            let size = size.map_or("too many".to_owned(), |size| size.to_string());
            refuse(
                ErrorCode::DocumentTooLarge,
                format!("`{path}` has {size} bytes; expected at most {DOCUMENT_BYTES}"),
                "Documents of this size cannot be opened; ask the person to split it.",
            )
        }
        Failure::Io => refuse(
            ErrorCode::DocumentReadFailed,
            format!("`{path}` could not be read to its end"),
            "Try again; if it fails again, tell the person that the file cannot be read.",
        ),
    }
}
