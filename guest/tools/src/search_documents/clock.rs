//! The deadline of a search.

use crate::limits::{SEARCH_CLOCK_BYTES, SEARCH_CLOCK_ENTRIES};

/// Clock that reports the end of a call's time. It is consulted once per some entries or bytes,
/// since each query is a call out of the component.
pub struct Clock<'a> {
    now_ms: &'a dyn Fn() -> u64,
    end_ms: u64,
    /// Entries and bytes since the clock was last consulted.
    entries: u32,
    bytes: u64,
}

impl<'a> Clock<'a> {
    /// Returns the clock of a call that has to end when `now_ms` returns `end_ms`.
    pub fn new(now_ms: &'a dyn Fn() -> u64, end_ms: u64) -> Self {
        Self {
            now_ms,
            end_ms,
            entries: 0,
            bytes: 0,
        }
    }

    /// Returns true if the time is over, after one more entry with so many bytes; `is_slow` means
    /// that this entry alone may have taken long.
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
