//! The machine's files, as traits; which of them may be opened [`crate::door`] decides.
//!
//! `docent-fs` implements it over WASI descriptors (and natively for comparison), `memory`
//! in memory for tests. A directory is an open handle and every name given to it is a single
//! component, so that no path is ever resolved by string.

use std::rc::Rc;

use crate::extractor::Extractor;

/// What an entry of a directory is.
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
    /// Its name: one component, valid UTF-8, neither `.` nor `..`.
    pub name: String,
    /// What it was when the directory was listed; it may have changed since.
    pub kind: Kind,
}

/// What a directory holds, in no particular order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// The entries with a usable name.
    pub named: Vec<Entry>,
    /// How many entries have a name that is not UTF-8 and cannot be opened.
    pub unnamed: u32,
}

/// A file's or directory's metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// What it is.
    pub kind: Kind,
    /// Its size in bytes; 0 for what is not a regular file.
    pub size: u64,
    /// When its content last changed, in nanoseconds since 1970 (negative before); none where the
    /// platform does not say.
    pub modified: Option<i128>,
}

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Whole seconds since 1970, rounded down; negative before.
    pub seconds: i64,
    /// What is left of the second: 0 to 999 999 999 nanoseconds.
    pub nanoseconds: u32,
}

impl Moment {
    /// Returns the moment of so many nanoseconds since 1970, negative before; what does not fit is
    /// the nearest that does.
    #[must_use]
    pub fn from_nanoseconds(nanoseconds: i128) -> Self {
        // Rounded down, before 1970 as well: half a second before is second -1 and a half.
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

    /// Returns whole milliseconds since 1970, rounded down, negative before; what does not fit is
    /// the nearest that does.
    #[must_use]
    pub fn milliseconds(self) -> i64 {
        self.seconds
            .saturating_mul(1000)
            .saturating_add(i64::from(self.nanoseconds / 1_000_000))
    }
}

/// What is known of an entry without opening it. A time is none where the platform does not keep
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: Kind,
    /// Its size in bytes; 0 for what is not a regular file.
    pub size: u64,
    /// When its content last changed.
    pub modified: Option<Moment>,
    /// When it came to be.
    pub created: Option<Moment>,
    /// When it was last read.
    pub accessed: Option<Moment>,
}

/// A value that differs whenever the content of a file, or the list of entries of a directory, may
/// have changed. Equal stamps of one object mean equal content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp(pub u128);

/// Why a file or directory could not be used. It becomes a skip reason or the cause of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// It is not there (any more), or may not be seen.
    #[error("it is not there")]
    NotFound,
    /// The operating system refuses access.
    #[error("the operating system refuses access")]
    Permission,
    /// A symbolic link stands there.
    #[error("it is a symbolic link")]
    Symlink,
    /// It is neither a regular file nor a directory, or not the one of them that was asked for.
    #[error("it is of another kind than was asked for")]
    WrongKind,
    /// Another file system is mounted there.
    #[error("another file system is mounted there")]
    MountPoint,
    /// The content is larger than was asked for.
    #[error("it is larger than was asked for")]
    TooLarge,
    /// Reading failed.
    #[error("reading failed")]
    Io,
}

/// A regular file, open for reading.
pub trait OpenFile {
    /// Returns the stamp of the file as it was when it was opened, or none where the platform
    /// offers no reliable one. Whatever is read afterwards is at least as new.
    fn stamp(&self) -> Option<Stamp>;

    /// Returns the whole content.
    ///
    /// # Errors
    /// [`Failure::TooLarge`] when it holds more than `cap` bytes, of which at most `cap` + 64 KiB
    /// were read; otherwise what the platform says.
    fn read_all(&self, cap: usize) -> Result<Vec<u8>, Failure>;

    /// Returns the first `bytes` bytes, or the whole content when it holds fewer.
    ///
    /// # Errors
    /// What the platform says.
    fn read_head(&self, bytes: usize) -> Result<Vec<u8>, Failure>;

    /// Returns `bytes` bytes from `offset` on, or those that there are.
    ///
    /// # Errors
    /// What the platform says.
    fn read_at(&self, offset: u64, bytes: usize) -> Result<Vec<u8>, Failure>;
}

/// An open directory.
pub trait Directory: Sized {
    /// What [`Directory::open_file`] gives.
    type File: OpenFile;

    /// Returns all entries, in no particular order. A name that is not UTF-8 is counted and hides
    /// no other.
    ///
    /// # Errors
    /// What the platform says; nothing is returned in part.
    fn entries(&self) -> Result<Entries, Failure>;

    /// Shows each entry with a usable name to `see`, in no particular order, and returns how many
    /// have another one. It costs no more memory than `see` takes.
    ///
    /// # Errors
    /// What the platform says; what was seen before is then a part.
    fn visit(&self, mut see: impl FnMut(&str, Kind)) -> Result<u32, Failure> {
        let entries = self.entries()?;
        for entry in &entries.named {
            see(&entry.name, entry.kind);
        }
        Ok(entries.unnamed)
    }

