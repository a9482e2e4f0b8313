//! When a call has to end.

use std::cell::Cell;

use crate::limits::{EXPLORE_CLOCK_WORDS, EXPLORE_FILE_WORDS, WORD_BYTES};
use docent_text::patience::Patience;
use docent_text::saturating::saturating_u32;
use docent_tree::disk::Disk;

/// When a call has to end. Half of its time, or of what is left where the scan begins, is for looking
/// at files and the other half for showing what was found, so that a later page has the time to look
/// at the same files again.
#[derive(Debug)]
pub struct Deadline {
    /// When the first half is over on the disk's clock, in milliseconds.
    scan_end: Cell<u64>,
    /// When all of it is.
    end: u64,
    /// Words that were read since the clock was looked at.
    words: Cell<u32>,
    /// The last phase that was over when the clock was last looked at, which it stays without
    /// another look.
    over: Cell<Option<Phase>>,
}

/// A part of a call, in the order in which they end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Looking at files for the first time, which has the first half of the time.
    Scan,
    /// All that leads to the answer, which has all of it.
    Answer,
}

impl Deadline {
    /// Returns the deadline so many milliseconds from now.
    pub fn new(disk: &impl Disk, milliseconds: u64) -> Self {
        let now = disk.monotonic_ms();
        Self {
            scan_end: Cell::new(now.saturating_add(milliseconds / 2)),
            end: now.saturating_add(milliseconds),
            // The first file looks at the clock: a call may begin late.
            words: Cell::new(EXPLORE_CLOCK_WORDS),
            over: Cell::new(None),
        }
    }

    /// Returns the deadline so many milliseconds from now, of a call that has no more to do once
    /// files were looked at: that has all of the time.
    pub fn of_scan(disk: &impl Disk, milliseconds: u64) -> Self {
        let deadline = Self::new(disk, milliseconds);
        Self {
            scan_end: Cell::new(deadline.end),
            ..deadline
        }
    }

    /// Gives looking at files the first half of the time that is left. An embedder may take half of a
    /// call to say which model it is, and one that says nothing must not leave a search without a
    /// file that it looked at.
    pub fn begin_scan(&self, disk: &impl Disk) {
        let now = disk.monotonic_ms();
        let half = self.end.saturating_sub(now) / 2;
        self.scan_end.set(now.saturating_add(half));
    }

    /// Returns when all of the time is over, on the disk's clock.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Whether the time of a phase is over, after a file of so many words. The clock is looked at
    /// once for some thousand words, for each look is a call out of the component.
    pub fn is_over_after(&self, disk: &impl Disk, phase: Phase, words: u32) -> bool {
        self.is_over_after_words(disk, phase, words.saturating_add(EXPLORE_FILE_WORDS))
    }

    /// Returns who says, to work on one text, when the time of a phase is over.
    pub fn patience<'a, D>(&'a self, disk: &'a D, phase: Phase) -> PhasePatience<'a, D> {
        PhasePatience {
            deadline: self,
            disk,
            phase,
        }
    }

    fn is_over_after_words(&self, disk: &impl Disk, phase: Phase, words: u32) -> bool {
        let words = self.words.get().saturating_add(words);
        self.words.set(words);
        if words >= EXPLORE_CLOCK_WORDS {
            self.look(disk);
        }
        // `None` is less than every phase, and with the later phase the earlier one is over too.
        self.over.get() >= Some(phase)
    }

    /// Whether all of the time is over, by the clock.
    pub fn is_over_now(&self, disk: &impl Disk) -> bool {
        self.look(disk);
        self.was_over()
    }

    /// Whether it was over when the clock was last looked at.
    pub fn was_over(&self) -> bool {
        self.over.get() == Some(Phase::Answer)
    }

    fn look(&self, disk: &impl Disk) {
        self.words.set(0);
        let now = disk.monotonic_ms();
        let over = if now >= self.end {
            Some(Phase::Answer)
        } else if now >= self.scan_end.get() {
            Some(Phase::Scan)
        } else {
            None
        };
        self.over.set(self.over.get().max(over));
    }
}

/// Ends work on one text where the time of a phase is over.
#[derive(Debug)]
pub struct PhasePatience<'a, D> {
    deadline: &'a Deadline,
    disk: &'a D,
    phase: Phase,
}

impl<D: Disk> Patience for PhasePatience<'_, D> {
    fn is_over_after(&self, bytes: usize) -> bool {
        let words = saturating_u32(bytes / WORD_BYTES);
        self.deadline
            .is_over_after_words(self.disk, self.phase, words)
    }
}
