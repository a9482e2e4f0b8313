//! When a search has to end.

use crate::limits::{SEARCH_CLOCK_BYTES, SEARCH_CLOCK_ENTRIES};

/// Tells when the time of a call is over. The clock is looked at once for some entries or bytes,
/// for each look is a call out of the component.
pub struct Clock<'a> {
    now_ms: &'a dyn Fn() -> u64,
    end_ms: u64,
    /// Entries and bytes since the last look.
    entries: u32,
    bytes: u64,
}

impl<'a> Clock<'a> {
    /// Returns the clock of a call that has to end at `end_ms`, as `now_ms` tells it.
    pub fn new(now_ms: &'a dyn Fn() -> u64, end_ms: u64) -> Self {
        Self {
            now_ms,
            end_ms,
            entries: 0,
            bytes: 0,
        }
    }

    /// Whether the time is over, after one entry more and so many bytes of it; `is_slow` says that
    /// these alone may have taken long.
    pub fn is_over_after(&mut self, bytes: u64, is_slow: bool) -> bool {
        self.entries += 1;
        self.bytes += bytes;
        if self.entries < SEARCH_CLOCK_ENTRIES && self.bytes < SEARCH_CLOCK_BYTES && !is_slow {
            return false;
        }
        (self.entries, self.bytes) = (0, 0);
        (self.now_ms)() >= self.end_ms
    }
}
