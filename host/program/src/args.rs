//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use docent_host::grant::Right;

use crate::choice::choice;
use crate::config::{Flags, State};
use crate::serve::http::{AllowedHost, Listen};
use crate::tokens::{Extra, Life, root_right, token_name};

mod writing;

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
    /// Move a file
    Mv(Mv),
    /// List what was written
    History(History),
    /// Take a change back
    Undo(Undo),
    /// Take an undo back
    Redo(Redo),
    /// Offer the tools over MCP on stdin and stdout
    Mcp(Mcp),
    /// Offer the tools over HTTP, to agents and scripts
    Serve(Serve),
    /// Say who may ask over HTTP
    #[command(subcommand)]
    Token(TokenCommand),
    /// Call one tool and print its answer
    Call(Call),
    /// List the tools and their arguments
    Tools(Tools),
    /// Show what is granted and whether docent works
    Doctor(Doctor),
    /// Write the WebAssembly component to stdout, for use in other hosts
    Component,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 when something was found, 1 when nothing was, 2 on an error.

On a terminal the hits stand below their document; into a pipe goes one `PATH:LINE: EXCERPT` for \
each hit, control characters in it shown as `\\u{a}`. With --json, each line is an object: `type` \
is `document` (path, name, matchCount, matches) or, on the last line, `summary`.")]
pub struct Search {
    /// The text to look for: plain text, no pattern
    pub query: String,
    /// Directories or documents to search [default: the configured roots]
    pub paths: Vec<PathBuf>,
    /// Distinguish upper and lower case
    #[arg(short = 's', long)]
    pub case_sensitive: bool,
    /// Characters shown before and after a hit, 10 to 500
    #[arg(short = 'C', long, value_name = "N", default_value_t = 50)]
    pub context: u32,
    /// What to show of each document: its path, the text round each hit, or whole sections
    #[arg(long, value_enum, value_parser = choice::<Mode>(), default_value_t = Mode::Snippets)]
    pub mode: Mode,
    /// Show only the paths; the same as --mode titles-only
    #[arg(short = 'l', long, conflicts_with = "mode")]
    pub files_with_matches: bool,
    /// With -l, end each path with a NUL byte and show it as it is, for `xargs -0`
    #[arg(
        short = '0',
        long,
        requires = "files_with_matches",
        conflicts_with = "json"
    )]
    pub null: bool,
    /// Stop after this many documents
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
    /// Hits shown per document, 1 to 100
    #[arg(short = 'm', long, value_name = "N", default_value_t = 10)]
    pub max_results: u32,
    /// File name extensions that count as documents, separated by commas
    #[arg(long, value_name = "EXT", value_delimiter = ',')]
    pub ext: Vec<String>,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A GLOB without `/` is a name at any depth; one with `/` is a path from the directory that is \
looked in. `*` stays within a segment, `**` spans any number of them. Words that all name files or \
directories and hold no special character are PATHs; else the first one is the GLOB.

WHEN is `2d` (also s, min, h, w) before now, `today`, `yesterday`, a date (its first moment here), \
a date and time, here or with an offset: 2025-12-15, 2025-12-15T09:00, 2025-12-15T09:00:00+09:00.

On a terminal each line is local time, size and path; into a pipe goes the path alone. With \
--json, each line is an object: `type` is `match` (path, kind, time, sizeBytes) or, on the last line, \
`summary`. Exit status: 0 when something was found, 1 when nothing was, 2 on an error.")]
pub struct Find {
    /// What to find [default: everything], then where to look [default: the configured roots]
    // clap puts brackets round it: the usage shows `[GLOB] [PATH]...`.
    #[arg(value_name = "GLOB] [PATH")]
    pub words: Vec<PathBuf>,
    /// What to find; all words are then paths
    #[arg(short, long)]
    pub glob: Option<String>,
    /// Only what is not earlier
    #[arg(long, value_name = "WHEN")]
    pub from: Option<String>,
    /// Only what is earlier
    #[arg(long, value_name = "WHEN")]
    pub to: Option<String>,
    /// The time that counts
    #[arg(
        long = "time",
        value_enum,
        value_parser = choice::<Time>(),
        value_name = "FIELD",
        default_value_t = Time::Modified
    )]
    pub field: Time,
    /// The order
    #[arg(
        long,
        value_enum,
        value_parser = choice::<Sort>(),
        value_name = "ORDER",
        default_value_t = Sort::TimeDesc
    )]
    pub sort: Sort,
    /// Show so many; 0 shows all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100)]
    pub limit: u32,
    /// Levels of directories to look in; 1 is each PATH's own entries
    #[arg(short = 'd', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_depth: Option<u32>,
    /// Find directories as well
    #[arg(long)]
    pub dirs: bool,
    /// Find what starts with a dot as well
    #[arg(short = 'H', long)]
    pub hidden: bool,
    /// End each path with a NUL byte and show it as it is, for `xargs -0`
    #[arg(short = '0', long, conflicts_with = "json")]
    pub null: bool,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each directory is answered on its own, from its best documents; a document from its best sections. \
