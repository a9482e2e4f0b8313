//! A section of a document.

use std::ops::Range;

/// A heading and its own text. The sections of a document tile it, except for front matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Plain text of the heading; empty before the first heading.
    pub heading: String,
    /// Level, 1 to 6; 0 if there is no heading.
    pub level: u8,
    /// Headings from the outermost one above it to its own.
    pub path: Vec<String>,
    /// Explicit id of the heading, else its slug, unique in the document; empty if there is no
    /// heading.
    pub id: String,
    /// Byte range in the document.
    pub span: Range<usize>,
}
