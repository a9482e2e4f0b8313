//! Selection of the candidates that fit a budget.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use docent_text::sort::sort_by_key;

/// A candidate with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored<C> {
    /// Score; higher is better, 0 is irrelevant.
    pub score: f64,
    /// Candidate.
    pub item: C,
}

/// The cost of a candidate.
#[derive(Clone, Debug, PartialEq)]
pub enum Cost<C> {
    /// A cost that fits the rest of the budget.
    Fits(u32),
    /// More than the rest of the budget.
    TooMuch,
    /// More than the whole budget: its parts take its place.
    Parts(Vec<Scored<C>>),
    /// The same text as another candidate: only its place is named, at this cost.
    Same(u32),
}

/// The outcome of a selection.
#[derive(Debug)]
pub struct Selection<C> {
    /// Candidates taken, best first, each with its cost.
    pub taken: Vec<(Scored<C>, u32)>,
    /// Remaining candidates for a later selection, in their order; without those of score 0 and
    /// duplicates.
    pub rest: Vec<Scored<C>>,
    /// Used part of the budget.
    pub used: u32,
}

/// Selects candidates by score, best first and the earlier among equals, each that still fits the
/// rest of `budget`; those with a score of 0 are skipped. `cost` is called with the rest of the
/// budget when a candidate's turn comes: most never have one, and estimating the cost of a text
/// takes longer than scoring it. No cost is less than `least`.
pub fn select<C>(
    candidates: Vec<Scored<C>>,
    budget: u32,
    least: u32,
    mut cost: impl FnMut(&Scored<C>, u32) -> Cost<C>,
) -> Selection<C> {
    // A heap, because a section that is one long word has a hundred thousand parts, which arrive
    // when the turn of the section comes. To insert them into a sorted list would be quadratic.
    // Parts come after candidates of equal score, which have lower numbers.
    let mut numbers = 0..;
    let mut turns = |candidates: Vec<Scored<C>>| {
        let scored = candidates.into_iter().filter(|one| one.score > 0.0);
        let turn = |(candidate, number)| QueuedCandidate { candidate, number };
        scored.zip(numbers.by_ref()).map(turn).collect::<Vec<_>>()
    };
    let mut waiting = BinaryHeap::from(turns(candidates));
    let mut left = budget;
    let mut taken = Vec::new();
    let mut passed_over = Vec::new();
    while left >= least.max(1)
        && let Some(turn) = waiting.pop()
    {
        match cost(&turn.candidate, left) {
            Cost::TooMuch => passed_over.push(turn),
            Cost::Fits(tokens) => {
                left = left.saturating_sub(tokens);
                taken.push((turn.candidate, tokens));
            }
            Cost::Parts(parts) => waiting.extend(turns(parts)),
            Cost::Same(tokens) => left = left.saturating_sub(tokens),
        }
    }
    passed_over.extend(waiting);
    sort_by_key(&mut passed_over, |turn| turn.number);
    Selection {
        taken,
        rest: passed_over.into_iter().map(|turn| turn.candidate).collect(),
        used: budget - left,
    }
}

/// A candidate that waits for its turn, in the order of turns: the best is the greatest, and among
/// equals the one that came first.
struct QueuedCandidate<C> {
    candidate: Scored<C>,
    /// Number of candidates before it.
    number: usize,
}

impl<C> Ord for QueuedCandidate<C> {
    fn cmp(&self, other: &Self) -> Ordering {
        let score = self.candidate.score.total_cmp(&other.candidate.score);
        score.then(other.number.cmp(&self.number))
    }
}