A PATH may name a part of a file: `guide.md:10-40`, `guide.md#setup`, `guide.md#Guide > Setup`.

Each section stands below `PATH:LINE  HEADINGS`. On a terminal the words of the question are \
marked, and a section longer than the screen is folded. With --json, each line is an object: \
`type` is `section` (path, headingPath, firstLine, lastLine, tokens, score, content) or, on the \
last line, `summary`. Exit status: 0 when something was found, 1 when nothing was, 2 on an error.")]
pub struct Query {
    /// What to answer: words or a question
    pub question: String,
    /// Directories or documents to look in [default: the configured roots]
    pub paths: Vec<PathBuf>,
    /// Tokens shown at most, 100 to 100000, estimated
    #[arg(short = 't', long, value_name = "N", default_value_t = 2000)]
    pub max_tokens: u32,
    /// Documents to answer from, 1 to 50
    #[arg(short = 'n', long, value_name = "N", default_value_t = 5)]
    pub limit: u32,
    /// How the relevance of sections is measured
    #[arg(
        long,
        value_enum,
        value_parser = choice::<Relevance>(),
        value_name = "MEASURE",
        default_value_t = Relevance::Bm25
    )]
    pub relevance: Relevance,
    /// Show long sections whole on a terminal
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The WORDS are what to look for; they end at the first one that names a file or directory, or looks \
like a path. With --query or --section all words are PATHs.

A PATH may name a part of a file: lines (`a.py:10-40`), a definition (`a.py#Flask.run`) or a \
section (`guide.md#setup`, `guide.md#Guide > Setup`). A file that is called so comes first.

With something to look for, each PATH is searched: what answers best comes whole, then further \
places by name. Without, a document shows its table of contents and how it begins, code its \
outline, a directory its entries and newest files.

On a terminal the words are marked, and a text longer than the screen is folded; into a pipe goes \
Markdown. With --json the answer is printed whole. Exit status: 0 when there is something, 1 when \
there is nothing or it is withheld, 2 on an error.")]
pub struct Explore {
    /// What to look for, then where [default: the configured roots]
    // As for `GLOB`: the usage shows `[WORDS]... [PATH]...`.
    #[arg(value_name = "WORDS]... [PATH")]
    pub words: Vec<PathBuf>,
    /// What to look for; all words are then paths
    #[arg(short = 'q', long, value_name = "TEXT")]
    pub query: Option<String>,
    /// Read the section with this heading, of one document
    #[arg(short = 's', long, value_name = "HEADING", conflicts_with = "query")]
    pub section: Option<String>,
    /// Show whole files, and fold nothing
    #[arg(long)]
    pub full: bool,
    /// Items of each group (documents, code, data), 1 to 200 [default: 20; of a search 10 in all]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<u32>,
    /// Characters shown at most, 1 to 200000 [default: 8000; of a search 4000 bytes]
    #[arg(short = 'c', long, value_name = "N")]
    pub max_chars: Option<u32>,
    /// Go on to the end, so many characters at a time
    #[arg(short = 'a', long)]
    pub all: bool,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Without a PATH or --symbol it is about the whole tree: what stands where, with what it is for, and \
the files that most others refer to. Of a file: its structure, what it needs, and what refers to \
it, by links, imports and by name. The tree is the configured root, else the git repository, else \
the current directory. Exit status: 0 when there is something, 1 when no symbol is called so, 2 on \
an error.")]
pub struct Understand {
    /// Files, directories, sections (`guide.md#setup`) or definitions (`app.py#run`)
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// A definition, wherever it is: `parse_config`, `Reader.read`
    #[arg(short = 's', long, value_name = "NAME")]
    pub symbol: Option<String>,
    /// What it is for: what fits that comes first where not all fits
    #[arg(short = 'g', long, value_name = "TEXT")]
    pub goal: Option<String>,
    /// What to show, separated by commas [default: what fits the PATH]
    #[arg(
        long = "aspect",
        value_enum,
        value_delimiter = ',',
        value_name = "ASPECT"
    )]
    pub aspects: Vec<Aspect>,
    /// How far to go: 1, 2 or 5 steps or levels [default: standard]
    #[arg(short = 'd', long, value_enum)]
    pub depth: Option<Depth>,
    /// Bytes shown at most, 500 to 200000 [default: 8000]
    #[arg(short = 'c', long, value_name = "N")]
    pub max_chars: Option<u32>,
    /// Go on to the end, so many bytes at a time
    #[arg(short = 'a', long)]
    pub all: bool,
    /// The tree
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub output: Output,
}

