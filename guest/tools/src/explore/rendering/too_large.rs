//! Hints about files over a limit.

use docent_api::types::{Error, ErrorCode};

use crate::limits::EXPLORE_BYTES;
use docent_document::format::converted_extension;
use docent_tree::archive::is_in_container;
use docent_tree::error::refuse;
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::unpack_failure::UnpackFailure;

/// Hint for a document that is not text and exceeds the limit of every call.
const TOO_LARGE_TO_OPEN: &str =
    "Documents of this size cannot be opened; ask the person to split it.";

/// Hint for a text that is too large to come whole.
pub const INSTEAD_OF_TEXT: &str = "ask for a section, or a preview that names the sections";

/// Returns advice for a file that needs more than a limit of the call: to raise the limit, if its
/// maximum suffices, or an alternative.
pub fn raise(limit: &str, needed: u64, most: u32, instead: &str) -> String {
    if needed <= u64::from(most) {
        return format!("Raise limits.{limit} to {needed}, or {instead}.");
    }
    format!("No call returns it whole: limits.{limit} is at most {most}; {instead}.")
}

/// Returns true if a limit is the call's own, and not that of every file.
pub fn is_cap_of_call(cap: u64) -> bool {
    cap < DOCUMENT_BYTES as u64
}

/// Returns the error for a file with more bytes than a limit.
pub fn too_large(path: &str, size: u64, cap: u64) -> Error {
    let hint = if is_cap_of_call(cap) {
        raise("maxBytes", size, EXPLORE_BYTES.1, INSTEAD_OF_TEXT)
    } else if is_in_container(path) {
        UnpackFailure::TooLarge.hint().to_owned()
    } else if is_foreign(path) {
        TOO_LARGE_TO_OPEN.to_owned()
    } else {
        format!("Name lines of it, as in `{path}:-50`.")
    };
    refuse(
        ErrorCode::DocumentTooLarge,
        format!("`{path}` has {size} bytes; expected at most {cap}"),
        hint,
    )
}

/// Returns true if a file is read as the text extracted from it.
pub fn is_foreign(path: &str) -> bool {
    converted_extension(path.rsplit('/').next().unwrap_or(path)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_raised_as_far_as_it_goes() {
        assert_eq!(
            raise("maxChars", 9000, 200_000, INSTEAD_OF_TEXT),
            "Raise limits.maxChars to 9000, or ask for a section, or a preview that names the \
             sections."
        );
        assert_eq!(
            raise("maxChars", 1_700_000, 200_000, INSTEAD_OF_TEXT),
            "No call returns it whole: limits.maxChars is at most 200000; ask for a section, or a \
             preview that names the sections."
        );
    }
}
