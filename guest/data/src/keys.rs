//! The entries of a text as a list that owns its texts.

use std::ops::ControlFlow;

use crate::entry::{DataEntry, DataKind, DataLines};
use crate::format::DataFormat;
use crate::visit::visit;
use crate::visitor::Visitor;

/// An entry that owns its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedEntry {
    /// Path of the entry.
    pub path: String,
    /// Kind of the entry.
    pub kind: DataKind,
    /// Nesting depth in tables and lists.
    pub depth: usize,
    /// Value on one line, truncated if long.
    pub value: String,
    /// Lines of the entry.
    pub lines: DataLines,
}

/// The entries of a text.
pub type Keys = Vec<OwnedEntry>;

/// Collects the entries of a text, in order. For callers that need many of them; [`visit`]
/// allocates no memory for them.
pub fn keys(format: DataFormat, text: &str) -> Keys {
    struct CollectedKeys(Keys);
    impl Visitor for CollectedKeys {
        fn entry(&mut self, entry: &DataEntry<'_, '_>) -> ControlFlow<()> {
            self.0.push(OwnedEntry {
                path: entry.head(entry.path),
                kind: entry.kind,
                depth: entry.depth,
                value: entry.shown_value(),
                lines: entry.lines,
            });
            ControlFlow::Continue(())
        }
    }
    let mut collected = CollectedKeys(Vec::new());
    visit(format, text, &mut collected);
    collected.0
}
