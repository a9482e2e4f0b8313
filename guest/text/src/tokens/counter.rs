//! The tokens of the lines of a long text. What is counted is what
//! [`crate::tokens::estimate::parts`] counts: words are found 64 bytes at a time, and of pieces that come again, which in a text most do, the number is
//! remembered.

use std::ops::Range;

use crate::digest;
use crate::tokens::estimate::{first_length, parts_of};
use crate::tokens::vocabulary::Spelling;
use crate::words::blocks::{Block, ROOM, Reach, STEP, Step, reach};

/// Counts the lines of one text.
pub struct Counter<'a> {
    text: &'a str,
    /// The digest of a piece, and in its lowest byte how many parts it is taken apart into. A power of
    /// two of them.
    remembered: Box<[u64]>,
}

/// Bytes of text for which there is room for one piece; a later one takes the place of one before it.
const BYTES_PER_PIECE: usize = 32;

/// The most pieces that there is room for.
const MOST_REMEMBERED: usize = 1 << 15;

/// The byte of a remembered piece that holds how many parts it has.
const PARTS: u64 = 0xFF;

impl<'a> Counter<'a> {
    /// Returns one that has counted nothing yet.
    pub fn new(text: &'a str) -> Self {
        let room = (text.len() / BYTES_PER_PIECE).clamp(2, MOST_REMEMBERED);
        Self {
            text,
            remembered: vec![0; room.next_power_of_two()].into(),
        }
    }

    /// Returns how many parts one line of the text, with its end, is taken apart into.
    pub fn parts(&mut self, line: Range<usize>) -> u64 {
        let bytes = self.text.as_bytes();
        let (mut parts, mut at) = (0, line.start);
        let mut room = ROOM;
        while at < line.end {
            let block = reach(&bytes[at..], &mut room);
            let kinds = Block::new(block);
            let humps = kinds.humps();
            let mut first = 0;
            while first < u64::BITS && at + (first as usize) < line.end {
                let piece = at + first as usize;
                let length = match word_at(first, block, kinds.letter, humps) {
                    Word::Ends(length) => length as usize,
                    Word::GoesOn if first > 0 => break,
                    Word::GoesOn | Word::No => common_sign(&bytes[piece..line.end])
                        .unwrap_or_else(|| first_length(&self.text[piece..line.end])),
                };
                parts += self.parts_of(&bytes[piece..], length);
                first += length as u32;
            }
            at += first as usize;
        }
        parts
    }

    /// Returns how many parts the piece is taken apart into that `bytes` begin with.
    fn parts_of(&mut self, bytes: &[u8], length: usize) -> u64 {
        let count = || {
            let piece = &bytes[..length];
            parts_of(piece, Spelling::of(piece))
        };
        if length > STEP {
            return count();
        }
        let Step { low, high } = Step::first_of(bytes, length);
        let digest = digest::with(digest::with(low, high), length as u64);
        // Its upper bits are its best ones.
        let shift = u64::BITS - self.remembered.len().trailing_zeros();
        let known = &mut self.remembered[(digest >> shift) as usize];
        if (*known ^ digest) & !PARTS != 0 || *known & PARTS == 0 {
            *known = digest & !PARTS | count();
        }
        *known & PARTS
    }
}

/// Whether a piece is a word of ASCII letters, such as most are.
enum Word {
    /// It is one of so many bytes.
    Ends(u32),
    /// It is one that goes on behind the block, or may.
    GoesOn,
    /// It is none, or what stands behind may belong to it.
    No,
}

/// Returns whether the piece at `first` is a word. Told of the block: which bytes are letters, and
/// which are capitals behind small letters.
fn word_at(first: u32, block: &Reach, letters: u64, humps: u64) -> Word {
    // A space or sign before a word belongs to it.
    let lead = u32::from((letters >> first) & 1 == 0);
    let start = first + lead;
    let run = letters.unbounded_shr(start).trailing_ones();
    let hump = (humps.unbounded_shr(start) & !1).trailing_zeros();
    let end = start + run.min(hump);
    if end >= u64::BITS {
        return Word::GoesOn;
    }
    let is_word =
        run > 0 && (lead == 0 || may_lead(block[first as usize])) && ends_word(block[end as usize]);
    if is_word {
        Word::Ends(end - first)
    } else {
        Word::No
    }
}

/// Whether a character before a word is of its piece, told by its first byte.
fn may_lead(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_digit() && !matches!(byte, b'\n' | b'\r')
}

/// Returns the length of the first piece of the rest of a line where that is a sign before a space, or
/// ends the line, as most do that are no word.
fn common_sign(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'\n'] => Some(1),
        [sign, b'\n'] if sign.is_ascii_punctuation() => Some(2),
        [sign, b' ', ..] if sign.is_ascii_punctuation() => Some(1),
        _ => None,
    }
}

/// Whether a word surely ends before a byte that is no letter of ASCII.
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
            lines in proptest::collection::vec("(\\PC|[ \t\n\r'a-zA-Z]|[a-z]{1,20}|[A-Z]?[a-z]{1,9}[ .,_/']|[0-9]{1,4}|[가-하]|_){0,30}", 0..30),
            again in 0usize..3,
        ) {
            let text = lines.concat().repeat(again + 1);
            let mut counter = Counter::new(&text);
            let mut start = 0;
            for line in with_ends(&text) {
                let end = start + line.len();
                prop_assert_eq!(counter.parts(start..end), estimate::parts(line), "{:?}", line);
                start = end;
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
                    Counter::new(&text).parts(0..text.len()),
                    estimate::parts(&text),
                    "{text}"
                );
            }
        }
    }
}
