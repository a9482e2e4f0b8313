//! Containers as directories: `x.zip!` holds the files of the archive `x.zip`, `mail.eml!` the
//! attachments of a message. *Never:* a container within a container.
//!
//! Only [`crate::door`] opens them, after the same check of names as for other directories, and
//! nothing in them can be written.

mod open_container;

use std::fmt;
use std::rc::Rc;

use docent_api::types::SkipReason;
use unicode_normalization::UnicodeNormalization as _;

use crate::disk::{Entries, Entry, Failure, Kind, Metadata, OpenFile, Stamp};
use crate::extractor::Extractor;
use crate::path::RelPath;

use open_container::OpenContainer;

/// The sign behind the name of a container.
const MARK: char = '!';

/// Containers that a walk may enter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnteredContainers {
    /// None.
    #[default]
    None,
    /// Archives.
    Archives,
    /// Archives, and messages for their attachments.
    All,
}

/// A kind of container that a walk may enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerKind {
    /// A zip archive.
    Archive,
    /// A message.
    Message,
}

/// Extensions of containers: archives, mail and mailboxes, documents with pictures, and notebooks,
/// whose member is their own text. The content of a document decides its format, so that those of
/// older formats may be containers as well.
pub const CONTAINERS: [&str; 36] = [
    "zip", "eml", "mbox", "msg", "doc", "docm", "docx", "dotm", "dotx", "epub", "hwp", "hwpx",
    "hwt", "ipynb", "odm", "odp", "ods", "odt", "otp", "ots", "ott", "potm", "potx", "pps", "ppsm",
    "ppsx", "ppt", "pptm", "pptx", "rtf", "xls", "xlsm", "xlsx", "xlt", "xltm", "xltx",
];

impl EnteredContainers {
    /// Returns true if containers of this kind are entered.
    pub fn contain(self, kind: ContainerKind) -> bool {
        match self {
            Self::None => false,
            Self::Archives => kind == ContainerKind::Archive,
            Self::All => true,
        }
    }
}

/// Returns the file whose members a directory of this name would hold.
pub fn container_name(directory: &str) -> Option<&str> {
    let file = directory.strip_suffix(MARK)?;
    let extension = extension(file)?;
    CONTAINERS
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
        .then_some(file)
}

/// Returns the path of the container whose directory a path names. Rules that exclude it exclude
/// what it holds.
pub fn container_of(path: &str, is_directory: bool) -> Option<&str> {
    if !is_directory || !path.ends_with(MARK) {
        return None;
    }
    container_name(path.rsplit('/').next().unwrap_or(path))?;
    path.strip_suffix(MARK)
}

/// Returns the container whose directory a path leads through or to; the path itself if there is
/// none.
pub(crate) fn container_above(path: &RelPath) -> RelPath {
    let mut container = RelPath::default();
    for segment in path.segments() {
        if let Some(file) = container_name(segment) {
            container.push(file);
            return container;
        }
        container.push(segment);
    }
    container
}

/// Returns true if a path leads into a container.
pub fn is_in_container(path: &str) -> bool {
    let mut directories = path.rsplit('/').skip(1);
    directories.any(|name| container_name(name).is_some())
}

/// Returns the path of the directory with the files of the archive at `path`; `None` for other
/// files and for an archive within a container.
pub fn archive_directory(path: &str) -> Option<String> {
    let mut names = path.rsplit('/');
    let is_archive = walked_kind(names.next()?) == Some(ContainerKind::Archive);
    let is_inside = names.any(|name| container_name(name).is_some());
    (is_archive && !is_inside).then(|| directory_name(path))
}

/// Returns the kind of a container that a walk may enter; `None` for other names.
pub fn walked_kind(name: &str) -> Option<ContainerKind> {
    // Most names end here: this runs for every entry of every tree.
    if !name.ends_with(['p', 'P', 'l', 'L', 'g', 'G']) {
        return None;
    }
    // All others are opened where a path names them. The messages of a mailbox are searched in the
    // mailbox itself.
    let extension = extension(name)?;
    if extension.eq_ignore_ascii_case("zip") {
        return Some(ContainerKind::Archive);
    }
    let is_message = ["eml", "msg"]
        .iter()
        .any(|it| extension.eq_ignore_ascii_case(it));
    is_message.then_some(ContainerKind::Message)
}

/// Returns the name of the directory of a container.
pub fn directory_name(file: &str) -> String {
    format!("{file}{MARK}")
}

fn extension(name: &str) -> Option<&str> {
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty()).then_some(extension)
}

/// A directory of a container.
pub(crate) struct ArchiveDirectory {
    archive: Rc<OpenContainer>,
    /// Path in the container; empty for its top.
    path: String,
}

