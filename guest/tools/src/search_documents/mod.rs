//! `search-documents`: full-text search in all documents.
//!
//! `request` and `position` (the start of a page) → `scan` (the walk, which passes texts with
//! hits to a sink) → `hit_counts` (hit counts, in the order of the list) and `budget`, or
//! `as_they_come` without a budget. `hits` makes the excerpts of one text, which `last_container`
//! reads again.

mod as_they_come;
mod budget;
mod clock;
mod hit_counts;
mod hits;
mod last_container;
mod position;
mod request;
mod scan;
mod unshown;

use std::cmp::Reverse;

use docent_api::search::{
    SearchDocumentsAnswer, SearchDocumentsOptions, SearchMatch, SearchResult, SearchStats,
};
use docent_api::types::{Error, Skipped};

use self::as_they_come::HitsAsTheyCome;
use self::budget::{DocumentListing, SearchFrame};
use self::hit_counts::{DocumentHits, HitCounts, HitOrder};
use self::last_container::LastContainer;
use self::position::SearchPosition;
pub use self::request::NO_OPTIONS;
use self::request::SearchRequest;
use self::scan::{ScanAmount, ScanOutcome};
use crate::lexical::near_words::near_words;
use crate::limits::SEARCH_LIMIT;
use crate::settings::ToolSettings;
use docent_corpus::corpus::Corpus;
use docent_corpus::extensions::is_path_of_known_kind;
use docent_text::matching::finder::Finder;
use docent_text::saturating::saturating_u32;
use docent_text::sort::sort_by;
use docent_text::tokens::estimate::estimate;
use docent_text::width::Widths;
use docent_tree::disk::{Disk, Failure};
use docent_tree::locate::{ChosenRoot, Located, TargetKind};
use docent_tree::path::RelPath;
use docent_tree::refusal::unavailable;
use docent_tree::skips::{LeftOut, Skips};

/// A page, with the contents of its range.
struct SearchPage {
    results: Vec<SearchResult>,
    /// Number of hits and of documents with hits in the whole range.
    totals: (u32, u32),
    /// Start of the next page, if there is one.
    next: Option<SearchPosition>,
    tokens_used: Option<u32>,
    amount: ScanAmount,
    /// True if nothing is left after the range.
    is_complete: bool,
    skipped: Skipped,
    left_out: LeftOut,
}

/// Finds a text in all documents; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served; never for a document that cannot be read.
pub fn search_documents<D: Disk>(
    corpus: &mut Corpus<D>,
    settings: &ToolSettings,
    query: String,
    options: SearchDocumentsOptions,
) -> Result<SearchDocumentsAnswer, Error> {
    let started = corpus.disk.monotonic_ms();
    let path = RelPath::parse_or_root(options.path.as_deref())?;
    let request = SearchRequest::parse(&query, &options)?;
    let root = corpus.choose_root(options.root.as_deref())?;
    let fingerprint = request.fingerprint(&root.name, &path);
    let from = SearchPosition::decode(fingerprint, options.cursor.as_deref())?;
    corpus.store.begin_call();
    let located = corpus.locate(root.index, &path, TargetKind::Any)?;
    let search = PageSearch {
        request: &request,
        options: &options,
        root: &root,
        finder: Finder::new(&request.query, request.case),
        from,
        end_ms: started.saturating_add(settings.working_ms(request.timeout_ms)),
    };
    let page = match request.budget {
        Some(tokens) => search.best_page(corpus, located, tokens),
        None => search.page_as_it_comes(corpus, located),
    };
    let mut page = page.map_err(|failure| unavailable(&path, failure))?;
    let has_nothing =
        page.totals.1 == 0 && page.is_complete && search.from == SearchPosition::default();
    let near_words = if has_nothing {
        search.near_words(corpus, &path)
    } else {
        Vec::new()
    };
    sort_by(&mut page.results, |a, b| {
        place(a).cmp(&place(b)).then(a.path.cmp(&b.path))
    });
    let elapsed = corpus.disk.monotonic_ms().saturating_sub(started);
    let unshown = unshown::hint(&page.results, &request);
    let is_truncated = page.next.is_some() || unshown.is_some();
    let hint = if has_nothing {
        unshown::nothing(&page.left_out, &request)
    } else {
        unshown
    };
    if let (true, Some(used), Some(hint)) = (has_nothing, &mut page.tokens_used, &hint) {
        *used += estimate(hint);
    }
    Ok(SearchDocumentsAnswer {
        query: request.query.clone(),
        root: root.shown.clone(),
        settings: request.settings,
        total_matches: page.totals.0,
        total_files: page.totals.1,
        truncated: is_truncated,
        next_cursor: page.next.map(|next| next.encode(fingerprint)),
        hint,
        results: page.results,
        tokens_used: page.tokens_used,
        near_words,
        stats: SearchStats {
            documents_searched: page.amount.documents,
            bytes_searched: page.amount.bytes,
            complete: page.is_complete,
            skipped: page.skipped,
            elapsed_ms: u32::try_from(elapsed).unwrap_or(u32::MAX),
        },
    })
}

