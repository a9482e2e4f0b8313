//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::choice::choice;
use crate::commands::help::HelpArgs;
use crate::commands::setup::SetupArgs;
use crate::config::{Flags, State};

mod embedding;
mod log;
mod reading;
mod serving;
mod writing;

pub use embedding::Embed;
pub use log::{LogCommand, LogPlace, Logging, ShowLog, VerifyLog};
pub use reading::{
    Explore, Find, Grep, Links, Mode, Query, Search, Sort, Summary, Tags, Understand,
};
pub use serving::{Mcp, NewToken, Offered, Serve, TokenCommand, TokensFile};
pub use writing::{Apply, Edit, History, Kept, Mv, Redo, Undo, Write, Writing};

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
    /// Say on stderr what each call does and how long it takes
    #[arg(long, global = true)]
    pub trace: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find text in documents and show each hit
    Search(Search),
    /// Print every line that a regular expression matches
    Grep(Grep),
    /// Find files by when they changed, newest first
    Find(Find),
    /// Show what is in files and directories, or what answers a query best
    Explore(Explore),
    /// Show the sections that answer a question
    Query(Query),
    /// Show how files hang together, what refers to what, and where to begin
    Understand(Understand),
    /// List links, and which of them are broken
    Links(Links),
    /// Show what documents are about
    Summary(Summary),
    /// Find documents by tags, title, category and dates
    Tags(Tags),
    /// Edit a file: a text, a section, lines, or something to add
    // It has by far the most options.
    Edit(Box<Edit>),
    /// Apply a patch to files, to all of them or none
    Apply(Apply),
    /// Make a file, or replace it
    Write(Write),
    /// Move a file or a directory
    Mv(Mv),
    /// List what was written
    History(History),
    /// Take a change back
    Undo(Undo),
    /// Take an undo back
    Redo(Redo),
    /// Have an embedder tell of all passages what they mean, before anybody asks
    Embed(Embed),
    /// Connect MCP clients that are installed, and try whether it works
    Setup(SetupArgs),
    /// Offer the tools over MCP on stdin and stdout
    Mcp(Mcp),
    /// Offer the tools over HTTP, to agents and scripts
    Serve(Serve),
    /// Say who may ask over HTTP
    #[command(subcommand)]
    Token(TokenCommand),
    /// Show and verify what was recorded of calls
    #[command(subcommand)]
    Log(LogCommand),
    /// Call one tool and print its answer
    Call(Call),
    /// List the tools and their arguments
    Tools(Tools),
    /// Show what is granted and whether docent works
    Doctor(Doctor),
    /// Write the WebAssembly component to stdout, for use in other hosts
    Component(Component),
    /// Explain a command, or show a page of the book
    Help(HelpArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent component > docent.wasm")]
pub struct Component {
    /// Without an embedder inside: it imports `docent:docent/embed`, for one to be plugged into it
    #[arg(long)]
    pub open: bool,
}

/// What the commands for people have in common.
#[derive(Debug, Args)]
pub struct Output {
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// When to use colour; `auto` means on a terminal unless NO_COLOR is set
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

/// When output is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent call search_documents query=budget max-results=3 --root ~/notes

Exit status: 0 with an answer, 1 when the tool refuses or fails, 2 when the command is wrong.")]
pub struct Call {
    /// The tool, as `docent tools` lists it
    pub tool: String,
    /// The arguments: one JSON object, or NAME=VALUE for each
    #[arg(value_name = "JSON | NAME=VALUE")]
    pub arguments: Vec<String>,
    #[command(flatten)]
    pub roots: Roots,
    /// Print the answer as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Tools {
    /// Print names, descriptions and schemas as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 when all works, 1 when something does not, 2 on an error.")]
pub struct Doctor {
    #[command(flatten)]
    pub roots: Roots,
}

/// What is granted.
#[derive(Debug, Args)]
pub struct Roots {
    /// Grant a directory, read-only or with :rw for writing; repeatable
    #[arg(long = "root", value_name = "[NAME=]PATH[:rw]")]
    pub root: Vec<OsString>,
    /// The root that is meant when a call names none [default: the first]
    #[arg(long, value_name = "NAME")]
    pub default_root: Option<String>,
    /// Keep what undoing a write needs here [default: docent in $XDG_STATE_HOME]
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// Keep nothing of what is written over, so that no write can be undone
    #[arg(long, conflicts_with = "state")]
    pub no_state: bool,
    /// Configuration file [default: docent/config.toml in $XDG_CONFIG_HOME]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Have a server on this machine, or a model in a directory, tell what texts mean, or none
    #[arg(long, value_name = "URL#MODEL|DIR")]
    pub embedder: Option<String>,
}

impl From<Roots> for Flags {
    fn from(roots: Roots) -> Self {
        Self {
            roots: roots.root,
            default_root: roots.default_root,
            state: match (roots.no_state, roots.state) {
                (true, _) => Some(State::None),
                (false, directory) => directory.map(State::Directory),
            },
            config: roots.config,
            embedder: roots.embedder,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use crate::config::{Flags, State};

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }

    #[test]
    fn a_state_is_named_or_declined() {
        use clap::Parser as _;

        let state = |options: &[&str]| {
            let line = [&["docent", "mcp", "--root", "."], options].concat();
            match super::Cli::try_parse_from(line).ok()?.command {
                super::Command::Mcp(args) => Some(Flags::from(args.roots).state),
                _ => None,
            }
        };
        assert_eq!(state(&[]), Some(None));
        assert_eq!(state(&["--no-state"]), Some(Some(State::None)));
        let named = State::Directory("s".into());
        assert_eq!(state(&["--state", "s"]), Some(Some(named)));
        assert_eq!(state(&["--state", "s", "--no-state"]), None);
    }
}
