//! Cutoffs by score: the items shown in full, the items only named, and those left out.

use crate::limits::{NEAR_THOUSANDTHS, RELEVANT_THOUSANDTHS};

/// Returns true if a text scores near enough to the best one to be shown beside it.
pub fn is_near(score: f64, best: f64) -> bool {
    score >= best * f64::from(NEAR_THOUSANDTHS) / 1000.0
}

/// Returns true if a text with these counts per term is relevant enough to be named beside the best
/// one. A text that contains one common word of a query of five is not.
pub fn is_relevant(score: f64, best: f64, counts: &[u32]) -> bool {
    let least = best * f64::from(RELEVANT_THOUSANDTHS) / 1000.0;
    score >= least || counts.iter().all(|count| *count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_ones_are_named_and_those_with_one_common_word_are_not() {
        for (score, counts, near, relevant) in [
            (0.8, [1, 0], true, true),
            (0.6, [1, 0], true, true),
            (0.59, [1, 0], false, true),
            (0.24, [1, 0], false, false),
            (0.24, [1, 1], false, true),
        ] {
            assert_eq!(is_near(score, 1.0), near, "{score}");
            assert_eq!(is_relevant(score, 1.0, &counts), relevant, "{score}");
        }
    }
}
