//! `docent search`: finds text and prints it for people, page by page.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use docent_host::Session;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::args::Output;
use crate::choice::choice;
use crate::config::Flags;
use crate::terminal::error::CommandError;
use crate::terminal::outcome::{Outcome, exit_code};
use crate::terminal::place::{self, Place, Root};
use crate::terminal::skipped::Skipped;
use crate::terminal::style::BARE;

mod excerpt;
mod parts;
mod print;

use parts::Parts;
use print::Printer;

/// Name of the component's function.
const FUNCTION: &str = "search-documents";

/// Maximum documents on one page.
const PAGE: u32 = 1000;

/// Maximum timeout of a page, in milliseconds.
const PAGE_MS: u32 = 60_000;

/// Maximum hits on one page.
const PAGE_HITS: usize = 500;

/// The arguments of `docent search`.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 when something was found, 1 when nothing was, 2 on an error.

On a terminal the hits stand below their document; into a pipe goes one `PATH:LINE: EXCERPT` for \
each hit, control characters in it shown as `\\u{a}`. With --json, each line is an object: `type` \
is `document` (path, name, matchCount, matches) or, on the last line, `summary`.")]
pub struct SearchArgs {
    /// Text to search for, literally
    query: String,
    /// Directories or documents to search [default: the configured roots]
    paths: Vec<PathBuf>,
    /// Distinguish upper and lower case
    #[arg(short = 's', long)]
    case_sensitive: bool,
    /// Characters shown before and after a hit, 10 to 500
    #[arg(short = 'C', long, value_name = "N", default_value_t = 50)]
    context: u32,
    /// Content shown of each document: its path, the text around each hit, or whole sections
    #[arg(long, value_enum, value_parser = choice::<Mode>(), default_value_t = Mode::Snippets)]
    mode: Mode,
    /// Show only the paths; the same as --mode titles-only
    #[arg(short = 'l', long, conflicts_with = "mode")]
    files_with_matches: bool,
    /// With -l, end each path with a NUL byte and print it unescaped, for `xargs -0`
    #[arg(
        short = '0',
        long,
        requires = "files_with_matches",
        conflicts_with = "json"
    )]
    null: bool,
    /// Stop after this many documents
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Hits shown per document, 1 to 100
    #[arg(short = 'm', long, value_name = "N", default_value_t = 10)]
    max_results: u32,
    /// File name extensions that count as documents, separated by commas
    #[arg(long, value_name = "EXT", value_delimiter = ',')]
    ext: Vec<String>,
    #[command(flatten)]
    output: Output,
}

/// The amount of each document that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    TitlesOnly,
    Snippets,
    FullContext,
}

/// Searches the places on the command line.
///
/// # Errors
/// Returns an error if the configuration is malformed, if a place cannot be granted, if the
/// component refuses or fails, or if the output cannot be written.
pub fn run(app: &App, args: &SearchArgs) -> Result<ExitCode, CommandError> {
    let flags = Flags {
        config: args.output.config.clone(),
        ..Flags::default()
    };
    let setup = app.load_setup(&flags)?;
    let example = "docent search QUERY .";
    let (groups, reach) = app.groups(&setup, &args.paths, place::Parts::Refused, example)?;
    let (layout, paint) = if args.null {
        BARE
    } else {
        app.style(&args.output)
    };
    let printer = Printer::new(app.stdout_in_blocks(), layout, paint);
    let mut run = SearchRun::new(args, printer);
    for group in groups {
        // The directories of an instance are fixed, so each group needs its own.
        let grants = app.grant_roots(&setup, &group.roots, None)?;
        let roots = Root::all(&grants);
        let mut session = app.session(&setup, grants)?;
        if run.search(&mut session, &roots, &group.places)?.is_break() {
            break;
        }
    }
    Ok(exit_code(reach, run.finish()?))
}

/// One page of an answer of the component.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SearchPage {
    next_cursor: Option<String>,
    results: Vec<FoundDocument>,
    settings: SearchSettings,
    stats: SearchStats,
}

impl SearchPage {
    /// Appends another page.
    fn append(&mut self, other: Self) {
        self.results.extend(other.results);
        let (stats, more) = (&mut self.stats, other.stats);
        stats.documents_searched += more.documents_searched;
        stats.bytes_searched += more.bytes_searched;
        stats.elapsed_ms += more.elapsed_ms;
        stats.skipped.count += more.skipped.count;
        stats.skipped.entries.extend(more.skipped.entries);
    }

