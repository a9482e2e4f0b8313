//! Access to content: directories and files below a root, opened only after their names have passed
//! [`crate::sensitive`], or with [`Consent`]. Entries that are only inspected, by name, time and
//! size, need neither.
//!
//! Each right is a type that proves it: the owner of a [`Vetted`] may read its files, the owner of
//! a [`Visible`] may see names, times and sizes. Writing has a third proof,
//! [`crate::write::Writable`], for a root that was granted for writing, or a state directory. Only
//! it can create, replace or remove anything; it also reads files, after the same check of their
//! names, which exempts reserved ones. A disk that is never written to has no such methods at all.
//!
//! A [`Vetted`] may also be a directory of a container, whose members are read after the same check
//! of their names; nothing else opens containers.
//!
//! Reserved names ([`crate::reserved`]) do not exist for the two proofs of this module.

use std::fmt;
use std::ops::ControlFlow;
use std::rc::Rc;

use unicode_normalization::UnicodeNormalization as _;

use crate::archive::{ArchiveDirectory, container_name, directory_name};
use crate::disk::{Directory, Disk, Entries, Failure, Kind, Metadata, OpenFile as _, Stamp, Stat};
use crate::extractor::Extractor;
use crate::limits::PIECE_BYTES;
use crate::listing::Listing;
use crate::reserved::is_reserved;
use crate::sensitive::{is_sensitive_directory, is_sensitive_file};

/// A directory that is neither sensitive itself nor below a sensitive one, unless the person who
/// granted the root and the caller consent to that. Files are opened here and in
/// [`crate::write::Writable::read`] only.
#[derive(Debug)]
pub struct Vetted<T> {
    place: Place<T>,
    /// Consent of its root; inherited by each directory that is opened.
    consent: Consent,
    /// Opens containers as directories; `None` where they are only files.
    unpacker: Option<Unpacker>,
}

/// A directory on a disk or in a container.
#[derive(Debug)]
enum Place<T> {
    Disk(T),
    Archive(ArchiveDirectory),
}

/// The reader that unpacks containers.
#[derive(Clone)]
struct Unpacker(Rc<dyn Extractor>);

impl fmt::Debug for Unpacker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unpacker")
    }
}

/// The consent of both the person who granted a root and the caller to open sensitive files in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// At least one of them does not consent.
    Withheld,
    /// Both consent.
    Given,
}

/// The reason that a directory or file could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The name is sensitive; nothing was touched.
    Sensitive,
    /// The disk reports a failure.
    Failed(Failure),
}

impl From<Failure> for Denied {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// The content of a file, and its stamp from before it was read.
#[derive(Debug)]
pub struct Content {
    /// All bytes, or the first ones if only those were requested.
    pub bytes: Vec<u8>,
    /// Stamp, if one was requested and the platform has one.
    pub stamp: Option<Stamp>,
}

/// The extent of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The whole file, unless it exceeds this number of bytes.
    Whole(usize),
    /// This number of bytes from its start.
    Head(usize),
}

/// The need for a stamp. Without a cache a stamp is unused, and taking one costs a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamps {
    /// Take a stamp.
    Wanted,
    /// Do not take a stamp.
    Unwanted,
}

impl<T: Directory> Vetted<T> {
    /// Opens a root. The name of a root is the person's choice and never sensitive.
    pub fn root<D: Disk<Directory = T>>(
        disk: &D,
        index: usize,
        consent: Consent,
    ) -> Result<Self, Failure> {
        Ok(Self {
            place: Place::Disk(disk.open_root(index)?),
            consent,
            unpacker: Some(Unpacker(disk.extractor())),
        })
    }

