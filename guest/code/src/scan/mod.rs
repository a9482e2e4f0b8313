//! Outlines from tokens and indentation alone, without a grammar.

mod blocks;
mod braces;
mod c_like;
mod dialect;
mod indented;
mod members;
mod ruby;
mod shell;

use crate::code::Code;
use crate::language::Language;
use crate::{Import, Symbol};

/// What was found in a text.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) imports: Vec<Import>,
    pub(crate) symbols: Vec<Symbol>,
}

/// Returns what can be told about `code` without a grammar.
pub(crate) fn scan(code: &Code<'_>) -> Found {
    match code.language {
        Language::Ruby => ruby::scan(code),
        Language::Shell => shell::scan(code),
        Language::Python => indented::scan(code),
        Language::Other => blocks::scan(code),
        _ => braces::scan(code),
    }
}
