//! Errors of loading a model.

use std::fmt;

/// A damaged or unsupported file of a model, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelError {
    /// Error in `config.json`.
    Config(String),
    /// Error in `tokenizer.json`.
    Tokenizer(String),
    /// Error in `model.safetensors`.
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
