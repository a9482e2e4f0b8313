//! The guarded filesystem: what a guest meets when it uses `wasi:filesystem`.
//!
//! wasmtime-wasi keeps a guest beneath its preopened directories, but opens FIFOs and devices,
//! follows links that stay inside, crosses mounts, and hops to another thread for each call. The
//! guard answers the calls that matter itself, in the calling thread, and leaves to wasmtime-wasi
//! what works on a descriptor that is already open.
//!
//! Beneath a root, and never through a link or across a mount, only regular files and directories
//! are opened. Links are neither read nor made.

mod activity;
#[cfg(all(target_os = "linux", test))]
mod agreement;
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
#[cfg(all(target_os = "linux", test))]
mod renames;
mod reserved;
mod stamp;
mod stamp_ledger;
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

/// An open directory that a guest finds among its preopens.
#[derive(Clone)]
pub(crate) struct Preopen {
    guest_path: String,
    descriptor: Descriptor,
    answers: Answers,
    /// Held while something in it is changed; none where nothing can be.
    lock: Option<Arc<WriteLock>>,
    purpose: Purpose,
}

/// What a directory was granted for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// For a person's files.
    Root,
    /// For what docent keeps of a root. Nobody but its owner reads it.
    State,
}

/// Whether a root is there to be asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answers {
    /// It is, or something else that answers stands for it.
    Yes,
    /// Its file system does not answer. A guest that asks it is stopped.
    No,
}

/// That a guest asked something of the root with this name, whose file system does not answer.
#[derive(Debug, Error)]
#[error("root `{0}` does not answer")]
pub(crate) struct SilentRoot(pub(crate) String);

impl Preopen {
    /// Mounts a root at `guest_path` that may be read.
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

    /// Mounts a root that may be written to while `lock` is held.
    pub(crate) fn locked(guest_path: String, directory: File, lock: Arc<WriteLock>) -> Self {
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

    /// Mounts the directory that holds what docent keeps of a root.
    pub(crate) fn state(guest_path: String, directory: File, lock: Arc<WriteLock>) -> Self {
        Self {
            purpose: Purpose::State,
            ..Self::locked(guest_path, directory, lock)
        }
    }

    /// Stands at `guest_path` for a directory that is gone. It is an empty file, so that whatever
    /// is asked of it as a directory fails, while the root keeps its name and place.
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

    /// Stands at `guest_path` for a directory whose file system does not answer: one more question
    /// would cost one more thread. A guest that asks it anything is stopped, others are not held up.
    pub(crate) fn silent(guest_path: String) -> io::Result<Self> {
        Ok(Self {
            answers: Answers::No,
            ..Self::missing(guest_path)?
        })
    }
}

/// That wasmtime-wasi may block the calling thread: what it is left with works on regular files,
/// which do not block for ever.
const CALLING_THREAD: bool = true;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Regular,
    Directory,
    Link,
    /// Never opened.
    Other(DescriptorType),
}

/// What was opened.
#[derive(Debug)]
pub(crate) enum Opened {
    /// A directory, for naming things beneath it.
    Directory(File),
    /// A regular file.
    Regular(File),
}

/// What a caller expects to find.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    /// A directory and nothing else.
    Directory,
    /// A regular file or a directory.
    Anything,
}

/// What is to be done with a file that is opened for writing.
#[derive(Clone, Copy)]
pub(crate) struct Writing {
    pub(crate) access: WriteAccess,
    pub(crate) creation: Creation,
    pub(crate) content: OldContent,
    pub(crate) readers: Readers,
}

/// Who may read what is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// Its owner, where the system knows owners.
    Owner,
    /// Whoever may read what the person makes otherwise.
    Usual,
}

/// How a rename treats what stands at its target, and what it moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Renaming {
    pub(crate) replacing: Replacing,
    pub(crate) alone: ModeAlone,
}

/// The mode of a file that is moved and replaces none. One that does has the mode of that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModeAlone {
    /// What it was.
    Kept,
    /// That of what the person makes otherwise: it was private only while it was written.
    Usual,
}

