//! `search-documents`: finds a text in all documents.

use std::ops::Range;

use docent_api::search::{
    MatchedSection, SearchDocumentsAnswer, SearchDocumentsOptions, SearchMatch, SearchMode,
    SearchResult, SearchSettings, SearchStats,
};
use docent_api::types::{Error, ErrorCode};

use crate::cursor::{self, Fingerprint};
use crate::limits::{
    CONTEXT_CHARS, CONTEXT_CHARS_DEFAULT, DOCUMENTS_PER_ANSWER, HITS_PER_ANSWER, MAX_RESULTS,
    MAX_RESULTS_DEFAULT, QUERY_CHARS, SEARCH_LIMIT, SECTION_CHARS,
};
use docent_corpus::corpus::Corpus;
use docent_corpus::extensions::Extensions;
use docent_corpus::foreign;
use docent_corpus::store::{KnownContent, MemoId, Store, Text};
use docent_corpus::walk::{Reach, Walk, WalkStep};
use docent_document::format;
use docent_document::front_matter;
use docent_document::headings;
use docent_document::sections::{Section, sections};
use docent_text::decode::is_plain_ascii;
use docent_text::lines::LineCounter;
use docent_text::matching::excerpt::excerpt;
use docent_text::matching::finder::{Case, Finder};
use docent_text::saturating::saturating_u32;
use docent_tree::disk::{Directory, Disk, Failure};
use docent_tree::door::{Denied, Extent, Stamps};
use docent_tree::error::refuse;
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::locate::Start;
use docent_tree::locate::{File, Located, TargetKind};
use docent_tree::path::RelPath;
use docent_tree::refusal::unavailable;
use docent_tree::skips::{Skips, reason};

/// A request in valid form.
struct Request {
    query: String,
    case: Case,
    mode: SearchMode,
    settings: SearchSettings,
    extensions: Extensions,
}

/// A page in the making.
#[derive(Default)]
struct PageDraft {
    results: Vec<SearchResult>,
    documents_searched: u32,
    bytes_searched: u64,
    hits_listed: u32,
    /// Where the next page starts, when there is one.
    next_after: Option<String>,
}

/// Finds a text in all documents; see `wit/world.wit`.
///
/// # Errors
/// A request that cannot be met; never a document that cannot be read.
pub fn search_documents<D: Disk>(
    corpus: &mut Corpus<D>,
    query: String,
    options: Option<SearchDocumentsOptions>,
) -> Result<SearchDocumentsAnswer, Error> {
    let started = corpus.disk.monotonic_ms();
    let options = options.unwrap_or(NO_OPTIONS);
    let path = RelPath::parse_or_root(options.path.as_deref())?;
    let request = Request::parse(&query, &options)?;
    let root = corpus.choose_root(options.root.as_deref())?;
    let fingerprint = request.fingerprint(&root.name, &path);
    let after = match &options.cursor {
        Some(cursor) => Some(cursor::decode(fingerprint, cursor)?),
        None => None,
    };
    corpus.store.begin_call();
    let located = corpus.locate(root.index, &path, TargetKind::Any)?;
    // A file that is named is searched whatever its extension: the caller knows what it is.
    let (mut page, skips) = match located {
        Located::Directory(start) => {
            let reach = Reach {
                is_document: &|name| request.extensions.has(name),
                exclude: &corpus.exclude,
                depth: usize::MAX,
                after: after.as_deref(),
            };
            search_tree(&mut corpus.store, start, reach, &request)
                .map_err(|failure| unavailable(&path, failure))?
        }
        Located::File(file) => search_file(&mut corpus.store, &file, &request),
    };
    // Within a page the documents with most hits come first; the pages go by path.
    page.results
        .sort_by(|a, b| b.match_count.cmp(&a.match_count).then(a.path.cmp(&b.path)));
    let total_matches = page
        .results
        .iter()
        .map(|result| result.match_count)
        .fold(0, u32::saturating_add);
    let elapsed = corpus.disk.monotonic_ms().saturating_sub(started);
    Ok(SearchDocumentsAnswer {
        query: request.query,
        root: root.shown,
        settings: request.settings,
        total_matches,
        total_files: saturating_u32(page.results.len()),
        truncated: page.next_after.is_some(),
        next_cursor: page
            .next_after
            .map(|after| cursor::encode(fingerprint, &after)),
        results: page.results,
        stats: SearchStats {
            documents_searched: page.documents_searched,
            bytes_searched: page.bytes_searched,
            skipped: skips.finish(),
            elapsed_ms: u32::try_from(elapsed).unwrap_or(u32::MAX),
        },
    })
}

