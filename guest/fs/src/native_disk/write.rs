//! Writing through cap-std. Comparing and renaming are two steps here, between which another
//! program may save the file: good enough for the reference of the tests, while docent's host does
//! both in one step.

use std::io::{self, Write as _};

use cap_fs_ext::{FollowSymlinks, MetadataExt as _, OpenOptionsFollowExt as _};
use cap_std::fs::{File, OpenOptions};
use docent_tree::disk::{
    Durability, Failure, Kind, NewFile, Version, WriteDirectory, WriteDisk, WriteFailure,
};
use docent_tree::reserved::is_prepared;

use super::{NativeDirectory, NativeDisk, failure, kind, moment};

/// Mode of a file before it replaces another: only its owner may read it.
#[cfg(unix)]
const PRIVATE: u32 = 0o600;

impl WriteDisk for NativeDisk {
    fn open_state(&self, index: usize) -> Option<Result<NativeDirectory, Failure>> {
        let (root, _) = self.roots.get(index)?;
        let (_, dir) = self.states.iter().find(|(name, _)| *name == root.name)?;
        let dir = dir.try_clone().map_err(|error| failure(&error));
        Some(dir.map(|dir| NativeDirectory(dir, self.stamps)))
    }

    fn has_state(&self, index: usize) -> bool {
        let root = self.roots.get(index);
        root.is_some_and(|(root, _)| self.states.iter().any(|(name, _)| *name == root.name))
    }
}

impl WriteDirectory for NativeDirectory {
    type NewFile = NativeNewFile;

    fn create_file(&self, name: &str) -> Result<NativeNewFile, WriteFailure> {
        let mut options = OpenOptions::new();
        options
            .write(true)
            .create_new(true)
            .follow(FollowSymlinks::No);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            options.mode(PRIVATE);
        }
        let opened = self.0.open_with(name, &options);
        opened
            .map(NativeNewFile)
            .map_err(|error| write_failure(&error))
    }

    fn version(&self, name: &str) -> Result<Version, Failure> {
        let metadata = self
            .0
            .symlink_metadata(name)
            .map_err(|error| failure(&error))?;
        let identity = match self.1(&metadata) {
            Some(stamp) => stamp.0,
            None => u128::from(metadata.dev()) << 64 | u128::from(metadata.ino()),
        };
        let modified = metadata.modified().ok();
        Ok(Version {
            kind: kind(metadata.file_type()),
            size: metadata.len(),
            links: metadata.nlink(),
            modified: modified.map(|time| moment(time.into_std())),
            identity,
        })
    }

    fn may_write(&self, name: &str) -> Result<(), WriteFailure> {
        // For the superuser the system allows writing a file of mode 0444 too. Whoever removed the
        // permission intended to protect the content, so the mode is examined before the system is
        // asked. The file is opened without being written or truncated.
        let metadata = self.0.symlink_metadata(name);
        if metadata.is_ok_and(|metadata| metadata.permissions().readonly()) {
            return Err(WriteFailure::Permission);
        }
        let mut options = OpenOptions::new();
        options.write(true).follow(FollowSymlinks::No);
        match self.0.open_with(name, &options) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Err(WriteFailure::Permission)
            }
            Err(error) if error.kind() == io::ErrorKind::ReadOnlyFilesystem => {
                Err(WriteFailure::ReadOnly)
            }
            _ => Ok(()),
        }
    }

    fn may_move(&self, _name: &str) -> Result<(), WriteFailure> {
        // Only the rename itself shows if it is forbidden. The transaction is withdrawn then.
        Ok(())
    }

    fn move_new(&self, name: &str, directory: &Self, to: &str) -> Result<(), WriteFailure> {
        // An empty file, created exclusively, claims the name first, so that a file created in the
        // meantime is not replaced: renameat of cap-std replaces, and renameat2(2) with
        // `RENAME_NOREPLACE` only exists on Linux.
        let mut claim = OpenOptions::new();
        claim
            .write(true)
            .create_new(true)
            .follow(FollowSymlinks::No);
        let claimed = directory.0.open_with(to, &claim);
        drop(claimed.map_err(|error| write_failure(&error))?);
        let readied = if is_prepared(name) {
            // A prepared file was private until now, and gets the permissions of any new file.
            // Those are the ones that the claim has just got from the system, with the umask
            // applied.
            take_over(self, name, directory, to)
        } else {
            Ok(())
        };
        let moved = readied.and_then(|()| self.0.rename(name, &directory.0, to));
        moved.map_err(|error| {
            // The claim must not remain where there was no file. But if another program has written
            // to it meanwhile, the file is theirs.
            if directory.version(to).is_ok_and(|found| found.size == 0) {
                let _ = directory.0.remove_file(to);
            }
            write_failure(&error)
        })
    }

    fn replace(
        &self,
        name: &str,
        directory: &Self,
        to: &str,
        expected: &Version,
    ) -> Result<(), WriteFailure> {
        if directory.version(to) != Ok(*expected) || expected.kind != Kind::File {
            return Err(WriteFailure::Changed);
        }
        take_over(self, name, directory, to).map_err(|error| write_failure(&error))?;
        let replaced = self.0.rename(name, &directory.0, to);
        replaced.map_err(|error| write_failure(&error))
    }

    fn remove_file(&self, name: &str) -> Result<(), WriteFailure> {
        let removed = self.0.remove_file(name);
        removed.map_err(|error| write_failure(&error))
    }

    fn make_directory(&self, name: &str) -> Result<(), WriteFailure> {
        let made = self.0.create_dir(name);
        made.map_err(|error| write_failure(&error))
    }

    fn remove_directory(&self, name: &str) -> Result<(), WriteFailure> {
        let removed = self.0.remove_dir(name);
        removed.map_err(|error| write_failure(&error))
    }

    fn sync(&self) -> Result<Durability, WriteFailure> {
        // The directory is opened again, since the handle may be one that only identifies it, as
        // with `O_PATH` of open(2), and such a handle cannot be synced.
        let opened = self.0.open(".");
        durability(opened.and_then(|directory| directory.sync_all()))
    }
}

