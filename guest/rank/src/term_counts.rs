//! Counts of a query's terms in a document, kept so that a repeated query need not look its terms
//! up.

use std::rc::Rc;

use crate::bm25::{Bm25Query, Ranking};
use crate::passage_counts::PassageCounts;
use crate::statistics::Statistics;
use docent_text::digest::digest;
use docent_text::time_budget::TimeBudget;

/// Maximum terms without an allocation.
const FEW_TERMS: usize = 32;

/// The counts of a query's terms in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermCounts {
    /// Count of each term, in quarters; empty if it contains none of them.
    pub counts: Rc<[u32]>,
    /// Length of the document in words.
    pub length: u32,
    /// Digest of its text.
    pub digest: u64,
    /// Counts of its passages, if there are several and any of them matches.
    pub passages: Option<PassageCounts>,
}

impl TermCounts {
    /// Counts the symbols of `query`, which has no terms, in a text, or returns `None` if the time
    /// budget is spent first.
    pub fn from_symbols(
        text: &str,
        query: &Bm25Query,
        time_budget: &mut TimeBudget<'_>,
    ) -> Option<Self> {
        let mut counts = vec![0; query.count_len()];
        let length = query.count_text(text, &mut counts, time_budget);
        if counts.iter().all(|count| *count == 0) {
            counts.clear();
        }
        let (counts, digest) = (counts.into(), digest(text.as_bytes()));
        (!time_budget.is_over()).then_some(Self {
            counts,
            length,
            digest,
            passages: None,
        })
    }

    /// Returns the counts of a document without any term of `query`.
    pub fn none(query: &Bm25Query) -> Self {
        Self {
            counts: vec![0; query.count_len()].into(),
            length: 0,
            digest: 0,
            passages: None,
        }
    }

    /// Looks the terms of `query` up.
    pub fn new(statistics: &Statistics, query: &Bm25Query) -> Self {
        let terms = query.terms();
        // A query has a handful of terms, so that their places fit an array, and a query over
        // thousands of documents allocates nothing here.
        let (mut few, mut many) = ([None; FEW_TERMS], Vec::new());
        let places: &mut [Option<usize>] = match few.get_mut(..terms.len()) {
            Some(few) => few,
            None => {
                many.resize(terms.len(), None);
                &mut many
            }
        };
        // Each is looked up once, which is most of the cost of a repeated question.
        let mut is_held = false;
        for (place, term) in places.iter_mut().zip(terms) {
            *place = statistics.place(term.key);
            is_held |= place.is_some();
        }
        let count = |place: &Option<usize>| place.map_or(0, |at| statistics.count_at(at));
        let (counts, passages) = if is_held {
            let counts = places.iter().map(count).collect();
            (counts, PassageCounts::new(statistics, places))
        } else {
            // Most documents contain no term of a query, and they share one empty list. A first
            // query for a rare word looks at thousands of documents, and an allocation for each
            // of them was a measurable part of its cost.
            (Rc::clone(&query.no_counts), None)
        };
        Self {
            counts,
            length: statistics.length,
            digest: statistics.digest,
            passages,
        }
    }
}

impl Ranking {
    /// Returns the score of a document: if it has several passages, that of the best.
    pub fn document_score(&self, document: &TermCounts) -> f64 {
        match &document.passages {
            None => self.score(document.length, &document.counts),
            Some(passages) => passages.best_score(self),
        }
    }
}
