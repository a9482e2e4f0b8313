//! Hybrid order of documents: the lexical and the semantic order fused into one.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use docent_rank::fusion::Ranks;
use docent_text::sort::sort_by;

/// A document in the hybrid order.
#[derive(Clone, Debug, PartialEq)]
pub struct HybridHit {
    /// Number of the document among those found.
    pub number: usize,
    /// Score from 0 to 1; no document has a lower score than a later one.
    pub score: f64,
    /// Byte range of the best semantic match, or `None` if none is known.
    pub span: Option<Range<usize>>,
}

/// For documents by their numbers, the similarity of their best passage to the question, and its
/// byte range.
pub type SemanticMatches = BTreeMap<usize, (f64, Range<usize>)>;

/// Weight of the semantic order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SemanticWeight {
    /// Weight relative to the lexical order, which has weight 1.
    Beside(f64),
    /// Purely semantic.
    Alone,
}

/// A document's score, and its number.
type ScoredDocument = (f64, usize);

/// Returns the lexical matches, given best first, and the semantic matches in one order; in a
/// purely semantic order, only the latter. Documents of `literal`, which contain the question as
/// written and were found lexically, rank no lower than in the lexical order. Ties are ordered by
/// path.
pub fn rank_hybrid<'p>(
    lexical: &[usize],
    semantic: &SemanticMatches,
    literal: &BTreeSet<usize>,
    weight: SemanticWeight,
    path: impl Fn(usize) -> &'p str,
) -> Vec<HybridHit> {
    let better = |a: &ScoredDocument, b: &ScoredDocument| {
        let better = b.0.total_cmp(&a.0);
        better.then_with(|| path(a.1).cmp(path(b.1)))
    };
    let lexical = lexical.iter().copied().enumerate();
    // The lexical matches may be most documents of a tree, of which few are semantic matches.
    // Only the ranks of these are looked up. The others are in descending order of their fused
    // scores already, so they are merged in at the end and not sorted.
    let known = lexical
        .clone()
        .filter(|(_, number)| semantic.contains_key(number) || literal.contains(number));
    let known: BTreeMap<usize, usize> = known.map(|(place, number)| (number, place)).collect();
    let alike = semantic
        .iter()
        .map(|(&number, (alike, _))| (*alike, number));
    let mut near: Vec<ScoredDocument> = alike.collect();
    sort_by(&mut near, better);
    for (place, (score, number)) in near.iter_mut().enumerate() {
        let places = Ranks {
            words: known.get(number).copied(),
            meaning: Some(place),
        };
        *score = match weight {
            SemanticWeight::Alone => score.max(0.0),
            SemanticWeight::Beside(weight) => places.score(weight),
        };
    }
    sort_by(&mut near, better);
    let order = match weight {
        SemanticWeight::Alone => near,
        SemanticWeight::Beside(weight) => {
            let others = lexical.filter(|(_, number)| !semantic.contains_key(number));
            let others = others.map(|(place, number)| {
                let places = Ranks {
                    words: Some(place),
                    meaning: None,
                };
                (places.score(weight), number)
            });
            merge(near, others, better)
        }
    };
    let worst = known.into_iter();
    let worst = worst.filter(|(number, _)| literal.contains(number));
    let mut order = with_worst(&order, &worst.collect());
    // A document that keeps its lexical rank may now precede one with a higher score. It gets
    // the highest score of those after it, so that scores never rise from one document to the
    // next.
    let mut least = 0.0f64;
    for (score, _) in order.iter_mut().rev() {
        least = least.max(*score);
        *score = least;
    }
    let span = |number: usize| semantic.get(&number).map(|(_, span)| span.clone());
    order
        .into_iter()
        .map(|(score, number)| HybridHit {
            number,
            score,
            span: span(number),
        })
        .collect()
}

/// Merges two orders.
fn merge(
    first: Vec<ScoredDocument>,
    second: impl Iterator<Item = ScoredDocument>,
    better: impl Fn(&ScoredDocument, &ScoredDocument) -> Ordering,
) -> Vec<ScoredDocument> {
    let mut out = Vec::with_capacity(first.len() + second.size_hint().0);
    let mut first = first.into_iter().peekable();
    for two in second {
        while let Some(one) = first.next_if(|one| better(one, &two).is_lt()) {
            out.push(one);
        }
        out.push(two);
    }
    out.extend(first);
    out
}

