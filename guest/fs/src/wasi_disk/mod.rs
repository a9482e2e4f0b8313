//! Files through raw WASI descriptors.

use std::rc::Rc;

use docent_api::extract::{self, ExtractedDocument, Limits, Member, MemberList};
use docent_tree::disk::{
    Directory, Disk, Entries, Entry, Failure, Kind, Moment, OpenFile, Root, Stamp, Stat,
    Surroundings,
};
use docent_tree::extractor::Extractor;
use wasi::clocks::wall_clock::Datetime;
use wasi::clocks::{monotonic_clock, wall_clock};
use wasi::filesystem::preopens;
use wasi::filesystem::types::{
    Descriptor, DescriptorFlags, DescriptorType, ErrorCode, MetadataHashValue, OpenFlags, PathFlags,
};

use crate::roots::{Preopen, absolute, name_roots, state_of};

mod write;

pub use write::WasiNewFile;

/// Maximum bytes that a `read` of a stock host returns. A shorter answer from a regular file is its
/// end, so that most documents take a single call.
const READ_CAP: usize = 64 * 1024;

/// Bytes requested at a time from a file longer than [`READ_CAP`]. docent's host returns up to this
/// number, so that a file of 64 MB takes some 64 calls instead of a thousand.
const LONG_READ: usize = 1024 * 1024;

/// Environment variable by which a host promises that `metadata-hash` changes with the content, as
/// the WASI documentation describes and wasmtime's own implementation does not.
const STAMPS: &str = "DOCENT_STAMPS";

/// Rights with which directories are opened for reading. A host may refuse to open a directory with
/// more rights than its root has, so directories are not opened for writing just in case.
const READING: DescriptorFlags = DescriptorFlags::READ;

/// Rights with which directories are opened for writing. Without them a host may refuse any change.
const WRITING: DescriptorFlags = DescriptorFlags::READ.union(DescriptorFlags::MUTATE_DIRECTORY);

/// The reliability of `metadata-hash`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stamps {
    Reliable,
    Unknown,
}

/// A disk of the preopened directories.
pub struct WasiDisk {
    roots: Vec<(Root, Descriptor)>,
    /// State directories, each with the name of the root that it belongs to.
    states: Vec<(String, Descriptor)>,
    stamps: Stamps,
}

impl WasiDisk {
    /// Creates a disk of the preopened directories of this instance.
    #[must_use]
    pub fn from_preopens() -> Self {
        let (descriptors, preopens): (Vec<Descriptor>, Vec<Preopen>) = preopens::get_directories()
            .into_iter()
            .map(|(descriptor, guest_path)| (descriptor, Preopen { guest_path }))
            .unzip();
        let names = name_roots(&preopens, |a, b| {
            descriptors[a].is_same_object(&descriptors[b])
        });
        let mut descriptors: Vec<Option<Descriptor>> = descriptors.into_iter().map(Some).collect();
        let roots = names
            .into_iter()
            .filter_map(|(index, name)| {
                let descriptor = descriptors[index].take()?;
                let writable = descriptor
                    .get_flags()
                    .is_ok_and(|flags| flags.contains(DescriptorFlags::MUTATE_DIRECTORY));
                let path = absolute(&preopens[index].guest_path);
                let root = Root {
                    name,
                    writable,
                    path,
                };
                Some((root, descriptor))
            })
            .collect();
        let states = descriptors
            .iter_mut()
            .zip(&preopens)
            .filter_map(|(descriptor, preopen)| {
                let root = state_of(&preopen.guest_path)?;
                Some((root, descriptor.take()?))
            })
            .collect();
        let stamps = match crate::environment::variable(STAMPS).as_deref() {
            Some("1") => Stamps::Reliable,
            _ => Stamps::Unknown,
        };
        Self {
            roots,
            states,
            stamps,
        }
    }

    fn open_root_with(
        &self,
        index: usize,
        rights: DescriptorFlags,
    ) -> Result<WasiDirectory, Failure> {
        let (_, descriptor) = self.roots.get(index).ok_or(Failure::NotFound)?;
        // The root is opened again as `.` instead of being handed out: a descriptor is closed when
        // it is dropped, and the root must stay open for the next call.
        open_directory(descriptor, ".", rights, self.stamps)
    }
}

impl Disk for WasiDisk {
    type Directory = WasiDirectory;

    fn roots(&self) -> Vec<Root> {
        self.roots.iter().map(|(root, _)| root.clone()).collect()
    }

    fn open_root(&self, index: usize) -> Result<WasiDirectory, Failure> {
        self.open_root_with(index, READING)
    }
}

impl Surroundings for WasiDisk {
    fn extractor(&self) -> Rc<dyn Extractor> {
        Rc::new(Imported)
    }

    fn monotonic_ms(&self) -> u64 {
        now_ms()
    }

    fn unix_ms(&self) -> i64 {
        let now = wall_clock::now();
        let seconds = i64::try_from(now.seconds).unwrap_or(i64::MAX);
        seconds
            .saturating_mul(1000)
            .saturating_add(i64::from(now.nanoseconds / 1_000_000))
    }
}

