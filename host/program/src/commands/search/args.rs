//! The arguments of `docent search`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::args::OutputArgs;
use crate::choice::choice;

/// The arguments of `docent search`.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 when something was found, 1 when nothing was, 2 on an error.

On a terminal the hits are listed below their document; in a pipe each hit is `PATH:LINE: \
EXCERPT`, with control characters shown as `\\u{a}`. With --json, each line is an object: `type` \
is `document` (path, name, matchCount, matches) or, on the last line, `summary`.")]
pub struct SearchArgs {
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
    #[arg(long, value_enum, value_parser = choice::<SearchMode>(), default_value_t = SearchMode::Snippets)]
    pub mode: SearchMode,
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
    pub output: OutputArgs,
}

/// The amount of each document that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SearchMode {
    TitlesOnly,
    Snippets,
    FullContext,
}

/// Returns the amount shown of each document.
pub fn mode(args: &SearchArgs) -> SearchMode {
    if args.files_with_matches {
        SearchMode::TitlesOnly
    } else {
        args.mode
    }
}

pub fn mode_name(mode: SearchMode) -> &'static str {
    match mode {
        SearchMode::TitlesOnly => "titles-only",
        SearchMode::Snippets => "snippets",
        SearchMode::FullContext => "full-context",
    }
}
