//! Time budgets for work on long texts.
//!
//! Processing a long text may exceed the time of its call. Such work reports its progress now and
//! then, and stops once the budget is spent.

use std::fmt;

use crate::limits::SLICE_BYTES;

/// A clock that reports the end of a budget. Implemented by the owner of the real clock.
pub trait BudgetClock {
    /// Returns true if no time is left after work on `bytes` more bytes of a text.
    fn is_over_after(&self, bytes: usize) -> bool;
}

/// A clock that never runs out.
#[derive(Clone, Copy, Debug)]
struct UnlimitedClock;

impl BudgetClock for UnlimitedClock {
    fn is_over_after(&self, _: usize) -> bool {
        false
    }
}

/// A time budget for work on a text. The clock is consulted once per [`SLICE_BYTES`], so that short
/// texts pay nothing. Once the budget is spent, it stays spent: a caller may ask again after it has
/// stopped, and a clock that answers otherwise would let the rest of the work begin.
pub struct TimeBudget<'a> {
    clock: &'a dyn BudgetClock,
    /// Bytes processed since the clock was last consulted.
    done: usize,
    is_over: bool,
}

impl fmt::Debug for TimeBudget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimeBudget")
            .field("done", &self.done)
            .field("is_over", &self.is_over)
            .finish_non_exhaustive()
    }
}

impl<'a> TimeBudget<'a> {
    /// Creates a budget that ends by the given clock.
    pub fn new(clock: &'a dyn BudgetClock) -> Self {
        Self {
            clock,
            done: 0,
            is_over: false,
        }
    }

    /// Creates a budget without an end.
    pub fn unlimited() -> Self {
        Self::new(&UnlimitedClock)
    }

    /// Records work on `bytes` more bytes and returns true if the budget is spent.
    pub fn is_over_after(&mut self, bytes: usize) -> bool {
        self.done += bytes;
        if self.done >= SLICE_BYTES && !self.is_over {
            self.is_over = self.clock.is_over_after(std::mem::take(&mut self.done));
        }
        self.is_over
    }

    /// Returns true if the budget was spent when the clock was last consulted.
    pub fn is_over(&self) -> bool {
        self.is_over
    }
}
