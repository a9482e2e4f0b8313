//! The cache of a warm instance between calls: listings, texts, and memos of documents without a
//! hit. No entry is used before the stamp under which it was made was compared.

mod directories;
mod extracted;
mod ids;
mod known_directory;
mod memos;
mod term_count_cache;

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::rc::Rc;

use docent_api::types::SkipReason;

use crate::foreign::ExtractedTexts;
use crate::limits::{CACHE_EXTRACTED_SHARE, CACHE_KEEP_CALLS};
use crate::store::ids::index_u32;
pub use crate::store::ids::{ContentVersion, DirectoryId, DocumentId};
use crate::store::known_directory::{KnownDirectory, PageEnd};
pub use crate::store::memos::MemoId;
use crate::store::memos::Memos;
use crate::store::term_count_cache::TermCountCache;
use crate::summary::FileSummary;
use docent_rank::bm25::Bm25Query;
use docent_rank::statistics::Statistics;
use docent_rank::term_counts::TermCounts;
use docent_text::fold::Case;
use docent_text::width::Widths;
use docent_tree::disk::Stamp;
use docent_tree::extractor::Extractor;

/// The decoded text of a document.
#[derive(Debug)]
pub struct Text {
    /// Full text, without a byte order mark.
    pub text: Box<str>,
    /// Bytes of the file on disk.
    pub bytes: u64,
    /// Character widths of the text.
    pub widths: Widths,
}

/// The cached content of a document under one stamp.
#[derive(Debug)]
pub enum KnownContent {
    /// Nothing yet, or evicted.
    Nothing,
    /// Cannot be searched.
    Unreadable(SkipReason),
    /// Readable, with this size in bytes.
    Readable(u64),
    /// Text.
    Text(Text),
}

/// The cached title of a document.
#[derive(Debug)]
pub enum Title {
    /// Not looked for yet.
    Unasked,
    /// The document has none.
    Absent,
    /// Title.
    Present(Box<str>),
}

/// A document in the store.
#[derive(Debug)]
pub struct Document {
    /// Stamp under which everything else is valid.
    pub stamp: Stamp,
    /// True if the disk has handed out the stamp since the directory was last listed. Only such
    /// stamps are in the disk's sum, so that only these may be in ours; see
    /// `Directory::sum_of_stamps`.
    is_stamp_handed_out: bool,
    /// Cached content.
    pub content: KnownContent,
    /// Cached title.
    pub title: Title,
    /// True if some of its bytes were replaced in decoding.
    has_replaced_bytes: bool,
    /// True if it was found to have no members.
    has_no_members: bool,
    /// Term statistics, if relevance was measured.
    statistics: Option<Rc<Statistics>>,
    /// Summary, if it was requested.
    summary: Option<Rc<FileSummary>>,
    version: ContentVersion,
    /// Number of the call that used it last.
    used: u64,
}

/// The cache. With a budget of 0 bytes it only keeps the end of the last page: otherwise a
/// directory of many pages would be listed for each of them.
#[derive(Debug, Default)]
pub struct Store {
    budget: usize,
    used: usize,
    call: u64,
    /// Number of the call that last evicted entries.
    swept: u64,
    last_version: Option<ContentVersion>,
    /// Directories of each root by path. In the order of paths, all whose path begins with that of
    /// a directory are adjacent; those below it are among them.
    paths: Vec<BTreeMap<String, DirectoryId>>,
    directories: Vec<Option<KnownDirectory>>,
    documents: Vec<Option<Document>>,
    free_directories: Vec<DirectoryId>,
    free_documents: Vec<DocumentId>,
    memos: Memos,
    term_counts: TermCountCache,
    end: Option<PageEnd>,
    extracted: ExtractedTexts,
}

