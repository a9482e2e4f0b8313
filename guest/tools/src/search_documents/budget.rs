//! Selection of the documents with hits that fit into the budget of an answer.

use docent_api::search::{SearchDocumentsOptions, SearchMatch, SearchMode, SearchResult};
use docent_api::types::Skipped;

use super::hit_counts::DocumentHits;
use super::position::{ListedDocuments, SearchPosition};
use super::request::SearchRequest;
use crate::limits::{
    CLAMPED_TOKENS, COUNT_LINE_TOKENS, COUNTS_SHARE, DOCUMENTS_PER_ANSWER, EXCERPT_FRAME_TOKENS,
    FILE_FRAME_TOKENS, HITS_PER_ANSWER, LEFT_OUT_TOKENS, MORE_HITS_TOKENS, NEXT_CALL_TOKENS,
    SEARCH_FRAME_TOKENS, SECTION_HITS_TOKENS, SKIPPED_ENTRY_TOKENS, SKIPPED_FRAME_TOKENS,
};
use crate::paging::cursor::Fingerprint;
use docent_rank::fences::fences;
use docent_text::tokens::estimate::estimate;

/// Tokens that an answer takes in addition to its documents.
pub struct SearchFrame {
    /// The first lines, the note about clamped options, and the skipped entries.
    pub around: u32,
    /// Tokens of the sentence that names the next call.
    pub next_call: u32,
}

/// Listed documents, and their tokens.
pub struct DocumentListing {
    pub results: Vec<SearchResult>,
    pub tokens: u32,
}

impl SearchFrame {
    /// Returns the frame of an answer to a request for a range that begins at `from` and ends at
    /// `end`.
    pub fn new(
        request: &SearchRequest,
        options: &SearchDocumentsOptions,
        root: Option<&str>,
        skipped: &Skipped,
        from: &SearchPosition,
        end: Option<&str>,
    ) -> Self {
        let settings = &request.settings;
        let clamped = [
            (options.context_chars, Some(settings.context_chars)),
            (options.max_results, Some(settings.max_results)),
            (options.limit, settings.limit),
        ];
        let clamped = clamped
            .iter()
            .filter(|(asked, taken)| asked.is_some() && asked != taken)
            .count();
        let entries = skipped
            .entries
            .iter()
            .map(|entry| estimate(&entry.path) + SKIPPED_ENTRY_TOKENS);
        let skips = match skipped.count {
            0 => 0,
            _ => SKIPPED_FRAME_TOKENS + entries.sum::<u32>(),
        };
        let root = root.map_or(0, |root| estimate(root) + SKIPPED_ENTRY_TOKENS);
        Self {
            around: SEARCH_FRAME_TOKENS
                + estimate(&request.query)
                + CLAMPED_TOKENS * u32::try_from(clamped).unwrap_or(0)
                + skips
                + root,
            next_call: NEXT_CALL_TOKENS + arguments(request, options) + cursor(from, end),
        }
    }
}

/// Returns the tokens of a request's arguments as JSON, at most, without its cursor.
fn arguments(request: &SearchRequest, options: &SearchDocumentsOptions) -> u32 {
    let texts = [options.root.as_deref(), options.path.as_deref()];
    let texts = texts.into_iter().flatten();
    let texts = texts.chain(std::iter::once(request.query.as_str()));
    let extensions = options.extensions.iter().flatten().map(String::as_str);
    let json = |text: &str| estimate(&serde_json::to_string(text).unwrap_or_default());
    let numbers = [
        options.context_chars,
        options.max_results,
        options.limit,
        options.max_tokens,
        options.timeout_ms,
    ];
    let others = numbers.iter().flatten().count()
        + usize::from(options.case_sensitive.is_some())
        + usize::from(options.mode.is_some());
    // A name in quotes, a number and the punctuation between them.
    let others = u32::try_from(others).unwrap_or(0) * SKIPPED_ENTRY_TOKENS;
    texts
        .chain(extensions)
        .map(|text| json(text) + SKIPPED_ENTRY_TOKENS)
        .fold(others, u32::saturating_add)
}

/// Returns the tokens of the longest cursor that the answer may contain, with a reserve, since the
/// digits of the digest are not known yet.
fn cursor(from: &SearchPosition, end: Option<&str>) -> u32 {
    let fingerprint = Fingerprint::new("search-documents");
    let longest = SearchPosition {
        after: from.after.clone(),
        listed: Some(ListedDocuments {
            number: DOCUMENTS_PER_ANSWER,
            digest: fingerprint.text(),
            until: end.map(str::to_owned),
        }),
    };
    let tokens = estimate(&longest.encode(fingerprint));
    tokens + tokens / 8
}

