//! The one way to content: directories and files below a root, opened only after their names have
//! passed [`crate::sensitive`]. What is only looked at, by name, time and size, needs no such name.
//!
//! Each right is a type that proves it, and the only thing with the methods that need it: who has a
//! [`Vetted`] may read what is in it, who has a [`Visible`] may see names, times and sizes. Writing
//! has a third proof beside them, [`crate::write::Writable`], made from a [`Vetted`] of a root that
//! was granted for writing, and alone in creating, replacing or removing anything. A disk that is
//! never written to has no such methods at all.
//!
//! Reserved names ([`crate::reserved`]) are not there for either proof.

use std::ops::ControlFlow;

use unicode_normalization::UnicodeNormalization as _;

use crate::disk::{Directory, Disk, Entries, Failure, Kind, Metadata, OpenFile as _, Stamp, Stat};
use crate::limits::PIECE_BYTES;
use crate::reserved::is_reserved;
use crate::sensitive::{is_sensitive_directory, is_sensitive_file};

/// A directory none of whose ancestors, nor itself, is sensitive, unless the person who granted the
/// root consents to that. Nothing else in this crate opens anything.
#[derive(Debug)]
pub struct Vetted<T> {
    directory: T,
    /// Of the root that it lies in; it goes down with each directory that is opened.
    consent: Consent,
}

/// Whether the person who granted a root, and the caller, want sensitive files in it opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Not both of them.
    Withheld,
    /// Both.
    Given,
}

/// Why a door stays shut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The name is sensitive; nothing was touched.
    Sensitive,
    /// The disk says no.
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
    /// All bytes, or the first ones where only these were asked for.
    pub bytes: Vec<u8>,
    /// The stamp, where one was asked for and the platform has one.
    pub stamp: Option<Stamp>,
}

/// How much of a file to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it, unless it holds more than so many bytes.
    Whole(usize),
    /// So many bytes from its beginning.
    Head(usize),
}

/// Whether a stamp is wanted; without a cache it is not, and taking one costs a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamps {
    /// Take it.
    Wanted,
    /// Do not.
    Unwanted,
}

impl<T: Directory> Vetted<T> {
    /// Opens a root. The name of a root is the person's choice and never sensitive.
    pub fn root<D: Disk<Directory = T>>(
        disk: &D,
        index: usize,
        consent: Consent,
    ) -> Result<Self, Failure> {
        let directory = disk.open_root(index)?;
        Ok(Self { directory, consent })
    }

    /// Takes over a root or a state directory, for the proof that is made from this one.
    pub(crate) fn of_writable(directory: T, consent: Consent) -> Self {
        Self { directory, consent }
    }

    /// Returns the directory itself, for that proof.
    pub(crate) fn inner(&self) -> &T {
        &self.directory
    }

    /// Opens a directory in this one.
    pub fn directory(&self, name: &str) -> Result<Self, Denied> {
        there(name)?;
        // Before the disk is asked: whether such a directory is there is not told either.
        if self.consent == Consent::Withheld && is_sensitive_directory(name) {
            return Err(Denied::Sensitive);
        }
        Ok(Self {
            directory: self.directory.open_directory(name)?,
            consent: self.consent,
        })
    }

