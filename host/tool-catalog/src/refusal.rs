//! The wording of refusals for models.

use serde_json::Value;

use crate::visible::{visible, visible_lines};
use crate::{ArgumentError, table};

/// Returns the message for a wrong argument: the problem, then the expected value.
pub fn argument(error: &ArgumentError) -> String {
    let label = table().label("invalid-request");
    // The message quotes text of the caller, which may contain line breaks. Escaped, it stays
    // on one line and cannot imitate further lines of the answer.
    format!("{label} {}", visible(&error.to_string()))
}

/// Returns the message for a call that the component refused: the code and the problem, and on a
/// second line the next step.
pub fn call(code: &str, message: &str, hint: &str) -> String {
    let label = table().label(code);
    // The message of an edit whose text was not found quotes lines of the file. Their line
    // breaks stay; the component has escaped the rest of the message.
    let lines = format!("{label} {}\n{}", visible_lines(message), visible(hint));
    // A refusal may come without a hint.
    lines.trim_end().to_owned()
}

/// Returns true if an answer withholds everything that was asked for: clients treat that as an
/// error, like a refusal.
pub fn is_withheld(answer: &Value) -> bool {
    answer["status"] == "blocked"
}