/// Returns the durability that follows from the result of syncing a directory.
fn durability(synced: io::Result<()>) -> Result<Durability, WriteFailure> {
    match synced {
        Ok(()) => Ok(Durability::Durable),
        // The errors of systems and file systems that cannot sync a directory.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied
                    | io::ErrorKind::Unsupported
                    | io::ErrorKind::InvalidInput
                    | io::ErrorKind::IsADirectory
            ) =>
        {
            Ok(Durability::Unknown)
        }
        Err(error) => Err(write_failure(&error)),
    }
}

/// Gives a file the permissions of the one that it is about to replace.
fn take_over(
    from: &NativeDirectory,
    name: &str,
    directory: &NativeDirectory,
    to: &str,
) -> io::Result<()> {
    let permissions = directory.0.symlink_metadata(to)?.permissions();
    from.0.set_permissions(name, permissions)
}

/// A newly created file.
pub struct NativeNewFile(File);

impl NewFile for NativeNewFile {
    fn write(&mut self, bytes: &[u8]) -> Result<(), WriteFailure> {
        let written = self.0.write_all(bytes);
        written.map_err(|error| write_failure(&error))
    }

    fn sync(&mut self) -> Result<(), WriteFailure> {
        let synced = self.0.sync_all();
        synced.map_err(|error| write_failure(&error))
    }
}

fn write_failure(error: &io::Error) -> WriteFailure {
    match error.kind() {
        io::ErrorKind::AlreadyExists => WriteFailure::Exists,
        io::ErrorKind::DirectoryNotEmpty => WriteFailure::NotEmpty,
        io::ErrorKind::ReadOnlyFilesystem => WriteFailure::ReadOnly,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            WriteFailure::NoSpace
        }
        io::ErrorKind::ResourceBusy => WriteFailure::MountPoint,
        _ => failure(error).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_that_cannot_be_synced_are_no_failure() {
        let of = |kind: io::ErrorKind| durability(Err(kind.into()));
        for kind in [
            io::ErrorKind::PermissionDenied,
            io::ErrorKind::Unsupported,
            io::ErrorKind::InvalidInput,
        ] {
            assert_eq!(of(kind), Ok(Durability::Unknown), "{kind}");
        }
        assert_eq!(of(io::ErrorKind::StorageFull), Err(WriteFailure::NoSpace));
        assert_eq!(of(io::ErrorKind::Other), Err(WriteFailure::Io));
        assert_eq!(durability(Ok(())), Ok(Durability::Durable));
    }
}
