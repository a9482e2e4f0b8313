//! The best matches of a scan, in no more memory than a page takes.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The order of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchOrder {
    /// The latest first, then by path.
    Latest,
    /// The earliest first, then by path.
    Earliest,
    /// By path.
    Path,
}

impl MatchOrder {
    /// Returns a number that ascends in this order if the times differ.
    fn rank(self, time: i64) -> i64 {
        match self {
            // The complement reverses the order of all numbers. A negation fails for the
            // smallest one, which has no positive counterpart.
            Self::Latest => !time,
            Self::Earliest => time,
            Self::Path => 0,
        }
    }
}

/// A file or directory found by the scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMatch {
    /// Its path, relative to the root; `.` for the root.
    pub path: String,
    /// Milliseconds since 1970.
    pub time: i64,
    /// Bytes of a file, or `None` for a directory.
    pub size: Option<u64>,
}

/// A match's place in the order of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchKey {
    /// Milliseconds since 1970.
    pub time: i64,
    /// Path in the form shown by the match.
    pub path: String,
}

/// A match, ordered as in the answer.
#[derive(Debug, PartialEq, Eq)]
struct RankedMatch {
    rank: i64,
    file: FileMatch,
}

impl Ord for RankedMatch {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank
            .cmp(&other.rank)
            .then_with(|| self.file.path.cmp(&other.file.path))
    }
}

impl PartialOrd for RankedMatch {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Collects the best matches after a key, and one more to detect that there are further ones.
#[derive(Debug)]
pub struct BestMatches {
    order: MatchOrder,
    limit: usize,
    behind: Option<MatchKey>,
    /// The worst on top.
    heap: BinaryHeap<RankedMatch>,
    /// The first `limit` matches of the scan, if a key is given; see [`BestMatches::into_prefix`].
    first: Vec<FileMatch>,
    /// Position of the last of them, once there are `limit`.
    first_end: Option<String>,
}

/// Matches in the order of the answer, and true if there are more.
#[derive(Debug)]
pub struct MatchPage {
    /// The matches.
    pub matches: Vec<FileMatch>,
    /// True if the segment contains more.
    pub has_more: bool,
}

impl BestMatches {
    /// Returns an empty collection for the first `limit` matches after `behind` in `order`.
    pub fn new(order: MatchOrder, limit: usize, behind: Option<MatchKey>) -> Self {
        Self {
            order,
            limit,
            behind,
            heap: BinaryHeap::new(),
            first: Vec::new(),
            first_end: None,
        }
    }

    /// Returns true if a match of this time can be discarded, whatever its path. Most are discarded
    /// here, before their path is built.
    pub fn is_surplus(&self, time: i64) -> bool {
        // Equal times are left to `offer`, which has the path.
        let rank = self.order.rank(time);
        let is_shown = self
            .behind
            .as_ref()
            .is_some_and(|key| rank < self.order.rank(key.time));
        // After a key, the first matches of the scan are kept whatever their rank is, until
        // there are enough of them for `into_prefix`. They must not be discarded by their time
        // before that.
        let is_full = self.behind.is_none() || self.first_end.is_some();
        let is_worse = self.heap.len() > self.limit
            && is_full
            && self.heap.peek().is_some_and(|worst| rank > worst.rank);
        is_shown || is_worse
    }

    /// Takes a match if it is one of the best so far. `position` is the position of the scan.
    pub fn offer(&mut self, path: &str, time: i64, size: Option<u64>, position: &str) {
        let rank = self.order.rank(time);
        let place =
            |other: i64, other_path: &str| rank.cmp(&other).then_with(|| path.cmp(other_path));
        if let Some(key) = &self.behind {
            if place(self.order.rank(key.time), &key.path) != Ordering::Greater {
                return;
            }
            if self.first_end.is_none() {
                self.first.push(file_match(path, time, size));
                if self.first.len() == self.limit {
                    self.first_end = Some(position.to_owned());
                }
            }
        }
        // One match more than a page takes is kept, to detect whether there are more.
        if self.heap.len() > self.limit {
            let worst = self.heap.peek();
            if worst.is_some_and(|worst| place(worst.rank, &worst.file.path) == Ordering::Greater) {
                return;
            }
            self.heap.pop();
        }
        self.heap.push(RankedMatch {
            rank,
            file: file_match(path, time, size),
        });
    }

    /// Returns the number of matches held, at most one more than a page takes.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Returns the page of the best matches.
    pub fn into_page(self) -> MatchPage {
        let mut matches: Vec<FileMatch> = self
            .heap
            .into_sorted_vec()
            .into_iter()
            .map(|ranked| ranked.file)
            .collect();
        let has_more = matches.len() > self.limit;
        matches.truncate(self.limit);
        MatchPage { matches, has_more }
    }

    /// Returns matches in the order of the answer, and a position: they are all matches after the
    /// key that the scan saw up to that position, so that no later page has to return to it. If
    /// there are too many for a page, these are the first ones, not the best.
    pub fn into_prefix(self, position: &str) -> (MatchPage, String) {
        let order = self.order;
        let Some(end) = self.first_end.clone().filter(|_| self.len() > self.limit) else {
            return (self.into_page(), position.to_owned());
        };
        let mut matches = self.first;
        matches.sort_unstable_by(|a, b| {
            order
                .rank(a.time)
                .cmp(&order.rank(b.time))
                .then_with(|| a.path.cmp(&b.path))
        });
        let has_more = true;
        (MatchPage { matches, has_more }, end)
    }
}

fn file_match(path: &str, time: i64, size: Option<u64>) -> FileMatch {
    FileMatch {
        path: path.to_owned(),
        time,
        size,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sort_at_once(order: MatchOrder, mut all: Vec<(i64, String)>) -> Vec<(i64, String)> {
        all.sort_by(|(a, p), (b, q)| match order {
            MatchOrder::Latest => b.cmp(a).then(p.cmp(q)),
            MatchOrder::Earliest => a.cmp(b).then(p.cmp(q)),
            MatchOrder::Path => p.cmp(q),
        });
        all
    }

    proptest! {
        #[test]
        fn pages_of_the_best_are_all_in_order(
            times in proptest::collection::vec(prop_oneof![-2i64..3, Just(i64::MIN), Just(i64::MAX)], 0..30),
            limit in 1usize..6,
            order in prop_oneof![Just(MatchOrder::Latest), Just(MatchOrder::Earliest)],
        ) {
            let all: Vec<(i64, String)> =
                times.iter().enumerate().map(|(i, time)| (*time, format!("{}", i * 7 % 30))).collect();
            let mut shown = Vec::new();
            let mut behind = None;
            loop {
                let mut best = BestMatches::new(order, limit, behind.take());
                for (time, path) in &all {
                    if !best.is_surplus(*time) {
                        best.offer(path, *time, None, path);
                    }
                }
                prop_assert!(best.len() <= limit + 1);
                let page = best.into_page();
                shown.extend(page.matches.into_iter().map(|found| (found.time, found.path)));
                if !page.has_more {
                    break;
                }
                behind = shown.last().map(|(time, path)| MatchKey { time: *time, path: path.clone() });
            }
            prop_assert_eq!(shown, sort_at_once(order, all));
        }
    }
}
