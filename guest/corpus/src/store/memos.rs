//! Memos of documents without a hit for recent queries, so that a repeated search skips them.

use std::collections::VecDeque;

use crate::limits::REMEMBERED_QUERIES;
use crate::store::ids::ContentVersion;
use docent_text::fold::Case;

/// The id of the memo of one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoId(u64);

/// The memo of one query.
#[derive(Debug)]
struct Memo {
    id: MemoId,
    query: Vec<char>,
    case: Case,
    /// For each document, the version of its content without a hit; `None` if there may be one.
    without_hit: Vec<Option<ContentVersion>>,
}

/// The memos of recent queries, the current one first.
#[derive(Debug, Default)]
pub struct Memos {
    memos: VecDeque<Memo>,
    count: u64,
}

impl Memos {
    /// Returns the memo of a query in canonical form and moves it to the front; a new one evicts
    /// the oldest.
    pub fn for_query(&mut self, query: &[char], case: Case) -> MemoId {
        let same = |memo: &Memo| memo.case == case && memo.query == query;
        let index = self.memos.iter().position(same);
        let memo = index
            .and_then(|index| self.memos.remove(index))
            .unwrap_or_else(|| {
                self.count += 1;
                Memo {
                    id: MemoId(self.count),
                    query: query.to_vec(),
                    case,
                    without_hit: Vec::new(),
                }
            });
        let id = memo.id;
        // The current memo was removed if it existed, so that one less than the maximum may remain
        // before it is added at the front.
        self.memos.truncate(REMEMBERED_QUERIES - 1);
        self.memos.push_front(memo);
        id
    }

    /// Returns true if this version of a document is known to contain no hit of the memo's query.
    pub fn has(&self, id: MemoId, document: usize, version: ContentVersion) -> bool {
        // The memo is nearly always the first one, so that a linear search suffices. Only callers
        // that search for a second query in between find it further back.
        let memo = self.memos.iter().find(|memo| memo.id == id);
        let known = memo.and_then(|memo| memo.without_hit.get(document));
        known == Some(&Some(version))
    }

    /// Records that this version of a document contains no hit of the memo's query.
    pub fn set(&mut self, id: MemoId, document: usize, version: ContentVersion) {
        let Some(memo) = self.memos.iter_mut().find(|memo| memo.id == id) else {
            return;
        };
        if memo.without_hit.len() <= document {
            memo.without_hit.resize(document + 1, None);
        }
        memo.without_hit[document] = Some(version);
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    fn version(number: u64) -> ContentVersion {
        ContentVersion(NonZeroU64::MIN.saturating_add(number))
    }

    #[test]
    fn the_last_queries_are_remembered() {
        let mut memos = Memos::default();
        let mut first = None;
        for query in 'a'..='i' {
            let memo = memos.for_query(&[query], Case::Ignored);
            memos.set(memo, 3, version(7));
            first.get_or_insert(memo);
        }
        for (query, is_known) in [('b', true), ('i', true), ('a', false)] {
            let memo = memos.for_query(&[query], Case::Ignored);
            assert_eq!(memos.has(memo, 3, version(7)), is_known, "{query}");
            for (document, number) in [(3, 8), (2, 7), (4, 7)] {
                assert!(!memos.has(memo, document, version(number)));
            }
        }
        // An evicted memo has no entries.
        assert!(first.is_some_and(|memo| !memos.has(memo, 3, version(7))));
    }
}
