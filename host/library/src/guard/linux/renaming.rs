//! Renames that never lose a concurrent write by another program.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{
    Access, AtFlags, FileType, Gid, Mode, OFlags, RenameFlags, Stat, Statx, StatxAttributes, Uid,
    XattrFlags,
};
use rustix::io::Errno;

use super::{kind, name, parent, refusal, reopen, stat_fields_from, statx};
use crate::guard::object::{ModeAlone, ObjectKind, Renaming, ReplaceCondition, usual_mode};
use crate::guard::stamp::StatFields;

/// The extended attribute in which Linux keeps the access control list of a file.
const ACCESS_LIST: &str = "system.posix_acl_access";

/// Maximum number of exchanges before the target counts as constantly changing.
const EXCHANGES: usize = 32;

/// Source and target of a rename.
struct Way<'a> {
    from: File,
    old: &'a str,
    to: File,
    new: &'a str,
}

impl Way<'_> {
    fn take(&self, flags: RenameFlags) -> rustix::io::Result<()> {
        rustix::fs::renameat_with(&self.from, self.old, &self.to, self.new, flags)
    }
}

/// Moves `old` to `new`. A regular file that replaces another first takes over its mode, owner and
/// extended attributes, and is synced with them, so that a replacement only changes the content.
/// Symbolic links and objects that are never opened are not replaced.
pub(crate) fn rename(
    old_dir: &File,
    old: &str,
    new_dir: &File,
    new: &str,
    renaming: Renaming,
) -> io::Result<()> {
    let (from, old) = parent(old_dir, old)?;
    let (to, new) = parent(new_dir, new)?;
    let way = Way { from, old, to, new };
    // Both objects are opened with `O_PATH` before anything is changed. A source that does not
    // exist or is beyond a mount fails here, and not after the target's attributes were copied.
    // The descriptors also pin the inode numbers, which are compared below.
    let source = name(&way.from, way.old, OFlags::empty())?;
    let target = match name(&way.to, way.new, OFlags::empty()) {
        Ok(target) => Some(target),
        Err(error) if error.raw_os_error() == Some(Errno::NOENT.raw_os_error()) => None,
        Err(error) => return Err(error),
    };
    match (renaming.replacing, target) {
        (ReplaceCondition::Anything, Some(target)) => over(&way, &source, &target),
        (ReplaceCondition::Anything, None) => Ok(way.take(RenameFlags::empty())?),
        (ReplaceCondition::Nothing | ReplaceCondition::Seen(None), None) => {
            to_free_name(&way, &source, renaming.alone)
        }
        (ReplaceCondition::Nothing | ReplaceCondition::Seen(None), Some(_)) => {
            Err(Errno::EXIST.into())
        }
        (ReplaceCondition::Seen(Some(seen)), Some(target)) => {
            replace(&way, &source, &target, &seen)
        }
        (ReplaceCondition::Seen(Some(_)), None) => Err(Errno::AGAIN.into()),
    }
}

/// Checks that the name `path` may be moved, replaced, or created if it does not exist, as far as
/// the system can tell in advance. A rename needs more than the creation of a file: a sticky bit
/// lets only owners rename, and a file attribute can forbid renames.
///
/// # Errors
/// The error with which the rename would fail.
pub(crate) fn may_move(directory: &File, path: &str) -> io::Result<()> {
    let (above, last) = parent(directory, path)?;
    let holder = statx(&above, "")?;
    // The modes do not show the file attributes of `chattr`. In a directory with `+a`, files
    // can be created but not renamed; a file with `+i` or `+a` can be neither renamed nor
    // replaced, not even by root.
    let fixed = StatxAttributes::IMMUTABLE | StatxAttributes::APPEND;
    let is_fixed = |stat: &Statx| stat.stx_attributes.intersects(fixed);
    if is_fixed(&holder) {
        return Err(Errno::PERM.into());
    }
    let access = Access::WRITE_OK | Access::EXEC_OK;
    rustix::fs::accessat(&above, ".", access, AtFlags::EACCESS)?;
    let entry = match statx(&above, last) {
        Err(Errno::NOENT) => return Ok(()),
        entry => entry?,
    };
    let is_sticky = Mode::from_raw_mode(holder.stx_mode.into()).contains(Mode::SVTX);
    let user = rustix::process::geteuid().as_raw();
    let is_owner = [holder.stx_uid, entry.stx_uid].contains(&user);
    if is_fixed(&entry) || is_sticky && !is_owner && !acts_for_owners() {
        return Err(Errno::PERM.into());
    }
    Ok(())
}

