//! Replacements of byte ranges in a text.

use std::ops::Range;

/// A range of a text and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteEdit {
    range: Range<usize>,
    text: String,
}

impl ByteEdit {
    /// Inserts `text` at a byte offset.
    pub fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::replace(at..at, text)
    }

    /// Removes a range.
    pub fn remove(range: Range<usize>) -> Self {
        Self::replace(range, "")
    }

    /// Replaces a range.
    pub fn replace(range: Range<usize>, text: impl Into<String>) -> Self {
        Self {
            range,
            text: text.into(),
        }
    }
}

/// Applies every edit to `text`. Edits must not overlap; those at the same offset are applied in
/// the given order.
pub fn apply(text: &str, mut edits: Vec<ByteEdit>) -> String {
    // The sort is stable, so insertions at the same offset keep their order: the comma after
    // the last member and the new member behind it are two edits at one place.
    edits.sort_by_key(|byte_edit| byte_edit.range.start);
    let mut new = String::with_capacity(text.len());
    let mut copied = 0;
    for byte_edit in edits {
        new.push_str(&text[copied..byte_edit.range.start]);
        new.push_str(&byte_edit.text);
        copied = byte_edit.range.end;
    }
    new.push_str(&text[copied..]);
    new
}

/// Returns the line break that a text uses.
pub fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Returns the number of the line that contains a byte offset, from 1.
pub fn line_number(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at.min(text.len())];
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

/// Returns the offset of the start of the line that contains `at`.
pub fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Returns the end of the line that contains `at`, including its line break.
pub fn line_end(text: &str, at: usize) -> usize {
    text[at..]
        .find('\n')
        .map_or(text.len(), |newline| at + newline + 1)
}
