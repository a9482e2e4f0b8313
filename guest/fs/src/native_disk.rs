//! Files through cap-std, outside any sandbox: the reference that the component is held against.

use std::io::{self, Read as _};
use std::time::Instant;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, File, FileType, OpenOptions};
use cap_std::time::SystemTime;
use docent_core::disk::{
    Directory, Disk, Entries, Entry, Failure, Kind, Moment, OpenFile, Root, Stamp, Stat,
};

/// `ELOOP`, which std has no stable name for.
const LINK_LOOP: i32 = if cfg!(target_os = "linux") { 40 } else { 62 };

/// Directories that were opened by the caller.
pub struct NativeDisk {
    roots: Vec<(Root, Dir)>,
    start: Instant,
}

impl NativeDisk {
    /// Takes over open directories, each with its name and right.
    #[must_use]
    pub fn new(roots: Vec<(Root, Dir)>) -> Self {
        Self {
            roots,
            start: Instant::now(),
        }
    }
}

impl Disk for NativeDisk {
    type Directory = NativeDirectory;

    fn roots(&self) -> Vec<Root> {
        self.roots.iter().map(|(root, _)| root.clone()).collect()
    }

    fn open_root(&self, index: usize) -> Result<NativeDirectory, Failure> {
        let (_, dir) = self.roots.get(index).ok_or(Failure::NotFound)?;
        dir.try_clone()
            .map(NativeDirectory)
            .map_err(|error| failure(&error))
    }

    fn monotonic_ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// An open directory.
pub struct NativeDirectory(Dir);

impl Directory for NativeDirectory {
    type File = NativeFile;

    fn entries(&self) -> Result<Entries, Failure> {
        let mut entries = Entries::default();
        for entry in self.0.entries().map_err(|error| failure(&error))? {
            let entry = entry.map_err(|error| failure(&error))?;
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
            .map(Self)
            .map_err(|error| failure(&error))
    }

    fn open_file(&self, name: &str) -> Result<NativeFile, Failure> {
        match self.metadata(name)?.kind {
            Kind::File => {}
            Kind::Symlink => return Err(Failure::Symlink),
            Kind::Directory | Kind::Other => return Err(Failure::WrongKind),
        }
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);
        self.0
            .open_with(name, &options)
            .map(NativeFile)
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
        None
    }

    fn stamp_of(&self, _name: &str) -> Option<Stamp> {
        None
    }

    fn sum_of_stamps(&self) -> Option<Stamp> {
        None
    }
}

/// A regular file, open for reading.
pub struct NativeFile(File);

impl OpenFile for NativeFile {
    fn stamp(&self) -> Option<Stamp> {
        None
    }

    fn read_all(&self, cap: usize) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        (&self.0)
            .take(cap as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| failure(&error))?;
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