/// `CAP_FOWNER`, the capability to act as the owner of any file, by its number.
const FOWNER: u32 = 3;

/// Returns true if this process has `CAP_FOWNER`.
fn acts_for_owners() -> bool {
    // The user id does not tell: a process of root may have dropped the capability, as in a
    // container, and another user may have it. If the file cannot be read, the answer is false
    // and a rename that would succeed is refused in advance.
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    effective
        .and_then(|sets| u64::from_str_radix(sets.trim(), 16).ok())
        .is_some_and(|sets| sets >> FOWNER & 1 == 1)
}

fn over(way: &Way<'_>, source: &File, target: &File) -> io::Result<()> {
    match kind(target)? {
        // A symbolic link is not replaced. It points to a file that was not granted, and
        // replacing the link by a file would break what the person set up. FIFOs, sockets and
        // devices are refused as they are for opening.
        refused @ (ObjectKind::Link | ObjectKind::Other(_)) => return Err(refusal(refused)),
        ObjectKind::Regular if kind(source)? == ObjectKind::Regular => take_over(source, target)?,
        ObjectKind::Regular | ObjectKind::Directory => {}
    }
    Ok(way.take(RenameFlags::empty())?)
}

fn to_free_name(way: &Way<'_>, source: &File, alone: ModeAlone) -> io::Result<()> {
    if alone == ModeAlone::Usual && kind(source)? == ObjectKind::Regular {
        let file = reopen(source, OFlags::RDONLY)?;
        rustix::fs::fchmod(&file, usual_mode())?;
        // The guest synced the file while it still had its private mode. Without this second
        // sync, a loss of power after the rename could leave the final name with mode 0600.
        rustix::fs::fsync(&file)?;
    }
    match way.take(RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => link_and_unlink(way),
        done => Ok(done?),
    }
}

/// Moves to a free name on a file system without `RENAME_NOREPLACE`: a hard link with the new
/// name is created, which fails if the name exists, and the old name is removed.
fn link_and_unlink(way: &Way<'_>) -> io::Result<()> {
    match rustix::fs::linkat(&way.from, way.old, &way.to, way.new, AtFlags::empty()) {
        Ok(()) => Ok(rustix::fs::unlinkat(&way.from, way.old, AtFlags::empty())?),
        Err(Errno::EXIST) => Err(Errno::EXIST.into()),
        // The file system has no hard links either, or this is a directory. Only a plain rename
        // is left, which would replace a file that was created since the name was found to be
        // free.
        Err(_) => Ok(way.take(RenameFlags::empty())?),
    }
}

/// Replaces `target` with `source`, if the target still has the fields in `seen`.
fn replace(way: &Way<'_>, source: &File, target: &File, seen: &StatFields) -> io::Result<()> {
    let what = kind(source)?;
    if what != ObjectKind::Regular {
        return Err(refusal(what));
    }
    if !is_as_seen(target, seen)? {
        return Err(Errno::AGAIN.into());
    }
    take_over(source, target)?;
    // The takeover copies attributes and syncs, so a program may have saved meanwhile. The
    // second check makes it likely that the exchange finds the expected target; the exchange
    // itself detects a save after it. Comparing and then renaming would not: that lost 14 939
    // of 20 000 saves in a race made for it (docs/decisions/guarded-filesystem.md).
    if !is_as_seen(target, seen)? {
        return Err(Errno::AGAIN.into());
    }
    let state = |file: &File| rustix::fs::fstat(file).map(|stat| FileState::from(&stat));
    exchange(way, state(source)?, state(target)?)
}

