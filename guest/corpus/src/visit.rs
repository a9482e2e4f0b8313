//! Visits of documents: the per-document steps that tools over many documents share.

use std::rc::Rc;

use docent_api::types::{Error, SkipReason};

use crate::corpus::Corpus;
use crate::extensions::{Extensions, is_of_known_kind};
use crate::foreign;
use crate::store::{DocumentId, KnownContent, MemoId, Store, Text};
use crate::summary::FileSummary;
use crate::walk::{Walk, WalkOptions, WalkStep};
use docent_rank::bm25::Bm25Query;
use docent_rank::statistics::Statistics;
use docent_rank::term_counts::TermCounts;
use docent_text::decode::{is_binary, is_plain_ascii};
use docent_text::limits::BINARY_PROBE_BYTES;
use docent_text::time_budget::TimeBudget;
use docent_text::width::Widths;
use docent_tree::archive::EnteredContainers;
use docent_tree::disk::{Directory, Disk, Metadata};
use docent_tree::door::{Content, Denied, Extent, Stamps};
use docent_tree::included::Inclusions;
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::locate::{File, Located, TargetKind};
use docent_tree::path::{RelPath, RelPathRef};
use docent_tree::refusal::unavailable;
use docent_tree::skips::{Skips, reason};

/// A visitor of documents.
pub trait Visit {
    /// Visits a document requested by its own path.
    ///
    /// # Errors
    /// The reason to report in `skipped`.
    fn visit_named(
        &mut self,
        path: RelPathRef<'_>,
        text: &str,
        file: Option<Metadata>,
    ) -> Result<(), SkipReason>;

