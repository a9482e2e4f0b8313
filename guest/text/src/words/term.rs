//! A term: a word by its digest, made 16 bytes at a time.

use crate::words::blocks::{CHUNK_BYTES, Chunk16};

/// How much a term says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// A word, a part of an identifier, or two neighbours of a script without spaces.
    Word,
    /// Two neighbouring syllables of a Korean word.
    Pair,
}

/// A term by its digest: equal terms are equal, and different ones differ but for one in some
/// billion pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term {
    /// The digest.
    pub key: u32,
    /// How much it says.
    pub form: Form,
}

/// Which letters of a word are the same.
#[derive(Clone, Copy)]
pub enum WordCase {
    /// None, for the word is folded already.
    Folded,
    /// Those of a word of ASCII that differ in case alone. The bit by which they do is in every
    /// digit, and makes of `_` what no word holds.
    Ascii,
}

impl Term {
    /// A word that was not wanted.
    pub const OTHER: Self = Self::other(Form::Word);

    /// Returns the word of this digest.
    #[inline]
    pub(crate) const fn word(key: u32) -> Self {
        let form = Form::Word;
        Self { key, form }
    }

    /// Returns what stands for every term of this form that was not wanted. No `Option`: such terms
    /// count in a text's length, by their form, and that a wanted one has the digest 0 is as rare
    /// as that any two are equal.
    pub(crate) const fn other(form: Form) -> Self {
        Self { key: 0, form }
    }

    /// Returns the term of a word's bytes.
    #[inline]
    pub(crate) fn of(form: Form, word: &[u8], case: WordCase) -> Self {
        let (chunks, rest) = word.as_chunks::<CHUNK_BYTES>();
        let mut hash = hash_init(form, word.len());
        for chunk in chunks {
            hash = hash_update(hash, fold_prefix(Chunk16::load(chunk), case, CHUNK_BYTES));
        }
        // A word of just 16 bytes is one chunk and no rest, as in `of_chunk`.
        if !rest.is_empty() || chunks.is_empty() {
            let chunk = Chunk16::load_prefix(rest, rest.len());
            hash = hash_update(hash, fold_prefix(chunk, case, rest.len()));
        }
        hash_finish(form, hash)
    }

    /// Returns the term of a word of 16 bytes at most, which is folded, with zeros behind it:
    /// what [`Self::of`] returns for it, without a loop.
    #[inline]
    pub(crate) fn of_chunk(word: Chunk16, length: usize) -> Self {
        let hash = hash_init(Form::Word, length);
        hash_finish(Form::Word, hash_update(hash, word))
    }
}

/// Masks `chunk` to its first `length` bytes, in lower case where the word's case is not folded.
#[inline]
pub fn fold_prefix(chunk: Chunk16, case: WordCase, length: usize) -> Chunk16 {
    let case_bits = match case {
        WordCase::Folded => 0,
        WordCase::Ascii => 0x2020_2020_2020_2020,
    };
    // The mask comes last, for these bits are set behind the word as well.
    let folded = Chunk16 {
        low: chunk.low | case_bits,
        high: chunk.high | case_bits,
    };
    folded.prefix(length)
}

#[inline]
fn hash_init(form: Form, length: usize) -> u64 {
    // Two numbers whose bits look random, so that a pair is not the word of the same syllables.
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
    // The upper half: on it every bit of both factors has an effect.
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
    // A product carries upwards only: this brings the upper bits back to the lower ones.
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word_key(word: &[u8]) -> u32 {
        Term::of(Form::Word, word, WordCase::Ascii).key
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
        // Of so many random numbers, five are expected to be equal to others.
        assert!(different > 200_000 - 30, "{different}");
    }

    #[test]
    fn a_chunk_is_the_same_term_as_its_bytes() {
        for length in 1..=CHUNK_BYTES {
            let word = &b"abcdefghijklmnop"[..length];
            let chunk = Chunk16::load_prefix(word, length);
            let term = Term::of(Form::Word, word, WordCase::Folded);
            assert_eq!(Term::of_chunk(chunk, length), term, "{length}");
            assert_eq!(word_key(&word.to_ascii_uppercase()), term.key, "{length}");
        }
    }
}