    /// Returns true if it is as large as a page of the component may be.
    fn is_full(&self) -> bool {
        let hits: usize = self
            .results
            .iter()
            .map(|document| document.matches.len())
            .sum();
        hits >= PAGE_HITS || self.stats.documents_searched >= u64::from(PAGE)
    }

    /// Sorts its documents in the order of a page: most hits first, then by path.
    fn sorted(mut self) -> Self {
        self.results.sort_by(|a, b| {
            b.match_count
                .cmp(&a.match_count)
                .then_with(|| a.path.cmp(&b.path))
        });
        self
    }
}

/// The settings in effect for a page.
#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct SearchSettings {
    context_chars: u32,
    max_results: u32,
}

/// A document with hits.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct FoundDocument {
    path: String,
    name: String,
    match_count: u64,
    matches: Vec<Hit>,
}

/// A hit, or a section with hits.
#[derive(Deserialize, Serialize)]
struct Hit {
    line: u64,
    excerpt: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SearchStats {
    documents_searched: u64,
    bytes_searched: u64,
    elapsed_ms: u64,
    skipped: Skipped,
}

/// The totals of all pages of a search.
#[derive(Default)]
struct SearchSummary {
    matches: u64,
    hidden_matches: u64,
    documents: u64,
    stats: SearchStats,
    /// True if `--limit` ended the search before the last document.
    is_cut: bool,
    /// Settings in effect for the numbers on the command line; none before the first page.
    settings: Option<SearchSettings>,
}

/// A running search.
struct SearchRun<'a, W: Write> {
    args: &'a SearchArgs,
    printer: Printer<W>,
    summary: SearchSummary,
}

impl<'a, W: Write> SearchRun<'a, W> {
    /// Creates a search for `args` that prints to `printer`.
    fn new(args: &'a SearchArgs, printer: Printer<W>) -> Self {
        Self {
            args,
            printer,
            summary: SearchSummary::default(),
        }
    }

