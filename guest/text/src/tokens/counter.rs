//! The tokens of a long text or of its lines, counted as [`crate::tokens::estimate::count_parts`]
//! counts short ones.
//!
//! 1. Words are found 64 bytes at a time (`words/blocks.rs`): most pieces are a word of ASCII
//!    letters with the space before it, and their ends are counted in bits.
//! 2. What is no such word is measured as any other piece ([`first_length`]).
//! 3. A text's pieces come again and again. How many parts a piece has is looked up by its
//!    digest, in a table that is small enough for a processor's cache.

use std::ops::Range;

use crate::digest;
use crate::tokens::estimate::{first_length, of_parts};
use crate::tokens::piece::parts_of;
use crate::tokens::vocabulary::StringHash;
use crate::words::blocks::{ByteClasses, CHUNK_BYTES, Chunk16};
use crate::words::blocks::{PaddedBlock, ZERO_BLOCK, load_block};

/// Counts lines and stretches of one text.
pub struct TokenCounter<'a> {
    text: &'a str,
    pieces: PieceCache,
}

/// The parts of pieces, remembered: for the counts of several texts that hold the same words.
#[derive(Debug)]
pub struct PieceCache {
    /// For pieces, by the upper bits of their digests: the digest, and in its lowest byte the
    /// number of parts. A slot that was not used yet has 0 parts, which no piece has; an `Option`
    /// would double the table.
    table: Box<[u64]>,
}

/// Bytes of text for which there is a slot for one piece; a later piece takes the slot of another.
const BYTES_PER_SLOT: usize = 32;

/// The most slots: 256 KiB of them.
const MOST_SLOTS: usize = 1 << 15;

/// Slots for the pieces of several texts, 32 KiB of them: what an answer shows has fewer different
/// ones.
const SLOTS_OF_TEXTS: usize = 1 << 12;

/// The byte of a slot that holds the number of parts.
const PARTS_MASK: u64 = 0xFF;

/// Bytes of the longest piece that is remembered: it has at most as many parts, which a slot holds.
/// Lines of dashes and long names come again as words do, and cost more to take apart.
const LONGEST_REMEMBERED: usize = 255;

impl<'a> TokenCounter<'a> {
    /// Returns one that has counted nothing yet.
    pub fn new(text: &'a str) -> Self {
        // Two at least, for a digest is shifted by fewer than its 64 bits; a power of two, so that
        // the shift alone gives a slot.
        let slots = (text.len() / BYTES_PER_SLOT).clamp(2, MOST_SLOTS);
        Self {
            text,
            pieces: PieceCache::of_slots(slots.next_power_of_two()),
        }
    }

    /// Returns how many parts a line of the text, with its end, is taken apart into, or a stretch of
    /// it that ends with a line or before a blank.
    pub fn parts(&mut self, line: Range<usize>) -> u64 {
        self.pieces.count(self.text, line, u32::MAX)
    }
}

impl Default for PieceCache {
    fn default() -> Self {
        Self::of_slots(SLOTS_OF_TEXTS)
    }
}

impl PieceCache {
    fn of_slots(slots: usize) -> Self {
        Self {
            table: vec![0; slots].into(),
        }
    }

    /// Returns what [`crate::tokens::estimate::count_parts`] says of a text.
    pub fn count_parts(&mut self, text: &str) -> u64 {
        self.count(text, 0..text.len(), u32::MAX)
    }

    /// Returns the same where the text has `most` tokens at most, estimated; none where it has more:
    /// one far over is not gone through.
    pub fn count_within(&mut self, text: &str, most: u32) -> Option<u64> {
        let parts = self.count(text, 0..text.len(), most);
        (of_parts(parts) <= most).then_some(parts)
    }

