//! What the tools over many documents do with each of them.

use std::rc::Rc;

use docent_api::types::{Error, SkipReason};

use crate::corpus::Corpus;
use crate::extensions::{Extensions, is_of_known_kind};
use crate::facts::Facts;
use crate::store::{DocumentId, KnownContent, MemoId, Store, Text};
use crate::walk::{Reach, Walk, WalkStep};
use docent_rank::bm25::Query;
use docent_rank::statistics::Statistics;
use docent_rank::term_counts::TermCounts;
use docent_text::decode::is_binary;
use docent_text::limits::BINARY_PROBE_BYTES;
use docent_text::patience::Pace;
use docent_text::width::Widths;
use docent_tree::disk::{Directory, Disk, Metadata};
use docent_tree::door::{Content, Denied, Extent, Stamps};
use docent_tree::included::Included;
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::locate::{File, Located, TargetKind};
use docent_tree::path::{RelPath, RelPathRef};
use docent_tree::refusal::unavailable;
use docent_tree::skips::{Skips, reason};

/// Who goes through documents.
pub trait Visit {
    /// Takes a document that was asked for by its own path.
    ///
    /// # Errors
    /// What is to be told of it in `skipped`.
    fn text(
        &mut self,
        path: RelPathRef<'_>,
        text: &str,
        file: Option<Metadata>,
    ) -> Result<(), SkipReason>;

