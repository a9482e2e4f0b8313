//! The graph of references between files, and its PageRank.
//!
//! A graph consists of numbered files and the references between them. It is derived on each call
//! from the facts about each file, and never stored.

use crate::limits::{PAGE_RANK_PASSES, PAGE_RANK_PRECISION};

/// The probability that a reader follows a reference instead of starting anywhere: the damping
/// factor of Brin and Page (1998).
const DAMPING: f64 = 0.85;

/// A reference from one file to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Referring file.
    pub from: usize,
    /// Target of the reference.
    pub to: usize,
    /// Index of the reference among the caller's.
    pub edge: usize,
}

/// Files and the references between them.
#[derive(Debug)]
pub struct Graph {
    files: usize,
    /// References sorted by target, then source, then edge.
    incoming: Vec<Reference>,
    /// Start of each file's references in `incoming`, followed by their number.
    starts: Vec<usize>,
}

/// A file from which another one is reachable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachingFile {
    /// First reference of its path.
    pub reference: Reference,
    /// Length of the path in references, from 1.
    pub distance: u32,
}

impl Graph {
    /// Builds the graph of `files` files. References from a file to itself are ignored.
    pub fn new(files: usize, references: impl IntoIterator<Item = Reference>) -> Self {
        let is_between = |one: &Reference| one.from != one.to && one.from.max(one.to) < files;
        let mut incoming: Vec<Reference> = references.into_iter().filter(is_between).collect();
        incoming.sort_unstable_by_key(|one| (one.to, one.from, one.edge));
        // Compressed sparse rows: the references to file `n` are
        // `incoming[starts[n]..starts[n + 1]]`. The references to each file are counted one
        // entry further on, so that the running sums are the starts.
        let mut starts = vec![0; files + 1];
        for reference in &incoming {
            starts[reference.to + 1] += 1;
        }
        for file in 0..files {
            starts[file + 1] += starts[file];
        }
        Self {
            files,
            incoming,
            starts,
        }
    }

    /// Returns the references to a file, sorted by source and edge.
    pub fn to(&self, file: usize) -> &[Reference] {
        match (self.starts.get(file), self.starts.get(file + 1)) {
            (Some(&start), Some(&end)) => &self.incoming[start..end],
            _ => &[],
        }
    }

    /// Returns the number of other files that refer to a file.
    pub fn in_degree(&self, file: usize) -> usize {
        let references = self.to(file);
        references
            .chunk_by(|one, next| one.from == next.from)
            .count()
    }

    /// Returns the files from which any of `files` is reachable over at most `depth` references,
    /// nearest first, each with all its references to nearer files.
    pub fn find_reaching(&self, files: &[usize], depth: u32) -> Vec<ReachingFile> {
        let mut distances = vec![u32::MAX; self.files];
        for &file in files {
            distances[file] = 0;
        }
        let mut reached = Vec::new();
        let mut frontier: Vec<usize> = files.to_vec();
        for distance in 1..=depth {
            let mut next = Vec::new();
            let references = frontier.iter().flat_map(|&file| self.to(file));
            for &reference in references {
                let known = &mut distances[reference.from];
                if *known == u32::MAX {
                    *known = distance;
                    next.push(reference.from);
                }
                // Not part of the condition above: a file at this distance is listed once for
                // each of its references to a nearer file. The next frontier is sorted, so that
                // the order of the answer does not depend on the order in which references were
                // found.
                if *known == distance {
                    reached.push(ReachingFile {
                        reference,
                        distance,
                    });
                }
            }
            next.sort_unstable();
            frontier = next;
        }
        reached
    }

