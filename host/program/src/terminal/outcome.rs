//! What came of a command, beside what it printed.

/// Whether there was anything to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Something was found.
    Found,
    /// Nothing was found.
    Nothing,
}

impl Outcome {
    /// Returns the outcome of finding so many.
    pub fn of(number: u64) -> Self {
        if number == 0 {
            Self::Nothing
        } else {
            Self::Found
        }
    }
}

/// Whether the paths on the command line lead somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// All of them do.
    All,
    /// Some do not, which has been told.
    Some,
}
