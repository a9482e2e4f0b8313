//! What a command fails at.

use std::io;

use docent_host::grant::GrantError;
use docent_host::{CallError, LoadError};

use crate::config::ConfigError;
use crate::explain;
use crate::tokens::TokenFileError;

/// What a command failed at. Displayed for a person.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// What the command line asks for cannot be done.
    #[error("{0}")]
    Usage(String),
    /// The configuration is broken, or grants nothing.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A directory cannot be granted.
    #[error(transparent)]
    Grant(#[from] GrantError),
    /// There is no such model.
    #[error("the model cannot be used: {0}")]
    Encoder(#[from] docent_host::encoder::EncoderError),
    /// The component cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The component refused or failed.
    #[error("{}", explain::command(.0))]
    Call(#[source] CallError),
    /// The component answered in a form that is not its own.
    #[error("the answer cannot be understood: {0}")]
    Answer(#[source] serde_json::Error),
    /// One of several instances that share a search stopped without a word.
    #[error("an instance ended early")]
    InstanceEnded,
    /// The output could not be written.
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
    /// The log cannot be written.
    #[error(transparent)]
    Log(#[from] docent_record::LogError),
    /// The log cannot be read.
    #[error(transparent)]
    LogStore(#[from] docent_record::StoreError),
    /// An entry of the log cannot be proved.
    #[error(transparent)]
    Proof(#[from] docent_record::proof::ProofError),
    /// An anchor did not take a checkpoint.
    #[error(transparent)]
    Anchor(#[from] docent_record::anchor::AnchorError),
    /// The file of tokens cannot be used.
    #[error(transparent)]
    Tokens(#[from] TokenFileError),
    /// The listener cannot be opened.
    #[error("cannot listen at `{listen}`: {source}")]
    Listen {
        /// Where, as it was written.
        listen: String,
        /// What the system says.
        source: io::Error,
    },
    /// The MCP session broke off.
    #[error(transparent)]
    Session(io::Error),
}

impl CommandError {
    /// Whether it only means that the reader of the output had enough.
    pub fn is_unread(&self) -> bool {
        match self {
            // Rust's programs ignore SIGPIPE, so a reader that has gone shows as an error of
            // writing.
            Self::Output(error) | Self::Session(error) => error.kind() == io::ErrorKind::BrokenPipe,
            _ => false,
        }
    }
}
