//! The formats of configuration files, and the entry `docent` in them.

use thiserror::Error;

use crate::byte_edit::line_number;
use crate::launch::Launch;
use crate::{json, toml_file};

/// The format of a configuration file, with the key of its table of servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigFormat {
    syntax: ConfigSyntax,
    table: &'static str,
    extra: Option<(&'static str, &'static str)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConfigSyntax {
    Json,
    /// JSON with comments and trailing commas.
    Jsonc,
    Toml,
}

/// The entry called `docent` in a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerEntry {
    /// There is no entry.
    Missing,
    /// The entry starts docent.
    Docent(Launch),
    /// The entry starts another program, or no program. The text is its value as written.
    Foreign(String),
}

/// A reason for leaving a configuration file unchanged. Displayed as one line.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("line {line}: {problem}")]
pub struct ConfigFileError {
    /// Line number, from 1.
    pub line: usize,
    /// Fault, then the expected form.
    pub problem: String,
}

impl ConfigFileError {
    pub(crate) fn at(text: &str, offset: usize, problem: impl Into<String>) -> Self {
        Self {
            line: line_number(text, offset),
            problem: problem.into(),
        }
    }
}

impl ConfigFormat {
    /// Creates the format of JSON without comments; `extra` is a key and value at the start of a
    /// new entry.
    pub(crate) const fn json(
        table: &'static str,
        extra: Option<(&'static str, &'static str)>,
    ) -> Self {
        Self {
            syntax: ConfigSyntax::Json,
            table,
            extra,
        }
    }

    /// Creates the format of JSON with comments.
    pub(crate) const fn jsonc(
        table: &'static str,
        extra: Option<(&'static str, &'static str)>,
    ) -> Self {
        Self {
            syntax: ConfigSyntax::Jsonc,
            table,
            extra,
        }
    }

    /// Creates the format of TOML.
    pub(crate) const fn toml(table: &'static str) -> Self {
        Self {
            syntax: ConfigSyntax::Toml,
            table,
            extra: None,
        }
    }

    fn json_file<'t>(&self, text: &'t str) -> Result<json::JsonConfig<'t>, ConfigFileError> {
        let dialect = match self.syntax {
            ConfigSyntax::Json => json::JsonDialect::Strict,
            ConfigSyntax::Jsonc | ConfigSyntax::Toml => json::JsonDialect::WithComments,
        };
        json::JsonConfig::parse(text, dialect, self.table)
    }

    /// Finds the entry `docent`.
    ///
    /// # Errors
    /// Returns an error if the text is malformed, or its table of servers has another type.
    pub fn find(&self, text: &str) -> Result<ServerEntry, ConfigFileError> {
        match self.syntax {
            ConfigSyntax::Toml => toml_file::TomlConfig::parse(text, self.table)?.entry(),
            ConfigSyntax::Json | ConfigSyntax::Jsonc => self.json_file(text)?.entry(),
        }
    }

    /// Returns `text` with a new entry that starts `launch`.
    ///
    /// # Errors
    /// Returns an error if the text is malformed, or already has the entry.
    pub fn insert(&self, text: &str, launch: &Launch) -> Result<String, ConfigFileError> {
        match self.syntax {
            ConfigSyntax::Toml => toml_file::TomlConfig::parse(text, self.table)?.insert(launch),
            ConfigSyntax::Json | ConfigSyntax::Jsonc => {
                self.json_file(text)?.insert(launch, self.extra)
            }
        }
    }

    /// Returns `text` with the entry changed to start `launch`. In an entry of docent, the program
    /// and its arguments change, and its other keys and comments are kept; a foreign entry is
    /// replaced as a whole.
    ///
    /// # Errors
    /// Returns an error if the text is malformed, or lacks the entry.
    pub fn replace(&self, text: &str, launch: &Launch) -> Result<String, ConfigFileError> {
        match self.syntax {
            ConfigSyntax::Toml => toml_file::TomlConfig::parse(text, self.table)?.replace(launch),
            ConfigSyntax::Json | ConfigSyntax::Jsonc => {
                self.json_file(text)?.replace(launch, self.extra)
            }
        }
    }

    /// Returns `text` without the entry, and without the table of servers if it contained nothing
    /// else.
    ///
    /// # Errors
    /// Returns an error if the text is malformed, or lacks the entry.
    pub fn remove(&self, text: &str) -> Result<String, ConfigFileError> {
        match self.syntax {
            ConfigSyntax::Toml => toml_file::TomlConfig::parse(text, self.table)?.remove(),
            ConfigSyntax::Json | ConfigSyntax::Jsonc => self.json_file(text)?.remove(),
        }
    }
}
