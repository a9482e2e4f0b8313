//! The initial characters of wanted terms, so that other words of a text need not be hashed.

use unicode_normalization::UnicodeNormalization as _;

use crate::width::usual_width;

/// A set of initial characters of wanted terms. A superset only costs time: terms are compared by
/// their digests afterwards. A missing initial would hide all terms with it, so that every possible
/// start of a term is included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initials {
    /// ASCII characters, in lower case.
    ascii: [bool; 256],
    /// Low eight bits of the non-ASCII characters.
    non_ascii: [bool; 256],
}

impl Initials {
    /// The full set.
    pub const ALL: Self = Self {
        ascii: [true; 256],
        non_ascii: [true; 256],
    };

    /// Returns the initials of the words of a query, and of their parts.
    pub fn from_query(query: &str) -> Self {
        let (mut ascii, mut non_ascii) = ([false; 256], [false; 256]);
        // Terms are made of composed text in its usual width.
        let query: String = query.chars().map(usual_width).nfc().collect();
        let mut previous = None;
        for &byte in query.as_bytes() {
            let is_letter = byte.is_ascii_alphabetic();
            let class = Some((is_letter, byte.is_ascii_digit(), byte == b'_'));
            // A part of an identifier may begin with any capital, and with any byte of another
            // class than the byte before it. The exact rules need not be repeated here: an initial
            // too many only costs time.
            if byte.is_ascii_uppercase() || class != previous {
                ascii[usize::from(byte | 0x20)] = true;
            }
            previous = class;
        }
        // Every character beyond ASCII counts, because a pair of syllables may begin with any of
        // them: the terms of `환경설정` include the pairs `환경`, `경설` and `설정`, of which a text may
        // contain only the last.
        for c in query.chars().filter(|c| !c.is_ascii()) {
            non_ascii[low_byte(c)] = true;
        }
        Self { ascii, non_ascii }
    }

    /// Returns true if a wanted term may begin with this ASCII byte, in either case.
    #[inline]
    pub fn has(&self, first: u8) -> bool {
        self.ascii[usize::from(first | 0x20)]
    }

    /// Returns true if a wanted term may begin with this non-ASCII character.
    #[inline]
    pub fn has_non_ascii(&self, first: char) -> bool {
        self.non_ascii[low_byte(first)]
    }
}

/// Returns the low eight bits of a character, which keep the table of the set small.
#[inline]
fn low_byte(c: char) -> usize {
    usize::from(u32::from(c).to_le_bytes()[0])
}