fn now_ms() -> u64 {
    monotonic_clock::now() / 1_000_000
}

/// The extractor that the component imports.
struct Imported;

impl Extractor for Imported {
    fn extract(
        &self,
        extension: &str,
        content: &[u8],
        limits: Limits,
    ) -> Result<ExtractedDocument, extract::Failure> {
        extract::extract(extension, content, limits)
    }

    fn list_members(
        &self,
        extension: &str,
        content: &[u8],
        limits: Limits,
    ) -> Result<MemberList, extract::Failure> {
        extract::list_members(extension, content, limits)
    }

    fn unpack(
        &self,
        extension: &str,
        content: &[u8],
        paths: Option<&[String]>,
        limits: Limits,
    ) -> Result<Vec<Member>, extract::Failure> {
        extract::unpack(extension, content, paths, limits)
    }

    fn monotonic_ms(&self) -> u64 {
        now_ms()
    }
}

/// An open directory.
pub struct WasiDirectory {
    descriptor: Descriptor,
    /// Rights with which directories below it are opened.
    rights: DescriptorFlags,
    stamps: Stamps,
}

impl WasiDirectory {
    /// Calls `take` for each entry, and returns the number of entries whose names are not UTF-8.
    fn each(&self, mut take: impl FnMut(String, Kind)) -> Result<u32, Failure> {
        let stream = self.descriptor.read_directory().map_err(failure)?;
        let mut unnamed = 0;
        loop {
            match stream.read_directory_entry() {
                Ok(Some(entry)) => {
                    // Hosts may list `.` and `..`, which are not entries of the directory.
                    if entry.name != "." && entry.name != ".." {
                        take(entry.name, kind(entry.type_));
                    }
                }
                Ok(None) => return Ok(unnamed),
                // This error concerns a single entry, whose name is not UTF-8; hosts continue with
                // the next one. `std::fs` ends the listing here without an error, and hides the
                // entries after it.
                Err(ErrorCode::IllegalByteSequence) => unnamed += 1,
                Err(code) => return Err(failure(code)),
            }
        }
    }
}

impl Directory for WasiDirectory {
    type File = WasiFile;

    fn entries(&self) -> Result<Entries, Failure> {
        let mut named = Vec::new();
        let unnamed = self.each(|name, kind| named.push(Entry { name, kind }))?;
        Ok(Entries { named, unnamed })
    }

    fn visit(&self, mut see: impl FnMut(&str, Kind)) -> Result<u32, Failure> {
        self.each(|name, kind| see(&name, kind))
    }

    fn open_directory(&self, name: &str) -> Result<Self, Failure> {
        open_directory(&self.descriptor, name, self.rights, self.stamps)
    }

    fn open_file(&self, name: &str) -> Result<WasiFile, Failure> {
        // A stock host opens files that are not regular, and opening a FIFO blocks one of its
        // threads until another program writes to it, which may be never. docent's host refuses
        // such files itself, as it promises with `DOCENT_STAMPS`, so the additional call is saved.
        if self.stamps == Stamps::Unknown {
            match self.metadata(name)?.kind {
                Kind::File => {}
                Kind::Symlink => return Err(Failure::Symlink),
                Kind::Directory | Kind::Other => return Err(Failure::WrongKind),
            }
        }
        let descriptor = self
            .descriptor
            .open_at(
                PathFlags::empty(),
                name,
                OpenFlags::empty(),
                DescriptorFlags::READ,
            )
            .map_err(failure)?;
        Ok(WasiFile {
            descriptor,
            stamps: self.stamps,
        })
    }

    fn stat(&self, name: &str) -> Result<Stat, Failure> {
        let stat = self
            .descriptor
            .stat_at(PathFlags::empty(), name)
            .map_err(failure)?;
        Ok(Stat {
            kind: kind(stat.type_),
            // The size of a directory or a link depends on the file system, and is reported as 0.
            size: if stat.type_ == DescriptorType::RegularFile {
                stat.size
            } else {
                0
            },
            modified: stat.data_modification_timestamp.map(moment),
            // WASI has no time of creation. wasmtime reports it in the field in which WASI has the
            // time of the last change of the status.
            created: stat.status_change_timestamp.map(moment),
            accessed: stat.data_access_timestamp.map(moment),
        })
    }

    fn stamp(&self) -> Option<Stamp> {
        match self.stamps {
            Stamps::Reliable => self.descriptor.metadata_hash().ok().map(stamp),
            Stamps::Unknown => None,
        }
    }

    fn stamp_of(&self, name: &str) -> Option<Stamp> {
        match self.stamps {
            Stamps::Reliable => self
                .descriptor
                .metadata_hash_at(PathFlags::empty(), name)
                .ok()
                .map(stamp),
            Stamps::Unknown => None,
        }
    }

