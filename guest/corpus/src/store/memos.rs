//! Which documents hold no hit of the queries asked last, so that a repeated search skips them.

use std::collections::VecDeque;

use crate::limits::REMEMBERED_QUERIES;
use docent_text::fold::Case;

/// What is known about one query.
#[derive(Debug)]
struct Memo {
    query: Vec<char>,
    case: Case,
    /// For each document the version of its content without a hit; 0 where there may be one.
    without_hit: Vec<u64>,
}

/// The queries asked last, the present one first.
#[derive(Debug, Default)]
pub struct Memos(VecDeque<Memo>);

impl Memos {
    /// Makes the query in canonical form the present one; the oldest gives way to a new one.
    pub fn select(&mut self, query: &[char], case: Case) {
        let known = self
            .0
            .iter()
            .position(|memo| memo.case == case && memo.query == query);
        let memo = known
            .and_then(|at| self.0.remove(at))
            .unwrap_or_else(|| Memo {
                query: query.to_vec(),
                case,
                without_hit: Vec::new(),
            });
        self.0.truncate(REMEMBERED_QUERIES - 1);
        self.0.push_front(memo);
    }

    /// Whether this version, greater than 0, of a document is known to hold no hit of the present
    /// query.
    pub fn has(&self, document: usize, version: u64) -> bool {
        let known = self
            .0
            .front()
            .and_then(|memo| memo.without_hit.get(document));
        known == Some(&version)
    }

    /// Remembers that this version of a document holds no hit of the present query.
    pub fn set(&mut self, document: usize, version: u64) {
        let Some(memo) = self.0.front_mut() else {
            return;
        };
        if memo.without_hit.len() <= document {
            memo.without_hit.resize(document + 1, 0);
        }
        memo.without_hit[document] = version;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_queries_are_remembered() {
        let mut memos = Memos::default();
        for query in 'a'..='i' {
            memos.select(&[query], Case::Ignored);
            memos.set(3, 7);
        }
        for (query, is_known) in [('b', true), ('i', true), ('a', false)] {
            memos.select(&[query], Case::Ignored);
            assert_eq!(memos.has(3, 7), is_known, "{query}");
            assert!(!memos.has(3, 8) && !memos.has(2, 7) && !memos.has(4, 7));
        }
    }
}
