//! The outcome of a command, beside its output.

use std::process::ExitCode;

/// Exit code if nothing was found, or if a tool refused.
pub const NOTHING: u8 = 1;

/// Exit code if the command could not be carried out.
pub const TROUBLE: u8 = 2;

/// The presence of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultPresence {
    /// Something was found.
    Found,
    /// Nothing was found.
    Nothing,
}

impl ResultPresence {
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
pub enum PathPresence {
    /// All paths exist.
    All,
    /// Some do not, which has been reported.
    Some,
}

/// Returns the exit code of a command that finds.
pub fn exit_code(reach: PathPresence, outcome: ResultPresence) -> ExitCode {
    match (reach, outcome) {
        // As with grep, an error takes precedence over matches.
        (PathPresence::Some, _) => ExitCode::from(TROUBLE),
        (PathPresence::All, ResultPresence::Nothing) => ExitCode::from(NOTHING),
        (PathPresence::All, ResultPresence::Found) => ExitCode::SUCCESS,
    }
}
