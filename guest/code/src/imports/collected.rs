//! A list of imports as it is collected.

use crate::code::Code;
use crate::imports::target::{ImportPath, ImportedName};
use crate::limits::{IMPORT_PATH_BYTES, IMPORT_PATHS};
use crate::position::ByteOffset;
use crate::source::Source;

/// A list of imports being collected, within the limits.
pub(super) struct Collected<'a> {
    pub(super) code: &'a Code<'a>,
    pub(super) known_by: Source,
    pub(super) found: Vec<ImportPath>,
}

impl<'a> Collected<'a> {
    pub(super) fn new(code: &'a Code<'a>, known_by: Source) -> Self {
        Self {
            code,
            known_by,
            found: Vec::new(),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= IMPORT_PATHS
    }

    /// Adds the target named at `offset`.
    pub(super) fn push(&mut self, offset: ByteOffset, target: ImportedName) {
        if !self.is_full() {
            self.found.push(ImportPath {
                line: self.code.line_index.line(offset),
                target,
                known_by: self.known_by,
            });
        }
    }

    /// Adds a target that is one name, unless it is too long.
    pub(super) fn push_name(
        &mut self,
        offset: ByteOffset,
        name: &str,
        target: fn(String) -> ImportedName,
    ) {
        if !name.is_empty() && name.len() <= IMPORT_PATH_BYTES {
            self.push(offset, target(name.to_owned()));
        }
    }
}

/// Returns the text between the quotes of a plain string on one line, or `None` for a string with
/// escapes, whose value differs, and for a piece of an interpolated string.
pub(super) fn plain_string(literal: &str) -> Option<&str> {
    let quote = literal.chars().next().filter(|c| "\"'`".contains(*c))?;
    let inner = literal.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.contains(['\\', '\n', '\r'])).then_some(inner)
}
