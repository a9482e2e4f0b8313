//! Word filters of files: identifiers, and words that look like file names.
//!
//! Every text of a tree is scanned once, and most of its content is not a name. So words are not
//! split first: the text is searched block by block for the signs of a name, a dot within a word,
//! an underscore, an upper-case letter after a lower-case one. Only the word with the sign is
//! examined exactly, including the adjacent bytes.

use docent_text::digest::digest;

/// A collector of word digests.
#[derive(Default)]
pub struct Words(Vec<u32>);

impl Words {
    /// Adds a word.
    pub fn add(&mut self, word: &str) {
        self.0.push(key(word));
    }

    /// Adds the words of a text that look like file names or identifiers: those that contain a dot,
    /// an underscore, or an upper-case letter after a lower-case one. In `see lib.rs, fooBar-baz`
    /// these are `lib.rs` and `fooBar`.
    pub fn add_names(&mut self, text: &str) {
        let bytes = text.as_bytes();
        // Everything before `done` has been examined, and no word spans it. `at` is the start of
        // the next block, up to which there is no sign.
        let mut done = 0;
        let mut at = 0;
        while let Some(block) = bytes[at..].first_chunk::<BLOCK>() {
            if !has_sign(block) {
                // The last byte of a block is examined again with the byte after it: a sign such as
                // `aB` may be split by the end of the block. A property test compares the result
                // with that of an exact split.
                at += BLOCK - 1;
                continue;
            }
            let pairs = block.windows(2);
            let sign = at + pairs.take_while(|pair| !is_sign(pair[0], pair[1])).count();
            let before = bytes[done..sign].iter().rposition(|byte| is_gap(*byte));
            let start = before.map_or(done, |gap| done + gap + 1);
            let after = bytes[sign..].iter().position(|byte| is_gap(*byte));
            done = after.map_or(bytes.len(), |gap| sign + gap);
            at = done;
            self.add_names_of_run(&text[start..done]);
        }
        let before = bytes[done..at].iter().rposition(|byte| is_gap(*byte));
        let start = before.map_or(done, |gap| done + gap + 1);
        self.add_names_of(&text[start..]);
    }

    /// Adds those in a run without gaps.
    fn add_names_of_run(&mut self, run: &str) {
        // Only an ASCII run is known to be one word: beyond ASCII, a character such as `—` or `」`
        // separates words without being a gap byte.
        if run.is_ascii() {
            self.add_names_of_word(run);
        } else {
            self.add_names_of(run);
        }
    }

    /// Adds those in any text, word by word.
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
            // `$parse_config` is recorded with and without its sign: languages differ in whether
            // the sign is a part of the name, and prose usually omits it.
            if part.contains('$') {
                let words = part.split('$').filter(|word| is_identifier_like(word));
                words.for_each(|word| self.add(word));
            }
        }
    }

    /// Returns the distinct digests in ascending order.
    pub fn finish(mut self) -> Box<[u32]> {
        self.0.sort_unstable();
        self.0.dedup();
        self.0.into()
    }
}

/// Bytes searched at once: 32 pairs of a byte and the next one, which compile to a few vectors.
const BLOCK: usize = 33;

/// Returns true if a block contains a sign of a name. The loop has no early exit, because a
/// compiler only vectorizes a loop whose number of turns is known.
fn has_sign(block: &[u8; BLOCK]) -> bool {
    let mut has_sign = false;
    for at in 0..BLOCK - 1 {
        has_sign |= is_sign(block[at], block[at + 1]);
    }
    has_sign
}

/// Returns true if a byte, together with the next one, may be a sign of a name. False positives are
/// possible.
fn is_sign(byte: u8, next: u8) -> bool {
    let is_line = byte == b'_';
    let is_dot = (byte == b'.') & (next > b' ');
    let is_rise = byte.is_ascii_lowercase() & next.is_ascii_uppercase();
    is_line | is_dot | is_rise
}

/// Returns true if no word contains this byte. Beyond ASCII, any byte may be part of a word.
fn is_gap(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'.' | b'-' | b'$')
}

/// Returns true if a word looks like an identifier, so that it is recorded from every text.
pub fn is_identifier_like(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.contains(&b'_')
        || bytes
            .windows(2)
            .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// Returns half of a digest. Two words of a file seldom collide in 32 bits, and callers verify a
/// match in the text, so that a whole digest would only double the size of each summary.
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