    fn sum_of_stamps(&self) -> Option<Stamp> {
        // With `DOCENT_STAMPS` the host promises that the stamp of `.`, requested by name, is the
        // sum of the current stamps of all entries whose stamp it has returned. The stamp of the
        // directory itself is requested by its descriptor.
        self.stamp_of(".")
    }
}

/// A regular file, open for reading.
pub struct WasiFile {
    descriptor: Descriptor,
    stamps: Stamps,
}

impl OpenFile for WasiFile {
    fn stamp(&self) -> Option<Stamp> {
        match self.stamps {
            Stamps::Reliable => self.descriptor.metadata_hash().ok().map(stamp),
            Stamps::Unknown => None,
        }
    }

    fn read_all(&self, cap: usize) -> Result<Vec<u8>, Failure> {
        // Most documents end within the first read, which saves a call for their status.
        let (mut bytes, mut end) = self.read(READ_CAP, 0)?;
        // The status of a long file shows in advance if it is too long. A sparse file may be larger
        // than any memory, and reading it up to the limit would take time for nothing.
        if !end && let Ok(stat) = self.descriptor.stat() {
            match usize::try_from(stat.size) {
                // The memory is reserved at once, since growing the buffer step by step copies it.
                Ok(size) if size <= cap => bytes.reserve_exact(size.saturating_sub(bytes.len())),
                _ => return Err(Failure::TooLarge),
            }
        }
        // With exactly `cap` bytes one more read is needed: the file may or may not end there. The
        // size of the status does not decide, since the file may have grown since.
        while !end && bytes.len() <= cap {
            let (more, at_end) = self.read(LONG_READ, bytes.len())?;
            bytes.extend_from_slice(&more);
            end = at_end;
        }
        if bytes.len() > cap {
            Err(Failure::TooLarge)
        } else {
            Ok(bytes)
        }
    }

    fn read_head(&self, bytes: usize) -> Result<Vec<u8>, Failure> {
        let (mut head, mut end) = self.read(bytes, 0)?;
        while !end && head.len() < bytes {
            let (more, at_end) = self.read(bytes - head.len(), head.len())?;
            head.extend_from_slice(&more);
            end = at_end;
        }
        Ok(head)
    }

    fn read_at(&self, offset: u64, bytes: usize) -> Result<Vec<u8>, Failure> {
        let mut part: Vec<u8> = Vec::new();
        while part.len() < bytes {
            let at = offset + part.len() as u64;
            let read = self.descriptor.read((bytes - part.len()) as u64, at);
            let (more, end) = read.map_err(failure)?;
            part.extend_from_slice(&more);
            if end || more.is_empty() {
                break;
            }
        }
        Ok(part)
    }
}

impl WasiFile {
    /// Reads up to `length` bytes at `offset`, and returns true if the file ends with them.
    fn read(&self, length: usize, offset: usize) -> Result<(Vec<u8>, bool), Failure> {
        let (bytes, end) = self
            .descriptor
            .read(length as u64, offset as u64)
            .map_err(failure)?;
        // A stock host reports the end of a file only by an empty read. A short read of a regular
        // file is its end as well, which saves that call for most files.
        let end = end || bytes.len() < length.min(READ_CAP);
        Ok((bytes, end))
    }
}

fn open_directory(
    parent: &Descriptor,
    name: &str,
    rights: DescriptorFlags,
    stamps: Stamps,
) -> Result<WasiDirectory, Failure> {
    let descriptor = parent
        .open_at(PathFlags::empty(), name, OpenFlags::DIRECTORY, rights)
        .map_err(failure)?;
    Ok(WasiDirectory {
        descriptor,
        rights,
        stamps,
    })
}

fn kind(of: DescriptorType) -> Kind {
    match of {
        DescriptorType::RegularFile => Kind::File,
        DescriptorType::Directory => Kind::Directory,
        DescriptorType::SymbolicLink => Kind::Symlink,
        _ => Kind::Other,
    }
}

/// Converts a time. The seconds of WASI are unsigned; docent's host passes those before 1970 in
/// two's complement.
fn moment(time: Datetime) -> Moment {
    Moment {
        seconds: time.seconds.cast_signed(),
        nanoseconds: time.nanoseconds,
    }
}

fn stamp(hash: MetadataHashValue) -> Stamp {
    Stamp(u128::from(hash.upper) << 64 | u128::from(hash.lower))
}

fn failure(code: ErrorCode) -> Failure {
    match code {
        // An entry cannot have a name that is too long or malformed, so a name of 300 bytes is
        // simply not found.
        ErrorCode::NoEntry | ErrorCode::NameTooLong | ErrorCode::Invalid => Failure::NotFound,
        ErrorCode::Access | ErrorCode::NotPermitted => Failure::Permission,
        ErrorCode::Loop => Failure::Symlink,
        // `unsupported` is the error of docent's host for FIFOs, sockets and devices.
        ErrorCode::IsDirectory | ErrorCode::NotDirectory | ErrorCode::Unsupported => {
            Failure::WrongKind
        }
        ErrorCode::CrossDevice => Failure::MountPoint,
        _ => Failure::Io,
    }
}
