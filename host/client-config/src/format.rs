//! The formats of configuration files, and what an entry in one says.

use thiserror::Error;

use crate::byte_edit::line_number;
use crate::launch::Launch;
use crate::{json, toml_file};

/// The format of a configuration file, with the key of the table that holds the servers.
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
    /// There is none.
    Missing,
    /// It starts docent.
    Docent(Launch),
    /// It starts another program, or no program. The text is its value as it is written.
    Foreign(String),
}

/// The reason why a configuration file is left as it is. Displayed as one line.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("line {line}: {problem}")]
pub struct ConfigFileError {
    /// The line, from 1.
    pub line: usize,
    /// The fault, then what was expected.
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
    /// JSON without comments; `extra` is a key and value that a new entry starts with.
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

    /// JSON with comments.
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

    /// TOML.
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
    /// When the text is broken, or its table of servers has another type.
    pub fn find(&self, text: &str) -> Result<ServerEntry, ConfigFileError> {
        match self.syntax {
            ConfigSyntax::Toml => toml_file::TomlConfig::parse(text, self.table)?.entry(),
            ConfigSyntax::Json | ConfigSyntax::Jsonc => self.json_file(text)?.entry(),
        }
    }

    /// Returns `text` with a new entry that starts `launch`.
    ///
    /// # Errors
    /// When the text is broken, or has such an entry.
    pub fn insert(&self, text: &str, launch: &Launch) -> Result<String, ConfigFileError> {
        match self.syntax {
            ConfigSyntax::Toml => toml_file::TomlConfig::parse(text, self.table)?.insert(launch),
            ConfigSyntax::Json | ConfigSyntax::Jsonc => {
                self.json_file(text)?.insert(launch, self.extra)
            }
        }
    }

    /// Returns `text` with the entry changed to start `launch`. Of an entry of docent the program
    /// and its arguments change, and its other keys and comments stay; a foreign entry is replaced
    /// whole.
    ///
    /// # Errors
    /// When the text is broken, or has no such entry.
    pub fn replace(&self, text: &str, launch: &Launch) -> Result<String, ConfigFileError> {
        match self.syntax {
            ConfigSyntax::Toml => toml_file::TomlConfig::parse(text, self.table)?.replace(launch),
            ConfigSyntax::Json | ConfigSyntax::Jsonc => {
                self.json_file(text)?.replace(launch, self.extra)
            }
        }
    }

    /// Returns `text` without the entry, and without the table of servers where it held nothing
    /// else.
    ///
    /// # Errors
    /// When the text is broken, or has no such entry.
    pub fn remove(&self, text: &str) -> Result<String, ConfigFileError> {
        match self.syntax {
            ConfigSyntax::Toml => toml_file::TomlConfig::parse(text, self.table)?.remove(),
            ConfigSyntax::Json | ConfigSyntax::Jsonc => self.json_file(text)?.remove(),
        }
    }
}