    /// Opens a subdirectory.
    pub fn directory(&self, name: &str) -> Result<Self, Denied> {
        check_not_reserved(name)?;
        // The name is checked before the disk is asked. In the other order `.ssh` would be refused
        // as sensitive if it exists and as missing if it does not, so that the error would reveal
        // which of the two is true.
        if self.consent == Consent::Withheld && is_sensitive_directory(name) {
            return Err(Denied::Sensitive);
        }
        let place = match &self.place {
            Place::Archive(archive) => Place::Archive(archive.directory(name)?),
            Place::Disk(directory) => match directory.open_directory(name) {
                Ok(below) => Place::Disk(below),
                // A directory on the disk that is called like that of a container takes precedence.
                Err(Failure::NotFound) => Place::Archive(self.open_container(directory, name)?),
                Err(failure) => return Err(failure.into()),
            },
        };
        Ok(Self {
            place,
            consent: self.consent,
            unpacker: self.unpacker.clone(),
        })
    }

    /// Opens the container whose directory is called `name`.
    fn open_container(&self, directory: &T, name: &str) -> Result<ArchiveDirectory, Denied> {
        let unpacker = self.unpacker.as_ref().ok_or(Failure::NotFound)?;
        let file = container_name(name).ok_or(Failure::NotFound)?;
        if self.consent == Consent::Withheld && is_sensitive_file(file) {
            return Err(Denied::Sensitive);
        }
        let metadata = directory.metadata(file)?;
        if metadata.kind != Kind::File {
            return Err(Failure::NotFound.into());
        }
        let opened = directory.open_file(file)?;
        let extractor = Rc::clone(&unpacker.0);
        Ok(ArchiveDirectory::open(file, opened, metadata, extractor))
    }

    /// Reads a file in this directory.
    pub fn read(&self, name: &str, extent: Extent, stamps: Stamps) -> Result<Content, Denied> {
        check_not_reserved(name)?;
        if self.consent == Consent::Withheld && is_sensitive_file(name) {
            return Err(Denied::Sensitive);
        }
        let directory = match &self.place {
            Place::Disk(directory) => directory,
            Place::Archive(archive) => return read_member(archive, name, extent, stamps),
        };
        let file = directory.open_file(name)?;
        // The stamp is taken before the first byte is read, so that the data is at least as new as
        // the stamp. In the other order a write between the two would join old bytes with the new
        // stamp, and a cache would serve the old text until the file changes again; in this order
        // it only makes the stamp stale, and the file is read once more.
        let stamp = match stamps {
            Stamps::Wanted => file.stamp(),
            Stamps::Unwanted => None,
        };
        let bytes = match extent {
            Extent::Whole(cap) => file.read_all(cap)?,
            Extent::Head(bytes) => file.read_head(bytes)?,
        };
        Ok(Content { bytes, stamp })
    }

    /// Passes a file in this directory to `see`, piece by piece in order, until it breaks. The file
    /// may exceed the size that can be read as a whole.
    pub fn read_through(
        &self,
        name: &str,
        mut see: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), Denied> {
        check_not_reserved(name)?;
        if self.consent == Consent::Withheld && is_sensitive_file(name) {
            return Err(Denied::Sensitive);
        }
        // The file is opened once for all pieces. Many programs save by renaming a new file to the
        // old name: the open handle then still reads the old file to its end, while a file opened
        // anew for each piece would be composed of two versions.
        let directory = match &self.place {
            Place::Disk(directory) => directory,
            Place::Archive(archive) => {
                // It is in memory as a whole.
                let _ = archive.read(name)?.chunks(PIECE_BYTES).try_for_each(see);
                return Ok(());
            }
        };
        let file = directory.open_file(name)?;
        let mut offset = 0;
        loop {
            let piece = file.read_at(offset, PIECE_BYTES)?;
            offset += piece.len() as u64;
            if piece.is_empty() || see(&piece).is_break() {
                return Ok(());
            }
        }
    }

    /// Returns the entries, whose names are unchecked. Sensitive names are among them: a listing
    /// counts them as left out, and opening one is refused by its name.
    pub fn entries(&self) -> Result<Entries, Failure> {
        let mut entries = match &self.place {
            Place::Disk(directory) => directory.entries()?,
            Place::Archive(archive) => archive.entries()?,
        };
        entries.named.retain(|entry| !is_reserved(&entry.name));
        Ok(entries)
    }

