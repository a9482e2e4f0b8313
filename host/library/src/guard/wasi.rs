//! The implementation of `wasi:filesystem` that guests call.

use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::{Descriptor, Dir, File, OpenMode};
use wasmtime_wasi::p2::bindings::filesystem::{preopens, types as waiting};
use wasmtime_wasi::p2::bindings::sync::filesystem::types;
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, FsError, FsResult};

use super::listings::RegularFiles;
use super::object::{ExpectedKind, ObjectKind, Opened};
use super::origins::DescriptorOrigin;
use super::stamp::Sum;
use super::system::{self, LinuxListing};
use super::wasi_values::{code, descriptor_type, finish_refusable, stat, system_time};
use super::{CALLING_THREAD, FileUsage, GuardView, RootAvailability, SilentRoot, directory};
use crate::limits::OPEN_LISTINGS;
use crate::right::Identity;

use waiting::ErrorCode;

/// Maximum bytes returned by one read; guests read again for more.
const READ_CAP: u64 = 1024 * 1024;

/// A listing that a guest is reading. It is stored in the table in place of wasmtime-wasi's own
/// type, which cannot be constructed outside that crate. The two never mix, because all methods of
/// the resource are implemented here.
struct ListingStream {
    listing: LinuxListing,
    /// Guest's descriptor of the directory, which it may close before the listing.
    directory: u32,
    /// Origin of that descriptor when the listing began.
    origin: Option<DescriptorOrigin>,
    shown: RegularFiles,
}

/// The trap of a guest that opened more listings at a time than allowed.
#[derive(Debug, thiserror::Error)]
#[error("too many listings are open")]
struct TooManyListings;

impl preopens::Host for GuardView<'_> {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(Resource<Descriptor>, String)>> {
        // A guest may call this more than once, and owns each result.
        let preopens = self.guard.preopens.clone();
        preopens
            .into_iter()
            .enumerate()
            .map(|(root, preopen)| {
                let descriptor = self.table.push(preopen.descriptor)?;
                let name = preopen.guest_path.trim_start_matches('/');
                self.guard.origins.note_root(descriptor.rep(), root, name);
                Ok((descriptor, preopen.guest_path))
            })
            .collect()
    }
}

impl types::Host for GuardView<'_> {
    fn convert_error_code(&mut self, error: FsError) -> wasmtime::Result<types::ErrorCode> {
        Ok(error.downcast()?.into())
    }

    fn filesystem_error_code(
        &mut self,
        error: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<types::ErrorCode>> {
        waiting::Host::filesystem_error_code(&mut self.delegate(), error)
            .map(|code| code.map(Into::into))
    }
}

