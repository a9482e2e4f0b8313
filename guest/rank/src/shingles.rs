//! Near-duplicate detection of texts by shingles of five consecutive words.
//!
//! A. Broder, *On the resemblance and containment of documents*, 1997: the resemblance of two texts
//! is the share of shingles that are in both among those that are in either.

use std::collections::BTreeSet;

use docent_text::digest::{combine, digest};

use crate::limits::{SAME_THOUSANDTHS, SHINGLE_BYTES, SHINGLE_WORDS};

/// The digests of all shingles of a text; of a shorter one, that of all its words.
pub struct Shingles(BTreeSet<u64>);

impl Shingles {
    /// Collects the shingles of the beginning of a text.
    pub fn new(text: &str) -> Self {
        let beginning = &text[..text.floor_char_boundary(SHINGLE_BYTES)];
        let words = beginning.split_whitespace();
        let words: Vec<u64> = words.map(|word| digest(word.as_bytes())).collect();
        let row = |words: &[u64]| words.iter().fold(0, |hash, word| combine(hash, *word));
        if words.len() < SHINGLE_WORDS {
            return Self([row(&words)].into());
        }
        Self(words.windows(SHINGLE_WORDS).map(row).collect())
    }

    /// Returns true if two texts are duplicates, or nearly.
    pub fn is_near(&self, other: &Self) -> bool {
        let common = self.0.intersection(&other.0).count();
        let all = self.0.len() + other.0.len() - common;
        common * 1000 >= all * SAME_THOUSANDTHS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_the_same_and_not() {
        let text = "one two three four five six seven eight nine ten ";
        let long: String = (0..200).map(|number| format!("word{number} ")).collect();
        for (one, other, expected) in [
            (text, text.trim_end(), true),
            (text, "one two three four", false),
            (long.as_str(), &format!("{long} and more"), true),
            (long.as_str(), &long.replace("word1", "other"), false),
            ("a", "a\n", true),
            ("a", "b", false),
        ] {
            assert_eq!(Shingles::new(one).is_near(&Shingles::new(other)), expected);
        }
    }
}
