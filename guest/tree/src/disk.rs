//! The machine's files, as traits; [`crate::door`] decides which of them may be opened.
//!
//! `docent-fs` implements them over WASI descriptors (and natively for comparison), `memory` in
//! memory for tests. A directory is an open handle and every name given to it is a single
//! component, so that no path is ever resolved by string.

use std::rc::Rc;

use crate::extractor::Extractor;
use crate::unpack_failure::UnpackFailure;

/// The kind of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link; never followed.
    Symlink,
    /// A FIFO, socket or device; never opened.
    Other,
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name: one component, valid UTF-8, neither `.` nor `..`.
    pub name: String,
    /// Kind at the time of the listing; it may have changed since.
    pub kind: Kind,
}

/// The entries of a directory, in no particular order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// Entries with a usable name.
    pub named: Vec<Entry>,
    /// Number of entries whose name is not UTF-8; these cannot be opened.
    pub unnamed: u32,
}

/// The metadata of a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Kind.
    pub kind: Kind,
    /// Size in bytes; 0 unless it is a regular file.
    pub size: u64,
    /// Time of the last change of the content, in nanoseconds since 1970 (negative before); `None`
    /// if the platform does not report it.
    pub modified: Option<i128>,
}

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Whole seconds since 1970, rounded down; negative before.
    pub seconds: i64,
    /// Fraction of the second: 0 to 999 999 999 nanoseconds.
    pub nanoseconds: u32,
}

impl Moment {
    /// Converts nanoseconds since 1970, negative before, saturating at the limits.
    #[must_use]
    pub fn from_nanoseconds(nanoseconds: i128) -> Self {
        // The division rounds down, also before 1970: half a second before 1970 is second -1 and
        // 500 000 000 nanoseconds. A division that rounds towards zero would give second 0 and a
        // negative fraction, which the type cannot represent.
        let seconds = nanoseconds.div_euclid(1_000_000_000);
        Self {
            seconds: i64::try_from(seconds).unwrap_or(if seconds < 0 {
                i64::MIN
            } else {
                i64::MAX
            }),
            nanoseconds: u32::try_from(nanoseconds.rem_euclid(1_000_000_000)).unwrap_or_default(),
        }
    }

    /// Returns nanoseconds since 1970, negative before.
    #[must_use]
    pub fn nanoseconds(self) -> i128 {
        i128::from(self.seconds) * 1_000_000_000 + i128::from(self.nanoseconds)
    }

    /// Returns whole milliseconds since 1970, rounded down, negative before, saturating at the
    /// limits.
    #[must_use]
    pub fn milliseconds(self) -> i64 {
        self.seconds
            .saturating_mul(1000)
            .saturating_add(i64::from(self.nanoseconds / 1_000_000))
    }
}

/// The status of an entry, known without opening it. A time is `None` if the platform does not keep
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Kind.
    pub kind: Kind,
    /// Size in bytes; 0 unless it is a regular file.
    pub size: u64,
    /// Time of the last change of the content.
    pub modified: Option<Moment>,
    /// Time of creation.
    pub created: Option<Moment>,
    /// Time of the last read.
    pub accessed: Option<Moment>,
}

/// A change stamp: it differs whenever the content of a file, or the list of entries of a
/// directory, may have changed. Equal stamps of one object mean equal content. The reverse does not
/// hold: a file that changed within the last ticks of the clock has another stamp at each call; see
/// `docs/decisions/stamps.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp(pub u128);

/// The reason that a file or directory could not be used. It becomes a skip reason or the cause of
/// an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// It does not exist (any more), or may not be seen.
    #[error("it is not there")]
    NotFound,
    /// The operating system denies access.
    #[error("the operating system refuses access")]
    Permission,
    /// It is a symbolic link.
    #[error("it is a symbolic link")]
    Symlink,
    /// It is neither a regular file nor a directory, or not the requested one of the two.
    #[error("it is not of the requested kind")]
    WrongKind,
    /// Another file system is mounted there.
    #[error("another file system is mounted there")]
    MountPoint,
    /// The content exceeds the requested maximum.
    #[error("it is larger than requested")]
    TooLarge,
    /// Reading failed.
    #[error("reading failed")]
    Io,
    /// The container that holds it cannot be opened.
    #[error("its container {0}")]
    Container(UnpackFailure),
    /// It is in a container, and cannot be unpacked.
    #[error("it {0}")]
    Member(UnpackFailure),
}

