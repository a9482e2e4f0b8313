//! Files through cap-std, without a sandbox: the reference that the component is compared with.

use std::io::{self, Read as _, Seek as _};
use std::rc::Rc;
use std::time::Instant;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions};
use cap_std::time::SystemTime;
use docent_tree::disk::{
    Directory, Disk, Entries, Entry, Failure, Kind, Moment, OpenFile, Root, Stamp, Stat,
    Surroundings,
};
use docent_tree::extractor::{Extractor, Unconfined};

mod write;

pub use write::NativeNewFile;

/// `ELOOP`, for which std has no stable name.
const LINK_LOOP: i32 = if cfg!(target_os = "linux") { 40 } else { 62 };

/// A disk of directories that the caller has opened.
pub struct NativeDisk {
    roots: Vec<(Root, Dir)>,
    /// State directories, each with the name of the root that it belongs to.
    states: Vec<(String, Dir)>,
    start: Instant,
    stamps: StampFn,
}

/// A function that returns the stamp of an entry with this metadata, or `None` if the disk gives no
/// stamps.
type StampFn = fn(&Metadata) -> Option<Stamp>;

impl NativeDisk {
    /// Creates a disk of open directories, each with its name and right.
    #[must_use]
    pub fn new(roots: Vec<(Root, Dir)>) -> Self {
        Self {
            roots,
            states: Vec::new(),
            start: Instant::now(),
            stamps: |_| None,
        }
    }

    /// Adds the state directory of the root called `root`.
    #[must_use]
    pub fn with_state(mut self, root: &str, state: Dir) -> Self {
        self.states.push((root.to_owned(), state));
        self
    }

    /// Enables stamps, so that the core caches what it has read. A stamp consists of device, inode,
    /// size and times alone: two changes within one tick of the system's clock go unnoticed, which
    /// is good enough for benchmarks and for nothing else.
    #[cfg(unix)]
    #[must_use]
    pub fn with_stamps(self) -> Self {
        Self {
            stamps: |metadata| Some(stamp(metadata)),
            ..self
        }
    }
}

#[cfg(unix)]
fn stamp(metadata: &Metadata) -> Stamp {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};

    use cap_std::fs::MetadataExt as _;

    let mut hasher = DefaultHasher::new();
    let times = [
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ];
    (metadata.dev(), metadata.ino(), metadata.size(), times).hash(&mut hasher);
    Stamp(hasher.finish().into())
}

impl Disk for NativeDisk {
    type Directory = NativeDirectory;

    fn roots(&self) -> Vec<Root> {
        self.roots.iter().map(|(root, _)| root.clone()).collect()
    }

    fn open_root(&self, index: usize) -> Result<NativeDirectory, Failure> {
        let (_, dir) = self.roots.get(index).ok_or(Failure::NotFound)?;
        let dir = dir.try_clone().map_err(|error| failure(&error))?;
        Ok(NativeDirectory(dir, self.stamps))
    }
}

impl Surroundings for NativeDisk {
    fn extractor(&self) -> Rc<dyn Extractor> {
        Rc::new(Unconfined)
    }

    fn monotonic_ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn unix_ms(&self) -> i64 {
        unix_ms(std::time::SystemTime::now())
    }
}

/// An open directory.
pub struct NativeDirectory(Dir, StampFn);

impl Directory for NativeDirectory {
    type File = NativeFile;

    fn entries(&self) -> Result<Entries, Failure> {
        let mut entries = Entries::default();
        for entry in self.0.entries().map_err(|error| failure(&error))? {
            let entry = entry.map_err(|error| failure(&error))?;
            // The entry may have been removed since it was listed. Its kind is unknown then, and an
            // entry of unknown kind is never opened.
            let kind = entry.file_type().map_or(Kind::Other, kind);
            match entry.file_name().into_string() {
                Ok(name) => entries.named.push(Entry { name, kind }),
                Err(_) => entries.unnamed += 1,
            }
        }
        Ok(entries)
    }

    fn open_directory(&self, name: &str) -> Result<Self, Failure> {
        self.0
            .open_dir_nofollow(name)
            .map(|dir| Self(dir, self.1))
            .map_err(|error| failure(&error))
    }