    /// Counts a stretch of a text until that has more than `most` tokens.
    fn count(&mut self, text: &str, line: Range<usize>, most: u32) -> u64 {
        let bytes = text.as_bytes();
        let (mut parts, mut offset) = (0, line.start);
        let mut buffer = ZERO_BLOCK;
        while offset < line.end && of_parts(parts) <= most {
            // The block goes on behind the line: pieces end with it all the same, for no word holds
            // a line break.
            let block = load_block(&bytes[offset..], &mut buffer);
            let classes = ByteClasses::new(block);
            let humps = classes.humps();
            let mut first = 0;
            while first < u64::BITS && offset + (first as usize) < line.end {
                let start = offset + first as usize;
                let length = match word_at(first, block, classes.letter, humps) {
                    Word::Complete(length) => length as usize,
                    // The next block begins with it. If this one does, it is too long for any.
                    Word::Unfinished if first > 0 => break,
                    Word::Unfinished | Word::Other => common_sign(&bytes[start..line.end])
                        .unwrap_or_else(|| first_length(&text[start..line.end])),
                };
                parts += self.parts_of(&bytes[start..], length);
                // May lead beyond the block, which ends it.
                first += length as u32;
            }
            offset += first as usize;
        }
        parts
    }

    /// Returns how many parts the piece of so many bytes is taken apart into that `bytes` begin
    /// with.
    fn parts_of(&mut self, bytes: &[u8], length: usize) -> u64 {
        let piece = &bytes[..length];
        let digest = if length <= CHUNK_BYTES {
            let Chunk16 { low, high } = Chunk16::load_prefix(bytes, length);
            digest::combine(low, high)
        } else if length <= LONGEST_REMEMBERED {
            StringHash::of(piece).key()
        } else {
            return parts_of(piece, StringHash::of(piece));
        };
        let digest = digest::combine(digest, length as u64);
        // Its upper bits are its best ones.
        let shift = u64::BITS - self.table.len().trailing_zeros();
        let slot = &mut self.table[(digest >> shift) as usize];
        if (*slot ^ digest) & !PARTS_MASK != 0 || *slot & PARTS_MASK == 0 {
            *slot = digest & !PARTS_MASK | parts_of(piece, StringHash::of(piece));
        }
        *slot & PARTS_MASK
    }
}

/// Whether a piece is a word of ASCII letters, such as most are.
enum Word {
    /// It is one of so many bytes.
    Complete(u32),
    /// It is one that goes on behind the block, or may.
    Unfinished,
    /// It is none, or what stands behind may belong to it.
    Other,
}

/// Returns whether the piece at `first` of a block is a word, by the block's letters and its
/// capitals behind small letters.
#[inline]
fn word_at(first: u32, block: &PaddedBlock, letters: u64, humps: u64) -> Word {
    // A space or sign before a word belongs to it.
    let lead = u32::from((letters >> first) & 1 == 0);
    let start = first + lead;
    let run = letters.unbounded_shr(start).trailing_ones();
    // `camelCase` is two pieces. That the word itself begins at a hump is no end of it.
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

/// Whether the character before a word is of its piece, by its first byte. One beyond ASCII may be,
/// or be a letter: for that one has to look at it.
#[inline]
fn may_lead(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_digit() && !matches!(byte, b'\n' | b'\r')
}

/// Returns the length of the first piece of the rest of a line where that is a sign before a space,
/// or ends the line, as most do that are no word: `,` in `a, b`, `;` at the end of a line of code.
#[inline]
fn common_sign(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'\n'] => Some(1),
        // A piece of signs takes the line break with it.
        [sign, b'\n'] if sign.is_ascii_punctuation() => Some(2),
        [sign, b' ', ..] if sign.is_ascii_punctuation() => Some(1),
        _ => None,
    }
}

/// Whether a word surely ends before a byte that is no letter of ASCII: not before `'`, as in
/// `don't`, nor before a letter beyond ASCII, as in `naïve`.
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
                let most = of_parts(parts) * share / 100;
                let expected = (of_parts(parts) <= most).then_some(parts);
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
