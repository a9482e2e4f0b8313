//! An index of a text's lines and words by hash, for finding regions similar to another text.
//!
//! Both texts are folded first: case, blanks, and quotes and dashes of all kinds are the
//! differences that texts copied by a model or a person most often have. Folding serves to find a
//! region and to explain the difference, never to apply an edit.

use docent_text::digest::digest;
use docent_text::saturating::saturating_u32;
use unicode_normalization::UnicodeNormalization;

/// The lines of a file by hash.
#[derive(Debug)]
pub struct HashedLines {
    /// Hash of each line; `None` for a blank one.
    hashes: Vec<Option<u64>>,
    /// Hashes and line numbers, sorted.
    lines: Vec<(u64, u32)>,
}

impl HashedLines {
    /// Builds the index of the lines of a text, given without their ends.
    pub fn new<'t>(lines: impl Iterator<Item = &'t str>) -> Self {
        let mut folder = TextFolder::default();
        let hashes: Vec<Option<u64>> = lines.map(|line| folder.hash(line)).collect();
        let numbered = hashes.iter().enumerate();
        let mut lines: Vec<(u64, u32)> = numbered
            .filter_map(|(line, hash)| Some(((*hash)?, saturating_u32(line))))
            .collect();
        lines.sort_unstable();
        Self { hashes, lines }
    }

    /// Returns the hash of a line, counted from 0.
    pub fn hash(&self, line: usize) -> Option<u64> {
        self.hashes.get(line).copied().flatten()
    }

    /// Returns the lines with a given hash, in order.
    pub fn lines(&self, hash: u64) -> impl ExactSizeIterator<Item = usize> + '_ {
        let start = self.lines.partition_point(|(other, _)| *other < hash);
        let count = self.lines[start..].partition_point(|(other, _)| *other == hash);
        self.lines[start..start + count]
            .iter()
            .map(|(_, line)| *line as usize)
    }
}

/// A folder of texts that reuses its buffer.
#[derive(Debug, Default)]
pub struct TextFolder(String);

impl TextFolder {
    /// Returns the hash of a line, or `None` if the line is blank.
    pub fn hash(&mut self, line: &str) -> Option<u64> {
        let folded = self.fold(line);
        (!folded.is_empty()).then(|| digest(folded.as_bytes()))
    }

    /// Returns a text in lower case, with runs of blanks replaced by a single one and none at its
    /// ends.
    pub fn fold(&mut self, text: &str) -> &str {
        self.0.clear();
        if text.is_ascii() {
            text.chars().for_each(|c| fold(c, &mut self.0));
        } else {
            text.nfc().for_each(|c| fold(c, &mut self.0));
        }
        let length = self.0.trim_end().len();
        self.0.truncate(length);
        &self.0
    }

    /// Calls `each` with the hash of each word of a text.
    pub fn words(&mut self, text: &str, mut each: impl FnMut(u64)) {
        let folded = self.fold(text);
        for word in folded.split(|c: char| !c.is_alphanumeric()) {
            // A single ASCII letter is in nearly every line and does not indicate a place. A single
            // Korean syllable, which has three bytes, may be a word.
            if word.len() > 1 {
                each(digest(word.as_bytes()));
            }
        }
    }
}

fn fold(c: char, out: &mut String) {
    match c {
        _ if c.is_whitespace() => {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
        }
        'a'..='z' | '0'..='9' => out.push(c),
        'A'..='Z' => out.push(c.to_ascii_lowercase()),
        _ if c.is_ascii() => out.push(c),
        _ if is_invisible(c) => {}
        _ => match plain(c) {
            Some(plain) => out.push(plain),
            None => out.extend(c.to_lowercase()),
        },
    }
}

/// Returns true if a character has no width.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{FE00}'..='\u{FE0F}'
    )
}

/// Returns the character that people type for a typographic quote or dash.
pub fn plain(c: char) -> Option<char> {
    match c {
        '\u{2018}'..='\u{201B}' | '\u{2032}' | '\u{B4}' => Some('\''),
        '\u{201C}'..='\u{201F}' | '\u{2033}' | '\u{AB}' | '\u{BB}' => Some('"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some('-'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_copies_differ_in_is_folded() {
        let mut folder = TextFolder::default();
        for (text, expected) in [
            ("\tRun  `npm` once. ", "run `npm` once."),
            ("\u{201C}a\u{201D}\u{A0}\u{2014} b", "\"a\" - b"),
            ("e\u{301}\u{200B}É", "éé"),
            (" \t", ""),
        ] {
            assert_eq!(folder.fold(text), expected);
        }
        assert_eq!(folder.hash(" "), None);
        let mut words = 0;
        folder.words("a bc, de-fg 한", |_| words += 1);
        assert_eq!(words, 4);
    }
}
