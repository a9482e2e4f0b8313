//! The parts of one piece: it is taken apart from its beginning, the longest token first.
//!
//! The filter takes one of 256 strings for a token that is none, and two dozen are asked for each
//! part. Where words are short that goes unnoticed; in a script whose tokens are a syllable or less,
//! such as Thai, Chinese or decomposed Korean, and in runs of signs, one of these swallows half a
//! dozen true tokens. But a token came to be by joining two tokens, and these by joining two: what
//! cannot have come to be so is none.

use crate::tokens::vocabulary::StringHash;

/// Bytes of the longest token that is looked for within a piece; 198 of 200 000 are longer.
const LONGEST_TOKEN: usize = 32;

/// Returns the number of tokens that a piece, which is not empty and has this hash, is taken apart
/// into.
pub fn parts_of(piece: &[u8], whole: StringHash) -> u64 {
    let may_be_token = piece.len() <= LONGEST_TOKEN && whole.is_token();
    // Most pieces are a word of ASCII letters, and of these nearly all are tokens: to ask how they
    // came to be would cost more than it tells.
    if may_be_token && (is_plain_word(piece) || is_joined(piece)) {
        return 1;
    }
    let (mut count, mut start) = (0, 0);
    while start < piece.len() {
        start += first_part(&piece[start..]);
        count += 1;
    }
    count.max(parts_of_run(piece))
}

/// Whether a piece that looks like a token came to be by joining two tokens.
fn is_joined(piece: &[u8]) -> bool {
    match piece {
        // Two bytes are two tokens.
        [] | [_] | [_, _] => true,
        [start @ .., _] if start.len() == 2 => {
            StringHash::of(start).is_token() || StringHash::of(&piece[1..]).is_token()
        }
        _ => Origins::new(piece).is_token(0, piece.len()),
    }
}

/// Returns the length of the longest token that `bytes`, which are not empty, begin with.
fn first_part(bytes: &[u8]) -> usize {
    // A hash grows byte by byte, so that those of all beginnings cost one pass. Then the longest is
    // asked first, and the first that is a token is the answer.
    let mut hashes = [StringHash::EMPTY; LONGEST_TOKEN];
    let mut hash = StringHash::EMPTY;
    let bytes = &bytes[..bytes.len().min(LONGEST_TOKEN)];
    for (slot, &byte) in hashes.iter_mut().zip(bytes) {
        hash = hash.with(byte);
        *slot = hash;
    }
    let mut origins = Origins::new(bytes);
    let is_token =
        |(last, hash): &(usize, &StringHash)| hash.is_token() && origins.is_token(0, last + 1);
    let longest = hashes[..bytes.len()].iter().enumerate().rfind(is_token);
    // Each byte is a token by itself.
    longest.map_or(1, |(last, _)| last + 1)
}

fn is_plain_word(piece: &[u8]) -> bool {
    let word = piece.strip_prefix(b" ").unwrap_or(piece);
    word.iter().all(u8::is_ascii_alphabetic)
}

/// Which parts of a short string are tokens that came to be by joining two tokens. What was found
/// once is kept, so that each part is asked about once whatever the string.
struct Origins<'a> {
    string: &'a [u8],
    /// By the byte where a part begins, for each byte where it may end one bit: whether it was
    /// asked about.
    asked: [u32; LONGEST_TOKEN],
    /// The same: whether it is a token.
    tokens: [u32; LONGEST_TOKEN],
}

impl<'a> Origins<'a> {
    /// Begins with a string of [`LONGEST_TOKEN`] bytes at most.
    fn new(string: &'a [u8]) -> Self {
        Self {
            string,
            asked: [0; LONGEST_TOKEN],
            tokens: [0; LONGEST_TOKEN],
        }
    }

    fn is_token(&mut self, start: usize, end: usize) -> bool {
        if end - start == 1 {
            return true;
        }
        let bit = 1 << (end - 1);
        if self.asked[start] & bit == 0 {
            self.asked[start] |= bit;
            let is_joined = StringHash::of(&self.string[start..end]).is_token()
                && (start + 1..end).any(|at| self.is_token(start, at) && self.is_token(at, end));
            if is_joined {
                self.tokens[start] |= bit;
            }
        }
        self.tokens[start] & bit != 0
    }
}

/// Returns the number of tokens of a piece that is one character again and again, as far as can be
/// told; 0 of any other. The tokenizer joins neighbours by rank, not the longest first: such runs
/// end as pairs, as pairs of pairs and so on, which for some comes out longer.
fn parts_of_run(piece: &[u8]) -> u64 {
    // A space goes before, line breaks go behind.
    let run = piece.strip_prefix(b" ").unwrap_or(piece).trim_ascii_end();
    let Some(first) = run
        .utf8_chunks()
        .next()
        .and_then(|chunk| chunk.valid().chars().next())
    else {
        return 0;
    };
    let length = first.len_utf8();
    let times = run.len() / length;
    if times < SHORTEST_RUN || run[length..] != run[..run.len() - length] {
        return 0;
    }
    let mut joined = 1;
    while joined * 2 <= times && StringHash::of(&run[..joined * 2 * length]).is_token() {
        joined *= 2;
    }
    let rest = times % joined;
    (times / joined) as u64 + u64::from(rest.count_ones())
}

/// Characters of the shortest run whose pairs are counted; of shorter ones the longest tokens are.
const SHORTEST_RUN: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(piece: &str) -> u64 {
        parts_of(piece.as_bytes(), StringHash::of(piece.as_bytes()))
    }

    /// What o200k_base makes of runs.
    #[test]
    fn runs_as_the_tokenizer_joins_them() {
        for (unit, times, tokens) in [
            ("❌", 160, 320),
            ("$", 3000, 750),
            ("a", 3000, 375),
            ("。", 3000, 1500),
            ("、", 8, 4),
            ("★", 500, 125),
            ("✅", 500, 500),
            ("\u{AD}", 500, 250),
            ("`", 6, 3),
            ("`", 300, 150),
        ] {
            let counted = parts(&unit.repeat(times));
            assert_eq!(counted, tokens, "{unit} {times}");
        }
    }

    #[test]
    fn short_pieces_are_judged_as_long_ones_are() {
        let bytes: Vec<u8> = (b' '..=b'~').chain([b'\n', 0xC3, 0xA9]).collect();
        let mut pieces: Vec<Vec<u8>> = Vec::new();
        for &a in &bytes {
            for &b in &bytes {
                pieces.push(vec![a, b]);
                pieces.extend(bytes.iter().step_by(3).map(|&c| vec![a, b, c]));
            }
        }
        let tokens = pieces
            .iter()
            .filter(|piece| StringHash::of(piece).is_token());
        let mut joined = 0;
        for piece in tokens {
            let expected = Origins::new(piece).is_token(0, piece.len());
            assert_eq!(is_joined(piece), expected, "{piece:?}");
            joined += u32::from(expected);
        }
        assert!(joined > 1_000, "{joined}");
    }

    #[test]
    fn a_plain_word_is_letters_behind_a_space() {
        for (piece, expected) in [
            (" word", true),
            ("word", true),
            ("  word", false),
            ("wörd", false),
        ] {
            assert_eq!(is_plain_word(piece.as_bytes()), expected, "{piece}");
        }
    }
}