fn is_as_seen(target: &File, seen: &StatFields) -> io::Result<bool> {
    let stat = rustix::fs::fstat(target)?;
    Ok(
        FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
            && stat_fields_from(&stat) == *seen,
    )
}

/// The fields that identify one state of one file. The change time is not among them, because an
/// exchange sets it.
#[derive(PartialEq, Eq)]
struct FileState {
    stat_fields: StatFields,
    mode: Mode,
    owner: (u32, u32),
}

impl From<&Stat> for FileState {
    fn from(stat: &Stat) -> Self {
        Self {
            stat_fields: StatFields {
                changed: (0, 0),
                ..stat_fields_from(stat)
            },
            mode: Mode::from_raw_mode(stat.st_mode),
            owner: (stat.st_uid, stat.st_gid),
        }
    }
}

/// Exchanges the prepared file, `ours`, with the file at its target, and inspects the file that
/// comes out. If it is `theirs`, the file to be replaced, it is removed. Otherwise somebody has
/// just saved another file, and that one is moved back. No file is removed without this check.
///
/// ```text
/// round   at the target      at the prepared name   out
///   0     ours               saved                  saved is not theirs: move it back
///   1     saved              ours                   ours, as expected: would-block
/// ```
fn exchange(way: &Way<'_>, ours: FileState, theirs: FileState) -> io::Result<()> {
    let (mut put, mut expected) = (ours, theirs);
    // While these descriptors are open, no other file can get their inode numbers. Without
    // them, a file that was removed meanwhile could pass its number to a new one of the same
    // size and time, and the new one would be taken for the one that was compared.
    let mut held = Vec::new();
    for round in 0..EXCHANGES {
        match way.take(RenameFlags::EXCHANGE) {
            Ok(()) => {}
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if round == 0 => {
                // The file system cannot exchange files, which only the first attempt can tell.
                // A plain rename follows the comparison then, and a save within the few
                // microseconds between the two is lost. The documentation names this case as
                // weaker.
                return Ok(way.take(RenameFlags::empty())?);
            }
            // The target was removed between two rounds. The file that came out last stays at
            // the prepared name and is not removed: it is somebody's save, and the guest finds
            // it there.
            Err(Errno::NOENT) => return Err(Errno::AGAIN.into()),
            Err(error) => return Err(error.into()),
        }
        let stat = rustix::fs::statat(&way.from, way.old, AtFlags::SYMLINK_NOFOLLOW)?;
        let out = FileState::from(&stat);
        if out == expected {
            // The file that came out is the one that was compared, so nobody has saved in
            // between. In the first round that is the old file, and it is removed. In a later
            // round it is the prepared file: a save was moved back to the target, and the guest
            // has to start from it.
            return if round == 0 {
                let flags = AtFlags::empty();
                Ok(rustix::fs::unlinkat(&way.from, way.old, flags)?)
            } else {
                Err(Errno::AGAIN.into())
            };
        }
        // The file that came out is newer than the one that went in: an editor saved it after
        // the last comparison. It goes back in the next round. If yet another file comes out
        // then, somebody has saved again, and that file is the newest.
        held.push(name(&way.from, way.old, OFlags::empty()));
        (put, expected) = (out, put);
    }
    Err(Errno::AGAIN.into())
}

