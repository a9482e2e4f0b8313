//! The outcome of a command, beside its output.

/// The presence of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Something was found.
    Found,
    /// Nothing was found.
    Nothing,
}

impl Outcome {
    /// Returns the outcome for this number of results.
    pub fn from_count(number: u64) -> Self {
        if number == 0 {
            Self::Nothing
        } else {
            Self::Found
        }
    }
}

/// The presence of the paths on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// All paths exist.
    All,
    /// Some do not, which has been reported.
    Some,
}
