//! Why a model cannot be used.

use std::fmt;

/// What is wrong with the files of a model, and with which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelError {
    /// `config.json`.
    Config(String),
    /// `tokenizer.json`.
    Tokenizer(String),
    /// `model.safetensors`.
    Weights(String),
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(what) => write!(f, "`config.json`: {what}"),
            Self::Tokenizer(what) => write!(f, "`tokenizer.json`: {what}"),
            Self::Weights(what) => write!(f, "`model.safetensors`: {what}"),
        }
    }
}

impl std::error::Error for ModelError {}
