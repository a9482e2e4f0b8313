//! File access beneath a directory with `openat2`.

mod renaming;
mod watches;

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;
use std::time::SystemTime;

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RawDir, ResolveFlags, Stat, Statx, StatxAttributes,
    StatxFlags,
};
use rustix::io::Errno;

use wasmtime_wasi::p2::bindings::sync::filesystem::types::DescriptorType;

use super::object::{
    Creation, ExpectedKind, ListedEntry, ObjectKind, OldContent, Opened, Readers, Status,
    WriteAccess, WriteOptions,
};
use super::stamp::StatFields;
use crate::right::Identity;

pub(crate) use renaming::{may_move, rename};
pub(crate) use watches::LinuxWatches;

/// The permission bits that allow anyone to write.
const WRITABLE: Mode = Mode::WUSR.union(Mode::WGRP).union(Mode::WOTH);

// The person granted a directory and nothing that it points to. A symbolic link may lead to
// `/etc`; a link in `/proc/PID/root` or `/proc/PID/fd`, a magic link, leads to any object
// without a path that could be checked; and a mounted file system belongs to somebody else and
// may never answer. The kernel checks all three at each component, so there is no window
// between check and use.
const NO_WAY_OUT: ResolveFlags = ResolveFlags::NO_SYMLINKS
    .union(ResolveFlags::NO_MAGICLINKS)
    .union(ResolveFlags::NO_XDEV);

/// Returns the resolve flags that keep a path beneath the directory. A single component cannot
/// leave it anyway, and is spared the check for `..`, for which the kernel takes a lock that all
/// threads share.
fn beneath(path: &str) -> ResolveFlags {
    if is_single(path) {
        NO_WAY_OUT
    } else {
        NO_WAY_OUT.union(ResolveFlags::BENEATH)
    }
}

/// Open flags that neither block nor acquire a controlling terminal.
const HARMLESS: OFlags = OFlags::NONBLOCK
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Open flags that name an object without opening it: only search permission is needed, and a
/// device or FIFO is not affected.
const NAME_ONLY: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens the directory at `path`, which the person who starts the host named. Symbolic links were
/// resolved when it was granted; one that is there now was not granted.
pub(crate) fn open_root_ambient(path: &Path) -> io::Result<File> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // Mounts on the way to a root are crossed: `/home` or `/mnt/data` are usually mount points.
    // Beneath a root they are not. Symbolic links are refused on the way too, since the path
    // was resolved when it was granted.
    let resolve = ResolveFlags::NO_SYMLINKS;
    Ok(retry(|| rustix::fs::openat2(CWD, path, flags, Mode::empty(), resolve))?.into())
}

/// Reopens a directory so that it can be locked.
pub(crate) fn lockable(directory: &File) -> io::Result<File> {
    // A root is held with `O_PATH`, and `flock` fails on such a descriptor. The directory is
    // opened again by its own `.`, which cannot lead to another directory.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(directory, ".", flags, Mode::empty())?.into())
}

/// Opens an empty file that is not part of any directory tree.
pub(crate) fn empty_file() -> io::Result<File> {
    Ok(rustix::fs::memfd_create("docent", rustix::fs::MemfdFlags::CLOEXEC)?.into())
}

/// Returns the identity of the object at `path`; none if there is none.
pub(crate) fn identity_of_path_ambient(path: &Path) -> Option<Identity> {
    identity(&open_root_ambient(path).ok()?).ok()
}

/// Returns the identity of an open object.
pub(crate) fn identity(file: &File) -> io::Result<Identity> {
    let stat = rustix::fs::fstat(file)?;
    Ok(Identity::new(stat.st_dev, stat.st_ino))
}

/// Opens the object at `path` beneath `directory` for reading.
///
/// The object is first opened with `O_PATH`, inspected, and only then reopened through that
/// descriptor: anything but a regular file or a directory is never opened, not even for a moment,
/// whoever swaps it.
pub(crate) fn open(directory: &File, path: &str, expected: ExpectedKind) -> io::Result<Opened> {
    // A directory is not reopened: `O_PATH` descriptors suffice for opening entries beneath it,
    // and opening with `O_PATH` neither blocks nor has any effect on the object.
    if expected == ExpectedKind::Directory {
        return name(directory, path, OFlags::DIRECTORY).map(Opened::Directory);
    }
    let named = name(directory, path, OFlags::empty())?;
    match kind(&named)? {
        ObjectKind::Regular => reopen(&named, OFlags::RDONLY).map(Opened::Regular),
        ObjectKind::Directory => Ok(Opened::Directory(named)),
        other => Err(refusal(other)),
    }
}