    /// Visits the walk's current document.
    ///
    /// # Errors
    /// The reason to report in `skipped`.
    fn visit_current<T: Directory>(&mut self, walk: &mut Walk<'_, T>) -> Result<(), SkipReason>;
}

impl<D: Disk> Corpus<D> {
    /// Visits every document at or below `path`, in the order of their paths, and returns the
    /// skipped entries.
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
                    // A sensitive file is not even reported as skipped: the report would name it,
                    // while an answer must not tell that such a file exists.
                    Err(Denied::Sensitive) => Ok(()),
                    Ok(content) => {
                        self.store
                            .decode(&file.name, &content.bytes)
                            .and_then(|decoded| {
                                has_replaced_bytes = !decoded.replaced.is_empty();
                                let metadata = file.parent.metadata(&file.name).ok();
                                visitor.visit_named(
                                    file.path.as_borrowed(),
                                    &decoded.text,
                                    metadata,
                                )
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
        let extensions = Extensions::searchable();
        let options = WalkOptions {
            is_document: &|name| extensions.has(name),
            exclude: &self.exclude,
            included: Inclusions::default(),
            // The walk has a maximum depth of its own and reports the entries beyond it. Entries
            // beyond a depth that is set here would be omitted without a report.
            depth: usize::MAX,
            containers: EnteredContainers::All,
            after: None,
        };
        let mut walk = Walk::begin(&mut self.store, start, options)
            .map_err(|failure| unavailable(path, failure))?;
        while let Some(found) = walk.advance() {
            if found == WalkStep::Directory {
                continue;
            }
            // A document over the limit is reported by name, so that a request with a narrower path
            // can reach it.
            let taken = if walk.admit() {
                visitor.visit_current(&mut walk)
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

/// Reads the walk's current document and calls `take` with the walk, the id under which the store
/// may cache it, its text and its length in bytes; does nothing if it is sensitive.
///
/// # Errors
/// The reason that it cannot be read.
pub fn read_current<'a, T: Directory>(
    walk: &mut Walk<'a, T>,
    take: impl FnOnce(&mut Walk<'a, T>, Option<DocumentId>, &str, u64) -> Result<(), SkipReason>,
) -> Result<(), SkipReason> {
    let Some(content) = read_current_content(walk)? else {
        return Ok(());
    };
    // Unreadable documents are stored too: they are not opened again until they change.
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

/// Calls `take` with the text of the walk's current file of any name, from the cache if possible;
/// does nothing if it is sensitive.
///
/// # Errors
/// The reason that it cannot be read.
pub fn with_current_text<T: Directory>(
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
    read_current(walk, |_, _, text, _| {
        take(text);
        Ok(())
    })
}

/// Searches the text of the walk's current file of any name with `look`, which returns true if
/// there is a hit. Does nothing if the file is sensitive, if the store knows that this text has no
/// hit for `memo`, or if nothing is cached and `is_absent` says of a text of ASCII that it has
/// none. The text is cached for the next search.
///
/// # Errors
/// The reason that it cannot be read, and those of `look`.
pub fn search_current_text<T: Directory>(
    walk: &mut Walk<'_, T>,
    memo: MemoId,
    is_absent: impl FnOnce(&[u8]) -> bool,
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
    let Some(content) = read_current_content(walk)? else {
        return Ok(());
    };
    // Unreadable documents are stored too: they are not opened again until they change.
    let id = walk.remember(content.stamp);
    // Without a cache, the decoded text would be dropped after the search. ASCII is its own text,
    // so that its bytes can be searched before they are decoded, and most documents without a hit
    // end here. With a cache the text is decoded anyway, to be stored for the next search.
    if id.is_none()
        && foreign::extension(walk.name()).is_none()
        && is_plain_ascii(&content.bytes)
        && is_absent(&content.bytes)
    {
        return Ok(());
    }
    let decoded = match walk.decode(id, &content.bytes) {
        Ok(decoded) => decoded,
        Err(reason) => {
            if let Some(id) = id {
                walk.store.set_unreadable(id, reason);
            }
            return Err(reason);
        }
    };
    let text = &*decoded.text;
    let held = look(text);
    if let Some(id) = id {
        let bytes = content.bytes.len() as u64;
        walk.store
            .set_text(id, text, Widths::from_text(text), bytes);
        if held == Ok(false) {
            walk.store.set_no_hit(memo, id);
        }
    }
    held.map(|_| ())
}

/// Returns the text of a file requested by its own path, or `None` if it is sensitive.
///
/// # Errors
/// The reason that it cannot be read.
pub fn read_named_text<T: Directory>(
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

/// Returns the content of the walk's current file, or `None` if it is sensitive. If its name does
/// not determine its kind, its first bytes are examined before the rest is read: most binary files
/// are recognized by them.
///
/// # Errors
/// `binary`, and the reason that it cannot be read.
pub fn read_current_content<T: Directory>(
    walk: &mut Walk<'_, T>,
) -> Result<Option<Content>, SkipReason> {
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
            // The stamp was taken before the first bytes were read, and is valid for this verdict:
            // as long as it does not change, the file is not opened again to learn that it is
            // binary.
            if let Some(id) = walk.remember(head.stamp) {
                walk.store.set_unreadable(id, SkipReason::Binary);
            }
            return Err(SkipReason::Binary);
        }
        // A result shorter than the probe is the whole file: most files of unknown kinds are short,
        // and need no second read.
        if head.bytes.len() < BINARY_PROBE_BYTES {
            return Ok(Some(head));
        }
    }
    read(walk, Extent::Whole(DOCUMENT_BYTES))
}

fn read<T: Directory>(
    walk: &mut Walk<'_, T>,
    extent: Extent,
) -> Result<Option<Content>, SkipReason> {
    match walk.read(extent) {
        Ok(content) => Ok(Some(content)),
        Err(Denied::Failed(failure)) => Err(reason(failure)),
        Err(Denied::Sensitive) => Ok(None),
    }
}

/// Counts the terms of `query` in the walk's current document, from the cache as far as it is
/// valid. Returns `None` if the document is sensitive.
///
/// # Errors
/// The reason that it cannot be read; `too-slow` if the time budget is spent.
pub fn current_term_counts<T: Directory>(
    walk: &mut Walk<'_, T>,
    query: &Bm25Query,
    time_budget: &mut TimeBudget<'_>,
) -> Result<Option<TermCounts>, SkipReason> {
    if query.is_symbols() {
        // A query without terms consists of symbols, which are counted in the text.
        let mut counts = None;
        read_current(walk, |_, _, text, _| {
            counts = Some(
                TermCounts::from_symbols(text, query, time_budget).ok_or(SkipReason::TooSlow)?,
            );
            Ok(())
        })?;
        return Ok(counts);
    }
    if let Some(id) = walk.current_document() {
        // The sources are tried from the cheapest to the most expensive: the counts for this query,
        // the statistics of the document, its text, and finally its bytes. A repeated query needs
        // only the first, another query about the same tree the second.
        let counts = walk.store.for_query(query).get(id).cloned();
        if counts.is_some() {
            return Ok(counts);
        }
        if let Some(statistics) = cached_statistics(walk, id, time_budget)? {
            let counts = TermCounts::new(&statistics, query);
            walk.store.for_same_query().set(id, &counts);
            return Ok(Some(counts));
        }
    }
    let mut read = None;
    read_current(walk, |walk, id, text, _| {
        let statistics = Statistics::new_within(walk.path(), text, time_budget);
        let statistics = Rc::new(statistics.ok_or(SkipReason::TooSlow)?);
        let counts = TermCounts::new(&statistics, query);
        if let Some(id) = id {
            // The statistics are stored instead of the text, of which they have about a quarter of
            // the size. A ranked query needs nothing else of a document, so that four times as many
            // fit into the cache.
            walk.store.set_statistics(id, &statistics);
            walk.store.for_query(query).set(id, &counts);
        }
        read = Some(counts);
        Ok(())
    })?;
    Ok(read)
}

/// Returns the summary of the walk's current file, from the cache as far as it is valid, or `None`
/// if the file is sensitive.
///
/// # Errors
/// The reason that it cannot be read.
pub fn current_summary<T: Directory>(
    walk: &mut Walk<'_, T>,
) -> Result<Option<Rc<FileSummary>>, SkipReason> {
    if let Some(id) = walk.current_document() {
        if let Some(summary) = walk.store.summary(id) {
            return Ok(Some(summary));
        }
        match walk.store.document(id).map(|document| &document.content) {
            Some(KnownContent::Unreadable(reason)) => return Err(*reason),
            Some(KnownContent::Text(Text { text, .. })) => {
                let summary = Rc::new(FileSummary::new(walk.path(), text));
                walk.store.set_summary(id, &summary);
                return Ok(Some(summary));
            }
            _ => {}
        }
    }
    let mut read = None;
    read_current(walk, |walk, id, text, _| {
        let summary = Rc::new(FileSummary::new(walk.path(), text));
        if let Some(id) = id {
            walk.store.set_summary(id, &summary);
        }
        read = Some(summary);
        Ok(())
    })?;
    Ok(read)
}

/// Returns the statistics of a document whose cached state is current, computed from the cached
/// text if necessary, or `None` if nothing is cached.
fn cached_statistics<T: Directory>(
    walk: &mut Walk<'_, T>,
    id: DocumentId,
    time_budget: &mut TimeBudget<'_>,
) -> Result<Option<Rc<Statistics>>, SkipReason> {
    if let Some(statistics) = walk.store.statistics(id) {
        return Ok(Some(statistics));
    }
    match walk.store.document(id).map(|document| &document.content) {
        Some(KnownContent::Unreadable(reason)) => Err(*reason),
        Some(KnownContent::Text(Text { text, .. })) => {
            let statistics = Statistics::new_within(walk.path(), text, time_budget);
            let statistics = Rc::new(statistics.ok_or(SkipReason::TooSlow)?);
            walk.store.set_statistics(id, &statistics);
            Ok(Some(statistics))
        }
        Some(KnownContent::Readable(_) | KnownContent::Nothing) | None => Ok(None),
    }
}
