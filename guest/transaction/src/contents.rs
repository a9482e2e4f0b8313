//! The contents of an entry that are in memory: what is read is compared with them, for to hash it
//! costs many times as much, and each file is read four times.

use docent_text::content_hash::Content;

/// The contents of an entry, as far as they are in memory.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// That before the operation.
    pub(crate) old: Option<Content>,
    /// That afterwards.
    pub(crate) new: Option<Content>,
}

impl Contents {
    /// None, as after a crash.
    pub(crate) const UNKNOWN: &'static Self = &Self {
        old: None,
        new: None,
    };

    pub(crate) fn all(&self) -> impl Iterator<Item = &Content> {
        self.old.iter().chain(&self.new)
    }
}
