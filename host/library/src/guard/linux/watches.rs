//! Watches on the files whose stamps a guest holds, so that a directory in which nothing has
//! changed need not be checked file by file.
//!
//! The kernel puts an event into the queue of a watch (`inotify`) before the call that changes the
//! file returns. Files are watched rather than directories, because a directory does not learn of a
//! write through a name that the file has elsewhere. Three changes cause no event: a write through
//! a shared memory map and one with `io_submit`, while the file stays open, and a mount over the
//! file. Each directory is therefore checked file by file again after [`TRUSTED`].

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use foldhash::fast::RandomState;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use crate::guard::stamp::Sum;
use crate::guard::stamp_ledger::{DirectoryIdentity, NotedNames};

/// Maximum time after a check of all files in which a sum is taken from the watches.
const TRUSTED: Duration = Duration::from_secs(30);

/// Number of successive checks with the same sum, after which a directory is watched at the next
/// one. Most directories of a single question are never checked again.
const EQUAL_CHECKS: u32 = 2;

/// Maximum number of directories whose sums are kept, those that are gone among them.
const DIRECTORIES: usize = 100_000;

/// Bytes of events that are read at once.
const EVENT_BYTES: usize = 16 << 10;

/// Maximum events that are read before a call. The kernel keeps half as many by default; a program
/// that causes them faster than they are read must not delay the call for ever.
const EVENTS: usize = 32_768;

/// The magic numbers of file systems on which every change but those above causes an event: ext2
/// to ext4, xfs, btrfs, tmpfs and f2fs. On a network file system changes by other machines cause
/// none, and on overlayfs the watched file may be another one than the one that is read.
const FILE_SYSTEMS: [u32; 5] = [
    0x0000_EF53,
    0x5846_5342,
    0x9123_683E,
    0x0102_1994,
    0xF2F5_2010,
];

/// The watches of one instance.
pub(crate) struct LinuxWatches {
    /// Maximum number of watched files. Each keeps some kilobyte of the kernel's memory.
    most: usize,
    /// Queue of the events; none before anything is watched.
    queue: Option<OwnedFd>,
    /// True if the events before this call have been read.
    is_read: bool,
    directories: HashMap<DirectoryIdentity, KnownDirectory, RandomState>,
    /// Places of the watched files, by the descriptors of their watches. A file has several if it
    /// has several names.
    places: HashMap<i32, Vec<WatchedName>, RandomState>,
    /// Number of watched names.
    count: usize,
}

/// A name of a watched file.
type WatchedName = (DirectoryIdentity, Arc<str>);

/// A directory whose sum was computed.
struct KnownDirectory {
    /// Generation of its names in the ledger.
    generation: u64,
    sum: Sum,
    /// Time when all its files were checked.
    checked: Instant,
    /// Number of successive checks with this sum, beside the first.
    equal_checks: u32,
    /// Descriptors of the watches of its files; none if it is not watched.
    watches: Option<HashMap<Arc<str>, i32, RandomState>>,
    /// True if each name is watched, and none has changed since it was checked.
    is_unchanged: bool,
    /// True if it cannot be watched.
    is_refused: bool,
}

