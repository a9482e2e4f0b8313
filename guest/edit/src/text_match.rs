//! A place of a text in a file, and the closeness of the match.

use std::ops::Range;

/// The closeness of a match, from exact to loose. The order matters: an edit of several places
/// reports the loosest of their matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchKind {
    /// Equal in every byte.
    Exact,
    /// Equal except for line endings.
    LineEndings,
    /// Equal except for the composition of letters, and possibly line endings.
    Composed,
    /// Equal except for blanks.
    Whitespace,
    /// Equal except for the line numbers with which the text was copied.
    Numbers,
}

/// A place of a text in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextMatch {
    /// Byte range in the text of the file.
    pub span: Range<usize>,
    /// Closeness of the match.
    pub matched: MatchKind,
}
