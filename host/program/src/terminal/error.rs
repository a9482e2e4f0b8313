//! The error of a command.

use std::io;

use docent_host::grant::GrantError;
use docent_host::{CallError, LoadError};

use crate::config::ConfigError;
use crate::explain;
use crate::tokens::TokenFileError;

/// A failure of a command. Displayed for a person.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The command line is invalid, or asks for something impossible.
    #[error("{0}")]
    Usage(String),
    /// The configuration is broken, or grants nothing.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A directory cannot be granted.
    #[error(transparent)]
    Grant(#[from] GrantError),
    /// The model is missing or invalid.
    #[error("the model cannot be used: {0}")]
    Encoder(#[from] docent_host::encoder::EncoderError),
    /// The component cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The component refused or failed.
    #[error("{}", explain::command(.0))]
    Call(#[source] CallError),
    /// The component's answer does not have the expected format.
    #[error("the answer cannot be understood: {0}")]
    Answer(#[source] serde_json::Error),
    /// One of several instances that share a search ended without a result.
    #[error("an instance ended early")]
    InstanceEnded,
    /// The output could not be written.
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
    /// The log cannot be written.
    #[error(transparent)]
    Log(#[from] docent_access_log::LogError),
    /// The log cannot be read.
    #[error(transparent)]
    LogStore(#[from] docent_access_log::StoreError),
    /// An entry of the log cannot be proved.
    #[error(transparent)]
    Proof(#[from] docent_access_log::proof::ProofError),
    /// An anchor did not take a checkpoint.
    #[error(transparent)]
    Anchor(#[from] docent_access_log::anchor::AnchorError),
    /// The token file cannot be used.
    #[error(transparent)]
    Tokens(#[from] TokenFileError),
    /// The listener cannot be opened.
    #[error("cannot listen at `{listen}`: {source}")]
    Listen {
        /// Address as it was written.
        listen: String,
        /// Error of the system.
        source: io::Error,
    },
    /// The MCP session failed.
    #[error(transparent)]
    Session(io::Error),
}

impl CommandError {
    /// Returns true if the reader of the output has gone, which is not a failure.
    pub fn is_unread(&self) -> bool {
        match self {
            // Rust programs ignore SIGPIPE, so a closed pipe appears as a write error and does
            // not end the process, as it would end `grep`.
            Self::Output(error) | Self::Session(error) => error.kind() == io::ErrorKind::BrokenPipe,
            _ => false,
        }
    }
}