impl fmt::Debug for ArchiveDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArchiveDirectory")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl ArchiveDirectory {
    /// Opens a container called `name`.
    pub fn open(
        name: &str,
        file: impl OpenFile + 'static,
        metadata: Metadata,
        extractor: Rc<dyn Extractor>,
    ) -> Self {
        let extension = extension(name).unwrap_or_default().to_ascii_lowercase();
        let archive = OpenContainer::new(Box::new(file), extension, metadata, extractor);
        Self {
            archive: Rc::new(archive),
            path: String::new(),
        }
    }

    /// Opens a directory in this one.
    ///
    /// # Errors
    /// [`Failure::NotFound`] if there is none; that of unpacking.
    pub fn directory(&self, name: &str) -> Result<Self, Failure> {
        let path = self.path_of(name);
        match self.kind(&path)? {
            Kind::Directory => Ok(Self {
                archive: Rc::clone(&self.archive),
                path,
            }),
            _ => Err(Failure::WrongKind),
        }
    }

    /// Returns the entries of this directory.
    ///
    /// # Errors
    /// That of unpacking.
    pub fn entries(&self) -> Result<Entries, Failure> {
        let mut named: Vec<Entry> = Vec::new();
        for path in self.archive.list_once()?.members.keys() {
            let Some(rest) = below(path, &self.path) else {
                continue;
            };
            let (name, kind) = match rest.split_once('/') {
                Some((directory, _)) => (directory, Kind::Directory),
                None => (rest, Kind::File),
            };
            // The paths are sorted by their bytes, so that those of a directory need not follow
            // each other: `a`, `a-b`, `a/c`. Of each directory one entry is kept.
            if named.iter().rev().all(|known| known.name != name) {
                let name = name.to_owned();
                named.push(Entry { name, kind });
            }
        }
        Ok(Entries { named, unnamed: 0 })
    }

    /// Returns the number of members that are not read, with the reason; at the top only, and 0 if
    /// the container cannot be read at all.
    pub fn omissions(&self) -> (SkipReason, u32) {
        let listed = match self.archive.list_once() {
            Ok(listed) if self.path.is_empty() => listed,
            _ => return (SkipReason::TooMany, 0),
        };
        let reason = match listed.is_full {
            true => SkipReason::TooMany,
            false => SkipReason::Malformed,
        };
        (reason, listed.omitted)
    }

    /// Returns true if a file below this directory may have a name that is `wanted`; false is
    /// certain.
    pub fn may_hold(&self, wanted: &dyn Fn(&str) -> bool) -> bool {
        let Ok(listed) = self.archive.list_once() else {
            return true;
        };
        let mut below = listed
            .members
            .keys()
            .filter_map(|path| below(path, &self.path));
        below.any(|path| wanted(path.rsplit('/').next().unwrap_or(path)))
    }

    /// Returns the content of a file in this directory.
    ///
    /// # Errors
    /// [`Failure::NotFound`] if there is none; [`Failure::Member`] if it alone cannot be unpacked;
    /// that of the container.
    pub fn read(&self, name: &str) -> Result<Rc<[u8]>, Failure> {
        self.archive.read(&self.path_of(name))
    }

    /// Returns the status of an entry: the time is that of the container, and the size the one that
    /// it claims, if it claims any.
    ///
    /// # Errors
    /// [`Failure::NotFound`] if there is none; that of the container.
    pub fn metadata(&self, name: &str) -> Result<Metadata, Failure> {
        let path = self.path_of(name);
        let kind = self.kind(&path)?;
        let size = match kind {
            Kind::File => self.archive.size(&path)?,
            _ => 0,
        };
        Ok(Metadata {
            kind,
            size,
            modified: self.archive.metadata().modified,
        })
    }

    /// Returns the actual name of `segment`: itself, another normal form of it, or the message of
    /// that number, `12.eml` for `12`.
    ///
    /// # Errors
    /// That of the container.
    pub fn real_name(&self, segment: &str) -> Result<Option<String>, Failure> {
        let mut names = self.entries()?.named.into_iter().map(|entry| entry.name);
        let numbered = format!("{segment}.eml");
        let is_number = segment.bytes().all(|byte| byte.is_ascii_digit());
        let mut found: Option<String> = None;
        let same = names.find_map(|name| {
            if name == segment {
                return Some(name);
            }
            if name.nfc().eq(segment.nfc()) || (is_number && name == numbered) {
                found.get_or_insert(name);
            }
            None
        });
        Ok(same.or(found))
    }

    /// Returns the stamp of the container, which is that of all in it.
    pub fn stamp(&self) -> Option<Stamp> {
        self.archive.stamp()
    }

    fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() {
            return name.to_owned();
        }
        format!("{}/{name}", self.path)
    }

    fn kind(&self, path: &str) -> Result<Kind, Failure> {
        let members = &self.archive.list_once()?.members;
        if members.contains_key(path) {
            return Ok(Kind::File);
        }
        let is_directory = members
            .range(format!("{path}/")..)
            .next()
            .is_some_and(|(first, _)| below(first, path).is_some());
        if is_directory {
            Ok(Kind::Directory)
        } else {
            Err(Failure::NotFound)
        }
    }
}

/// Returns the rest of a path below a directory.
fn below<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    if directory.is_empty() {
        return Some(path);
    }
    path.strip_prefix(directory)?.strip_prefix('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_containers() {
        for (name, expected) in [
            ("x.zip!", Some("x.zip")),
            ("메일.EML!", Some("메일.EML")),
            ("deck.pptx!", Some("deck.pptx")),
            ("x.zip", None),
            ("x.tar!", None),
            (".zip!", None),
            ("!", None),
        ] {
            assert_eq!(container_name(name), expected, "{name}");
        }
        assert_eq!(container_of("a/x.zip!", true), Some("a/x.zip"));
        assert_eq!(container_of("a/x.zip!", false), None);
        assert_eq!(container_of("a/x.zip!/b", true), None);
        assert_eq!(container_of("", true), None);
        for (path, expected) in [
            ("a/x.zip", Some("a/x.zip!")),
            ("a/x.zip!/b.zip", None),
            ("a/x.eml", None),
        ] {
            assert_eq!(archive_directory(path).as_deref(), expected, "{path}");
        }
        for (name, expected) in [
            ("x.zip", Some(ContainerKind::Archive)),
            ("x.Msg", Some(ContainerKind::Message)),
            ("deck.pptx", None),
            ("box.mbox", None),
            (".zip", None),
            ("p", None),
        ] {
            assert_eq!(walked_kind(name), expected, "{name}");
        }
    }
}