const NO_OPTIONS: SearchDocumentsOptions = SearchDocumentsOptions {
    root: None,
    path: None,
    case_sensitive: None,
    context_chars: None,
    max_results: None,
    limit: None,
    mode: None,
    extensions: None,
    cursor: None,
};

impl Request {
    fn parse(query: &str, options: &SearchDocumentsOptions) -> Result<Self, Error> {
        let query = query.trim();
        let length = query.chars().count();
        if !(1..=QUERY_CHARS).contains(&length) {
            return Err(refuse(
                ErrorCode::InvalidQuery,
                format!(
                    "`query` has {length} characters after trimming; expected 1 to {QUERY_CHARS}"
                ),
                "Search for a word or a phrase as it stands in the text.",
            ));
        }
        let within = |value: Option<u32>, default: u32, (least, most): (u32, u32)| {
            value.unwrap_or(default).clamp(least, most)
        };
        Ok(Self {
            query: query.to_owned(),
            case: match options.case_sensitive {
                Some(true) => Case::Sensitive,
                _ => Case::Ignored,
            },
            mode: options.mode.unwrap_or(SearchMode::Snippets),
            // Clamped and not refused: the answer says which numbers were used.
            settings: SearchSettings {
                context_chars: within(options.context_chars, CONTEXT_CHARS_DEFAULT, CONTEXT_CHARS),
                max_results: within(options.max_results, MAX_RESULTS_DEFAULT, MAX_RESULTS),
                limit: options
                    .limit
                    .map(|limit| limit.clamp(SEARCH_LIMIT.0, SEARCH_LIMIT.1)),
            },
            extensions: Extensions::parse(options.extensions.as_deref())?,
        })
    }

    /// Returns how many hits of a result the answer lists.
    fn hits_listed(&self, result: &SearchResult) -> u32 {
        match self.mode {
            SearchMode::TitlesOnly => 0,
            _ => result.match_count.min(self.settings.max_results),
        }
    }

    /// Returns the digest of what decides which hits there are, and in which order.
    fn fingerprint(&self, root: &str, path: &RelPath) -> Fingerprint {
        let case = match self.case {
            Case::Sensitive => "sensitive",
            Case::Ignored => "ignored",
        };
        Fingerprint::new("search-documents")
            .with(root)
            .with(path.as_str())
            .with(&self.query)
            .with(case)
            .with(&self.extensions.as_slice().join("."))
    }
}

fn search_file<T: Directory>(
    store: &mut Store,
    file: &File<T>,
    request: &Request,
) -> (PageDraft, Skips) {
    let mut page = PageDraft::default();
    let mut skips = Skips::default();
    let path = file.path.as_str();
    match file
        .parent
        .read(&file.name, Extent::Whole(DOCUMENT_BYTES), Stamps::Unwanted)
    {
        Err(denied) => skip(&mut skips, path, denied),
        Ok(content) => match store.decode(&file.name, &content.bytes) {
            Err(reason) => skips.add(path, reason),
            Ok(decoded) => {
                let finder = Finder::new(&request.query, request.case);
                page.count_document(content.bytes.len() as u64);
                page.results.extend(search_text(
                    path,
                    &file.name,
                    &decoded.text,
                    &finder,
                    request,
                ));
            }
        },
    }
    (page, skips)
}

fn skip(skips: &mut Skips, path: &str, denied: Denied) {
    // What is sensitive is not even counted.
    if let Denied::Failed(failure) = denied {
        skips.add(path, reason(failure));
    }
}