    /// Returns the listing: the entries that are not sensitive, and the directories of containers.
    pub fn listing(&self) -> Result<Listing, Failure> {
        let mut listing = Listing::new(self.entries()?);
        match &self.place {
            Place::Disk(_) if self.unpacker.is_some() => listing.add_containers(),
            Place::Disk(_) => {}
            Place::Archive(archive) => listing.omitted = archive.omissions(),
        }
        Ok(listing)
    }

    /// Returns true if this directory is in a container, which the first access to a file unpacks.
    pub fn is_in_container(&self) -> bool {
        matches!(self.place, Place::Archive(_))
    }

    /// Returns false if this directory is in a container and certain to hold no file with a name
    /// that is `wanted`, at any depth. Nothing is unpacked to tell.
    pub fn may_hold(&self, wanted: &dyn Fn(&str) -> bool) -> bool {
        match &self.place {
            Place::Disk(_) => true,
            Place::Archive(archive) => archive.may_hold(wanted),
        }
    }

    /// Returns the actual name of `segment` in this directory; see [`Visible::real_name`]. Fails if
    /// a container cannot be opened.
    pub fn real_name(&self, segment: &str) -> Result<Option<String>, Failure> {
        let directory = match &self.place {
            Place::Disk(directory) => directory,
            Place::Archive(archive) => return archive.real_name(segment),
        };
        Ok(match container_name(segment) {
            // The name of the container may be written in another normal form.
            Some(file) if !segment.is_ascii() => real_name(directory, segment)
                .or_else(|| real_name(directory, file).map(|file| directory_name(&file))),
            _ => real_name(directory, segment),
        })
    }

    /// Returns the metadata of an entry.
    pub fn metadata(&self, name: &str) -> Result<Metadata, Failure> {
        check_not_reserved(name)?;
        let directory = match &self.place {
            Place::Disk(directory) => directory,
            Place::Archive(archive) => return archive.metadata(name),
        };
        match (directory.metadata(name), container_name(name)) {
            (Err(Failure::NotFound), Some(file)) if self.unpacker.is_some() => {
                let metadata = directory.metadata(file)?;
                match metadata.kind {
                    Kind::File => Ok(Metadata {
                        kind: Kind::Directory,
                        size: 0,
                        ..metadata
                    }),
                    _ => Err(Failure::NotFound),
                }
            }
            (metadata, _) => metadata,
        }
    }

    /// Returns the stamp of this directory.
    pub fn stamp(&self) -> Option<Stamp> {
        match &self.place {
            Place::Disk(directory) => directory.stamp(),
            Place::Archive(archive) => archive.stamp(),
        }
    }

    /// Returns the stamp of an entry.
    pub fn stamp_of(&self, name: &str) -> Option<Stamp> {
        match &self.place {
            Place::Disk(directory) => directory.stamp_of(name),
            Place::Archive(archive) => archive.stamp(),
        }
    }

    /// Returns the sum of the current stamps of the entries whose stamp was handed out.
    pub fn sum_of_stamps(&self) -> Option<Stamp> {
        match &self.place {
            Place::Disk(directory) => directory.sum_of_stamps(),
            Place::Archive(_) => None,
        }
    }
}

/// A directory whose names, times and sizes may be seen, whatever its name.
#[derive(Debug)]
pub enum Visible<T> {
    /// A directory whose files may be read as well.
    Vetted(Vetted<T>),
    /// A directory with a sensitive name, or below one; nothing in it is ever read.
    Sealed(Sealed<T>),
}

/// A directory in which nothing is read.
#[derive(Debug)]
pub struct Sealed<T>(T);

impl<T: Directory> Visible<T> {
    /// Opens a subdirectory.
    pub fn directory(&self, name: &str) -> Result<Self, Failure> {
        check_not_reserved(name)?;
        let directory = self.disk()?.open_directory(name)?;
        Ok(match self {
            // A sensitive name seals the directory even with consent. Callers of this method list
            // names, times and sizes, which a sealed directory shows as well, and the consent was
            // given for a file that the caller names, not for each file that a listing finds.
            Self::Vetted(Vetted {
                consent, unpacker, ..
            }) if !is_sensitive_directory(name) => Self::Vetted(Vetted {
                place: Place::Disk(directory),
                consent: *consent,
                unpacker: unpacker.clone(),
            }),
            // A directory below a sealed one is sealed whatever its name: `.ssh/notes` is as
            // sensitive as `.ssh`, but its name alone is on no list. The state is therefore passed
            // on and not derived from the name.
            _ => Self::Sealed(Sealed(directory)),
        })
    }

