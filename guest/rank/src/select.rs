//! Selection: which candidates fit a budget.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A candidate with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored<C> {
    /// More is better; 0 is nothing.
    pub score: f64,
    /// The candidate.
    pub item: C,
}

/// What a candidate costs.
#[derive(Clone, Debug, PartialEq)]
pub enum Cost<C> {
    /// So much, which is not more than what is left.
    Fits(u32),
    /// More than what is left.
    TooMuch,
    /// More than the whole budget: its parts stand for it.
    Parts(Vec<Scored<C>>),
    /// Another one says the same: only where it stands is said, for so much.
    Same(u32),
}

/// What was taken, and what was not.
#[derive(Debug)]
pub struct Selection<C> {
    /// Best first, each with its cost.
    pub taken: Vec<(Scored<C>, u32)>,
    /// The others of which a later selection may take some, in their order: those with a score of 0
    /// and those that say the same as another one are none.
    pub rest: Vec<Scored<C>>,
    /// What was taken of the budget.
    pub used: u32,
}

/// Takes candidates by score, best first and the earlier of equals, each that still fits into what
/// is left of `budget`; none with a score of 0. `cost` is asked, with what is left, when a
/// candidate's turn comes: most never have one, and to estimate what a text costs takes longer than
/// to score it. Nothing costs less than `least`.
pub fn select<C>(
    candidates: Vec<Scored<C>>,
    budget: u32,
    least: u32,
    mut cost: impl FnMut(&Scored<C>, u32) -> Cost<C>,
) -> Selection<C> {
    // A heap, for a section that is one long word comes in a hundred thousand parts. Parts stand
    // behind their equals, which came first.
    let mut numbers = 0..;
    let mut turns = |candidates: Vec<Scored<C>>| {
        let scored = candidates.into_iter().filter(|one| one.score > 0.0);
        let turn = |(candidate, number)| Turn { candidate, number };
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
    passed_over.sort_unstable_by_key(|turn| turn.number);
    Selection {
        taken,
        rest: passed_over.into_iter().map(|turn| turn.candidate).collect(),
        used: budget - left,
    }
}

/// A candidate that has not had its turn, in the order of turns: the best is the greatest, of equals
/// the one that came first.
struct Turn<C> {
    candidate: Scored<C>,
    /// How many came before it.
    number: usize,
}

impl<C> Ord for Turn<C> {
    fn cmp(&self, other: &Self) -> Ordering {
        let score = self.candidate.score.total_cmp(&other.candidate.score);
        score.then(other.number.cmp(&self.number))
    }
}

impl<C> PartialOrd for Turn<C> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<C> PartialEq for Turn<C> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<C> Eq for Turn<C> {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the indices taken, ascending, of candidates with a cost and a score.
    fn taken(candidates: &[(u32, f64)], budget: u32) -> Vec<usize> {
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
        assert_eq!(taken(&sections, 2000), [0, 1, 2]);
    }

    #[test]
    fn passes_over_what_does_not_fit() {
        assert_eq!(taken(&[(50, 0.2), (90, 0.9), (20, 0.5)], 100), [1]);
        assert_eq!(taken(&[(50, 0.2), (90, 0.9), (10, 0.1)], 100), [1, 2]);
        assert_eq!(taken(&[(10, 0.0), (10, 0.5)], 100), [1]);
        assert_eq!(taken(&[(60, 0.5), (60, 0.5)], 100), [0]);
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
    fn what_is_not_taken_is_left_and_what_was_said_is_not() {
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
        // Behind 90 and 2 there is room for 5, not for more.
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
            let taken = taken(&candidates, budget);
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