impl Store {
    /// Creates an empty store of at most `budget` bytes.
    pub fn new(budget: usize) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }

    /// Sets the readers of binary documents and their milliseconds in each call. Extracted texts
    /// are cached in addition to the rest.
    pub fn with_readers(mut self, extractor: Rc<dyn Extractor>, milliseconds: u64) -> Self {
        let budget = self.budget / CACHE_EXTRACTED_SHARE;
        self.extracted = ExtractedTexts::new(extractor, budget, milliseconds);
        self
    }

    /// Returns true if caching is enabled.
    pub fn is_on(&self) -> bool {
        self.budget > 0
    }

    /// Begins a call.
    pub fn begin_call(&mut self) {
        self.call += 1;
        self.extracted.begin_call(None);
    }

    /// Begins a call with a deadline in `milliseconds`: no document is read after that.
    pub fn begin_call_within(&mut self, milliseconds: u64) {
        self.call += 1;
        self.extracted.begin_call(Some(milliseconds));
    }

    fn next_version(&mut self) -> ContentVersion {
        let next = match self.last_version {
            Some(ContentVersion(last)) => last.saturating_add(1),
            None => NonZeroU64::MIN,
        };
        *self.last_version.insert(ContentVersion(next))
    }

    fn free_all(&mut self, ids: impl IntoIterator<Item = Option<DocumentId>>) {
        for id in ids.into_iter().flatten() {
            if let Some(document) = self.documents[id.0 as usize].take() {
                self.used -= document.bytes();
                self.free_documents.push(id);
            }
        }
    }

    /// Returns the document that is the item of this index, if it is cached.
    pub fn document_id(&self, id: DirectoryId, item: usize) -> Option<DocumentId> {
        self.directories[id.0 as usize].as_ref()?.documents[item]
    }

    /// Returns true if the cached state of a document is valid under `stamp`.
    pub fn is_current(&mut self, id: DocumentId, stamp: Stamp) -> bool {
        let call = self.call;
        self.documents[id.0 as usize]
            .as_mut()
            .is_some_and(|document| {
                // A stale document counts as used as well, because it is about to be read again.
                document.used = call;
                document.stamp == stamp
            })
    }

    /// Records that the disk has handed out the current stamp of a document.
    pub fn note_stamp_handed_out(&mut self, id: DocumentId) {
        if let Some(document) = self.documents[id.0 as usize].as_mut() {
            document.is_stamp_handed_out = true;
        }
    }

    /// Returns the stamp of a document if the disk has handed it out since the directory was last
    /// listed.
    pub fn stamp_of_listing(&self, id: DocumentId) -> Option<Stamp> {
        let document = self.documents[id.0 as usize].as_ref()?;
        document.is_stamp_handed_out.then_some(document.stamp)
    }

    /// Returns a cached document.
    pub fn document(&self, id: DocumentId) -> Option<&Document> {
        self.documents[id.0 as usize].as_ref()
    }

    /// Adds a document under `stamp`, dropping its state under another stamp.
    pub fn insert_document(
        &mut self,
        directory: DirectoryId,
        item: usize,
        stamp: Stamp,
    ) -> DocumentId {
        let old = self.document_id(directory, item);
        if let Some(id) = old
            && let Some(document) = self.documents[id.0 as usize].as_mut()
            && document.stamp == stamp
        {
            document.is_stamp_handed_out = true;
            return id;
        }
        self.free_all([old]);
        // A new version invalidates the entries of this document that are stored elsewhere by its
        // index: the memos of queries without a hit, and the counts of terms. Its index may have
        // belonged to another document before.
        let version = self.next_version();
        let document = Document {
            stamp,
            is_stamp_handed_out: true,
            content: KnownContent::Nothing,
            title: Title::Unasked,
            has_replaced_bytes: false,
            has_no_members: false,
            statistics: None,
            summary: None,
            version,
            used: self.call,
        };
        let id = self.free_documents.pop().unwrap_or_else(|| {
            self.documents.push(None);
            DocumentId(index_u32(self.documents.len() - 1))
        });
        self.documents[id.0 as usize] = Some(document);
        if let Some(known) = self.directory(directory) {
            known.documents[item] = Some(id);
        }
        id
    }

    /// Records that a document cannot be searched.
    pub fn set_unreadable(&mut self, id: DocumentId, reason: SkipReason) {
        self.replace_content(id, KnownContent::Unreadable(reason));
    }

    /// Records that some bytes of a document were replaced in decoding.
    pub fn note_replaced_bytes(&mut self, id: DocumentId) {
        if let Some(document) = self.documents[id.0 as usize].as_mut() {
            document.has_replaced_bytes = true;
        }
    }

    /// Returns true if some bytes of a document are known to have been replaced in decoding.
    pub fn has_replaced_bytes(&self, id: DocumentId) -> bool {
        let document = self.document(id);
        document.is_some_and(|document| document.has_replaced_bytes)
    }

    /// Records that a document has no members.
    pub fn note_no_members(&mut self, id: DocumentId) {
        if let Some(document) = self.documents[id.0 as usize].as_mut() {
            document.has_no_members = true;
        }
    }

    /// Returns true if a document is known to have no members.
    pub fn has_no_members(&self, id: DocumentId) -> bool {
        let document = self.document(id);
        document.is_some_and(|document| document.has_no_members)
    }

    /// Stores the text of a document if there is room, else only that it is readable.
    pub fn set_text(&mut self, id: DocumentId, text: &str, widths: Widths, bytes: u64) {
        // Readability is recorded even without room for the text. Together with a memo it is enough
        // to skip the document, so that a repeated search of a tree that exceeds the budget still
        // reads only the documents with hits.
        if self.make_room(text.len()) {
            self.replace_content(
                id,
                KnownContent::Text(Text {
                    text: text.into(),
                    bytes,
                    widths,
                }),
            );
        } else {
            self.replace_content(id, KnownContent::Readable(bytes));
        }
    }

    /// Stores the title of a document.
    pub fn set_title(&mut self, id: DocumentId, title: Option<&str>) {
        if let Some(document) = self.documents[id.0 as usize].as_mut() {
            document.title = match title {
                Some(title) => Title::Present(title.into()),
                None => Title::Absent,
            };
        }
    }

    /// Returns the term statistics of a document, if cached.
    pub fn statistics(&self, id: DocumentId) -> Option<Rc<Statistics>> {
        self.documents[id.0 as usize].as_ref()?.statistics.clone()
    }

    /// Stores the term statistics of a document if there is room.
    pub fn set_statistics(&mut self, id: DocumentId, statistics: &Rc<Statistics>) {
        if self.make_room(statistics.bytes())
            && let Some(document) = self.documents[id.0 as usize].as_mut()
        {
            // The size is subtracted and added as a whole, because the document may already have
            // statistics, which these replace.
            self.used -= document.bytes();
            document.statistics = Some(statistics.clone());
            self.used += document.bytes();
        }
    }

    /// Returns the summary of a document, if cached.
    pub fn summary(&self, id: DocumentId) -> Option<Rc<FileSummary>> {
        self.documents[id.0 as usize].as_ref()?.summary.clone()
    }

    /// Stores the summary of a document if there is room.
    pub fn set_summary(&mut self, id: DocumentId, summary: &Rc<FileSummary>) {
        if self.make_room(summary.bytes())
            && let Some(document) = self.documents[id.0 as usize].as_mut()
        {
            self.used -= document.bytes();
            document.summary = Some(summary.clone());
            self.used += document.bytes();
        }
    }

    fn replace_content(&mut self, id: DocumentId, content: KnownContent) {
        if let Some(document) = self.documents[id.0 as usize].as_mut() {
            self.used -= document.bytes();
            document.content = content;
            self.used += document.bytes();
        }
    }

    /// Returns true if `bytes` more fit, after evicting entries that were not used for many calls.
    /// Entries that a scan has just stored are never evicted for the rest of the same scan:
    /// otherwise a corpus slightly larger than the budget would never be found in the cache.
    fn make_room(&mut self, bytes: usize) -> bool {
        // One sweep per call is enough: an entry that was too young at the first one is too young
        // at the next. Without this check, each document stored into a full cache would visit all
        // others.
        if self.used + bytes > self.budget && self.swept != self.call {
            self.swept = self.call;
            self.sweep();
        }
        self.used + bytes <= self.budget
    }

    fn sweep(&mut self) {
        let Some(oldest) = self.call.checked_sub(CACHE_KEEP_CALLS) else {
            return;
        };
        for document in self.documents.iter_mut().flatten() {
            if document.used < oldest {
                // Readability and length are kept, for a search that skips the document by a memo.
                // They take no bytes of the budget.
                self.used -= document.bytes();
                document.statistics = None;
                document.summary = None;
                if let KnownContent::Text(Text { bytes, .. }) = &document.content {
                    document.content = KnownContent::Readable(*bytes);
                }
            }
        }
        self.sweep_directories(oldest);
    }

    /// Returns the cached counts of the terms of `query` in documents. Only one query is cached at
    /// a time: the counts of another are dropped.
    pub fn for_query(&mut self, query: &Bm25Query) -> QueryCache<'_> {
        self.term_counts.select(query);
        self.for_same_query()
    }

    /// Returns the cached counts for the query of the last [`Self::for_query`], which need not be
    /// compared again for each document.
    pub fn for_same_query(&mut self) -> QueryCache<'_> {
        QueryCache {
            documents: &self.documents,
            term_counts: &mut self.term_counts,
        }
    }

    /// Returns the memo of a query in canonical form, which gives access to its documents without a
    /// hit; a new one evicts the least recently used.
    pub fn memo(&mut self, query: &[char], case: Case) -> MemoId {
        self.memos.for_query(query, case)
    }

    /// Returns true if the document, in its current version, is known to contain no hit of the
    /// memo's query.
    pub fn has_no_hit(&self, memo: MemoId, id: DocumentId) -> bool {
        let document = self.documents[id.0 as usize].as_ref();
        document.is_some_and(|document| self.memos.has(memo, id.0 as usize, document.version))
    }

    /// Records that the document, in its current version, contains no hit of the memo's query.
    pub fn set_no_hit(&mut self, memo: MemoId, id: DocumentId) {
        if let Some(document) = &self.documents[id.0 as usize] {
            self.memos.set(memo, id.0 as usize, document.version);
        }
    }
}