/// What a rename may replace.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Replacing {
    /// What a rename otherwise replaces, but for links and what is never opened.
    Anything,
    /// Nothing.
    Nothing,
    /// What was seen, which may be nothing, and only as it was seen.
    Seen(Option<stamp::Facts>),
}

/// The mode of a file that the person makes and says nothing about.
#[cfg(unix)]
fn usual_mode() -> rustix::fs::Mode {
    use rustix::fs::Mode;

    static MODE: std::sync::OnceLock<Mode> = std::sync::OnceLock::new();
    *MODE.get_or_init(|| {
        // There is no asking without setting. What another thread makes in between is more private
        // than it would be.
        let mask = rustix::process::umask(Mode::from_raw_mode(0o077));
        rustix::process::umask(mask);
        Mode::from_raw_mode(0o666).difference(mask)
    })
}

/// Whether what is opened for writing can be read as well.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteAccess {
    /// It cannot.
    Write,
    /// It can.
    ReadWrite,
}

/// Whether a file may come to be by being opened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Creation {
    /// It has to be there.
    Never,
    /// It is made where it is missing.
    IfMissing,
    /// It must not be there.
    Exclusive,
}

/// What becomes of what a file holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OldContent {
    /// It stays.
    Kept,
    /// It is cut off.
    Truncated,
}

/// What is known of an object. Times are seconds and nanoseconds since 1970.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) kind: Kind,
    pub(crate) links: u64,
    pub(crate) size: u64,
    pub(crate) accessed: Option<(i64, u32)>,
    pub(crate) modified: Option<(i64, u32)>,
    /// When it came to be, where the file system keeps that.
    pub(crate) born: Option<(i64, u32)>,
}

/// An entry of a directory.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ListedEntry {
    /// None where it is not UTF-8.
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
    /// The descriptor that was opened last, if its size is known, and the size.
    last_size: Option<(u32, u64)>,
    /// Whether this call has to do with writing, so that what it looks at may be replaced.
    is_writing: bool,
    /// What it looked at last.
    seen: Option<writing::Seen>,
    budget: Arc<budget::WriteBudget>,
    /// Listings that the guest has not ended.
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

    /// Begins a call: forgets what the one before listed, counts into `activity`, and waits for
    /// others that write as `intent` says.
    pub(crate) fn start_call(&mut self, activity: Arc<Activity>, intent: Intent) {
        for lock in self.locks() {
            lock.begin_call(intent);
        }
        // What was a file when the last call listed it may be a FIFO by now. The ledger stays: it
        // goes by what the guest keeps from call to call.
        self.listings.clear();
        self.is_writing = false;
        self.seen = None;
        self.budget.renew();
        self.activity = activity;
    }

    /// Ends a call: others may write again.
    pub(crate) fn end_call(&mut self) {
        self.seen = None;
        // Whoever follows the call sees by that that nothing more is noted.
        self.activity = Arc::default();
        for lock in self.locks() {
            lock.end_call();
        }
    }

    fn locks(&self) -> impl Iterator<Item = &WriteLock> {
        self.preopens.iter().filter_map(|it| it.lock.as_deref())
    }

    /// Notes how a file was used that stands at `path` below an open directory, if somebody wants to
    /// know.
    fn note_usage(&self, directory: u32, path: &str, usage: FileUsage) {
        if let Some(openings) = self.activity.openings()
            && let Some(place) = self.origins.place(directory)
        {
            openings.note(place, path, usage);
        }
    }

    /// Returns the record of the call that is being made.
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
    /// wasmtime-wasi's own view, for what is left to it.
    fn delegate(&mut self) -> WasiFilesystemCtxView<'_> {
        WasiFilesystemCtxView {
            ctx: &mut self.guard.delegate,
            table: self.table,
        }
    }
}

/// Names [`GuardView`] to the linker.
pub(crate) struct GuardedFilesystem;

impl HasData for GuardedFilesystem {
    type Data<'a> = GuardView<'a>;
}

/// The directory behind a descriptor.
fn directory(descriptor: &Descriptor) -> Result<&Dir, wasi::ErrorCode> {
    match descriptor {
        Descriptor::Dir(directory) => Ok(directory),
        Descriptor::File(_) => Err(wasi::ErrorCode::NotDirectory),
    }
}