    /// Opens the directory `name` in this one. `name` is a single component. Not through links,
    /// not across mounts.
    ///
    /// # Errors
    /// [`Failure`] says why it cannot be opened.
    fn open_directory(&self, name: &str) -> Result<Self, Failure>;

    /// Opens the regular file `name` in this directory for reading, under the same rules.
    ///
    /// # Errors
    /// [`Failure`] says why it cannot be opened.
    fn open_file(&self, name: &str) -> Result<Self::File, Failure>;

    /// Returns what is known of the entry `name`, or for `.` of this directory; of a link, the
    /// link's own. It opens nothing.
    ///
    /// # Errors
    /// [`Failure`] says why there is none.
    fn stat(&self, name: &str) -> Result<Stat, Failure>;

    /// Returns the metadata of the entry `name`; of a link, the link's own.
    ///
    /// # Errors
    /// [`Failure`] says why there is none.
    fn metadata(&self, name: &str) -> Result<Metadata, Failure> {
        self.stat(name).map(|stat| Metadata {
            kind: stat.kind,
            size: stat.size,
            modified: stat.modified.map(Moment::nanoseconds),
        })
    }

    /// Returns this directory's own stamp, or none where the platform offers no reliable one.
    fn stamp(&self) -> Option<Stamp>;

    /// Returns the stamp of the entry `name`, comparable with [`OpenFile::stamp`] and
    /// [`Directory::stamp`] of the same object; none as well when the entry is not there.
    fn stamp_of(&self, name: &str) -> Option<Stamp>;

    /// Returns the sum, wrapping, of the present stamps of all entries whose stamp was given out
    /// since the directory was last listed, through [`Directory::stamp_of`] or
    /// [`OpenFile::stamp`]; none where the platform does not keep account of that. Whoever kept
    /// those stamps knows from one call whether any of them is no longer true.
    fn sum_of_stamps(&self) -> Option<Stamp>;
}

/// A granted directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Its name, unique among the roots.
    pub name: String,
    /// Whether files in it may be created, changed and deleted.
    pub writable: bool,
    /// The absolute path at which the host shows it; none where it has another name or none.
    pub path: Option<String>,
}

/// What is around the files: who reads what is not text, a clock for statistics, and the time of
/// day for what is over after a while.
pub trait Surroundings {
    /// Returns who reads documents that are not text.
    fn extractor(&self) -> Rc<dyn Extractor>;

    /// Milliseconds from an arbitrary start, never going back.
    fn monotonic_ms(&self) -> u64;

    /// Milliseconds since 1970, negative before.
    fn unix_ms(&self) -> i64;
}

/// The granted directories.
pub trait Disk: Surroundings {
    /// What [`Disk::open_root`] gives.
    type Directory: Directory;

    /// Returns the granted roots, in the order in which they were granted.
    fn roots(&self) -> Vec<Root>;

    /// Opens root `index` of [`Disk::roots`].
    ///
    /// # Errors
    /// [`Failure::NotFound`] when it is gone.
    fn open_root(&self, index: usize) -> Result<Self::Directory, Failure>;
}

/// Why something could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteFailure {
    /// What should be changed, or the directory that should hold it, is not there.
    #[error("it is not there")]
    NotFound,
    /// Something of this name is there already.
    #[error("something of this name is there already")]
    Exists,
    /// The directory is not empty.
    #[error("the directory is not empty")]
    NotEmpty,
    /// What should be replaced is no longer what was looked at.
    #[error("it has changed since it was looked at")]
    Changed,
    /// The operating system refuses access, or the name is one that may not be written.
    #[error("the operating system refuses access")]
    Permission,
    /// The file system, or the root, is for reading only.
    #[error("it is on a file system for reading only")]
    ReadOnly,
    /// The file system is full, or a quota is used up.
    #[error("no space is left")]
    NoSpace,
    /// It is a link, or of another kind than what is to be done with it wants.
    #[error("it is of another kind than was asked for")]
    WrongKind,
    /// Another file system is mounted there, or it is in use by the system.
    #[error("it is a mount point")]
    MountPoint,
    /// Another program of docent, or another call, is writing in this root and did not end in time.
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
            Failure::TooLarge | Failure::Io => Self::Io,
        }
    }
}

/// What a sync of a directory is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The names in it, as they were, outlive a loss of power.
    Durable,
    /// The platform has no such call: names become durable when it sees fit.
    Unknown,
}

