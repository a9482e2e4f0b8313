//! `docent search`: finds text and prints it for people, page by page.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use docent_host::Session;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::config::Flags;
use crate::terminal::error::CommandError;
use crate::terminal::outcome::{ResultPresence, exit_code};
use crate::terminal::place::{self, GrantedRoot, SearchPlace};
use crate::terminal::skipped::Skipped;
use crate::terminal::style::BARE;

mod answer;
mod args;
mod excerpt;
mod parts;
mod print;

use answer::{AnswerPage, PAGE, SearchSummary};
use args::{SearchMode, mode, mode_name};
use parts::SplitDirectory;
use print::Printer;

pub use args::SearchArgs;

/// Maximum timeout of a page, in milliseconds.
const PAGE_MS: u32 = 60_000;

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
    let (groups, reach) = app.groups(&setup, &args.paths, place::PartPolicy::Refused, example)?;
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
        let roots = GrantedRoot::all(&grants);
        let mut session = app.session(&setup, grants)?;
        if run.search(&mut session, &roots, &group.places)?.is_break() {
            break;
        }
    }
    Ok(exit_code(reach, run.finish()?))
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
        roots: &[GrantedRoot],
        places: &[SearchPlace],
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
                let Some(limit) = self.limit_left() else {
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
    fn parts(
        &self,
        session: &mut Session,
        root: &GrantedRoot,
        place: &SearchPlace,
    ) -> Option<SplitDirectory> {
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
        root: &GrantedRoot,
        place: &SearchPlace,
        parts: SplitDirectory,
    ) -> Result<(), CommandError> {
        let args = self.args;
        let request = |path: &str, cursor| {
            let mut request = request(args, root, place, None, cursor);
            request.insert("path".to_owned(), json!(path));
            request
        };
        // Results that fit on one page are shown as one, best first.
        let mut first_page: Option<AnswerPage> = None;
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
                self.take(place, &root.directory, page.into_sorted())?;
            }
            Ok(())
        })?;
        if let Some(page) = first_page {
            self.take(place, &root.directory, page.into_sorted())?;
        }
        self.add_skipped(place, parts.skipped);
        for path in unopened {
            let entry = parts::unopened_report(session, &root.name, path);
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
    fn finish(mut self) -> Result<ResultPresence, CommandError> {
        self.printer.summary(self.args, &self.summary)?;
        self.printer.flush()?;
        Ok(ResultPresence::from_count(self.summary.documents))
    }

    /// Returns the maximum documents of the next page; none if the limit is reached.
    fn limit_left(&self) -> Option<Option<u32>> {
        let Some(limit) = self.args.limit else {
            return Some(None);
        };
        // Over all pages and places, because the limit is a total.
        let listed = u32::try_from(self.summary.documents).unwrap_or(u32::MAX);
        let left = limit.saturating_sub(listed);
        (left > 0).then_some(Some(left.min(PAGE)))
    }

    fn take(
        &mut self,
        place: &SearchPlace,
        root: &Path,
        page: AnswerPage,
    ) -> Result<(), CommandError> {
        // The component may have clamped the number; the hit is located with the effective one.
        let context = page.settings.context_chars as usize;
        self.summary.settings = Some(page.settings);
        for document in page.results {
            self.summary.documents += 1;
            self.summary.matches += document.match_count;
            // In the other modes, the person does not choose the number of hits.
            if mode(self.args) == SearchMode::Snippets {
                let shown = document.matches.len() as u64;
                self.summary.hidden_matches += document.match_count.saturating_sub(shown);
            }
            let shown = place.show(&document.path);
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

    fn add_skipped(&mut self, place: &SearchPlace, skipped: Skipped) {
        let all = &mut self.summary.stats.skipped;
        all.count += skipped.count;
        for mut entry in skipped.entries {
            entry.path = place.show(&entry.path);
            all.entries.push(entry);
        }
    }
}

/// Returns the arguments for a page of a search in `place`.
fn request(
    args: &SearchArgs,
    root: &GrantedRoot,
    place: &SearchPlace,
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
