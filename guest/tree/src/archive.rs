//! Containers as directories: `x.zip!` holds the files of the archive `x.zip`, `mail.eml!` the
//! attachments of a message. *Never:* a container within a container.
//!
//! Only [`crate::door`] opens them, after the same check of names as for other directories, and
//! nothing in them can be written.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use docent_api::extract::{self, Beyond, Limits};
use docent_api::types::SkipReason;
use unicode_normalization::UnicodeNormalization as _;

use crate::disk::{Entries, Entry, Failure, Kind, Metadata, OpenFile, Stamp};
use crate::extractor::Extractor;
use crate::limits::{DOCUMENT_BYTES, MEMBERS, MEMBERS_BYTES, MEMBERS_MS};

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

/// Extensions of containers that a walk may enter. The messages of a mailbox are searched in the
/// mailbox itself.
const WALKED: [(&str, ContainerKind); 3] = [
    ("zip", ContainerKind::Archive),
    ("eml", ContainerKind::Message),
    ("msg", ContainerKind::Message),
];

/// Extensions of containers that are opened where a path names them: mailboxes, and documents with
/// pictures.
const NAMED: [&str; 17] = [
    "docm", "docx", "dotx", "epub", "hwpx", "mbox", "odp", "ods", "odt", "otp", "ott", "potx",
    "ppsx", "pptm", "pptx", "xlsm", "xlsx",
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
    let is_named = || {
        let mut named = NAMED.iter();
        named.any(|known| extension.eq_ignore_ascii_case(known))
    };
    (walked_kind(file).is_some() || is_named()).then_some(file)
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
    let extension = extension(name)?;
    let mut walked = WALKED.into_iter();
    let known = walked.find(|(known, _)| extension.eq_ignore_ascii_case(known))?;
    Some(known.1)
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
    archive: Rc<Archive>,
    /// Path in the container; empty for its top.
    path: String,
}

/// An open container. It is unpacked when its content is needed first: a walk that knows its stamp
/// needs none.
struct Archive {
    file: Box<dyn OpenFile>,
    extension: String,
    /// Status of the file when it was opened.
    metadata: Metadata,
    extractor: Rc<dyn Extractor>,
    unpacked: OnceCell<Result<Unpacked, Failure>>,
}

/// The members of a container.
#[derive(Debug, Default)]
struct Unpacked {
    /// Contents by path.
    files: BTreeMap<String, Rc<[u8]>>,
    /// Number of members that are not read.
    omitted: u32,
    /// True if there are as many members as are read at most.
    is_full: bool,
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
        let archive = Archive {
            file: Box::new(file),
            extension,
            metadata,
            extractor,
            unpacked: OnceCell::new(),
        };
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
        for path in self.archive.unpack_once()?.files.keys() {
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
        let omitted = match self.archive.unpack_once() {
            Ok(unpacked) if self.path.is_empty() => unpacked,
            _ => return (SkipReason::Io, 0),
        };
        let reason = match omitted.is_full {
            true => SkipReason::TooMany,
            // It is damaged, or needs a password.
            false => SkipReason::Io,
        };
        (reason, omitted.omitted)
    }

    /// Returns the content of a file in this directory.
    ///
    /// # Errors
    /// [`Failure::NotFound`] if there is none; that of unpacking.
    pub fn read(&self, name: &str) -> Result<Rc<[u8]>, Failure> {
        let path = self.path_of(name);
        let files = &self.archive.unpack_once()?.files;
        files.get(&path).cloned().ok_or(Failure::NotFound)
    }

    /// Returns the status of an entry: the time is that of the container.
    ///
    /// # Errors
    /// [`Failure::NotFound`] if there is none; that of unpacking.
    pub fn metadata(&self, name: &str) -> Result<Metadata, Failure> {
        let path = self.path_of(name);
        let kind = self.kind(&path)?;
        let files = &self.archive.unpack_once()?.files;
        let size = files.get(&path).map_or(0, |content| content.len() as u64);
        Ok(Metadata {
            kind,
            size,
            modified: self.archive.metadata.modified,
        })
    }

    /// Returns the actual name of `segment`: itself, another normal form of it, or the message of
    /// that number, `12.eml` for `12`.
    pub fn real_name(&self, segment: &str) -> Option<String> {
        let entries = self.entries().ok()?;
        let mut names = entries.named.into_iter().map(|entry| entry.name);
        let numbered = format!("{segment}.eml");
        let is_number = segment.bytes().all(|byte| byte.is_ascii_digit());
        let mut found: Option<String> = None;
        names
            .find_map(|name| {
                if name == segment {
                    return Some(name);
                }
                if name.nfc().eq(segment.nfc()) || (is_number && name == numbered) {
                    found.get_or_insert(name);
                }
                None
            })
            .or(found)
    }

    /// Returns the stamp of the container, which is that of all in it.
    pub fn stamp(&self) -> Option<Stamp> {
        self.archive.file.stamp()
    }

    fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() {
            return name.to_owned();
        }
        format!("{}/{name}", self.path)
    }

    fn kind(&self, path: &str) -> Result<Kind, Failure> {
        let files = &self.archive.unpack_once()?.files;
        if files.contains_key(path) {
            return Ok(Kind::File);
        }
        let is_directory = files
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

impl Archive {
    fn unpack_once(&self) -> Result<&Unpacked, Failure> {
        let unpacked = self.unpacked.get_or_init(|| self.unpack());
        unpacked.as_ref().map_err(|failure| *failure)
    }

    fn unpack(&self) -> Result<Unpacked, Failure> {
        let content = self.file.read_all(DOCUMENT_BYTES)?;
        let limits = Limits {
            text_bytes: 0,
            unpacked_bytes: MEMBERS_BYTES,
            beyond: Beyond::Refuse,
            milliseconds: MEMBERS_MS,
        };
        let found = match self.extractor.unpack(&self.extension, &content, limits) {
            Ok(found) => found,
            // It is a document of another format than its name says, without members.
            Err(extract::Failure::Unsupported(_)) => return Ok(Unpacked::default()),
            // The message itself is reported as damaged, and has no attachments to report.
            Err(extract::Failure::Malformed) if self.is_message() => return Ok(Unpacked::default()),
            Err(extract::Failure::TooLarge) => return Err(Failure::TooLarge),
            Err(_) => return Err(Failure::Io),
        };
        let given = found.members.len();
        // Paths and their number come from a reader, which is not trusted with them.
        let files: BTreeMap<String, Rc<[u8]>> = found
            .members
            .into_iter()
            .take(MEMBERS)
            .filter(|member| is_path(&member.path))
            .map(|member| (member.path, member.content.into()))
            .collect();
        let dropped = u32::try_from(given - files.len()).unwrap_or(u32::MAX);
        Ok(Unpacked {
            files,
            omitted: found.omitted.saturating_add(dropped),
            is_full: given >= MEMBERS,
        })
    }

    fn is_message(&self) -> bool {
        matches!(self.extension.as_str(), "eml" | "msg")
    }
}

/// Returns true if a path has nothing but names in it.
fn is_path(path: &str) -> bool {
    path.split('/').all(|name| {
        !matches!(name, "" | "." | "..")
            && !name.contains('\\')
            && !name.chars().any(char::is_control)
    })
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
