//! Which words a file may hold: identifiers, and what looks like the name of a file.
//!
//! All texts of a tree go through here once, and most of what they hold is no name. So words are not
//! told apart first: a block of bytes at a time is looked through for the signs of a name, a dot
//! within a word, a line below, an upper letter behind a lower one. Only the word that holds one is
//! looked at exactly, with what adjoins it.

use docent_text::digest::digest;

/// Digests of words, on the way.
#[derive(Default)]
pub struct Words(Vec<u32>);

impl Words {
    /// Adds a word.
    pub fn add(&mut self, word: &str) {
        self.0.push(key(word));
    }

    /// Adds what looks like the name of a file or like an identifier: a word with a dot, a line
    /// below or an upper letter behind a lower one in it.
    pub fn add_names(&mut self, text: &str) {
        let bytes = text.as_bytes();
        // All before it has been looked at, and no word goes over it.
        let mut done = 0;
        let mut at = 0;
        while let Some(block) = bytes[at..].first_chunk::<BLOCK>() {
            if !has_sign(block) {
                // The last byte is looked at again, with the one behind it.
                at += BLOCK - 1;
                continue;
            }
            let pairs = block.windows(2);
            let sign = at + pairs.take_while(|pair| !is_sign(pair[0], pair[1])).count();
            let before = bytes[done..sign].iter().rposition(|byte| is_gap(*byte));
            let start = before.map_or(done, |gap| done + gap + 1);
            let behind = bytes[sign..].iter().position(|byte| is_gap(*byte));
            done = behind.map_or(bytes.len(), |gap| sign + gap);
            at = done;
            self.add_names_of_run(&text[start..done]);
        }
        let before = bytes[done..at].iter().rposition(|byte| is_gap(*byte));
        let start = before.map_or(done, |gap| done + gap + 1);
        self.add_names_of(&text[start..]);
    }

    /// Adds those of a text without gaps.
    fn add_names_of_run(&mut self, run: &str) {
        // Beyond ASCII there may be gaps of other kinds.
        if run.is_ascii() {
            self.add_names_of_word(run);
        } else {
            self.add_names_of(run);
        }
    }

    /// Adds those of any text, word by word.
    fn add_names_of(&mut self, text: &str) {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '$');
        for word in text.split(|c| !is_part(c)) {
            self.add_names_of_word(word);
        }
    }

    fn add_names_of_word(&mut self, word: &str) {
        let word = word.trim_matches('.').trim_matches('-');
        if word.contains('.') {
            self.add(word);
        }
        let parts = word.split(['.', '-']);
        for part in parts.filter(|part| is_identifier_like(part)) {
            self.add(part);
            // `$parse_config` holds the word behind its sign.
            if part.contains('$') {
                let words = part.split('$').filter(|word| is_identifier_like(word));
                words.for_each(|word| self.add(word));
            }
        }
    }

    /// Returns them ascending, each once.
    pub fn finish(mut self) -> Box<[u32]> {
        self.0.sort_unstable();
        self.0.dedup();
        self.0.into()
    }
}

/// Bytes that are looked through at once: what a compiler makes a few vectors of.
const BLOCK: usize = 33;

/// Whether a block has a sign of a name. Without an early end, so that it is done by vectors.
fn has_sign(block: &[u8; BLOCK]) -> bool {
    let mut has_sign = false;
    for at in 0..BLOCK - 1 {
        has_sign |= is_sign(block[at], block[at + 1]);
    }
    has_sign
}

/// Whether a byte, with the one behind it, is a sign that it stands in a name. Some are that stand in
/// none.
fn is_sign(byte: u8, next: u8) -> bool {
    let is_line = byte == b'_';
    let is_dot = (byte == b'.') & (next > b' ');
    let is_rise = byte.is_ascii_lowercase() & next.is_ascii_uppercase();
    is_line | is_dot | is_rise
}

/// Whether no word has this byte in it. Beyond ASCII any may be part of one.
fn is_gap(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'.' | b'-' | b'$')
}

/// Whether a word looks like an identifier wherever it stands, so that every text tells of it.
pub fn is_identifier_like(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.contains(&b'_')
        || bytes
            .windows(2)
            .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// Returns half of a digest: among the words of a file two are seldom taken for one another, and
/// whoever asks looks into the text afterwards.
pub fn key(word: &str) -> u32 {
    let [a, b, c, d, ..] = digest(word.as_bytes()).to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(add: impl FnOnce(&mut Words)) -> Box<[u32]> {
        let mut words = Words::default();
        add(&mut words);
        words.finish()
    }

    #[test]
    fn names_have_a_sign() {
        let text = "see lib.rs, parse_config; fooBar-baz and 설정.toml, not This or that-one.";
        let found = names(|words| words.add_names(text));
        for (word, expected) in [
            ("lib.rs", true),
            ("parse_config", true),
            ("fooBar", true),
            ("fooBar-baz", false),
            ("설정.toml", true),
            ("toml", false),
            ("This", false),
            ("that-one", false),
            ("one", false),
        ] {
            assert_eq!(found.binary_search(&key(word)).is_ok(), expected, "{word}");
        }
    }

    proptest! {
        #[test]
        fn no_name_is_passed_over(text in "([a-cA-C0-9._$ \\-\n\t(ß가é—\u{a0}\u{300}]|[a-z ]{0,50}|\\PC){0,90}") {
            let quick = names(|words| words.add_names(&text));
            let exact = names(|words| words.add_names_of(&text));
            prop_assert_eq!(quick, exact);
        }
    }
}
