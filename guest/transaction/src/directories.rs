//! From paths to open directories and to what stands in them.

use std::collections::BTreeSet;
use std::ops::Deref;

use docent_tree::disk::{Durability, Failure, Kind, Version, WriteDirectory, WriteFailure};
use docent_tree::door::Denied;
use docent_tree::path::RelPath;
use docent_tree::write::Writable;

use crate::contents::Contents;
use crate::limits::FILE_BYTES;
use crate::record::Record;
use docent_text::content_hash::{Content, ContentHash};

/// A directory of a root: the root itself or one below it. None is kept open from one step to the
/// next, for a journal may be about more of them than a process may have open.
pub(crate) enum Opened<'a, T> {
    Root(&'a Writable<T>),
    Below(Writable<T>),
}

impl<T> Deref for Opened<'_, T> {
    type Target = Writable<T>;

    fn deref(&self) -> &Writable<T> {
        match self {
            Self::Root(root) => root,
            Self::Below(directory) => directory,
        }
    }
}

/// Opens the directory of this path.
pub(crate) fn open<'a, T: WriteDirectory>(
    root: &'a Writable<T>,
    path: &str,
) -> Result<Opened<'a, T>, WriteFailure> {
    let mut opened = Opened::Root(root);
    for name in path.split('/').filter(|name| !name.is_empty()) {
        opened = Opened::Below(opened.directory(name).map_err(failure)?);
    }
    Ok(opened)
}

/// Opens the directory of this path; none where there is no such directory.
pub(crate) fn find<'a, T: WriteDirectory>(
    root: &'a Writable<T>,
    path: &str,
) -> Result<Option<Opened<'a, T>>, WriteFailure> {
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

/// Returns the path of the directory that holds `path`, and the name there.
pub(crate) fn split(path: &RelPath) -> (&str, &str) {
    let path = path.as_str();
    path.rsplit_once('/').unwrap_or(("", path))
}

/// What stands under a name.
pub(crate) enum Found {
    Absent,
    File {
        content: Content,
        /// From before the content was read: if it is still true later, so is the hash.
        version: Version,
    },
    /// A directory, a link, or a file that is too large to be one of ours.
    Other,
}

impl Found {
    pub(crate) fn hash(&self) -> Option<ContentHash> {
        match self {
            Self::File { content, .. } => Some(content.hash()),
            Self::Absent | Self::Other => None,
        }
    }

    pub(crate) fn is(&self, expected: ContentHash) -> bool {
        self.hash() == Some(expected)
    }

    /// Whether it is a file that holds nothing.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::File { content, .. } if content.bytes().is_empty())
    }
}

/// Reads what stands under a name; `known` is what it may well be.
pub(crate) fn look<T: WriteDirectory>(
    directory: &Writable<T>,
    name: &str,
    known: &Contents,
) -> Result<Found, WriteFailure> {
    let version = match directory.version(name) {
        Ok(version) => version,
        Err(Failure::NotFound) => return Ok(Found::Absent),
        Err(Failure::Symlink | Failure::WrongKind | Failure::MountPoint) => {
            return Ok(Found::Other);
        }
        Err(failure) => return Err(failure.into()),
    };
    if version.kind != Kind::File {
        return Ok(Found::Other);
    }
    match directory.read(name, FILE_BYTES) {
        Ok(bytes) => Ok(Found::File {
            content: Content::new_with_known(bytes, known.all()),
            version,
        }),
        Err(Denied::Failed(Failure::NotFound)) => Ok(Found::Absent),
        Err(Denied::Failed(Failure::TooLarge | Failure::Symlink | Failure::WrongKind)) => {
            Ok(Found::Other)
        }
        Err(denied) => Err(failure(denied)),
    }
}

/// Removes a file, if it is there.
pub(crate) fn remove<T: WriteDirectory>(
    directory: &Writable<T>,
    name: &str,
) -> Result<(), WriteFailure> {
    match directory.remove_file(name) {
        Ok(()) | Err(WriteFailure::NotFound) => Ok(()),
        Err(failure) => Err(failure),
    }
}

/// Removes directories that are empty; one that is not, or may not be removed, stays.
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

/// Returns the paths of the directories that hold files of the operation.
pub(crate) fn holding_files(record: &Record) -> BTreeSet<&str> {
    let actions = || record.entries.iter().map(|entry| &entry.action);
    let paths = actions().map(|action| action.path());
    let destinations = actions().filter_map(|action| action.destination());
    paths
        .chain(destinations)
        .map(|path| split(path).0)
        .collect()
}

/// Returns the paths of the directories in which the operation makes or removes directories.
pub(crate) fn holding_directories(record: &Record) -> BTreeSet<&str> {
    let paths = record.made.iter().chain(&record.removed);
    paths.map(|path| split(path).0).collect()
}

/// Makes the names in these directories durable, those that are there.
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
