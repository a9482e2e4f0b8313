//! When a call has to end.

use std::cell::Cell;

use crate::limits::{EXPLORE_CLOCK_WORDS, EXPLORE_FILE_WORDS};
use docent_tree::disk::Disk;

/// When a call has to end. Half of its time is for looking at files and the other half for showing
/// what was found, so that a later page has the time to look at the same files again.
#[derive(Debug)]
pub struct Deadline {
    /// On the disk's clock, in milliseconds.
    half: u64,
    end: u64,
    /// Words that were read since the clock was looked at.
    words: Cell<u32>,
    is_half_over: Cell<bool>,
    is_over: Cell<bool>,
}

/// Which part of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// Its first half.
    Half,
    /// All of it.
    All,
}

impl Deadline {
    /// Returns the deadline so many milliseconds from now.
    pub fn new(disk: &impl Disk, milliseconds: u64) -> Self {
        let now = disk.monotonic_ms();
        Self {
            half: now.saturating_add(milliseconds / 2),
            end: now.saturating_add(milliseconds),
            words: Cell::new(EXPLORE_CLOCK_WORDS),
            is_half_over: Cell::new(false),
            is_over: Cell::new(false),
        }
    }

    /// Whether that part of the time is over, after a file of so many words. The clock is looked at
    /// once for some thousand words.
    pub fn is_over_after(&self, disk: &impl Disk, time: Time, words: u32) -> bool {
        let words = words.saturating_add(EXPLORE_FILE_WORDS);
        let words = self.words.get().saturating_add(words);
        self.words.set(words);
        if words >= EXPLORE_CLOCK_WORDS {
            self.look(disk);
        }
        match time {
            Time::Half => self.is_half_over.get(),
            Time::All => self.is_over.get(),
        }
    }

    /// Whether all of the time is over, by the clock.
    pub fn is_over_now(&self, disk: &impl Disk) -> bool {
        self.look(disk);
        self.is_over.get()
    }

    /// Whether it was over when the clock was last looked at.
    pub fn was_over(&self) -> bool {
        self.is_over.get()
    }

    fn look(&self, disk: &impl Disk) {
        self.words.set(0);
        let now = disk.monotonic_ms();
        self.is_half_over
            .set(self.is_half_over.get() || now >= self.half);
        self.is_over.set(self.is_over.get() || now >= self.end);
    }
}
