//! The deadline of a call.

use std::cell::Cell;

use crate::limits::{EXPLORE_CLOCK_WORDS, EXPLORE_FILE_WORDS, WORD_BYTES};
use docent_text::saturating::saturating_u32;
use docent_text::time_budget::BudgetClock;
use docent_tree::disk::Disk;

/// The deadline of a call. Half of its time, or of the time left at the start of the scan, is for
/// visiting files and the other half for rendering the results, so that a later page has the time
/// to visit the same files again.
#[derive(Debug)]
pub struct Deadline {
    /// End of the first half on the disk's clock, in milliseconds.
    scan_end: Cell<u64>,
    /// End of the whole time, in the same unit.
    end: u64,
    /// Words read since the clock was last consulted.
    words: Cell<u32>,
    /// The last phase that was over when the clock was last consulted; it stays over without
    /// consulting the clock again.
    over: Cell<Option<CallPhase>>,
}

/// A part of a call, in the order in which they end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallPhase {
    /// The first visit of files, which has the first half of the time.
    Scan,
    /// The whole work on the answer, which has all of the time.
    Answer,
}

impl Deadline {
    /// Returns the deadline `milliseconds` from now.
    pub fn new(disk: &impl Disk, milliseconds: u64) -> Self {
        let now = disk.monotonic_ms();
        Self {
            scan_end: Cell::new(now.saturating_add(milliseconds / 2)),
            end: now.saturating_add(milliseconds),
            // The counter starts full, so that the clock is consulted at the first file: a call
            // may reach this point late, for example after waiting for an embedder.
            words: Cell::new(EXPLORE_CLOCK_WORDS),
            over: Cell::new(None),
        }
    }

    /// Returns the deadline `milliseconds` from now of a call that does nothing after visiting
    /// files, which therefore has all of the time.
    pub fn for_scan(disk: &impl Disk, milliseconds: u64) -> Self {
        let deadline = Self::new(disk, milliseconds);
        Self {
            scan_end: Cell::new(deadline.end),
            ..deadline
        }
    }

    /// Gives the visit of files the first half of the time that is left. An embedder may take half
    /// of a call to report its model, and one that never answers must not leave a search without
    /// any file visited.
    pub fn begin_scan(&self, disk: &impl Disk) {
        let now = disk.monotonic_ms();
        let half = self.end.saturating_sub(now) / 2;
        self.scan_end.set(now.saturating_add(half));
    }

    /// Returns the end of all of the time, on the disk's clock.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Returns true if the time of a phase is over, after a file of so many words. The clock is
    /// consulted once per some thousand words, since each query is a call out of the component.
    pub fn is_over_after(&self, disk: &impl Disk, phase: CallPhase, words: u32) -> bool {
        self.spend_words(disk, phase, words.saturating_add(EXPLORE_FILE_WORDS))
    }

    /// Returns the budget for one text, which ends with the time of a phase.
    pub fn patience<'a, D>(&'a self, disk: &'a D, phase: CallPhase) -> PhaseClock<'a, D> {
        PhaseClock {
            deadline: self,
            disk,
            phase,
        }
    }

    fn spend_words(&self, disk: &impl Disk, phase: CallPhase, words: u32) -> bool {
        // Asking for the time is a call out of the component, which costs more than counting
        // the words of a short file. It is made once per some thousand words. Files without
        // words count as some as well, so that a directory of empty files does not escape the
        // deadline.
        let words = self.words.get().saturating_add(words);
        self.words.set(words);
        if words >= EXPLORE_CLOCK_WORDS {
            self.look(disk);
        }
        // The phases are ordered by their ends, and `None` is less than both. If the whole time
        // is over, so is its first half.
        self.over.get() >= Some(phase)
    }

    /// Returns true if all of the time is over now, according to the clock.
    pub fn is_over_now(&self, disk: &impl Disk) -> bool {
        self.look(disk);
        self.was_over()
    }

    /// Returns true if all of the time was over when the clock was last consulted.
    pub fn was_over(&self) -> bool {
        self.over.get() == Some(CallPhase::Answer)
    }

    fn look(&self, disk: &impl Disk) {
        self.words.set(0);
        let now = disk.monotonic_ms();
        let over = if now >= self.end {
            Some(CallPhase::Answer)
        } else if now >= self.scan_end.get() {
            Some(CallPhase::Scan)
        } else {
            None
        };
        self.over.set(self.over.get().max(over));
    }
}

/// Clock that ends work on one text when the time of a phase is over.
#[derive(Debug)]
pub struct PhaseClock<'a, D> {
    deadline: &'a Deadline,
    disk: &'a D,
    phase: CallPhase,
}

impl<D: Disk> BudgetClock for PhaseClock<'_, D> {
    fn is_over_after(&self, bytes: usize) -> bool {
        let words = saturating_u32(bytes / WORD_BYTES);
        self.deadline.spend_words(self.disk, self.phase, words)
    }
}
