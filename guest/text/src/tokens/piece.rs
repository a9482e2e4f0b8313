//! Splits of one piece into parts: from its start, the longest token first.
//!
//! The filter reports one of 256 non-tokens as a token, and is asked about two dozen strings per
//! part. With short words that goes unnoticed; in a script whose tokens are a syllable or less,
//! such as Thai, Chinese or decomposed Korean, and in runs of signs, one false token swallows half
//! a dozen true ones. But every token was made by merging two tokens, recursively: a string that
//! cannot have been made so is not a token.

use crate::tokens::vocabulary::StringHash;

/// Bytes of the longest token searched for within a piece; 198 of 200 000 are longer.
const LONGEST_TOKEN: usize = 32;

/// Returns the number of tokens of a piece, which must not be empty and has the hash `whole`.
pub fn parts_of(piece: &[u8], whole: StringHash) -> u64 {
    let may_be_token = piece.len() <= LONGEST_TOKEN && whole.is_token();
    // Most pieces are a word of ASCII letters, and nearly all of those are tokens, so that
    // verifying how they were merged would cost more than it gains. In other scripts a single false
    // token changes the count of a piece by half a dozen.
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

/// Returns true if a probable token can have been made by merging two tokens.
fn is_joined(piece: &[u8]) -> bool {
    match piece {
        // Any two bytes are two tokens.
        [] | [_] | [_, _] => true,
        [start @ .., _] if start.len() == 2 => {
            StringHash::new(start).is_token() || StringHash::new(&piece[1..]).is_token()
        }
        _ => MergeMemo::new(piece).is_token(0, piece.len()),
    }
}

/// Returns the length of the longest token at the start of `bytes`, which must not be empty.
fn first_part(bytes: &[u8]) -> usize {
    // A hash grows byte by byte, so that one pass computes those of all prefixes. Then the longest
    // prefix is tried first, and the first that is a token is the result; hashing each prefix anew
    // would take the square of their length.
    let mut hashes = [StringHash::EMPTY; LONGEST_TOKEN];
    let mut hash = StringHash::EMPTY;
    let bytes = &bytes[..bytes.len().min(LONGEST_TOKEN)];
    for (slot, &byte) in hashes.iter_mut().zip(bytes) {
        hash = hash.with(byte);
        *slot = hash;
    }
    let mut origins = MergeMemo::new(bytes);
    let is_token =
        |(last, hash): &(usize, &StringHash)| hash.is_token() && origins.is_token(0, last + 1);
    let longest = hashes[..bytes.len()].iter().enumerate().rfind(is_token);
    // Every single byte is a token.
    longest.map_or(1, |(last, _)| last + 1)
}

fn is_plain_word(piece: &[u8]) -> bool {
    let word = piece.strip_prefix(b" ").unwrap_or(piece);
    word.iter().all(u8::is_ascii_alphabetic)
}

/// Memo of the parts of a short string that are tokens made by merging two tokens. Each part is
/// tested at most once, whatever the string.
struct MergeMemo<'a> {
    string: &'a [u8],
    /// Indexed by the byte at which a part begins, one bit for each byte at which it may end: set
    /// if the part was tested.
    asked: [u32; LONGEST_TOKEN],
    /// The same index: set if the part is a token.
    tokens: [u32; LONGEST_TOKEN],
}

impl<'a> MergeMemo<'a> {
    /// Creates a memo for a string of at most [`LONGEST_TOKEN`] bytes.
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
            let is_joined = StringHash::new(&self.string[start..end]).is_token()
                && (start + 1..end).any(|at| self.is_token(start, at) && self.is_token(at, end));
            if is_joined {
                self.tokens[start] |= bit;
            }
        }
        self.tokens[start] & bit != 0
    }
}

/// Returns the number of tokens of a piece that repeats one character, approximately; 0 for any
/// other piece. The tokenizer merges neighbours by rank, not the longest first, so that such runs
/// become pairs, pairs of pairs and so on, which for some gives more tokens.
fn parts_of_run(piece: &[u8]) -> u64 {
    // The piece of a run of signs also contains the space before it and the line breaks after it,
    // which are not part of the run.
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
    while joined * 2 <= times && StringHash::new(&run[..joined * 2 * length]).is_token() {
        joined *= 2;
    }
    let rest = times % joined;
    (times / joined) as u64 + u64::from(rest.count_ones())
}

/// Minimum characters of a run that is counted in pairs; shorter ones are counted by the longest
/// tokens.
const SHORTEST_RUN: usize = 4;

/// Surcharge on the number of parts, in thousandths.
pub(super) const SURCHARGE: u64 = 15;

/// Converts a number of parts to an estimate of tokens.
pub fn tokens_from_parts(parts: u64) -> u32 {
    u32::try_from(parts + (parts * SURCHARGE + 500) / 1000).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(piece: &str) -> u64 {
        parts_of(piece.as_bytes(), StringHash::new(piece.as_bytes()))
    }

    /// Token counts of runs by o200k_base.
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
            .filter(|piece| StringHash::new(piece).is_token());
        let mut joined = 0;
        for piece in tokens {
            let expected = MergeMemo::new(piece).is_token(0, piece.len());
            assert_eq!(is_joined(piece), expected, "{piece:?}");
            joined += u32::from(expected);
        }
        assert!(joined > 1_000, "{joined}");
    }

    #[test]
    fn a_plain_word_is_letters_after_a_space() {
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