/// A regular file open for reading.
pub trait OpenFile {
    /// Returns the stamp of the file at the time it was opened, or `None` if the platform has no
    /// reliable one. Data read afterwards is at least as new.
    fn stamp(&self) -> Option<Stamp>;

    /// Returns the whole content.
    ///
    /// # Errors
    /// [`Failure::TooLarge`] if it exceeds `cap` bytes, of which at most `cap` + 64 KiB were read;
    /// otherwise the error of the platform.
    fn read_all(&self, cap: usize) -> Result<Vec<u8>, Failure>;

    /// Returns the first `bytes` bytes, or the whole content if it is shorter.
    ///
    /// # Errors
    /// The error of the platform.
    fn read_head(&self, bytes: usize) -> Result<Vec<u8>, Failure>;

    /// Returns `bytes` bytes from `offset` on, fewer at the end of the file.
    ///
    /// # Errors
    /// The error of the platform.
    fn read_at(&self, offset: u64, bytes: usize) -> Result<Vec<u8>, Failure>;
}

/// An open directory.
pub trait Directory: Sized {
    /// File type of [`Directory::open_file`].
    type File: OpenFile + 'static;

    /// Returns all entries, in no particular order. A name that is not UTF-8 cannot be represented
    /// as a `String`; it is counted, and the entries after it are still returned.
    ///
    /// # Errors
    /// The error of the platform; no partial result is returned.
    fn entries(&self) -> Result<Entries, Failure>;

    /// Calls `see` for each entry with a usable name, in no particular order, and returns the
    /// number of other entries. The default collects all entries first; a disk that can read a
    /// directory piece by piece replaces it, so that a directory with a million names does not
    /// occupy memory.
    ///
    /// # Errors
    /// The error of the platform; some entries may have been visited before.
    fn visit(&self, mut see: impl FnMut(&str, Kind)) -> Result<u32, Failure> {
        let entries = self.entries()?;
        for entry in &entries.named {
            see(&entry.name, entry.kind);
        }
        Ok(entries.unnamed)
    }

    /// Opens the directory `name` in this one. `name` is a single component. A symbolic link is not
    /// followed, whether it leads out of the root or not, and another file system that is mounted
    /// there is not entered.
    ///
    /// # Errors
    /// [`Failure`] if it cannot be opened.
    fn open_directory(&self, name: &str) -> Result<Self, Failure>;

    /// Opens the regular file `name` in this directory for reading, under the same rules.
    ///
    /// # Errors
    /// [`Failure`] if it cannot be opened.
    fn open_file(&self, name: &str) -> Result<Self::File, Failure>;

    /// Returns the status of the entry `name`, or of this directory for `.`. The status of a link
    /// is its own, because links are never followed. Nothing is opened, so that a FIFO cannot block
    /// and no time of access changes.
    ///
    /// # Errors
    /// [`Failure`] if there is none.
    fn stat(&self, name: &str) -> Result<Stat, Failure>;

    /// Returns the metadata of the entry `name`; those of a link are its own.
    ///
    /// # Errors
    /// [`Failure`] if there is none.
    fn metadata(&self, name: &str) -> Result<Metadata, Failure> {
        self.stat(name).map(|stat| Metadata {
            kind: stat.kind,
            size: stat.size,
            modified: stat.modified.map(Moment::nanoseconds),
        })
    }

    /// Returns the stamp of this directory, or `None` if the platform has no reliable one.
    fn stamp(&self) -> Option<Stamp>;

    /// Returns the stamp of the entry `name`, comparable with [`OpenFile::stamp`] and
    /// [`Directory::stamp`] of the same object, or `None` also if the entry does not exist.
    fn stamp_of(&self, name: &str) -> Option<Stamp>;

    /// Returns the wrapping sum of the current stamps of all entries whose stamp was handed out
    /// since the directory was last listed, by [`Directory::stamp_of`] or [`OpenFile::stamp`], or
    /// `None` if the platform does not track them. With one call, a cache that kept those stamps
    /// learns if any of them has changed.
    fn sum_of_stamps(&self) -> Option<Stamp>;
}