    /// Returns the directory if its files may be read.
    pub fn vet(&self) -> Option<&Vetted<T>> {
        match self {
            Self::Vetted(directory) => Some(directory),
            Self::Sealed(_) => None,
        }
    }

    /// Calls `see` for each entry; returns the number of entries without a usable name.
    pub fn visit(&self, mut see: impl FnMut(&str, Kind)) -> Result<u32, Failure> {
        self.disk()?.visit(|name, kind| {
            if !is_reserved(name) {
                see(name, kind);
            }
        })
    }

    /// Returns the actual name of `segment` in this directory: itself, or another normal form of
    /// it, as a name typed on one system and stored by another may have. Returns `None` if neither
    /// exists.
    pub fn real_name(&self, segment: &str) -> Option<String> {
        real_name(self.disk().ok()?, segment)
    }

    /// Returns the status of an entry, or of the directory for `.`, without opening it.
    pub fn stat(&self, name: &str) -> Result<Stat, Failure> {
        check_not_reserved(name)?;
        self.disk()?.stat(name)
    }

    /// Returns the stamp of this directory.
    pub fn stamp(&self) -> Option<Stamp> {
        self.disk().ok()?.stamp()
    }

    /// Returns the directory on the disk. Times and sizes of what is in a container are not seen.
    fn disk(&self) -> Result<&T, Failure> {
        match self {
            Self::Vetted(Vetted {
                place: Place::Disk(directory),
                ..
            })
            | Self::Sealed(Sealed(directory)) => Ok(directory),
            Self::Vetted(Vetted {
                place: Place::Archive(_),
                ..
            }) => Err(Failure::NotFound),
        }
    }
}

/// Returns the content of a member of a container.
fn read_member(
    archive: &ArchiveDirectory,
    name: &str,
    extent: Extent,
    stamps: Stamps,
) -> Result<Content, Denied> {
    let content = archive.read(name)?;
    let bytes = match extent {
        Extent::Whole(cap) if content.len() > cap => return Err(Failure::TooLarge.into()),
        Extent::Whole(_) => content.to_vec(),
        Extent::Head(bytes) => content[..content.len().min(bytes)].to_vec(),
    };
    let stamp = match stamps {
        Stamps::Wanted => archive.stamp(),
        Stamps::Unwanted => None,
    };
    Ok(Content { bytes, stamp })
}

/// Fails for reserved names, as if they did not exist.
pub(crate) fn check_not_reserved(name: &str) -> Result<(), Failure> {
    if is_reserved(name) {
        return Err(Failure::NotFound);
    }
    Ok(())
}

fn real_name<T: Directory>(directory: &T, segment: &str) -> Option<String> {
    // The directory is listed only if it must be. An ASCII name has only one normal form, and most
    // other names exist as requested, which one `stat` shows. A name with a `\` is always looked up
    // in the listing: where `\` is a separator, a `stat` of `a\b` would resolve a path of two
    // names, past the checks of the first one.
    let is_plain =
        || segment.is_ascii() || directory.stat(segment).err() != Some(Failure::NotFound);
    if !segment.contains('\\') && is_plain() {
        return Some(segment.to_owned());
    }
    // Two names of one normal form may exist in a directory, such as `é.md` and `e\u{301}.md`,
    // beside the third that was requested. The smallest is taken, so that the result does not
    // depend on the order of the listing, which differs between file systems. The forms are those
    // of Unicode Standard Annex #15.
    let mut same: Option<String> = None;
    let listed = directory.visit(|name, _| {
        if name.nfc().eq(segment.nfc()) && same.as_deref().is_none_or(|same| name < same) {
            same = Some(name.to_owned());
        }
    });
    listed.ok().and(same)
}
