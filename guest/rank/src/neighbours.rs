//! Score smoothing among neighbouring documents: the chapters before and after, the pages of the
//! same family. If several of them contain the words of a query, each is more likely to be relevant
//! than one that contains them alone.
//!
//! Neighbours are recognized by their names, as people sort them: `ch03-04.md` and `ch03-05.md`,
//! `git-add.md` and `git-apply.md`. A score is smoothed with those of the neighbours, as Diaz does
//! with those of similar documents, "Regularizing Ad Hoc Retrieval Scores", 2005: `s + (1 - s) · λ
//! · the weighted mean of the neighbours' s` on the side with the higher mean.

use std::ops::Range;

/// λ. Tuned on the evaluation's development half, where from 0.2 to 0.5 hit@10 is better and hit@1
/// no worse.
const SHARE: f64 = 0.25;

/// Weights of the neighbours at distance one and two. Tuned likewise; farther ones do not improve
/// it.
const WEIGHTS: [f64; 2] = [1.0, 0.7];

/// Minimum common prefix of the names of neighbours, in bytes.
const COMMON_BYTES: usize = 3;

/// Documents whose scores are smoothed: the best ones; the others stay below them.
const DOCUMENTS: usize = 100;

/// A document with its position.
#[derive(Clone, Copy, Debug)]
pub struct PositionedDocument<'a> {
    /// Path.
    pub path: &'a str,
    /// Index in the order of paths, among all documents including those that do not match the
    /// query.
    pub place: u32,
    /// Score, 0 to 1.
    pub score: f64,
}

/// Returns the scores of `count` documents, given by `document` in the order of their positions:
/// the best ones raised by their neighbours, the others unchanged.
pub fn with_neighbours<'a>(
    count: usize,
    document: impl Fn(usize) -> PositionedDocument<'a>,
) -> Vec<f64> {
    let scores: Vec<f64> = (0..count).map(|at| document(at).score).collect();
    let least = least_of_best(scores.clone());
    let raised = |(at, &score): (usize, &f64)| {
        if score < least {
            return score;
        }
        let own = document(at);
        let mean = |beside: Range<usize>| {
            let others = beside.map(&document);
            let weighted = others.map(|other| weight(own, other) * other.score);
            // Positions without a matching document count as 0.
            weighted.sum::<f64>() / WEIGHTS.iter().sum::<f64>()
        };
        let before = at.saturating_sub(WEIGHTS.len())..at;
        let after = at + 1..count.min(at + 1 + WEIGHTS.len());
        // The better side counts, because the first and the last document of a family have only
        // one.
        let mean = mean(before).max(mean(after));
        score + (1.0 - score) * SHARE * mean
    };
    scores.iter().enumerate().map(raised).collect()
}

/// Returns the lowest of the best scores.
fn least_of_best(mut scores: Vec<f64>) -> f64 {
    if scores.len() <= DOCUMENTS {
        return 0.0;
    }
    let (_, least, _) = scores.select_nth_unstable_by(DOCUMENTS - 1, |a, b| b.total_cmp(a));
    *least
}

fn weight(own: PositionedDocument<'_>, other: PositionedDocument<'_>) -> f64 {
    let distance = own.place.abs_diff(other.place) as usize;
    let weight = WEIGHTS.get(distance.wrapping_sub(1)).copied();
    weight
        .filter(|_| are_related(own.path, other.path))
        .unwrap_or(0.0)
}

/// Returns true if two files are in the same directory and their names belong to one family: they
/// share a prefix, or are numbered.
fn are_related(one: &str, other: &str) -> bool {
    let split = |path: &'_ str| path.rfind('/').map_or(0, |slash| slash + 1);
    let (one, other) = (one.split_at(split(one)), other.split_at(split(other)));
    let (a, b) = (one.1.as_bytes(), other.1.as_bytes());
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let is_numbered = |name: &[u8]| name.get(common).is_some_and(u8::is_ascii_digit);
    one.0 == other.0 && (common >= COMMON_BYTES || (is_numbered(a) && is_numbered(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(documents: &[(&str, u32, f64)]) -> Vec<f64> {
        with_neighbours(documents.len(), |at| {
            let (path, place, score) = documents[at];
            PositionedDocument { path, place, score }
        })
    }

    #[test]
    fn a_chapter_is_raised_by_the_next() {
        let raised = scores(&[
            ("book/ch01.md", 0, 0.5),
            ("book/ch02.md", 1, 0.4),
            ("book/index.md", 2, 0.5),
        ]);
        assert!(raised[0] > 0.5 && raised[1] > 0.4);
        assert_eq!(raised[2], 0.5);
    }

    #[test]
    fn other_documents_change_nothing() {
        for other in [
            // Another directory, another family, too far away.
            ("b/ch02.md", 1, 0.5),
            ("a/intro.md", 1, 0.5),
            ("a/ch09.md", 7, 0.5),
        ] {
            assert_eq!(scores(&[("a/ch01.md", 0, 0.5), other])[0], 0.5, "{other:?}");
        }
        let numbered = scores(&[("1-a.md", 0, 0.5), ("2-b.md", 1, 0.5)]);
        assert!(numbered.iter().all(|score| *score > 0.5));
    }

    #[test]
    fn the_nearer_one_counts_more() {
        let beside = |place| scores(&[("ch1.md", 0, 0.5), ("ch2.md", place, 0.5)])[0];
        assert!(beside(1) > beside(2) && beside(2) > beside(3));
    }

    #[test]
    fn no_score_reaches_1_and_none_falls() {
        let all: Vec<(String, u32, f64)> = (0..300)
            .map(|i| (format!("ch{i:03}.md"), i, f64::from(i * 7919 % 300) / 300.0))
            .collect();
        let raised = with_neighbours(all.len(), |at| PositionedDocument {
            path: &all[at].0,
            place: all[at].1,
            score: all[at].2,
        });
        for (raised, (_, _, score)) in raised.iter().zip(&all) {
            assert!(raised >= score && *raised < 1.0);
        }
        // Beyond the best hundred nothing changes, so that none of them overtakes.
        assert_eq!(
            raised
                .iter()
                .zip(&all)
                .filter(|(raised, own)| **raised > own.2)
                .count(),
            100
        );
    }
}
