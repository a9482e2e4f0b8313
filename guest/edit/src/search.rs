//! Search for all occurrences of one text in another, including overlapping ones, in linear time.
//!
//! The naive search for overlapping occurrences is quadratic: one million letters `a` in two
//! million of them. So this is the algorithm of Knuth, Morris and Pratt, with a fast search to skip
//! between occurrences.

use memchr::memmem;

/// Returns the starts of `needle` in `haystack`, in order. Overlapping occurrences are included,
/// since an edit could mean any of them. An empty needle has none.
pub fn all(haystack: &[u8], needle: &[u8]) -> Vec<usize> {
    all_counted(haystack, needle, &mut 0)
}

/// Returns the same starts, and counts the bytes that were compared.
fn all_counted(haystack: &[u8], needle: &[u8], steps: &mut u64) -> Vec<usize> {
    if needle.is_empty() {
        return Vec::new();
    }
    let finder = memmem::Finder::new(needle);
    let mut places = Vec::new();
    let Some(mut at) = finder.find(haystack) else {
        return places;
    };
    let borders = borders(needle, steps);
    // Length of the prefix of the needle that precedes the current byte.
    let mut matched = 0;
    while let Some(byte) = haystack.get(at) {
        while matched > 0 && (matched == needle.len() || needle[matched] != *byte) {
            matched = borders[matched - 1];
            *steps += 1;
        }
        *steps += 1;
        if needle[matched] == *byte {
            matched += 1;
        }
        if matched == needle.len() {
            places.push(at + 1 - needle.len());
        }
        at += 1;
        // If no beginning of the needle precedes this byte, the bytes up to the next occurrence can
        // be skipped, which is much faster than comparing them one by one. The fast search alone
        // would not do: it finds no overlapping occurrences, and started anew after the first byte
        // of each it would be quadratic.
        if matched == 0 {
            match finder.find(&haystack[at..]) {
                Some(distance) => at += distance,
                None => break,
            }
        }
    }
    places
}

/// Returns for each prefix of `needle` the length of its longest proper border: the failure
/// function of Knuth, Morris and Pratt.
fn borders(needle: &[u8], steps: &mut u64) -> Vec<usize> {
    let mut borders = vec![0; needle.len()];
    let mut length = 0;
    for at in 1..needle.len() {
        while length > 0 && needle[length] != needle[at] {
            length = borders[length - 1];
            *steps += 1;
        }
        *steps += 1;
        if needle[length] == needle[at] {
            length += 1;
        }
        borders[at] = length;
    }
    borders
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hostile_texts_cost_what_they_are_long() {
        let long = "a".repeat(2_000_000);
        let needle = "a".repeat(1_000_000);
        let mut steps = 0;
        let places = all_counted(long.as_bytes(), needle.as_bytes(), &mut steps);
        assert_eq!(places.len(), 1_000_001);
        assert!(steps < 2 * 3_000_000, "{steps}");
        let near = format!("{}b", "a".repeat(1_000_000));
        let text = format!("{near}{long}");
        steps = 0;
        assert_eq!(
            all_counted(text.as_bytes(), near.as_bytes(), &mut steps),
            [0]
        );
        assert!(steps < 3 * 4_000_000, "{steps}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_place(haystack in "[ab]{0,40}", needle in "[ab]{0,5}") {
            let places = (0..haystack.len())
                .filter(|at| !needle.is_empty() && haystack[*at..].starts_with(&needle));
            let places: Vec<usize> = places.collect();
            prop_assert_eq!(all(haystack.as_bytes(), needle.as_bytes()), places);
        }
    }
}
