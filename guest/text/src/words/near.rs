//! Near words: spelling suggestions for words of a query that nothing matched.

use std::collections::BTreeMap;

use crate::fold::{Case, decompose};
use crate::limits::{NEAR_CANDIDATES, NEAR_LETTERS, NEAR_LONG_LETTERS, NEAR_SHOWN, NEAR_WORDS};
use crate::sort::sort_by;
use crate::words::korean;

/// A collector of words within one edit of a word of the query, or two of a long one. An edit
/// inserts, deletes or replaces a letter, or swaps two neighbours; letters are folded and
/// decomposed, so that Hangul is compared by its single letters.
#[derive(Debug)]
pub struct NearWords {
    sought: Vec<SoughtWord>,
    /// Letters of the current word; a reused buffer.
    letters: Vec<char>,
}

/// A word of the query.
#[derive(Debug)]
struct SoughtWord {
    letters: Vec<char>,
    /// A bit for each of its letters.
    mask: u64,
    most_edits: usize,
    /// True if a text contains the word itself, which then needs no suggestion.
    occurs: bool,
    near: BTreeMap<String, Nearness>,
}

/// Distance and frequency of a word.
#[derive(Debug)]
struct Nearness {
    edits: usize,
    number: u32,
}

impl NearWords {
    /// Creates a collector for the first words of a query that are long enough.
    pub fn new(query: &str) -> Self {
        let sought = words(query).filter_map(SoughtWord::new);
        Self {
            sought: sought.take(NEAR_WORDS).collect(),
            letters: Vec::new(),
        }
    }

    /// Returns true if there is no word to suggest for.
    pub fn is_empty(&self) -> bool {
        self.sought.is_empty()
    }

    /// Collects from all words of a text, in linear time.
    pub fn collect_from(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut start = 0;
        while start < bytes.len() {
            // Nearly all words of a text are far from the sought ones. A word has a mask with a bit
            // for each of its letters, and an edit changes few of its bits. The masks of ASCII
            // words are computed byte by byte, without decoding, and settle most of them.
            let mut end = start;
            let mut mask = 0;
            let after = loop {
                let byte = bytes.get(end).copied().unwrap_or(b' ');
                match BYTE_MASKS[usize::from(byte)] {
                    0 => break byte,
                    letter => mask |= letter,
                }
                end += 1;
            };
            if !after.is_ascii() {
                let rest = &text[start..];
                end = start + rest.find(is_between_words).unwrap_or(rest.len());
                self.collect_word(&text[start..end]);
            } else if self.may_be_near(end - start, mask) {
                self.collect_word(&text[start..end]);
            }
            start = end + text[end..].chars().next().map_or(0, char::len_utf8);
        }
    }

    fn collect_word(&mut self, word: &str) {
        // A longer word cannot be near: a letter has at most four bytes, and decomposes to at most
        // four. Without this test, a line of base64 would be decomposed as a whole.
        if word.is_empty() || word.len() > 4 * NEAR_LETTERS.1 {
            return;
        }
        self.letters.clear();
        push_letters(word, &mut self.letters);
        for sought in &mut self.sought {
            sought.compare(word, &self.letters);
        }
    }

    /// Returns true if a word of `length` letters with this mask may be a sought one, or near it.
    fn may_be_near(&self, length: usize, mask: u64) -> bool {
        let mut sought = self.sought.iter();
        sought.any(|sought| !sought.occurs && sought.is_comparable(length, mask))
    }

    /// Returns true if a text contains a word near one of the query's, other than that word itself.
    pub fn is_near(&mut self, text: &str) -> bool {
        words(text).any(|word| {
            self.letters.clear();
            if word.len() <= 4 * NEAR_LETTERS.1 {
                push_letters(word, &mut self.letters);
            }
            let letters = &self.letters;
            let mut sought = self.sought.iter();
            sought.any(|sought| sought.edits(letters).is_some_and(|edits| edits > 0))
        })
    }