/// A granted directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Name, unique among the roots.
    pub name: String,
    /// True if files in it may be created, changed and deleted.
    pub writable: bool,
    /// Absolute path under which the host shows it; `None` if the host renames or hides it.
    pub path: Option<String>,
}

/// The environment of the files: the reader of binary documents, a monotonic clock, and the time of
/// day. Durations are measured with the monotonic clock, because the time of day may be set back;
/// the time of day is only for dates that are compared across calls.
pub trait Surroundings {
    /// Returns the reader of binary documents.
    fn extractor(&self) -> Rc<dyn Extractor>;

    /// Returns milliseconds from an arbitrary start, never decreasing.
    fn monotonic_ms(&self) -> u64;

    /// Returns milliseconds since 1970, negative before.
    fn unix_ms(&self) -> i64;
}

/// The granted directories.
pub trait Disk: Surroundings {
    /// Directory type of [`Disk::open_root`].
    type Directory: Directory;

    /// Returns the granted roots, in the order of the grants.
    fn roots(&self) -> Vec<Root>;

    /// Opens root `index` of [`Disk::roots`].
    ///
    /// # Errors
    /// [`Failure::NotFound`] if it no longer exists.
    fn open_root(&self, index: usize) -> Result<Self::Directory, Failure>;
}

/// The reason that a write failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteFailure {
    /// The target, or its directory, does not exist.
    #[error("it is not there")]
    NotFound,
    /// An entry of this name exists already.
    #[error("this name already exists")]
    Exists,
    /// The directory is not empty.
    #[error("the directory is not empty")]
    NotEmpty,
    /// The target is no longer in the expected version.
    #[error("it has changed meanwhile")]
    Changed,
    /// The operating system denies access, or the name may not be written.
    #[error("the operating system refuses access")]
    Permission,
    /// The file system, or the root, is read-only.
    #[error("it is on a read-only file system")]
    ReadOnly,
    /// The file system is full, or a quota is used up.
    #[error("no space is left")]
    NoSpace,
    /// It is a link, or of a kind that the operation does not accept.
    #[error("it is not of the requested kind")]
    WrongKind,
    /// Another file system is mounted there, or it is in use by the system.
    #[error("it is a mount point")]
    MountPoint,
    /// Another process of docent, or another call, is writing in this root and did not end in time.
    #[error("another docent is writing in this root")]
    InUse,
    /// Writing failed.
    #[error("writing failed")]
    Io,
}

impl From<Failure> for WriteFailure {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::NotFound => Self::NotFound,
            Failure::Permission => Self::Permission,
            Failure::Symlink | Failure::WrongKind => Self::WrongKind,
            Failure::MountPoint => Self::MountPoint,
            Failure::TooLarge | Failure::Io | Failure::Container(_) | Failure::Member(_) => {
                Self::Io
            }
        }
    }
}

/// The guarantee of a directory sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The current names in it survive a power loss.
    Durable,
    /// The platform has no such call: names become durable at some later time.
    Unknown,
}

/// The version of a file: the file of a name, and its state. Equal versions mean, as far as the
/// platform can tell, that nothing was written in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Kind.
    pub kind: Kind,
    /// Size in bytes.
    pub size: u64,
    /// Number of hard links.
    pub links: u64,
    /// Time of the last change of the content.
    pub modified: Option<Moment>,
    /// Identity of the object; on a platform with stamps, the stamp, which distinguishes states of
    /// one object as well.
    pub identity: u128,
}

/// A newly created file, open for writing.
pub trait NewFile {
    /// Appends `bytes`.
    ///
    /// # Errors
    /// The error of the platform; some of the bytes may have been written.
    fn write(&mut self, bytes: &[u8]) -> Result<(), WriteFailure>;

    /// Syncs the content: after it returns, the content survives a power loss. The name is an entry
    /// of the directory and is synced separately, by [`WriteDirectory::sync`].
    ///
    /// # Errors
    /// The error of the platform; the state of the content is then unknown.
    fn sync(&mut self) -> Result<(), WriteFailure>;
}

/// An open directory in which entries can be created, replaced and removed. Names are single
/// components, links are never followed, mounts never crossed. Only [`crate::write`] calls this.
pub trait WriteDirectory: Directory {
    /// File type of [`WriteDirectory::create_file`].
    type NewFile: NewFile;

