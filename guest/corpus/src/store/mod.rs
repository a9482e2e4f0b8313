//! What a warm instance remembers between calls: listings, texts, and which documents hold no hit
//! of a query. Nothing of it is believed before the stamp it was made under was compared.

mod directories;
mod memos;
mod term_count_cache;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::rc::Rc;

use docent_api::extract::{Format, UnknownGlyphs};
use docent_api::types::SkipReason;

use self::directories::{KnownDirectory, PageEnd};
use crate::facts::Facts;
use crate::foreign::{self, ExtractedTexts};
use crate::limits::{CACHE_EXTRACTED_SHARE, CACHE_KEEP_CALLS};
pub use crate::store::memos::MemoId;
use crate::store::memos::Memos;
use crate::store::term_count_cache::TermCountCache;
use docent_rank::bm25::Query;
use docent_rank::statistics::Statistics;
use docent_rank::term_counts::TermCounts;
use docent_text::decode::{DecodeError, DecodedText, decode};
use docent_text::fold::Case;
use docent_text::width::Widths;
use docent_tree::disk::Stamp;
use docent_tree::extractor::Extractor;

/// The name of a document in the store; reused after it is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentId(u32);

/// The name of a directory in the store; reused after it is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectoryId(u32);

/// Differs from that of every other content that this store ever held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version(NonZeroU64);

/// A document's decoded text.
#[derive(Debug)]
pub struct Text {
    /// All of it, without a byte order mark.
    pub text: Box<str>,
    /// Bytes of the file on disk.
    pub bytes: u64,
    /// Which widths it has.
    pub widths: Widths,
}

/// What is known about a document under one stamp.
#[derive(Debug)]
pub enum KnownContent {
    /// Nothing yet, or no longer.
    Nothing,
    /// It cannot be searched.
    Unreadable(SkipReason),
    /// It can be read; so many bytes.
    Readable(u64),
    /// Its text.
    Text(Text),
}

/// What is known about a document's title.
#[derive(Debug)]
pub enum Title {
    /// No listing has looked for one.
    Unasked,
    /// It has none.
    Absent,
    /// It has this one.
    Present(Box<str>),
}

/// A document in the store.
#[derive(Debug)]
pub struct Document {
    /// The stamp under which everything else holds.
    pub stamp: Stamp,
    /// Whether the disk has handed it out since the directory was last listed. Only such stamps are
    /// in the disk's sum, and so only these may be in ours.
    is_stamp_handed_out: bool,
    /// What is known of its content.
    pub content: KnownContent,
    /// What is known of its title.
    pub title: Title,
    /// Whether some of its bytes are no text.
    has_replaced_bytes: bool,
    /// Its terms, where relevance was measured.
    statistics: Option<Rc<Statistics>>,
    /// What it says of itself, where that was asked for.
    facts: Option<Rc<Facts>>,
    version: Version,
    /// The call that used it last.
    used: u64,
}