/// Opens the entry `name` of `directory`, which a listing has just shown to be a regular file, for
/// reading, and returns its size as well. This skips the `O_PATH` step, which saves a third of the
/// time of a search.
///
/// If the entry has become something else in the meantime, opening it does not block, and it is
/// refused; a process that waits for a reader of a FIFO swapped in at this moment may notice.
pub(crate) fn open_listed(directory: &File, name: &str) -> io::Result<(File, u64)> {
    // The open does not block. Opening a FIFO for reading would wait for a writer, which may
    // never come, and hold this thread; with `O_NONBLOCK` it returns at once, the kind is seen,
    // and the FIFO is closed unread.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | HARMLESS;
    let mode = Mode::empty();
    let file: File =
        retry(|| rustix::fs::openat2(directory, name, flags, mode, beneath(name)))?.into();
    let stat = rustix::fs::fstat(&file)?;
    match kind_from(FileType::from_raw_mode(stat.st_mode)) {
        ObjectKind::Regular => Ok((file, u64::try_from(stat.st_size).unwrap_or_default())),
        other => Err(refusal(other)),
    }
}

fn kind(file: &File) -> io::Result<ObjectKind> {
    Ok(kind_from(FileType::from_raw_mode(
        rustix::fs::fstat(file)?.st_mode,
    )))
}

fn kind_from(of: FileType) -> ObjectKind {
    match of {
        FileType::RegularFile => ObjectKind::Regular,
        FileType::Directory => ObjectKind::Directory,
        FileType::Symlink => ObjectKind::Link,
        FileType::Fifo => ObjectKind::Other(DescriptorType::Fifo),
        FileType::Socket => ObjectKind::Other(DescriptorType::Socket),
        FileType::CharacterDevice => ObjectKind::Other(DescriptorType::CharacterDevice),
        FileType::BlockDevice => ObjectKind::Other(DescriptorType::BlockDevice),
        FileType::Unknown => ObjectKind::Other(DescriptorType::Unknown),
    }
}

/// Returns the error for an object of a kind that is never opened.
fn refusal(kind: ObjectKind) -> io::Error {
    match kind {
        ObjectKind::Directory => Errno::ISDIR,
        ObjectKind::Link => Errno::LOOP,
        ObjectKind::Regular | ObjectKind::Other(_) => Errno::NOTSUP,
    }
    .into()
}

/// Opens or creates the regular file at `path` beneath `directory` for writing.
pub(crate) fn open_for_writing(
    directory: &File,
    path: &str,
    writing: WriteOptions,
) -> io::Result<File> {
    let access = match writing.access {
        WriteAccess::Write => OFlags::WRONLY,
        WriteAccess::ReadWrite => OFlags::RDWR,
    };
    match name(directory, path, OFlags::empty()) {
        Ok(named) => {
            if writing.creation == Creation::Exclusive {
                return Err(Errno::EXIST.into());
            }
            let kind = kind(&named)?;
            if kind != ObjectKind::Regular {
                return Err(refusal(kind));
            }
            // A file without any write permission is refused even where the process could write
            // to it, as root can. Taking away all write bits is how people protect a file from
            // change.
            let mode = Mode::from_raw_mode(rustix::fs::fstat(&named)?.st_mode);
            if !mode.intersects(WRITABLE) {
                return Err(Errno::ACCESS.into());
            }
            let truncation = match writing.content {
                OldContent::Kept => OFlags::empty(),
                OldContent::Truncated => OFlags::TRUNC,
            };
            reopen(&named, access | truncation)
        }
        Err(error)
            if error.raw_os_error() == Some(Errno::NOENT.raw_os_error())
                && writing.creation != Creation::Never =>
        {
            // `O_EXCL` makes the kernel fail if the name exists by now. Without it, a FIFO or a
            // device that was created after the look above would be opened for writing.
            let flags = access | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            let mode = Mode::from_raw_mode(match writing.readers {
                Readers::Owner => 0o600,
                // The kernel applies the umask, so the new file is as private as the person's
                // other files.
                Readers::Usual => 0o666,
            });
            Ok(retry(|| rustix::fs::openat2(directory, path, flags, mode, beneath(path)))?.into())
        }
        Err(error) => Err(error),
    }
}

