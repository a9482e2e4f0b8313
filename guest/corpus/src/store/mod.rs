//! What a warm instance remembers between calls: listings, texts, and which documents hold no hit
//! of a query. Nothing of it is believed before the stamp it was made under was compared.

mod directories;
mod memos;
mod term_count_cache;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use docent_api::extract::Format;
use docent_api::types::SkipReason;

use self::directories::{KnownDirectory, PageEnd};
use crate::foreign::{self, Foreign};
use crate::limits::{CACHE_EXTRACTED_SHARE, CACHE_KEEP_CALLS};
use crate::store::memos::Memos;
use crate::store::term_count_cache::TermCountCache;
use docent_rank::bm25::Query;
use docent_rank::statistics::Statistics;
use docent_rank::term_counts::TermCounts;
use docent_text::decode::{DecodeError, DecodedText, decode};
use docent_text::fold::Case;
use docent_tree::disk::Stamp;
use docent_tree::extractor::Extractor;

/// The name of a document in the store; reused after it is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentId(u32);

/// The name of a directory in the store; reused after it is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectoryId(u32);

/// A document's decoded text.
#[derive(Debug)]
pub struct Text {
    /// All of it, without a byte order mark.
    pub text: Box<str>,
    /// Bytes of the file on disk.
    pub bytes: u64,
}

/// What is known about a document under one stamp.
#[derive(Debug)]
pub enum Known {
    /// Nothing yet, or no longer.
    Nothing,
    /// It cannot be searched.
    Unreadable(SkipReason),
    /// It can be read; so many bytes.
    Readable(u64),
    /// Its text.
    Text(Text),
}

/// A document in the store.
#[derive(Debug)]
pub struct Document {
    /// The stamp under which everything else holds.
    pub stamp: Stamp,
    /// Whether the disk has given it out since the directory was last listed.
    is_given: bool,
    /// What is known.
    pub known: Known,
    /// Its title, where a listing looked for one.
    pub title: Option<Option<Box<str>>>,
    /// Its terms, where relevance was measured.
    statistics: Option<Rc<Statistics>>,
    /// Differs from that of every other content.
    version: u64,
    used: u64,
}

/// Everything remembered. With a budget of 0 bytes nothing is but where the last page ended: a
/// directory of many pages would be listed for each of them.
#[derive(Debug, Default)]
pub struct Store {
    budget: usize,
    used: usize,
    call: u64,
    swept: u64,
    last_id: u64,
    paths: Vec<BTreeMap<String, DirectoryId>>,
    directories: Vec<Option<KnownDirectory>>,
    documents: Vec<Option<Document>>,
    free_directories: Vec<DirectoryId>,
    free_documents: Vec<DocumentId>,
    memos: Memos,
    held: TermCountCache,
    end: Option<PageEnd>,
    foreign: Foreign,
}

