//! Byte classes of a text, 64 bytes at a time: the basis of finding words and pieces.
//!
//! 1. [`load_block`] takes 64 bytes and the 16 after them. The last ones of a text are copied into
//!    a buffer of zeros, so that no later step checks for the end of the text.
//! 2. [`ByteClasses::new`] compares 16 bytes at once and keeps the outcomes: for each class, a
//!    number with a bit for each byte, the lowest for the first.
//! 3. A word is a run of ones: `trailing_zeros` is its start, and `trailing_ones` of the shifted
//!    number its length. Shifts of the same numbers give the parts of an identifier.
//! 4. A word of up to 16 bytes is one [`Chunk16`], loaded from its start and masked to its length:
//!    it is folded and hashed without a loop.
//!
//! A loop over bytes mispredicts its end at every word, which takes longer than all of this;
//! `docs/decisions/words-by-blocks.md` has the figures.

use wide::u8x16;

/// Bytes of a block: one bit each in a `u64`.
const BLOCK_BYTES: usize = 64;

/// Bytes loaded at once from any position of a block.
pub const CHUNK_BYTES: usize = 16;

/// 64 bytes plus 16 of padding, so that a load of 16 bytes at any of the 64 stays in bounds.
pub type PaddedBlock = [u8; BLOCK_BYTES + CHUNK_BYTES];

/// A zeroed buffer for the last, short block of a text.
pub const ZERO_BLOCK: PaddedBlock = [0; BLOCK_BYTES + CHUNK_BYTES];

/// Returns the block at the start of `bytes`. If they are too few, it is a copy in `buffer` padded
/// with zeros, which belong to no class.
#[inline]
pub fn load_block<'a>(bytes: &'a [u8], buffer: &'a mut PaddedBlock) -> &'a PaddedBlock {
    // All blocks but the last one or two of a text are read in place.
    if let Some(block) = bytes.first_chunk() {
        return block;
    }
    let (text, padding) = buffer.split_at_mut(bytes.len());
    text.copy_from_slice(bytes);
    // The buffer may still contain the previous block. Its bytes after the end of the text would be
    // taken for words of the text.
    padding.fill(0);
    buffer
}

/// Returns a mask of the lowest `count` bits; all bits if `count` is 64.
#[inline]
pub fn low_mask(count: u32) -> u64 {
    // A shift by the width of the type is not defined for `<<`: in a release build it shifts by 0,
    // and the mask of 64 bits would be empty.
    !u64::MAX.unbounded_shl(count)
}

/// The classes of the bytes of a block: each field has a bit for each byte, the lowest for the
/// first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteClasses {
    /// ASCII letters, digits and `_`.
    pub word: u64,
    /// ASCII letters.
    pub letter: u64,
    /// ASCII letters in upper case.
    upper: u64,
    /// ASCII digits.
    digit: u64,
    /// Bytes of characters beyond ASCII.
    pub non_ascii: u64,
}

impl ByteClasses {
    /// Returns the classes of the first 64 bytes of `block`.
    pub fn new(block: &PaddedBlock) -> Self {
        let mut classes = Self::default();
        let (chunks, _) = block.as_chunks::<CHUNK_BYTES>();
        // A block with its padding has five chunks, and there are four shifts: `zip` ends with the
        // shorter of the two and leaves the padding out.
        for (shift, chunk) in (0..BLOCK_BYTES).step_by(CHUNK_BYTES).zip(chunks) {
            let bytes = u8x16::new(*chunk);
            // Upper and lower case of an ASCII letter differ in this bit alone. Setting it turns no
            // other byte into a letter: `@` becomes a backtick, and `[` a brace.
            classes.letter |= range_mask(bytes | u8x16::splat(0x20), b'a', b'z') << shift;
            classes.upper |= range_mask(bytes, b'A', b'Z') << shift;
            classes.digit |= range_mask(bytes, b'0', b'9') << shift;
            classes.word |= range_mask(bytes, b'_', b'_') << shift;
            classes.non_ascii |= range_mask(bytes, 0x80, 0xFF) << shift;
        }
        classes.word |= classes.letter | classes.digit;
        classes
    }

    /// Returns the capitals right after a small letter: the `S` of `maxSize`. The first byte is
    /// never included, because the byte before it belongs to another block and is unknown.
    #[inline]
    pub fn humps(&self) -> u64 {
        self.upper & ((self.letter & !self.upper) << 1)
    }

    /// Returns the starts of the parts of words, except the first part of each: letters, digits and
    /// `_` are separate, and `HTTPServer` is `HTTP` and `Server`. The last byte is never included.
    #[inline]
    pub fn part_starts(&self) -> u64 {
        let Self {
            word,
            letter,
            upper,
            digit,
            ..
        } = self;
        let lower = letter & !upper;
        // A part begins where the class changes, as in `max_size` and `utf8`: a byte is a letter
        // and the one before it is not, or the same for digits. A `_` is neither.
        let changes = (letter ^ (letter << 1)) | (digit ^ (digit << 1));
        // A capital between a capital and a small letter: the `S` of `HTTPServer`.
        let acronym_ends = upper & (upper << 1) & (lower >> 1);
        // A part begins only after another byte of the word: the start of a word is not a cut.
        word & (word << 1) & (changes | self.humps() | acronym_ends)
    }
}

