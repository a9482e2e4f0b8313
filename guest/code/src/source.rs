//! The method by which an outline was made.

/// The method by which an outline was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A parser of the language.
    Parsed,
    /// Strings, comments, brackets and indentation.
    Heuristic,
    /// Blank lines and indentation alone.
    Text,
}

impl Source {
    /// Returns the name of the method in lower case: `parsed`, `heuristic`, `text`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parsed => "parsed",
            Self::Heuristic => "heuristic",
            Self::Text => "text",
        }
    }
}