    /// Reads a file in this directory.
    pub fn read(&self, name: &str, extent: Extent, stamps: Stamps) -> Result<Content, Denied> {
        there(name)?;
        if self.consent == Consent::Withheld && is_sensitive_file(name) {
            return Err(Denied::Sensitive);
        }
        let file = self.directory.open_file(name)?;
        // Taken before the first byte is read: what is read is then at least as new as the stamp,
        // and a change in between makes the stamp old rather than the text.
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

    /// Shows a file in this directory to `see`, piece by piece in order, as far as it wants: it may be
    /// longer than what is opened as a whole.
    pub fn read_through(
        &self,
        name: &str,
        mut see: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), Denied> {
        there(name)?;
        if self.consent == Consent::Withheld && is_sensitive_file(name) {
            return Err(Denied::Sensitive);
        }
        // Opened once: what takes its place meanwhile is another file.
        let file = self.directory.open_file(name)?;
        let mut offset = 0;
        loop {
            let piece = file.read_at(offset, PIECE_BYTES)?;
            offset += piece.len() as u64;
            if piece.is_empty() || see(&piece).is_break() {
                return Ok(());
            }
        }
    }

    /// Returns the entries; their names have passed no check.
    pub fn entries(&self) -> Result<Entries, Failure> {
        let mut entries = self.directory.entries()?;
        entries.named.retain(|entry| !is_reserved(&entry.name));
        Ok(entries)
    }

    /// Returns the name under which this directory holds `segment`; see [`Visible::real_name`].
    pub fn real_name(&self, segment: &str) -> Option<String> {
        real_name(&self.directory, segment)
    }

    /// Returns the metadata of an entry.
    pub fn metadata(&self, name: &str) -> Result<Metadata, Failure> {
        there(name)?;
        self.directory.metadata(name)
    }

    /// Returns this directory's stamp.
    pub fn stamp(&self) -> Option<Stamp> {
        self.directory.stamp()
    }

    /// Returns the stamp of an entry.
    pub fn stamp_of(&self, name: &str) -> Option<Stamp> {
        self.directory.stamp_of(name)
    }

    /// Returns the sum of the present stamps of the entries whose stamp was given out.
    pub fn sum_of_stamps(&self) -> Option<Stamp> {
        self.directory.sum_of_stamps()
    }
}

/// A directory in which names, times and sizes may be seen, whatever it is called.
#[derive(Debug)]
pub enum Visible<T> {
    /// One whose files may be read as well.
    Vetted(Vetted<T>),
    /// One of a sensitive name, or below such a one; nothing in it is ever read.
    Sealed(Sealed<T>),
}

/// A directory in which nothing is read.
#[derive(Debug)]
pub struct Sealed<T>(T);

impl<T: Directory> Visible<T> {
    /// Opens a directory in this one.
    pub fn directory(&self, name: &str) -> Result<Self, Failure> {
        there(name)?;
        let directory = self.inner().open_directory(name)?;
        Ok(match self {
            // Whatever the consent: this way leads to names and times, for which nobody gives it.
            Self::Vetted(Vetted { consent, .. }) if !is_sensitive_directory(name) => {
                let consent = *consent;
                Self::Vetted(Vetted { directory, consent })
            }
            // Once sealed, always sealed: `.ssh/notes` is as sensitive as `.ssh`.
            _ => Self::Sealed(Sealed(directory)),
        })
    }

    /// Returns the directory if its files may be read.
    pub fn vetted(&self) -> Option<&Vetted<T>> {
        match self {
            Self::Vetted(directory) => Some(directory),
            Self::Sealed(_) => None,
        }
    }

    /// Shows each entry to `see`; returns how many have no usable name.
    pub fn visit(&self, mut see: impl FnMut(&str, Kind)) -> Result<u32, Failure> {
        self.inner().visit(|name, kind| {
            if !is_reserved(name) {
                see(name, kind);
            }
        })
    }

    /// Returns the name under which this directory holds `segment`: itself, or another normal form
    /// of the same name, as a name typed on one system and stored by another may have; none where
    /// it holds neither.
    pub fn real_name(&self, segment: &str) -> Option<String> {
        real_name(self.inner(), segment)
    }

    /// Returns what is known of an entry, or for `.` of the directory, without opening it.
    pub fn stat(&self, name: &str) -> Result<Stat, Failure> {
        there(name)?;
        self.inner().stat(name)
    }

    /// Returns this directory's stamp.
    pub fn stamp(&self) -> Option<Stamp> {
        self.inner().stamp()
    }

    fn inner(&self) -> &T {
        match self {
            Self::Vetted(Vetted { directory, .. }) | Self::Sealed(Sealed(directory)) => directory,
        }
    }
}

/// What is reserved looks as if it were not there.
fn there(name: &str) -> Result<(), Failure> {
    if is_reserved(name) {
        return Err(Failure::NotFound);
    }
    Ok(())
}

fn real_name<T: Directory>(directory: &T, segment: &str) -> Option<String> {
    // Most names are ASCII or stand as they were asked for; only the rest costs a listing. So does a
    // `\`: it is part of a name only where it is listed so, and elsewhere may lead somewhere.
    let is_plain =
        || segment.is_ascii() || directory.stat(segment).err() != Some(Failure::NotFound);
    if !segment.contains('\\') && is_plain() {
        return Some(segment.to_owned());
    }
    // `é.md` and `e\u{301}.md` may both be there beside a third form: the smallest, so that it does
    // not depend on the order of the listing.
    let mut same: Option<String> = None;
    let listed = directory.visit(|name, _| {
        if name.nfc().eq(segment.nfc()) && same.as_deref().is_none_or(|same| name < same) {
            same = Some(name.to_owned());
        }
    });
    listed.ok().and(same)
}
