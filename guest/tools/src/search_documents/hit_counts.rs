//! Hit counts of the documents in a range, of which the best are listed.

use std::cmp::Reverse;

use super::hits;
use super::position::{ListedDocuments, SearchPosition};
use super::scan::{HitSink, ScanAmount};
use crate::limits::DOCUMENTS_PER_ANSWER;
use crate::paging::cursor::Fingerprint;
use docent_corpus::extensions::is_path_of_known_kind;
use docent_document::headings;
use docent_text::matching::finder::Finder;
use docent_text::saturating::saturating_u32;
use docent_text::width::Widths;
use docent_tree::path::{RelPath, RelPathRef};

/// A document with hits.
pub struct DocumentHits {
    pub path: RelPath,
    /// As answers show it.
    pub name: String,
    pub hits: u32,
}

/// The documents with hits found by a search.
pub struct HitCounts<'a> {
    finder: &'a Finder,
    /// In the order of their paths.
    pub found: Vec<DocumentHits>,
}

impl<'a> HitCounts<'a> {
    /// Returns an empty list.
    pub fn new(finder: &'a Finder) -> Self {
        Self {
            finder,
            found: Vec::new(),
        }
    }
}

impl HitSink for HitCounts<'_> {
    type Hits = DocumentHits;

    fn search(
        &self,
        path: RelPathRef<'_>,
        name: &str,
        text: &str,
        widths: Widths,
    ) -> Option<DocumentHits> {
        let hits = hits::count(name, text, widths, self.finder);
        (hits > 0).then(|| DocumentHits {
            path: path.to_owned(),
            name: headings::name(name, text),
            hits,
        })
    }

    fn take(&mut self, found: DocumentHits) -> bool {
        self.found.push(found);
        true
    }

    fn is_full(&self, _: ScanAmount) -> bool {
        self.found.len() >= DOCUMENTS_PER_ANSWER as usize
    }
}

/// The documents of a range in the order of the list.
pub struct HitOrder {
    /// Documents listed by earlier pages, followed by the others.
    found: Vec<DocumentHits>,
    /// Number of documents listed by earlier pages.
    listed: usize,
    /// True if they are sorted by hits, and not by path.
    is_by_hits: bool,
}

impl HitOrder {
    /// Orders the documents found in the range of `from`: documents before files whose kind is
    /// unknown from their names, and by hits, most first; if that would hide changes since the
    /// previous page, by path from the beginning.
    pub fn new(mut found: Vec<DocumentHits>, from: &SearchPosition) -> Self {
        // The sort is stable, so equals stay in the order of their paths.
        found.sort_by_key(|found| {
            let is_unknown = !is_path_of_known_kind(found.path.as_str());
            (is_unknown, Reverse(found.hits))
        });
        let Some(ListedDocuments { number, digest, .. }) = &from.listed else {
            return Self {
                found,
                listed: 0,
                is_by_hits: true,
            };
        };
        let listed = *number as usize;
        let is_same = found
            .get(..listed)
            .is_some_and(|listed| self::digest(listed) == *digest);
        if !is_same {
            found.sort_by(|a, b| a.path.as_str().cmp(b.path.as_str()));
        }
        Self {
            found,
            listed: if is_same { listed } else { 0 },
            is_by_hits: is_same,
        }
    }

    /// Returns true if earlier pages have listed a part of the range and reported its skipped
    /// entries.
    pub fn continues(&self) -> bool {
        self.listed > 0
    }

    /// Returns all documents of the range, including those listed by earlier pages.
    pub fn all(&self) -> &[DocumentHits] {
        &self.found
    }

    /// Returns the documents not listed yet.
    pub fn rest(&self) -> &[DocumentHits] {
        &self.found[self.listed..]
    }

    /// Returns the start of the next page if this one lists the first `number` of the rest, at
    /// least one if there are any; `None` if nothing follows. The range ends at `end`.
    pub fn next(
        &self,
        from: &SearchPosition,
        number: usize,
        end: Option<&str>,
    ) -> Option<SearchPosition> {
        let listed = &self.found[..self.listed + number];
        if listed.len() == self.found.len() {
            return end.map(|end| SearchPosition::after(end.to_owned()));
        }
        if self.is_by_hits {
            return Some(SearchPosition {
                after: from.after.clone(),
                listed: Some(ListedDocuments {
                    number: saturating_u32(listed.len()),
                    digest: digest(listed),
                    until: end.map(str::to_owned),
                }),
            });
        }
        let last = listed.last()?;
        Some(SearchPosition::after(last.path.as_str().to_owned()))
    }
}

fn digest(listed: &[DocumentHits]) -> String {
    let begin = Fingerprint::new("listed by search-documents");
    let digest = listed.iter().fold(begin, |digest, found| {
        digest
            .with(found.path.as_str())
            .with(&found.hits.to_string())
    });
    digest.text()
}