/// Returns the sort key of a result: documents come before files whose kind is unknown from their
/// names, and results with most hits first.
fn place(result: &SearchResult) -> (bool, Reverse<u32>) {
    let is_unknown = !is_path_of_known_kind(&result.path);
    (is_unknown, Reverse(result.match_count))
}

/// A search for one page.
struct PageSearch<'a> {
    request: &'a SearchRequest,
    options: &'a SearchDocumentsOptions,
    root: &'a ChosenRoot,
    finder: Finder,
    from: SearchPosition,
    /// Deadline on the disk's clock.
    end_ms: u64,
}

impl PageSearch<'_> {
    /// Returns a page of all hits in the order of the search.
    fn page_as_it_comes<D: Disk>(
        &self,
        corpus: &mut Corpus<D>,
        located: Located<D::Directory>,
    ) -> Result<SearchPage, Failure> {
        // A call without a budget may continue with the cursor of one with a budget. That one
        // has listed the documents with most hits, which are anywhere in the range, while this
        // page lists all in the order of their paths. So it begins at the start of the range.
        let from = SearchPosition {
            after: self.from.after.clone(),
            listed: None,
        };
        let mut hits = HitsAsTheyCome::new(self.request, &self.finder);
        let outcome = self.search(corpus, located, &from, &mut hits)?;
        let results = hits.results;
        let totals = totals(results.iter().map(|result| result.match_count));
        Ok(SearchPage {
            results,
            totals,
            is_complete: outcome.end.is_none(),
            next: outcome.end.map(SearchPosition::after),
            tokens_used: None,
            amount: outcome.amount,
            left_out: outcome.skips.left_out,
            skipped: outcome.skips.finish(),
        })
    }

    /// Returns a page of the documents with most hits in a range, as far as they fit into
    /// `budget`.
    fn best_page<D: Disk>(
        &self,
        corpus: &mut Corpus<D>,
        located: Located<D::Directory>,
        budget: u32,
    ) -> Result<SearchPage, Failure> {
        let mut counts = HitCounts::new(&self.finder);
        let outcome = self.search(corpus, located, &self.from, &mut counts)?;
        let end = outcome.end.as_deref();
        let order = HitOrder::new(counts.found, &self.from);
        let skips = if order.continues() {
            Skips::default()
        } else {
            outcome.skips
        };
        let left_out = skips.left_out;
        let skipped = skips.finish();
        let root = self.root.shown.as_deref();
        let frame = SearchFrame::new(self.request, self.options, root, &skipped, &self.from, end);
        let whole = budget.saturating_sub(frame.around);
        let cut = whole.saturating_sub(frame.next_call);
        let rooms = (if end.is_some() { cut } else { whole }, cut);
        let limit = self.request.settings.limit.unwrap_or(SEARCH_LIMIT.1) as usize;
        let mut container = LastContainer::new(self.root.index);
        let DocumentListing { results, tokens } =
            budget::list(order.rest(), limit, rooms, self.request, |found| {
                self.read_hits(corpus, &mut container, found)
            });
        let next = order.next(&self.from, results.len(), end);
        let next_call = next.as_ref().map_or(0, |_| frame.next_call);
        Ok(SearchPage {
            results,
            totals: totals(order.all().iter().map(|found| found.hits)),
            next,
            tokens_used: Some(frame.around + tokens + next_call),
            amount: outcome.amount,
            is_complete: end.is_none(),
            left_out,
            skipped,
        })
    }

    /// Returns suggestions for a query without hits; none if only hits are requested.
    fn near_words<D: Disk>(&self, corpus: &mut Corpus<D>, path: &RelPath) -> Vec<String> {
        if self.request.budget.is_none() {
            return Vec::new();
        }
        near_words(
            corpus,
            self.root.index,
            path,
            &|name| self.request.extensions.has(name),
            &self.request.query,
            self.end_ms,
        )
    }

    fn search<D: Disk, S: scan::HitSink>(
        &self,
        corpus: &mut Corpus<D>,
        located: Located<D::Directory>,
        from: &SearchPosition,
        sink: &mut S,
    ) -> Result<ScanOutcome, Failure> {
        let (request, finder) = (self.request, &self.finder);
        scan::search(corpus, located, request, finder, from, self.end_ms, sink)
    }

    /// Returns the hits that may be shown of a document, which is read again: keeping them for all
    /// documents found would take unbounded memory.
    fn read_hits<D: Disk>(
        &self,
        corpus: &mut Corpus<D>,
        container: &mut LastContainer<D::Directory>,
        found: &DocumentHits,
    ) -> Vec<SearchMatch> {
        // The document was deleted after it was counted. It did exist, so it keeps its count.
        let Ok(opened) = container.read(corpus, &found.path) else {
            return Vec::new();
        };
        let Ok(decoded) = opened.decode(&mut corpus.store) else {
            return Vec::new();
        };
        let path = opened.path.as_str();
        let text = &decoded.text;
        hits::result(
            path,
            &opened.name,
            text,
            Widths::Mixed,
            &self.finder,
            self.request,
        )
        .map_or_else(Vec::new, |result| result.matches)
    }
}

/// Returns the number of hits and the number of documents.
fn totals(hits: impl ExactSizeIterator<Item = u32>) -> (u32, u32) {
    let documents = saturating_u32(hits.len());
    (hits.fold(0, u32::saturating_add), documents)
}