/// What `docent understand` shows.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Aspect {
    /// What it consists of
    Structure,
    /// What it needs
    Dependencies,
    /// What refers to it
    Impact,
    /// What most others refer to
    HotSpots,
    /// What each file is about
    Summary,
}

/// How far `docent understand` goes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Depth {
    /// One step
    Shallow,
    /// Two
    Standard,
    /// Five
    Deep,
}

impl Aspect {
    /// Returns its name, as requests have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::Dependencies => "dependencies",
            Self::Impact => "impact",
            Self::HotSpots => "hot-spots",
            Self::Summary => "summary",
        }
    }
}

impl Depth {
    /// Returns its name, as requests have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shallow => "shallow",
            Self::Standard => "standard",
            Self::Deep => "deep",
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
One `PATH:LINE: TARGET` for each link, with why where it leads nowhere. A link is broken when it \
leads to no file, to no section of one, or to one of several. The network is not asked. The tree is \
the configured root, else the git repository, else the current directory. With --json, each line is \
an object. Exit status: 0, 1 when a link is broken, 2 on an error.")]
pub struct Links {
    /// Files or directories [default: the whole tree]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Only those that are broken
    #[arg(short = 'b', long)]
    pub broken: bool,
    /// Only those that lead out of the tree to other sites
    #[arg(short = 'x', long, conflicts_with = "broken")]
    pub external: bool,
    /// The tree
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each document stands with its title, its table of contents with lines and tokens, the sentences \
that say most, and its links. With --json, each line is an object. Exit status: 0, or 2 on an \
error.")]
pub struct Summary {
    /// The documents
    #[arg(required = true, value_name = "DOCUMENT")]
    pub paths: Vec<PathBuf>,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Configuration file [default: docent/config.toml in $XDG_CONFIG_HOME]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
TAGS are separated by commas; `a` finds `a/b` as well. Without another criterion the first word is \
TAGS. With one, a first word that names a file or directory is a PATH.

DATE is a day, in UTC, or a date and time with an offset: 2025-12-15, 2025-12-15T09:00:00+09:00.

On a terminal each document stands with its title, score and tags; into a pipe goes the path \
alone. With --json, each line is an object: `type` is `document` or, on the last line, `summary`. Exit \
status: 0 when something was found, 1 when nothing was, 2 on an error.")]
pub struct Tags {
    /// Tags to have, then where to look [default: the configured roots]
    // As for `GLOB`: the usage shows `[TAGS] [PATH]...`.
    #[arg(value_name = "TAGS] [PATH")]
    pub words: Vec<PathBuf>,
    /// Text that the document holds
    #[arg(long, value_name = "TEXT")]
    pub content: Option<String>,
    /// Text that its title holds
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Its category
    #[arg(long, value_enum, value_parser = choice::<Category>(), value_name = "CATEGORY")]
    pub category: Option<Category>,
    /// The first day
    #[arg(long, value_name = "DATE")]
    pub from: Option<String>,
    /// The last day
    #[arg(long, value_name = "DATE")]
    pub to: Option<String>,
    /// The date that --from and --to are about
    #[arg(
        long,
        value_enum,
        value_parser = choice::<Dated>(),
        value_name = "FIELD",
        default_value_t = Dated::Modified
    )]
    pub date: Dated,
    /// Take documents that meet any criterion, not all
    #[arg(long)]
    pub any: bool,
    /// Show so many
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        default_value_t = 20,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub limit: u32,
    #[command(flatten)]
    pub output: Output,
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

/// How the relevance of a section is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Relevance {
    Bm25,
    Density,
}

/// A kind of document in the PARA method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Category {
    Projects,
    Areas,
    Resources,
    Archives,
}

