//! Stable sorting that compiles to little code.
//!
//! `slice::sort_by` compiles to some 12 KB of WebAssembly for each closure, and the closures of all
//! lists together made an eighth of the component. Here the sort itself is compiled once, for
//! indices; a closure adds only its comparison. Sorts of many items, where the indirect call of the
//! comparison would take time, use the standard library.

use std::cmp::Ordering;

/// Sorts `items` by `compare`; equal ones keep their order.
///
/// # Panics
/// May panic if `compare` is no total order, as [`slice::sort_by`].
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    // Most lists are short, and in order already. This test needs no memory, while the sort below
    // allocates a list of indices.
    if items.is_sorted_by(|a, b| compare(a, b).is_le()) {
        return;
    }
    let order = sorted_indices(items.len(), &mut |a, b| compare(&items[a], &items[b]));
    reorder(items, order);
}

/// Sorts `items` by a key, computed for each comparison; equal ones keep their order.
///
/// # Panics
/// As [`sort_by`].
pub fn sort_by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

fn sorted_indices(length: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

/// Moves the item at `order[i]` to `i`, for each `i`. Each cycle of the permutation is followed
/// once, by swaps in place, so that neither a copy of the items nor `T: Clone` is needed.
fn reorder<T>(items: &mut [T], mut order: Vec<usize>) {
    for start in 0..items.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == start {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn items_are_sorted_as_by_the_standard_library(
            items in prop::collection::vec((0..8u8, any::<u16>()), 0..200),
        ) {
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| *key);
            let mut sorted = items;
            sort_by_key(&mut sorted, |(key, _)| *key);
            prop_assert_eq!(sorted, expected);
        }
    }
}
