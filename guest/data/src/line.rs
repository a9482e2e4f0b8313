//! Lines of a text, one after the other.

use memchr::memchr2;

/// A line: where it begins, where it ends without its end, and where the next one begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineSpan {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) next: usize,
}

impl LineSpan {
    /// Returns the line of `text` from `start` on; none at its end.
    pub(crate) fn at(text: &str, start: usize) -> Option<Self> {
        let rest = text
            .as_bytes()
            .get(start..)
            .filter(|rest| !rest.is_empty())?;
        let end = start + memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        Some(Self {
            start,
            end,
            next: behind_end(text, end),
        })
    }

    /// Returns what it says without the blanks round it, and where that begins.
    pub(crate) fn trimmed(self, text: &str) -> (usize, &str) {
        let line = &text[self.start..self.end];
        let trimmed = line.trim_start();
        (self.end - trimmed.len(), trimmed.trim_end())
    }
}

/// Returns where the text goes on behind a line's end at `end`.
pub(crate) fn behind_end(text: &str, end: usize) -> usize {
    match text.as_bytes().get(end..) {
        Some([b'\r', b'\n', ..]) => end + 2,
        Some([_, ..]) => end + 1,
        _ => text.len(),
    }
}

/// Returns where the line that holds `at` ends, without its end.
pub(crate) fn end_of_line(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at.min(text.len()) + memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())
}

/// Returns a key without the quotes round it.
pub(crate) fn unquoted(key: &str) -> &str {
    for quote in ['"', '\''] {
        let inner = key.strip_prefix(quote);
        if let Some(inner) = inner.and_then(|inner| inner.strip_suffix(quote)) {
            return inner;
        }
    }
    key
}