fn search_tree<T: Directory>(
    store: &mut Store,
    start: Start<T>,
    reach: Reach<'_>,
    request: &Request,
) -> Result<(PageDraft, Skips), Failure> {
    let finder = Finder::new(&request.query, request.case);
    // What the store knows of documents without a hit is of this query only.
    let memo = store.memo(finder.canonical(), request.case);
    let mut walk = Walk::begin(store, start, reach)?;
    let mut page = PageDraft::default();
    // The path of the document that this page ends behind.
    let mut last = String::new();
    let mut mark = walk.skips.mark();
    while let Some(found) = walk.advance() {
        if found == WalkStep::Directory {
            continue;
        }
        // The search comes last, for it alone opens the document.
        let is_over = !walk.admit()
            || page.is_full(request)
            || !page.search(&mut walk, &finder, memo, request);
        if is_over {
            // The document is the next page's: that one tells what was skipped on the way to it.
            walk.skips.rewind(mark);
            walk.end_page();
            page.next_after = Some(last);
            break;
        }
        mark = walk.skips.mark();
        last.clear();
        last.push_str(walk.path());
    }
    Ok((page, std::mem::take(&mut walk.skips)))
}

impl PageDraft {
    fn count_document(&mut self, bytes: u64) {
        self.documents_searched += 1;
        self.bytes_searched += bytes;
    }

    fn is_full(&self, request: &Request) -> bool {
        let limit = request.settings.limit;
        self.documents_searched == DOCUMENTS_PER_ANSWER
            || self.hits_listed >= HITS_PER_ANSWER
            || limit.is_some_and(|limit| self.results.len() >= limit as usize)
    }

    /// Searches the walk's current document, and returns whether its hits have room here;
    /// where they have not, it is as if it had not been searched.
    fn search<T: Directory>(
        &mut self,
        walk: &mut Walk<'_, T>,
        finder: &Finder,
        memo: MemoId,
        request: &Request,
    ) -> bool {
        let before = (self.documents_searched, self.bytes_searched);
        let result = search_document(walk, finder, memo, request, self);
        let hits = result
            .as_ref()
            .map_or(0, |result| request.hits_listed(result));
        // The next page begins with it: a cursor stands between documents, never within one.
        if self.hits_listed + hits > HITS_PER_ANSWER {
            (self.documents_searched, self.bytes_searched) = before;
            return false;
        }
        self.hits_listed += hits;
        self.results.extend(result);
        true
    }
}

/// Searches the walk's current document, in what the store knows of it as far as that
/// still holds.
fn search_document<T: Directory>(
    walk: &mut Walk<'_, T>,
    finder: &Finder,
    memo: MemoId,
    request: &Request,
    page: &mut PageDraft,
) -> Option<SearchResult> {
    if let Some((id, stamp)) = walk.stored_document()
        && walk.store.is_current(id, stamp)
    {
        let has_no_hit = walk.store.has_no_hit(memo, id);
        match walk.store.document(id).map(|document| &document.content) {
            // It was tried under the same stamp, and would fail again.
            Some(KnownContent::Unreadable(reason)) => {
                let reason = *reason;
                walk.skip(reason);
                return None;
            }
            Some(KnownContent::Readable(bytes) | KnownContent::Text(Text { bytes, .. }))
                if has_no_hit =>
            {
                page.count_document(*bytes);
                return None;
            }
            Some(KnownContent::Text(Text { text, bytes })) => {
                page.count_document(*bytes);
                let result = search_text(walk.path(), walk.name(), text, finder, request);
                if result.is_none() {
                    walk.store.set_no_hit(memo, id);
                }
                return result;
            }
            Some(KnownContent::Readable(_) | KnownContent::Nothing) | None => {}
        }
    }
    let content = match walk.read(Extent::Whole(DOCUMENT_BYTES)) {
        Ok(content) => content,
        Err(Denied::Failed(failure)) => {
            walk.skip(reason(failure));
            return None;
        }
        Err(Denied::Sensitive) => return None,
    };
    let id = walk.remember(content.stamp);
    // Where nothing is remembered, most documents need not even be decoded: ASCII is its own text.
    if id.is_none()
        && foreign::format(walk.name()).is_none()
        && is_plain_ascii(&content.bytes)
        && finder.is_absent_from_ascii(&content.bytes)
    {
        page.count_document(content.bytes.len() as u64);
        return None;
    }
    let decoded = match walk.decode(&content.bytes) {
        Ok(decoded) => decoded,
        Err(reason) => {
            // The stamp is that of these bytes: nobody need read them again to learn this.
            if let Some(id) = id {
                walk.store.set_unreadable(id, reason);
            }
            walk.skip(reason);
            return None;
        }
    };
    let bytes = content.bytes.len() as u64;
    page.count_document(bytes);
    let result = search_text(walk.path(), walk.name(), &decoded.text, finder, request);
    if let Some(id) = id {
        walk.store.set_text(id, &decoded.text, bytes);
        if result.is_none() {
            walk.store.set_no_hit(memo, id);
        }
    }
    result
}