impl GuardView<'_> {
    /// Records the root that the guest accesses, for the code that abandons calls.
    pub(super) fn ask(&self, descriptor: &Resource<Descriptor>) -> FsResult<()> {
        let Some(origin) = self.guard.origins.get(descriptor.rep()) else {
            return Ok(());
        };
        self.guard.activity.enter_root(origin.root);
        match self.guard.preopens.get(origin.root) {
            Some(preopen) if preopen.answers == RootAvailability::No => {
                let name = preopen.guest_path.trim_start_matches('/');
                Err(FsError::trap(SilentRoot(name.to_owned())))
            }
            _ => Ok(()),
        }
    }

    /// Returns the identity of an open object; none if the system does not provide one.
    fn identity(&self, descriptor: &Resource<Descriptor>) -> wasmtime::Result<Option<Identity>> {
        if let Some(origin) = self.guard.origins.get(descriptor.rep()) {
            self.guard.activity.enter_root(origin.root);
        }
        let identity = match self.table.get(descriptor)? {
            Descriptor::File(file) => system::identity(&file.file),
            Descriptor::Dir(directory) => system::identity(&directory.dir),
        };
        Ok(identity.ok())
    }

    pub(super) fn directory(&self, descriptor: &Resource<Descriptor>) -> FsResult<&Dir> {
        Ok(directory(self.table.get(descriptor)?)?)
    }

    /// Returns true if a listing of this call has shown `path` to be a regular file.
    fn was_listed(&mut self, parent: &Resource<Descriptor>, path: &str) -> bool {
        self.guard
            .origins
            .get(parent.rep())
            .is_some_and(|origin| self.guard.listings.contains(origin.opening, path))
    }

    /// Opens a file that a listing of this call has shown to be regular, in one step.
    fn open_listed(
        &mut self,
        parent: &Resource<Descriptor>,
        path: String,
    ) -> FsResult<Resource<Descriptor>> {
        let directory = self.directory(parent)?;
        let (file, size) = match system::open_listed(&directory.dir, &path).map_err(code) {
            Ok(opened) => opened,
            Err(code) => return Err(self.refuse_open(parent, &path, code)),
        };
        let file = File::new(file, directory.perms, OpenMode::READ, CALLING_THREAD);
        self.guard.note_usage(parent.rep(), &path, FileUsage::Read);
        let opened = self.push_file(parent, path, file)?;
        // The size is known from the check of the kind. It keeps the first read from reserving
        // a whole MiB for a file of a few hundred bytes, which is most files of a search.
        self.guard.last_size = Some((opened.rep(), size));
        Ok(opened)
    }

    /// Opens the object at a path after checking its kind.
    fn open_careful(
        &mut self,
        parent: &Resource<Descriptor>,
        path: String,
        expected: ExpectedKind,
        flags: types::DescriptorFlags,
    ) -> FsResult<Resource<Descriptor>> {
        let directory = self.directory(parent)?;
        let opened = match system::open(&directory.dir, &path, expected).map_err(code) {
            Ok(opened) => opened,
            Err(code) => return Err(self.refuse_open(parent, &path, code)),
        };
        match opened {
            Opened::Directory(opened) => {
                let mode = if flags.contains(types::DescriptorFlags::MUTATE_DIRECTORY) {
                    directory.open_mode
                } else {
                    OpenMode::READ
                };
                let opened = Dir::new(opened, directory.perms, mode, CALLING_THREAD);
                self.guard.activity.count_directory();
                let opened = self.table.push(Descriptor::Dir(opened))?;
                self.guard
                    .origins
                    .note_directory(parent.rep(), opened.rep(), &path);
                if mode.contains(OpenMode::WRITE) {
                    self.note_changeable(&opened);
                }
                Ok(opened)
            }
            Opened::Regular(opened) => {
                let file = File::new(opened, directory.perms, OpenMode::READ, CALLING_THREAD);
                self.guard.note_usage(parent.rep(), &path, FileUsage::Read);
                self.push_file(parent, path, file)
            }
        }
    }

    /// Returns the error for an object that is not opened, and logs the refusal. A missing object,
    /// or one of another kind, is not logged as refused.
    pub(super) fn refuse_open(
        &self,
        parent: &Resource<Descriptor>,
        path: &str,
        code: ErrorCode,
    ) -> FsError {
        let is_absent = matches!(code, ErrorCode::NoEntry | ErrorCode::NotDirectory);
        if !is_absent {
            let usage = FileUsage::Refused(code.name());
            self.guard.note_usage(parent.rep(), path, usage);
        }
        code.into()
    }

    /// Gives the guest a descriptor of a file, and records its origin.
    pub(super) fn push_file(
        &mut self,
        parent: &Resource<Descriptor>,
        path: String,
        file: File,
    ) -> FsResult<Resource<Descriptor>> {
        self.guard.activity.count_file();
        let opened = self.table.push(Descriptor::File(file))?;
        self.guard.origins.note_open(parent.rep(), opened.rep());
        self.guard
            .ledger
            .note_open(parent.rep(), path, opened.rep());
        Ok(opened)
    }
}

