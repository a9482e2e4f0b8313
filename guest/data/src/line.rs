//! Iteration over the lines of a text.

use memchr::memchr2;

/// A line: its start, its end without the line end, and the start of the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineSpan {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) next: usize,
}

impl LineSpan {
    /// Returns the line of `text` that begins at `start`, or `None` at the end of the text.
    pub(crate) fn at(text: &str, start: usize) -> Option<Self> {
        let rest = text
            .as_bytes()
            .get(start..)
            .filter(|rest| !rest.is_empty())?;
        let end = start + memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        Some(Self {
            start,
            end,
            next: after_line_end(text, end),
        })
    }

    /// Returns its text without surrounding blanks, and the start of that.
    pub(crate) fn trim(self, text: &str) -> (usize, &str) {
        let line = &text[self.start..self.end];
        let trimmed = line.trim_start();
        (self.end - trimmed.len(), trimmed.trim_end())
    }
}

/// Returns the position after the line end at `end`.
pub(crate) fn after_line_end(text: &str, end: usize) -> usize {
    match text.as_bytes().get(end..) {
        Some([b'\r', b'\n', ..]) => end + 2,
        Some([_, ..]) => end + 1,
        _ => text.len(),
    }
}

/// Returns the end of the line that contains `at`, without its line end.
pub(crate) fn end_of_line(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at.min(text.len()) + memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())
}

/// Strips the quotes around a key.
pub(crate) fn strip_quotes(key: &str) -> &str {
    for quote in ['"', '\''] {
        let inner = key.strip_prefix(quote);
        if let Some(inner) = inner.and_then(|inner| inner.strip_suffix(quote)) {
            return inner;
        }
    }
    key
}

/// Splits a row into fields; quoted ones keep their quotes.
pub(crate) fn fields(row: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(row);
    std::iter::from_fn(move || {
        let row = rest?;
        let bytes = row.as_bytes();
        let mut from = 0;
        let mut is_quoted = false;
        while let Some(next) = memchr::memchr2(b'"', separator, &bytes[from..]) {
            let next = from + next;
            if bytes[next] == b'"' {
                is_quoted = !is_quoted;
            } else if !is_quoted {
                rest = Some(&row[next + 1..]);
                return Some(row[..next].trim());
            }
            from = next + 1;
        }
        rest = None;
        Some(row.trim())
    })
}
