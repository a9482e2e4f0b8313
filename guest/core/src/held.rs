//! What documents hold of the query whose relevance was asked for last, so that the same one asked
//! again need not look its terms up in each of them.

use crate::bm25::Query;
use crate::statistics::Statistics;
use crate::terms::Term;

/// What a document holds of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// What each term counts, in quarters; nothing where it holds none of them.
    pub counts: Box<[u32]>,
    /// The document's length in words.
    pub length: u32,
    /// Digest of its text.
    pub digest: u64,
}

impl Holding {
    /// Looks the terms of `query` up.
    pub fn new(statistics: &Statistics, query: &Query) -> Self {
        let count = |term: &Term| statistics.count(term.key);
        let holds_none = query.terms().iter().all(|term| count(term) == 0);
        let terms = if holds_none { &[] } else { query.terms() };
        Self {
            counts: terms.iter().map(count).collect(),
            length: statistics.length,
            digest: statistics.digest,
        }
    }
}

/// What documents hold of one query.
#[derive(Debug, Default)]
pub struct Held {
    query: Vec<Term>,
    /// For each document the version of its content and what that holds.
    documents: Vec<Option<(u64, Holding)>>,
}

impl Held {
    /// Says which query is asked for; what is known of another is forgotten.
    pub fn select(&mut self, query: &Query) {
        if self.query != query.terms() {
            self.query = query.terms().to_vec();
            self.documents.clear();
        }
    }

    /// Returns what this version of a document holds, where that is known.
    pub fn get(&self, document: usize, version: u64) -> Option<&Holding> {
        let (known, holding) = self.documents.get(document)?.as_ref()?;
        (*known == version).then_some(holding)
    }

    /// Remembers what this version of a document holds.
    pub fn set(&mut self, document: usize, version: u64, holding: &Holding) {
        if self.documents.len() <= document {
            self.documents.resize(document + 1, None);
        }
        self.documents[document] = Some((version, holding.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_of_one_query_and_one_version() {
        let statistics = Statistics::new("a.md", "the port is open\n");
        let (port, door) = (Query::new("port is"), Query::new("door"));
        let holding = Holding::new(&statistics, &port);
        assert_eq!(*holding.counts, [4, 4]);
        assert!(Holding::new(&statistics, &door).counts.is_empty());
        let mut held = Held::default();
        held.select(&port);
        held.set(2, 7, &holding);
        held.select(&port);
        assert_eq!(held.get(2, 7), Some(&holding));
        assert!(held.get(2, 8).is_none() && held.get(1, 7).is_none() && held.get(3, 7).is_none());
        held.select(&door);
        held.select(&port);
        assert!(held.get(2, 7).is_none());
    }
}