    /// Creates an empty file that only its owner can read, if the platform has owners. The file may
    /// receive the content of a private file before it has the mode of that file; with the default
    /// mode other users could read it in between.
    ///
    /// # Errors
    /// [`WriteFailure::Exists`] if an entry of this name exists; otherwise the error of the
    /// platform.
    fn create_file(&self, name: &str) -> Result<Self::NewFile, WriteFailure>;

    /// Returns the version of the file `name`; of a link, its own.
    ///
    /// # Errors
    /// [`Failure`] if there is none.
    fn version(&self, name: &str) -> Result<Version, Failure>;

    /// Checks that the system would allow writing to the file `name` in place, by its mode and
    /// owner. Nothing is changed. Replacing a file only needs rights on its directory, so that
    /// without this check a file that its owner made read-only would be overwritten.
    ///
    /// # Errors
    /// [`WriteFailure::Permission`] and [`WriteFailure::ReadOnly`]; any other obstacle only shows
    /// when it is written.
    fn may_write(&self, name: &str) -> Result<(), WriteFailure>;

    /// Checks that the system would allow the entry `name` to be moved away or replaced, or created
    /// if it does not exist, as far as that is known in advance. Nothing is changed.
    ///
    /// # Errors
    /// [`WriteFailure::Permission`] and [`WriteFailure::ReadOnly`].
    fn may_move(&self, name: &str) -> Result<(), WriteFailure>;

    /// Moves the file `name` to `to` in `directory`, where no entry may exist. If the platform
    /// cannot do both in one step, an empty file may be created there first.
    ///
    /// # Errors
    /// [`WriteFailure::Exists`] if an entry exists; otherwise the error of the platform.
    fn move_new(&self, name: &str, directory: &Self, to: &str) -> Result<(), WriteFailure>;

    /// Replaces `to` in `directory` by the file `name`, in one step, if `to` is still `expected`.
    /// Hosts that can do so preserve the mode, owner and attributes of the replaced file.
    ///
    /// # Errors
    /// [`WriteFailure::Changed`] if `to` has another version by now. If the platform cannot compare
    /// and replace in one step, a write between the two is lost; docent's host can. Otherwise the
    /// error of the platform.
    fn replace(
        &self,
        name: &str,
        directory: &Self,
        to: &str,
        expected: &Version,
    ) -> Result<(), WriteFailure>;

    /// Removes the file `name`.
    ///
    /// # Errors
    /// The error of the platform.
    fn remove_file(&self, name: &str) -> Result<(), WriteFailure>;

    /// Creates an empty directory.
    ///
    /// # Errors
    /// [`WriteFailure::Exists`] if an entry of this name exists; otherwise the error of the
    /// platform.
    fn make_directory(&self, name: &str) -> Result<(), WriteFailure>;

    /// Removes the empty directory `name`.
    ///
    /// # Errors
    /// [`WriteFailure::NotEmpty`]; otherwise the error of the platform.
    fn remove_directory(&self, name: &str) -> Result<(), WriteFailure>;

    /// Syncs the directory: after it returns, the names in it survive a power loss. A system may
    /// write a name before or after the content of its file, so that both have to be synced.
    ///
    /// # Errors
    /// The error of the platform. A platform without such a call does not fail, but returns
    /// [`Durability::Unknown`].
    fn sync(&self) -> Result<Durability, WriteFailure>;
}

/// The granted directories, some of which may be writable.
pub trait WriteDisk: Disk<Directory: WriteDirectory> {
    /// Opens root `index` of [`Disk::roots`] for writing. A host may allow only one writer at a
    /// time, so roots are not opened this way for reading.
    ///
    /// # Errors
    /// [`Failure::NotFound`] if it no longer exists.
    fn open_root_for_writing(&self, index: usize) -> Result<Self::Directory, Failure> {
        self.open_root(index)
    }

    /// Opens the state directory of root `index` of [`Disk::roots`]: a directory outside all roots
    /// that stores undo data. Returns `None` if the host granted none.
    fn open_state(&self, index: usize) -> Option<Result<Self::Directory, Failure>>;

    /// Returns true if root `index` has a state directory. Nothing is opened: a host may exclude
    /// other writers while one is open.
    fn has_state(&self, index: usize) -> bool;
}
