//! Opening directories by path, and reading, removing and syncing the entries in them.

use std::collections::BTreeSet;
use std::ops::Deref;

use docent_tree::disk::{Durability, Failure, Kind, Version, WriteDirectory, WriteFailure};
use docent_tree::door::Denied;
use docent_tree::path::RelPath;
use docent_tree::write::Writable;

use crate::contents::Contents;
use crate::limits::FILE_BYTES;
use crate::record::Record;
use docent_text::content_hash::{ContentHash, HashedContent};

/// A directory of a root: the root itself or one below it. No directory is kept open from one step
/// to the next: a journal may name 10 000 files in as many directories, and a process may hold a
/// few hundred open.
pub(crate) enum OpenDirectory<'a, T> {
    Root(&'a Writable<T>),
    Below(Writable<T>),
}

impl<T> Deref for OpenDirectory<'_, T> {
    type Target = Writable<T>;

    fn deref(&self) -> &Writable<T> {
        match self {
            Self::Root(root) => root,
            Self::Below(directory) => directory,
        }
    }
}

/// Opens the directory at `path`.
pub(crate) fn open<'a, T: WriteDirectory>(
    root: &'a Writable<T>,
    path: &str,
) -> Result<OpenDirectory<'a, T>, WriteFailure> {
    let mut opened = OpenDirectory::Root(root);
    for name in path.split('/').filter(|name| !name.is_empty()) {
        opened = OpenDirectory::Below(opened.directory(name).map_err(failure)?);
    }
    Ok(opened)
}

/// Opens the directory at `path`, or returns `None` if there is no such directory. After the commit
/// point that is not an error: another program may have removed the directory, or put a file in its
/// place, and the other entries of the operation must be carried out all the same.
pub(crate) fn find<'a, T: WriteDirectory>(
    root: &'a Writable<T>,
    path: &str,
) -> Result<Option<OpenDirectory<'a, T>>, WriteFailure> {
    match open(root, path) {
        Ok(opened) => Ok(Some(opened)),
        Err(WriteFailure::NotFound | WriteFailure::WrongKind) => Ok(None),
        Err(failure) => Err(failure),
    }
}

pub(crate) fn failure(denied: Denied) -> WriteFailure {
    match denied {
        Denied::Sensitive => WriteFailure::Permission,
        Denied::Failed(failure) => failure.into(),
    }
}

/// Splits `path` into the path of its parent directory and the name in it.
pub(crate) fn split(path: &RelPath) -> (&str, &str) {
    let path = path.as_str();
    path.rsplit_once('/').unwrap_or(("", path))
}

/// The entry found under a name.
pub(crate) enum EntryState {
    Absent,
    File {
        content: HashedContent,
        /// Version taken before the content was read. As long as this version is current, so is the
        /// hash. A version taken after the read could be that of a file which an editor saved in
        /// between, and replacing that version would lose the text of the editor.
        version: Version,
    },
    /// A directory, a link, or a file too large to have been written by a transaction.
    Other,
}

impl EntryState {
    pub(crate) fn hash(&self) -> Option<ContentHash> {
        match self {
            Self::File { content, .. } => Some(content.hash()),
            Self::Absent | Self::Other => None,
        }
    }

    pub(crate) fn is(&self, expected: ContentHash) -> bool {
        self.hash() == Some(expected)
    }

    /// Returns true if this is a file without content.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::File { content, .. } if content.bytes().is_empty())
    }
}

/// Reads the entry called `name`. `known` holds the contents that the file is likely to have. If it
/// equals one of them, byte by byte, it is not hashed: a transaction reads a file five times, and
/// in the component SHA-256 costs more than all other steps together.
pub(crate) fn read_entry<T: WriteDirectory>(
    directory: &Writable<T>,
    name: &str,
    known: &Contents,
) -> Result<EntryState, WriteFailure> {
    let version = match directory.version(name) {
        Ok(version) => version,
        Err(Failure::NotFound) => return Ok(EntryState::Absent),
        Err(Failure::Symlink | Failure::WrongKind | Failure::MountPoint) => {
            return Ok(EntryState::Other);
        }
        Err(failure) => return Err(failure.into()),
    };
    if version.kind != Kind::File {
        return Ok(EntryState::Other);
    }
    match directory.read(name, FILE_BYTES) {
        Ok(bytes) => Ok(EntryState::File {
            content: HashedContent::new_with_known(bytes, known.all()),
            version,
        }),
        Err(Denied::Failed(Failure::NotFound)) => Ok(EntryState::Absent),
        Err(Denied::Failed(Failure::TooLarge | Failure::Symlink | Failure::WrongKind)) => {
            Ok(EntryState::Other)
        }
        Err(denied) => Err(failure(denied)),
    }
}

/// Removes a file if it exists.
pub(crate) fn remove<T: WriteDirectory>(
    directory: &Writable<T>,
    name: &str,
) -> Result<(), WriteFailure> {
    match directory.remove_file(name) {
        Ok(()) | Err(WriteFailure::NotFound) => Ok(()),
        Err(failure) => Err(failure),
    }
}

/// Removes the directories that are empty. Directories that are not empty, or may not be removed,
/// are kept without an error: another program may have put a file into one of them, and the files
/// of the operation are in place by then.
pub(crate) fn remove_empty<'p, T: WriteDirectory>(
    root: &Writable<T>,
    paths: impl Iterator<Item = &'p RelPath>,
) -> Result<(), WriteFailure> {
    for path in paths {
        let (above, name) = split(path);
        let Some(directory) = find(root, above)? else {
            continue;
        };
        match directory.remove_directory(name) {
            Ok(())
            | Err(
                WriteFailure::NotFound
                | WriteFailure::NotEmpty
                | WriteFailure::WrongKind
                | WriteFailure::Permission
                | WriteFailure::MountPoint,
            ) => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(())
}

/// Returns the paths of the directories that contain files of the operation.
pub(crate) fn parents_of_files(record: &Record) -> BTreeSet<&str> {
    let actions = || record.entries.iter().map(|entry| &entry.action);
    let paths = actions().map(|action| action.path());
    let destinations = actions().filter_map(|action| action.destination());
    paths
        .chain(destinations)
        .map(|path| split(path).0)
        .collect()
}

/// Returns the paths of the directories in which the operation creates or removes directories.
pub(crate) fn parents_of_directories(record: &Record) -> BTreeSet<&str> {
    let paths = record.made.iter().chain(&record.removed);
    paths.map(|path| split(path).0).collect()
}

/// Syncs the existing directories among `paths`, which makes the names in them durable.
pub(crate) fn sync_all<'p, T: WriteDirectory>(
    root: &Writable<T>,
    paths: impl IntoIterator<Item = &'p str>,
) -> Result<Durability, WriteFailure> {
    let mut durability = Durability::Durable;
    for path in paths {
        if let Some(directory) = find(root, path)?
            && directory.sync()? == Durability::Unknown
        {
            durability = Durability::Unknown;
        }
    }
    Ok(durability)
}
