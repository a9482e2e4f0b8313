//! A root that is written to, with what is kept of it: where every operation starts.

use docent_tree::disk::{Durability, WriteDirectory, WriteFailure};
use docent_tree::path::RelPath;
use docent_tree::write::Writable;

use crate::error::Error;
use crate::limits::{HISTORY, HistoryLimits};
use crate::places::Home;
use crate::record::{Conflict, Lines, Origin, Record};
use docent_text::content_hash::{Content, ContentHash};

/// A root, and the state directory that belongs to it. One at a time may write to them; the host
/// sees to that.
pub struct Journal<'a, T> {
    pub(crate) root: &'a Writable<T>,
    pub(crate) state: Option<&'a Writable<T>>,
    pub(crate) limits: HistoryLimits,
}

/// What is to be changed.
#[derive(Clone, Debug)]
pub struct Request {
    /// The changes, none of them about a file that another one is about. All of them or none come
    /// to be.
    pub changes: Vec<Change>,
    /// Directories that go, the first one first, where they are empty then. The undo makes them
    /// again as far as files come back to them.
    pub emptied: Vec<RelPath>,
    /// The name of the tool, for the history.
    pub tool: String,
    /// What the caller said of it, for the history.
    pub note: String,
    /// The time, in milliseconds since 1970.
    pub now_ms: i64,
}

/// What is to happen to one file.
#[derive(Clone, Debug)]
pub struct Change {
    /// What.
    pub operation: Operation,
    /// How many lines come and go, for the history.
    pub lines: Lines,
}

/// What is to happen to one file.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Replaces its content.
    Set {
        /// The file.
        path: RelPath,
        /// The content that it has to have.
        expected: Expected,
        /// The content that it gets.
        content: Content,
    },
    /// Makes it, with the directories above it. Nothing may be there.
    New {
        /// The file.
        path: RelPath,
        /// Its content.
        content: Content,
    },
    /// Removes it.
    Delete {
        /// The file.
        path: RelPath,
        /// The content that it has to have.
        expected: Expected,
    },
    /// Gives it another path, where nothing may be. The directories above are made.
    Move {
        /// The file.
        path: RelPath,
        /// Its path afterwards.
        to: RelPath,
        /// The content that it has to have.
        expected: Expected,
        /// The content that it gets; none: it keeps its own.
        content: Option<Content>,
    },
}

/// The content that a file has to have.
#[derive(Clone, Debug)]
pub enum Expected {
    /// By its hash.
    Hash(ContentHash),
    /// Itself: what the file holds is compared with it instead of being hashed.
    Content(Content),
}

impl From<ContentHash> for Expected {
    fn from(hash: ContentHash) -> Self {
        Self::Hash(hash)
    }
}

impl From<Content> for Expected {
    fn from(content: Content) -> Self {
        Self::Content(content)
    }
}

/// What became of a request that got to its commit point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The number by which it is undone; none where no history is kept.
    pub id: Option<u64>,
    /// The entries, in the order of the request, without those that change nothing.
    pub record: Record,
    /// What another program changed after the commit point, and was left as it is.
    pub conflicts: Vec<Conflict>,
    /// What kept the rest from being done; the next recovery does it.
    pub unfinished: Option<WriteFailure>,
    /// Whether it outlives a loss of power.
    pub durability: Durability,
}

impl<'a, T: WriteDirectory> Journal<'a, T> {
    /// Returns the journal of a root. Without a state directory nothing can be undone, and the
    /// journal stands in the root while a write is under way.
    #[must_use]
    pub fn new(root: &'a Writable<T>, state: Option<&'a Writable<T>>) -> Self {
        Self {
            root,
            state,
            limits: HISTORY,
        }
    }

    /// Keeps so much history instead of [`HISTORY`].
    #[must_use]
    pub fn with_limits(self, limits: HistoryLimits) -> Self {
        Self { limits, ..self }
    }

    /// Does all of a request, or nothing. What an earlier one left is finished first.
    ///
    /// # Errors
    /// [`Error`] says why nothing was written. Failures after the commit point are no errors, but
    /// [`Committed::unfinished`].
    pub fn commit(&self, request: Request) -> Result<Committed, Error> {
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
            origin: Origin::Change,
            removed: emptied,
        })
    }

    pub(crate) fn home(&self) -> Home<'a, T> {
        Home::of(self.root, self.state)
    }
}

/// A request, or what an undo makes of a record.
pub(crate) struct Draft {
    pub(crate) changes: Vec<Change>,
    pub(crate) tool: String,
    pub(crate) note: String,
    pub(crate) now_ms: i64,
    pub(crate) origin: Origin,
    pub(crate) removed: Vec<RelPath>,
}
