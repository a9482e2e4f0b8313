//! The guarded filesystem: the implementation of `wasi:filesystem` that a guest gets.
//!
//! wasmtime-wasi keeps a guest beneath its preopened directories, but opens FIFOs and devices,
//! follows symbolic links that stay inside, crosses mounts, and moves each call to another thread.
//! The guard implements the security-relevant calls itself, in the calling thread, and delegates
//! operations on an already open descriptor to wasmtime-wasi.
//!
//! Only regular files and directories beneath a root are opened, and never through a symbolic link
//! or across a mount. Symbolic links are neither read nor created.

mod activity;
mod budget;
#[cfg(target_os = "linux")]
mod linux;
mod listings;
#[cfg(not(target_os = "linux"))]
mod no_watches;
mod object;
mod openings;
mod origins;
#[cfg(any(not(target_os = "linux"), test))]
#[cfg_attr(
    target_os = "linux",
    expect(dead_code, reason = "on Linux it is only held against the faster way")
)]
mod portable;
mod reserved;
mod stamp;
mod stamp_ledger;
#[cfg(all(target_os = "linux", test))]
mod tests;
mod wasi;
mod wasi_values;
mod write_lock;
mod writing;

#[cfg(target_os = "linux")]
use linux::{self as system, LinuxWatches as Watches};
#[cfg(not(target_os = "linux"))]
use no_watches::NoWatches as Watches;
#[cfg(not(target_os = "linux"))]
use portable as system;

use std::fs::File;
use std::io;
use std::sync::Arc;

use thiserror::Error;

use wasmtime::component::{HasData, ResourceTable};
use wasmtime_wasi::filesystem::{
    Descriptor, Dir, File as FileDescriptor, FsPerms, OpenMode, WasiFilesystemCtx,
    WasiFilesystemCtxView,
};

use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use crate::clock::Clock;

pub use activity::Work;
pub use openings::{FileUsage, OpenedFile, OpeningLog, Openings};

pub(crate) use activity::Activity;
pub(crate) use system::{identity, identity_of_path_ambient, lockable, open_root_ambient};
pub(crate) use write_lock::{Intent, WriteLock};

/// An open directory among a guest's preopens.
#[derive(Clone)]
pub(crate) struct Preopen {
    guest_path: String,
    descriptor: Descriptor,
    answers: RootAvailability,
    /// Lock held while something in the directory is changed; none if it is read-only.
    lock: Option<Arc<WriteLock>>,
    purpose: Purpose,
}

/// The purpose for which a directory was granted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// A root with a person's files.
    Root,
    /// The state of a root, with docent's own data. Only its owner can read it.
    State,
}

/// The availability of a root.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RootAvailability {
    /// The root answers, or a placeholder that answers is mounted in its place.
    Yes,
    /// Its file system does not answer. A guest that accesses it is stopped.
    No,
}

/// The trap of a guest that accessed the root with this name, whose file system does not answer.
#[derive(Debug, Error)]
#[error("root `{0}` does not answer")]
pub(crate) struct SilentRoot(pub(crate) String);

impl Preopen {
    /// Mounts a read-only root at `guest_path`.
    pub(crate) fn read_only(guest_path: String, directory: File) -> Self {
        let mode = OpenMode::READ;
        let directory = Dir::new(directory, FsPerms::ReadOnly, mode, CALLING_THREAD);
        Self {
            guest_path,
            descriptor: Descriptor::Dir(directory),
            answers: RootAvailability::Yes,
            lock: None,
            purpose: Purpose::Root,
        }
    }

    /// Mounts a root that may be written while `lock` is held.
    pub(crate) fn with_lock(guest_path: String, directory: File, lock: Arc<WriteLock>) -> Self {
        let mode = OpenMode::READ | OpenMode::WRITE;
        let directory = Dir::new(directory, FsPerms::ReadWrite, mode, CALLING_THREAD);
        Self {
            guest_path,
            descriptor: Descriptor::Dir(directory),
            answers: RootAvailability::Yes,
            lock: Some(lock),
            purpose: Purpose::Root,
        }
    }

    /// Mounts the state directory of a root.
    pub(crate) fn state(guest_path: String, directory: File, lock: Arc<WriteLock>) -> Self {
        Self {
            purpose: Purpose::State,
            ..Self::with_lock(guest_path, directory, lock)
        }
    }

    /// Mounts a placeholder at `guest_path` for a directory that is gone. It is an empty file, so
    /// that every directory operation on it fails, while the root keeps its name and position.
    pub(crate) fn missing(guest_path: String) -> io::Result<Self> {
        let file = FileDescriptor::new(
            system::empty_file()?,
            FsPerms::ReadOnly,
            OpenMode::empty(),
            CALLING_THREAD,
        );
        Ok(Self {
            guest_path,
            descriptor: Descriptor::File(file),
            answers: RootAvailability::Yes,
            lock: None,
            purpose: Purpose::Root,
        })
    }

