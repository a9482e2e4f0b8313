//! A definition, and the form that equivalent labels share.

use std::ops::Range;

/// A valid definition: the first of its label; in AsciiDoc, every one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Label as it is used: `[1]`, `[^note]`; in reStructuredText `name_`, `[1]_`, `|name|`; in
    /// AsciiDoc `{name}`.
    pub label: String,
    /// Byte range in the text: in Markdown from its first bracket on, else its lines.
    pub span: Range<usize>,
    /// Positions at which the label is used, ascending.
    pub uses: Vec<usize>,
}

impl Definition {
    pub(super) fn new(label: String, span: Range<usize>) -> Self {
        Self {
            label,
            span,
            uses: Vec::new(),
        }
    }
}

/// Returns the normalized form that equivalent labels share: case and runs of white space do not
/// count, neither in CommonMark (section 6.3) nor in reStructuredText ("Reference Names"). `[Foo
/// Bar]` and `[foo bar]` are one label.
pub(super) fn key(label: &str) -> String {
    let words: Vec<&str> = label.split_whitespace().collect();
    words.join(" ").to_lowercase()
}
