//! What a document holds of a query, so that the same one asked again need not look its terms up.

use std::rc::Rc;

use crate::bm25::Query;
use crate::passage_counts::PassageCounts;
use crate::statistics::Statistics;
use docent_text::digest::digest;
use docent_text::patience::Pace;

/// Terms for which there is room without an allocation.
const FEW_TERMS: usize = 32;

/// What a document holds of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermCounts {
    /// What each term counts, in quarters; nothing where it holds none of them.
    pub counts: Rc<[u32]>,
    /// The document's length in words.
    pub length: u32,
    /// Digest of its text.
    pub digest: u64,
    /// What its passages hold, where there are several and they hold any.
    pub passages: Option<PassageCounts>,
}

impl TermCounts {
    /// Goes through a text for the symbols of `query`, which has no terms; none when
    /// the time is over.
    pub fn of_symbols(text: &str, query: &Query, pace: &mut Pace<'_>) -> Option<Self> {
        let mut counts = vec![0; query.counted()];
        let length = query.count_text(text, &mut counts, pace);
        if counts.iter().all(|count| *count == 0) {
            counts.clear();
        }
        let (counts, digest) = (counts.into(), digest(text.as_bytes()));
        (!pace.is_over()).then_some(Self {
            counts,
            length,
            digest,
            passages: None,
        })
    }

    /// Returns those of a document that holds nothing of `query`.
    pub fn none(query: &Query) -> Self {
        Self {
            counts: vec![0; query.counted()].into(),
            length: 0,
            digest: 0,
            passages: None,
        }
    }

    /// Looks the terms of `query` up.
    pub fn new(statistics: &Statistics, query: &Query) -> Self {
        let terms = query.terms();
        // A query has a handful of terms, and this is done for each document.
        let (mut few, mut many) = ([None; FEW_TERMS], Vec::new());
        let places: &mut [Option<usize>] = match few.get_mut(..terms.len()) {
            Some(few) => few,
            None => {
                many.resize(terms.len(), None);
                &mut many
            }
        };
        // Each is looked up once: that is most of what a further question costs.
        let mut is_held = false;
        for (place, term) in places.iter_mut().zip(terms) {
            *place = statistics.place(term.key);
            is_held |= place.is_some();
        }
        let count = |place: &Option<usize>| place.map_or(0, |at| statistics.count_at(at));
        let (counts, passages) = if is_held {
            let counts = places.iter().map(count).collect();
            (counts, PassageCounts::of(statistics, places))
        } else {
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
