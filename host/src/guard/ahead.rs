//! Opens files ahead of a guest that reads its way through a directory.
//!
//! A guest runs on one thread, and half of the time of a search is the kernel's work of opening
//! files. So a second thread opens the files that the guest will most likely ask for next: those of
//! the directory that it has just listed, in the order of their names, with an extension that it
//! has already opened in this call. What was opened and is not asked for is closed unread; nothing
//! outlives the call. Whichever thread comes first to a file opens it, so that neither waits for
//! the other longer than one opening takes.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

use super::system;

/// Files that are held open ahead of the guest.
const WINDOW: usize = 32;

/// How far ahead of the guest the second thread starts, so that the two do not meet at each file.
const LEAD: usize = 2;

/// Directories with fewer files are not worth waking a thread for.
const WORTH_IT: usize = 8;

/// Names that are remembered of one listing; more are opened the careful way.
const REMEMBERED: usize = 100_000;

/// Extensions that one call may open before its reading counts as unpredictable.
const EXTENSIONS: usize = 16;

/// What is known of the directories that a guest has open.
#[derive(Default)]
pub(crate) struct Ahead {
    /// By the guest's descriptor.
    directories: HashMap<u32, Listed>,
    /// Extensions of the files that this call has opened.
    extensions: Vec<Box<str>>,
    helper: Option<Helper>,
}

/// The regular files that a listing has shown.
struct Listed {
    directory: Arc<File>,
    /// Sorted bytewise.
    names: Vec<Box<str>>,
    next: usize,
    batch: Option<(Arc<Batch>, usize)>,
}

impl Ahead {
    /// Forgets everything that an earlier call listed or opened.
    pub(crate) fn restart(&mut self) {
        self.directories.clear();
        self.extensions.clear();
    }

    /// Remembers that listing `directory`, the guest's descriptor `rep`, has shown these regular
    /// files.
    pub(crate) fn listed(&mut self, rep: u32, directory: Arc<File>, mut names: Vec<Box<str>>) {
        names.sort_unstable();
        let mut listed = Listed { directory, names, next: 0, batch: None };
        if !self.extensions.is_empty() {
            self.start_batch(&mut listed, 0);
        }
        self.directories.insert(rep, listed);
    }

    /// Forgets the directory behind the guest's descriptor `rep`.
    pub(crate) fn closed(&mut self, rep: u32) {
        self.directories.remove(&rep);
    }

    /// Opens `name` in the directory behind the guest's descriptor `rep`, if a listing has shown it
    /// to be a regular file; none otherwise.
    pub(crate) fn open(&mut self, rep: u32, name: &str) -> Option<io::Result<File>> {
        let mut listed = self.directories.remove(&rep)?;
        let file = self.open_listed(&mut listed, name);
        self.directories.insert(rep, listed);
        file
    }

    fn open_listed(&mut self, listed: &mut Listed, name: &str) -> Option<io::Result<File>> {
        let index = position(&listed.names, listed.next, name)?;
        listed.next = index + 1;
        if self.note_extension(name) {
            self.start_batch(listed, index);
        }
        let ahead = listed.batch.as_mut().and_then(|(batch, next)| {
            let index = position(&batch.names, *next, name)?;
            *next = index + 1;
            batch.take(index)
        });
        Some(match ahead {
            Some(file) => Ok(file),
            None => system::open_listed(&listed.directory, name),
        })
    }

    /// Remembers the extension of `name`; returns whether it is a new one.
    fn note_extension(&mut self, name: &str) -> bool {
        let extension = extension(name);
        if self.extensions.iter().any(|known| **known == *extension) {
            return false;
        }
        let room = self.extensions.len() < EXTENSIONS;
        if room {
            self.extensions.push(extension.into());
        }
        room
    }

    /// Has the files of `listed` from `start` on opened ahead.
    fn start_batch(&mut self, listed: &mut Listed, start: usize) {
        let names: Vec<Box<str>> = listed.names[start..]
            .iter()
            .filter(|name| {
                let extension = extension(name);
                !name.starts_with('.') && self.extensions.iter().any(|known| **known == *extension)
            })
            .cloned()
            .collect();
        if names.len() < WORTH_IT {
            return;
        }
        let helper = match &self.helper {
            Some(helper) => helper,
            None => match Helper::start() {
                Ok(helper) => self.helper.insert(helper),
                // Without a second thread the guest is slower, and nothing else.
                Err(_) => return,
            },
        };
        let batch = Arc::new(Batch::new(Arc::clone(&listed.directory), names));
        helper.give(Arc::clone(&batch));
        listed.batch = Some((batch, 0));
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        if let Some((batch, _)) = &self.batch {
            batch.close();
        }
    }
}