/// Everything remembered. With a budget of 0 bytes nothing is but where the last page ended: a
/// directory of many pages would be listed for each of them.
#[derive(Debug, Default)]
pub struct Store {
    budget: usize,
    used: usize,
    call: u64,
    /// The call that made room last.
    swept: u64,
    last_version: Option<Version>,
    /// The directories of each root by path, in the order of paths, so that all below one can be
    /// found together.
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
    /// Returns an empty store of at most `budget` bytes.
    pub fn new(budget: usize) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }

    /// Takes over who reads documents that are not text, for so many milliseconds in each call.
    /// What they give is remembered beside the rest.
    pub fn with_readers(mut self, extractor: Rc<dyn Extractor>, milliseconds: u64) -> Self {
        let budget = self.budget / CACHE_EXTRACTED_SHARE;
        self.extracted = ExtractedTexts::new(extractor, budget, milliseconds);
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
                text: Cow::Owned(self.extracted.text(format, bytes)?.as_ref().to_owned()),
                origin: foreign::name(format),
                replaced: Vec::new(),
            }),
        }
    }

    /// Returns the glyphs of a document of this name, which was found to have no text, whose
    /// characters it does not tell; none where it shows no such glyphs.
    pub fn unknown_glyphs(&mut self, name: &str, bytes: &[u8]) -> Option<UnknownGlyphs> {
        self.extracted.unknown_glyphs(foreign::format(name)?, bytes)
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
        self.extracted.head(format, bytes, most)
    }

    /// Whether anything is remembered at all.
    pub fn is_on(&self) -> bool {
        self.budget > 0
    }

    /// Says that a call begins.
    pub fn begin_call(&mut self) {
        self.call += 1;
        self.extracted.begin_call(None);
    }

    /// Says that a call begins which ends so many milliseconds from now: no document is read beyond
    /// that.
    pub fn begin_call_within(&mut self, milliseconds: u64) {
        self.call += 1;
        self.extracted.begin_call(Some(milliseconds));
    }

    /// Whether documents that are not text have used up the time that a call has for them.
    pub fn has_read_enough(&self) -> bool {
        self.extracted.is_spent()
    }

    fn next_version(&mut self) -> Version {
        let next = match self.last_version {
            Some(Version(last)) => last.saturating_add(1),
            None => NonZeroU64::MIN,
        };
        *self.last_version.insert(Version(next))
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
                // Asked for is used, also where it is old: it is about to be read anew.
                document.used = call;
                document.stamp == stamp
            })
    }

    /// Says that the disk has handed out the present stamp of a document.
    pub fn note_stamp_handed_out(&mut self, id: DocumentId) {
        if let Some(document) = self.documents[id.0 as usize].as_mut() {
            document.is_stamp_handed_out = true;
        }
    }

    /// Returns the stamp of a document if the disk has handed it out since the directory was last
    /// listed.
    pub fn handed_out_stamp(&self, id: DocumentId) -> Option<Stamp> {
        let document = self.documents[id.0 as usize].as_ref()?;
        document.is_stamp_handed_out.then_some(document.stamp)
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
            document.is_stamp_handed_out = true;
            return id;
        }
        // Its content has changed, so all that is known of it goes.
        self.free_all([old]);
        // A new version makes all that is kept beside the document, by its index, void at once.
        let version = self.next_version();
        let document = Document {
            stamp,
            is_stamp_handed_out: true,
            content: KnownContent::Nothing,
            title: Title::Unasked,
            has_replaced_bytes: false,
            statistics: None,
            facts: None,
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
        self.replace_content(id, KnownContent::Unreadable(reason));
    }

    /// Remembers that some bytes of a document are no text.
    pub fn note_replaced_bytes(&mut self, id: DocumentId) {
        if let Some(document) = self.documents[id.0 as usize].as_mut() {
            document.has_replaced_bytes = true;
        }
    }

    /// Whether some bytes of a document are known to be no text.
    pub fn has_replaced_bytes(&self, id: DocumentId) -> bool {
        let document = self.document(id);
        document.is_some_and(|document| document.has_replaced_bytes)
    }

    /// Remembers a document's text where there is room, else only that it can be read.
    pub fn set_text(&mut self, id: DocumentId, text: &str, widths: Widths, bytes: u64) {
        // Even without room it is worth knowing that it can be read: with a memo that is enough to
        // pass it over.
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

    /// Remembers a document's title.
    pub fn set_title(&mut self, id: DocumentId, title: Option<&str>) {
        if let Some(document) = self.documents[id.0 as usize].as_mut() {
            document.title = match title {
                Some(title) => Title::Present(title.into()),
                None => Title::Absent,
            };
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
            // Taken off and put on as a whole, as earlier terms may give way.
            self.used -= document.bytes();
            document.statistics = Some(statistics.clone());
            self.used += document.bytes();
        }
    }

    /// Returns what a document says of itself, where that is remembered.
    pub fn facts(&self, id: DocumentId) -> Option<Rc<Facts>> {
        self.documents[id.0 as usize].as_ref()?.facts.clone()
    }

    /// Remembers what a document says of itself where there is room.
    pub fn set_facts(&mut self, id: DocumentId, facts: &Rc<Facts>) {
        if self.make_room(facts.bytes())
            && let Some(document) = self.documents[id.0 as usize].as_mut()
        {
            self.used -= document.bytes();
            document.facts = Some(facts.clone());
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

    /// Whether so many bytes more fit, after what was not used for many calls was dropped. What a
    /// scan has just put in is never dropped for the rest of the same scan: a corpus that is a
    /// little larger than the budget would otherwise never be found here.
    fn make_room(&mut self, bytes: usize) -> bool {
        // Once a call: what was not old enough at the first attempt is not at the second.
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
                // That it can be read, and its length, stay: a search that finds no hit in it by
                // its memo needs no more.
                self.used -= document.bytes();
                document.statistics = None;
                document.facts = None;
                if let KnownContent::Text(Text { bytes, .. }) = &document.content {
                    document.content = KnownContent::Readable(*bytes);
                }
            }
        }
        self.sweep_directories(oldest);
    }

    /// Returns what is remembered of how often documents hold the terms of `query`. Of one query at
    /// a time: what was kept of another is forgotten.
    pub fn for_query(&mut self, query: &Query) -> QueryCache<'_> {
        self.term_counts.select(query);
        self.for_same_query()
    }

    /// Returns what is known of the documents for the query of the last [`Self::for_query`], which
    /// need not be compared again for each document.
    pub fn for_same_query(&mut self) -> QueryCache<'_> {
        QueryCache {
            documents: &self.documents,
            term_counts: &mut self.term_counts,
        }
    }

    /// Returns the memo of a query in canonical form, by which alone its documents without a hit
    /// can be asked for; that of the query that was asked for longest ago gives way to a new one.
    pub fn memo(&mut self, query: &[char], case: Case) -> MemoId {
        self.memos.of_query(query, case)
    }

    /// Whether the document, in its present version, is known to hold no hit of the memo's query.
    pub fn has_no_hit(&self, memo: MemoId, id: DocumentId) -> bool {
        let document = self.documents[id.0 as usize].as_ref();
        document.is_some_and(|document| self.memos.has(memo, id.0 as usize, document.version))
    }

    /// Remembers that the document, in its present version, holds no hit of the memo's query.
    pub fn set_no_hit(&mut self, memo: MemoId, id: DocumentId) {
        if let Some(document) = &self.documents[id.0 as usize] {
            self.memos.set(memo, id.0 as usize, document.version);
        }
    }
}

