//! Token counts of long texts and of their lines; the results equal
//! [`crate::tokens::estimate::count_parts`].
//!
//! 1. Words are found 64 bytes at a time (`words/blocks.rs`): most pieces are a word of ASCII
//!    letters with the space before it, and their ends are found with bit operations.
//! 2. Any other piece is measured by `first_length`.
//! 3. The pieces of a text repeat. The number of parts of a piece is looked up by its digest, in a
//!    table that fits the cache of a processor.

use std::ops::Range;

use crate::digest;
use crate::tokens::piece::parts_of;
use crate::tokens::piece::tokens_from_parts;
use crate::tokens::split::first_length;
use crate::tokens::vocabulary::StringHash;
use crate::words::blocks::{ByteClasses, CHUNK_BYTES, Chunk16};
use crate::words::blocks::{PaddedBlock, ZERO_BLOCK, load_block};

/// A token counter for lines and stretches of one text.
pub struct TokenCounter<'a> {
    text: &'a str,
    pieces: PieceCache,
}

/// A cache of the part counts of pieces, shared by texts with the same words.
#[derive(Debug)]
pub struct PieceCache {
    /// Slots indexed by the upper bits of a piece's digest. Each holds the digest, with the number
    /// of parts in the lowest byte. An unused slot has 0 parts, which no piece has; an `Option`
    /// would double the size of the table.
    table: Box<[u64]>,
}

/// Bytes of text per slot; a later piece evicts an earlier one. An eviction only costs the count of
/// a piece that returns, so that the table need not grow with the text, nor resolve collisions.
const BYTES_PER_SLOT: usize = 32;

/// Maximum slots: 256 KiB.
const MOST_SLOTS: usize = 1 << 15;

/// Slots for the pieces of several texts, 32 KiB: an answer has fewer distinct pieces.
const SLOTS_OF_TEXTS: usize = 1 << 12;

/// The byte of a slot that holds the number of parts.
const PARTS_MASK: u64 = 0xFF;

/// Maximum bytes of a cached piece: its part count fits a slot. Lines of dashes and long names
/// repeat as words do, and cost more to split.
const LONGEST_REMEMBERED: usize = 255;

impl<'a> TokenCounter<'a> {
    /// Creates an empty counter for `text`.
    pub fn new(text: &'a str) -> Self {
        // There are at least two slots, because a digest is shifted by fewer than its 64 bits.
        // Their number is a power of two, so that the shift alone selects a slot, without a
        // division.
        let slots = (text.len() / BYTES_PER_SLOT).clamp(2, MOST_SLOTS);
        Self {
            text,
            pieces: PieceCache::with_slots(slots.next_power_of_two()),
        }
    }

    /// Counts the parts of a line of the text, including its end, or of a stretch that ends with a
    /// line or before a blank.
    pub fn parts(&mut self, line: Range<usize>) -> u64 {
        self.pieces.count(self.text, line, u32::MAX)
    }
}

impl Default for PieceCache {
    fn default() -> Self {
        Self::with_slots(SLOTS_OF_TEXTS)
    }
}

impl PieceCache {
    fn with_slots(slots: usize) -> Self {
        Self {
            table: vec![0; slots].into(),
        }
    }

    /// Counts the parts of a text, like [`crate::tokens::estimate::count_parts`].
    pub fn count_parts(&mut self, text: &str) -> u64 {
        self.count(text, 0..text.len(), u32::MAX)
    }

    /// Counts the parts of a text of at most `most` estimated tokens. Returns `None` if it has
    /// more, without reading a far longer text to its end.
    pub fn count_within(&mut self, text: &str, most: u32) -> Option<u64> {
        let parts = self.count(text, 0..text.len(), most);
        (tokens_from_parts(parts) <= most).then_some(parts)
    }

    /// Counts the parts of a stretch, stopping above `most` tokens.
    fn count(&mut self, text: &str, line: Range<usize>, most: u32) -> u64 {
        let bytes = text.as_bytes();
        let (mut parts, mut offset) = (0, line.start);
        let mut buffer = ZERO_BLOCK;
        while offset < line.end && tokens_from_parts(parts) <= most {
            // The block may extend past the line. Pieces end with the line all the same, because no
            // word contains a line break, and the other pieces are measured in the text of the line
            // alone.
            let block = load_block(&bytes[offset..], &mut buffer);
            let classes = ByteClasses::new(block);
            let humps = classes.humps();
            let mut first = 0;
            while first < u64::BITS && offset + (first as usize) < line.end {
                let start = offset + first as usize;
                let length = match word_at(first, block, classes.letter, humps) {
                    Word::Complete(length) => length as usize,
                    // The word may continue after the block, so that the next block begins with it.
                    // A word that began this block already and fills it is longer than any block,
                    // and is measured like another piece.
                    Word::Unfinished if first > 0 => break,
                    Word::Unfinished | Word::Other => common_sign(&bytes[start..line.end])
                        .unwrap_or_else(|| first_length(&text[start..line.end])),
                };
                parts += self.parts_of(&bytes[start..], length);
                // The piece may be longer than the block. The loop then ends, and the next block
                // begins after the piece.
                first += length as u32;
            }
            offset += first as usize;
        }
        parts
    }

