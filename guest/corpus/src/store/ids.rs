//! Ids of documents and directories, and versions of their content.

use std::num::NonZeroU64;

/// The id of a document in the store; reused after it is evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentId(pub(super) u32);

/// The id of a directory in the store; reused after it is evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectoryId(pub(super) u32);

/// A content version, different from that of every other content that this store ever held. Ids are
/// reused after an eviction, so that a cache that is stored elsewhere under an id has to compare
/// the version as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentVersion(pub(super) NonZeroU64);

/// Converts an index. The index fits: each entry takes more than
/// [`crate::limits::CACHE_ENTRY_BYTES`] bytes, and addresses of WebAssembly have 32 bits.
pub(super) fn index_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
