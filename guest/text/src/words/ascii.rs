//! Words of ASCII, and the parts of identifiers.

use crate::words::blocks::{ByteClasses, CHUNK_BYTES, Chunk16, PaddedBlock, ZERO_BLOCK};
use crate::words::blocks::{load_block, low_mask};
use crate::words::initials::Initials;
use crate::words::stem::{LONGEST_STEMMED, SHORTEST_STEMMED, ends_word, stem};
use crate::words::term::{Form, Term, WordCase, fold_prefix};

/// Returns true if an ASCII byte belongs to a word.
pub fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Emits the terms of the words from `start` up to a word that is not ASCII or is longer than a
/// block, and returns the start of that word.
pub fn ascii_words(
    text: &str,
    start: usize,
    initials: &Initials,
    emit: &mut impl FnMut(Term),
) -> usize {
    let bytes = text.as_bytes();
    let mut offset = start;
    let mut buffer = ZERO_BLOCK;
    while offset < bytes.len() {
        let block = load_block(&bytes[offset..], &mut buffer);
        let classes = ByteClasses::new(block);
        let ascii_end = classes.non_ascii.trailing_zeros();
        let part_starts = classes.part_starts();
        let mut words = classes.word & low_mask(ascii_end);
        let mut next = ascii_end;
        while words != 0 {
            let start = words.trailing_zeros();
            let length = (words >> start).trailing_ones();
            // The next bytes may belong to this word: letters of the next block, or a combining
            // mark, with which its last letter is another one. The next block therefore begins at
            // the start of this word; a word that ends at the block's end costs a second look.
            if start + length == ascii_end {
                next = start;
                break;
            }
            // Adding to the lowest bit of a run of ones carries through the run into the zero after
            // it: `0b0111_0000 + 0b0001_0000` is `0b1000_0000`. The intersection with the old value
            // clears the run, without a loop over its bits.
            words &= words.wrapping_add(1 << start);
            let word = BlockWord { start, length };
            let mask = low_mask(length);
            let part_starts = (part_starts >> start) & mask;
            if part_starts == 0 {
                emit(word.stem_term(block, initials));
            } else {
                let identifier = Identifier {
                    part_starts,
                    letters: (classes.letter >> start) & mask,
                };
                word.identifier_terms(block, identifier, initials, emit);
            }
        }
        offset += next as usize;
        // The block contains a non-ASCII character, or is filled by one word. Both are left to the
        // caller, so that this loop, through which all of a text passes, has no branch for either.
        if ascii_end < u64::BITS || next == 0 {
            break;
        }
    }
    // The last block is padded with zeros, which may have been counted as bytes of the text.
    offset.min(bytes.len())
}

/// The position of an ASCII word in a block.
#[derive(Clone, Copy)]
struct BlockWord {
    start: u32,
    length: u32,
}

/// A word with more than one part, with a bit for each byte.
#[derive(Clone, Copy)]
struct Identifier {
    /// Starts of its parts, except the first one.
    part_starts: u64,
    letters: u64,
}

impl BlockWord {
    fn bytes(self, block: &PaddedBlock) -> &[u8] {
        &block[self.start as usize..][..self.length as usize]
    }

    /// Returns the stemmed term. This is the hot path: it is inlined into the loop, and rare cases
    /// are separate functions.
    #[inline(always)]
    fn stem_term(self, block: &PaddedBlock, initials: &Initials) -> Term {
        let (start, length) = (self.start as usize, self.length as usize);
        // When the terms of a query are counted, most words of a text end here: their initial is
        // not that of any term of the query. That takes one look-up, and no hash.
        if !initials.has(block[start]) {
            return Term::OTHER;
        }
        let last = block[start + length - 1] | 0x20;
        match block[start..].first_chunk() {
            Some(chunk) if length <= CHUNK_BYTES => {
                let word = fold_prefix(Chunk16::load(chunk), WordCase::Ascii, length);
                if length >= SHORTEST_STEMMED && ends_word(last) {
                    Term::word(chunk_stem_key(word, length))
                } else {
                    Term::from_chunk(word, length)
                }
            }
            _ => Term::word(stem_key(self.bytes(block))),
        }
    }