/// What is remembered of one query's terms in documents.
#[derive(Debug)]
pub struct QueryCache<'a> {
    documents: &'a [Option<Document>],
    term_counts: &'a mut TermCountCache,
}

impl QueryCache<'_> {
    /// Returns how often the document, in its present version, holds the terms; none where that is
    /// not known.
    pub fn get(&self, id: DocumentId) -> Option<&TermCounts> {
        let document = self.documents[id.0 as usize].as_ref()?;
        self.term_counts.get(id.0 as usize, document.version)
    }

    /// Remembers how often the document, in its present version, holds the terms.
    pub fn set(&mut self, id: DocumentId, counts: &TermCounts) {
        if let Some(document) = &self.documents[id.0 as usize] {
            self.term_counts
                .set(id.0 as usize, document.version, counts);
        }
    }
}

impl Document {
    /// Returns the bytes that it counts for in the budget.
    fn bytes(&self) -> usize {
        let statistics = self.statistics.as_ref().map_or(0, |known| known.bytes());
        let facts = self.facts.as_ref().map_or(0, |known| known.bytes());
        let text = match &self.content {
            KnownContent::Text(text) => text.text.len(),
            _ => 0,
        };
        text + statistics + facts
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
        let id = filled(&mut store, &["a", "b", "c"], &"x".repeat(300));
        assert!(store.used <= 1000);
        assert!(has_text(&store, id, 0) && has_text(&store, id, 1) && !has_text(&store, id, 2));
        store.begin_call();
        let document = store.insert_document(id, 2, Stamp(1));
        store.set_text(document, &"x".repeat(300), Widths::Usual, 300);
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
            store.set_text(document, &"x".repeat(300), Widths::Usual, 300);
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
