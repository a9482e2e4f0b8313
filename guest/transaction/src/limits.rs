//! Limits of this crate: value, unit, and the reason for each.

/// Maximum files of one transaction. The move of a directory is one transaction, with all its files
/// and all files whose links to them are rewritten.
pub const FILES: usize = 10_000;

/// Maximum bytes of all new contents of one transaction. They are in memory at the same time, from
/// the request to the end of the transaction, so that no content is hashed twice.
pub const TRANSACTION_BYTES: usize = 64 << 20;

/// Maximum bytes of a file that is replaced: no reader takes more, so no edit was made for a larger
/// one.
pub const FILE_BYTES: usize = docent_tree::limits::DOCUMENT_BYTES;

/// Maximum bytes of a journal. [`FILES`] moves between two paths of 4 096 bytes, each with two
/// hashes, take 84 MB.
pub const JOURNAL_BYTES: usize = 128 << 20;

/// Maximum bytes of a journal when it is prepared: the names and hashes of [`FILES`] conflicts,
/// which are noted later, take less than the rest. The paths of new directories count as well. A
/// file below 2 000 directories with names of one letter has 4 MB of them.
pub const PREPARED_JOURNAL_BYTES: usize = JOURNAL_BYTES - (16 << 20);

/// Maximum bytes of each text that a caller attaches to a change, since they are shown in lists.
pub const NOTE_BYTES: usize = 4096;

/// Maximum attempts at a step whose file changed between its inspection and its rename. A file with
/// a new content is a conflict at the next inspection. A file that was only touched, or saved
/// without a change, still has the old content and is replaced at the next attempt, unless that
/// happens this often in a row.
pub const ATTEMPTS: usize = 8;

/// Maximum files that are open at the same time, written and not yet synced. More in a batch save
/// work of the file system, but systems allow a process a few hundred open files, of which readers
/// need most.
pub const OPEN_FILES: usize = 64;

/// Minimum number of operations between two prunings of the history: each one reads all of it.
pub const PRUNE_EVERY: u64 = 16;

/// Fraction of the kept operations, one in so many, that may happen between two prunings. A pruning
/// reads all records, so on average an operation then costs the reading of at most this number of
/// records, however long the history is.
pub const PRUNE_SHARE: u64 = 16;

/// Bytes of old contents beyond which an operation prunes the history at once. Regular prunings are
/// at least [`PRUNE_EVERY`] operations apart, and 16 operations that replace 64 MB each would
/// exceed [`HistoryLimits::bytes`] four times before the next one.
pub const PRUNE_BYTES: usize = 4 << 20;

/// The limits of the history. What exceeds them is removed, except the latest operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryLimits {
    /// Maximum changes. Undos and redos do not count: otherwise going back step by step would push
    /// out the very operations that are still to be undone.
    pub operations: usize,
    /// Maximum age of an operation in milliseconds.
    pub age_ms: i64,
    /// Maximum bytes of kept contents, of all operations together and of a single one.
    pub bytes: u64,
}

/// Maximum operations for each of [`HistoryLimits::operations`], including undos and redos: each
/// change may be undone, redone and undone again.
pub const OPERATIONS_PER_CHANGE: usize = 4;

/// The limits that apply unless a person sets others: a month of daily work.
pub const HISTORY: HistoryLimits = HistoryLimits {
    operations: 1_000,
    age_ms: 30 * 24 * 60 * 60 * 1000,
    bytes: 256 << 20,
};
