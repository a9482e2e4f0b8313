//! The search in a range of the tree: its documents in the order of their paths, each searched
//! unless it is known to have no hit.

use docent_api::types::SkipReason;
use docent_corpus::corpus::Corpus;
use docent_corpus::foreign;
use docent_corpus::store::{KnownContent, MemoId, Store, Text};
use docent_corpus::visit::read_current_content;
use docent_corpus::walk::{Walk, WalkOptions, WalkStep};
use docent_text::decode::is_plain_ascii;
use docent_text::matching::finder::Finder;
use docent_text::width::Widths;
use docent_tree::archive::EnteredContainers;
use docent_tree::disk::{Directory, Disk, Failure};
use docent_tree::door::{Denied, Extent, Stamps};
use docent_tree::included::Inclusions;
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::locate::{File, Located, WalkStart};
use docent_tree::path::RelPathRef;
use docent_tree::skips::{Skips, reason};

use super::clock::Clock;
use super::position::SearchPosition;
use super::request::SearchRequest;

/// Receiver of the documents with hits.
pub trait HitSink {
    /// Result for one document.
    type Hits;

    /// Returns the result for a document whose text has these widths, or `None` if it has no hit.
    fn search(
        &self,
        path: RelPathRef<'_>,
        name: &str,
        text: &str,
        widths: Widths,
    ) -> Option<Self::Hits>;

    /// Takes the result, or returns false if there is no room, as if it had not been searched.
    fn take(&mut self, hits: Self::Hits) -> bool;

    /// Returns true if there is no room for any further document.
    fn is_full(&self, amount: ScanAmount) -> bool;
}

/// Amount of documents and bytes searched.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScanAmount {
    pub documents: u32,
    pub bytes: u64,
}

