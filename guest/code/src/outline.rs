//! The outline of a code file.

use crate::enclosing::Enclosing;
use crate::language::Language;
use crate::source::Source;
use crate::symbol::{Import, Symbol};

/// The definitions and imports of a code file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Language as which it was read: C++ for a C header with namespaces, classes or templates,
    /// else the requested one.
    pub language: Language,
    /// Method by which it was made.
    pub source: Source,
    /// Imports, in the order of the text.
    pub imports: Vec<Import>,
    /// Definitions, in the order of the text.
    pub symbols: Vec<Symbol>,
    /// Number of lines of the text, at least 1.
    pub line_count: u32,
    /// Last line of the first group of imports.
    pub(crate) imports_end: u32,
}

impl Outline {
    /// Returns the symbols that contain the 1-based `line`, from the outermost to the innermost,
    /// the first of two on one line. For many lines [`Outline::by_lines`] is faster.
    pub fn find_enclosing(&self, line: u32) -> Vec<&Symbol> {
        self.by_lines().at(line)
    }

    /// Returns a cursor over the enclosing symbols of lines in ascending order.
    pub fn by_lines(&self) -> Enclosing<'_> {
        Enclosing::new(&self.symbols)
    }

    /// Returns the outline without the texts of comments and documentation strings. The lines of
    /// its symbols are unchanged.
    pub fn without_comments(mut self) -> Self {
        forget_docs(&mut self.symbols);
        self
    }
}

fn forget_docs(symbols: &mut [Symbol]) {
    for symbol in symbols {
        symbol.doc.clear();
        forget_docs(&mut symbol.children);
    }
}
