//! The arguments of the commands that find and read.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Output;
use crate::choice::choice;

#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 when something was found, 1 when nothing was, 2 on an error.

On a terminal the hits stand below their document; into a pipe goes one `PATH:LINE: EXCERPT` for \
each hit, control characters in it shown as `\\u{a}`. With --json, each line is an object: `type` \
is `document` (path, name, matchCount, matches) or, on the last line, `summary`.")]
pub struct Search {
    /// Text to search for, literally
    pub query: String,
    /// Directories or documents to search [default: the configured roots]
    pub paths: Vec<PathBuf>,
    /// Distinguish upper and lower case
    #[arg(short = 's', long)]
    pub case_sensitive: bool,
    /// Characters shown before and after a hit, 10 to 500
    #[arg(short = 'C', long, value_name = "N", default_value_t = 50)]
    pub context: u32,
    /// Content shown of each document: its path, the text around each hit, or whole sections
    #[arg(long, value_enum, value_parser = choice::<Mode>(), default_value_t = Mode::Snippets)]
    pub mode: Mode,
    /// Show only the paths; the same as --mode titles-only
    #[arg(short = 'l', long, conflicts_with = "mode")]
    pub files_with_matches: bool,
    /// With -l, end each path with a NUL byte and print it unescaped, for `xargs -0`
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
PATTERN is a regular expression in the syntax of Rust's regex crate; with -F it is plain text. It is \
looked for in all files that are text, in documents such as docx and pdf in their text as it is \
shown; hidden and ignored files are left out, as are those that may hold secrets.

On a terminal the lines stand below their file; into a pipe goes `PATH:LINE:TEXT` for each, with a \
single file `LINE:TEXT`. With --json, each line is an object: `type` is `file` (path, count, lines) or, \
on the last line, `summary`. Exit status: 0 when a line matches, 1 when none does, 2 on an error.")]
pub struct Grep {
    /// Regular expression to search for
    pub pattern: String,
    /// Directories or files to look in [default: the configured roots]
    pub paths: Vec<PathBuf>,
    /// Ignore case [default: unless PATTERN has a capital]
    #[arg(short = 'i', long)]
    pub ignore_case: bool,
    /// Match case
    #[arg(short = 's', long, conflicts_with = "ignore_case")]
    pub case_sensitive: bool,
    /// Treat PATTERN as plain text
    #[arg(short = 'F', long)]
    pub fixed_strings: bool,
    /// Match whole words only
    #[arg(short = 'w', long)]
    pub word_regexp: bool,
    /// Let matches span lines
    #[arg(short = 'U', long)]
    pub multiline: bool,
    /// Print line numbers; always on
    #[arg(short = 'n', long)]
    pub line_number: bool,
    /// Print only the paths of files with matching lines
    #[arg(short = 'l', long, group = "shape")]
    pub files_with_matches: bool,
    /// Print only the number of matching lines of each file
    #[arg(short = 'c', long, group = "shape")]
    pub count: bool,
    /// Print only the matched text, one match a line
    #[arg(short = 'o', long, group = "shape")]
    pub only_matching: bool,
    /// Print N lines after each match, up to 20
    #[arg(short = 'A', long, value_name = "N", conflicts_with = "shape")]
    pub after_context: Option<u32>,
    /// Print N lines before each match, up to 20
    #[arg(short = 'B', long, value_name = "N", conflicts_with = "shape")]
    pub before_context: Option<u32>,
    /// Print N lines before and after each match, up to 20
    #[arg(short = 'C', long, value_name = "N", conflicts_with = "shape")]
    pub context: Option<u32>,
    /// Only files whose name or path matches GLOB
    #[arg(short, long)]
    pub glob: Option<String>,
    /// Also search files whose names begin with a dot
    #[arg(long)]
    pub hidden: bool,
    /// Also search files that ignore files exclude
    #[arg(long)]
    pub no_ignore: bool,
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
    /// Name or glob to find [default: everything], then paths [default: the configured roots]
    // clap adds brackets around the value name: the usage shows `[GLOB] [PATH]...`.
    #[arg(value_name = "GLOB] [PATH")]
    pub words: Vec<PathBuf>,
    /// Name or glob to find; all words are then paths
    #[arg(short, long)]
    pub glob: Option<String>,
    /// Only entries at or after this time
    #[arg(long, value_name = "WHEN")]
    pub from: Option<String>,
    /// Only entries before this time
    #[arg(long, value_name = "WHEN")]
    pub to: Option<String>,
    /// Timestamp to compare
    #[arg(
        long = "time",
        value_enum,
        value_parser = choice::<Time>(),
        value_name = "FIELD",
        default_value_t = Time::Modified
    )]
    pub field: Time,
    /// Sort order
    #[arg(
        long,
        value_enum,
        value_parser = choice::<Sort>(),
        value_name = "ORDER",
        default_value_t = Sort::TimeDesc
    )]
    pub sort: Sort,
    /// Maximum entries shown; 0 shows all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100)]
    pub limit: u32,
    /// Maximum depth of directories; 1 is each PATH's own entries
    #[arg(short = 'd', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_depth: Option<u32>,
    /// Also find directories
    #[arg(long)]
    pub dirs: bool,
    /// Also find entries whose names start with a dot
    #[arg(short = 'H', long)]
    pub hidden: bool,
    /// End each path with a NUL byte and print it unescaped, for `xargs -0`
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
    /// Question or words to answer
    pub question: String,
    /// Directories or documents to look in [default: the configured roots]
    pub paths: Vec<PathBuf>,
    /// Maximum tokens shown, 100 to 100000, estimated
    #[arg(short = 't', long, value_name = "N", default_value_t = 2000)]
    pub max_tokens: u32,
    /// Maximum documents to answer from, 1 to 50
    #[arg(short = 'n', long, value_name = "N", default_value_t = 5)]
    pub limit: u32,
    /// Measure of the relevance of sections
    #[arg(
        long,
        value_enum,
        value_parser = choice::<Relevance>(),
        value_name = "MEASURE",
        default_value_t = Relevance::Bm25
    )]
    pub relevance: Relevance,
    /// Show long sections in full on a terminal
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
    /// Words to search for, then paths [default: the configured roots]
    // As with `GLOB`: the usage shows `[WORDS]... [PATH]...`.
    #[arg(value_name = "WORDS]... [PATH")]
    pub words: Vec<PathBuf>,
    /// Words to search for; all words are then paths
    #[arg(short = 'q', long, value_name = "TEXT")]
    pub query: Option<String>,
    /// Read the section with this heading, in one document
    #[arg(short = 's', long, value_name = "HEADING", conflicts_with = "query")]
    pub section: Option<String>,
    /// Show whole files, without folding
    #[arg(long)]
    pub full: bool,
    /// Items of each group (documents, code, data), 1 to 200 [default: 20; for searches, 10 in
    /// total]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<u32>,
    /// Maximum characters shown, 1 to 200000 [default: 8000; for searches, 4000 bytes]
    #[arg(short = 'c', long, value_name = "N")]
    pub max_chars: Option<u32>,
    /// Continue to the end, in pages of --max-chars characters
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
    /// Definition, in any file: `parse_config`, `Reader.read`
    #[arg(short = 's', long, value_name = "NAME")]
    pub symbol: Option<String>,
    /// Purpose of the request: matching content comes first if not everything fits
    #[arg(short = 'g', long, value_name = "TEXT")]
    pub goal: Option<String>,
    /// Aspects to show, separated by commas [default: those that fit the PATH]
    #[arg(
        long = "aspect",
        value_enum,
        value_delimiter = ',',
        value_name = "ASPECT"
    )]
    pub aspects: Vec<Aspect>,
    /// Depth to follow: 1, 2 or 5 steps or levels [default: standard]
    #[arg(short = 'd', long, value_enum)]
    pub depth: Option<Depth>,
    /// Maximum bytes shown, 500 to 200000 [default: 8000]
    #[arg(short = 'c', long, value_name = "N")]
    pub max_chars: Option<u32>,
    /// Continue to the end, in pages of --max-chars bytes
    #[arg(short = 'a', long)]
    pub all: bool,
    /// Root of the tree
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub output: Output,
}