/// The cached counts of one query's terms in documents.
#[derive(Debug)]
pub struct QueryCache<'a> {
    documents: &'a [Option<Document>],
    term_counts: &'a mut TermCountCache,
}

impl QueryCache<'_> {
    /// Returns the counts of the terms in the current version of the document, or `None` if they
    /// are not cached.
    pub fn get(&self, id: DocumentId) -> Option<&TermCounts> {
        let document = self.documents[id.0 as usize].as_ref()?;
        self.term_counts.get(id.0 as usize, document.version)
    }

    /// Stores the counts of the terms in the current version of the document.
    pub fn set(&mut self, id: DocumentId, counts: &TermCounts) {
        if let Some(document) = &self.documents[id.0 as usize] {
            self.term_counts
                .set(id.0 as usize, document.version, counts);
        }
    }
}

impl Document {
    /// Returns the bytes for which it counts in the budget.
    fn bytes(&self) -> usize {
        let statistics = self.statistics.as_ref().map_or(0, |known| known.bytes());
        let summary = self.summary.as_ref().map_or(0, |known| known.bytes());
        let text = match &self.content {
            KnownContent::Text(text) => text.text.len(),
            _ => 0,
        };
        text + statistics + summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docent_tree::disk::{Entries, Entry, Kind};
    use docent_tree::listing::Listing;

    fn listing(names: &[&str]) -> Rc<Listing> {
        let entry = |name: &&str| Entry {
            name: (*name).to_owned(),
            kind: Kind::File,
        };
        Rc::new(Listing::new(Entries {
            named: names.iter().map(entry).collect(),
            unnamed: 0,
        }))
    }

    fn fill_directory(store: &mut Store, names: &[&str], text: &str) -> DirectoryId {
        let Some(id) = store.insert_listing(0, "", Stamp(1), &listing(names)) else {
            panic!("there is room for a listing")
        };
        for i in 0..names.len() {
            let document = store.insert_document(id, i, Stamp(1));
            store.set_text(document, text, Widths::Usual, text.len() as u64);
        }
        id
    }

    fn has_text(store: &Store, id: DirectoryId, item: usize) -> bool {
        let document = store
            .document_id(id, item)
            .and_then(|id| store.document(id));
        matches!(
            document,
            Some(Document {
                content: KnownContent::Text(_),
                ..
            })
        )
    }

    #[test]
    fn never_over_budget_and_the_first_stay() {
        let mut store = Store::new(1000);
        let id = fill_directory(&mut store, &["a", "b", "c"], &"x".repeat(300));
        assert!(store.used <= 1000);
        assert!(has_text(&store, id, 0) && has_text(&store, id, 1) && !has_text(&store, id, 2));
        store.begin_call();
        let document = store.insert_document(id, 2, Stamp(1));
        store.set_text(document, &"x".repeat(300), Widths::Usual, 300);
        assert!(has_text(&store, id, 0) && !has_text(&store, id, 2));
    }

    #[test]
    fn long_unused_entries_are_evicted() {
        let mut store = Store::new(1000);
        fill_directory(&mut store, &["a", "b"], &"x".repeat(300));
        for _ in 0..=CACHE_KEEP_CALLS + 1 {
            store.begin_call();
        }
        let Some(other) = store.insert_listing(1, "", Stamp(1), &listing(&["c", "d"])) else {
            panic!("there is room for a listing")
        };
        for item in 0..2 {
            let document = store.insert_document(other, item, Stamp(1));
            store.set_text(document, &"x".repeat(300), Widths::Usual, 300);
        }
        assert!(has_text(&store, other, 0) && has_text(&store, other, 1));
    }

    #[test]
    fn everything_forgotten_is_counted_back() {
        let mut store = Store::new(10_000);
        fill_directory(&mut store, &["a", "b"], "text");
        assert!(
            store
                .insert_listing(0, "", Stamp(2), &listing(&[]))
                .is_some()
        );
        assert_eq!(store.used, 0);
    }

    #[test]
    fn a_memo_ends_with_the_content() {
        let mut store = Store::new(10_000);
        let id = fill_directory(&mut store, &["a"], "text");
        let memo = store.memo(&['q'], Case::Ignored);
        let document = store.insert_document(id, 0, Stamp(1));
        assert!(!store.has_no_hit(memo, document));
        store.set_no_hit(memo, document);
        assert!(store.has_no_hit(memo, document));
        let other = store.memo(&['q'], Case::Sensitive);
        assert!(!store.has_no_hit(other, document));
        assert_eq!(store.memo(&['q'], Case::Ignored), memo);
        assert!(store.has_no_hit(memo, document));
        let changed = store.insert_document(id, 0, Stamp(2));
        assert!(!store.has_no_hit(memo, changed));
    }
}