    /// Returns the words near those of the query that no text contains: the nearest first, then the
    /// most frequent, then by their letters. The last criterion makes the order independent of the
    /// order in which texts were read.
    pub fn into_words(self) -> Vec<String> {
        let sought = self.sought.into_iter().filter(|sought| !sought.occurs);
        let mut near: Vec<(String, Nearness)> = sought.flat_map(|sought| sought.near).collect();
        sort_by(&mut near, |(word, nearness), (other, others)| {
            let by_edits = nearness.edits.cmp(&others.edits);
            let by_number = || others.number.cmp(&nearness.number);
            by_edits.then_with(by_number).then_with(|| word.cmp(other))
        });
        let mut words: Vec<String> = Vec::new();
        for (word, _) in near {
            if words.len() == NEAR_SHOWN {
                break;
            }
            // Two words of the query may be near the same word, such as `confg` and `confgi`; it is
            // suggested once.
            if !words.contains(&word) {
                words.push(word);
            }
        }
        words
    }
}

impl SoughtWord {
    fn new(word: &str) -> Option<Self> {
        let mut letters = Vec::new();
        push_letters(word, &mut letters);
        if !(NEAR_LETTERS.0..=NEAR_LETTERS.1).contains(&letters.len()) {
            return None;
        }
        let most_edits = if letters.len() < NEAR_LONG_LETTERS {
            1
        } else {
            2
        };
        Some(Self {
            mask: mask(letters.iter().copied()),
            letters,
            most_edits,
            occurs: false,
            near: BTreeMap::new(),
        })
    }

    fn compare(&mut self, word: &str, letters: &[char]) {
        if self.occurs {
            return;
        }
        match self.edits(letters) {
            None => {}
            Some(0) => self.occurs = true,
            Some(edits) => self.add(word, edits),
        }
    }

    /// Returns the edit distance to a word, or `None` if it is not near.
    fn edits(&self, letters: &[char]) -> Option<usize> {
        let mask = mask(letters.iter().copied());
        if !self.is_comparable(letters.len(), mask) {
            return None;
        }
        edits(&self.letters, letters, self.most_edits)
    }

    /// Returns true if a word of `length` letters with this mask may be near. Each edit removes at
    /// most one letter and adds one, so that it changes at most two bits and the length by one.
    /// Letters that share a bit only make words look nearer, which the exact distance corrects.
    fn is_comparable(&self, length: usize, mask: u64) -> bool {
        let differing = (self.mask ^ mask).count_ones() as usize;
        self.letters.len().abs_diff(length) <= self.most_edits && differing <= 2 * self.most_edits
    }

    fn add(&mut self, word: &str, edits: usize) {
        let word = stem(word).to_lowercase();
        let has_room = self.near.len() < NEAR_CANDIDATES;
        match self.near.get_mut(&word) {
            Some(nearness) => nearness.number = nearness.number.saturating_add(1),
            None if has_room => {
                self.near.insert(word, Nearness { edits, number: 1 });
            }
            None => {}
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_between_words).filter(|word| !word.is_empty())
}

fn is_between_words(c: char) -> bool {
    !c.is_alphanumeric()
}

/// Strips Korean particles after nouns.
fn stem(word: &str) -> &str {
    let is_hangul = word.chars().all(|c| matches!(c, '가'..='힣'));
    if is_hangul {
        korean::without_ending(word)
    } else {
        word
    }
}

fn push_letters(word: &str, letters: &mut Vec<char>) {
    for c in stem(word).chars() {
        decompose(c, Case::Ignored, |letter| letters.push(letter));
    }
}

/// Mask of each ASCII letter or digit; 0 for other bytes.
static BYTE_MASKS: [u64; 256] = {
    let mut masks = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() {
            masks[byte as usize] = mask_of(byte.to_ascii_lowercase() as char);
        }
        byte += 1;
    }
    masks
};

fn mask(letters: impl Iterator<Item = char>) -> u64 {
    letters.fold(0, |mask, letter| mask | mask_of(letter))
}

const fn mask_of(letter: char) -> u64 {
    1 << (letter as u32 % 64)
}