impl ScanAmount {
    fn count(&mut self, bytes: u64) {
        self.documents = self.documents.saturating_add(1);
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// Outcome of searching a range.
#[derive(Default)]
pub struct ScanOutcome {
    pub amount: ScanAmount,
    pub skips: Skips,
    /// Path after which the next range begins, or `None` at the end.
    pub end: Option<String>,
}

/// The query in the form used by the walk.
struct ScanQuery<'a> {
    finder: &'a Finder,
    /// Id of the store's memo of documents without a hit, for this query only.
    memo: MemoId,
}

/// Searches from `from` to the end of its range, and passes documents with hits to `sink`.
///
/// # Errors
/// Any error of the disk if the start cannot be listed.
pub fn search<D: Disk, S: HitSink>(
    corpus: &mut Corpus<D>,
    located: Located<D::Directory>,
    request: &SearchRequest,
    finder: &Finder,
    from: &SearchPosition,
    end_ms: u64,
    sink: &mut S,
) -> Result<ScanOutcome, Failure> {
    let Corpus {
        disk,
        store,
        exclude,
        ..
    } = corpus;
    // A file that is named is searched whatever its extension: the caller knows its kind.
    let start = match located {
        Located::Directory(start) => start,
        Located::File(file) => return Ok(search_file(store, &file, sink)),
    };
    let now_ms = || disk.monotonic_ms();
    let mut clock = Clock::new(&now_ms, end_ms);
    let options = WalkOptions {
        is_document: &|name| request.extensions.has(name),
        exclude,
        included: Inclusions::default(),
        depth: usize::MAX,
        containers: EnteredContainers::All,
        after: from.after.as_deref(),
    };
    let until = from
        .listed
        .as_ref()
        .and_then(|listed| listed.until.as_deref());
    let memo = store.memo(finder.canonical(), request.case);
    let query = ScanQuery { finder, memo };
    search_tree(store, start, options, until, &query, &mut clock, sink)
}

fn search_tree<T: Directory, S: HitSink>(
    store: &mut Store,
    start: WalkStart<T>,
    options: WalkOptions<'_>,
    until: Option<&str>,
    query: &ScanQuery<'_>,
    clock: &mut Clock<'_>,
    sink: &mut S,
) -> Result<ScanOutcome, Failure> {
    // The path at which this range ends.
    let mut last = options.after.unwrap_or_default().to_owned();
    let mut walk = Walk::begin(store, start, options)?;
    let mut amount = ScanAmount::default();
    let mut mark = walk.skips.mark();
    let (mut is_over, mut end) = (false, None);
    while let Some(step) = walk.advance() {
        let is_document = step == WalkStep::Document;
        let bytes = amount.bytes;
        let is_behind = until.is_some_and(|until| is_behind(walk.path(), step, until));
        // The order of the conditions matters: only the last one opens the document, and a page
        // that is full or out of time must not read a file that the next page reads anyway.
        if is_behind
            || is_over
            || sink.is_full(amount)
            || is_document
                && (!walk.admit() || !search_document(&mut walk, query, &mut amount, sink))
        {
            // The walk has moved on to the first entry of the next page, and may have skipped
            // others before it, such as an unreadable directory. The next page begins after
            // `last`, so it meets these entries again and reports them; without the rewind both
            // pages would.
            walk.skips.rewind(mark);
            walk.end_page();
            end = Some(until.filter(|_| is_behind).map_or(last, str::to_owned));
            break;
        }
        mark = walk.skips.mark();
        last.clear();
        last.push_str(walk.path());
        if !is_document {
            last.push('/');
        }
        let is_slow = is_document && foreign::extension(walk.name()).is_some();
        is_over = clock.is_over_after(amount.bytes - bytes, is_slow);
    }
    Ok(ScanOutcome {
        amount,
        skips: std::mem::take(&mut walk.skips),
        end,
    })
}

/// Returns true if an entry comes after the place `until` in the order of a walk, in which the name
/// of a directory has a trailing `/`.
fn is_behind(path: &str, step: WalkStep, until: &str) -> bool {
    let slash: &[u8] = match step {
        WalkStep::Directory => b"/",
        WalkStep::Document => b"",
    };
    path.bytes().chain(slash.iter().copied()).gt(until.bytes())
}

/// Searches the walk's current document, and returns true if its hits fit.
fn search_document<T: Directory, S: HitSink>(
    walk: &mut Walk<'_, T>,
    query: &ScanQuery<'_>,
    amount: &mut ScanAmount,
    sink: &mut S,
) -> bool {
    let before = *amount;
    let hits = find_hits(walk, query, amount, sink);
    let has_room = hits.is_none_or(|hits| sink.take(hits));
    if !has_room {
        *amount = before;
    }
    has_room
}

/// Searches the walk's current document, using the cached result if it is still valid.
fn find_hits<T: Directory, S: HitSink>(
    walk: &mut Walk<'_, T>,
    query: &ScanQuery<'_>,
    amount: &mut ScanAmount,
    sink: &S,
) -> Option<S::Hits> {
    let ScanQuery { finder, memo } = *query;
    if let Some(id) = walk.current_document() {
        let has_no_hit = walk.store.has_no_hit(memo, id);
        match walk.store.document(id).map(|document| &document.content) {
            // Reading failed under the same stamp, and would fail again.
            Some(KnownContent::Unreadable(reason)) => {
                let reason = *reason;
                walk.leave_out(reason);
                return None;
            }
            Some(KnownContent::Readable(bytes) | KnownContent::Text(Text { bytes, .. }))
                if has_no_hit =>
            {
                amount.count(*bytes);
                return None;
            }
            Some(KnownContent::Text(Text {
                text,
                bytes,
                widths,
            })) => {
                amount.count(*bytes);
                let result = sink.search(walk.rel_path(), walk.name(), text, *widths);
                if result.is_none() {
                    walk.store.set_no_hit(memo, id);
                }
                return result;
            }
            Some(KnownContent::Readable(_) | KnownContent::Nothing) | None => {}
        }
    }
    let content = match read_current_content(walk) {
        Ok(content) => content?,
        Err(reason) => {
            walk.leave_out(reason);
            return None;
        }
    };
    let id = walk.remember(content.stamp);
    // ASCII is its own text, so bytes without a hit need not be decoded. With a cache they are
    // decoded all the same, since the text, or the fact that it has no hit, is kept for the
    // next search.
    if id.is_none()
        && foreign::extension(walk.name()).is_none()
        && is_plain_ascii(&content.bytes)
        && finder.is_absent_from_ascii(&content.bytes)
    {
        amount.count(content.bytes.len() as u64);
        return None;
    }
    let decoded = match walk.decode(id, &content.bytes) {
        Ok(decoded) => decoded,
        Err(reason) => {
            // The stamp is that of these bytes: as long as it is current, they need not be read
            // again to fail.
            if let Some(id) = id {
                walk.store.set_unreadable(id, reason);
            }
            walk.leave_out(reason);
            return None;
        }
    };
    let bytes = content.bytes.len() as u64;
    amount.count(bytes);
    // Only if it is cached: the finder stops as early as possible.
    let widths = id.map_or(Widths::Mixed, |_| Widths::from_text(&decoded.text));
    let result = sink.search(walk.rel_path(), walk.name(), &decoded.text, widths);
    if let Some(id) = id {
        walk.store.set_text(id, &decoded.text, widths, bytes);
        if result.is_none() {
            walk.store.set_no_hit(memo, id);
        }
    }
    result
}

fn search_file<T: Directory, S: HitSink>(
    store: &mut Store,
    file: &File<T>,
    sink: &mut S,
) -> ScanOutcome {
    let mut outcome = ScanOutcome::default();
    let path = file.path.as_str();
    match file
        .parent
        .read(&file.name, Extent::Whole(DOCUMENT_BYTES), Stamps::Unwanted)
    {
        Err(denied) => skip(&mut outcome.skips, path, denied),
        Ok(content) => match store.decode(&file.name, &content.bytes) {
            Err(reason) => outcome.skips.add(path, reason),
            Ok(decoded) => {
                outcome.amount.count(content.bytes.len() as u64);
                if !decoded.replaced.is_empty() {
                    outcome.skips.add(path, SkipReason::ReplacedBytes);
                }
                let hits = sink.search(
                    file.path.as_borrowed(),
                    &file.name,
                    &decoded.text,
                    Widths::Mixed,
                );
                // One document has room always.
                if let Some(hits) = hits {
                    sink.take(hits);
                }
            }
        },
    }
    outcome
}

fn skip(skips: &mut Skips, path: &str, denied: Denied) {
    // Sensitive files are not even counted.
    if let Denied::Failed(failure) = denied {
        skips.add(path, reason(failure));
    }
}