/// Returns a mask of the bytes from `first` to `last`.
#[inline]
fn range_mask(bytes: u8x16, first: u8, last: u8) -> u64 {
    // Bytes below `first` wrap around to large numbers, so that one comparison tests both ends of
    // the range: of 0 to 255, only `first` to `last` are at most `last - first` after the
    // subtraction.
    let offset = bytes - u8x16::splat(first);
    offset
        .simd_le(u8x16::splat(last - first))
        .to_bitmask()
        .into()
}

/// Up to 16 bytes as two numbers, the first byte lowest, padded with zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk16 {
    /// The first eight bytes.
    pub low: u64,
    /// The last eight bytes.
    pub high: u64,
}

impl Chunk16 {
    /// Loads 16 bytes.
    #[inline]
    pub fn load(bytes: &[u8; CHUNK_BYTES]) -> Self {
        let both = u128::from_le_bytes(*bytes);
        Self {
            low: both as u64,
            high: (both >> 64) as u64,
        }
    }

    /// Loads the first `length` bytes of `bytes`, at most 16.
    #[inline]
    pub fn load_prefix(bytes: &[u8], length: usize) -> Self {
        // One load and a mask suffice, unless the text ends within the 16 bytes.
        if let Some(chunk) = bytes.first_chunk() {
            return Self::load(chunk).prefix(length);
        }
        Self::load_short(&bytes[..length])
    }

    /// Loads fewer than 16 bytes as numbers that may overlap, which is harmless because they agree
    /// there. A loop over the bytes would mispredict its end at each word of another length, which
    /// costs more than the loads.
    fn load_short(bytes: &[u8]) -> Self {
        let bits = |count: usize| 8 * count as u32;
        let length = bytes.len();
        // From 8 bytes on, the second number is the last eight bytes without those already in
        // `low`.
        if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            return Self {
                low: u64::from_le_bytes(*first),
                high: u64::from_le_bytes(*last).unbounded_shr(bits(CHUNK_BYTES - length)),
            };
        }
        // From 4 bytes on, the last four are shifted into place.
        let low = if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            let last = u64::from(u32::from_le_bytes(*last));
            u64::from(u32::from_le_bytes(*first)) | last << bits(length - size_of::<u32>())
        } else {
            let byte = |index: usize| {
                let byte = bytes.get(index);
                byte.map_or(0, |&byte| u64::from(byte) << bits(index))
            };
            byte(0) | byte(1) | byte(2)
        };
        Self { low, high: 0 }
    }

    /// Returns the first `length` bytes, padded with zeros.
    #[inline]
    pub fn prefix(self, length: usize) -> Self {
        let [low, high] = PREFIX_MASKS[length];
        Self {
            low: self.low & low,
            high: self.high & high,
        }
    }

    /// Returns the bytes.
    #[inline]
    pub fn to_bytes(self) -> [u8; CHUNK_BYTES] {
        (u128::from(self.high) << 64 | u128::from(self.low)).to_le_bytes()
    }
}

/// Masks of a chunk's two numbers for each length. A table is faster than a shift: 128 bits are two
/// numbers, and shifting them by a variable takes several steps.
static PREFIX_MASKS: [[u64; 2]; CHUNK_BYTES + 1] = {
    let mut masks = [[0; 2]; CHUNK_BYTES + 1];
    let mut length = 1;
    while length <= CHUNK_BYTES {
        let mask = u128::MAX >> (128 - 8 * length);
        masks[length] = [mask as u64, (mask >> 64) as u64];
        length += 1;
    }
    masks
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reference implementation of a class mask, byte by byte.
    fn naive_mask(block: &PaddedBlock, is_member: impl Fn(u8) -> bool) -> u64 {
        let members = (0..BLOCK_BYTES).filter(|&index| is_member(block[index]));
        members.fold(0, |mask, index| mask | 1 << index)
    }

    fn assert_classes(block: &PaddedBlock) {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let expected = ByteClasses {
            word: naive_mask(block, is_word),
            letter: naive_mask(block, |byte| byte.is_ascii_alphabetic()),
            upper: naive_mask(block, |byte| byte.is_ascii_uppercase()),
            digit: naive_mask(block, |byte| byte.is_ascii_digit()),
            non_ascii: naive_mask(block, |byte| !byte.is_ascii()),
        };
        assert_eq!(ByteClasses::new(block), expected);
    }

    #[test]
    fn every_byte_has_its_class_at_every_position() {
        for byte in 0..=u8::MAX {
            for index in 0..BLOCK_BYTES {
                for other in [0, b'a', b'_', 0xFF] {
                    let mut block = [other; BLOCK_BYTES + CHUNK_BYTES];
                    block[index] = byte;
                    assert_classes(&block);
                }
            }
        }
    }

    #[test]
    fn a_chunk_has_zeros_after() {
        let bytes: [u8; 40] = std::array::from_fn(|index| index as u8 + 1);
        for length in 0..=CHUNK_BYTES {
            for end in [length, CHUNK_BYTES, bytes.len()] {
                let chunk = Chunk16::load_prefix(&bytes[..end], length);
                let mut expected = [0; CHUNK_BYTES];
                expected[..length].copy_from_slice(&bytes[..length]);
                assert_eq!(chunk.to_bytes(), expected, "{length} of {end}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_have_their_classes(
            bytes in proptest::collection::vec(any::<u8>(), BLOCK_BYTES + CHUNK_BYTES),
        ) {
            assert_classes(bytes.first_chunk().expect("so many"));
        }
    }
}
