//! Selection: which candidates fit a budget.

/// Returns the indices, ascending, of the candidates taken: by score, best first and the earlier of
/// equals, each that still fits into what is left of `budget`; none with a score of 0. A candidate
/// is its cost and its score.
pub fn select(candidates: &[(u32, f64)], budget: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..candidates.len())
        .filter(|&index| candidates[index].1 > 0.0)
        .collect();
    order.sort_by(|&a, &b| candidates[b].1.total_cmp(&candidates[a].1));
    let mut left = budget;
    let mut taken = Vec::new();
    for index in order {
        if let Some(rest) = left.checked_sub(candidates[index].0) {
            left = rest;
            taken.push(index);
        }
    }
    taken.sort_unstable();
    taken
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn worked_example() {
        let sections = [(500, 0.9), (800, 0.7), (600, 0.8), (1200, 0.5), (1900, 0.3)];
        assert_eq!(select(&sections, 2000), [0, 1, 2]);
    }

    #[test]
    fn passes_over_what_does_not_fit() {
        assert_eq!(select(&[(50, 0.2), (90, 0.9), (20, 0.5)], 100), [1]);
        assert_eq!(select(&[(50, 0.2), (90, 0.9), (10, 0.1)], 100), [1, 2]);
        assert_eq!(select(&[(10, 0.0), (10, 0.5)], 100), [1]);
        assert_eq!(select(&[(60, 0.5), (60, 0.5)], 100), [0]);
    }

    proptest! {
        #[test]
        fn within_the_budget_and_nothing_better_is_left(
            candidates in proptest::collection::vec((1u32..500, 0u8..5), 0..30),
            budget in 0u32..2000,
        ) {
            let candidates: Vec<(u32, f64)> =
                candidates.into_iter().map(|(cost, score)| (cost, f64::from(score) / 4.0)).collect();
            let taken = select(&candidates, budget);
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