impl LinuxWatches {
    /// Returns the watches of an instance on at most `most` files.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            queue: None,
            is_read: false,
            directories: HashMap::default(),
            places: HashMap::default(),
            count: 0,
        }
    }

    /// Records that files may have changed: a call begins, or the guest writes.
    pub(crate) fn expect_changes(&mut self) {
        self.is_read = false;
    }

    /// Returns the sum of the stamps of the names with this `generation` in `directory`, if no file
    /// has changed since it was computed.
    pub(crate) fn unchanged_sum(
        &mut self,
        directory: DirectoryIdentity,
        generation: u64,
        now: Instant,
    ) -> Option<Sum> {
        let known = self.directories.get(&directory)?;
        if !known.is_unchanged
            || known.generation != generation
            || now.saturating_duration_since(known.checked) > TRUSTED
        {
            return None;
        }
        if !self.is_read {
            self.read_events();
        }
        let known = self.directories.get(&directory)?;
        known.is_unchanged.then_some(known.sum)
    }

    /// Watches the files with these `names` in `directory`, open as `open`, if the last checks
    /// found no change. To be called before they are checked, so that no change is missed in
    /// between.
    pub(crate) fn watch(&mut self, directory: DirectoryIdentity, open: &File, names: &NotedNames) {
        let Some(known) = self.directories.get_mut(&directory) else {
            return;
        };
        known.is_unchanged = false;
        if known.generation != names.generation() {
            known.is_refused = false;
        }
        let is_watched = known.watches.is_some();
        let may_be = is_watched || known.equal_checks >= EQUAL_CHECKS;
        if known.is_refused || !may_be || !self.add(directory, open, names.names()) {
            self.forget(directory);
        }
    }

    /// Records the sum of the stamps of the names with this `generation` in `directory`.
    /// `is_certain` is false if a file is missing or may change without another stamp.
    pub(crate) fn note_sum(
        &mut self,
        directory: DirectoryIdentity,
        generation: u64,
        sum: Sum,
        is_certain: bool,
        now: Instant,
    ) {
        if self.most == 0 {
            return;
        }
        if self.directories.len() >= DIRECTORIES {
            self.clear();
        }
        let known = self.directories.entry(directory);
        let known = known.or_insert_with(|| KnownDirectory {
            generation,
            sum,
            checked: now,
            equal_checks: 0,
            watches: None,
            is_unchanged: false,
            is_refused: false,
        });
        let is_equal = is_certain && known.generation == generation && known.sum == sum;
        known.equal_checks = match is_equal {
            true => known.equal_checks.saturating_add(1),
            false => 0,
        };
        known.generation = generation;
        known.sum = sum;
        known.checked = now;
        known.is_unchanged = is_certain && known.watches.is_some();
    }

    /// Watches each of the `names` that is not watched, and no others in `directory`. Returns false
    /// if the directory cannot be watched.
    fn add(
        &mut self,
        directory: DirectoryIdentity,
        open: &File,
        names: &BTreeSet<Box<str>>,
    ) -> bool {
        let Some(known) = self.directories.get_mut(&directory) else {
            return false;
        };
        let mut watches = match known.watches.take() {
            Some(watches) => watches,
            None if has_certain_events(open) => HashMap::default(),
            None => return false,
        };
        let gone: Vec<Arc<str>> = watches
            .keys()
            .filter(|name| !names.contains(&***name))
            .cloned()
            .collect();
        for name in gone {
            if let Some(descriptor) = watches.remove(&name) {
                self.leave(descriptor, directory, &name);
            }
        }
        let mut is_complete = self.count + names.len() - watches.len() <= self.most;
        for name in names {
            if !is_complete {
                break;
            }
            if watches.contains_key(&**name) {
                continue;
            }
            match self.add_watch(open, name) {
                Some(descriptor) => {
                    let name: Arc<str> = (&**name).into();
                    let places = self.places.entry(descriptor).or_default();
                    places.push((directory, Arc::clone(&name)));
                    watches.insert(name, descriptor);
                    self.count += 1;
                }
                None => is_complete = false,
            }
        }
        // What is watched is kept even if it is not complete, so that `forget` finds it.
        if let Some(known) = self.directories.get_mut(&directory) {
            known.watches = Some(watches);
        }
        is_complete
    }

    /// Watches one file, and returns the descriptor of its watch; none if that is not possible.
    fn add_watch(&mut self, directory: &File, name: &str) -> Option<i32> {
        if self.queue.is_none() {
            self.queue = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok();
            self.is_read = true;
        }
        let changes = WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::MOVE_SELF
            | WatchFlags::DELETE_SELF;
        // The link leads to the directory that the descriptor names, and nothing is opened: a
        // symbolic link is not followed, and a device is not touched.
        let path = format!("/proc/self/fd/{}/{name}", directory.as_raw_fd());
        let flags = changes | WatchFlags::DONT_FOLLOW;
        match inotify::add_watch(self.queue.as_ref()?, path, flags) {
            Ok(descriptor) => Some(descriptor),
            // The user has no more watches. Other programs need some, too.
            Err(Errno::NOSPC) => {
                self.most = self.count;
                None
            }
            Err(_) => None,
        }
    }

    /// Removes a name from the places of a watch, and the watch with its last place.
    fn leave(&mut self, descriptor: i32, directory: DirectoryIdentity, name: &str) {
        self.count -= 1;
        let Some(places) = self.places.get_mut(&descriptor) else {
            return;
        };
        places.retain(|(other, known)| *other != directory || **known != *name);
        if places.is_empty() {
            self.places.remove(&descriptor);
            if let Some(queue) = &self.queue {
                // A file that is gone has no watch any more.
                let _ = inotify::remove_watch(queue, descriptor);
            }
        }
    }

    /// Ends the watches of a directory.
    fn forget(&mut self, directory: DirectoryIdentity) {
        let Some(known) = self.directories.get_mut(&directory) else {
            return;
        };
        known.is_refused = known.equal_checks >= EQUAL_CHECKS || known.watches.is_some();
        for (name, descriptor) in known.watches.take().into_iter().flatten() {
            self.leave(descriptor, directory, &name);
        }
    }

    /// Reads the events of the queue. Each file that has changed is watched anew at the next check,
    /// since its name may belong to another file by now.
    fn read_events(&mut self) {
        self.is_read = true;
        let Some(changed) = self.queue.as_ref().and_then(read_changed) else {
            // Events were lost.
            self.clear();
            return;
        };
        for descriptor in changed {
            let Some(places) = self.places.remove(&descriptor) else {
                continue;
            };
            for (directory, name) in places {
                self.count -= 1;
                if let Some(known) = self.directories.get_mut(&directory) {
                    known.is_unchanged = false;
                    if let Some(watches) = &mut known.watches {
                        watches.remove(&name);
                    }
                }
            }
            if let Some(queue) = &self.queue {
                let _ = inotify::remove_watch(queue, descriptor);
            }
        }
    }

    /// Forgets everything.
    fn clear(&mut self) {
        *self = Self::new(self.most);
    }
}

/// Returns the descriptors of the watches whose files have changed; none if events were lost.
fn read_changed(queue: &OwnedFd) -> Option<BTreeSet<i32>> {
    let mut buffer = [MaybeUninit::uninit(); EVENT_BYTES];
    let mut reader = Reader::new(queue, &mut buffer);
    let mut changed = BTreeSet::new();
    for _ in 0..EVENTS {
        match reader.next() {
            Ok(event) if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => return None,
            Ok(event) => {
                changed.insert(event.wd());
            }
            Err(Errno::AGAIN) => return Some(changed),
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
    None
}

/// Returns true if a directory is on a file system on which changes of files cause events.
fn has_certain_events(directory: &File) -> bool {
    let status = rustix::fs::fstatfs(directory);
    status.is_ok_and(|status| {
        u32::try_from(status.f_type).is_ok_and(|kind| FILE_SYSTEMS.contains(&kind))
    })
}
