//! The names most similar to one that does not exist.

use crate::limits::COMPARED_CHARS;
use docent_text::sort::sort_by_key;

/// Returns the indices of the `most` names most similar to `wanted`, best first and equals in their
/// order.
pub fn nearest(
    wanted: &str,
    names: impl Iterator<Item = impl AsRef<str>>,
    most: usize,
) -> Vec<usize> {
    let alike = names.map(|name| dice_similarity(wanted, name.as_ref()));
    let mut all: Vec<(usize, usize)> = alike.enumerate().collect();
    // The sort is stable: equal names keep their order.
    sort_by_key(&mut all, |(_, alike)| std::cmp::Reverse(*alike));
    all.truncate(most);
    all.into_iter().map(|(index, _)| index).collect()
}

/// Returns the similarity of two texts in thousandths: twice the number of shared pairs of adjacent
/// characters, divided by the number of all pairs (Dice's coefficient). Of long texts only the
/// beginnings are compared.
pub fn dice_similarity(a: &str, b: &str) -> usize {
    let pairs = |text: &str| {
        let chars: Vec<char> = text.chars().take(COMPARED_CHARS).collect();
        chars
            .windows(2)
            .map(|pair| (pair[0], pair[1]))
            .collect::<Vec<_>>()
    };
    let (mut own, others) = (pairs(a), pairs(b));
    let all = own.len() + others.len();
    let mut shared = 0usize;
    for pair in &others {
        if let Some(index) = own.iter().position(|own| own == pair) {
            // Each pair counts once: `aaaa` and `aa` are not fully alike.
            own.swap_remove(index);
            shared += 1;
        }
    }
    (2000 * shared).checked_div(all).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_alike_come_first() {
        let names = ["parse", "purse", "pause", "parser", "x"];
        assert_eq!(nearest("parse", names.iter(), 3), [0, 3, 1]);
        assert_eq!(nearest("", names.iter(), 2), [0, 1]);
        let long = "a".repeat(100_000);
        assert_eq!(dice_similarity(&long, &long), 1000);
    }
}