/// Returns the edit distance of `a` and `b`, or `None` if it is more than `most`.
fn edits(a: &[char], b: &[char], most: usize) -> Option<usize> {
    // The table of the optimal string alignment distance has a row for each letter of `a` and a
    // column for each of `b`. Three rows are kept, because a swap of two neighbours refers to the
    // row before the last. If all of a row exceeds `most`, so do all later ones.
    let mut before = [0; ROW];
    let mut above: [usize; ROW] = std::array::from_fn(|column| column);
    for (i, letter) in a.iter().enumerate() {
        let mut row = [i + 1; ROW];
        let mut least = i + 1;
        for (j, other) in b.iter().enumerate().take(ROW - 1) {
            let mut cost = (above[j] + usize::from(letter != other))
                .min(above[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *letter == b[j - 1] && a[i - 1] == *other {
                cost = cost.min(before[j - 1] + 1);
            }
            least = least.min(cost);
            row[j + 1] = cost;
        }
        if least > most {
            return None;
        }
        before = above;
        above = row;
    }
    above.get(b.len()).copied().filter(|edits| *edits <= most)
}

/// Columns of a row: no compared word has more letters than the longest sought one and two edits.
const ROW: usize = NEAR_LETTERS.1 + 3;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(query: &str, text: &str, expected: &[&str]) {
        let mut near = NearWords::new(query);
        near.collect_from(text);
        assert_eq!(near.into_words(), expected, "{query} in {text}");
    }

    #[test]
    fn a_slip_of_the_fingers_is_near() {
        check("embeding", "An Embedding of words.", &["embedding"]);
        check("serach", "the search box", &["search"]);
        check("confguraiton", "its configuration", &["configuration"]);
        check("cahce", "a cache, a cash; cached", &["cache"]);
    }

    #[test]
    fn the_nearest_and_most_frequent_come_first() {
        check("lantren", "lanterns lantern lanterns", &["lantern"]);
        check("tests", "test best test tent rests", &["test", "rests"]);
    }

    #[test]
    fn short_words_and_far_ones_are_left_alone() {
        check("cat", "car bat cats", &[]);
        check("cache", "cloche catch", &[]);
        check("harbour", "harness", &[]);
    }

    #[test]
    fn words_that_occur_are_not_named() {
        check("embedding modle", "embedding embeddings model", &["model"]);
    }

    #[test]
    fn a_text_is_near_by_one_of_its_words() {
        let mut near = NearWords::new("embeding 캐쉬");
        for (text, expected) in [
            ("docs/embedding-models.md", true),
            ("docs/embeding.md", false),
            ("캐시.md", true),
            ("docs/other.md", false),
        ] {
            assert_eq!(near.is_near(text), expected, "{text}");
        }
    }

    #[test]
    fn hangul_is_compared_by_its_letters() {
        check("캐쉬", "캐시를 켠다", &["캐시"]);
        check("임배딩", "임베딩은 벡터다", &["임베딩"]);
        check("설정", "설명", &[]);
    }

    /// Reference implementation that tries all edits.
    fn slow_edits(a: &[char], b: &[char]) -> usize {
        match (a, b) {
            ([], rest) | (rest, []) => rest.len(),
            ([x, a_rest @ ..], [y, b_rest @ ..]) => {
                let mut least = (slow_edits(a_rest, b_rest) + usize::from(x != y))
                    .min(slow_edits(a_rest, b) + 1)
                    .min(slow_edits(a, b_rest) + 1);
                if let ([x2, a_rest @ ..], [y2, b_rest @ ..]) = (a_rest, b_rest)
                    && x == y2
                    && x2 == y
                {
                    least = least.min(slow_edits(a_rest, b_rest) + 1);
                }
                least
            }
        }
    }

    proptest! {
        #[test]
        fn words_are_passed_over_only_where_they_are_far(
            query in "[a-e가나é]{4,9}",
            text in "([a-eA-E]{1,9}|[가나é]{1,4}|[a-e가é]{3,9}|[ .,…_-]){0,40}",
        ) {
            let (mut near, mut each) = (NearWords::new(&query), NearWords::new(&query));
            near.collect_from(&text);
            words(&text).for_each(|word| each.collect_word(word));
            prop_assert_eq!(near.into_words(), each.into_words());
        }

        #[test]
        fn edits_are_the_fewest(a in "[abc]{0,6}", b in "[abc]{0,6}", most in 1usize..4) {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            let expected = Some(slow_edits(&a, &b)).filter(|edits| *edits <= most);
            prop_assert_eq!(edits(&a, &b, most), expected);
            // Words rejected by the masks are farther away than that.
            if expected.is_some() {
                let [a, b] = [a, b].map(|word| mask(word.into_iter()));
                prop_assert!((a ^ b).count_ones() as usize <= 2 * most);
            }
        }
    }
}
