//! The display of line numbers.

use crate::limits::{
    NUMBERED_LINES_STEP, NUMBERS_SHARE, PROSE_LINES_STEP, PROSE_NUMBERS_BYTES, PROSE_NUMBERS_SHARE,
};

/// Display of line numbers, for lines that are verbatim from the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// On all lines if they take little room; else on some, at short distances.
    Shown,
    /// The same, with the bounds for prose in the results of a search, where each line is less
    /// informative.
    ShownInProse,
    /// On no line.
    #[default]
    LeftOut,
}

impl Numbers {
    /// Returns how many times the size of all numbers the text with its frame must be, at least,
    /// and the interval of numbered lines if it is not; `bytes` is the size of the numbers.
    pub fn bounds(self, bytes: usize) -> (usize, u32) {
        match self {
            Self::ShownInProse if bytes > PROSE_NUMBERS_BYTES => {
                (PROSE_NUMBERS_SHARE, PROSE_LINES_STEP)
            }
            Self::Shown | Self::ShownInProse | Self::LeftOut => {
                (NUMBERS_SHARE, NUMBERED_LINES_STEP)
            }
        }
    }

    /// Returns the same setting for prose in the results of a search.
    pub fn in_prose(self) -> Self {
        match self {
            Self::Shown => Self::ShownInProse,
            other => other,
        }
    }
}
