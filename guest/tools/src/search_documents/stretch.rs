//! The search in a stretch of the tree: its documents in the order of their paths, each searched
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
use docent_tree::disk::{Directory, Disk, Failure};
use docent_tree::door::{Denied, Extent, Stamps};
use docent_tree::included::Inclusions;
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::locate::{File, Located, Start};
use docent_tree::path::RelPathRef;
use docent_tree::skips::{Skips, reason};

use super::clock::Clock;
use super::position::Position;
use super::request::Request;

/// Receiver of the documents with hits.
pub trait Sink {
    /// Result for one document.
    type Hits;

    /// Returns the result for a document whose text has these widths, or `None` if it has no hit.
    fn look(
        &self,
        path: RelPathRef<'_>,
        name: &str,
        text: &str,
        widths: Widths,
    ) -> Option<Self::Hits>;

    /// Takes the result, or returns false if there is no room, as if it had not been searched.
    fn take(&mut self, hits: Self::Hits) -> bool;

    /// Returns true if there is no room for any further document.
    fn is_full(&self, looked: Looked) -> bool;
}

/// Amount of documents and bytes searched.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looked {
    pub documents: u32,
    pub bytes: u64,
}

impl Looked {
    fn count(&mut self, bytes: u64) {
        self.documents = self.documents.saturating_add(1);
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// Outcome of searching a stretch.
#[derive(Default)]
pub struct Outcome {
    pub looked: Looked,
    pub skips: Skips,
    /// Path after which the next stretch begins, or `None` at the end.
    pub end: Option<String>,
}

/// The query in the form used by the walk.
struct Sought<'a> {
    finder: &'a Finder,
    /// Id of the store's memo of documents without a hit, for this query only.
    memo: MemoId,
}

/// Searches from `from` to the end of its stretch, and passes documents with hits to `sink`.
///
/// # Errors
/// Any error of the disk if the start cannot be listed.
pub fn search<D: Disk, S: Sink>(
    corpus: &mut Corpus<D>,
    located: Located<D::Directory>,
    request: &Request,
    finder: &Finder,
    from: &Position,
    end_ms: u64,
    sink: &mut S,
) -> Result<Outcome, Failure> {
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
    let reach = WalkOptions {
        is_document: &|name| request.extensions.has(name),
        exclude,
        included: Inclusions::default(),
        depth: usize::MAX,
        after: from.after.as_deref(),
    };
    let until = from
        .listed
        .as_ref()
        .and_then(|listed| listed.until.as_deref());
    let memo = store.memo(finder.canonical(), request.case);
    let sought = Sought { finder, memo };
    search_tree(store, start, reach, until, &sought, &mut clock, sink)
}

fn search_tree<T: Directory, S: Sink>(
    store: &mut Store,
    start: Start<T>,
    reach: WalkOptions<'_>,
    until: Option<&str>,
    sought: &Sought<'_>,
    clock: &mut Clock<'_>,
    sink: &mut S,
) -> Result<Outcome, Failure> {
    // The path at which this stretch ends.
    let mut last = reach.after.unwrap_or_default().to_owned();
    let mut walk = Walk::begin(store, start, reach)?;
    let mut looked = Looked::default();
    let mut mark = walk.skips.mark();
    let (mut is_over, mut end) = (false, None);
    while let Some(step) = walk.advance() {
        let is_document = step == WalkStep::Document;
        let bytes = looked.bytes;
        let is_behind = until.is_some_and(|until| is_behind(walk.path(), step, until));
        // The search comes last, since only it opens the document.
        if is_behind
            || is_over
            || sink.is_full(looked)
            || is_document
                && (!walk.admit() || !search_document(&mut walk, sought, &mut looked, sink))
        {
            // Entries skipped before the next page are reported by that page.
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
        let is_slow = is_document && foreign::format(walk.name()).is_some();
        is_over = clock.is_over_after(looked.bytes - bytes, is_slow);
    }
    Ok(Outcome {
        looked,
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
fn search_document<T: Directory, S: Sink>(
    walk: &mut Walk<'_, T>,
    sought: &Sought<'_>,
    looked: &mut Looked,
    sink: &mut S,
) -> bool {
    let before = *looked;
    let hits = hits_of(walk, sought, looked, sink);
    let has_room = hits.is_none_or(|hits| sink.take(hits));
    if !has_room {
        *looked = before;
    }
    has_room
}

/// Searches the walk's current document, using the cached result if it is still valid.
fn hits_of<T: Directory, S: Sink>(
    walk: &mut Walk<'_, T>,
    sought: &Sought<'_>,
    looked: &mut Looked,
    sink: &S,
) -> Option<S::Hits> {
    let Sought { finder, memo } = *sought;
    if let Some(id) = walk.current_document() {
        let has_no_hit = walk.store.has_no_hit(memo, id);
        match walk.store.document(id).map(|document| &document.content) {
            // It failed under the same stamp, and would fail again.
            Some(KnownContent::Unreadable(reason)) => {
                let reason = *reason;
                walk.leave_out(reason);
                return None;
            }
            Some(KnownContent::Readable(bytes) | KnownContent::Text(Text { bytes, .. }))
                if has_no_hit =>
            {
                looked.count(*bytes);
                return None;
            }
            Some(KnownContent::Text(Text {
                text,
                bytes,
                widths,
            })) => {
                looked.count(*bytes);
                let result = sink.look(walk.rel_path(), walk.name(), text, *widths);
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
    // Without a cache most documents need not even be decoded: ASCII is its own text.
    if id.is_none()
        && foreign::format(walk.name()).is_none()
        && is_plain_ascii(&content.bytes)
        && finder.is_absent_from_ascii(&content.bytes)
    {
        looked.count(content.bytes.len() as u64);
        return None;
    }
    let decoded = match walk.decode(id, &content.bytes) {
        Ok(decoded) => decoded,
        Err(reason) => {
            // The stamp is that of these bytes, so they need not be read again to detect this.
            if let Some(id) = id {
                walk.store.set_unreadable(id, reason);
            }
            walk.leave_out(reason);
            return None;
        }
    };
    let bytes = content.bytes.len() as u64;
    looked.count(bytes);
    // Only if it is cached: the finder stops as early as possible.
    let widths = id.map_or(Widths::Mixed, |_| Widths::from_text(&decoded.text));
    let result = sink.look(walk.rel_path(), walk.name(), &decoded.text, widths);
    if let Some(id) = id {
        walk.store.set_text(id, &decoded.text, widths, bytes);
        if result.is_none() {
            walk.store.set_no_hit(memo, id);
        }
    }
    result
}

fn search_file<T: Directory, S: Sink>(store: &mut Store, file: &File<T>, sink: &mut S) -> Outcome {
    let mut outcome = Outcome::default();
    let path = file.path.as_str();
    match file
        .parent
        .read(&file.name, Extent::Whole(DOCUMENT_BYTES), Stamps::Unwanted)
    {
        Err(denied) => skip(&mut outcome.skips, path, denied),
        Ok(content) => match store.decode(&file.name, &content.bytes) {
            Err(reason) => outcome.skips.add(path, reason),
            Ok(decoded) => {
                outcome.looked.count(content.bytes.len() as u64);
                if !decoded.replaced.is_empty() {
                    outcome.skips.add(path, SkipReason::ReplacedBytes);
                }
                let hits = sink.look(
                    file.path.borrowed(),
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
