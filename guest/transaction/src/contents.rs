//! In-memory contents of an entry.
//!
//! Every file of a transaction is read several times on its way to the commit point and past it,
//! and hashing costs many times as much as comparing. So a content that was hashed once is kept,
//! and later reads are compared with it byte by byte. Recovery has nothing to compare with, and
//! hashes.

use docent_text::content_hash::HashedContent;

/// The contents of an entry that are held in memory.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// Content before the operation.
    pub(crate) old: Option<HashedContent>,
    /// Content after the operation.
    pub(crate) new: Option<HashedContent>,
}

impl Contents {
    /// No known contents, as after a crash.
    pub(crate) const UNKNOWN: &'static Self = &Self {
        old: None,
        new: None,
    };

    pub(crate) fn all(&self) -> impl Iterator<Item = &HashedContent> {
        self.old.iter().chain(&self.new)
    }
}
