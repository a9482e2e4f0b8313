//! Renames that lose nothing that somebody else writes meanwhile.

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

use super::{facts_from, kind, name, parent, refusal, reopen, statx};
use crate::guard::stamp::Facts;
use crate::guard::{Kind, ModeAlone, Renaming, Replacing, usual_mode};

/// The attribute in which Linux keeps who else may use a file.
const ACCESS_LIST: &str = "system.posix_acl_access";

/// How often two files are exchanged before a target counts as one that is never at rest.
const EXCHANGES: usize = 32;

/// From where to where.
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

/// Moves `old` to `new`. A regular file that takes another's place takes over its mode, owner and
/// extended attributes first, and is synced with them, so that replacing a file changes nothing but
/// its content. Neither a link nor what is never opened is replaced.
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
    // Named before anything is changed: what is missing or beyond a mount fails here.
    let source = name(&way.from, way.old, OFlags::empty())?;
    let target = match name(&way.to, way.new, OFlags::empty()) {
        Ok(target) => Some(target),
        Err(error) if error.raw_os_error() == Some(Errno::NOENT.raw_os_error()) => None,
        Err(error) => return Err(error),
    };
    match (renaming.replacing, target) {
        (Replacing::Anything, Some(target)) => over(&way, &source, &target),
        (Replacing::Anything, None) => Ok(way.take(RenameFlags::empty())?),
        (Replacing::Nothing | Replacing::Seen(None), None) => {
            to_free_name(&way, &source, renaming.alone)
        }
        (Replacing::Nothing | Replacing::Seen(None), Some(_)) => Err(Errno::EXIST.into()),
        (Replacing::Seen(Some(seen)), Some(target)) => replace(&way, &source, &target, &seen),
        (Replacing::Seen(Some(_)), None) => Err(Errno::AGAIN.into()),
    }
}

/// Returns when the name `path` may be moved away or be replaced, or be made where nothing stands, as
/// far as the system says beforehand. Making a file in a directory asks for less: there may be a
/// sticky bit, by which only owners rename, or a flag by which nothing is renamed.
///
/// # Errors
/// What the rename would fail with.
pub(crate) fn may_move(directory: &File, path: &str) -> io::Result<()> {
    let (above, last) = parent(directory, path)?;
    let holder = statx(&above, "")?;
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

/// The right to do with files of others what their owners may, by its number among capabilities.
const FOWNER: u32 = 3;

/// Whether this process has that right.
fn acts_for_owners() -> bool {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    effective
        .and_then(|sets| u64::from_str_radix(sets.trim(), 16).ok())
        .is_some_and(|sets| sets >> FOWNER & 1 == 1)
}

fn over(way: &Way<'_>, source: &File, target: &File) -> io::Result<()> {
    match kind(target)? {
        // What it leads to was not granted, and the person's link is no file to be replaced.
        refused @ (Kind::Link | Kind::Other(_)) => return Err(refusal(refused)),
        Kind::Regular if kind(source)? == Kind::Regular => take_over(source, target)?,
        Kind::Regular | Kind::Directory => {}
    }
    Ok(way.take(RenameFlags::empty())?)
}

fn to_free_name(way: &Way<'_>, source: &File, alone: ModeAlone) -> io::Result<()> {
    if alone == ModeAlone::Usual && kind(source)? == Kind::Regular {
        let file = reopen(source, OFlags::RDONLY)?;
        rustix::fs::fchmod(&file, usual_mode())?;
        // The guest has synced it while it was private.
        rustix::fs::fsync(&file)?;
    }
    match way.take(RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => link_and_unlink(way),
        done => Ok(done?),
    }
}

/// Moves to a free name on a file system that has no rename which does not replace.
fn link_and_unlink(way: &Way<'_>) -> io::Result<()> {
    match rustix::fs::linkat(&way.from, way.old, &way.to, way.new, AtFlags::empty()) {
        Ok(()) => Ok(rustix::fs::unlinkat(&way.from, way.old, AtFlags::empty())?),
        Err(Errno::EXIST) => Err(Errno::EXIST.into()),
        // It has no hard links either, or this is a directory. Nothing was there a moment ago.
        Err(_) => Ok(way.take(RenameFlags::empty())?),
    }
}

/// Puts `source` into the place of `target`, if that is still what was `seen`.
fn replace(way: &Way<'_>, source: &File, target: &File, seen: &Facts) -> io::Result<()> {
    let what = kind(source)?;
    if what != Kind::Regular {
        return Err(refusal(what));
    }
    if !is_as_seen(target, seen)? {
        return Err(Errno::AGAIN.into());
    }
    take_over(source, target)?;
    // That took its time. From here on the exchange finds out.
    if !is_as_seen(target, seen)? {
        return Err(Errno::AGAIN.into());
    }
    let state = |file: &File| rustix::fs::fstat(file).map(|stat| State::from(&stat));
    exchange(way, state(source)?, state(target)?)
}

fn is_as_seen(target: &File, seen: &Facts) -> io::Result<bool> {
    let stat = rustix::fs::fstat(target)?;
    Ok(
        FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
            && facts_from(&stat) == *seen,
    )
}

/// What tells one state of one file from another. The change time is not part of it: exchanging
/// sets that.
#[derive(PartialEq, Eq)]
struct State {
    facts: Facts,
    mode: Mode,
    owner: (u32, u32),
}

impl From<&Stat> for State {
    fn from(stat: &Stat) -> Self {
        Self {
            facts: Facts {
                changed: (0, 0),
                ..facts_from(stat)
            },
            mode: Mode::from_raw_mode(stat.st_mode),
            owner: (stat.st_uid, stat.st_gid),
        }
    }
}

/// Exchanges the prepared file, `ours`, with what stands at its target, and looks at what came out:
/// if that is the file that was to be replaced, `theirs`, it goes; anything else somebody has just
/// saved, and it goes back. Nothing is removed but what was looked at.
fn exchange(way: &Way<'_>, ours: State, theirs: State) -> io::Result<()> {
    let (mut put, mut expected) = (ours, theirs);
    // As long as they are held, nothing else has their numbers.
    let mut held = Vec::new();
    for round in 0..EXCHANGES {
        match way.take(RenameFlags::EXCHANGE) {
            Ok(()) => {}
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if round == 0 => {
                // The file system cannot exchange. A moment ago the target was the right one.
                return Ok(way.take(RenameFlags::empty())?);
            }
            // Somebody has removed it. What came out before is kept where it is.
            Err(Errno::NOENT) => return Err(Errno::AGAIN.into()),
            Err(error) => return Err(error.into()),
        }
        let stat = rustix::fs::statat(&way.from, way.old, AtFlags::SYMLINK_NOFOLLOW)?;
        let out = State::from(&stat);
        if out == expected {
            // Nobody has saved since the last look.
            return if round == 0 {
                let flags = AtFlags::empty();
                Ok(rustix::fs::unlinkat(&way.from, way.old, flags)?)
            } else {
                Err(Errno::AGAIN.into())
            };
        }
        // What came out is newer than what went in, and goes back. Should yet another file come
        // out then, somebody has saved again, and that one is the newest.
        held.push(name(&way.from, way.old, OFlags::empty()));
        (put, expected) = (out, put);
    }
    Err(Errno::AGAIN.into())
}

/// Gives `source` the mode, owner and extended attributes of `target`, both regular files, so that
/// they outlive a loss of power.
fn take_over(source: &File, target: &File) -> io::Result<()> {
    let (from, to) = (rustix::fs::fstat(target)?, rustix::fs::fstat(source)?);
    // What is only named can be looked at and not changed.
    let source = reopen(source, OFlags::RDONLY)?;
    let mode = mode_after_owner(&source, &from, &to)?;
    // A list that its directory gave it would let in whom the target does not.
    match rustix::fs::fremovexattr(&source, ACCESS_LIST) {
        Ok(()) | Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS | Errno::INVAL) => {}
        Err(error) => return Err(error.into()),
    }
    // After the owner: changing that clears the bits that grant its rights to others.
    rustix::fs::fchmod(&source, mode)?;
    copy_attributes(target, &source)?;
    // The guest has synced the content; this is what came after.
    Ok(rustix::fs::fsync(&source)?)
}

