//! Who may write to a root: one instance at a time, of all hosts.

use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long to wait before the lock is asked for again.
const PAUSE: Duration = Duration::from_millis(20);

/// The lock of a root's state, as one instance has it. It is held while the guest has the state
/// open for changes, or from its first change on, and never beyond the call.
pub(crate) struct StateLock {
    file: File,
    patience: Duration,
    holding: Mutex<Holding>,
}

#[derive(Default)]
struct Holding {
    is_held: bool,
    /// Whether this call has waited in vain. It does not wait again.
    is_refused: bool,
    /// The guest's open directories of the state that can be changed.
    openings: HashSet<u64>,
}

impl StateLock {
    /// Returns the lock on `file`, which is of this instance alone. A call waits for it as long as
    /// `patience`.
    pub(crate) fn new(file: File, patience: Duration) -> Self {
        Self {
            file,
            patience,
            holding: Mutex::default(),
        }
    }

    /// Takes the lock, and returns whether it is held.
    pub(super) fn take(&self) -> bool {
        let mut holding = self.lock();
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
                Err(TryLockError::WouldBlock) if started.elapsed() < self.patience => sleep(PAUSE),
                // Where there are no locks nobody knows who else writes.
                Err(_) => {
                    holding.is_refused = true;
                    return false;
                }
            }
        }
    }

    /// Takes the lock for an open directory of the state. Without it there is no harm in reading.
    pub(super) fn open(&self, opening: u64) {
        self.take();
        self.lock().openings.insert(opening);
    }

    /// Gives the lock back with the last of those directories.
    pub(super) fn close(&self, opening: u64) {
        let mut holding = self.lock();
        if holding.openings.remove(&opening) && holding.openings.is_empty() {
            self.release(&mut holding);
        }
    }

    /// Gives the lock back at the end of a call.
    pub(super) fn end_call(&self) {
        let mut holding = self.lock();
        holding.is_refused = false;
        self.release(&mut holding);
    }

    fn release(&self, holding: &mut Holding) {
        // Should that fail, the lock goes with the instance.
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

    fn two() -> (tempfile::TempDir, StateLock, StateLock) {
        let directory = tempfile::tempdir().unwrap();
        let lock = || {
            let file = File::create(directory.path().join("lock")).unwrap();
            StateLock::new(file, Duration::from_millis(50))
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
            StateLock::new(file, Duration::from_secs(30))
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
        // What is not open does not give back what a change has taken.
        other.close(7);
        assert!(!one.take());
    }
}
