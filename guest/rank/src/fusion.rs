//! Two orders of the same documents, by words and by meaning, made one: reciprocal rank fusion, as
//! in Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion Outperforms Condorcet and Individual
//! Rank Learning Methods", 2009. Places alone count, for scores of words and of vectors have no
//! common measure.

use crate::limits::FUSION_K;

/// Where a document stands, from 0, in the order by words and in that by meaning; none where it is
/// not in one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// By words.
    pub words: Option<usize>,
    /// By meaning.
    pub meaning: Option<usize>,
}

impl Places {
    /// Returns the score of a document at these places, 0 to 1: 1 for the first one of both. The
    /// order by words weighs 1, that by meaning `weight`.
    pub fn score(self, weight: f64) -> f64 {
        // Exact: places are far below 2^53.
        let share = |place: Option<usize>| {
            place.map_or(0.0, |place| {
                (FUSION_K + 1.0) / (FUSION_K + 1.0 + place as f64)
            })
        };
        (share(self.words) + weight * share(self.meaning)) / (1.0 + weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(words: Option<usize>, meaning: Option<usize>) -> f64 {
        Places { words, meaning }.score(1.0)
    }

    #[test]
    fn what_both_put_first_is_first() {
        assert_eq!(score(Some(0), Some(0)), 1.0);
        assert!(score(Some(0), Some(1)) > score(Some(1), Some(1)));
        assert!(score(Some(0), Some(9)) < score(Some(3), Some(3)));
        assert!(score(Some(40), Some(40)) > score(Some(40), None));
        assert_eq!(score(None, None), 0.0);
    }

    #[test]
    fn a_weight_of_0_leaves_the_order_by_words() {
        let of = |words, meaning| Places { words, meaning }.score(0.0);
        assert_eq!(of(Some(3), Some(0)), of(Some(3), None));
    }
}
