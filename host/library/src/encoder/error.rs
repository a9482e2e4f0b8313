//! The errors of an encoder.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::fault::Fault;

/// The reason why a model cannot be used.
#[derive(Debug, Error)]
pub enum EncoderError {
    /// One of its files cannot be used.
    #[error("`{}` {problem}", .path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// The problem with it.
        problem: FileProblem,
    },
    /// The files are damaged or belong to another kind of model; the message names the file and the
    /// problem.
    #[error("{0}")]
    Model(String),
    /// The sandbox failed, or the model exceeded its limits.
    #[error("{}", fault(.0))]
    Fault(#[from] Fault),
}

/// A problem with a file.
#[derive(Debug, Error)]
pub enum FileProblem {
    /// It is missing or cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It is a directory or a device.
    #[error("is not a regular file")]
    NotRegular,
    /// It is larger than the limit for this file.
    #[error("has {length} bytes; expected at most {most}")]
    TooLarge {
        /// Size in bytes.
        length: u64,
        /// Maximum size in bytes.
        most: u64,
    },
}

/// Describes the end of the sandbox in terms of the model: a [`Fault`] speaks of a call, and there
/// is none here.
fn fault(fault: &Fault) -> String {
    match fault {
        Fault::OutOfMemory(most) => format!(
            "the model needs more than {} MiB of memory, the limit for its sandbox",
            most >> 20
        ),
        Fault::Timeout(most) => format!(
            "the model took longer than {} s, the limit for its sandbox",
            most.as_secs()
        ),
        other => other.to_string(),
    }
}