/// Names that one listing has shown, as they are collected.
#[derive(Default)]
pub(crate) struct Shown(Vec<Box<str>>);

impl Shown {
    pub(crate) fn push(&mut self, name: &str) {
        if self.0.len() < REMEMBERED {
            self.0.push(name.into());
        }
    }

    pub(crate) fn into_names(self) -> Vec<Box<str>> {
        self.0
    }
}

/// Finds `name` among sorted `names`, most likely at `guess`.
fn position(names: &[Box<str>], guess: usize, name: &str) -> Option<usize> {
    if names.get(guess).is_some_and(|candidate| **candidate == *name) {
        return Some(guess);
    }
    names.binary_search_by(|candidate| (**candidate).cmp(name)).ok()
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Files of one directory that two threads open together.
struct Batch {
    directory: Arc<File>,
    names: Vec<Box<str>>,
    slots: Vec<Slot>,
    /// The guest has come to here.
    reached: AtomicUsize,
    closed: AtomicBool,
    /// The second thread, while it sleeps because it is far enough ahead.
    sleeper: Mutex<Option<Thread>>,
    asleep: AtomicBool,
}

#[derive(Default)]
struct Slot {
    state: AtomicU8,
    file: Mutex<Option<File>>,
}

/// Nobody has come to this file.
const FREE: u8 = 0;
/// The second thread is opening it.
const BUSY: u8 = 1;
/// The second thread is done with it.
const DONE: u8 = 2;
/// The guest's thread sees to it.
const TAKEN: u8 = 3;

impl Batch {
    fn new(directory: Arc<File>, names: Vec<Box<str>>) -> Self {
        let slots = names.iter().map(|_| Slot::default()).collect();
        Self {
            directory,
            names,
            slots,
            reached: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            sleeper: Mutex::new(None),
            asleep: AtomicBool::new(false),
        }
    }

    /// Returns file `index` if it was opened ahead; none when the caller is to open it.
    fn take(&self, index: usize) -> Option<File> {
        self.reached.store(index + 1, Ordering::Release);
        if self.asleep.load(Ordering::Acquire) {
            self.wake();
        }
        let slot = &self.slots[index];
        match slot.state.compare_exchange(FREE, TAKEN, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => None,
            Err(mut state) => {
                while state == BUSY {
                    thread::yield_now();
                    state = slot.state.load(Ordering::Acquire);
                }
                lock(&slot.file).take()
            }
        }
    }

    /// Opens what the guest has not come to, until there is no more or the batch is closed.
    fn open_all(&self) {
        let mut index = 0;
        while index < self.slots.len() && !self.closed.load(Ordering::Acquire) {
            let reached = self.reached.load(Ordering::Acquire);
            index = index.max(reached + LEAD);
            if index >= reached + WINDOW {
                self.sleep(reached + WINDOW / 2);
                continue;
            }
            let Some(slot) = self.slots.get(index) else { break };
            if slot.state.compare_exchange(FREE, BUSY, Ordering::AcqRel, Ordering::Acquire).is_ok()
            {
                // What cannot be opened is left to the guest's thread, which will learn why.
                *lock(&slot.file) =
                    system::open_listed(&self.directory, &self.names[index]).ok();
                slot.state.store(DONE, Ordering::Release);
            }
            index += 1;
        }
    }

    /// Sleeps until the guest has come to file `until`, or the batch is closed.
    fn sleep(&self, until: usize) {
        *lock(&self.sleeper) = Some(thread::current());
        self.asleep.store(true, Ordering::SeqCst);
        while self.reached.load(Ordering::SeqCst) < until && !self.closed.load(Ordering::SeqCst) {
            thread::park();
        }
        self.asleep.store(false, Ordering::SeqCst);
    }

    fn wake(&self) {
        if let Some(thread) = lock(&self.sleeper).take() {
            thread.unpark();
        }
    }

    fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.wake();
        // Files that were opened for nothing are closed with the last reference to the batch.
    }
}

/// The second thread.
struct Helper(Arc<Desk>);