impl Store {
    /// Returns an empty store of at most `budget` bytes.
    pub fn new(budget: usize) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }

    /// Takes over who reads documents that are not text. What they give is remembered beside the
    /// rest.
    pub fn with_readers(mut self, extractor: Rc<dyn Extractor>) -> Self {
        self.foreign = Foreign::new(extractor, self.budget / CACHE_EXTRACTED_SHARE);
        self
    }

    /// Returns the text of a file of this name: decoded, or extracted.
    ///
    /// # Errors
    /// Why there is none.
    pub fn decode<'b>(
        &mut self,
        name: &str,
        bytes: &'b [u8],
    ) -> Result<DecodedText<'b>, SkipReason> {
        match foreign::format(name) {
            None => decode(bytes).map_err(skip_reason),
            Some(format) => Ok(DecodedText {
                text: Cow::Owned(self.foreign.text(format, bytes)?.as_ref().to_owned()),
                origin: foreign::name(format),
            }),
        }
    }

    /// Returns the first bytes of the text that a reader makes of a document, `most` or fewer by
    /// part of a character.
    ///
    /// # Errors
    /// Why there is none.
    pub fn extracted_head(
        &mut self,
        format: Format,
        bytes: &[u8],
        most: usize,
    ) -> Result<String, SkipReason> {
        self.foreign.head(format, bytes, most)
    }

    /// Whether anything is remembered at all.
    pub fn is_on(&self) -> bool {
        self.budget > 0
    }

    /// Says that a call begins.
    pub fn begin_call(&mut self) {
        self.call += 1;
    }

    /// Returns a number that was never returned before, greater than 0.
    pub fn new_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    fn free_all(&mut self, ids: impl IntoIterator<Item = Option<DocumentId>>) {
        for id in ids.into_iter().flatten() {
            if let Some(document) = self.documents[id.0 as usize].take() {
                self.used -= document.bytes();
                self.free_documents.push(id);
            }
        }
    }

    /// Returns the document that is the item of this index, if anything was remembered of it.
    pub fn document_id(&self, id: DirectoryId, item: usize) -> Option<DocumentId> {
        self.directories[id.0 as usize].as_ref()?.documents[item]
    }

    /// Whether what is remembered of a document holds under `stamp`.
    pub fn is_current(&mut self, id: DocumentId, stamp: Stamp) -> bool {
        let call = self.call;
        self.documents[id.0 as usize]
            .as_mut()
            .is_some_and(|document| {
                document.used = call;
                document.stamp == stamp
            })
    }

    /// Says that the disk has given out the present stamp of a document.
    pub fn set_given(&mut self, id: DocumentId) {
        if let Some(document) = self.documents[id.0 as usize].as_mut() {
            document.is_given = true;
        }
    }

    /// Returns the stamp of a document if the disk has given it out since the directory was last
    /// listed.
    pub fn given_stamp(&self, id: DocumentId) -> Option<Stamp> {
        let document = self.documents[id.0 as usize].as_ref()?;
        document.is_given.then_some(document.stamp)
    }

    /// Returns what is remembered of a document.
    pub fn document(&self, id: DocumentId) -> Option<&Document> {
        self.documents[id.0 as usize].as_ref()
    }

    /// Begins to remember a document under `stamp`; what was known under another is forgotten.
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
            document.is_given = true;
            return id;
        }
        self.free_all([old]);
        let version = self.new_id();
        let document = Document {
            stamp,
            is_given: true,
            known: Known::Nothing,
            title: None,
            statistics: None,
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

    /// Remembers that a document cannot be searched.
    pub fn set_unreadable(&mut self, id: DocumentId, reason: SkipReason) {
        self.replace_known(id, Known::Unreadable(reason));
    }

    /// Remembers a document's text where there is room, else only that it can be read.
    pub fn set_text(&mut self, id: DocumentId, text: &str, bytes: u64) {
        if self.make_room(text.len()) {
            self.replace_known(
                id,
                Known::Text(Text {
                    text: text.into(),
                    bytes,
                }),
            );
        } else {
            self.replace_known(id, Known::Readable(bytes));
        }
    }

    /// Remembers a document's title.
    pub fn set_title(&mut self, id: DocumentId, title: Option<&str>) {
        if let Some(document) = self.documents[id.0 as usize].as_mut() {
            document.title = Some(title.map(Into::into));
        }
    }

    /// Returns a document's terms, where they are remembered.
    pub fn statistics(&self, id: DocumentId) -> Option<Rc<Statistics>> {
        self.documents[id.0 as usize].as_ref()?.statistics.clone()
    }

    /// Remembers a document's terms where there is room.
    pub fn set_statistics(&mut self, id: DocumentId, statistics: &Rc<Statistics>) {
        if self.make_room(statistics.bytes())
            && let Some(document) = self.documents[id.0 as usize].as_mut()
        {
            self.used -= document.bytes();
            document.statistics = Some(statistics.clone());
            self.used += document.bytes();
        }
    }

    fn replace_known(&mut self, id: DocumentId, known: Known) {
        if let Some(document) = self.documents[id.0 as usize].as_mut() {
            self.used -= document.bytes();
            document.known = known;
            self.used += document.bytes();
        }
    }

    /// Whether so many bytes more fit, after what was not used for many calls was dropped. What a
    /// scan has just put in is never dropped for the rest of the same scan: a corpus that is a
    /// little larger than the budget would otherwise never be found here.
    fn make_room(&mut self, bytes: usize) -> bool {
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
                self.used -= document.bytes();
                document.statistics = None;
                if let Known::Text(Text { bytes, .. }) = &document.known {
                    document.known = Known::Readable(*bytes);
                }
            }
        }
        self.sweep_directories(oldest);
    }

    /// Says of which query [`Store::holding`] and [`Store::set_holding`] tell.
    pub fn select_terms(&mut self, query: &Query) {
        self.held.select(query);
    }

    /// Returns what the document, in its present version, holds of the query, where that is known.
    pub fn holding(&self, id: DocumentId) -> Option<&TermCounts> {
        let document = self.documents[id.0 as usize].as_ref()?;
        self.held.get(id.0 as usize, document.version)
    }

    /// Remembers what the document, in its present version, holds of the query.
    pub fn set_holding(&mut self, id: DocumentId, holding: &TermCounts) {
        if let Some(document) = &self.documents[id.0 as usize] {
            self.held.set(id.0 as usize, document.version, holding);
        }
    }

    /// Says which query [`Store::has_no_hit`] and [`Store::set_no_hit`] are about.
    pub fn select_query(&mut self, query: &[char], case: Case) {
        self.memos.select(query, case);
    }

    /// Whether the document, in its present version, is known to hold no hit of the query.
    pub fn has_no_hit(&self, id: DocumentId) -> bool {
        let document = self.documents[id.0 as usize].as_ref();
        document.is_some_and(|document| self.memos.has(id.0 as usize, document.version))
    }

    /// Remembers that the document, in its present version, holds no hit of the query.
    pub fn set_no_hit(&mut self, id: DocumentId) {
        if let Some(document) = &self.documents[id.0 as usize] {
            self.memos.set(id.0 as usize, document.version);
        }
    }
}

