//! File access beneath a directory with cap-std, component by component, for systems without
//! `openat2`.
//!
//! It is weaker than on Linux in one way: an object is inspected and then opened in two steps. A
//! program that swaps entries at the right moment can have a FIFO or device opened for an instant
//! (it is refused before anything is read), and a file system that is mounted onto a file is not
//! detected. Size and times of mount points are reported as well.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use cap_fs_ext::{DirExt as _, FollowSymlinks, MetadataExt as _, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, DirBuilder, Metadata, OpenOptions, ReadDir};
use wasmtime_wasi::p2::bindings::sync::filesystem::types::DescriptorType;

use super::object::{
    Creation, ExpectedKind, ListedEntry, ModeAlone, ObjectKind, OldContent, Opened, Readers,
    Renaming, ReplaceCondition, Status, WriteAccess, WriteOptions,
};
use super::stamp::StatFields;
use crate::right::Identity;

/// The bit of a directory's mode that lets only owners move and remove its entries.
#[cfg(unix)]
const STICKY: u32 = 0o1000;

/// The kind of objects that this module cannot distinguish: FIFOs, sockets and devices.
const UNKNOWN: ObjectKind = ObjectKind::Other(DescriptorType::Unknown);

/// Opens the directory at `path`, which the person who starts the host named.
pub(crate) fn open_root_ambient(path: &Path) -> io::Result<File> {
    // The path was resolved when it was granted, so none of its components was a symbolic link
    // then. A component that is a link now leads to a directory that was not granted: renaming
    // `/srv/notes` and putting a link to `/etc` in its place must not grant `/etc`.
    for passed in path.ancestors().filter(|passed| passed.parent().is_some()) {
        if std::fs::symlink_metadata(passed)?.is_symlink() {
            return Err(link_refused());
        }
    }
    Ok(Dir::open_ambient_dir(path, cap_std::ambient_authority())?.into_std_file())
}

/// Returns a handle to a directory that can be locked, on systems that lock directories. It shares
/// its lock with `directory`.
pub(crate) fn lockable(directory: &File) -> io::Result<File> {
    directory.try_clone()
}

/// Opens an empty file that is not part of any directory tree.
pub(crate) fn empty_file() -> io::Result<File> {
    File::open(if cfg!(windows) { "NUL" } else { "/dev/null" })
}

/// Returns the identity of the object at `path`; none if there is none.
pub(crate) fn identity_of_path_ambient(path: &Path) -> Option<Identity> {
    identity(&open_root_ambient(path).ok()?).ok()
}

/// Returns the identity of an open object.
pub(crate) fn identity(file: &File) -> io::Result<Identity> {
    let metadata = Metadata::from_file(file)?;
    Ok(Identity::new(metadata.dev(), metadata.ino()))
}