/// Returns the hits in a document; none when there are none.
fn search_text(
    path: &str,
    name: &str,
    text: &str,
    finder: &Finder,
    request: &Request,
) -> Option<SearchResult> {
    // Front matter is not searched: `context_search` asks it by its fields.
    let body = if format::is_markdown(name) {
        front_matter::length(text)
    } else {
        0
    };
    let mut hits = finder
        .hits(&text[body..])
        .map(|hit| hit.start + body..hit.end + body)
        .peekable();
    // Most documents have none, and their name, sections and lines are never asked for.
    hits.peek()?;
    let most = request.settings.max_results as usize;
    let (match_count, matches) = match request.mode {
        SearchMode::TitlesOnly => (hits.count(), Vec::new()),
        SearchMode::Snippets => {
            let context = request.settings.context_chars;
            let mut lines = LineCounter::new(text);
            let matches: Vec<SearchMatch> = hits
                .by_ref()
                .take(most)
                .map(|hit| SearchMatch {
                    line: lines.line(hit.start),
                    excerpt: excerpt(text, body, &hit, context),
                    section: None,
                })
                .collect();
            // Excerpts are cut for those alone that are listed; the others are counted.
            (matches.len() + hits.count(), matches)
        }
        SearchMode::FullContext => whole_sections(name, text, hits, most),
    };
    Some(SearchResult {
        path: format!("/{path}"),
        name: headings::name(name, text),
        match_count: saturating_u32(match_count),
        matches,
    })
}

/// A section with hits in it.
struct SectionHits {
    /// Its index.
    section: usize,
    first_hit: Range<usize>,
    /// How many begin in it.
    hits: u32,
}

/// Returns how many hits there are, and each section that one of the first `most` begins in, once.
fn whole_sections(
    name: &str,
    text: &str,
    hits: impl Iterator<Item = Range<usize>>,
    most: usize,
) -> (usize, Vec<SearchMatch>) {
    let sections = sections(name, text);
    let mut listed: Vec<SectionHits> = Vec::new();
    let (mut number, mut current) = (0, 0);
    for hit in hits {
        // Hits ascend, so the sections are gone through once.
        while sections
            .get(current)
            .is_some_and(|section| section.span.end <= hit.start)
        {
            current += 1;
        }
        number += 1;
        // Only the first `most` hits list a section; later ones count where theirs is listed
        // already.
        match listed.last_mut() {
            Some(section) if section.section == current => section.hits += 1,
            _ if number <= most => listed.push(SectionHits {
                section: current,
                first_hit: hit,
                hits: 1,
            }),
            _ => {}
        }
    }
    // One for both: a part begins behind the end of the section before.
    let mut lines = LineCounter::new(text);
    let matches = listed.into_iter().filter_map(|section| {
        let Section { path, span, .. } = sections.get(section.section)?;
        let part = section_part(text, span, &section.first_hit);
        Some(SearchMatch {
            line: lines.line(part.start),
            excerpt: text[part.clone()].to_owned(),
            section: Some(MatchedSection {
                heading_path: path.clone(),
                // Of its last byte: the one behind it is in the next section.
                last_line: lines.line(span.end - 1),
                hits: section.hits,
                cut: part != *span,
            }),
        })
    });
    (number, matches.collect())
}

/// Returns what of a section is shown: all of it, or as much as the cap allows with the first hit
/// in it, from the beginning of a line.
fn section_part(text: &str, section: &Range<usize>, hit: &Range<usize>) -> Range<usize> {
    let end_from = |start: usize| {
        let rest = &text[start..section.end];
        rest.char_indices()
            .nth(SECTION_CHARS)
            .map_or(section.end, |(at, _)| start + at)
    };
    let end = end_from(section.start);
    if hit.end <= end {
        return section.start..end;
    }
    // A quarter of the cap before the hit, the rest behind it: what follows says more.
    let before = &text[section.start..hit.start];
    let quarter = before
        .char_indices()
        .rev()
        .nth(SECTION_CHARS / 4)
        .map_or(0, |(at, _)| at);
    let line = before[quarter..]
        .find('\n')
        .map_or(quarter, |at| quarter + at + 1);
    let start = section.start + line;
    start..end_from(start)
}