/// Opens the object at `path` beneath `directory` with `O_PATH`.
fn name(directory: &File, path: &str, more: OFlags) -> io::Result<File> {
    let flags = NAME_ONLY | more;
    Ok(retry(|| rustix::fs::openat2(directory, path, flags, Mode::empty(), beneath(path)))?.into())
}

/// Reopens the object of an `O_PATH` descriptor.
fn reopen(named: &File, flags: OFlags) -> io::Result<File> {
    // Linux has no other way to turn an `O_PATH` descriptor into one for reading. The link
    // leads to the object that the descriptor names, and not to its path: a symbolic link that
    // was swapped in since is not even looked at.
    let path = format!("/proc/self/fd/{}", named.as_raw_fd());
    Ok(rustix::fs::openat(CWD, path.as_str(), flags | HARMLESS, Mode::empty())?.into())
}

/// Retries `openat2` while it returns EAGAIN, which it does when a concurrent rename in the tree
/// could have led it outside.
fn retry<T>(mut attempt: impl FnMut() -> rustix::io::Result<T>) -> io::Result<T> {
    // The kernel returns EAGAIN when it cannot rule out that a rename or a mount during the
    // lookup has led `..` outside the directory. A program that renames without end could hold
    // the call forever, so the error is returned after some attempts.
    const ATTEMPTS: usize = 32;
    for _ in 1..ATTEMPTS {
        match attempt() {
            Err(Errno::AGAIN | Errno::INTR) => {}
            result => return Ok(result?),
        }
    }
    Ok(attempt()?)
}

