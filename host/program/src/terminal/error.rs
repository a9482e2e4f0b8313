//! What a command fails at.

use std::io;

/// What a command failed at. Displayed for a person.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The component refused or failed.
    #[error("{0}")]
    Call(String),
    /// The output could not be written.
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
}
