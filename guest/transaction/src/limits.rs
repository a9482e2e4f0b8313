//! The limits of this crate: value, unit, and the reason for each.

/// Files of one transaction. A directory of documents that is renamed may hold as many links.
pub const FILES: usize = 10_000;

/// Bytes of all new contents of one transaction: they are in memory at the same time.
pub const TRANSACTION_BYTES: usize = 64 << 20;

/// Bytes of a file that is replaced: no reader takes more, so no edit was made for one.
pub const FILE_BYTES: usize = docent_tree::limits::DOCUMENT_BYTES;

/// Bytes of a journal: one of [`FILES`] with paths of 4 096 bytes holds less.
pub const JOURNAL_BYTES: usize = 128 << 20;

/// Bytes of what a caller says of a change, in each of its texts. They are shown in lists.
pub const NOTE_BYTES: usize = 4096;

/// Times that a file is looked at anew because it changed under our hands. Who writes a file this
/// often in a row gets a conflict.
pub const ATTEMPTS: usize = 8;

/// Files that are open at the same time, written and not yet synced. Systems allow a process some
/// hundreds, of which readers need most.
pub const OPEN_FILES: usize = 64;

/// Operations between two looks at how much history there is, at the least: each look reads all of
/// it.
pub const PRUNE_EVERY: u64 = 16;

/// The share of the operations that are kept which may come between two looks, so that no more than
/// so many records are read for each operation.
pub const PRUNE_SHARE: u64 = 16;

/// Bytes that an operation keeps from which on history is looked at at once.
pub const PRUNE_BYTES: usize = 4 << 20;

/// How much history is kept; what is older goes, but never the latest operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryLimits {
    /// Changes. What takes them back, and brings them back, does not count, or going back step by
    /// step would push out what is still to be gone back to.
    pub operations: usize,
    /// Milliseconds since an operation.
    pub age_ms: i64,
    /// Bytes of kept contents; the most that a single operation may keep as well.
    pub bytes: u64,
}

/// Operations for each of [`HistoryLimits::operations`], those that take changes back among them:
/// each may be undone, redone and undone again.
pub const OPERATIONS_PER_CHANGE: usize = 4;

/// The limits that hold unless a person sets others: a month of daily work.
pub const HISTORY: HistoryLimits = HistoryLimits {
    operations: 1_000,
    age_ms: 30 * 24 * 60 * 60 * 1000,
    bytes: 256 << 20,
};
