//! What the wanted terms begin with, so that a text's other words need not be hashed.

use unicode_normalization::UnicodeNormalization as _;

use crate::width::usual_width;

/// What the wanted terms begin with. A set that holds too much costs time and nothing else: terms
/// are compared by their digests afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initials {
    /// Characters of ASCII, with the bit set that makes letters small.
    ascii: [bool; 256],
    /// The low eight bits of the characters beyond ASCII.
    non_ascii: [bool; 256],
}

impl Initials {
    /// All of them.
    pub const ALL: Self = Self {
        ascii: [true; 256],
        non_ascii: [true; 256],
    };

    /// Returns those of the words of a query, and of their parts.
    pub fn of(query: &str) -> Self {
        let (mut ascii, mut non_ascii) = ([false; 256], [false; 256]);
        // Terms are made of composed text in its usual width.
        let query: String = query.chars().map(usual_width).nfc().collect();
        let mut previous = None;
        for &byte in query.as_bytes() {
            let is_letter = byte.is_ascii_alphabetic();
            let class = Some((is_letter, byte.is_ascii_digit(), byte == b'_'));
            // Where a part of an identifier may begin: every capital, and what is of another class
            // than the byte before it.
            if byte.is_ascii_uppercase() || class != previous {
                ascii[usize::from(byte | 0x20)] = true;
            }
            previous = class;
        }
        // All of them, for a pair begins with any syllable.
        for c in query.chars().filter(|c| !c.is_ascii()) {
            non_ascii[low_byte(c)] = true;
        }
        Self { ascii, non_ascii }
    }

    /// Whether a wanted term may begin with this byte of ASCII, in either case.
    #[inline]
    pub fn has(&self, first: u8) -> bool {
        self.ascii[usize::from(first | 0x20)]
    }

    /// Whether a wanted term may begin with this character beyond ASCII.
    #[inline]
    pub fn has_non_ascii(&self, first: char) -> bool {
        self.non_ascii[low_byte(first)]
    }
}

/// Returns a character's low eight bits: with them a set of all characters is a small table.
#[inline]
fn low_byte(c: char) -> usize {
    usize::from(u32::from(c).to_le_bytes()[0])
}