#[derive(Default)]
struct Desk {
    work: Mutex<Work>,
    changed: Condvar,
}

#[derive(Default)]
struct Work {
    batch: Option<Arc<Batch>>,
    ended: bool,
}

impl Helper {
    fn start() -> io::Result<Self> {
        let desk = Arc::<Desk>::default();
        let theirs = Arc::clone(&desk);
        thread::Builder::new().name("docent-ahead".to_owned()).spawn(move || {
            while let Some(batch) = theirs.next() {
                batch.open_all();
            }
        })?;
        Ok(Self(desk))
    }

    /// Gives the thread a batch in place of the one before.
    fn give(&self, batch: Arc<Batch>) {
        lock(&self.0.work).batch = Some(batch);
        self.0.changed.notify_one();
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        lock(&self.0.work).ended = true;
        self.0.changed.notify_one();
    }
}

impl Desk {
    fn next(&self) -> Option<Arc<Batch>> {
        let mut work = lock(&self.work);
        loop {
            if work.ended {
                return None;
            }
            if let Some(batch) = work.batch.take() {
                return Some(batch);
            }
            work = self.changed.wait(work).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read as _;
    use std::sync::Arc;

    use super::{Ahead, WINDOW, system};

    /// A directory with files `000.md`, `001.md`, … that hold their own names, and its names.
    fn directory(files: usize) -> (tempfile::TempDir, Vec<Box<str>>) {
        let directory = tempfile::tempdir().unwrap();
        let names: Vec<Box<str>> = (0..files).map(|n| format!("{n:03}.md").into()).collect();
        for name in &names {
            fs::write(directory.path().join(&**name), name.as_bytes()).unwrap();
        }
        (directory, names)
    }

    fn content(ahead: &mut Ahead, name: &str) -> String {
        let mut text = String::new();
        ahead.open(7, name).unwrap().unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn each_name_gives_its_own_file_in_any_order() {
        let (temporary, names) = directory(10 * WINDOW);
        let root = Arc::new(system::open_root_ambient(temporary.path()).unwrap());
        let forwards: Vec<_> = names.iter().collect();
        let backwards: Vec<_> = names.iter().rev().collect();
        let scattered: Vec<_> = (0..names.len()).map(|n| &names[n * 7 % names.len()]).collect();
        for order in [forwards, backwards, scattered] {
            let mut ahead = Ahead::default();
            ahead.listed(7, Arc::clone(&root), names.clone());
            for name in order {
                assert_eq!(content(&mut ahead, name), **name);
            }
        }
    }

    #[test]
    fn a_file_asked_for_twice_is_opened_twice() {
        let (temporary, names) = directory(WINDOW);
        let root = Arc::new(system::open_root_ambient(temporary.path()).unwrap());
        let mut ahead = Ahead::default();
        ahead.listed(7, root, names.clone());
        for name in names.iter().chain(&names) {
            assert_eq!(content(&mut ahead, name), **name);
        }
    }

    #[test]
    fn what_no_listing_has_shown_is_left_to_the_careful_way() {
        let (temporary, names) = directory(WINDOW);
        let root = Arc::new(system::open_root_ambient(temporary.path()).unwrap());
        fs::write(temporary.path().join("later.md"), "").unwrap();
        let mut ahead = Ahead::default();
        ahead.listed(7, root, names);
        assert!(ahead.open(7, "later.md").is_none());
        assert!(ahead.open(8, "000.md").is_none());
        ahead.closed(7);
        assert!(ahead.open(7, "000.md").is_none());
    }

    #[test]
    fn what_was_opened_ahead_does_not_outlive_the_call() {
        let (temporary, names) = directory(WINDOW);
        let root = Arc::new(system::open_root_ambient(temporary.path()).unwrap());
        let mut ahead = Ahead::default();
        ahead.listed(7, root, names);
        content(&mut ahead, "000.md");
        ahead.restart();
        assert!(ahead.open(7, "001.md").is_none());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_became_something_else_is_refused() {
        let (temporary, names) = directory(WINDOW);
        let root = Arc::new(system::open_root_ambient(temporary.path()).unwrap());
        let mut ahead = Ahead::default();
        ahead.listed(7, root, names);
        let last = temporary.path().join("031.md");
        fs::remove_file(&last).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", &last).unwrap();
        assert!(ahead.open(7, "031.md").unwrap().is_err());
    }
}
