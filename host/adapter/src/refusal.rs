//! Refusals in words, for a model.

use serde_json::Value;

use crate::visible::{visible, visible_lines};
use crate::{ArgumentError, table};

/// Returns what is wrong with an argument and what was expected.
pub fn argument(error: &ArgumentError) -> String {
    let label = table().label("invalid-request");
    // It quotes what the caller wrote, which may hold line breaks.
    format!("{label} {}", visible(&error.to_string()))
}

/// Returns what the component says of a call that it refused: its code and what was wrong, and on a
/// second line what to do next.
pub fn call(code: &str, message: &str, hint: &str) -> String {
    let label = table().label(code);
    // What an edit does not find is shown line by line; the component has escaped the rest.
    let lines = format!("{label} {}\n{}", visible_lines(message), visible(hint));
    // A refusal may come without a hint.
    lines.trim_end().to_owned()
}

/// Whether an answer gives nothing of what was asked for, because all of it is withheld: to a client
/// that is an error, as a refusal is.
pub fn is_withheld(answer: &Value) -> bool {
    answer["status"] == "blocked"
}