    /// Counts the parts of the first `length` bytes of `bytes`, which are one piece.
    fn parts_of(&mut self, bytes: &[u8], length: usize) -> u64 {
        let piece = &bytes[..length];
        let digest = if length <= CHUNK_BYTES {
            let Chunk16 { low, high } = Chunk16::load_prefix(bytes, length);
            digest::combine(low, high)
        } else if length <= LONGEST_REMEMBERED {
            StringHash::new(piece).key()
        } else {
            return parts_of(piece, StringHash::new(piece));
        };
        let digest = digest::combine(digest, length as u64);
        // The upper bits of the digest are the best mixed.
        let shift = u64::BITS - self.table.len().trailing_zeros();
        let slot = &mut self.table[(digest >> shift) as usize];
        if (*slot ^ digest) & !PARTS_MASK != 0 || *slot & PARTS_MASK == 0 {
            *slot = digest & !PARTS_MASK | parts_of(piece, StringHash::new(piece));
        }
        *slot & PARTS_MASK
    }
}

/// Classification of a piece: most are a word of ASCII letters.
enum Word {
    /// A word of that many bytes.
    Complete(u32),
    /// A word that continues after the block, or may.
    Unfinished,
    /// Not a word, or one that the next character may belong to.
    Other,
}

/// Classifies the piece at `first` of a block by the block's letters and its capitals after small
/// letters.
#[inline]
fn word_at(first: u32, block: &PaddedBlock, letters: u64, humps: u64) -> Word {
    // A space or sign before a word belongs to it.
    let lead = u32::from((letters >> first) & 1 == 0);
    let start = first + lead;
    let run = letters.unbounded_shr(start).trailing_ones();
    // A capital after a small letter begins another piece: `camelCase` is two. A hump at the first
    // letter does not end the word, because it is the capital with which the piece begins.
    let hump = (humps.unbounded_shr(start) & !1).trailing_zeros();
    let end = start + run.min(hump);
    if end >= u64::BITS {
        return Word::Unfinished;
    }
    let is_word =
        run > 0 && (lead == 0 || may_lead(block[first as usize])) && ends_word(block[end as usize]);
    if is_word {
        Word::Complete(end - first)
    } else {
        Word::Other
    }
}

/// Returns true if the character before a word belongs to its piece, by its first byte. A non-ASCII
/// character may belong to it or be a letter, which needs a closer look.
#[inline]
fn may_lead(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_digit() && !matches!(byte, b'\n' | b'\r')
}

/// Returns the length of the first piece if that is a sign before a space or at the end of the
/// line, the most frequent piece that is not a word: `,` in `a, b`, `;` at the end of a line of
/// code.
#[inline]
fn common_sign(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'\n'] => Some(1),
        // A piece of signs includes the line break.
        [sign, b'\n'] if sign.is_ascii_punctuation() => Some(2),
        [sign, b' ', ..] if sign.is_ascii_punctuation() => Some(1),
        _ => None,
    }
}

/// Returns true if a word certainly ends before a non-letter byte: not before `'`, as in `don't`,
/// nor before a letter beyond ASCII, as in `naïve`. In these cases the exact split decides, which
/// is slower.
#[inline]
fn ends_word(byte: u8) -> bool {
    byte.is_ascii() && byte != b'\''
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lines::with_ends;
    use crate::tokens::estimate;

    proptest! {
        #[test]
        fn counted_as_each_line_alone(
            lines in proptest::collection::vec(
                "(\\PC|[ \t\n\r'a-zA-Z]|[a-z]{1,20}|[A-Z]?[a-z]{1,9}[ .,_/']\
                |[0-9]{1,4}|[가-하]|_){0,30}",
                0..30,
            ),
            again in 0usize..3,
        ) {
            let text = lines.concat().repeat(again + 1);
            let mut counter = TokenCounter::new(&text);
            let mut start = 0;
            for line in with_ends(&text) {
                let end = start + line.len();
                prop_assert_eq!(counter.parts(start..end), estimate::count_pieces(line), "{:?}", line);
                start = end;
            }
            prop_assert_eq!(counter.parts(0..text.len()), estimate::count_pieces(&text));
        }
    }

    proptest! {
        #[test]
        fn counted_as_far_as_is_asked_for(
            texts in proptest::collection::vec(
                "([a-z]{1,12}|[A-Z]?[a-z]{1,9}[ .,_/'\n]|[0-9]{1,4}|[가-하]|\\PC){0,60}",
                1..4,
            ),
            share in 0u32..150,
        ) {
            let mut pieces = PieceCache::default();
            for text in &texts {
                let parts = estimate::count_pieces(text);
                prop_assert_eq!(pieces.count_parts(text), parts);
                let most = tokens_from_parts(parts) * share / 100;
                let expected = (tokens_from_parts(parts) <= most).then_some(parts);
                prop_assert_eq!(pieces.count_within(text, most), expected);
            }
        }
    }

    #[test]
    fn words_across_blocks() {
        for before in 0..130 {
            for word in [
                "a",
                " word",
                ".word",
                "don't",
                "camelCase",
                "naïve",
                "_x",
                "1st",
                &"long".repeat(40),
            ] {
                let text = format!("{}{word}{word} end", "x".repeat(before));
                assert_eq!(
                    TokenCounter::new(&text).parts(0..text.len()),
                    estimate::count_pieces(&text),
                    "{text}"
                );
            }
        }
    }
}