/// Gives `source` the mode, owner and extended attributes of `target`, both regular files, and
/// syncs them so that they survive a loss of power.
fn take_over(source: &File, target: &File) -> io::Result<()> {
    let (from, to) = (rustix::fs::fstat(target)?, rustix::fs::fstat(source)?);
    // An `O_PATH` descriptor can be inspected but not changed. It is reopened for reading,
    // which suffices for changing the mode, the owner and the attributes, and for syncing.
    let source = reopen(source, OFlags::RDONLY)?;
    let mode = mode_after_owner(&source, &from, &to)?;
    // A directory may have a default access control list, which the kernel gives to every file
    // that is created in it. The prepared file has inherited such a list even if the target has
    // none, and would admit users that the target does not.
    match rustix::fs::fremovexattr(&source, ACCESS_LIST) {
        Ok(()) | Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS | Errno::INVAL) => {}
        Err(error) => return Err(error.into()),
    }
    // The mode is set after the owner, because the kernel clears the set-user-ID and
    // set-group-ID bits when the owner changes.
    rustix::fs::fchmod(&source, mode)?;
    copy_attributes(target, &source)?;
    // The guest has synced the content; this syncs the mode, the owner and the attributes.
    // Without it, a loss of power after the rename could leave the new content readable for the
    // wrong people.
    Ok(rustix::fs::fsync(&source)?)
}

/// Gives `source`, whose status is `to`, the owner in `from`, and returns the mode that is safe
/// with the owner that it then has.
fn mode_after_owner(source: &File, from: &Stat, to: &Stat) -> io::Result<Mode> {
    let mode = Mode::from_raw_mode(from.st_mode);
    if (from.st_uid, from.st_gid) == (to.st_uid, to.st_gid) {
        return Ok(mode);
    }
    let group = Some(Gid::from_raw(from.st_gid));
    let is_given = |user| match rustix::fs::fchown(source, user, group) {
        Ok(()) => Ok(true),
        // Only privileged processes may give a file to another user. The replacement then
        // belongs to its writer, which is what an editor that saves by rename leaves behind as
        // well.
        Err(Errno::PERM) => Ok(false),
        Err(error) => Err(io::Error::from(error)),
    };
    if is_given(Some(Uid::from_raw(from.st_uid)))? {
        return Ok(mode);
    }
    // The file now belongs to the user who replaced it. With the set-user-ID bit of the old
    // file it would run with that user's rights, which nobody decided.
    let mode = mode - (Mode::SUID | Mode::SGID);
    // Users may give a file to a group of which they are members. If the file keeps another
    // group, the bits of the old group would admit people who could not read it before: a
    // target of mode 0660 becomes 0600.
    if from.st_gid == to.st_gid || is_given(None)? {
        return Ok(mode);
    }
    let everybody = (mode & Mode::RWXO).bits() << 3;
    Ok(mode - (Mode::RWXG - Mode::from_bits_retain(everybody)))
}

/// Copies the extended attributes of one file to another.
fn copy_attributes(from: &File, to: &File) -> io::Result<()> {
    // The attributes are read by path, because the calls by descriptor fail on an `O_PATH`
    // descriptor. The link in `/proc` leads to the open object itself, whatever its name is by
    // now.
    let path = format!("/proc/self/fd/{}", from.as_raw_fd());
    // The Linux maximum for the list of names, and for a value.
    let mut names = vec![0; 64 * 1024];
    let length = match rustix::fs::listxattr(path.as_str(), &mut names) {
        Ok(length) => length,
        Err(Errno::NOTSUP) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    names.truncate(length);
    for name in names
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
    {
        let name = OsStr::from_bytes(name);
        let mut value = vec![0; 64 * 1024];
        let length = match rustix::fs::getxattr(path.as_str(), name, &mut value) {
            Ok(length) => length,
            // The attribute was removed since the names were listed, or only privileged
            // processes may read it.
            Err(Errno::NODATA | Errno::PERM | Errno::ACCESS) => continue,
            Err(error) => return Err(error.into()),
        };
        match rustix::fs::fsetxattr(to.as_fd(), name, &value[..length], XattrFlags::empty()) {
            // Some attributes are reserved, such as `security.*`, and only privileged processes
            // may set them. The file then keeps those that the system gave to it when it was
            // created.
            Ok(()) | Err(Errno::PERM | Errno::NOTSUP | Errno::ACCESS) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