    /// Takes the walk's current document.
    ///
    /// # Errors
    /// What is to be told of it in `skipped`.
    fn found<T: Directory>(&mut self, walk: &mut Walk<'_, T>) -> Result<(), SkipReason>;
}

impl<D: Disk> Corpus<D> {
    /// Gives every document at or below `path` to a visitor, in the order of their paths, and
    /// returns what was skipped.
    ///
    /// # Errors
    /// Those of [`Corpus::locate`].
    pub fn visit(
        &mut self,
        root: usize,
        path: &RelPath,
        visitor: &mut impl Visit,
    ) -> Result<Skips, Error> {
        let start = match self.locate(root, path, TargetKind::Any)? {
            Located::Directory(start) => start,
            Located::File(file) => {
                let shown = file.path.as_str();
                let extent = Extent::Whole(DOCUMENT_BYTES);
                let mut has_replaced_bytes = false;
                let taken = match file.parent.read(&file.name, extent, Stamps::Unwanted) {
                    Err(Denied::Failed(failure)) => Err(reason(failure)),
                    // What is sensitive is not even told as skipped.
                    Err(Denied::Sensitive) => Ok(()),
                    Ok(content) => {
                        self.store
                            .decode(&file.name, &content.bytes)
                            .and_then(|decoded| {
                                has_replaced_bytes = !decoded.replaced.is_empty();
                                let metadata = file.parent.metadata(&file.name).ok();
                                visitor.text(file.path.borrowed(), &decoded.text, metadata)
                            })
                    }
                };
                let mut skips = Skips::default();
                if has_replaced_bytes {
                    skips.add(shown, SkipReason::ReplacedBytes);
                }
                if let Err(reason) = taken {
                    skips.add(shown, reason);
                }
                return Ok(skips);
            }
        };
        let extensions = Extensions::searched();
        let reach = Reach {
            is_document: &|name| extensions.has(name),
            exclude: &self.exclude,
            // The walk has a limit of its own, and tells what lies below it.
            included: Included::default(),
            depth: usize::MAX,
            after: None,
        };
        let mut walk = Walk::begin(&mut self.store, start, reach)
            .map_err(|failure| unavailable(path, failure))?;
        while let Some(found) = walk.advance() {
            if found == WalkStep::Directory {
                continue;
            }
            // What is over the limit is told by name, so that a narrower path can reach it.
            let taken = if walk.admit() {
                visitor.found(&mut walk)
            } else {
                Err(SkipReason::TooMany)
            };
            if let Err(reason) = taken {
                walk.leave_out(reason);
            }
        }
        Ok(std::mem::take(&mut walk.skips))
    }
}

/// Reads the walk's current document, and gives the walk, what the store may keep of it
/// under, its text and its length in bytes; nothing where it is sensitive.
///
/// # Errors
/// Why it cannot be read.
pub fn read_found<'a, T: Directory>(
    walk: &mut Walk<'a, T>,
    take: impl FnOnce(&mut Walk<'a, T>, Option<DocumentId>, &str, u64) -> Result<(), SkipReason>,
) -> Result<(), SkipReason> {
    let Some(content) = content_of(walk)? else {
        return Ok(());
    };
    // Also what turns out to be unreadable: it is not opened again until it changes.
    let id = walk.remember(content.stamp);
    match walk.decode(id, &content.bytes) {
        Ok(decoded) => take(walk, id, &decoded.text, content.bytes.len() as u64),
        Err(reason) => {
            if let Some(id) = id {
                walk.store.set_unreadable(id, reason);
            }
            Err(reason)
        }
    }
}

/// Gives the text of the walk's current file, whatever its name, from the store as far as that
/// knows; nothing where it is sensitive.
///
/// # Errors
/// Why it cannot be read.
pub fn text_of<T: Directory>(
    walk: &mut Walk<'_, T>,
    take: impl FnOnce(&str),
) -> Result<(), SkipReason> {
    if let Some((id, stamp)) = walk.stored_document()
        && walk.store.is_current(id, stamp)
    {
        match walk.store.document(id).map(|document| &document.content) {
            Some(KnownContent::Unreadable(reason)) => return Err(*reason),
            Some(KnownContent::Text(Text { text, .. })) => {
                take(text);
                return Ok(());
            }
            Some(KnownContent::Readable(_) | KnownContent::Nothing) | None => {}
        }
    }
    read_found(walk, |_, _, text, _| {
        take(text);
        Ok(())
    })
}

/// Gives the text of the walk's current file, whatever its name, to who looks for something in it
/// and returns whether it is there; nothing where the file is sensitive, and none where the store
/// knows that this text does not hold what `memo` stands for. The text is kept for the next search.
///
/// # Errors
/// Why it cannot be read, and what `look` returns.
pub fn searched_text<T: Directory>(
    walk: &mut Walk<'_, T>,
    memo: MemoId,
    look: impl FnOnce(&str) -> Result<bool, SkipReason>,
) -> Result<(), SkipReason> {
    if let Some(id) = walk.current_document() {
        let has_no_hit = walk.store.has_no_hit(memo, id);
        match walk.store.document(id).map(|document| &document.content) {
            Some(KnownContent::Unreadable(reason)) => return Err(*reason),
            Some(KnownContent::Readable(_) | KnownContent::Text(_)) if has_no_hit => return Ok(()),
            Some(KnownContent::Text(Text { text, .. })) => {
                if !look(text)? {
                    walk.store.set_no_hit(memo, id);
                }
                return Ok(());
            }
            Some(KnownContent::Readable(_) | KnownContent::Nothing) | None => {}
        }
    }
    let mut looked = Ok(());
    read_found(walk, |walk, id, text, bytes| {
        let held = look(text);
        if let Some(id) = id {
            walk.store.set_text(id, text, Widths::of(text), bytes);
            if held == Ok(false) {
                walk.store.set_no_hit(memo, id);
            }
        }
        looked = held.map(|_| ());
        Ok(())
    })?;
    looked
}

/// Returns the text of a file that is asked for by its own path; none where it is sensitive.
///
/// # Errors
/// Why it cannot be read.
pub fn text_of_named<T: Directory>(
    store: &mut Store,
    file: &File<T>,
) -> Result<Option<String>, SkipReason> {
    let extent = Extent::Whole(DOCUMENT_BYTES);
    let content = match file.parent.read(&file.name, extent, Stamps::Unwanted) {
        Ok(content) => content,
        Err(Denied::Failed(failure)) => return Err(reason(failure)),
        Err(Denied::Sensitive) => return Ok(None),
    };
    let decoded = store.decode(&file.name, &content.bytes)?;
    Ok(Some(decoded.text.into_owned()))
}

/// Returns all bytes of the walk's current file; none where it is sensitive. Where its name does not
/// tell what it is, its first bytes are looked at before the others are read: most of what is not
/// text says so there.
///
/// # Errors
/// `binary`, and why it cannot be read.
pub fn content_of<T: Directory>(walk: &mut Walk<'_, T>) -> Result<Option<Content>, SkipReason> {
    if !is_of_known_kind(walk.name()) {
        if let Some((id, stamp)) = walk.stored_document()
            && walk.store.is_current(id, stamp)
            && let Some(KnownContent::Unreadable(reason)) =
                walk.store.document(id).map(|document| &document.content)
        {
            return Err(*reason);
        }
        let Some(head) = read(walk, Extent::Head(BINARY_PROBE_BYTES))? else {
            return Ok(None);
        };
        if is_binary(&head.bytes) {
            // The stamp is that of these bytes: nobody need read them again to learn this.
            if let Some(id) = walk.remember(head.stamp) {
                walk.store.set_unreadable(id, SkipReason::Binary);
            }
            return Err(SkipReason::Binary);
        }
        // Most such files are short, and that was all.
        if head.bytes.len() < BINARY_PROBE_BYTES {
            return Ok(Some(head));
        }
    }
    read(walk, Extent::Whole(DOCUMENT_BYTES))
}

fn read<T: Directory>(walk: &Walk<'_, T>, extent: Extent) -> Result<Option<Content>, SkipReason> {
    match walk.read(extent) {
        Ok(content) => Ok(Some(content)),
        Err(Denied::Failed(failure)) => Err(reason(failure)),
        Err(Denied::Sensitive) => Ok(None),
    }
}

/// Returns how often the walk's current document holds the terms of `query`, from what the store
/// knows as far as that still holds; none where the document is sensitive.
///
/// # Errors
/// Why it cannot be read; `too-slow` when the time is over.
pub fn term_counts_of<T: Directory>(
    walk: &mut Walk<'_, T>,
    query: &Query,
    pace: &mut Pace<'_>,
) -> Result<Option<TermCounts>, SkipReason> {
    if query.is_symbols() {
        // What is kept of a document are its words.
        let mut counts = None;
        read_found(walk, |_, _, text, _| {
            counts = Some(TermCounts::of_symbols(text, query, pace).ok_or(SkipReason::TooSlow)?);
            Ok(())
        })?;
        return Ok(counts);
    }
    if let Some(id) = walk.current_document() {
        // From the cheapest to the dearest: the counts of this very query, the terms of the
        // document, its text, and below its bytes.
        let counts = walk.store.for_query(query).get(id).cloned();
        if counts.is_some() {
            return Ok(counts);
        }
        if let Some(statistics) = known_statistics(walk, id, pace)? {
            let counts = TermCounts::new(&statistics, query);
            walk.store.for_same_query().set(id, &counts);
            return Ok(Some(counts));
        }
    }
    let mut read = None;
    read_found(walk, |walk, id, text, _| {
        let statistics = Statistics::within(walk.path(), text, pace);
        let statistics = Rc::new(statistics.ok_or(SkipReason::TooSlow)?);
        let counts = TermCounts::new(&statistics, query);
        if let Some(id) = id {
            // The terms and not the text, of which they take a quarter: a question needs no more.
            walk.store.set_statistics(id, &statistics);
            walk.store.for_query(query).set(id, &counts);
        }
        read = Some(counts);
        Ok(())
    })?;
    Ok(read)
}

/// Returns what the walk's current file says of itself, from the store as far as that still holds;
/// none where the file is sensitive.
///
/// # Errors
/// Why it cannot be read.
pub fn facts_of<T: Directory>(walk: &mut Walk<'_, T>) -> Result<Option<Rc<Facts>>, SkipReason> {
    if let Some(id) = walk.current_document() {
        if let Some(facts) = walk.store.facts(id) {
            return Ok(Some(facts));
        }
        match walk.store.document(id).map(|document| &document.content) {
            Some(KnownContent::Unreadable(reason)) => return Err(*reason),
            Some(KnownContent::Text(Text { text, .. })) => {
                let facts = Rc::new(Facts::of(walk.path(), text));
                walk.store.set_facts(id, &facts);
                return Ok(Some(facts));
            }
            _ => {}
        }
    }
    let mut read = None;
    read_found(walk, |walk, id, text, _| {
        let facts = Rc::new(Facts::of(walk.path(), text));
        if let Some(id) = id {
            walk.store.set_facts(id, &facts);
        }
        read = Some(facts);
        Ok(())
    })?;
    Ok(read)
}

/// Returns the terms of a document that the store knows to be as it was, from its text where that
/// is all that is kept; none where nothing is.
fn known_statistics<T: Directory>(
    walk: &mut Walk<'_, T>,
    id: DocumentId,
    pace: &mut Pace<'_>,
) -> Result<Option<Rc<Statistics>>, SkipReason> {
    if let Some(statistics) = walk.store.statistics(id) {
        return Ok(Some(statistics));
    }
    match walk.store.document(id).map(|document| &document.content) {
        Some(KnownContent::Unreadable(reason)) => Err(*reason),
        Some(KnownContent::Text(Text { text, .. })) => {
            let statistics = Statistics::within(walk.path(), text, pace);
            let statistics = Rc::new(statistics.ok_or(SkipReason::TooSlow)?);
            walk.store.set_statistics(id, &statistics);
            Ok(Some(statistics))
        }
        Some(KnownContent::Readable(_) | KnownContent::Nothing) | None => Ok(None),
    }
}
