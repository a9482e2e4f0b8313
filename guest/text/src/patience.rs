//! How long work on one text may go on.
//!
//! A text may be so long that going through it takes more time than its call has. Whoever does so
//! says now and then how far it has come, and is told whether to go on.

use std::fmt;

use crate::limits::SLICE_BYTES;

/// Says when the time is over. Implemented by who knows a clock.
pub trait Patience {
    /// Whether no time is left, after work on so many bytes more of a text.
    fn is_over_after(&self, bytes: usize) -> bool;
}

/// Has all the time.
#[derive(Clone, Copy, Debug)]
struct Endless;

impl Patience for Endless {
    fn is_over_after(&self, _: usize) -> bool {
        false
    }
}

/// Work on a text, which goes on while there is time. Asked is once for some bytes, so that short
/// texts cost nothing; once the time is over, it stays so.
pub struct Pace<'a> {
    patience: &'a dyn Patience,
    /// Bytes of work since it was asked.
    done: usize,
    is_over: bool,
}

impl fmt::Debug for Pace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pace")
            .field("done", &self.done)
            .field("is_over", &self.is_over)
            .finish_non_exhaustive()
    }
}

impl<'a> Pace<'a> {
    /// Begins work that may take so long.
    pub fn new(patience: &'a dyn Patience) -> Self {
        Self {
            patience,
            done: 0,
            is_over: false,
        }
    }

    /// Begins work that may take as long as it takes.
    pub fn endless() -> Self {
        Self::new(&Endless)
    }

    /// Whether the time is over, after work on so many bytes more.
    pub fn is_over_after(&mut self, bytes: usize) -> bool {
        self.done += bytes;
        if self.done >= SLICE_BYTES && !self.is_over {
            self.is_over = self.patience.is_over_after(std::mem::take(&mut self.done));
        }
        self.is_over
    }

    /// Whether the time was over when that was last asked.
    pub fn is_over(&self) -> bool {
        self.is_over
    }
}
