//! Why a transaction was refused. Nothing was written then.

use docent_tree::disk::WriteFailure;
use docent_tree::path::RelPath;

use docent_text::content_hash::ContentHash;

/// Why nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The request holds no change, or none that changes anything.
    #[error("there is nothing to change; expected at least one change")]
    NothingChanges,
    /// It holds so many.
    #[error("{0} files are to be changed; expected at most {most}", most = crate::limits::FILES)]
    TooManyFiles(usize),
    /// Its new contents have so many bytes, or one of the files that it replaces does.
    #[error("the change holds {0} bytes; expected at most {1}")]
    TooLarge(u64, u64),
    /// Two changes are about this path.
    #[error("`{0}` is named by two changes; expected one for each file")]
    NamedTwice(RelPath),
    /// A path has a segment that is docent's own, or is the root.
    #[error("`{0}` cannot be written; expected the path of a file")]
    Unwritable(RelPath),
    /// A path has a name that begins with a dot, and there is no state directory: a journal in the
    /// root, which could have come with a tree that was fetched, is not trusted with such names.
    #[error("`{0}` is hidden; expected a state directory, or a file that is not")]
    Hidden(RelPath),
    /// A file, or a directory above it, is of a sensitive kind.
    #[error("`{0}` is of a sensitive kind; expected a file without secrets")]
    Sensitive(RelPath),
    /// Something is there already.
    #[error("`{0}` is there already; expected nothing there")]
    Exists(RelPath),
    /// It is not there.
    #[error("`{0}` is not there; expected a file")]
    NotFound(RelPath),
    /// It is a link, a directory or a device, or lies below something that is no directory.
    #[error("`{0}` is no regular file in a directory; expected one")]
    NotAFile(RelPath),
    /// The file has so many names: the others would keep the old content.
    #[error("`{path}` has {links} hard links; expected 1")]
    HardLinks {
        /// Its path.
        path: RelPath,
        /// How many.
        links: u64,
    },
    /// The file may not be written to, by its mode or its owner.
    #[error("`{0}` may not be written to by its mode or owner; expected a file that may")]
    Protected(RelPath),
    /// The file may not be replaced, moved or made where it stands: its directory lets only owners
    /// rename (the sticky bit), lets nothing be renamed (append-only), or it cannot be changed.
    #[error(
        "`{0}` cannot be put into its place: its directory, or a flag of the file, forbids renames; \
         expected a directory in which files may be replaced"
    )]
    Fixed(RelPath),
    /// The file is not what the change was made for.
    #[error("`{path}` has changed; expected the content that the change was made for")]
    Conflict {
        /// Its path.
        path: RelPath,
        /// What was expected.
        expected: ContentHash,
        /// What is there; none where nothing is, or no regular file.
        found: Option<ContentHash>,
    },
    /// There is no state directory, so nothing can be undone.
    #[error("no history is kept; expected a state directory")]
    NoHistory,
    /// No operation of this number is known (any more).
    #[error("operation {0} is not known; expected one that the history lists")]
    UnknownOperation(u64),
    /// Nothing is left to undo or redo.
    #[error("there is nothing to undo or redo; expected an earlier change")]
    NothingToUndo,
    /// The operation was undone already, or redone.
    #[error("operation {0} was undone already; expected one that still stands")]
    AlreadyUndone(u64),
    /// The record of an operation cannot be read, so that what it did is not known.
    #[error("the record of operation {0} is damaged; expected it as it was written")]
    DamagedRecord(u64),
    /// A content that undoing needs is not kept (any more), or is damaged.
    #[error("the old content of `{0}` is not kept any more; expected it in the state directory")]
    ContentGone(RelPath),
    /// The journal of an earlier write is damaged, which no crash does to it. It is left as it is.
    #[error("the journal of an earlier write is damaged; expected it as it was written")]
    DamagedJournal,
    /// The disk refuses, at this path where one is concerned.
    #[error("writing failed")]
    Disk {
        /// The path.
        path: Option<RelPath>,
        /// What it said.
        #[source]
        failure: WriteFailure,
    },
}

impl Error {
    pub(crate) fn at(path: &RelPath) -> impl Fn(WriteFailure) -> Self {
        let path = Some(path.clone());
        move |failure| Self::Disk {
            path: path.clone(),
            failure,
        }
    }
}

impl From<WriteFailure> for Error {
    fn from(failure: WriteFailure) -> Self {
        Self::Disk {
            path: None,
            failure,
        }
    }
}
