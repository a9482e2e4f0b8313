//! What the bytes of a text are, 64 at a time: a bit for each, so that words are found by counting
//! bits. A loop over bytes ends at every word where no processor expects it, which takes longer than
//! all the rest.

use wide::u8x16;

/// Bytes of a block.
const BLOCK: usize = 64;

/// Bytes that are loaded at once from any place of a block.
pub const STEP: usize = 16;

/// A block with what is loaded from its last places.
pub type Reach = [u8; BLOCK + STEP];

/// Nothing, and where [`reach`] may put a text's last block.
pub const ROOM: Reach = [0; BLOCK + STEP];

/// Returns the block that `bytes` begin with; where they are too few, in `room` with zeros behind them.
pub fn reach<'a>(bytes: &'a [u8], room: &'a mut Reach) -> &'a Reach {
    if let Some(block) = bytes.first_chunk() {
        return block;
    }
    let (own, rest) = room.split_at_mut(bytes.len());
    own.copy_from_slice(bytes);
    rest.fill(0);
    room
}

/// Returns the lowest so many bits.
pub fn first_bits(number: u32) -> u64 {
    !u64::MAX.unbounded_shl(number)
}

/// What the bytes of a block are: a bit for each, the lowest for the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// ASCII letters, digits and `_`.
    pub word: u64,
    /// ASCII letters.
    pub letter: u64,
    /// Those in upper case.
    upper: u64,
    digit: u64,
    /// Bytes of characters beyond ASCII.
    pub wide: u64,
}

impl Block {
    /// Tells the bytes of the block that `bytes` begin with.
    pub fn new(bytes: &Reach) -> Self {
        let mut block = Self::default();
        let (steps, _) = bytes.as_chunks::<STEP>();
        for (at, step) in (0..BLOCK).step_by(STEP).zip(steps) {
            let bytes = u8x16::new(*step);
            block.letter |= between(bytes | u8x16::splat(0x20), b'a', b'z') << at;
            block.upper |= between(bytes, b'A', b'Z') << at;
            block.digit |= between(bytes, b'0', b'9') << at;
            block.word |= between(bytes, b'_', b'_') << at;
            block.wide |= between(bytes, 0x80, 0xFF) << at;
        }
        block.word |= block.letter | block.digit;
        block
    }

    /// Returns the capitals behind small letters. The first byte is none.
    pub fn humps(&self) -> u64 {
        self.upper & ((self.letter & !self.upper) << 1)
    }

    /// Returns where parts of words begin within them: letters, digits and `_` apart, and
    /// `HTTPServer` as `HTTP` and `Server`. The last byte's is not known.
    pub fn cuts(&self) -> u64 {
        let Self {
            word,
            letter,
            upper,
            digit,
            ..
        } = self;
        let lower = letter & !upper;
        let changes = (letter ^ (letter << 1)) | (digit ^ (digit << 1));
        let acronyms = upper & (upper << 1) & (lower >> 1);
        word & (word << 1) & (changes | self.humps() | acronyms)
    }
}

/// Returns which bytes are from `first` to `last`.
fn between(bytes: u8x16, first: u8, last: u8) -> u64 {
    let offset = bytes - u8x16::splat(first);
    offset
        .simd_le(u8x16::splat(last - first))
        .to_bitmask()
        .into()
}

/// Up to 16 bytes as two numbers, the first byte lowest, with zeros behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The first eight bytes.
    pub low: u64,
    /// The others.
    pub high: u64,
}

impl Step {
    /// Loads 16 bytes.
    pub fn whole(bytes: &[u8; STEP]) -> Self {
        let both = u128::from_le_bytes(*bytes);
        Self {
            low: both as u64,
            high: (both >> 64) as u64,
        }
    }

    /// Loads the first bytes of `bytes`, `length` of them, which are 16 at most.
    pub fn first_of(bytes: &[u8], length: usize) -> Self {
        if let Some(whole) = bytes.first_chunk() {
            return Self::whole(whole).first(length);
        }
        Self::exact(&bytes[..length])
    }

    /// Loads fewer than 16 bytes as numbers that may overlap, which changes nothing: a loop would end
    /// where no processor expects it.
    fn exact(bytes: &[u8]) -> Self {
        let bits = |number: usize| 8 * number as u32;
        let length = bytes.len();
        if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            return Self {
                low: u64::from_le_bytes(*first),
                high: u64::from_le_bytes(*last).unbounded_shr(bits(STEP - length)),
            };
        }
        let low = if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            let last = u64::from(u32::from_le_bytes(*last));
            u64::from(u32::from_le_bytes(*first)) | last << bits(length - size_of::<u32>())
        } else {
            let byte = |at: usize| bytes.get(at).map_or(0, |&byte| u64::from(byte) << bits(at));
            byte(0) | byte(1) | byte(2)
        };
        Self { low, high: 0 }
    }

    /// Returns its first `length` bytes.
    pub fn first(self, length: usize) -> Self {
        let [low, high] = FIRST[length];
        Self {
            low: self.low & low,
            high: self.high & high,
        }
    }

    /// Returns its bytes.
    pub fn bytes(self) -> [u8; STEP] {
        (u128::from(self.high) << 64 | u128::from(self.low)).to_le_bytes()
    }
}

/// The bits of the first so many bytes of a step.
static FIRST: [[u64; 2]; STEP + 1] = {
    let mut first = [[0; 2]; STEP + 1];
    let mut length = 1;
    while length <= STEP {
        let bits = u128::MAX >> (128 - 8 * length);
        first[length] = [bits as u64, (bits >> 64) as u64];
        length += 1;
    }
    first
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn expected(bytes: &Reach, is: impl Fn(u8) -> bool) -> u64 {
        let set = (0..BLOCK).filter(|&at| is(bytes[at]));
        set.fold(0, |bits, at| bits | 1 << at)
    }

    fn assert_told(bytes: &Reach) {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let block = Block {
            word: expected(bytes, is_word),
            letter: expected(bytes, |byte| byte.is_ascii_alphabetic()),
            upper: expected(bytes, |byte| byte.is_ascii_uppercase()),
            digit: expected(bytes, |byte| byte.is_ascii_digit()),
            wide: expected(bytes, |byte| !byte.is_ascii()),
        };
        assert_eq!(Block::new(bytes), block);
    }

    #[test]
    fn every_byte_is_told_at_every_place() {
        for byte in 0..=u8::MAX {
            for at in 0..BLOCK {
                for other in [0, b'a', b'_', 0xFF] {
                    let mut bytes = [other; BLOCK + STEP];
                    bytes[at] = byte;
                    assert_told(&bytes);
                }
            }
        }
    }

    #[test]
    fn a_step_has_zeros_behind() {
        let bytes: [u8; 40] = std::array::from_fn(|at| at as u8 + 1);
        for length in 0..=STEP {
            for behind in [length, STEP, bytes.len()] {
                let step = Step::first_of(&bytes[..behind], length);
                let mut expected = [0; STEP];
                expected[..length].copy_from_slice(&bytes[..length]);
                assert_eq!(step.bytes(), expected, "{length} of {behind}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_told(bytes in proptest::collection::vec(any::<u8>(), BLOCK + STEP)) {
            assert_told(bytes.first_chunk().expect("so many"));
        }
    }
}
