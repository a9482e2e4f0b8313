//! Reciprocal rank fusion of the lexical and the semantic order of the same documents, as in
//! Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank
//! Learning Methods", 2009. It uses only ranks, because lexical scores and vector similarities have
//! no common measure.

use crate::limits::FUSION_K;

/// The ranks of a document, from 0, in the two orders; `None` if it is not in one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ranks {
    /// Rank in the lexical order.
    pub words: Option<usize>,
    /// Rank in the semantic order.
    pub meaning: Option<usize>,
}

impl Ranks {
    /// Returns the fused score, 0 to 1: 1 for the first document of both orders. The lexical order
    /// weighs 1, the semantic one `weight`.
    pub fn score(self, weight: f64) -> f64 {
        // Exact: ranks are far below 2^53.
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
        Ranks { words, meaning }.score(1.0)
    }

    #[test]
    fn first_in_both_orders_is_first() {
        assert_eq!(score(Some(0), Some(0)), 1.0);
        assert!(score(Some(0), Some(1)) > score(Some(1), Some(1)));
        assert!(score(Some(0), Some(9)) < score(Some(3), Some(3)));
        assert!(score(Some(40), Some(40)) > score(Some(40), None));
        assert_eq!(score(None, None), 0.0);
    }

    #[test]
    fn a_weight_of_0_leaves_the_order_by_words() {
        let of = |words, meaning| Ranks { words, meaning }.score(0.0);
        assert_eq!(of(Some(3), Some(0)), of(Some(3), None));
    }
}
