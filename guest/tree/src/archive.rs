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
use unicode_normalization::UnicodeNormalization as _;

use crate::disk::{Entries, Entry, Failure, Kind, Metadata, OpenFile, Stamp};
use crate::extractor::Extractor;
use crate::limits::{DOCUMENT_BYTES, MEMBERS_BYTES, MEMBERS_MS};

/// The sign behind the name of a container.
const MARK: char = '!';

/// Extensions of containers that a walk enters.
const WALKED: [&str; 4] = ["zip", "eml", "mbox", "msg"];

/// Extensions of containers that are opened where a path names them: documents with pictures.
const NAMED: [&str; 9] = [
    "docx", "epub", "hwpx", "odp", "ods", "odt", "pptx", "xlsm", "xlsx",
];

/// Returns the file whose members a directory of this name would hold.
pub fn container_name(directory: &str) -> Option<&str> {
    let file = directory.strip_suffix(MARK)?;
    let extension = extension(file)?;
    [WALKED.as_slice(), NAMED.as_slice()]
        .concat()
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

/// Adds the directories of the containers among entries.
pub fn add_containers(entries: &mut Entries) {
    let containers: Vec<String> = entries
        .named
        .iter()
        .filter(|entry| entry.kind == Kind::File && is_walked(&entry.name))
        .map(|entry| format!("{}{MARK}", entry.name))
        .collect();
    for name in containers {
        // A directory on the disk that is called so takes precedence.
        if entries.named.iter().all(|entry| entry.name != name) {
            let kind = Kind::Directory;
            entries.named.push(Entry { name, kind });
        }
    }
}

fn is_walked(name: &str) -> bool {
    // Most names end here: this runs for every entry of every tree.
    name.ends_with(['p', 'P', 'l', 'L', 'x', 'X', 'g', 'G'])
        && extension(name).is_some_and(|extension| {
            WALKED
                .iter()
                .any(|known| extension.eq_ignore_ascii_case(known))
        })
}

fn extension(name: &str) -> Option<&str> {
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty()).then_some(extension)
}

/// A directory of a container.
pub struct ArchiveDirectory {
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
    files: OnceCell<Result<BTreeMap<String, Rc<[u8]>>, Failure>>,
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
            files: OnceCell::new(),
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
        for path in self.archive.files()?.keys() {
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

    /// Returns the content of a file in this directory.
    ///
    /// # Errors
    /// [`Failure::NotFound`] if there is none; that of unpacking.
    pub fn read(&self, name: &str) -> Result<Rc<[u8]>, Failure> {
        let path = self.path_of(name);
        let files = self.archive.files()?;
        files.get(&path).cloned().ok_or(Failure::NotFound)
    }

    /// Returns the status of an entry: the time is that of the container.
    ///
    /// # Errors
    /// [`Failure::NotFound`] if there is none; that of unpacking.
    pub fn metadata(&self, name: &str) -> Result<Metadata, Failure> {
        let path = self.path_of(name);
        let kind = self.kind(&path)?;
        let files = self.archive.files()?;
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
        names.find_map(|name| {
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
        let files = self.archive.files()?;
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
    fn files(&self) -> Result<&BTreeMap<String, Rc<[u8]>>, Failure> {
        let unpacked = self.files.get_or_init(|| self.unpack());
        unpacked.as_ref().map_err(|failure| *failure)
    }

    fn unpack(&self) -> Result<BTreeMap<String, Rc<[u8]>>, Failure> {
        let content = self.file.read_all(DOCUMENT_BYTES)?;
        let limits = Limits {
            text_bytes: 0,
            unpacked_bytes: MEMBERS_BYTES,
            beyond: Beyond::Refuse,
            milliseconds: MEMBERS_MS,
        };
        let unpacked = self.extractor.unpack(&self.extension, &content, limits);
        let found = unpacked.map_err(|failure| match failure {
            extract::Failure::TooLarge => Failure::TooLarge,
            _ => Failure::Io,
        })?;
        // Paths come from a reader, which is not trusted with them.
        let files = found.members.into_iter().filter(|member| is_path(&member.path));
        Ok(files
            .map(|member| (member.path, member.content.into()))
            .collect())
    }
}

/// Returns true if a path has nothing but names in it.
fn is_path(path: &str) -> bool {
    path.split('/').all(|name| {
        !matches!(name, "" | "." | "..") && !name.contains('\\') && !name.chars().any(char::is_control)
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
    }
}
