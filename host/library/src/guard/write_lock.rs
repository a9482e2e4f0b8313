//! The write lock of a root: one instance at a time, across all hosts, may change it.
//!
//! An instance that starts completes an interrupted write of an earlier one. It cannot tell such a
//! write from one that another instance is performing right now; the lock can. The lock is taken
//! before the guest reads a journal, and without it the guest cannot change anything. So starting
//! an instance does not interfere with a running write, and no write builds on files that another
//! instance is changing.

use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::limits::READER_LOCK_WAIT;

/// Interval between attempts to take the lock.
const PAUSE: Duration = Duration::from_millis(20);

/// The intent of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    /// Reading. It may only change files to complete an interrupted write.
    Read,
    /// Writing.
    Write,
}

/// The lock of a root, as one instance holds it. It is held while the guest has a directory of the
/// root or of its state open for changes, or from its first change on, and never beyond the call.
pub(crate) struct WriteLock {
    file: File,
    patience: Duration,
    holding: Mutex<Holding>,
}

#[derive(Default)]
struct Holding {
    is_held: bool,
    /// True if this call has waited in vain. It does not wait again, and must not change anything:
    /// it may have read files that another instance was changing.
    is_refused: bool,
    /// Maximum time that this call waits.
    patience: Duration,
    /// Opening numbers of the guest's open writable directories.
    openings: HashSet<u64>,
}

impl WriteLock {
    /// Returns the lock on `file`, an open file description that no other instance shares. A call
    /// that writes waits for it at most `patience`.
    pub(crate) fn new(file: File, patience: Duration) -> Self {
        Self {
            file,
            patience,
            holding: Mutex::default(),
        }
    }

    /// Begins a call.
    pub(super) fn begin_call(&self, intent: Intent) {
        self.lock().patience = match intent {
            Intent::Read => self.patience.min(READER_LOCK_WAIT),
            Intent::Write => self.patience,
        };
    }

    /// Takes the lock, and returns true if it is held.
    pub(super) fn take(&self) -> bool {
        let mut holding = self.lock();
        // A call that has waited in vain is refused for its whole duration. The files that it
        // read in the meantime may be half of another instance's transaction; a second attempt
        // that succeeds would build a change on them.
        if holding.is_held || holding.is_refused {
            return holding.is_held;
        }
        let started = Instant::now();
        loop {
            match self.file.try_lock() {
                Ok(()) => {
                    holding.is_held = true;
                    return true;
                }
                // The lock is polled, because waiting for `flock` with a time limit needs a
                // signal or a thread. A waiting call is not in a hurry; an attempt every 20 ms
                // is not noticed.
                Err(TryLockError::WouldBlock) if started.elapsed() < holding.patience => {
                    sleep(PAUSE);
                }
                // The time is over, or the file system does not support locks. Without a lock
                // nobody can tell who else writes, so the guest may read but not change
                // anything.
                Err(_) => {
                    holding.is_refused = true;
                    return false;
                }
            }
        }
    }

    /// Takes the lock for a directory that is open for changes. Without the lock the guest may
    /// still read.
    pub(super) fn open(&self, opening: u64) {
        self.take();
        self.lock().openings.insert(opening);
    }

    /// Releases the lock with the last of those directories.
    pub(super) fn close(&self, opening: u64) {
        let mut holding = self.lock();
        if holding.openings.remove(&opening) && holding.openings.is_empty() {
            self.release(&mut holding);
        }
    }

    /// Releases the lock at the end of a call.
    pub(super) fn end_call(&self) {
        let mut holding = self.lock();
        holding.is_refused = false;
        self.release(&mut holding);
    }

    fn release(&self, holding: &mut Holding) {
        // If unlocking fails, the lock stays marked as held. It belongs to the open file, so it
        // is released when the instance is dropped.
        if holding.is_held && self.file.unlock().is_ok() {
            holding.is_held = false;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Holding> {
        self.holding.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> (tempfile::TempDir, WriteLock, WriteLock) {
        let directory = tempfile::tempdir().unwrap();
        let lock = || {
            let file = File::create(directory.path().join("lock")).unwrap();
            let lock = WriteLock::new(file, Duration::from_millis(50));
            lock.begin_call(Intent::Write);
            lock
        };
        let (one, other) = (lock(), lock());
        (directory, one, other)
    }

    #[test]
    fn one_writes_and_the_other_waits_once() {
        let (_directory, one, other) = two();
        assert!(one.take() && one.take());
        let started = Instant::now();
        assert!(!other.take());
        assert!(started.elapsed() >= Duration::from_millis(50));
        one.end_call();
        assert!(!other.take(), "its call has waited already");
        other.end_call();
        assert!(other.take());
        assert!(!one.take());
    }

    #[test]
    fn who_waits_gets_it_from_who_ends_in_time() {
        let directory = tempfile::tempdir().unwrap();
        let lock = || {
            let file = File::create(directory.path().join("lock")).unwrap();
            let lock = WriteLock::new(file, Duration::from_secs(30));
            lock.begin_call(Intent::Write);
            lock
        };
        let (one, other) = (lock(), lock());
        assert!(one.take());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| other.take());
            one.end_call();
            assert!(waiting.join().unwrap());
        });
    }

    #[test]
    fn it_is_held_while_any_of_the_state_is_open() {
        let (_directory, one, other) = two();
        one.open(1);
        one.open(2);
        one.close(1);
        assert!(!other.take());
        other.end_call();
        one.close(2);
        assert!(other.take());
        // A directory that is not open does not release a lock that a change has taken.
        other.close(7);
        assert!(!one.take());
    }

    #[test]
    fn who_reads_waits_for_a_moment_only() {
        let directory = tempfile::tempdir().unwrap();
        let lock = |intent| {
            let file = File::create(directory.path().join("lock")).unwrap();
            let lock = WriteLock::new(file, Duration::from_secs(3600));
            lock.begin_call(intent);
            lock
        };
        let (writer, reader) = (lock(Intent::Write), lock(Intent::Read));
        assert!(writer.take());
        let started = Instant::now();
        assert!(!reader.take());
        assert!(started.elapsed() >= READER_LOCK_WAIT);
    }
}
