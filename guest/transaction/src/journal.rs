//! The journal of a writable root, the entry point for every operation.

use docent_tree::disk::{Durability, WriteDirectory, WriteFailure};
use docent_tree::path::RelPath;
use docent_tree::write::Writable;

use crate::error::Error;
use crate::limits::{HISTORY, HistoryLimits};
use crate::record::{Conflict, LineCounts, OperationOrigin, Record};
use crate::reserved::Home;
use docent_text::content_hash::{ContentHash, HashedContent};

/// A root with its state directory. Only one instance at a time may write to them, which the host
/// ensures with a lock. Without it, one instance would take the journal of another, which is still
/// writing, for that of a crash, and roll it back.
pub struct Journal<'a, T> {
    pub(crate) root: &'a Writable<T>,
    pub(crate) state: Option<&'a Writable<T>>,
    pub(crate) limits: HistoryLimits,
}

/// A request to change files.
#[derive(Clone, Debug)]
pub struct Request {
    /// Changes, each to a different file. Either all of them are made or none.
    pub changes: Vec<Change>,
    /// Directories to remove afterwards, in this order, if they are empty then. The innermost comes
    /// first, because a directory is not empty while another one is in it. The undo creates them
    /// again where files return to them.
    pub emptied: Vec<RelPath>,
    /// Name of the tool, for the history.
    pub tool: String,
    /// Note of the caller, for the history.
    pub note: String,
    /// Time in milliseconds since 1970.
    pub now_ms: i64,
}

/// A change of one file, with its line counts.
#[derive(Clone, Debug)]
pub struct Change {
    /// The change itself.
    pub operation: FileOperation,
    /// Number of lines added and removed, for the history.
    pub lines: LineCounts,
}

/// The operation on one file.
#[derive(Clone, Debug)]
pub enum FileOperation {
    /// Replaces the content of a file.
    Set {
        /// Path of the file.
        path: RelPath,
        /// Content that the file must have.
        expected: Expected,
        /// Its new content.
        content: HashedContent,
    },
    /// Creates a file and the missing directories above it. The path must not exist.
    New {
        /// Path of the file.
        path: RelPath,
        /// Its content.
        content: HashedContent,
    },
    /// Deletes a file.
    Delete {
        /// Path of the file.
        path: RelPath,
        /// Content that the file must have.
        expected: Expected,
    },
    /// Moves a file to a path that must not exist, and creates the missing directories above it.
    Move {
        /// Path of the file.
        path: RelPath,
        /// Its new path.
        to: RelPath,
        /// Content that the file must have.
        expected: Expected,
        /// Its new content; `None` to keep the old one.
        content: Option<HashedContent>,
    },
}

/// The content that a file must have, as the precondition of a change.
#[derive(Clone, Debug)]
pub enum Expected {
    /// Hash of the content.
    Hash(ContentHash),
    /// The content itself, for a caller that has read the file. The file is then compared with it
    /// instead of being hashed, which is faster and stricter.
    Content(HashedContent),
}

impl From<ContentHash> for Expected {
    fn from(hash: ContentHash) -> Self {
        Self::Hash(hash)
    }
}

impl From<HashedContent> for Expected {
    fn from(content: HashedContent) -> Self {
        Self::Content(content)
    }
}

/// The outcome of a request that reached its commit point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitOutcome {
    /// Number by which it can be undone; `None` where no history is kept.
    pub id: Option<u64>,
    /// Record of the entries in the order of the request, without those that change nothing.
    pub record: Record,
    /// Files that another program changed after the commit point, and which were left alone.
    pub conflicts: Vec<Conflict>,
    /// Failure that interrupted the steps after the commit point. The next recovery completes them.
    pub unfinished: Option<WriteFailure>,
    /// Durability of the result in a loss of power.
    pub durability: Durability,
}

impl<'a, T: WriteDirectory> Journal<'a, T> {
    /// Returns the journal of a root. Without a state directory nothing can be undone, and the
    /// journal is in the root while a write is in progress.
    #[must_use]
    pub fn new(root: &'a Writable<T>, state: Option<&'a Writable<T>>) -> Self {
        Self {
            root,
            state,
            limits: HISTORY,
        }
    }

    /// Replaces the limits of the history, by default [`HISTORY`].
    #[must_use]
    pub fn with_limits(self, limits: HistoryLimits) -> Self {
        Self { limits, ..self }
    }

    /// Carries out all of a request or nothing. An operation that an earlier call left unfinished
    /// is completed first.
    ///
    /// # Errors
    /// Any [`Error`] means that nothing was written. A failure after the commit point is not an
    /// error but [`CommitOutcome::unfinished`].
    pub fn commit(&self, request: Request) -> Result<CommitOutcome, Error> {
        let Request {
            changes,
            emptied,
            tool,
            note,
            now_ms,
        } = request;
        self.write(Draft {
            changes,
            tool,
            note,
            now_ms,
            origin: OperationOrigin::Change,
            removed: emptied,
        })
    }

    pub(crate) fn home(&self) -> Home<'a, T> {
        Home::new(self.root, self.state)
    }
}

/// A request, or the reversal of a record.
pub(crate) struct Draft {
    pub(crate) changes: Vec<Change>,
    pub(crate) tool: String,
    pub(crate) note: String,
    pub(crate) now_ms: i64,
    pub(crate) origin: OperationOrigin,
    pub(crate) removed: Vec<RelPath>,
}