/// A date that a document has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Dated {
    Created,
    Modified,
}

/// Which time of a file counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Time {
    Modified,
    Created,
    Accessed,
}

/// The order of what is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    TimeDesc,
    TimeAsc,
    PathAsc,
}

/// How much of each document is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    TitlesOnly,
    Snippets,
    FullContext,
}

/// When output is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Args)]
pub struct Mcp {
    #[command(flatten)]
    pub roots: Roots,
    #[command(flatten)]
    pub offered: Offered,
}

#[derive(Debug, Args)]
#[command(after_help = "\
MCP is at /mcp, for one root alone at /mcp/ROOT. ADDR is IP:PORT, unix:PATH (a socket that only you \
can reach), or systemd (the socket that it has opened). A request has to name the address that it \
is sent to, as browsers and clients do by themselves; other names, such as that of a proxy, are \
allowed with --allow-host.")]
pub struct Serve {
    #[command(flatten)]
    pub roots: Roots,
    #[command(flatten)]
    pub offered: Offered,
    /// Where to listen [default: 127.0.0.1:7780]
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<Listen>,
    /// Take requests that name this host, NAME or NAME:PORT; repeatable
    #[arg(long, value_name = "HOST")]
    pub allow_host: Vec<AllowedHost>,
    /// On TERM, go on serving for SECONDS while /readyz says that it ends, so that balancers send no more
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=300))]
    pub drain_delay: u16,
    #[command(flatten)]
    pub tokens: TokensFile,
}

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Make a token and print it, once
    New(NewToken),
    /// List the tokens: name, roots, rights, and until when
    List(ListTokens),
    /// Make a token worthless, at once
    Revoke(RevokeToken),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent token new ann --root docs --root notes:rw --expires 90d

The token goes to stdout, for the client's `Authorization: Bearer TOKEN`. docent keeps its SHA-256 \
alone; a server that runs takes it up at once. Where there is a token file, every request needs a \
token.")]
pub struct NewToken {
    /// Whom it is for; it stands in logs and metrics
    #[arg(value_parser = token_name)]
    pub name: String,
    /// A root that it opens, as `docent serve` names it, for reading or with :rw; repeatable
    #[arg(long, value_name = "NAME[:rw]", value_parser = root_right)]
    pub root: Vec<(String, Right)>,
    /// How long it is good: 12h, 90d, 4w, or never
    #[arg(long, value_name = "TIME", default_value = "90d")]
    pub expires: Life,
    /// What it allows beside its roots; repeatable
    #[arg(long, value_enum, value_name = "RIGHT")]
    pub right: Vec<Extra>,
    #[command(flatten)]
    pub tokens: TokensFile,
}

#[derive(Debug, Args)]
pub struct ListTokens {
    #[command(flatten)]
    pub tokens: TokensFile,
}

#[derive(Debug, Args)]
pub struct RevokeToken {
    /// The token's name
    pub name: String,
    #[command(flatten)]
    pub tokens: TokensFile,
}

/// Where tokens are kept.
#[derive(Debug, Args)]
pub struct TokensFile {
    /// Token file [default: docent/tokens.json in $XDG_CONFIG_HOME]
    #[arg(long, value_name = "FILE")]
    pub tokens: Option<PathBuf>,
}

/// Which tools are on offer, and how they answer.
#[derive(Debug, Args)]
pub struct Offered {
    /// Send answers as structured content instead of Markdown
    #[arg(long)]
    pub structured: bool,
    /// Offer these tools, separated by commas: `pillars`, `documents`, `all`, or names
    #[arg(
        long,
        value_name = "SET|NAME",
        value_delimiter = ',',
        default_value = "pillars"
    )]
    pub tools: Vec<String>,
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
    /// Have this server on this machine tell what texts mean, for smart_search, or none
    #[arg(long, value_name = "URL#MODEL")]
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
