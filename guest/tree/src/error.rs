//! Constructors of the contract's errors.

use std::fmt::Write as _;

use docent_api::types::{Error, ErrorCode};

/// Returns the error of kind `code`. Message and hint are put on one line each: both quote input of
/// callers and names of files, which must not be mistaken for another line of an answer.
pub fn refuse(code: ErrorCode, message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error {
        code,
        message: escape_controls(message.into()),
        hint: escape_controls(hint.into()),
    }
}

/// Returns the error of kind `code` whose message quotes lines of a file, each on a line of its
/// own. The caller ensures that no such line can be mistaken for another part of an answer.
pub fn refuse_in_lines(code: ErrorCode, message: &str, hint: impl Into<String>) -> Error {
    let lines = message.split('\n').map(|line| {
        let parts = line
            .split('\t')
            .map(|part| escape_controls(part.to_owned()));
        parts.collect::<Vec<_>>().join("\t")
    });
    Error {
        code,
        message: lines.collect::<Vec<_>>().join("\n"),
        hint: escape_controls(hint.into()),
    }
}

/// Escapes characters that end a line, control a terminal or change the direction of text as
/// `\u{…}`. A file called `a\nb.md` would otherwise add a line of its own to an answer, and one
/// with an escape sequence would control the terminal that shows the answer.
fn escape_controls(text: String) -> String {
    if !text.contains(steers) {
        return text;
    }
    let mut visible = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if steers(c) {
            let _ = write!(visible, "\\u{{{:x}}}", u32::from(c));
        } else {
            visible.push(c);
        }
    }
    visible
}

fn steers(c: char) -> bool {
    // The range from U+2028 contains the line and paragraph separators, and the embeddings and
    // overrides of bidirectional text; the one from U+2066 contains its isolates (Unicode Standard
    // Annex #9). They reorder the text that follows, so that a name can look like another one.
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the error of an invalid request.
pub fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Error {
    refuse(ErrorCode::InvalidRequest, message, hint)
}

/// Returns the number of `argument`, if given.
///
/// # Errors
/// `invalid-request` for a number outside of `least` to `most`.
pub fn check_range(
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
    fn quoted_text_stays_on_its_line() {
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
