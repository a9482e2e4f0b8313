//! The errors of the contract: made in one form.

use docent_api::types::{Error, ErrorCode};

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
