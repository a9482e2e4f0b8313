//! The errors of the contract: made in one form.

use std::fmt::Write as _;

use docent_api::types::{Error, ErrorCode};

/// Returns the error of kind `code`. Message and hint become one line each: both quote what callers
/// wrote and what files are called, and neither must look like another line of an answer.
pub fn refuse(code: ErrorCode, message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error {
        code,
        message: visible(message.into()),
        hint: visible(hint.into()),
    }
}

/// Returns the error of kind `code` whose message quotes lines of a file, each on a line of its own.
/// Whoever makes the message sees to it that no such line looks like another part of an answer.
pub fn refuse_in_lines(code: ErrorCode, message: &str, hint: impl Into<String>) -> Error {
    let lines = message.split('\n').map(|line| {
        let parts = line.split('\t').map(|part| visible(part.to_owned()));
        parts.collect::<Vec<_>>().join("\t")
    });
    Error {
        code,
        message: lines.collect::<Vec<_>>().join("\n"),
        hint: visible(hint.into()),
    }
}

/// Returns a text with what ends a line, steers a terminal or turns the direction of text as
/// `\u{…}`.
fn visible(text: String) -> String {
    if !text.contains(steers) {
        return text;
    }
    let mut visible = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if steers(c) {
            // Writing to a string cannot fail.
            let _ = write!(visible, "\\u{{{:x}}}", u32::from(c));
        } else {
            visible.push(c);
        }
    }
    visible
}

fn steers(c: char) -> bool {
    // Line and paragraph separators, and what embeds, overrides or isolates a direction.
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the error of a request that cannot be meant.
pub fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Error {
    refuse(ErrorCode::InvalidRequest, message, hint)
}

/// Returns the number that `argument` has, if it has one.
///
/// # Errors
/// `invalid-request` for a number outside of `least` to `most`.
pub fn within(
    argument: &str,
    value: Option<u32>,
    (least, most): (u32, u32),
) -> Result<Option<u32>, Error> {
    match value {
        Some(number) if !(least..=most).contains(&number) => Err(invalid(
            format!("`{argument}` is {number}; expected {least} to {most}"),
            format!(
                "Leave {argument} out for its default, or give a number from {least} to {most}."
            ),
        )),
        value => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_stays_on_its_line() {
        let error = refuse(
            ErrorCode::DocumentNotFound,
            "`a\r\n```\u{1b}[2J\u{202e}` is not there",
            "Name\tanother\u{2028}one.",
        );
        assert_eq!(
            (error.message.as_str(), error.hint.as_str()),
            (
                "`a\\u{d}\\u{a}```\\u{1b}[2J\\u{202e}` is not there",
                "Name\\u{9}another\\u{2028}one."
            )
        );
        let lines = refuse_in_lines(ErrorCode::EditNotFound, "1| a\tb\u{1b}\r\n2| c", "");
        assert_eq!(lines.message, "1| a\tb\\u{1b}\\u{d}\n2| c");
        let plain = refuse(ErrorCode::InvalidPath, "`설정 a`", "");
        assert_eq!(plain.message, "`설정 a`");
    }
}