impl<C> PartialOrd for QueuedCandidate<C> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<C> PartialEq for QueuedCandidate<C> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<C> Eq for QueuedCandidate<C> {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the indices taken, ascending, of candidates with a cost and a score.
    fn selected_indices(candidates: &[(u32, f64)], budget: u32) -> Vec<usize> {
        let scored = candidates
            .iter()
            .zip(0..)
            .map(|(candidate, item)| Scored {
                score: candidate.1,
                item,
            })
            .collect();
        let cost = |candidate: &Scored<usize>, left| {
            let tokens = candidates[candidate.item].0;
            if tokens <= left {
                Cost::Fits(tokens)
            } else {
                Cost::TooMuch
            }
        };
        let mut indices: Vec<usize> = select(scored, budget, 0, cost)
            .taken
            .into_iter()
            .map(|(candidate, _)| candidate.item)
            .collect();
        indices.sort_unstable();
        indices
    }

    #[test]
    fn worked_example() {
        let sections = [(500, 0.9), (800, 0.7), (600, 0.8), (1200, 0.5), (1900, 0.3)];
        assert_eq!(selected_indices(&sections, 2000), [0, 1, 2]);
    }

    #[test]
    fn passes_over_what_does_not_fit() {
        assert_eq!(
            selected_indices(&[(50, 0.2), (90, 0.9), (20, 0.5)], 100),
            [1]
        );
        assert_eq!(
            selected_indices(&[(50, 0.2), (90, 0.9), (10, 0.1)], 100),
            [1, 2]
        );
        assert_eq!(selected_indices(&[(10, 0.0), (10, 0.5)], 100), [1]);
        assert_eq!(selected_indices(&[(60, 0.5), (60, 0.5)], 100), [0]);
    }

    #[test]
    fn parts_stand_for_what_is_too_large() {
        let scored = |(score, item)| Scored { score, item };
        let candidates = [(0.5, "whole"), (0.4, "other")].map(scored).to_vec();
        let cost = |candidate: &Scored<&'static str>, left| match candidate.item {
            "whole" => Cost::Parts(
                [(0.3, "first"), (0.6, "second"), (0.3, "third")]
                    .map(scored)
                    .to_vec(),
            ),
            _ if left >= 30 => Cost::Fits(30),
            _ => Cost::TooMuch,
        };
        let names: Vec<&str> = select(candidates, 100, 0, cost)
            .taken
            .into_iter()
            .map(|(candidate, _)| candidate.item)
            .collect();
        assert_eq!(names, ["second", "other", "first"]);
    }

    #[test]
    fn the_rest_excludes_duplicates() {
        let scored = |(score, item)| Scored { score, item };
        let candidates = [
            (0.9, 90),
            (0.9, 0),
            (0.8, 30),
            (0.7, 10),
            (0.1, 5),
            (0.0, 1),
        ];
        let cost = |candidate: &Scored<u32>, left| match candidate.item {
            0 => Cost::Same(2),
            tokens if tokens <= left => Cost::Fits(tokens),
            _ => Cost::TooMuch,
        };
        let selection = select(candidates.map(scored).to_vec(), 100, 4, cost);
        let items = |all: Vec<Scored<u32>>| all.iter().map(|one| one.item).collect::<Vec<_>>();
        // After 90 and 2 there is room for 5, not for more.
        assert_eq!(selection.used, 97);
        assert_eq!(items(selection.rest), [30, 10]);
    }

    proptest! {
        #[test]
        fn within_the_budget_and_nothing_better_is_left(
            candidates in proptest::collection::vec((1u32..500, 0u8..5), 0..30),
            budget in 0u32..2000,
        ) {
            let candidates: Vec<(u32, f64)> =
                candidates.into_iter().map(|(cost, score)| (cost, f64::from(score) / 4.0)).collect();
            let taken = selected_indices(&candidates, budget);
            prop_assert!(taken.is_sorted_by(|a, b| a < b));
            let used: u32 = taken.iter().map(|&index| candidates[index].0).sum();
            prop_assert!(used <= budget);
            for (index, &(cost, score)) in candidates.iter().enumerate() {
                if score > 0.0 && !taken.contains(&index) {
                    let before: u32 = taken
                        .iter()
                        .filter(|&&other| candidates[other].1 > score || (candidates[other].1 == score && other < index))
                        .map(|&other| candidates[other].0)
                        .sum();
                    prop_assert!(before + cost > budget);
                }
            }
        }
    }
}