/// Returns an order in which the documents of `worst` are at that index, from 0, if they would
/// otherwise be further back.
fn with_worst(order: &[ScoredDocument], worst: &BTreeMap<usize, usize>) -> Vec<ScoredDocument> {
    let bound = order
        .iter()
        .filter_map(|one| Some((*worst.get(&one.1)?, *one)));
    let mut waiting: BTreeMap<usize, ScoredDocument> = bound.collect();
    let mut rest = order.iter();
    let mut out = Vec::with_capacity(order.len());
    loop {
        if let Some(due) = waiting.first_entry()
            && *due.key() <= out.len()
        {
            out.push(due.remove());
            continue;
        }
        let Some(next) = rest.next() else {
            return out;
        };
        let is_placed = |place: &usize| waiting.remove(place).is_none();
        if !worst.get(&next.1).is_some_and(is_placed) {
            out.push(*next);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PATHS: [&str; 12] = ["f", "a", "k", "c", "b", "l", "e", "d", "g", "j", "h", "i"];

    #[test]
    fn what_has_a_worst_place_stands_no_further_back() {
        let of = |worst: &[(usize, usize)]| {
            let order: Vec<ScoredDocument> = (0..5).map(|number| (0.0, number)).collect();
            let order = with_worst(&order, &worst.iter().copied().collect());
            order.iter().map(|(_, number)| *number).collect::<Vec<_>>()
        };
        assert_eq!(of(&[]), [0, 1, 2, 3, 4]);
        assert_eq!(of(&[(4, 0)]), [4, 0, 1, 2, 3]);
        assert_eq!(of(&[(4, 1), (3, 2)]), [0, 4, 3, 1, 2]);
        // A document that is further to the front already stays there.
        assert_eq!(of(&[(0, 3), (2, 2), (4, 1)]), [0, 4, 2, 1, 3]);
        assert_eq!(
            of(&[(3, 0), (4, 1), (2, 2), (1, 3), (0, 4)]),
            [3, 4, 2, 1, 0]
        );
    }

    /// Reference for the result of [`rank_hybrid`], with everything sorted at once.
    fn sort_at_once(
        lexical: &[usize],
        semantic: &SemanticMatches,
        weight: SemanticWeight,
    ) -> Vec<usize> {
        let by = |a: ScoredDocument, b: ScoredDocument| {
            b.0.total_cmp(&a.0).then(PATHS[a.1].cmp(PATHS[b.1]))
        };
        let mut near: Vec<ScoredDocument> = semantic
            .iter()
            .map(|(n, (alike, _))| (*alike, *n))
            .collect();
        sort_by(&mut near, |a, b| by(*a, *b));
        let place_in = |all: &[usize], number| all.iter().position(|one| *one == number);
        let near: Vec<usize> = near.into_iter().map(|(_, number)| number).collect();
        let SemanticWeight::Beside(weight) = weight else {
            return near;
        };
        let mut all: Vec<ScoredDocument> = (0..PATHS.len())
            .map(|number| Ranks {
                words: place_in(lexical, number),
                meaning: place_in(&near, number),
            })
            .enumerate()
            .filter(|(_, at)| at.words.is_some() || at.meaning.is_some())
            .map(|(number, at)| (at.score(weight), number))
            .collect();
        sort_by(&mut all, |a, b| by(*a, *b));
        all.into_iter().map(|(_, number)| number).collect()
    }

    proptest! {
        #[test]
        fn they_are_sorted_and_nothing_literal_falls(
            shuffled in Just((0..PATHS.len()).collect::<Vec<_>>()).prop_shuffle(),
            words in 0..=PATHS.len(),
            alike in proptest::collection::vec((0..PATHS.len(), 1..5i32), 0..PATHS.len()),
            held in proptest::collection::btree_set(0..PATHS.len(), 0..4),
            weight in proptest::sample::select(&[
                SemanticWeight::Alone, SemanticWeight::Beside(0.0), SemanticWeight::Beside(0.5), SemanticWeight::Beside(1.0),
            ][..]),
        ) {
            let lexical = &shuffled[..words];
            let semantic: SemanticMatches = alike
                .into_iter()
                .map(|(number, alike)| (number, (f64::from(alike) / 5.0, 0..number)))
                .collect();
            let order = |literal: &BTreeSet<usize>| rank_hybrid(lexical, &semantic, literal, weight, |number| PATHS[number]);
            let numbers = |order: &[HybridHit]| order.iter().map(|one| one.number).collect::<Vec<_>>();
            let free = order(&BTreeSet::new());
            prop_assert_eq!(numbers(&free), sort_at_once(lexical, &semantic, weight));
            let held: BTreeSet<usize> = held.into_iter().filter(|n| lexical.contains(n)).collect();
            let held = if weight == SemanticWeight::Alone { BTreeSet::new() } else { held };
            let bound = order(&held);
            for number in &held {
                let place = |all: &[usize]| all.iter().position(|one| one == number);
                prop_assert!(place(&numbers(&bound)) <= place(lexical), "{:?}", bound);
            }
            // Documents without a literal match keep their order, and no document is lost.
            let rest = |order: &[HybridHit]| {
                let mut rest = numbers(order);
                rest.retain(|number| !held.contains(number));
                rest
            };
            prop_assert_eq!(rest(&bound), rest(&free));
            prop_assert_eq!(bound.len(), free.len());
            prop_assert!(bound.is_sorted_by(|a, b| a.score >= b.score));
            for one in bound {
                prop_assert_eq!(one.span, semantic.get(&one.number).map(|(_, span)| span.clone()));
            }
        }
    }
}
