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
use linux as system;
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

use wasmtime_wasi::p2::bindings::sync::filesystem::types::DescriptorType;

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
    answers: Answers,
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
enum Answers {
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
            answers: Answers::Yes,
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
            answers: Answers::Yes,
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
            answers: Answers::Yes,
            lock: None,
            purpose: Purpose::Root,
        })
    }

    /// Mounts a placeholder at `guest_path` for a directory whose file system does not answer: one
    /// more request would cost one more thread. A guest that accesses it is stopped; others are not
    /// delayed.
    pub(crate) fn silent(guest_path: String) -> io::Result<Self> {
        Ok(Self {
            answers: Answers::No,
            ..Self::missing(guest_path)?
        })
    }
}

/// Allows wasmtime-wasi to block the calling thread: the operations delegated to it work on regular
/// files, which never block forever.
const CALLING_THREAD: bool = true;

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Regular,
    Directory,
    Link,
    /// Never opened.
    Other(DescriptorType),
}

/// An opened object.
#[derive(Debug)]
pub(crate) enum Opened {
    /// A directory, used to open objects beneath it.
    Directory(File),
    /// A regular file.
    Regular(File),
}

/// The kind of object that a caller expects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    /// A directory and nothing else.
    Directory,
    /// A regular file or a directory.
    Anything,
}

/// The options for opening a file for writing.
#[derive(Clone, Copy)]
pub(crate) struct Writing {
    pub(crate) access: WriteAccess,
    pub(crate) creation: Creation,
    pub(crate) content: OldContent,
    pub(crate) readers: Readers,
}

/// The permissions of a created file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// Readable by its owner only, on systems with owners.
    Owner,
    /// Readable by the users who may read the person's other files.
    Usual,
}

/// The treatment of a rename's target and of the file that it moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Renaming {
    pub(crate) replacing: Replacing,
    pub(crate) alone: ModeAlone,
}

/// The mode of a moved file that replaces none. A file that replaces another takes over its mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModeAlone {
    /// The mode that it had.
    Kept,
    /// The mode of the person's other files: it was private only while it was written.
    Usual,
}

/// The targets that a rename may replace.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Replacing {
    /// Any target that a rename can replace, except symbolic links and objects that are never
    /// opened.
    Anything,
    /// No target: the name must be free.
    Nothing,
    /// The target that was seen, which may be none, and only in the state in which it was seen.
    Seen(Option<stamp::Facts>),
}

/// Returns the mode of a file that the person creates without setting a mode.
#[cfg(unix)]
fn usual_mode() -> rustix::fs::Mode {
    use rustix::fs::Mode;

    static MODE: std::sync::OnceLock<Mode> = std::sync::OnceLock::new();
    *MODE.get_or_init(|| {
        // The umask is a property of the process and can only be read by setting it. The mask
        // in between is the strictest one: a file that another thread creates at that moment is
        // more private than it would be, never less. The value is read once, so this can happen
        // once in a process.
        let mask = rustix::process::umask(Mode::from_raw_mode(0o077));
        rustix::process::umask(mask);
        Mode::from_raw_mode(0o666).difference(mask)
    })
}

/// The access with which a file is opened for writing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteAccess {
    /// Write only.
    Write,
    /// Read and write.
    ReadWrite,
}

/// The treatment of a missing file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Creation {
    /// The file must exist.
    Never,
    /// The file is created if it is missing.
    IfMissing,
    /// The file must not exist.
    Exclusive,
}

/// The treatment of a file's old content.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OldContent {
    /// The content stays.
    Kept,
    /// The content is truncated.
    Truncated,
}

/// The status of an object. Times are seconds and nanoseconds since 1970.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) kind: Kind,
    pub(crate) links: u64,
    pub(crate) size: u64,
    pub(crate) accessed: Option<(i64, u32)>,
    pub(crate) modified: Option<(i64, u32)>,
    /// Time of its creation; none if the file system does not keep it.
    pub(crate) born: Option<(i64, u32)>,
}

/// An entry of a directory.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ListedEntry {
    /// Name of the entry; none if it is not UTF-8.
    pub(crate) name: Option<String>,
    pub(crate) kind: Kind,
}

/// The filesystem of one instance.
pub(crate) struct Guard {
    preopens: Vec<Preopen>,
    delegate: WasiFilesystemCtx,
    stamper: stamp::Stamper,
    origins: origins::Origins,
    listings: listings::Listings,
    ledger: stamp_ledger::StampLedger,
    /// Descriptor that was opened last, and its size; none if the size is not known.
    last_size: Option<(u32, u64)>,
    /// True if this call writes, so that objects that it inspects may be replaced later.
    is_writing: bool,
    /// Object that it inspected last.
    seen: Option<writing::Seen>,
    budget: Arc<budget::WriteBudget>,
    /// Number of listings that the guest has not closed.
    open_listings: usize,
    activity: Arc<Activity>,
}

impl Guard {
    pub(crate) fn new(preopens: Vec<Preopen>) -> Self {
        Self {
            preopens,
            delegate: WasiFilesystemCtx::default(),
            stamper: stamp::Stamper::new(),
            origins: origins::Origins::default(),
            listings: listings::Listings::default(),
            ledger: stamp_ledger::StampLedger::default(),
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
fn directory(descriptor: &Descriptor) -> Result<&Dir, wasi::ErrorCode> {
    match descriptor {
        Descriptor::Dir(directory) => Ok(directory),
        Descriptor::File(_) => Err(wasi::ErrorCode::NotDirectory),
    }
}
