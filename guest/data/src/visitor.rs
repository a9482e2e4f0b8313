//! A visitor of entries.

use std::ops::ControlFlow;

use crate::entry::DataEntry;

/// A visitor of the entries of a text.
pub trait Visitor {
    /// Visits an entry; may break off the scan.
    fn entry(&mut self, entry: &DataEntry<'_, '_>) -> ControlFlow<()>;

    /// Visits the end of the innermost open table or list, which has `_children` entries of its
    /// own.
    fn end(&mut self, _children: usize) {}
}
