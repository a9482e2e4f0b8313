//! Writing through raw WASI descriptors.
//!
//! docent's host recognises the reserved names of a write in progress: it makes such files private,
//! gives them the mode, owner and attributes of the files that they replace, and refuses a rename
//! over any file but the one that was last inspected. Other hosts do none of that: WASI 0.2 has
//! neither modes nor locks, nor a rename that compares or does not replace.

use docent_tree::disk::{
    Durability, Failure, Kind, NewFile, Version, WriteDirectory, WriteDisk, WriteFailure,
};
use wasi::filesystem::types::{Descriptor, DescriptorFlags, ErrorCode, OpenFlags, PathFlags};

use super::{Stamps, WRITING, WasiDirectory, WasiDisk, failure, kind, moment, open_directory};

impl WriteDisk for WasiDisk {
    fn open_root_for_writing(&self, index: usize) -> Result<WasiDirectory, Failure> {
        self.open_root_with(index, WRITING)
    }

    fn open_state(&self, index: usize) -> Option<Result<WasiDirectory, Failure>> {
        let (root, _) = self.roots.get(index)?;
        let (_, descriptor) = self.states.iter().find(|(name, _)| *name == root.name)?;
        Some(open_directory(descriptor, ".", WRITING, self.stamps))
    }

    fn has_state(&self, index: usize) -> bool {
        let root = self.roots.get(index);
        root.is_some_and(|(root, _)| self.states.iter().any(|(name, _)| *name == root.name))
    }
}

impl WriteDirectory for WasiDirectory {
    type NewFile = WasiNewFile;

    fn create_file(&self, name: &str) -> Result<WasiNewFile, WriteFailure> {
        let created = self.descriptor.open_at(
            PathFlags::empty(),
            name,
            OpenFlags::CREATE | OpenFlags::EXCLUSIVE,
            DescriptorFlags::WRITE,
        );
        Ok(WasiNewFile {
            descriptor: created.map_err(write_failure)?,
            length: 0,
        })
    }

    fn version(&self, name: &str) -> Result<Version, Failure> {
        let stat = self
            .descriptor
            .stat_at(PathFlags::empty(), name)
            .map_err(failure)?;
        let identity = match self.stamps {
            // docent's host compares files itself when it renames, and more precisely. Its stamp of
            // a file that has just changed differs each time, until the clock has moved on: a file
            // that was saved a moment ago would never count as unchanged.
            Stamps::Reliable => 0,
            // On other hosts the hash identifies the file: it notices that another file has got the
            // name, but not that the file was written, which size and time show.
            Stamps::Unknown => {
                let hash = self
                    .descriptor
                    .metadata_hash_at(PathFlags::empty(), name)
                    .map_err(failure)?;
                super::stamp(hash).0
            }
        };
        Ok(Version {
            kind: kind(stat.type_),
            size: stat.size,
            links: stat.link_count,
            modified: stat.data_modification_timestamp.map(moment),
            identity,
        })
    }

    fn may_write(&self, name: &str) -> Result<(), WriteFailure> {
        let opened = self.descriptor.open_at(
            PathFlags::empty(),
            name,
            OpenFlags::empty(),
            DescriptorFlags::WRITE,
        );
        match opened {
            Err(ErrorCode::Access | ErrorCode::NotPermitted) => Err(WriteFailure::Permission),
            Err(ErrorCode::ReadOnly) => Err(WriteFailure::ReadOnly),
            // Other errors are no statement about mode or owner. A running program, for example,
            // cannot be written (`text-file-busy`), but it can be replaced.
            _ => Ok(()),
        }
    }

    fn may_move(&self, name: &str) -> Result<(), WriteFailure> {
        // docent's host answers a rename of a name onto itself as it would answer a rename of or to
        // this name, and renames nothing. Other hosts are not asked: rename(2) of a name onto
        // itself does nothing and succeeds, which says nothing about other renames.
        if self.stamps == Stamps::Unknown {
            return Ok(());
        }
        match self.descriptor.rename_at(name, &self.descriptor, name) {
            Err(ErrorCode::Access | ErrorCode::NotPermitted) => Err(WriteFailure::Permission),
            Err(ErrorCode::ReadOnly) => Err(WriteFailure::ReadOnly),
            _ => Ok(()),
        }
    }

