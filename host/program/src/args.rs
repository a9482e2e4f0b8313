//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::choice::choice;
use crate::commands::help::HelpArgs;
use crate::commands::setup::SetupArgs;
use crate::config::{Flags, State};

mod embedding;
mod generating;
mod log;
mod reading;
mod serving;
mod writing;

pub use embedding::Embed;
pub use generating::{GenerateCommand, Shell};
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
    /// Print on stderr the stages of each call and their times
    #[arg(long, global = true)]
    pub trace: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find text in documents and show each hit
    Search(Search),
    /// Print every line that a regular expression matches
    Grep(Grep),
    /// Find files by time, newest first
    Find(Find),
    /// Show the contents of files and directories, or the best answers to a query
    Explore(Explore),
    /// Show the sections that answer a question
    Query(Query),
    /// Show the structure and dependencies of files, and good starting points
    Understand(Understand),
    /// List links, and which of them are broken
    Links(Links),
    /// Summarize documents
    Summary(Summary),
    /// Find documents by tags, title, category and dates
    Tags(Tags),
    /// Edit a file: a text, a section, lines, or something to add
    // It has by far the most options.
    Edit(Box<Edit>),
    /// Apply a patch to files, to all of them or none
    Apply(Apply),
    /// Create a file, or replace it
    Write(Write),
    /// Move a file or a directory
    Mv(Mv),
    /// List changes
    History(History),
    /// Undo a change
    Undo(Undo),
    /// Redo an undone change
    Redo(Redo),
    /// Embed all passages in advance, for semantic ranking
    Embed(Embed),
    /// Connect installed MCP clients, and test the connection
    Setup(SetupArgs),
    /// Offer the tools over MCP on stdin and stdout
    Mcp(Mcp),
    /// Offer the tools over HTTP, to agents and scripts
    Serve(Serve),
    /// Manage the tokens of HTTP clients
    #[command(subcommand)]
    Token(TokenCommand),
    /// Show and verify the log of calls
    #[command(subcommand)]
    Log(LogCommand),
    /// Call one tool and print its answer
    Call(Call),
    /// List the tools and their arguments
    Tools(Tools),
    /// Show the grants and test docent
    Doctor(Doctor),
    /// Write the WebAssembly component to stdout, for use in other hosts
    Component(Component),
    /// Explain a command, or show a page of the book
    Help(HelpArgs),
    /// Print the completions of a shell, or write the manual pages
    // For whoever makes packages; people get both with a package.
    #[command(subcommand, hide = true)]
    Generate(GenerateCommand),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent component > docent.wasm")]
pub struct Component {
    /// Export the component without an embedder: it imports `docent:docent/embed`, to be linked
    /// later
    #[arg(long)]
    pub open: bool,
}

/// The options shared by the commands for people.
#[derive(Debug, Args)]
pub struct Output {
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

#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent call search_documents query=budget max-results=3 --root ~/notes

Exit status: 0 with an answer, 1 when the tool refuses or fails, 2 when the command is wrong.")]
pub struct Call {
    /// The tool, as `docent tools` lists it
    pub tool: String,
    /// Arguments: one JSON object, or NAME=VALUE for each
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
