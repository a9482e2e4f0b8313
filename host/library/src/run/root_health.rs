//! The health of roots: the detection of roots that do not answer.
//!
//! A file system that never answers, such as a network drive without its network, holds every
//! thread that accesses it. This module limits the threads that one root may hold, so that the
//! other roots stay usable.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::limits::{LOOK, LOST_THREADS};

/// The health of one root, over all threads.
pub(crate) struct RootHealth {
    asked: Mutex<Asked>,
    patience: Duration,
}

#[derive(Default)]
struct Asked {
    /// Running lookups, the oldest first: the number of each, and the time at which it began.
    looks: Vec<(u64, Instant)>,
    next_look: u64,
    /// Number of threads that the root holds.
    lost: usize,
}

impl RootHealth {
    /// Returns the health of a root that has not been accessed yet.
    pub(crate) fn new() -> Self {
        Self::with_patience(LOOK)
    }

    fn with_patience(patience: Duration) -> Self {
        Self {
            asked: Mutex::default(),
            patience,
        }
    }

    /// Runs a lookup of the root; none if the root is silent, where a lookup would cost one more
    /// thread.
    pub(crate) fn look<T>(&self, look: impl FnOnce() -> T) -> Option<T> {
        let number = {
            let mut asked = self.lock();
            let is_waited_for = |begun: &Instant| begun.elapsed() >= self.patience;
            let is_silent = asked.lost >= LOST_THREADS
                || asked
                    .looks
                    .first()
                    .is_some_and(|(_, begun)| is_waited_for(begun));
            if is_silent {
                return None;
            }
            let number = asked.next_look;
            asked.next_look += 1;
            asked.looks.push((number, Instant::now()));
            number
        };
        // The lookup runs without the lock, because it may never return. With the lock, the
        // other threads could not even find out that the root is silent.
        let seen = look();
        self.lock().looks.retain(|(other, _)| *other != number);
        Some(seen)
    }

    /// Counts a thread that the root holds.
    pub(crate) fn lose_thread(&self) {
        self.lock().lost += 1;
    }

    /// Counts a thread that returned after all.
    pub(crate) fn regain_thread(&self) {
        self.lock().lost -= 1;
    }

    fn lock(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    #[test]
    fn a_root_that_does_not_answer_is_not_asked_again_until_it_does() {
        let root = &RootHealth::with_patience(Duration::ZERO);
        let (begun, has_begun) = channel();
        let (end, may_end) = channel::<()>();
        thread::scope(move |scope| {
            let stuck = scope.spawn(move || {
                root.look(|| {
                    begun.send(()).unwrap();
                    may_end.recv().unwrap();
                })
            });
            has_begun.recv().unwrap();
            assert_eq!(root.look::<()>(|| panic!("it is asked again")), None);
            end.send(()).unwrap();
            assert_eq!(stuck.join().unwrap(), Some(()));
            assert_eq!(root.look(|| 5), Some(5));
        });
    }

    #[test]
    fn looks_at_the_same_time_do_not_count_against_a_root() {
        let root = RootHealth::with_patience(Duration::MAX);
        assert_eq!(root.look(|| root.look(|| 5)), Some(Some(5)));
    }

    #[test]
    fn a_root_is_left_alone_while_it_keeps_all_that_it_may_cost() {
        let root = RootHealth::new();
        for _ in 0..LOST_THREADS {
            assert_eq!(root.look(|| 5), Some(5));
            root.lose_thread();
        }
        assert_eq!(root.look(|| 5), None);
        root.regain_thread();
        assert_eq!(root.look(|| 5), Some(5));
    }
}
