//! The one way to content: directories and files below a root, opened only after their names have
//! passed [`crate::sensitive`]. What is only looked at, by name, time and size, needs no such name.

use crate::disk::{Directory, Disk, Entries, Failure, Kind, Metadata, OpenFile as _, Stamp, Stat};
use crate::sensitive::{is_sensitive_directory, is_sensitive_file};

/// A directory none of whose ancestors, nor itself, is sensitive, unless the person who granted the
/// root consents to that. Nothing else in this crate opens anything.
#[derive(Debug)]
pub struct Vetted<T>(T, Consent);

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
        disk.open_root(index).map(|root| Self(root, consent))
    }

    /// Opens a directory in this one.
    pub fn directory(&self, name: &str) -> Result<Self, Denied> {
        if self.1 == Consent::Withheld && is_sensitive_directory(name) {
            return Err(Denied::Sensitive);
        }
        Ok(Self(self.0.open_directory(name)?, self.1))
    }

    /// Reads a file in this directory.
    pub fn read(&self, name: &str, extent: Extent, stamps: Stamps) -> Result<Content, Denied> {
        if self.1 == Consent::Withheld && is_sensitive_file(name) {
            return Err(Denied::Sensitive);
        }
        let file = self.0.open_file(name)?;
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

    /// Returns the entries; their names have passed no check.
    pub fn entries(&self) -> Result<Entries, Failure> {
        self.0.entries()
    }

    /// Returns the metadata of an entry.
    pub fn metadata(&self, name: &str) -> Result<Metadata, Failure> {
        self.0.metadata(name)
    }

    /// Returns this directory's stamp.
    pub fn stamp(&self) -> Option<Stamp> {
        self.0.stamp()
    }

    /// Returns the stamp of an entry.
    pub fn stamp_of(&self, name: &str) -> Option<Stamp> {
        self.0.stamp_of(name)
    }

    /// Returns the sum of the present stamps of the entries whose stamp was given out.
    pub fn sum_of_stamps(&self) -> Option<Stamp> {
        self.0.sum_of_stamps()
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
        let opened = self.inner().open_directory(name)?;
        Ok(match self {
            Self::Vetted(Vetted(_, consent)) if !is_sensitive_directory(name) => {
                Self::Vetted(Vetted(opened, *consent))
            }
            _ => Self::Sealed(Sealed(opened)),
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
    pub fn visit(&self, see: impl FnMut(&str, Kind)) -> Result<u32, Failure> {
        self.inner().visit(see)
    }

    /// Returns what is known of an entry, or for `.` of the directory, without opening it.
    pub fn stat(&self, name: &str) -> Result<Stat, Failure> {
        self.inner().stat(name)
    }

    /// Returns this directory's stamp.
    pub fn stamp(&self) -> Option<Stamp> {
        self.inner().stamp()
    }

    fn inner(&self) -> &T {
        match self {
            Self::Vetted(Vetted(directory, _)) | Self::Sealed(Sealed(directory)) => directory,
        }
    }
}
