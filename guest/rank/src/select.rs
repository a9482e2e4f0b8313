//! Selection: which candidates fit a budget.

use std::cmp::Ordering;

/// What a candidate costs.
#[derive(Clone, Debug, PartialEq)]
pub enum Offer<C> {
    /// So much, which is not more than what is left.
    Fits(u32),
    /// More than what is left.
    TooMuch,
    /// More than the whole budget: its parts, each with its score, stand for it.
    Parts(Vec<(f64, C)>),
}

/// Returns the candidates taken, best first, each with its score and cost: by score, best first and
/// the earlier of equals, each that still fits into what is left of `budget`; none with a score of
/// 0. What a candidate costs is asked, with what is left, when its turn comes.
pub fn select<C>(
    mut candidates: Vec<(f64, C)>,
    budget: u32,
    mut offer: impl FnMut(f64, &C, u32) -> Offer<C>,
) -> Vec<(f64, C, u32)> {
    candidates.retain(|(score, _)| *score > 0.0);
    // The next one stands last.
    candidates.reverse();
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut left = budget;
    let mut taken = Vec::new();
    while left > 0
        && let Some((score, candidate)) = candidates.pop()
    {
        match offer(score, &candidate, left) {
            Offer::TooMuch => {}
            Offer::Fits(cost) => {
                left = left.saturating_sub(cost);
                taken.push((score, candidate, cost));
            }
            Offer::Parts(parts) => {
                for part in parts.into_iter().filter(|part| part.0 > 0.0) {
                    let place = candidates
                        .partition_point(|other| other.0.total_cmp(&part.0) == Ordering::Less);
                    candidates.insert(place, part);
                }
            }
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the indices taken, ascending, of candidates with a cost and a score.
    fn taken(candidates: &[(u32, f64)], budget: u32) -> Vec<usize> {
        let scored = candidates
            .iter()
            .map(|candidate| candidate.1)
            .zip(0..)
            .collect();
        let offer = |_, &index: &usize, left| {
            if candidates[index].0 <= left {
                Offer::Fits(candidates[index].0)
            } else {
                Offer::TooMuch
            }
        };
        let mut indices: Vec<usize> = select(scored, budget, offer)
            .into_iter()
            .map(|(_, index, _)| index)
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
        let candidates = vec![(0.5, "whole"), (0.4, "other")];
        let offer = |_, name: &&'static str, left| match *name {
            "whole" => Offer::Parts(vec![(0.3, "first"), (0.6, "second"), (0.3, "third")]),
            _ if left >= 30 => Offer::Fits(30),
            _ => Offer::TooMuch,
        };
        let names: Vec<&str> = select(candidates, 100, offer)
            .into_iter()
            .map(|(_, name, _)| name)
            .collect();
        assert_eq!(names, ["second", "other", "first"]);
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