/// Returns the listing of the first of `found` within `whole` tokens, if that lists all; otherwise
/// within `cut`, which leaves room for the cursor: at most `most` documents, at least one.
///
/// If all hits fit, they are shown; otherwise the counts of as many files as fit into their share
/// come first, followed by the hits of the first files. `shown` returns the hits that may be shown
/// of a document.
pub fn list(
    found: &[DocumentHits],
    most: usize,
    (whole, cut): (u32, u32),
    request: &SearchRequest,
    mut shown: impl FnMut(&DocumentHits) -> Vec<SearchMatch>,
) -> DocumentListing {
    let most = most.min(found.len());
    let listed = &found[..most];
    let room = if most == found.len() { whole } else { cut };
    if request.mode == SearchMode::TitlesOnly {
        let all = list_counts(listed, room, named_cost);
        return if all.results.len() == found.len() {
            all
        } else {
            list_counts(listed, cut, named_cost)
        };
    }
    let mut results: Vec<SearchResult> = Vec::new();
    let (mut tokens, mut hits) = (0u32, 0);
    for one in listed {
        let result = result(one, shown(one));
        let cost = cost(&result);
        hits += result.matches.len();
        results.push(result);
        tokens = tokens.saturating_add(cost);
        // The last one is kept: some of its hits may fit.
        if tokens > room || hits > HITS_PER_ANSWER as usize {
            let counts = list_counts(listed, cut / COUNTS_SHARE, count_cost);
            // If every file has its count, nothing is left for a next page, and the room
            // reserved for its cursor is free for hits.
            let room = if counts.results.len() == found.len() {
                room
            } else {
                cut
            };
            return with_best(counts, room, results);
        }
    }
    DocumentListing { results, tokens }
}

/// Returns as many counts as fit, at least one.
fn list_counts(
    found: &[DocumentHits],
    room: u32,
    cost: fn(&DocumentHits) -> u32,
) -> DocumentListing {
    let mut listing = DocumentListing {
        results: Vec::new(),
        tokens: 0,
    };
    for one in found {
        let tokens = listing.tokens.saturating_add(cost(one));
        if tokens > room && !listing.results.is_empty() {
            break;
        }
        listing.results.push(result(one, Vec::new()));
        listing.tokens = tokens;
    }
    listing
}

/// Returns the counts, followed by as many hits as fit of the first documents, which `best`
/// contains with all of their hits.
fn with_best(mut listing: DocumentListing, room: u32, best: Vec<SearchResult>) -> DocumentListing {
    listing.tokens = listing.tokens.saturating_add(LEFT_OUT_TOKENS);
    let mut hits = 0;
    for (result, best) in listing.results.iter_mut().zip(best) {
        let all = best.matches.len();
        let around = names_cost(&best) + MORE_HITS_TOKENS;
        let mut left = room.saturating_sub(listing.tokens).saturating_sub(around);
        let before = left;
        for one in best.matches {
            let Some(rest) = left.checked_sub(match_cost(&best.path, &one)) else {
                break;
            };
            if hits == HITS_PER_ANSWER {
                break;
            }
            left = rest;
            hits += 1;
            result.matches.push(one);
        }
        if !result.matches.is_empty() {
            listing.tokens += around + before - left;
        }
        // Later documents have fewer hits, and must not be shown in place of hits that did not fit.
        if result.matches.len() < all {
            break;
        }
    }
    listing
}

fn result(found: &DocumentHits, matches: Vec<SearchMatch>) -> SearchResult {
    SearchResult {
        path: format!("/{}", found.path.as_str()),
        name: found.name.clone(),
        match_count: found.hits,
        matches,
    }
}

fn count_cost(found: &DocumentHits) -> u32 {
    COUNT_LINE_TOKENS + estimate(found.path.as_str())
}

/// Returns the same including the document's name, as in a list of titles.
fn named_cost(found: &DocumentHits) -> u32 {
    count_cost(found) + estimate(&found.name)
}

fn cost(result: &SearchResult) -> u32 {
    let is_all = result.matches.len() >= result.match_count as usize;
    let more = if is_all { 0 } else { MORE_HITS_TOKENS };
    let matches = result.matches.iter();
    let matches = matches.map(|one| match_cost(&result.path, one));
    matches.fold(names_cost(result) + more, u32::saturating_add)
}

fn names_cost(result: &SearchResult) -> u32 {
    FILE_FRAME_TOKENS + estimate(&result.path) + estimate(&result.name)
}

fn match_cost(path: &str, one: &SearchMatch) -> u32 {
    let around = one
        .section
        .as_ref()
        .map_or(EXCERPT_FRAME_TOKENS, |section| {
            let headings = estimate(&section.heading_path.join(" > "));
            // For a section that is cut, the answer may name the call that continues it.
            let reads_on = if section.cut {
                NEXT_CALL_TOKENS + estimate(path)
            } else {
                0
            };
            SECTION_HITS_TOKENS + headings + fences(&one.excerpt) + reads_on
        });
    around.saturating_add(estimate(&one.excerpt))
}
