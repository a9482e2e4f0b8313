//! Footnotes and endnotes: the text refers to them by id, and they are in parts of their own.

use std::collections::BTreeMap;

/// The kind of a note. Each kind has its own ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoteKind {
    /// Below the page.
    Footnote,
    /// After the text.
    Endnote,
}

/// The notes that the text refers to, by kind and id, numbered from 1 in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Notes(pub(super) BTreeMap<(NoteKind, String), usize>);

impl Notes {
    /// Returns the number of a note, the same for every reference to it.
    pub fn number(&mut self, kind: NoteKind, id: String) -> usize {
        let next = self.0.len() + 1;
        *self.0.entry((kind, id)).or_insert(next)
    }

    pub(super) fn has(&self, kind: NoteKind) -> bool {
        self.0.keys().any(|(other, _)| *other == kind)
    }
}