impl Document {
    /// Returns the bytes that it counts for in the budget.
    fn bytes(&self) -> usize {
        let statistics = self.statistics.as_ref().map_or(0, |known| known.bytes());
        match &self.known {
            Known::Text(text) => text.text.len() + statistics,
            _ => statistics,
        }
    }
}

/// Indices fit: each costs more than [`CACHE_ENTRY_BYTES`] of an address space of 32 bits.
fn index_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Returns what the contract calls it when bytes are no text.
fn skip_reason(error: DecodeError) -> SkipReason {
    match error {
        DecodeError::Binary => SkipReason::Binary,
        DecodeError::NotText => SkipReason::NotText,
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

    fn filled(store: &mut Store, names: &[&str], text: &str) -> DirectoryId {
        let Some(id) = store.insert_listing(0, "", Stamp(1), &listing(names)) else {
            panic!("there is room for a listing")
        };
        for i in 0..names.len() {
            let document = store.insert_document(id, i, Stamp(1));
            store.set_text(document, text, text.len() as u64);
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
                known: Known::Text(_),
                ..
            })
        )
    }

    #[test]
    fn never_over_budget_and_the_first_stay() {
        let mut store = Store::new(1000);
        let id = filled(&mut store, &["a", "b", "c"], &"x".repeat(300));
        assert!(store.used <= 1000);
        assert!(has_text(&store, id, 0) && has_text(&store, id, 1) && !has_text(&store, id, 2));
        store.begin_call();
        let document = store.insert_document(id, 2, Stamp(1));
        store.set_text(document, &"x".repeat(300), 300);
        assert!(has_text(&store, id, 0) && !has_text(&store, id, 2));
    }

    #[test]
    fn what_is_unused_for_long_makes_room() {
        let mut store = Store::new(1000);
        filled(&mut store, &["a", "b"], &"x".repeat(300));
        for _ in 0..=CACHE_KEEP_CALLS + 1 {
            store.begin_call();
        }
        let Some(other) = store.insert_listing(1, "", Stamp(1), &listing(&["c", "d"])) else {
            panic!("there is room for a listing")
        };
        for item in 0..2 {
            let document = store.insert_document(other, item, Stamp(1));
            store.set_text(document, &"x".repeat(300), 300);
        }
        assert!(has_text(&store, other, 0) && has_text(&store, other, 1));
    }

    #[test]
    fn everything_forgotten_is_counted_back() {
        let mut store = Store::new(10_000);
        filled(&mut store, &["a", "b"], "text");
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
        let id = filled(&mut store, &["a"], "text");
        store.select_query(&['q'], Case::Ignored);
        let document = store.insert_document(id, 0, Stamp(1));
        assert!(!store.has_no_hit(document));
        store.set_no_hit(document);
        assert!(store.has_no_hit(document));
        store.select_query(&['q'], Case::Sensitive);
        assert!(!store.has_no_hit(document));
        store.select_query(&['q'], Case::Ignored);
        assert!(store.has_no_hit(document));
        let changed = store.insert_document(id, 0, Stamp(2));
        assert!(!store.has_no_hit(changed));
    }
}
