//! The declarations of a text, as parsers and scanners collect them.

use crate::imports::target::ImportPath;
use crate::symbol::{Import, Symbol};

/// The declarations of a text.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    pub(crate) imports: Vec<Import>,
    pub(crate) symbols: Vec<Symbol>,
    /// Imports as data, if a parser found them on its way.
    pub(crate) paths: Option<Vec<ImportPath>>,
}
