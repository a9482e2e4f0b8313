//! Terms: words represented by a digest, computed 16 bytes at a time.

use crate::words::blocks::{CHUNK_BYTES, Chunk16};

/// The form of a term, which decides its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// A word, a part of an identifier, or two neighbours of a script without spaces.
    Word,
    /// Two neighbouring syllables of a Korean word.
    Pair,
}

/// A term, represented by its digest: equal terms have equal digests, and different ones collide in
/// one of some billion pairs. Counts by digests need no strings, and a collision only counts a word
/// too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term {
    /// The digest.
    pub key: u32,
    /// Form of the term.
    pub form: Form,
}

/// The case folding that a word still needs.
#[derive(Clone, Copy)]
pub enum WordCase {
    /// None: the word is folded already.
    Folded,
    /// ASCII folding. The bit that differs between cases is set in every digit, and turns `_` into
    /// a byte that no word contains.
    Ascii,
}

impl Term {
    /// Placeholder for a word that is not wanted.
    pub const OTHER: Self = Self::other(Form::Word);

    /// Creates the word with this digest.
    #[inline]
    pub(crate) const fn word(key: u32) -> Self {
        let form = Form::Word;
        Self { key, form }
    }

    /// Returns the placeholder for unwanted terms of this form. Not an `Option`: such terms count
    /// in the length of a text, by their form, and a wanted one with the digest 0 is as rare as any
    /// other collision.
    pub(crate) const fn other(form: Form) -> Self {
        Self { key: 0, form }
    }

    /// Creates the term of a word's bytes.
    #[inline]
    pub(crate) fn from_bytes(form: Form, word: &[u8], case: WordCase) -> Self {
        let (chunks, rest) = word.as_chunks::<CHUNK_BYTES>();
        let mut hash = hash_init(form, word.len());
        for chunk in chunks {
            hash = hash_update(hash, fold_prefix(Chunk16::load(chunk), case, CHUNK_BYTES));
        }
        // A word of exactly 16 bytes is one chunk without a rest, as in `from_chunk`. With an empty
        // rest added, the same word would have two digests.
        if !rest.is_empty() || chunks.is_empty() {
            let chunk = Chunk16::load_prefix(rest, rest.len());
            hash = hash_update(hash, fold_prefix(chunk, case, rest.len()));
        }
        hash_finish(form, hash)
    }

    /// Creates the term of a folded word of at most 16 bytes, padded with zeros. Equals
    /// [`Self::from_bytes`] of it, without a loop.
    #[inline]
    pub(crate) fn from_chunk(word: Chunk16, length: usize) -> Self {
        let hash = hash_init(Form::Word, length);
        hash_finish(Form::Word, hash_update(hash, word))
    }
}

/// Masks `chunk` to its first `length` bytes, in lower case if the case is not folded yet.
#[inline]
pub fn fold_prefix(chunk: Chunk16, case: WordCase, length: usize) -> Chunk16 {
    let case_bits = match case {
        WordCase::Folded => 0,
        WordCase::Ascii => 0x2020_2020_2020_2020,
    };
    // The mask comes last, because the bits are set in the bytes after the word as well. These must
    // be zero: the bytes of the next word would otherwise change the digest of this one.
    let folded = Chunk16 {
        low: chunk.low | case_bits,
        high: chunk.high | case_bits,
    };
    folded.prefix(length)
}

#[inline]
fn hash_init(form: Form, length: usize) -> u64 {
    // The seed depends on the form, so that a pair of syllables differs from the word of the same
    // syllables: they have different weights, and must not be counted as one term. The two numbers
    // are arbitrary.
    let seed = match form {
        Form::Word => 0xCBF2_9CE4_8422_2325,
        Form::Pair => 0x6C62_272E_07BB_0142,
    };
    seed ^ length as u64
}

#[inline]
fn hash_update(hash: u64, chunk: Chunk16) -> u64 {
    hash_mix(hash_mix(hash, chunk.low), chunk.high)
}

#[inline]
fn hash_finish(form: Form, hash: u64) -> Term {
    // The upper half is used, because every bit of both factors affects it.
    let [_, _, _, _, key @ ..] = hash.wrapping_mul(0xC4CE_B9FE_1A85_EC53).to_le_bytes();
    Term {
        key: u32::from_le_bytes(key),
        form,
    }
}

/// Adds eight bytes to a hash; the constants are those of MurmurHash3's finalizer.
#[inline]
fn hash_mix(hash: u64, next: u64) -> u64 {
    let hash = (hash ^ next).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    // A product carries upwards only, so that its low bits depend on few bits of the input. The
    // shift moves the upper bits back down before the next step.
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word_key(word: &[u8]) -> u32 {
        Term::from_bytes(Form::Word, word, WordCase::Ascii).key
    }

    #[test]
    fn different_words_have_different_keys() {
        let numbers = (0..100_000u32).map(|number| number.to_string());
        let letters = (0..100_000u32).map(|number| {
            let digits = number.to_string().into_bytes();
            let letters = digits.iter().map(|digit| char::from(digit + b'1'));
            letters.collect::<String>().repeat(3)
        });
        let keys = numbers.chain(letters).map(|word| word_key(word.as_bytes()));
        let different = keys.collect::<std::collections::BTreeSet<u32>>().len();
        // Of so many random numbers, five are expected to collide.
        assert!(different > 200_000 - 30, "{different}");
    }

    #[test]
    fn a_chunk_is_the_same_term_as_its_bytes() {
        for length in 1..=CHUNK_BYTES {
            let word = &b"abcdefghijklmnop"[..length];
            let chunk = Chunk16::load_prefix(word, length);
            let term = Term::from_bytes(Form::Word, word, WordCase::Folded);
            assert_eq!(Term::from_chunk(chunk, length), term, "{length}");
            assert_eq!(word_key(&word.to_ascii_uppercase()), term.key, "{length}");
        }
    }
}
