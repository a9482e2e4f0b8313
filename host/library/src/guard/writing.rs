//! A guest's changes: their permission, their order and their budget.

use std::sync::Arc;

use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::{Descriptor, File, OpenMode};
use wasmtime_wasi::p2::bindings::sync::filesystem::types;
use wasmtime_wasi::p2::{DynOutputStream, FsResult};

use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use super::budget::CountedStream;
use super::object::{
    Creation, ModeAlone, OldContent, Readers, Renaming, ReplaceCondition, WriteAccess, WriteOptions,
};
use super::reserved::{self, Word};
use super::stamp::StatFields;
use super::system;
use super::wasi_values::{code, stat};
use super::{CALLING_THREAD, FileUsage, GuardView, Preopen, Purpose};

/// The object under a name when the guest requested its status.
pub(super) struct SeenObject {
    opening: u64,
    path: String,
    /// Fields of the stamp of the object; none if the name was free.
    stat_fields: Option<StatFields>,
    /// Open handle, so that another file cannot reuse its inode number.
    #[expect(dead_code, reason = "holding it is all that is to be done with it")]
    hold: Option<std::fs::File>,
}

impl GuardView<'_> {
    fn preopen(&self, descriptor: &Resource<Descriptor>) -> Option<&Preopen> {
        let origin = self.guard.origins.get(descriptor.rep())?;
        self.guard.preopens.get(origin.root)
    }

    /// Begins a change in a directory.
    ///
    /// # Errors
    /// [`ErrorCode::ReadOnly`]; [`ErrorCode::NoLock`] if another instance, or another host, is
    /// writing in this root and did not finish in time.
    pub(super) fn begin_change(&mut self, descriptor: &Resource<Descriptor>) -> FsResult<()> {
        self.ask(descriptor)?;
        if self.directory(descriptor)?.perms.write_not_permitted() {
            return Err(ErrorCode::ReadOnly.into());
        }
        // From here on `stat-at` remembers the object that it inspects, for the check of a
        // later rename. Calls that only read skip that, since it keeps a descriptor open for
        // each inspection.
        self.guard.is_writing = true;
        let lock = self.preopen(descriptor).and_then(|root| root.lock.as_ref());
        match lock {
            Some(lock) if !lock.take() => Err(ErrorCode::NoLock.into()),
            _ => Ok(()),
        }
    }

    /// Begins the creation or the move of an entry.
    ///
    /// # Errors
    /// Those of [`Self::begin_change`]; [`ErrorCode::Quota`] if the call has used up its entries.
    pub(super) fn begin_entry(&mut self, descriptor: &Resource<Descriptor>) -> FsResult<()> {
        self.begin_change(descriptor)?;
        if self.guard.budget.spend_entry() {
            Ok(())
        } else {
            Err(ErrorCode::Quota.into())
        }
    }

    /// Spends bytes of the call's write budget.
    ///
    /// # Errors
    /// [`ErrorCode::Quota`] if fewer are left.
    pub(super) fn spend_bytes(&self, bytes: u64) -> FsResult<()> {
        if self.guard.budget.spend_bytes(bytes) {
            Ok(())
        } else {
            Err(ErrorCode::Quota.into())
        }
    }

    /// Replaces a stream into a file with one that counts the bytes written.
    pub(super) fn count_written(
        &mut self,
        stream: Resource<DynOutputStream>,
    ) -> FsResult<Resource<DynOutputStream>> {
        let stream = self.table.delete(stream)?;
        let budget = Arc::clone(&self.guard.budget);
        let counted: DynOutputStream = Box::new(CountedStream { stream, budget });
        Ok(self.table.push(counted)?)
    }

    /// Returns the permissions of a file or directory created at this path.
    pub(super) fn readers(&self, parent: &Resource<Descriptor>, path: &str) -> Readers {
        if self.is_state(parent) || reserved::word(path).is_some() {
            Readers::Owner
        } else {
            Readers::Usual
        }
    }

    /// Opens or creates a regular file for writing.
    pub(super) fn open_for_writing(
        &mut self,
        parent: &Resource<Descriptor>,
        path: String,
        open: types::OpenFlags,
        flags: types::DescriptorFlags,
    ) -> FsResult<Resource<Descriptor>> {
        use types::{DescriptorFlags, OpenFlags};

        let (access, mode) = if flags.contains(DescriptorFlags::READ) {
            (WriteAccess::ReadWrite, OpenMode::READ | OpenMode::WRITE)
        } else {
            (WriteAccess::Write, OpenMode::WRITE)
        };
        let writing = WriteOptions {
            access,
            creation: match (
                open.contains(OpenFlags::CREATE),
                open.contains(OpenFlags::EXCLUSIVE),
            ) {
                // As with open(2), `exclusive` has no effect without `create`.
                (false, _) => Creation::Never,
                (true, false) => Creation::IfMissing,
                (true, true) => Creation::Exclusive,
            },
            content: if open.contains(OpenFlags::TRUNCATE) {
                OldContent::Truncated
            } else {
                OldContent::Kept
            },
            readers: self.readers(parent, &path),
        };
        if writing.creation == Creation::Never {
            self.begin_change(parent)?;
        } else {
            self.begin_entry(parent)?;
        }
        let directory = self.directory(parent)?;
        let file = match system::open_for_writing(&directory.dir, &path, writing).map_err(code) {
            Ok(file) => file,
            Err(code) => return Err(self.refuse_open(parent, &path, code)),
        };
        let file = File::new(file, directory.perms, mode, CALLING_THREAD);
        if access == WriteAccess::ReadWrite {
            self.guard.note_usage(parent.rep(), &path, FileUsage::Read);
        }
        self.note_change(parent, &path, FileUsage::Written);
        self.push_file(parent, path, file)
    }

    /// Returns true if the object at `path` that this call inspects may be replaced later.
    pub(super) fn is_writing(&mut self, parent: &Resource<Descriptor>, path: &str) -> bool {
        // Inspecting a reserved name begins a write as well. Recovery creates no files: it
        // inspects those that an interrupted transaction left, and renames them. Without this,
        // their fields would not be remembered, and the rename would be refused because its
        // target was not inspected.
        self.guard.is_writing |= reserved::word(path).is_some();
        let is_writable = |directory: &super::Dir| !directory.perms.write_not_permitted();
        self.guard.is_writing && self.directory(parent).is_ok_and(is_writable)
    }

    /// Returns the status of the object at a path, and remembers the object.
    pub(super) fn look_at(
        &mut self,
        parent: &Resource<Descriptor>,
        path: String,
    ) -> FsResult<types::DescriptorStat> {
        self.guard.seen = None;
        let looked = system::look_at(&self.directory(parent)?.dir, &path);
        let (stat_fields, hold, looked) = match looked {
            Ok((status, stat_fields, hold)) => (Some(stat_fields), hold, Ok(stat(&status))),
            Err(error) => match code(error) {
                ErrorCode::NoEntry => (None, None, Err(ErrorCode::NoEntry)),
                other => return Err(other.into()),
            },
        };
        if let Some(origin) = self.guard.origins.get(parent.rep()) {
            self.guard.seen = Some(SeenObject {
                opening: origin.opening,
                path,
                stat_fields,
                hold,
            });
        }
        Ok(looked?)
    }

    pub(super) fn rename(
        &mut self,
        old_parent: &Resource<Descriptor>,
        old: &str,
        new_parent: &Resource<Descriptor>,
        new: &str,
    ) -> FsResult<()> {
        self.begin_change(old_parent)?;
        if old == new && self.are_one(old_parent, new_parent) {
            // A move onto itself changes nothing, and WASI has no call that asks whether a
            // rename is permitted. The guest uses this one to ask, before a transaction writes
            // anything.
            let directory = self.directory(old_parent)?;
            return Ok(system::may_move(&directory.dir, old).map_err(code)?);
        }
        self.begin_entry(new_parent)?;
        let origin = self.guard.origins.get(new_parent.rep());
        // The handle of the inspected object is held until the rename ends. While it is open,
        // its inode number is not reused; otherwise a file that was removed and created again
        // could have all fields of the inspected one.
        let seen = self
            .guard
            .seen
            .take()
            .filter(|seen| origin.map(|o| o.opening) == Some(seen.opening) && seen.path == new);
        let is_kept = self.is_state(old_parent) || self.is_state(new_parent);
        let replacing = match (reserved::word(old), &seen) {
            // The name under which a file is put aside must be free, and a file in the state is
            // never replaced: both hold what undoing needs, and an older one of the same name
            // would be lost.
            _ if is_kept || reserved::word(new).is_some() => ReplaceCondition::Nothing,
            (None, _) => ReplaceCondition::Anything,
            (Some(Word::New), _) => ReplaceCondition::Nothing,
            (Some(Word::Set), Some(seen)) => ReplaceCondition::Seen(seen.stat_fields),
            // The guest has not inspected this target, or something else since. It could be any
            // file, also one that a person created a moment ago, so it is not replaced.
            (Some(Word::Set), None) => return Err(ErrorCode::WouldBlock.into()),
        };
        let has_its_name = reserved::word(new).is_none() && !is_kept;
        let alone = if reserved::is_prepared(old) && has_its_name {
            ModeAlone::Usual
        } else {
            ModeAlone::Kept
        };
        let renaming = Renaming { replacing, alone };
        let (from, to) = (self.directory(old_parent)?, self.directory(new_parent)?);
        system::rename(&from.dir, old, &to.dir, new, renaming).map_err(code)?;
        self.note_change(old_parent, old, FileUsage::Removed);
        self.note_change(new_parent, new, FileUsage::Written);
        Ok(())
    }

    /// Logs a change of a person's file. docent's own prepared files and state have reserved names.
    pub(super) fn note_change(&self, parent: &Resource<Descriptor>, path: &str, usage: FileUsage) {
        if reserved::word(path).is_none() && !self.is_state(parent) {
            self.guard.note_usage(parent.rep(), path, usage);
        }
    }

    /// Returns true if two descriptors belong to the same opening of a directory.
    fn are_one(&self, one: &Resource<Descriptor>, other: &Resource<Descriptor>) -> bool {
        let opening =
            |of: &Resource<Descriptor>| self.guard.origins.get(of.rep()).map(|o| o.opening);
        opening(one).is_some() && opening(one) == opening(other)
    }

    fn is_state(&self, descriptor: &Resource<Descriptor>) -> bool {
        self.preopen(descriptor)
            .is_some_and(|preopen| preopen.purpose == Purpose::State)
    }

    /// Records that the guest has opened a writable directory. Until it is closed nobody else may
    /// write, because a change builds on the files read there.
    pub(super) fn note_changeable(&self, directory: &Resource<Descriptor>) {
        if let Some(preopen) = self.preopen(directory)
            && let Some(lock) = &preopen.lock
            && let Some(origin) = self.guard.origins.get(directory.rep())
        {
            lock.open(origin.opening);
        }
    }
}