    fn open_file(&self, name: &str) -> Result<NativeFile, Failure> {
        // The kind is checked first, because opening a FIFO waits until another program writes to
        // it.
        match self.metadata(name)?.kind {
            Kind::File => {}
            Kind::Symlink => return Err(Failure::Symlink),
            Kind::Directory | Kind::Other => return Err(Failure::WrongKind),
        }
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);
        self.0
            .open_with(name, &options)
            .map(|file| NativeFile(file, self.1))
            .map_err(|error| failure(&error))
    }

    fn stat(&self, name: &str) -> Result<Stat, Failure> {
        let metadata = self
            .0
            .symlink_metadata(name)
            .map_err(|error| failure(&error))?;
        let kind = kind(metadata.file_type());
        let moment = |time: io::Result<SystemTime>| time.ok().map(|time| moment(time.into_std()));
        Ok(Stat {
            kind,
            // The size of a directory or a link depends on the file system, and is reported as 0.
            size: if kind == Kind::File {
                metadata.len()
            } else {
                0
            },
            modified: moment(metadata.modified()),
            created: moment(metadata.created()),
            accessed: moment(metadata.accessed()),
        })
    }

    fn stamp(&self) -> Option<Stamp> {
        self.0.dir_metadata().ok().as_ref().and_then(self.1)
    }

    fn stamp_of(&self, name: &str) -> Option<Stamp> {
        self.0.symlink_metadata(name).ok().as_ref().and_then(self.1)
    }

    fn sum_of_stamps(&self) -> Option<Stamp> {
        // Only docent's host has such a sum. Callers compare each stamp instead.
        None
    }
}

/// A regular file, open for reading.
pub struct NativeFile(File, StampFn);

impl OpenFile for NativeFile {
    fn stamp(&self) -> Option<Stamp> {
        self.0.metadata().ok().as_ref().and_then(self.1)
    }

    fn read_all(&self, cap: usize) -> Result<Vec<u8>, Failure> {
        let told = |error: io::Error| failure(&error);
        let size = self.0.metadata().map_err(told)?.len();
        // One byte more distinguishes a longer file from one of exactly that length.
        let most = cap as u64 + 1;
        // The buffer is allocated at the reported size, because growing step by step would zero and
        // copy the memory each time. The size is only a hint: the file may have become shorter, and
        // the rest of a longer one is read below.
        let mut bytes = vec![0; size.min(most) as usize];
        let mut length = 0;
        while let Some(rest) = bytes.get_mut(length..).filter(|rest| !rest.is_empty()) {
            match (&self.0).read(rest) {
                Ok(0) => break,
                Ok(read) => length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(told(error)),
            }
        }
        bytes.truncate(length);
        let more = most - length as u64;
        (&self.0).take(more).read_to_end(&mut bytes).map_err(told)?;
        if bytes.len() > cap {
            Err(Failure::TooLarge)
        } else {
            Ok(bytes)
        }
    }

    fn read_head(&self, bytes: usize) -> Result<Vec<u8>, Failure> {
        let mut head = Vec::new();
        (&self.0)
            .take(bytes as u64)
            .read_to_end(&mut head)
            .map_err(|error| failure(&error))?;
        Ok(head)
    }

    fn read_at(&self, offset: u64, bytes: usize) -> Result<Vec<u8>, Failure> {
        let mut part = Vec::new();
        let mut file = &self.0;
        file.seek(io::SeekFrom::Start(offset))
            .and_then(|_| file.take(bytes as u64).read_to_end(&mut part))
            .map_err(|error| failure(&error))?;
        Ok(part)
    }
}

/// Returns the milliseconds since 1970, rounded down; negative before.
fn unix_ms(time: std::time::SystemTime) -> i64 {
    let whole = |milliseconds: u128| i64::try_from(milliseconds).unwrap_or(i64::MAX);
    match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => whole(after.as_millis()),
        Err(before) => -whole(before.duration().as_nanos().div_ceil(1_000_000)),
    }
}

fn moment(time: std::time::SystemTime) -> Moment {
    let whole = |duration: std::time::Duration| {
        i128::from(duration.as_secs()) * 1_000_000_000 + i128::from(duration.subsec_nanos())
    };
    Moment::from_nanoseconds(match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => whole(after),
        Err(before) => -whole(before.duration()),
    })
}

fn kind(of: FileType) -> Kind {
    if of.is_file() {
        Kind::File
    } else if of.is_dir() {
        Kind::Directory
    } else if of.is_symlink() {
        Kind::Symlink
    } else {
        Kind::Other
    }
}

fn failure(error: &io::Error) -> Failure {
    match error.kind() {
        // An entry cannot have a name that is too long or contains a NUL.
        io::ErrorKind::NotFound | io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename => {
            Failure::NotFound
        }
        io::ErrorKind::PermissionDenied => Failure::Permission,
        io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory => Failure::WrongKind,
        io::ErrorKind::CrossesDevices => Failure::MountPoint,
        _ if error.raw_os_error() == Some(LINK_LOOP) => Failure::Symlink,
        _ => Failure::Io,
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn times_before_1970_are_told_as_well() {
        assert_eq!(unix_ms(UNIX_EPOCH + Duration::from_micros(1_999)), 1);
        assert_eq!(unix_ms(UNIX_EPOCH - Duration::from_micros(1_999)), -2);
        assert_eq!(unix_ms(UNIX_EPOCH - Duration::from_secs(60)), -60_000);
    }
}