/// An aspect that `docent understand` shows.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Aspect {
    /// Its parts
    Structure,
    /// Files it depends on
    Dependencies,
    /// Files that refer to it
    Impact,
    /// Files with the most references
    HotSpots,
    /// Summary of each file
    Summary,
}

/// The depth to which `docent understand` follows references.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Depth {
    /// 1 step
    Shallow,
    /// 2 steps
    Standard,
    /// 5 steps
    Deep,
}

impl Aspect {
    /// Returns its name in requests.
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
    /// Returns its name in requests.
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
leads to no file, or to no section of one. What leads to one of several files, and what only the \
program of a site knows, is told apart. The network is not asked. The tree is the configured \
root, else the git repository, else the current directory. With --json, each line is an object. Exit \
status: 0, 1 when a link is broken, 2 on an error.")]
pub struct Links {
    /// Files or directories [default: the whole tree]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Only broken links
    #[arg(short = 'b', long)]
    pub broken: bool,
    /// Only links to other sites
    #[arg(short = 'x', long, conflicts_with = "broken")]
    pub external: bool,
    /// Root of the tree
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
    /// Documents to summarize
    #[arg(required = true, value_name = "DOCUMENT")]
    pub paths: Vec<PathBuf>,
    /// Print one JSON object per line
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
    /// Required tags, then paths [default: the configured roots]
    // As with `GLOB`: the usage shows `[TAGS] [PATH]...`.
    #[arg(value_name = "TAGS] [PATH")]
    pub words: Vec<PathBuf>,
    /// Text that the document contains
    #[arg(long, value_name = "TEXT")]
    pub content: Option<String>,
    /// Text that its title contains
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
    /// Date that --from and --to compare
    #[arg(
        long,
        value_enum,
        value_parser = choice::<Dated>(),
        value_name = "FIELD",
        default_value_t = Dated::Modified
    )]
    pub date: Dated,
    /// Find documents that meet any criterion instead of all
    #[arg(long)]
    pub any: bool,
    /// Maximum documents shown
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

/// A measure of the relevance of a section.
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

/// A date of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Dated {
    Created,
    Modified,
}

/// A timestamp of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Time {
    Modified,
    Created,
    Accessed,
}

/// A sort order of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    TimeDesc,
    TimeAsc,
    PathAsc,
}

/// The amount of each document that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    TitlesOnly,
    Snippets,
    FullContext,
}
