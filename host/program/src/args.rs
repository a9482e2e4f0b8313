//! The command line, and the groups of options that several commands share.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, ValueEnum};

use crate::choice::choice;
use crate::commands::Command;
use crate::config::{Flags, StatePlace};

mod logging;
mod offered;

pub use logging::{LogPlace, Logging, key_path, running_roots_ambient};
pub use offered::{Offered, may_write};

/// Finds, reads and edits documents in the directories it is given, and nowhere else.
#[derive(Debug, Parser)]
#[command(
    name = "docent",
    bin_name = "docent",
    version,
    max_term_width = 100,
    disable_help_subcommand = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Print on stderr the stages of each call and their times
    #[arg(long, global = true)]
    pub trace: bool,
}

/// The granted roots and their options.
#[derive(Debug, Args)]
pub struct Roots {
    /// Grant a directory, read-only or with :rw for writing; repeatable
    #[arg(long = "root", value_name = "[NAME=]PATH[:rw]")]
    pub root: Vec<OsString>,
    /// Root used by calls that name none [default: the first]
    #[arg(long, value_name = "NAME")]
    pub default_root: Option<String>,
    /// Directory for the data that undo needs [default: docent in $XDG_STATE_HOME]
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// Keep no copies of overwritten content, so that no write can be undone
    #[arg(long, conflicts_with = "state")]
    pub no_state: bool,
    /// Configuration file [default: docent/config.toml in $XDG_CONFIG_HOME]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Embedder for semantic ranking: a server on this machine, a model in a directory, or none
    #[arg(long, value_name = "URL#MODEL|DIR")]
    pub embedder: Option<String>,
}

impl From<Roots> for Flags {
    fn from(roots: Roots) -> Self {
        Self {
            roots: roots.root,
            default_root: roots.default_root,
            state: match (roots.no_state, roots.state) {
                (true, _) => Some(StatePlace::None),
                (false, directory) => directory.map(StatePlace::Directory),
            },
            config: roots.config,
            embedder: roots.embedder,
        }
    }
}

/// The options shared by the commands for people.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,
    /// Use colour; `auto` means on a terminal unless NO_COLOR is set
    #[arg(
        long,
        value_enum,
        value_parser = choice::<Color>(),
        value_name = "WHEN",
        default_value_t = Color::Auto
    )]
    pub color: Color,
    /// Configuration file [default: docent/config.toml in $XDG_CONFIG_HOME]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Condition for coloured output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// The options shared by the commands that show a diff and apply it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Writing")]
pub struct Writing {
    /// Write the change; without this, only the diff is shown
    #[arg(long)]
    pub apply: bool,
    /// Reason for the change, in a sentence, for the history
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub note: Option<String>,
    #[command(flatten)]
    pub kept: StateArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The directory written to, and the place of the data that undo needs.
#[derive(Debug, Args)]
pub struct StateArgs {
    /// Directory to grant for writing, which has one history [default: the configured root for
    /// writing that contains the file, else its git repository, else the current directory, else
    /// the file's own]
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Directory for the data that undo needs [default: docent in $XDG_STATE_HOME]
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// Keep no copies of overwritten content, so that no write can be undone
    #[arg(long, conflicts_with = "state")]
    pub no_state: bool,
}

impl StateArgs {
    /// Returns the place for the data that undo needs; none if no option sets it.
    pub fn state(&self) -> Option<StatePlace> {
        match (self.no_state, &self.state) {
            (true, _) => Some(StatePlace::None),
            (false, directory) => directory.clone().map(StatePlace::Directory),
        }
    }
}

/// The location of the token file.
#[derive(Debug, Args)]
pub struct TokensFile {
    /// Token file [default: docent/tokens.json in $XDG_CONFIG_HOME]
    #[arg(long, value_name = "FILE")]
    pub tokens: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser};

    use super::{Cli, Roots};
    use crate::config::{Flags, StatePlace};

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_state_is_named_or_declined() {
        #[derive(Parser)]
        struct Line {
            #[command(flatten)]
            roots: Roots,
        }

        let state = |options: &[&str]| {
            let line = [&["docent", "--root", "."], options].concat();
            let line = Line::try_parse_from(line).ok()?;
            Some(Flags::from(line.roots).state)
        };
        assert_eq!(state(&[]), Some(None));
        assert_eq!(state(&["--no-state"]), Some(Some(StatePlace::None)));
        let named = StatePlace::Directory("s".into());
        assert_eq!(state(&["--state", "s"]), Some(Some(named)));
        assert_eq!(state(&["--state", "s", "--no-state"]), None);
    }
}