/// Reads at most `length` bytes at `offset`; a shorter result means the end of the file. Memory is
/// reserved for `likely` bytes, and for more only if there are more.
pub(crate) fn read(file: &File, length: usize, offset: u64, likely: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length.min(likely.max(1)));
    while bytes.len() < length {
        if bytes.len() == bytes.capacity() {
            // The file has grown since its size was read, or its size was not known. More is
            // reserved at once, up to `length`, which the caller has limited.
            bytes.reserve_exact(length - bytes.len());
        }
        let position = offset + bytes.len() as u64;
        match rustix::io::pread(file, rustix::buffer::spare_capacity(&mut bytes), position) {
            // A read of a regular file is only short at its end, so a short read saves the call
            // that would return zero bytes.
            Ok(_) if bytes.len() < bytes.capacity() => break,
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}

/// Returns the status of the object at `path` beneath `directory`; a symbolic link is not followed.
///
/// The object is first opened with `O_PATH`: a file system that is mounted there does not belong to
/// the directory, and may never answer. Opening with `O_PATH` does not query it.
pub(crate) fn status_at(directory: &File, path: &str) -> io::Result<Status> {
    status(&name(directory, path, OFlags::empty())?)
}

/// Returns the status of the object at `path`, the fields of its stamp, and a descriptor that pins
/// it: while the descriptor is open, no other object can get its inode number.
pub(crate) fn look_at(
    directory: &File,
    path: &str,
) -> io::Result<(Status, StatFields, Option<File>)> {
    let named = name(directory, path, OFlags::empty())?;
    Ok((status(&named)?, stat_fields(&named)?, Some(named)))
}

/// Returns the status of the entry `name` of `directory`, which a listing has just shown to be a
/// regular file. This skips the `O_PATH` step, which saves half of the time.
pub(crate) fn status_listed(directory: &File, name: &str) -> io::Result<Status> {
    let stat = statx(directory, name)?;
    // Kernels before 5.8 do not report mount points. On those, the object is opened with
    // `O_PATH` first, where `openat2` refuses to cross a mount.
    if !stat
        .stx_attributes_mask
        .contains(StatxAttributes::MOUNT_ROOT)
    {
        return status_at(directory, name);
    }
    if stat.stx_attributes.contains(StatxAttributes::MOUNT_ROOT) {
        return Err(Errno::XDEV.into());
    }
    Ok(status_from(&stat))
}

/// Returns the status of an open object.
pub(crate) fn status(file: &File) -> io::Result<Status> {
    Ok(status_from(&statx(file, "")?))
}

fn statx(directory: &File, path: &str) -> rustix::io::Result<Statx> {
    // A status query must not change anything. Without `AT_NO_AUTOMOUNT`, asking for the status
    // of an automount point mounts it, so a guest could mount a network drive by looking at its
    // name.
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::EMPTY_PATH | AtFlags::NO_AUTOMOUNT;
    rustix::fs::statx(
        directory,
        path,
        flags,
        StatxFlags::BASIC_STATS | StatxFlags::BTIME,
    )
}

fn status_from(stat: &Statx) -> Status {
    // A file system that does not keep a time leaves its fields zero, which would read as 1
    // January 1970. The mask has a bit for each valid field.
    let kept = StatxFlags::from_bits_retain(stat.stx_mask);
    let time = |flag: StatxFlags, seconds: i64, nanoseconds: u32| {
        kept.contains(flag).then_some((seconds, nanoseconds))
    };
    Status {
        kind: kind_from(FileType::from_raw_mode(stat.stx_mode.into())),
        links: stat.stx_nlink.into(),
        size: stat.stx_size,
        accessed: time(
            StatxFlags::ATIME,
            stat.stx_atime.tv_sec,
            stat.stx_atime.tv_nsec,
        ),
        modified: time(
            StatxFlags::MTIME,
            stat.stx_mtime.tv_sec,
            stat.stx_mtime.tv_nsec,
        ),
        born: time(
            StatxFlags::BTIME,
            stat.stx_btime.tv_sec,
            stat.stx_btime.tv_nsec,
        ),
    }
}

/// Returns the fields of the stamp of `path` beneath `directory`.
pub(crate) fn stat_fields_at(directory: &File, path: &str) -> io::Result<StatFields> {
    if is_single(path) {
        // The `O_PATH` step is skipped: it would double the time of every call that finds
        // nothing changed. A mount is crossed by this query alone, and its stamp only shows
        // that another object is there now, with another device number.
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
        return Ok(stat_fields_from(&rustix::fs::statat(
            directory, path, flags,
        )?));
    }
    stat_fields(&name(directory, path, OFlags::empty())?)
}

/// Returns the fields of the stamp of an open object.
pub(crate) fn stat_fields(file: &File) -> io::Result<StatFields> {
    Ok(stat_fields_from(&rustix::fs::fstat(file)?))
}

fn stat_fields_from(stat: &Stat) -> StatFields {
    StatFields {
        device: stat.st_dev,
        inode: stat.st_ino,
        size: u64::try_from(stat.st_size).unwrap_or_default(),
        modified: (
            stat.st_mtime,
            u32::try_from(stat.st_mtime_nsec).unwrap_or_default(),
        ),
        changed: (
            stat.st_ctime,
            u32::try_from(stat.st_ctime_nsec).unwrap_or_default(),
        ),
    }
}

/// Returns true if `path` is one component, which can only lead to an entry of the directory.
fn is_single(path: &str) -> bool {
    !path.is_empty() && path != ".." && !path.contains('/')
}

/// Returns the current time of the clock from which the kernel takes file times; stamps settle by
/// it.
pub(crate) fn file_time_now() -> SystemTime {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
    let nanoseconds = u32::try_from(now.tv_nsec).unwrap_or_default();
    SystemTime::UNIX_EPOCH + std::time::Duration::new(seconds, nanoseconds)
}

/// Bytes of directory entries requested from the kernel at once.
const LISTING_BYTES: usize = 32 * 1024;

/// An iterator over a directory; its memory is bounded by the entries that the kernel returns at
/// once.
pub(crate) struct LinuxListing {
    directory: OwnedFd,
    /// Entries that were read and not yet returned, the next one last.
    waiting: Vec<ListedEntry>,
}

/// Lists an open directory.
pub(crate) fn list(directory: &File) -> io::Result<LinuxListing> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(LinuxListing {
        // A directory is held with `O_PATH`, and such a descriptor cannot be listed. Opening
        // its own `.` cannot lead to another directory.
        directory: rustix::fs::openat(directory, ".", flags, Mode::empty())?,
        waiting: Vec::new(),
    })
}

