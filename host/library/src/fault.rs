//! The ways in which a call can end without an answer.

use std::time::Duration;

use thiserror::Error;

/// A call that gave no answer.
#[derive(Debug, Error)]
pub enum CallError {
    /// The guest refused, and the caller can fix the request.
    #[error("{0}")]
    Refused(Refusal),
    /// The guest, or the system beneath it, failed. The instance is gone, and the next call gets
    /// another.
    #[error("{0}")]
    Fault(Fault),
}

/// A guest's refusal, as the WIT record `error` has it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{code}: {message}")]
pub struct Refusal {
    /// One of the codes of the WIT enum `error-code`.
    pub code: String,
    /// The problem, then the expected value.
    pub message: String,
    /// The next step for the caller.
    pub hint: String,
}

/// The reason why a call was ended. The wording is fit for a caller: it contains no path of the
/// host.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Fault {
    /// There is nothing to call: the component cannot be loaded, or no instance can be created.
    #[error("{0}")]
    Unavailable(String),
    /// The guest was called, and the outcome is unknown.
    #[error("{0}")]
    Unanswered(String),
    /// The guest stopped abnormally.
    #[error("the component stopped abnormally ({0}); the next call starts a new instance")]
    Trap(String),
    /// The call exceeded its time limit.
    #[error(
        "the call was ended after {} ms, the limit for one call; ask for less at a time",
        .0.as_millis()
    )]
    Timeout(Duration),
    /// The file system of a root does not answer, and holds its maximum of threads.
    #[error("root `{0}` does not answer, as a network drive without its network does not")]
    RootSilent(String),
    /// The guest asked for more memory than its limit.
    #[error(
        "the call needed more than {} MiB of memory, the limit for one instance; ask for less at a \
         time",
        .0 >> 20
    )]
    OutOfMemory(usize),
    /// The caller withdrew the call.
    #[error("the call was cancelled")]
    Cancelled,
    /// The answer exceeds its size limit.
    #[error(
        "the answer is larger than {} KiB, the limit for one answer; ask for less at a time",
        .0 >> 10
    )]
    ResultTooLarge(usize),
    /// All threads are busy and the queue is full.
    #[error("too many calls are waiting; try again in a moment")]
    Busy,
    /// The component has no such function.
    #[error("the component has no function `{0}`")]
    NoFunction(String),
    /// The arguments do not fit the function's types.
    #[error("{0}")]
    Arguments(String),
}

impl Fault {
    /// Returns true if the instance that ran the call is in an unknown state.
    pub(crate) fn ends_the_instance(&self) -> bool {
        // These occur before the guest runs, or after it has answered. The guest is in no
        // operation, so the instance, with everything that it remembers, serves the next call.
        // All others leave it in an unknown state.
        !matches!(
            self,
            Self::Busy | Self::NoFunction(_) | Self::Arguments(_) | Self::ResultTooLarge(_)
        )
    }
}

impl From<Fault> for CallError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}
