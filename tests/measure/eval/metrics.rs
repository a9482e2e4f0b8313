//! Metrics of rankings and answers: the usual ones of known-item search, and bytes.

use std::fmt;

use crate::table::Row;

/// The limits in tokens within which an answer has to show something.
pub const WITHIN: [u64; 3] = [500, 1000, 2000];

/// The limits in bytes within which an answer has to show something.
pub const BYTES: [usize; 3] = [1000, 2000, 4000];

/// The minimum share of its lines for which something counts as shown.
pub const SHOWN: f64 = 0.6;

/// The number of answers that show something within each limit of bytes, and at all.
#[derive(Debug, Default)]
pub struct Within([u32; 4]);

impl Within {
    /// Adds an answer that shows it within `bytes`; none if it does not.
    pub fn add(&mut self, bytes: Option<usize>) {
        let limits = BYTES.into_iter().chain([usize::MAX]);
        for (found, most) in self.0.iter_mut().zip(limits) {
            *found += u32::from(bytes.is_some_and(|bytes| bytes <= most));
        }
    }

    /// Adds the shares of `all` answers to a row.
    pub fn shares(&self, row: Row, columns: [&'static str; 4], all: usize) -> Row {
        let shares = columns.into_iter().zip(self.0);
        shares.fold(row, |row, (column, found)| {
            row.share(column, found.into(), all)
        })
    }
}

/// Returns the median, 0 for no values.
pub fn median(values: &mut [usize]) -> usize {
    values.sort_unstable();
    let (low, high) = (values.len().saturating_sub(1) / 2, values.len() / 2);
    match (values.get(low), values.get(high)) {
        (Some(low), Some(high)) => low.midpoint(*high),
        _ => 0,
    }
}

/// Sums of the metrics over queries.
#[derive(Debug, Default)]
pub struct Metrics {
    queries: u32,
    hit: [u32; 3],
    reciprocal: f64,
    gain: f64,
    within: [u32; 3],
}

impl Metrics {
    /// Adds a query by the rank of its first relevant document, from 1, and the tokens of the
    /// answer up to the end of its relevant section; none for missing ones.
    ///
    /// With one relevant document, the ideal gain is 1 and nDCG is 1 / log2(rank + 1).
    pub fn add(&mut self, rank: Option<u32>, tokens: Option<u64>) {
        self.queries += 1;
        if let Some(rank) = rank.filter(|rank| *rank <= 10) {
            for (hits, most) in self.hit.iter_mut().zip([1, 5, 10]) {
                *hits += u32::from(rank <= most);
            }
            self.reciprocal += 1.0 / f64::from(rank);
            self.gain += 1.0 / f64::from(rank + 1).log2();
        }
        for (within, most) in self.within.iter_mut().zip(WITHIN) {
            *within += u32::from(tokens.is_some_and(|tokens| tokens <= most));
        }
    }

    /// Adds the metrics, and the number of queries, to a row.
    pub fn row(&self, row: Row) -> Row {
        let all = self.queries as usize;
        let row = row.whole("queries", all);
        let hits = ["hit@1", "hit@5", "hit@10"].into_iter().zip(self.hit);
        let row = hits.fold(row, |row, (column, hits)| {
            row.share(column, hits.into(), all)
        });
        let row = row.share("MRR@10", self.reciprocal, all);
        row.share("nDCG@10", self.gain, all)
    }
}

impl fmt::Display for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let queries = f64::from(self.queries.max(1));
        let counts = [self.hit, self.within].concat().into_iter().map(f64::from);
        let [hit1, hit5, hit10, w500, w1000, w2000] =
            [0, 1, 2, 3, 4, 5].map(|index| counts.clone().nth(index).unwrap_or_default() / queries);
        let (mrr, ndcg) = (self.reciprocal / queries, self.gain / queries);
        write!(
            f,
            "{:7} {hit1:6.3} {hit5:6.3} {hit10:6.3} {mrr:6.3} {ndcg:7.3} {w500:6.3} {w1000:6.3} {w2000:6.3}",
            self.queries
        )
    }
}

/// The header of the columns of [`Metrics`].
pub const HEADER: &str = "queries  hit@1  hit@5 hit@10 MRR@10 nDCG@10   @500  @1000  @2000";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_within_few_bytes_is_within_more() {
        let mut within = Within::default();
        within.add(Some(1000));
        within.add(Some(3000));
        within.add(Some(9000));
        within.add(None);
        assert_eq!(within.0, [1, 1, 2, 3]);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&mut []), 0);
        assert_eq!(median(&mut [5]), 5);
        assert_eq!(median(&mut [9, 1, 5]), 5);
        assert_eq!(median(&mut [9, 1, 5, 7]), 6);
    }
}
