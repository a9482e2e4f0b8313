//! The arguments of `docent generate`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use crate::choice::choice;

#[derive(Debug, Subcommand)]
pub enum GenerateCommand {
    /// Print the completions of a shell
    Completions {
        /// The shell
        #[arg(value_enum, value_parser = choice::<Shell>())]
        shell: Shell,
    },
    /// Write a manual page for docent and one for each of its commands
    Man {
        /// An existing directory; pages in it are replaced
        directory: PathBuf,
    },
}

/// A shell for which there are completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}
