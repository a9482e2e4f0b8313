//! Outlines from tokens and indentation alone, without a grammar.

mod blocks;
mod braces;
mod indented;
mod ruby;
mod shell;

use crate::code::Code;
use crate::imports::ImportPath;
use crate::language::Language;
use crate::{Import, Symbol};

/// The declarations of a text.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    pub(crate) imports: Vec<Import>,
    pub(crate) symbols: Vec<Symbol>,
    /// Imports as data, if a parser found them on its way.
    pub(crate) paths: Option<Vec<ImportPath>>,
}

/// Scans `code` without a grammar.
pub(crate) fn scan(code: &Code<'_>) -> Declarations {
    match code.language {
        Language::Ruby => ruby::scan(code),
        Language::Shell => shell::scan(code),
        Language::Python => indented::scan(code),
        Language::Other => blocks::scan(code),
        _ => braces::scan(code),
    }
}