impl LinuxListing {
    /// Returns the next entry other than `.` and `..`, or none at the end.
    pub(crate) fn next(&mut self) -> Option<io::Result<ListedEntry>> {
        if self.waiting.is_empty()
            && let Err(error) = self.refill()
        {
            return Some(Err(error.into()));
        }
        self.waiting.pop().map(Ok)
    }

    /// Reads the next entries from the kernel; none at the end.
    fn refill(&mut self) -> rustix::io::Result<()> {
        // The buffer lives only for this call. A guest may hold many listings, and 32 KiB for
        // each would be memory of the host that no limit of the guest covers.
        let mut buffer = Vec::with_capacity(LISTING_BYTES);
        let mut raw = RawDir::new(&self.directory, buffer.spare_capacity_mut());
        while let Some(entry) = raw.next() {
            let entry = entry?;
            let name = entry.file_name();
            if !matches!(name.to_bytes(), b"." | b"..") {
                let kind = match entry.file_type() {
                    // Some file systems list names without types.
                    FileType::Unknown => kind_of(&self.directory, name),
                    kind => kind,
                };
                self.waiting.push(ListedEntry {
                    name: name.to_str().ok().map(str::to_owned),
                    kind: kind_from(kind),
                });
            }
            // The loop ends when the kernel's buffer is used up, and not before there is at
            // least one entry: a buffer that contains nothing but `.` and `..` is not the end
            // of the directory.
            if raw.is_buffer_empty() && !self.waiting.is_empty() {
                break;
            }
        }
        // The entries are returned from the end of the vector, which moves nothing, so they are
        // reversed once to keep the kernel's order.
        self.waiting.reverse();
        Ok(())
    }
}

/// Returns the type of an entry whose type the file system does not list.
fn kind_of(directory: &OwnedFd, name: &CStr) -> FileType {
    // Some file systems list names without types. The object is opened with `O_PATH` first, as
    // for any status, so that a mount is not crossed and a device is not touched.
    let flags = NAME_ONLY;
    let named = rustix::fs::openat2(directory, name, flags, Mode::empty(), NO_WAY_OUT);
    match named.and_then(|named| rustix::fs::fstat(&named)) {
        Ok(stat) => FileType::from_raw_mode(stat.st_mode),
        // EXDEV shows that it is a mount point, and so a directory.
        Err(Errno::XDEV) => FileType::Directory,
        Err(_) => FileType::Unknown,
    }
}

/// Splits `path` into its parent directory, opened, and its last component.
fn parent<'a>(directory: &File, path: &'a str) -> io::Result<(File, &'a str)> {
    let path = path.trim_end_matches('/');
    let (above, last) = path.rsplit_once('/').unwrap_or((".", path));
    if matches!(last, "" | "." | "..") {
        return Err(Errno::INVAL.into());
    }
    Ok((name(directory, above, OFlags::DIRECTORY)?, last))
}

/// Creates the directory `path`.
pub(crate) fn create_directory(directory: &File, path: &str, readers: Readers) -> io::Result<()> {
    let (parent, last) = parent(directory, path)?;
    let mode = Mode::from_raw_mode(match readers {
        Readers::Owner => 0o700,
        Readers::Usual => 0o777,
    });
    Ok(rustix::fs::mkdirat(parent, last, mode)?)
}

/// Removes the empty directory `path`.
pub(crate) fn remove_directory(directory: &File, path: &str) -> io::Result<()> {
    let (parent, last) = parent(directory, path)?;
    Ok(rustix::fs::unlinkat(parent, last, AtFlags::REMOVEDIR)?)
}

/// Removes the file `path`; a symbolic link is not followed.
pub(crate) fn remove_file(directory: &File, path: &str) -> io::Result<()> {
    let (parent, last) = parent(directory, path)?;
    Ok(rustix::fs::unlinkat(parent, last, AtFlags::empty())?)
}

/// Sets the times of `path`; a time of none is left unchanged.
pub(crate) fn set_times(directory: &File, path: &str, times: std::fs::FileTimes) -> io::Result<()> {
    match open(directory, path, ExpectedKind::Anything)? {
        Opened::Regular(file) => file.set_times(times),
        Opened::Directory(named) => {
            // Times cannot be set through an `O_PATH` descriptor, so the directory is opened
            // again by its own `.`.
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let readable = rustix::fs::openat(&named, ".", flags, Mode::empty())?;
            File::from(readable).set_times(times)
        }
    }
}