impl types::HostDescriptor for GuardView<'_> {
    fn open_at(
        &mut self,
        descriptor: Resource<Descriptor>,
        _path_flags: types::PathFlags,
        path: String,
        open: types::OpenFlags,
        flags: types::DescriptorFlags,
    ) -> FsResult<Resource<Descriptor>> {
        use types::{DescriptorFlags, OpenFlags};

        self.ask(&descriptor)?;
        // The path flags are ignored. Their only flag asks for symbolic links to be followed,
        // and none is ever followed: a link to `../../etc/passwd` is refused with and without
        // it.
        let writes = open
            .intersects(OpenFlags::CREATE | OpenFlags::EXCLUSIVE | OpenFlags::TRUNCATE)
            || flags.contains(DescriptorFlags::WRITE);
        if open.contains(OpenFlags::DIRECTORY) {
            self.open_careful(&descriptor, path, ExpectedKind::Directory, flags)
        } else if writes {
            self.open_for_writing(&descriptor, path, open, flags)
        } else if self.was_listed(&descriptor, &path) {
            self.open_listed(&descriptor, path)
        } else {
            self.open_careful(&descriptor, path, ExpectedKind::Anything, flags)
        }
    }

    fn read(
        &mut self,
        descriptor: Resource<Descriptor>,
        length: u64,
        offset: u64,
    ) -> FsResult<(Vec<u8>, bool)> {
        self.ask(&descriptor)?;
        let Descriptor::File(file) = self.table.get(&descriptor)? else {
            return Err(ErrorCode::IsDirectory.into());
        };
        if !file.open_mode.contains(OpenMode::READ) {
            return Err(ErrorCode::BadDescriptor.into());
        }
        let length = usize::try_from(length.min(READ_CAP)).map_err(|_| ErrorCode::Overflow)?;
        // The number of a descriptor is reused after it is closed, so the remembered size may
        // be that of another file. A wrong size only costs memory or a second reservation:
        // `read` continues until `length` bytes or the end of the file.
        let likely = match self.guard.last_size {
            Some((rep, size)) if rep == descriptor.rep() => {
                // One more byte, so that the read is short and shows the end.
                usize::try_from(size.saturating_sub(offset).saturating_add(1)).unwrap_or(length)
            }
            _ => length,
        };
        let bytes = system::read(&file.file, length, offset, likely).map_err(code)?;
        self.guard.activity.count_bytes(bytes.len());
        // A short read means the end of the file, which is reported with it. Otherwise each
        // file would cost a second call that returns nothing.
        let end = bytes.len() < length;
        Ok((bytes, end))
    }

    fn read_directory(
        &mut self,
        descriptor: Resource<Descriptor>,
    ) -> FsResult<Resource<types::DirectoryEntryStream>> {
        self.ask(&descriptor)?;
        if self.guard.open_listings >= OPEN_LISTINGS {
            return Err(FsError::trap(TooManyListings));
        }
        // Reset before the listing starts: a change during the listing must not count as seen.
        self.guard.ledger.reset(descriptor.rep());
        let listing = system::list(&self.directory(&descriptor)?.dir).map_err(code)?;
        self.guard.activity.count_listing();
        let stream = ListingStream {
            listing,
            directory: descriptor.rep(),
            origin: self.guard.origins.get(descriptor.rep()),
            shown: RegularFiles::default(),
        };
        let stream = self.table.push(stream)?;
        self.guard.open_listings += 1;
        Ok(Resource::new_own(stream.rep()))
    }

    fn stat(&mut self, descriptor: Resource<Descriptor>) -> FsResult<types::DescriptorStat> {
        self.ask(&descriptor)?;
        let status = match self.table.get(&descriptor)? {
            Descriptor::File(file) => system::status(&file.file),
            Descriptor::Dir(directory) => system::status(&directory.dir),
        };
        Ok(stat(&status.map_err(code)?))
    }

    fn stat_at(
        &mut self,
        descriptor: Resource<Descriptor>,
        _path_flags: types::PathFlags,
        path: String,
    ) -> FsResult<types::DescriptorStat> {
        self.ask(&descriptor)?;
        if self.is_writing(&descriptor, &path) {
            return self.look_at(&descriptor, path);
        }
        let was_listed = self.was_listed(&descriptor, &path);
        let parent = self.directory(&descriptor)?;
        let status = if was_listed {
            system::status_listed(&parent.dir, &path)
        } else {
            system::status_at(&parent.dir, &path)
        };
        Ok(stat(&status.map_err(code)?))
    }

    fn metadata_hash(
        &mut self,
        descriptor: Resource<Descriptor>,
    ) -> FsResult<types::MetadataHashValue> {
        self.ask(&descriptor)?;
        // The clock is read before the fields. If it were read after them, a file could change
        // in between and still look settled: its fields would be those before the change, and
        // its age would be measured after it.
        let now = system::file_time_now();
        self.guard.activity.count_stamp();
        let stat_fields = match self.table.get(&descriptor)? {
            Descriptor::File(file) => {
                let stat_fields = system::stat_fields(&file.file).map_err(code)?;
                self.guard.ledger.note_file(descriptor.rep());
                stat_fields
            }
            Descriptor::Dir(directory) => {
                let stat_fields = system::stat_fields(&directory.dir).map_err(code)?;
                self.guard
                    .ledger
                    .note_directory(descriptor.rep(), &stat_fields);
                stat_fields
            }
        };
        Ok(self.guard.stamper.stamp(&stat_fields, now))
    }

    /// Returns the stamp of an entry. For `.`, returns the sum of the present stamps of all entries
    /// whose stamp this guest was given since it last listed the directory.
    fn metadata_hash_at(
        &mut self,
        descriptor: Resource<Descriptor>,
        _path_flags: types::PathFlags,
        path: String,
    ) -> FsResult<types::MetadataHashValue> {
        self.ask(&descriptor)?;
        // The clock is read first, as above.
        let now = system::file_time_now();
        let directory = directory(self.table.get(&descriptor)?)?;
        if path != "." {
            self.guard.activity.count_stamp();
            let stat_fields = system::stat_fields_at(&directory.dir, &path).map_err(code)?;
            self.guard.ledger.note_entry(descriptor.rep(), &path);
            return Ok(self.guard.stamper.stamp(&stat_fields, now));
        }
        let mut sum = Sum::default();
        let Some((identity, noted)) = self.guard.ledger.noted(descriptor.rep()) else {
            return Ok(sum.into());
        };
        let generation = noted.generation();
        let clock = self.guard.clock.now();
        if self.guard.is_writing {
            // What it has written since the last question counts too.
            self.guard.watches.expect_changes();
        }
        let unchanged = self
            .guard
            .watches
            .unchanged_sum(identity, generation, clock);
        if let Some(unchanged) = unchanged {
            self.guard
                .activity
                .count_watched(noted.names().len() as u64);
            return Ok(unchanged.into());
        }
        self.guard.watches.watch(identity, &directory.dir, noted);
        let unsettled = self.guard.stamper.unsettled();
        let mut stamps = 0;
        for name in noted.names() {
            // The file is gone or cannot be inspected, so the sum lacks its stamp. The guest's
            // own sum still has it, the two differ, and the guest requests each stamp.
            if let Ok(stat_fields) = system::stat_fields_at(&directory.dir, name) {
                sum.add(&self.guard.stamper.stamp(&stat_fields, now));
                stamps += 1;
            }
        }
        let is_certain =
            stamps == noted.names().len() && self.guard.stamper.unsettled() == unsettled;
        self.guard
            .watches
            .note_sum(identity, generation, sum, is_certain, clock);
        self.guard.activity.count_sum(stamps as u64);
        Ok(sum.into())
    }

    fn create_directory_at(
        &mut self,
        descriptor: Resource<Descriptor>,
        path: String,
    ) -> FsResult<()> {
        self.begin_entry(&descriptor)?;
        let readers = self.readers(&descriptor, &path);
        let parent = self.directory(&descriptor)?;
        Ok(system::create_directory(&parent.dir, &path, readers).map_err(code)?)
    }

    fn remove_directory_at(
        &mut self,
        descriptor: Resource<Descriptor>,
        path: String,
    ) -> FsResult<()> {
        self.begin_change(&descriptor)?;
        let parent = self.directory(&descriptor)?;
        Ok(system::remove_directory(&parent.dir, &path).map_err(code)?)
    }

    fn unlink_file_at(&mut self, descriptor: Resource<Descriptor>, path: String) -> FsResult<()> {
        self.begin_change(&descriptor)?;
        let parent = self.directory(&descriptor)?;
        system::remove_file(&parent.dir, &path).map_err(code)?;
        self.note_change(&descriptor, &path, FileUsage::Removed);
        Ok(())
    }

    fn rename_at(
        &mut self,
        descriptor: Resource<Descriptor>,
        old_path: String,
        new_descriptor: Resource<Descriptor>,
        new_path: String,
    ) -> FsResult<()> {
        self.rename(&descriptor, &old_path, &new_descriptor, &new_path)
    }

    fn set_times_at(
        &mut self,
        descriptor: Resource<Descriptor>,
        _path_flags: types::PathFlags,
        path: String,
        accessed: types::NewTimestamp,
        modified: types::NewTimestamp,
    ) -> FsResult<()> {
        let mut times = std::fs::FileTimes::new();
        if let Some(time) = system_time(accessed)? {
            times = times.set_accessed(time);
        }
        if let Some(time) = system_time(modified)? {
            times = times.set_modified(time);
        }
        self.begin_change(&descriptor)?;
        let parent = self.directory(&descriptor)?;
        Ok(system::set_times(&parent.dir, &path, times).map_err(code)?)
    }

    fn link_at(
        &mut self,
        _: Resource<Descriptor>,
        _: types::PathFlags,
        _: String,
        _: Resource<Descriptor>,
        _: String,
    ) -> FsResult<()> {
        Err(ErrorCode::Unsupported.into())
    }

    fn symlink_at(&mut self, _: Resource<Descriptor>, _: String, _: String) -> FsResult<()> {
        Err(ErrorCode::Unsupported.into())
    }

    fn readlink_at(&mut self, _: Resource<Descriptor>, _: String) -> FsResult<String> {
        Err(ErrorCode::Unsupported.into())
    }

    // The functions from here on operate on an open regular file or directory, and are delegated to
    // wasmtime-wasi.

    fn advise(
        &mut self,
        descriptor: Resource<Descriptor>,
        offset: u64,
        length: u64,
        advice: types::Advice,
    ) -> FsResult<()> {
        finish_refusable(waiting::HostDescriptor::advise(
            &mut self.delegate(),
            descriptor,
            offset,
            length,
            advice.into(),
        ))
    }

    fn sync_data(&mut self, descriptor: Resource<Descriptor>) -> FsResult<()> {
        self.ask(&descriptor)?;
        finish_refusable(waiting::HostDescriptor::sync_data(
            &mut self.delegate(),
            descriptor,
        ))
    }

    fn sync(&mut self, descriptor: Resource<Descriptor>) -> FsResult<()> {
        self.ask(&descriptor)?;
        finish_refusable(waiting::HostDescriptor::sync(
            &mut self.delegate(),
            descriptor,
        ))
    }

    fn get_flags(&mut self, descriptor: Resource<Descriptor>) -> FsResult<types::DescriptorFlags> {
        finish_refusable(waiting::HostDescriptor::get_flags(
            &mut self.delegate(),
            descriptor,
        ))
        .map(Into::into)
    }

    fn get_type(&mut self, descriptor: Resource<Descriptor>) -> FsResult<types::DescriptorType> {
        finish_refusable(waiting::HostDescriptor::get_type(
            &mut self.delegate(),
            descriptor,
        ))
        .map(Into::into)
    }

    fn set_size(&mut self, descriptor: Resource<Descriptor>, size: u64) -> FsResult<()> {
        self.ask(&descriptor)?;
        // Growing a file counts as writing. Otherwise a guest could set the size to 1 TiB in
        // one call without writing a byte.
        self.spend_bytes(size)?;
        finish_refusable(waiting::HostDescriptor::set_size(
            &mut self.delegate(),
            descriptor,
            size,
        ))
    }

    fn set_times(
        &mut self,
        descriptor: Resource<Descriptor>,
        accessed: types::NewTimestamp,
        modified: types::NewTimestamp,
    ) -> FsResult<()> {
        self.ask(&descriptor)?;
        finish_refusable(waiting::HostDescriptor::set_times(
            &mut self.delegate(),
            descriptor,
            accessed.into(),
            modified.into(),
        ))
    }

    fn write(
        &mut self,
        descriptor: Resource<Descriptor>,
        bytes: Vec<u8>,
        offset: u64,
    ) -> FsResult<u64> {
        self.ask(&descriptor)?;
        self.spend_bytes(bytes.len() as u64)?;
        finish_refusable(waiting::HostDescriptor::write(
            &mut self.delegate(),
            descriptor,
            bytes,
            offset,
        ))
    }

    fn read_via_stream(
        &mut self,
        descriptor: Resource<Descriptor>,
        offset: u64,
    ) -> FsResult<Resource<DynInputStream>> {
        self.ask(&descriptor)?;
        waiting::HostDescriptor::read_via_stream(&mut self.delegate(), descriptor, offset)
    }

    fn write_via_stream(
        &mut self,
        descriptor: Resource<Descriptor>,
        offset: u64,
    ) -> FsResult<Resource<DynOutputStream>> {
        self.ask(&descriptor)?;
        let stream =
            waiting::HostDescriptor::write_via_stream(&mut self.delegate(), descriptor, offset)?;
        self.count_written(stream)
    }

    fn append_via_stream(
        &mut self,
        descriptor: Resource<Descriptor>,
    ) -> FsResult<Resource<DynOutputStream>> {
        self.ask(&descriptor)?;
        let stream = waiting::HostDescriptor::append_via_stream(&mut self.delegate(), descriptor)?;
        self.count_written(stream)
    }

    fn is_same_object(
        &mut self,
        one: Resource<Descriptor>,
        other: Resource<Descriptor>,
    ) -> wasmtime::Result<bool> {
        // The comparison is not delegated to wasmtime-wasi. Each object is queried on its own
        // here, after its root was recorded, so that a root whose file system does not answer
        // is named correctly among the two.
        let (one, other) = (self.identity(&one)?, self.identity(&other)?);
        Ok(one.is_some() && one == other)
    }

    fn drop(&mut self, descriptor: Resource<Descriptor>) -> wasmtime::Result<()> {
        let rep = descriptor.rep();
        let closed = self.table.delete(descriptor)?;
        // The next descriptor may get this number. Whatever is recorded by number is forgotten
        // here; otherwise the place, the names or the lock of the closed directory would be
        // attributed to another one.
        let origin = self.guard.origins.note_close(rep);
        if let Descriptor::Dir(_) = closed {
            self.guard.ledger.note_close(rep);
            if let Some(origin) = origin {
                self.guard.listings.remove(origin.opening);
                if let Some(preopen) = self.guard.preopens.get(origin.root)
                    && let Some(lock) = &preopen.lock
                {
                    lock.close(origin.opening);
                }
            }
        }
        Ok(())
    }
}

