//! Outlines from tokens and indentation alone, without a grammar.

mod blocks;
mod braces;
mod indented;
mod ruby;
mod shell;

use crate::code::Code;
use crate::declarations::Declarations;
use crate::language::Language;

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
