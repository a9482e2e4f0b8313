//! Reasons for which a transaction is refused before anything is written.

use docent_tree::disk::WriteFailure;
use docent_tree::path::RelPath;

use docent_text::content_hash::ContentHash;

/// The reason for which nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The request contains no change, or only changes without effect.
    #[error("there is nothing to change; expected at least one change")]
    NothingChanges,
    /// The number of files in a request that has too many.
    #[error("{0} files are to be changed; expected at most {most}", most = crate::limits::FILES)]
    TooManyFiles(usize),
    /// The bytes of a request that is too large, and the limit. All new contents together exceed
    /// `TRANSACTION_BYTES`; or all old contents together exceed the bytes that the history keeps,
    /// so that the change could not be undone; or all paths together exceed
    /// `PREPARED_JOURNAL_BYTES`.
    #[error("the change holds {0} bytes; expected at most {1}")]
    TooLarge(u64, u64),
    /// A path that two changes name. Recovery determines from the content of a file if its change
    /// was carried out, so a path must have a single old and a single new content.
    #[error("two changes name `{0}`; expected one for each file")]
    NamedTwice(RelPath),
    /// A path that is the root itself or has a segment reserved for docent.
    #[error("`{0}` cannot be written; expected the path of a file")]
    Unwritable(RelPath),
    /// A path with a name that begins with a dot, where there is no state directory.
    ///
    /// Without a state directory the journal is in the root, and anyone could have put it there
    /// with a tree that was downloaded. Recovery does not follow such a journal to hidden names,
    /// such as `.git/hooks`, so it could not complete a transaction that names one.
    #[error("`{0}` is hidden; expected a state directory, or a file that is not")]
    Hidden(RelPath),
    /// A file of a sensitive kind, or one below a directory of such a kind.
    #[error("`{0}` is of a sensitive kind; expected a file without secrets")]
    Sensitive(RelPath),
    /// A path that exists already.
    #[error("`{0}` already exists; expected a path that does not exist")]
    Exists(RelPath),
    /// A path that does not exist.
    #[error("`{0}` is not there; expected a file")]
    NotFound(RelPath),
    /// A path that is a link, a directory or a device, or whose parent is not a directory.
    #[error("`{0}` is not a regular file in a directory; expected one")]
    NotAFile(RelPath),
    /// A file with several hard links. A rename replaces one name, and the other names would keep
    /// the old content. Writing the file in place instead would show readers a half written file,
    /// and after a crash recovery could not distinguish that from a text that an editor saved.
    #[error("`{path}` has {links} hard links; expected 1")]
    HardLinks {
        /// Path of the file.
        path: RelPath,
        /// Number of hard links.
        links: u64,
    },
    /// A file that its mode or owner protects from being written.
    #[error("`{0}` may not be written to by its mode or owner; expected a file that may")]
    Protected(RelPath),
    /// A file that cannot be replaced, moved or created where it is: its directory lets only owners
    /// rename (the sticky bit) or does not allow renames at all (append-only), or the file is
    /// immutable.
    #[error(
        "`{0}` cannot be put into its place: its directory, or a flag of the file, forbids renames; \
         expected a directory in which files may be replaced"
    )]
    Fixed(RelPath),
    /// A file whose content is not the one that the change was made for.
    #[error("`{path}` has changed; expected the content that the change was made for")]
    Conflict {
        /// Path of the file.
        path: RelPath,
        /// Hash of the content that was expected.
        expected: ContentHash,
        /// Hash of the content that was found; `None` if the path is not a regular file.
        found: Option<ContentHash>,
    },
    /// There is no state directory, so old contents are not kept and nothing can be undone.
    #[error("no history is kept; expected a state directory")]
    NoHistory,
    /// An operation that the history does not contain, or no longer contains.
    #[error("operation {0} is not known; expected one that the history lists")]
    UnknownOperation(u64),
    /// There is no operation left to undo or redo.
    #[error("there is nothing to undo or redo; expected an earlier change")]
    NothingToUndo,
    /// An operation that was undone or redone already.
    #[error("operation {0} was undone already; expected one that is in effect")]
    AlreadyUndone(u64),
    /// An operation whose record cannot be read, so its effect is unknown.
    #[error("the record of operation {0} is damaged; expected it as it was written")]
    DamagedRecord(u64),
    /// A file whose old content is damaged or no longer kept, and is needed for the undo.
    #[error("the old content of `{0}` is no longer kept; expected it in the state directory")]
    ContentGone(RelPath),
    /// The journal of an earlier write is damaged. No crash causes that: a journal is synced before
    /// it gets the name of a committed one. The journal is left alone and nothing is written while
    /// it exists, because it may be all that identifies the prepared files in the tree.
    #[error("the journal of an earlier write is damaged; expected it as it was written")]
    DamagedJournal,
    /// An error of the disk.
    #[error("writing failed")]
    Disk {
        /// Path that the error concerns, if it concerns one.
        path: Option<RelPath>,
        /// The error as the disk reported it.
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