impl types::HostDirectoryEntryStream for GuardView<'_> {
    fn read_directory_entry(
        &mut self,
        stream: Resource<types::DirectoryEntryStream>,
    ) -> FsResult<Option<types::DirectoryEntry>> {
        let stream = self
            .table
            .get_mut(&Resource::<ListingStream>::new_borrow(stream.rep()))?;
        if let Some(origin) = stream.origin {
            self.guard.activity.enter_root(origin.root);
        }
        match stream.listing.next() {
            None => Ok(None),
            Some(Err(error)) => Err(code(error).into()),
            Some(Ok(entry)) => match entry.name {
                Some(name) => {
                    // Only entries that were listed as regular files are later opened in one
                    // step. The kind of all others, including those of an unknown kind, is
                    // checked before they are opened.
                    if entry.kind == ObjectKind::Regular {
                        self.guard.listings.show(&mut stream.shown, &name);
                    }
                    Ok(Some(types::DirectoryEntry {
                        type_: descriptor_type(entry.kind),
                        name,
                    }))
                }
                // WASI's names are Unicode, so a name that is not UTF-8 cannot be passed on.
                // The error is for this entry alone, and the next call returns the next entry:
                // one such name must not hide a directory.
                None => Err(ErrorCode::IllegalByteSequence.into()),
            },
        }
    }

    fn drop(&mut self, stream: Resource<types::DirectoryEntryStream>) -> wasmtime::Result<()> {
        let stream = self
            .table
            .delete(Resource::<ListingStream>::new_own(stream.rep()))?;
        self.guard.open_listings -= 1;
        // The guest may have closed the directory before the listing, and its number may belong
        // to another one. The names are kept only if the number still has the origin that it
        // had when the listing began; otherwise `a.md` of one directory would count as listed
        // in the other.
        match stream.origin {
            Some(origin) if self.guard.origins.get(stream.directory) == Some(origin) => {
                self.guard.listings.insert(origin.opening, stream.shown);
            }
            _ => self.guard.listings.forget(&stream.shown),
        }
        Ok(())
    }
}