/// Opens the object at `path` beneath `directory` for reading.
pub(crate) fn open(directory: &File, path: &str, expected: ExpectedKind) -> io::Result<Opened> {
    let (parent, last) = walk(directory, path)?;
    let Some(last) = last else {
        return Ok(Opened::Directory(parent.into_std_file()));
    };
    match (kind(&parent.symlink_metadata(last)?), expected) {
        (ObjectKind::Directory, _) => Ok(Opened::Directory(enter(&parent, last)?.into_std_file())),
        (ObjectKind::Regular, ExpectedKind::Anything) => {
            open_regular(&parent, last, OpenOptions::new().read(true)).map(Opened::Regular)
        }
        (ObjectKind::Regular, ExpectedKind::Directory) => Err(io::ErrorKind::NotADirectory.into()),
        (ObjectKind::Link, _) => Err(link_refused()),
        (ObjectKind::Other(_), _) => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Opens the entry `name` of `directory`, which a listing has just shown to be a regular file, for
/// reading, and returns its size as well.
pub(crate) fn open_listed(directory: &File, name: &str) -> io::Result<(File, u64)> {
    match open(directory, name, ExpectedKind::Anything)? {
        Opened::Regular(file) => {
            let size = file.metadata()?.len();
            Ok((file, size))
        }
        Opened::Directory(_) => Err(io::ErrorKind::IsADirectory.into()),
    }
}

/// Opens or creates the regular file at `path` beneath `directory` for writing.
pub(crate) fn open_for_writing(
    directory: &File,
    path: &str,
    writing: WriteOptions,
) -> io::Result<File> {
    let (parent, last) = walk(directory, path)?;
    let last = last.ok_or(io::ErrorKind::IsADirectory)?;
    let mut options = OpenOptions::new();
    options
        .write(true)
        .read(writing.access == WriteAccess::ReadWrite);
    match parent.symlink_metadata(last) {
        Ok(metadata) => match kind(&metadata) {
            _ if writing.creation == Creation::Exclusive => {
                Err(io::ErrorKind::AlreadyExists.into())
            }
            // A file without any write permission is refused even where the process could write
            // to it, as root can. Taking away all write bits is how people protect a file from
            // change.
            ObjectKind::Regular if metadata.permissions().readonly() => {
                Err(io::ErrorKind::PermissionDenied.into())
            }
            ObjectKind::Regular => {
                options.truncate(writing.content == OldContent::Truncated);
                open_regular(&parent, last, &mut options)
            }
            ObjectKind::Directory => Err(io::ErrorKind::IsADirectory.into()),
            ObjectKind::Link => Err(link_refused()),
            ObjectKind::Other(_) => Err(io::ErrorKind::Unsupported.into()),
        },
        Err(error)
            if error.kind() == io::ErrorKind::NotFound && writing.creation != Creation::Never =>
        {
            #[cfg(unix)]
            if writing.readers == Readers::Owner {
                use cap_std::fs::OpenOptionsExt as _;
                options.mode(0o600);
            }
            #[cfg(not(unix))]
            let _ = writing.readers;
            open_regular(&parent, last, options.create_new(true))
        }
        Err(error) => Err(error),
    }
}

/// Opens a file that was seen to be regular, and checks its kind again.
fn open_regular(parent: &Dir, name: &str, options: &mut OpenOptions) -> io::Result<File> {
    options.follow(FollowSymlinks::No);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        // Between the check and this call another program may have replaced the file. Opening a
        // FIFO without `O_NONBLOCK` waits for a writer that may never come, and opening a
        // terminal without `O_NOCTTY` may make it the controlling terminal of the process.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    let file = parent.open_with(name, options)?.into_std();
    // The earlier check was of a name, and this one is of the open object. Without it, an
    // object that was swapped in between the two would be read.
    match kind(&Metadata::from_file(&file)?) {
        ObjectKind::Regular => Ok(file),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Walks to the parent directory of the last component of `path`; the component is none if the path
/// denotes `directory` itself.
fn walk<'a>(directory: &File, path: &'a str) -> io::Result<(Dir, Option<&'a str>)> {
    // cap-std closes the directory that it is given, and the guest's has to stay open.
    let mut parent = Dir::from_std_file(directory.try_clone()?);
    let mut segments = path
        .split('/')
        .filter(|segment| !matches!(*segment, "" | "."))
        .peekable();
    // POSIX requires `ENOENT` for an empty path.
    if path.is_empty() {
        return Err(io::ErrorKind::NotFound.into());
    }
    if path.starts_with('/') {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    while let Some(segment) = segments.next() {
        // `..` is refused and not resolved. The parent of a directory that was moved meanwhile
        // is another one, and may lie outside the root. A guest has a descriptor of the
        // directories that it was given, or opened itself, and can name the target from there.
        if segment == ".." || segment.contains('\\') && cfg!(windows) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        if segments.peek().is_none() {
            return Ok((parent, Some(segment)));
        }
        parent = enter(&parent, segment)?;
    }
    Ok((parent, None))
}

/// Opens a directory on the same file system.
fn enter(parent: &Dir, name: &str) -> io::Result<Dir> {
    let inner = parent.open_dir_nofollow(name)?;
    // A mount point has another device number than its parent. The device number is the only
    // sign of a mount that every system offers; a mount within one device, such as a bind
    // mount, is not noticed here.
    if inner.dir_metadata()?.dev() != parent.dir_metadata()?.dev() {
        return Err(io::ErrorKind::CrossesDevices.into());
    }
    Ok(inner)
}

/// Reads at most `length` bytes at `offset`; a shorter result means the end of the file. Memory is
/// reserved for `likely` bytes, and for more only if there are more.
pub(crate) fn read(file: &File, length: usize, offset: u64, likely: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length.min(likely.max(1))];
    let mut filled = 0;
    while filled < length {
        if filled == bytes.len() {
            bytes.resize(length, 0);
        }
        #[cfg(unix)]
        let result = {
            use std::os::unix::fs::FileExt as _;
            file.read_at(&mut bytes[filled..], offset + filled as u64)
        };
        #[cfg(windows)]
        let result = {
            use std::os::windows::fs::FileExt as _;
            file.seek_read(&mut bytes[filled..], offset + filled as u64)
        };
        match result {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// Returns the status of the object at `path` beneath `directory`; a symbolic link is not followed.
pub(crate) fn status_at(directory: &File, path: &str) -> io::Result<Status> {
    Ok(status_from(&metadata_at(directory, path)?))
}

/// Returns the status of the object at `path` and the fields of its stamp. The object cannot be
/// pinned here without being opened.
pub(crate) fn look_at(
    directory: &File,
    path: &str,
) -> io::Result<(Status, StatFields, Option<File>)> {
    let metadata = metadata_at(directory, path)?;
    Ok((status_from(&metadata), stat_fields_from(&metadata), None))
}

/// Returns the status of the entry `name` of `directory`, which a listing has just shown to be a
/// regular file.
pub(crate) fn status_listed(directory: &File, name: &str) -> io::Result<Status> {
    status_at(directory, name)
}

/// Returns the status of an open object.
pub(crate) fn status(file: &File) -> io::Result<Status> {
    Ok(status_from(&Metadata::from_file(file)?))
}

fn metadata_at(directory: &File, path: &str) -> io::Result<Metadata> {
    let (parent, last) = walk(directory, path)?;
    last.map_or_else(
        || parent.dir_metadata(),
        |last| parent.symlink_metadata(last),
    )
}

fn status_from(metadata: &Metadata) -> Status {
    let time = |time: io::Result<cap_std::time::SystemTime>| Some(parts(time.ok()?.into_std()));
    Status {
        kind: kind(metadata),
        links: metadata.nlink(),
        size: metadata.len(),
        accessed: time(metadata.accessed()),
        modified: time(metadata.modified()),
        born: time(metadata.created()),
    }
}

/// Returns a time as seconds and nanoseconds since 1970.
fn parts(time: SystemTime) -> (i64, u32) {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => (
            i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
            after.subsec_nanos(),
        ),
        Err(before) => {
            let before = before.duration();
            let seconds = -i64::try_from(before.as_secs()).unwrap_or(i64::MAX);
            match before.subsec_nanos() {
                // Nanoseconds count forward, also before 1970. Half a second before the epoch
                // is second -1 and 500 000 000 nanoseconds, the form in which the kernel
                // reports it.
                0 => (seconds, 0),
                nanoseconds => (seconds - 1, 1_000_000_000 - nanoseconds),
            }
        }
    }
}

/// Returns the fields of the stamp of `path` beneath `directory`.
pub(crate) fn stat_fields_at(directory: &File, path: &str) -> io::Result<StatFields> {
    Ok(stat_fields_from(&metadata_at(directory, path)?))
}

/// Returns the fields of the stamp of an open object.
pub(crate) fn stat_fields(file: &File) -> io::Result<StatFields> {
    Ok(stat_fields_from(&Metadata::from_file(file)?))
}

fn stat_fields_from(metadata: &Metadata) -> StatFields {
    let modified = metadata
        .modified()
        .map_or((0, 0), |time| parts(time.into_std()));
    #[cfg(unix)]
    let changed = {
        use cap_std::fs::MetadataExt as _;
        (
            metadata.ctime(),
            u32::try_from(metadata.ctime_nsec()).unwrap_or_default(),
        )
    };
    #[cfg(not(unix))]
    // Systems without an inode change time only have the modification time, which a program may
    // set back after a write. SECURITY.md describes the consequences.
    let changed = modified;
    StatFields {
        device: metadata.dev(),
        inode: metadata.ino(),
        size: metadata.len(),
        modified,
        changed,
    }
}

/// Returns the current time by which stamps settle.
pub(crate) fn file_time_now() -> SystemTime {
    SystemTime::now()
}

fn kind(metadata: &Metadata) -> ObjectKind {
    let of = metadata.file_type();
    if of.is_file() {
        ObjectKind::Regular
    } else if of.is_dir() {
        ObjectKind::Directory
    } else if of.is_symlink() {
        ObjectKind::Link
    } else {
        UNKNOWN
    }
}

/// An iterator over the entries of a directory.
pub(crate) struct PortableListing(ReadDir);

/// Lists an open directory.
pub(crate) fn list(directory: &File) -> io::Result<PortableListing> {
    Ok(PortableListing(
        Dir::from_std_file(directory.try_clone()?).entries()?,
    ))
}

impl PortableListing {
    /// Returns the next entry other than `.` and `..`, or none at the end.
    pub(crate) fn next(&mut self) -> Option<io::Result<ListedEntry>> {
        Some(self.0.next()?.map(|entry| ListedEntry {
            name: entry.file_name().into_string().ok(),
            kind: entry.metadata().map_or(UNKNOWN, |metadata| kind(&metadata)),
        }))
    }
}

/// Creates the directory `path`.
pub(crate) fn create_directory(directory: &File, path: &str, readers: Readers) -> io::Result<()> {
    let (parent, last) = walk(directory, path)?;
    #[cfg_attr(
        not(unix),
        expect(unused_mut, reason = "there is nothing to say of its mode there")
    )]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    if readers == Readers::Owner {
        use cap_std::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    #[cfg(not(unix))]
    let _ = readers;
    parent.create_dir_with(last.ok_or(io::ErrorKind::AlreadyExists)?, &builder)
}

/// Removes the empty directory `path`.
pub(crate) fn remove_directory(directory: &File, path: &str) -> io::Result<()> {
    let (parent, last) = walk(directory, path)?;
    parent.remove_dir(last.ok_or(io::ErrorKind::InvalidInput)?)
}

/// Removes the file `path`; a symbolic link is not followed.
pub(crate) fn remove_file(directory: &File, path: &str) -> io::Result<()> {
    let (parent, last) = walk(directory, path)?;
    parent.remove_file(last.ok_or(io::ErrorKind::InvalidInput)?)
}

/// Checks that the name `path` may be moved, replaced, or created if it does not exist, as far as
/// the system can tell in advance: in a directory with a sticky bit only owners rename.
///
/// # Errors
/// The error with which the rename would fail.
pub(crate) fn may_move(directory: &File, path: &str) -> io::Result<()> {
    let (parent, last) = walk(directory, path)?;
    let last = last.ok_or(io::ErrorKind::InvalidInput)?;
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt as _;

        let entry = match parent.symlink_metadata(last) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entry => entry?,
        };
        let holder = parent.dir_metadata()?;
        let user = rustix::process::geteuid();
        let is_owner = [holder.uid(), entry.uid()].contains(&user.as_raw());
        if holder.mode() & STICKY != 0 && !is_owner && !user.is_root() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
    }
    #[cfg(not(unix))]
    let _ = (parent, last);
    Ok(())
}

/// Moves `old` to `new`. A regular file that replaces another first takes over its permissions.
/// Symbolic links and objects that are never opened are not replaced.
///
/// The comparison and the replacement are two steps here: a file that somebody saves in between,
/// within a few microseconds, is lost.
pub(crate) fn rename(
    old_dir: &File,
    old: &str,
    new_dir: &File,
    new: &str,
    renaming: Renaming,
) -> io::Result<()> {
    let (from, old) = walk(old_dir, old)?;
    let (to, new) = walk(new_dir, new)?;
    let (Some(old), Some(new)) = (old, new) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let look = || match to.symlink_metadata(new) {
        Ok(target) => Ok(Some(target)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    };
    let source = from.symlink_metadata(old)?;
    match (renaming.replacing, look()?) {
        (ReplaceCondition::Nothing | ReplaceCondition::Seen(None), None) => {
            to_free_name((&from, old), (&to, new), &source, renaming.alone)
        }
        (ReplaceCondition::Nothing | ReplaceCondition::Seen(None), Some(_)) => {
            Err(io::ErrorKind::AlreadyExists.into())
        }
        (ReplaceCondition::Anything, None) => from.rename(old, &to, new),
        (ReplaceCondition::Anything, Some(target)) => {
            match kind(&target) {
                ObjectKind::Link => return Err(link_refused()),
                ObjectKind::Other(_) => return Err(io::ErrorKind::Unsupported.into()),
                ObjectKind::Regular if source.is_file() => take_over(&from, old, &source, &target)?,
                ObjectKind::Regular | ObjectKind::Directory => {}
            }
            from.rename(old, &to, new)
        }
        (ReplaceCondition::Seen(Some(seen)), target) => {
            let is_seen = |found: Option<&Metadata>| {
                found.is_some_and(|it| it.is_file() && stat_fields_from(it) == seen)
            };
            // The guest prepared the new content from the file that it inspected. If an editor
            // has saved since, the replacement would discard that save without a trace, so the
            // guest gets an error and has to read the file again.
            let Some(target) = target.filter(|it| is_seen(Some(it)) && source.is_file()) else {
                return Err(io::ErrorKind::WouldBlock.into());
            };
            take_over(&from, old, &source, &target)?;
            // Taking over the permissions includes a sync, which may take long. The target is
            // compared again after it, so that a file saved in that time is not replaced. What
            // remains are the few microseconds before the rename.
            if !is_seen(look()?.as_ref()) {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            from.rename(old, &to, new)
        }
    }
}

/// Moves to a free name. A hard link never replaces; on a file system without hard links the name
/// was free a moment ago.
fn to_free_name(
    (from, old): (&Dir, &str),
    (to, new): (&Dir, &str),
    source: &Metadata,
    alone: ModeAlone,
) -> io::Result<()> {
    if !source.is_file() {
        return from.rename(old, to, new);
    }
    #[cfg(unix)]
    if alone == ModeAlone::Usual {
        let file = open_regular(from, old, OpenOptions::new().read(true))?;
        rustix::fs::fchmod(&file, super::object::usual_mode())?;
        file.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = alone;
    match from.hard_link(old, to, new) {
        Ok(()) => from.remove_file(old),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) => from.rename(old, to, new),
    }
}

/// Gives the file `name` the permissions of `target`, without the set-user-ID and set-group-ID
/// bits, and syncs it.
fn take_over(directory: &Dir, name: &str, source: &Metadata, target: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt as _;
        use std::os::unix::fs::PermissionsExt as _;

        // The file is opened before its mode changes. With the mode of the target, for example
        // 0200, it could no longer be opened for reading and synced.
        let file = open_regular(directory, name, OpenOptions::new().read(true))?;
        let mode = target.mode() & 0o777;
        // The owner and group are not changed here, so the file keeps those of its writer. If
        // its group is not that of the target, the group's bits would admit other people than
        // before; the group then gets the rights of everybody. A target of mode 0640 becomes
        // 0600.
        let group = if source.gid() == target.gid() {
            0o070
        } else {
            (mode & 0o007) << 3
        };
        file.set_permissions(std::fs::Permissions::from_mode(mode & (0o707 | group)))?;
        file.sync_all()
    }
    #[cfg(not(unix))]
    {
        let _ = source;
        let file = open_regular(directory, name, OpenOptions::new().read(true).write(true))?;
        directory.set_permissions(name, target.permissions())?;
        file.sync_all()
    }
}

/// Sets the times of `path`; a time of none is left unchanged.
pub(crate) fn set_times(directory: &File, path: &str, times: std::fs::FileTimes) -> io::Result<()> {
    match open(directory, path, ExpectedKind::Anything)? {
        Opened::Regular(file) | Opened::Directory(file) => file.set_times(times),
    }
}

/// Returns the system's error for a symbolic link that may not be followed.
fn link_refused() -> io::Error {
    #[cfg(unix)]
    return rustix::io::Errno::LOOP.into();
    #[cfg(not(unix))]
    return io::ErrorKind::NotFound.into();
}