    /// Searches `places` and prints each page as it arrives; `roots` are those of `session`.
    /// Returns a value that says if the search may continue in other places, or has reached its
    /// limit.
    ///
    /// # Errors
    /// Returns [`CommandError`]; earlier results have been printed.
    fn search(
        &mut self,
        session: &mut Session,
        roots: &[Root],
        places: &[Place],
    ) -> Result<ControlFlow<()>, CommandError> {
        for place in places {
            let root = &roots[place.root];
            if let Some(parts) = self.parts(session, root, place) {
                self.search_parts(session, root, place, parts)?;
                continue;
            }
            // One instance for all pages: it keeps the tree that it read for the first one.
            let mut cursor = None;
            loop {
                let Some(limit) = self.remaining() else {
                    self.summary.is_cut = true;
                    return Ok(ControlFlow::Break(()));
                };
                let request = request(self.args, root, place, limit, cursor.take());
                let page = parts::page(session, request)?;
                cursor = page.next_cursor.clone();
                self.take(place, &root.directory, page)?;
                if cursor.is_none() {
                    break;
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns the parts of a place that are searched in parallel; none if it is searched as a
    /// whole: with `--limit`, because the first documents are requested, and with `--ext`, because
    /// a listing does not show the additional documents.
    fn parts(&self, session: &mut Session, root: &Root, place: &Place) -> Option<Parts> {
        let whole = place.file.is_none() && self.args.limit.is_none() && self.args.ext.is_empty();
        if whole {
            parts::split(session, &root.name)
        } else {
            None
        }
    }

    fn search_parts(
        &mut self,
        session: &mut Session,
        root: &Root,
        place: &Place,
        parts: Parts,
    ) -> Result<(), CommandError> {
        let args = self.args;
        let request = |path: &str, cursor| {
            let mut request = request(args, root, place, None, cursor);
            request.insert("path".to_owned(), json!(path));
            request
        };
        // Results that fit on one page are shown as one, best first.
        let mut first_page: Option<SearchPage> = None;
        let mut is_streaming = false;
        let unopened = parts::search(session, &parts.paths, &request, |page| {
            if is_streaming {
                return self.take(place, &root.directory, page);
            }
            match &mut first_page {
                None => first_page = Some(page),
                Some(first_page) => first_page.append(page),
            }
            if let Some(page) = first_page.take_if(|first_page| first_page.is_full()) {
                is_streaming = true;
                self.take(place, &root.directory, page.sorted())?;
            }
            Ok(())
        })?;
        if let Some(page) = first_page {
            self.take(place, &root.directory, page.sorted())?;
        }
        self.add_skipped(place, parts.skipped);
        for path in unopened {
            let entry = parts::unopened(session, &root.name, path);
            self.add_skipped(
                place,
                Skipped {
                    count: 1,
                    entries: vec![entry],
                },
            );
        }
        Ok(())
    }

    /// Prints the final notes. Returns the outcome of the search.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    fn finish(mut self) -> Result<Outcome, CommandError> {
        self.printer.summary(self.args, &self.summary)?;
        self.printer.flush()?;
        Ok(Outcome::from_count(self.summary.documents))
    }

    /// Returns the maximum documents of the next page; none if the limit is reached.
    fn remaining(&self) -> Option<Option<u32>> {
        let Some(limit) = self.args.limit else {
            return Some(None);
        };
        // Over all pages and places, because the limit is a total.
        let listed = u32::try_from(self.summary.documents).unwrap_or(u32::MAX);
        let left = limit.saturating_sub(listed);
        (left > 0).then_some(Some(left.min(PAGE)))
    }

    fn take(&mut self, place: &Place, root: &Path, page: SearchPage) -> Result<(), CommandError> {
        // The component may have clamped the number; the hit is located with the effective one.
        let context = page.settings.context_chars as usize;
        self.summary.settings = Some(page.settings);
        for document in page.results {
            self.summary.documents += 1;
            self.summary.matches += document.match_count;
            // In the other modes, the person does not choose the number of hits.
            if mode(self.args) == Mode::Snippets {
                let shown = document.matches.len() as u64;
                self.summary.hidden_matches += document.match_count.saturating_sub(shown);
            }
            let shown = place.shown(&document.path);
            let target = root.join(document.path.trim_start_matches('/'));
            self.printer
                .document(self.args, context, &shown, &target, document)?;
        }
        // After each page, so that results appear during the search.
        self.printer.flush()?;
        let stats = &mut self.summary.stats;
        stats.documents_searched += page.stats.documents_searched;
        stats.bytes_searched += page.stats.bytes_searched;
        stats.elapsed_ms += page.stats.elapsed_ms;
        self.add_skipped(place, page.stats.skipped);
        Ok(())
    }

    fn add_skipped(&mut self, place: &Place, skipped: Skipped) {
        let all = &mut self.summary.stats.skipped;
        all.count += skipped.count;
        for mut entry in skipped.entries {
            entry.path = place.shown(&entry.path);
            all.entries.push(entry);
        }
    }
}

/// Returns the arguments for a page of a search in `place`.
fn request(
    args: &SearchArgs,
    root: &Root,
    place: &Place,
    limit: Option<u32>,
    cursor: Option<String>,
) -> Map<String, Value> {
    let mut request = Map::new();
    request.insert("query".to_owned(), json!(args.query));
    request.insert("root".to_owned(), json!(root.name));
    if let Some(file) = &place.file {
        request.insert("path".to_owned(), json!(file));
    }
    request.insert("caseSensitive".to_owned(), json!(args.case_sensitive));
    request.insert("contextChars".to_owned(), json!(args.context));
    request.insert("maxResults".to_owned(), json!(args.max_results));
    request.insert("mode".to_owned(), json!(mode_name(mode(args))));
    let extensions: Vec<_> = args
        .ext
        .iter()
        // People also write `--ext .md`; the contract has extensions without the dot.
        .map(|ext| ext.trim_start_matches('.'))
        .collect();
    if !extensions.is_empty() {
        request.insert("extensions".to_owned(), json!(extensions));
    } else if let Some(extension) = place.extension() {
        // A file named on the command line is a document, whatever its extension.
        request.insert("extensions".to_owned(), json!([extension]));
    }
    // Without a token budget, because all hits are printed; and pages that end by the clock would
    // make the order of the output vary.
    request.insert("maxTokens".to_owned(), json!(0));
    request.insert("timeoutMs".to_owned(), json!(PAGE_MS));
    if let Some(limit) = limit {
        request.insert("limit".to_owned(), json!(limit));
    }
    if let Some(cursor) = cursor {
        request.insert("cursor".to_owned(), json!(cursor));
    }
    request
}

/// Returns the amount shown of each document.
fn mode(args: &SearchArgs) -> Mode {
    if args.files_with_matches {
        Mode::TitlesOnly
    } else {
        args.mode
    }
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::TitlesOnly => "titles-only",
        Mode::Snippets => "snippets",
        Mode::FullContext => "full-context",
    }
}