/// Which file stands under a name, and in which state. Two equal ones mean, as far as the platform
/// can tell, that nothing was written between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// What it is.
    pub kind: Kind,
    /// Its size in bytes.
    pub size: u64,
    /// How many names the file has.
    pub links: u64,
    /// When its content last changed.
    pub modified: Option<Moment>,
    /// Which object it is; where the platform offers stamps, the stamp, which tells states of one
    /// object apart as well.
    pub identity: u128,
}

/// A file that was just made, open for writing.
pub trait NewFile {
    /// Adds `bytes` at the end.
    ///
    /// # Errors
    /// What the platform says; some of the bytes may then have been written.
    fn write(&mut self, bytes: &[u8]) -> Result<(), WriteFailure>;

    /// Returns when what was written would outlive a loss of power, provided that the name does.
    ///
    /// # Errors
    /// What the platform says; nothing is known of the content then.
    fn sync(&mut self) -> Result<(), WriteFailure>;
}

/// An open directory in which entries can be made, replaced and removed. Names are single
/// components, links are never followed, mounts never crossed. Only [`crate::write`] calls this.
pub trait WriteDirectory: Directory {
    /// What [`WriteDirectory::create_file`] gives.
    type NewFile: NewFile;

    /// Makes an empty file that only its owner can read, where the platform knows owners.
    ///
    /// # Errors
    /// [`WriteFailure::Exists`] when anything of this name is there; otherwise what the platform
    /// says.
    fn create_file(&self, name: &str) -> Result<Self::NewFile, WriteFailure>;

    /// Returns which file stands under `name`; of a link, the link's own.
    ///
    /// # Errors
    /// [`Failure`] says why there is none.
    fn version(&self, name: &str) -> Result<Version, Failure>;

    /// Returns when the system would let the file `name` be written to in its place, which no mode
    /// or owner forbids. Nothing of it changes.
    ///
    /// # Errors
    /// [`WriteFailure::Permission`] and [`WriteFailure::ReadOnly`]; what else keeps it from being
    /// written shows itself then.
    fn may_write(&self, name: &str) -> Result<(), WriteFailure>;

    /// Returns when the system would let the entry `name` be moved away or be replaced, or be made
    /// where there is none, as far as that can be told beforehand. Nothing changes.
    ///
    /// # Errors
    /// [`WriteFailure::Permission`] and [`WriteFailure::ReadOnly`].
    fn may_move(&self, name: &str) -> Result<(), WriteFailure>;

    /// Moves the file `name` to `to` in `directory`, where nothing may be. Where the platform cannot
    /// do both in one step, an empty file may come to stand there first.
    ///
    /// # Errors
    /// [`WriteFailure::Exists`] when something is there; otherwise what the platform says.
    fn move_new(&self, name: &str, directory: &Self, to: &str) -> Result<(), WriteFailure>;

    /// Puts the file `name` into the place of `to` in `directory`, in one step, if `to` is still
    /// `expected`. Hosts that can give it the mode, owner and attributes of what it replaces.
    ///
    /// # Errors
    /// [`WriteFailure::Changed`] when `to` is another by now. Where the platform cannot compare and
    /// replace in one step, what is written between the two is lost; docent's host can. Otherwise
    /// what the platform says.
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
    /// What the platform says.
    fn remove_file(&self, name: &str) -> Result<(), WriteFailure>;

    /// Makes an empty directory.
    ///
    /// # Errors
    /// [`WriteFailure::Exists`] when anything of this name is there; otherwise what the platform
    /// says.
    fn make_directory(&self, name: &str) -> Result<(), WriteFailure>;

    /// Removes the empty directory `name`.
    ///
    /// # Errors
    /// [`WriteFailure::NotEmpty`]; otherwise what the platform says.
    fn remove_directory(&self, name: &str) -> Result<(), WriteFailure>;

    /// Returns when the names that this directory holds would outlive a loss of power.
    ///
    /// # Errors
    /// What the platform says. That it knows no such call is no error, but
    /// [`Durability::Unknown`].
    fn sync(&self) -> Result<Durability, WriteFailure>;
}

/// Granted directories, some of which may be written to.
pub trait WriteDisk: Disk<Directory: WriteDirectory> {
    /// Opens root `index` of [`Disk::roots`] to change something in it. A host may let one at a time
    /// do that, so it is not how a root is read.
    ///
    /// # Errors
    /// [`Failure::NotFound`] when it is gone.
    fn open_root_for_writing(&self, index: usize) -> Result<Self::Directory, Failure> {
        self.open_root(index)
    }

    /// Opens the state directory of root `index` of [`Disk::roots`]: a directory outside all roots
    /// in which docent keeps what undoing needs. None where the host granted none.
    fn open_state(&self, index: usize) -> Option<Result<Self::Directory, Failure>>;

    /// Whether root `index` has a state directory. Nothing is opened: a host may keep others from
    /// writing while one is open.
    fn has_state(&self, index: usize) -> bool;
}