    /// Emits the terms of an identifier: the whole, then its parts, so that both `max_size` and
    /// `size` find `max_size`. Not inlined, so that the loop over words stays small: few words of
    /// prose have parts.
    #[inline(never)]
    fn identifier_terms(
        self,
        block: &PaddedBlock,
        identifier: Identifier,
        initials: &Initials,
        emit: &mut impl FnMut(Term),
    ) {
        // An identifier of letters alone, such as `maxSizes`, may be a word of prose and is
        // stemmed. One with a digit or `_`, such as `max_sizes` or `utf8s`, is a name, and its last
        // letter is a part of it.
        emit(if identifier.letters == low_mask(self.length) {
            self.stem_term(block, initials)
        } else if initials.has(block[self.start as usize]) {
            Term::word(whole_key(self.bytes(block)))
        } else {
            Term::OTHER
        });
        let mut part_starts = identifier.part_starts;
        let mut start = 0;
        while start < self.length {
            let end = part_starts.trailing_zeros().min(self.length);
            // This clears the lowest bit; at the last part there is none.
            part_starts &= part_starts.wrapping_sub(1);
            let part = Self {
                start: self.start + start,
                length: end - start,
            };
            // A part of a single letter carries no meaning and would match everywhere. A run of `_`
            // is a part only by its class, and is omitted.
            if part.length > 1 && block[part.start as usize] != b'_' {
                emit(part.stem_term(block, initials));
            }
            start = end;
        }
    }
}

/// Returns the digest of the stem of a lower-case word that is one chunk. Not inlined: most words
/// end with a letter that ends no suffix. It returns a digest and not a term, so that the compiler
/// knows in the loop that all terms are words.
#[inline(never)]
fn chunk_stem_key(word: Chunk16, length: usize) -> u32 {
    let mut letters = word.to_bytes();
    let length = stem(&mut letters[..length]).len();
    Term::from_chunk(Chunk16::load(&letters).prefix(length), length).key
}

/// Emits the terms of an ASCII word of any length, byte by byte; the results equal those of the
/// blocks.
pub fn identifier_terms(word: &[u8], initials: &Initials, emit: &mut impl FnMut(Term)) {
    let mut emit_term = |bytes: &[u8], key: fn(&[u8]) -> u32| {
        emit(if initials.has(bytes[0]) {
            Term::word(key(bytes))
        } else {
            Term::OTHER
        });
    };
    if word.iter().all(u8::is_ascii_alphabetic) {
        emit_term(word, stem_key);
    } else {
        emit_term(word, whole_key);
    }
    for part in parts(word) {
        // A part that is the whole word was emitted before, and a part of a single letter carries
        // no meaning.
        if (2..word.len()).contains(&part.len()) {
            emit_term(part, stem_key);
        }
    }
}

/// Returns the digest of an ASCII word, folded.
fn whole_key(word: &[u8]) -> u32 {
    Term::from_bytes(Form::Word, word, WordCase::Ascii).key
}

/// Returns the digest of the stem of an ASCII word, folded.
fn stem_key(word: &[u8]) -> u32 {
    let may_end = word.last().is_some_and(|last| ends_word(last | 0x20));
    if !may_end || !(SHORTEST_STEMMED..=LONGEST_STEMMED).contains(&word.len()) {
        return whole_key(word);
    }
    let mut buffer = [0; LONGEST_STEMMED];
    let lower = &mut buffer[..word.len()];
    for (to, from) in lower.iter_mut().zip(word) {
        *to = from | 0x20;
    }
    whole_key(stem(lower))
}

/// Splits an ASCII identifier into parts: at `_`, between letters and digits, and before a capital
/// that begins a word.
///
/// ```text
/// max_size    max, size
/// maxSize     max, Size
/// HTTPServer  HTTP, Server
/// utf8        utf, 8
/// ```
fn parts(word: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let start = rest.iter().position(|&byte| byte != b'_')?;
        rest = &rest[start..];
        let run = |is_part: fn(&u8) -> bool| {
            rest.iter()
                .position(|byte| !is_part(byte))
                .unwrap_or(rest.len())
        };
        let mut length = run(u8::is_ascii_digit);
        if length == 0 {
            length = run(u8::is_ascii_uppercase);
            let is_lower_next = rest.get(length).is_some_and(u8::is_ascii_lowercase);
            if length > 1 && is_lower_next {
                // The last capital before a small letter begins the next part: `HTTPServer`
                // consists of `HTTP` and `Server`.
                length -= 1;
            } else if is_lower_next {
                // A capital with small letters, such as `Server`, or small letters alone, such as
                // `max` of `maxSize`.
                let lower = rest[length..].iter().position(|b| !b.is_ascii_lowercase());
                length = lower.map_or(rest.len(), |lower| length + lower);
            }
        }
        let (part, after) = rest.split_at(length);
        rest = after;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_identifiers() {
        for (word, expected) in [
            ("size", &["size"][..]),
            ("__max__size", &["max", "size"]),
            ("maxSize2", &["max", "Size", "2"]),
            ("HTTPServer", &["HTTP", "Server"]),
            ("ABTest", &["AB", "Test"]),
            ("aB", &["a", "B"]),
            ("utf8mb4", &["utf", "8", "mb", "4"]),
            ("___", &[]),
        ] {
            let parts: Vec<&[u8]> = parts(word.as_bytes()).collect();
            let expected: Vec<&[u8]> = expected.iter().map(|part| part.as_bytes()).collect();
            assert_eq!(parts, expected, "{word}");
        }
    }
}