/// Gives `source`, which is `to`, the owner in `from`, and returns the mode that it may have then.
fn mode_after_owner(source: &File, from: &Stat, to: &Stat) -> io::Result<Mode> {
    let mode = Mode::from_raw_mode(from.st_mode);
    if (from.st_uid, from.st_gid) == (to.st_uid, to.st_gid) {
        return Ok(mode);
    }
    let group = Some(Gid::from_raw(from.st_gid));
    let is_given = |user| match rustix::fs::fchown(source, user, group) {
        Ok(()) => Ok(true),
        // Only root may give a file away; a file that stays its writer's is still well written.
        Err(Errno::PERM) => Ok(false),
        Err(error) => Err(io::Error::from(error)),
    };
    if is_given(Some(Uid::from_raw(from.st_uid)))? {
        return Ok(mode);
    }
    // Another's file must not run with the rights of whoever wrote it anew.
    let mode = mode - (Mode::SUID | Mode::SGID);
    // To a group of theirs people may give a file. Another group may do what everybody may.
    if from.st_gid == to.st_gid || is_given(None)? {
        return Ok(mode);
    }
    let everybody = (mode & Mode::RWXO).bits() << 3;
    Ok(mode - (Mode::RWXG - Mode::from_bits_retain(everybody)))
}

/// Copies the extended attributes of one file to another.
fn copy_attributes(from: &File, to: &File) -> io::Result<()> {
    // By path, for the attributes of what is only named cannot be read through its descriptor.
    let path = format!("/proc/self/fd/{}", from.as_raw_fd());
    // The most that Linux hands over, of names as of a value.
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
            // It went, or is for the system's eyes only.
            Err(Errno::NODATA | Errno::PERM | Errno::ACCESS) => continue,
            Err(error) => return Err(error.into()),
        };
        match rustix::fs::fsetxattr(to.as_fd(), name, &value[..length], XattrFlags::empty()) {
            // Some are the system's own, such as `security.*`, and only privileged programs set
            // them.
            Ok(()) | Err(Errno::PERM | Errno::NOTSUP | Errno::ACCESS) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