    /// Mounts a placeholder at `guest_path` for a directory whose file system does not answer: one
    /// more request would cost one more thread. A guest that accesses it is stopped; others are not
    /// delayed.
    pub(crate) fn silent(guest_path: String) -> io::Result<Self> {
        Ok(Self {
            answers: RootAvailability::No,
            ..Self::missing(guest_path)?
        })
    }
}

/// Allows wasmtime-wasi to block the calling thread: the operations delegated to it work on regular
/// files, which never block forever.
const CALLING_THREAD: bool = true;

/// The filesystem of one instance.
pub(crate) struct Guard {
    preopens: Vec<Preopen>,
    delegate: WasiFilesystemCtx,
    stamper: stamp::Stamper,
    origins: origins::Origins,
    listings: listings::Listings,
    ledger: stamp_ledger::StampLedger,
    watches: Watches,
    clock: Clock,
    /// Descriptor that was opened last, and its size; none if the size is not known.
    last_size: Option<(u32, u64)>,
    /// True if this call writes, so that objects that it inspects may be replaced later.
    is_writing: bool,
    /// Object that it inspected last.
    seen: Option<writing::SeenObject>,
    budget: Arc<budget::WriteBudget>,
    /// Number of listings that the guest has not closed.
    open_listings: usize,
    activity: Arc<Activity>,
}

impl Guard {
    /// Returns the filesystem with these preopens, which watches at most `watched_files` files.
    pub(crate) fn new(preopens: Vec<Preopen>, watched_files: usize, clock: Clock) -> Self {
        Self {
            preopens,
            delegate: WasiFilesystemCtx::default(),
            stamper: stamp::Stamper::new(),
            origins: origins::Origins::default(),
            listings: listings::Listings::default(),
            ledger: stamp_ledger::StampLedger::default(),
            watches: Watches::new(watched_files),
            clock,
            last_size: None,
            is_writing: false,
            seen: None,
            budget: Arc::default(),
            open_listings: 0,
            activity: Arc::default(),
        }
    }

    /// Begins a call: forgets the listings of the previous one, counts into `activity`, and waits
    /// for other writers according to `intent`.
    pub(crate) fn start_call(&mut self, activity: Arc<Activity>, intent: Intent) {
        for lock in self.locks() {
            lock.begin_call(intent);
        }
        // A regular file of the last call's listing may be a FIFO by now, and would be opened
        // in one step if the listing were kept. The stamp ledger stays: the guest keeps stamps
        // from call to call, and the ledger lists which ones it has.
        self.listings.clear();
        self.watches.expect_changes();
        self.is_writing = false;
        self.seen = None;
        self.budget.renew();
        self.activity = activity;
    }

    /// Ends a call: other instances may write again.
    pub(crate) fn end_call(&mut self) {
        self.seen = None;
        // The guard drops its reference to the record of the call. Whoever kept the log of
        // opened files sees by its reference count that the log is final: a call that was
        // cancelled may still open files for a moment after its caller has gone.
        self.activity = Arc::default();
        for lock in self.locks() {
            lock.end_call();
        }
    }

    fn locks(&self) -> impl Iterator<Item = &WriteLock> {
        self.preopens.iter().filter_map(|it| it.lock.as_deref())
    }

    /// Logs the use of the file at `path` below an open directory, if the call has a log.
    fn note_usage(&self, directory: u32, path: &str, usage: FileUsage) {
        if let Some(openings) = self.activity.openings()
            && let Some(place) = self.origins.place(directory)
        {
            openings.note(place, path, usage);
        }
    }

    /// Returns the activity of the current call.
    pub(crate) fn activity(&self) -> &Activity {
        &self.activity
    }
}

/// The guard together with the table of the instance's open descriptors.
pub(crate) struct GuardView<'a> {
    pub(crate) guard: &'a mut Guard,
    pub(crate) table: &'a mut ResourceTable,
}

impl GuardView<'_> {
    /// Returns wasmtime-wasi's own view, for the delegated operations.
    fn delegate(&mut self) -> WasiFilesystemCtxView<'_> {
        WasiFilesystemCtxView {
            ctx: &mut self.guard.delegate,
            table: self.table,
        }
    }
}

/// The type by which the linker finds [`GuardView`].
pub(crate) struct GuardedFilesystem;

impl HasData for GuardedFilesystem {
    type Data<'a> = GuardView<'a>;
}

/// Returns the directory of a descriptor.
fn directory(descriptor: &Descriptor) -> Result<&Dir, ErrorCode> {
    match descriptor {
        Descriptor::Dir(directory) => Ok(directory),
        Descriptor::File(_) => Err(ErrorCode::NotDirectory),
    }
}