    /// Returns the PageRank of each file (Brin and Page 1998, d = 0.85). The sum of all ranks is 1.
    ///
    /// Several references between two files together have the weight of the square root of their
    /// number. A file without references refers to all files equally. The order of summation is
    /// fixed, so that the same graph always has the same ranks.
    pub fn page_rank(&self) -> Vec<f64> {
        let count = self.files as f64;
        // References between the same two files are adjacent, because the list is sorted. It is
        // also summed in this order in every iteration: addition of floating-point numbers is
        // not associative, and in another order the same graph would have slightly different
        // ranks.
        let mut shares: Vec<(usize, usize, f64)> = Vec::new();
        let mut total = vec![0.0; self.files];
        let between = |one: &Reference| (one.to, one.from);
        for same in self.incoming.chunk_by(|a, b| between(a) == between(b)) {
            let weight = (same.len() as f64).sqrt();
            let (to, from) = between(&same[0]);
            shares.push((to, from, weight));
            total[from] += weight;
        }
        for (_, from, share) in &mut shares {
            *share /= total[*from];
        }
        let mut ranks = vec![1.0 / count; self.files];
        for _ in 0..PAGE_RANK_PASSES {
            // A file without references passes its rank to nobody. Unless that rank is
            // distributed among all files, the sum of all ranks shrinks in each iteration.
            let lost: f64 = ranks
                .iter()
                .zip(&total)
                .filter(|(_, total)| **total == 0.0)
                .map(|(rank, _)| rank)
                .sum();
            let base = (1.0 - DAMPING + DAMPING * lost) / count;
            let mut next = vec![base; self.files];
            for &(to, from, share) in &shares {
                next[to] += DAMPING * share * ranks[from];
            }
            let change: f64 = next.iter().zip(&ranks).map(|(a, b)| (a - b).abs()).sum();
            ranks = next;
            if change < PAGE_RANK_PRECISION {
                break;
            }
        }
        ranks
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph(files: usize, pairs: &[(usize, usize)]) -> Graph {
        let references = pairs.iter().enumerate();
        Graph::new(
            files,
            references.map(|(edge, &(from, to))| Reference { from, to, edge }),
        )
    }

    #[test]
    fn ranks_are_those_of_networkx() {
        // `networkx.pagerank(G, tol=1e-12)` of networkx 3.6.1, weighted by the square roots of the
        // numbers of edges.
        let graph = graph(
            5,
            &[
                (0, 1),
                (0, 1),
                (0, 2),
                (1, 2),
                (2, 0),
                (3, 2),
                (3, 2),
                (3, 2),
                (3, 4),
            ],
        );
        let expected = [
            0.3431036461,
            0.2094422499,
            0.3582341640,
            0.0386046067,
            0.0506153334,
        ];
        for (rank, expected) in graph.page_rank().iter().zip(expected) {
            assert!((rank - expected).abs() < 1e-6, "{:?}", graph.page_rank());
        }
    }

    #[test]
    fn what_leads_to_a_file() {
        // 3 → 2 → 1 → 0, 3 → 1, 4 is isolated, and 0 ⇄ 1 is a cycle.
        let graph = graph(5, &[(1, 0), (2, 1), (3, 2), (3, 1), (0, 1), (1, 0)]);
        let reaching = |depth| -> Vec<(usize, usize, u32)> {
            let reached = graph.find_reaching(&[0], depth);
            let told = |one: &ReachingFile| (one.reference.from, one.reference.to, one.distance);
            reached.iter().map(told).collect()
        };
        assert_eq!(reaching(1), [(1, 0, 1), (1, 0, 1)]);
        assert_eq!(
            reaching(5),
            [(1, 0, 1), (1, 0, 1), (2, 1, 2), (3, 1, 2)],
            "the way over 2 is no longer one"
        );
        assert_eq!((graph.in_degree(0), graph.in_degree(1)), (1, 3));
        assert!(graph.to(4).is_empty() && graph.to(9).is_empty());
    }

    #[test]
    fn no_file_and_no_reference() {
        assert!(graph(0, &[]).page_rank().is_empty());
        assert_eq!(graph(2, &[(0, 0)]).page_rank(), [0.5, 0.5]);
    }

    proptest! {
        #[test]
        fn ranks_are_shares_of_one(pairs in prop::collection::vec((0usize..9, 0usize..9), 0..40)) {
            let ranks = graph(9, &pairs).page_rank();
            let sum: f64 = ranks.iter().sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{sum}");
            prop_assert!(ranks.iter().all(|rank| *rank > 0.0));
        }
    }
}