    fn move_new(&self, name: &str, directory: &Self, to: &str) -> Result<(), WriteFailure> {
        match directory.version(to) {
            Ok(_) => return Err(WriteFailure::Exists),
            Err(Failure::NotFound) => {}
            Err(failure) => return Err(failure.into()),
        }
        let is_claimed = self.stamps == Stamps::Unknown;
        if is_claimed {
            // WASI has no rename that does not replace, so an empty file, created exclusively,
            // claims the name first. A file that another program creates after the check above thus
            // makes this call fail, and is not replaced. A crash may leave the empty file behind,
            // which recovery recognises.
            drop(directory.create_file(to)?);
        }
        let moved = self.descriptor.rename_at(name, &directory.descriptor, to);
        moved.map_err(|code| {
            // The claim must not remain where there was no file. But if another program has written
            // to it meanwhile, the file is theirs. Of two failures that of the rename is reported,
            // not that of the removal.
            if is_claimed && directory.version(to).is_ok_and(|found| found.size == 0) {
                let _ = directory.descriptor.unlink_file_at(to);
            }
            write_failure(code)
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
        self.descriptor
            .rename_at(name, &directory.descriptor, to)
            .map_err(write_failure)
    }

    fn remove_file(&self, name: &str) -> Result<(), WriteFailure> {
        self.descriptor.unlink_file_at(name).map_err(write_failure)
    }

    fn make_directory(&self, name: &str) -> Result<(), WriteFailure> {
        self.descriptor
            .create_directory_at(name)
            .map_err(write_failure)
    }

    fn remove_directory(&self, name: &str) -> Result<(), WriteFailure> {
        self.descriptor
            .remove_directory_at(name)
            .map_err(write_failure)
    }

    fn sync(&self) -> Result<Durability, WriteFailure> {
        match self.descriptor.sync() {
            Ok(()) => Ok(Durability::Durable),
            // These errors are returned for any directory by Windows and by other runtimes, even if
            // they can sync files. If they were failures, nothing could be written there. A killed
            // process loses nothing without these syncs; only a loss of power may, and the answer
            // says so.
            Err(
                ErrorCode::Access
                | ErrorCode::NotPermitted
                | ErrorCode::Unsupported
                | ErrorCode::Invalid
                | ErrorCode::IsDirectory
                | ErrorCode::BadDescriptor,
            ) => Ok(Durability::Unknown),
            Err(code) => Err(write_failure(code)),
        }
    }
}

/// A newly created file.
pub struct WasiNewFile {
    descriptor: Descriptor,
    length: u64,
}

impl NewFile for WasiNewFile {
    fn write(&mut self, bytes: &[u8]) -> Result<(), WriteFailure> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let written = self
                .descriptor
                .write(rest, self.length)
                .map_err(write_failure)?;
            let taken = usize::try_from(written).unwrap_or(usize::MAX);
            // A write may be partial, so the rest is written next. A host that takes nothing would
            // keep this loop running forever, and one that claims to have taken more than it was
            // given has written unknown bytes.
            match rest.get(taken..) {
                Some(behind) if taken > 0 => rest = behind,
                _ => return Err(WriteFailure::Io),
            }
            self.length += written;
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), WriteFailure> {
        self.descriptor.sync().map_err(write_failure)
    }
}

fn write_failure(code: ErrorCode) -> WriteFailure {
    match code {
        ErrorCode::Exist => WriteFailure::Exists,
        ErrorCode::NotEmpty => WriteFailure::NotEmpty,
        ErrorCode::ReadOnly => WriteFailure::ReadOnly,
        ErrorCode::InsufficientSpace | ErrorCode::Quota | ErrorCode::FileTooLarge => {
            WriteFailure::NoSpace
        }
        ErrorCode::Busy | ErrorCode::TextFileBusy => WriteFailure::MountPoint,
        // docent's host returns this for a rename whose target is no longer the file that it
        // showed. The transaction then inspects the file again.
        ErrorCode::WouldBlock => WriteFailure::Changed,
        // docent's host returns this if another instance holds the lock on the root's state.
        ErrorCode::NoLock => WriteFailure::InUse,
        _ => failure(code).into(),
    }
}
