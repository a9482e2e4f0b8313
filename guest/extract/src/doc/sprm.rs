//! Single property modifiers (sprm): changes of the properties of characters, paragraphs and rows.

use super::fib::WordFormat;
use crate::ole::u16_at;

/// A change of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sprm<'a> {
    /// Code of the property in Word 97.
    pub code: u16,
    pub operand: &'a [u8],
}

// The codes of properties in Word 97.
pub const IS_DELETED: u16 = 0x0800;
pub const IS_DATA: u16 = 0x0806;
pub const IS_HIDDEN: u16 = 0x083C;
pub const RAISED: u16 = 0x2A48;
pub const PLAIN: u16 = 0x2A33;
pub const CHARACTER_STYLE: u16 = 0x4A30;
pub const FONT: u16 = 0x4A4F;
pub const SYMBOL: u16 = 0x6A09;
pub const DATA_AT: u16 = 0x6A03;
pub const IS_IN_TABLE: u16 = 0x2416;
pub const IS_ROW_END: u16 = 0x2417;
pub const IS_INNER_CELL_END: u16 = 0x244B;
pub const IS_INNER_ROW_END: u16 = 0x244C;
pub const TABLE_DEPTH: u16 = 0x6649;
pub const TABLE_DEPTH_CHANGE: u16 = 0x664A;
pub const LIST_LEVEL: u16 = 0x260A;
pub const LIST: u16 = 0x460B;
pub const OUTLINE: u16 = 0x2640;
pub const PARAGRAPH_STYLE: u16 = 0x4600;
pub const OLD_LIST_KIND: u16 = 0x25FF;
pub const OLD_LIST: u16 = 0xC63E;
pub const HUGE_PROPERTIES: [u16; 2] = [0x6645, 0x6646];
pub const ROW: u16 = 0xD608;

/// A change whose operand may be longer than a byte tells: tabulators.
const TABULATORS: u16 = 0xC615;

/// Length of the operand of [`TABULATORS`] that stands for a longer one.
const LONG: usize = 255;

/// A code without a meaning, for the properties of Word 6 that are not read.
const UNREAD: u16 = 0;

/// The changes in a sequence of bytes.
#[derive(Clone, Debug)]
pub struct Sprms<'a> {
    rest: &'a [u8],
    format: WordFormat,
}

impl<'a> Sprms<'a> {
    /// Begins with the first change.
    pub fn new(bytes: &'a [u8], format: WordFormat) -> Self {
        Self {
            rest: bytes,
            format,
        }
    }

    /// Returns a change of Word 97 and the bytes behind it.
    fn word_97(bytes: &'a [u8]) -> Option<(Sprm<'a>, &'a [u8])> {
        let code = u16_at(bytes.get(..2)?, 0);
        let rest = &bytes[2..];
        let length = match (code, code >> 13) {
            (ROW, _) => return row(code, rest),
            (TABULATORS, _) => return tabulators(code, rest),
            (_, 0 | 1) => 1,
            (_, 2 | 4 | 5) => 2,
            (_, 3) => 4,
            (_, 7) => 3,
            _ => return split_counted_operand(code, rest),
        };
        split_operand(code, rest, length)
    }

    /// Returns a change of Word 6 and the bytes behind it.
    fn word_6(bytes: &'a [u8]) -> Option<(Sprm<'a>, &'a [u8])> {
        let (old, rest) = bytes.split_first()?;
        let code = from_word_6(*old);
        let length = match old {
            83 => 0,
            4..=11 | 13 | 14 | 24 | 25 | 29 | 37 | 44 | 50 | 51 => 1,
            65..=67 | 71 | 75 | 85..=92 | 94 | 98 | 100 | 102 | 104 | 117..=119 => 1,
            131 | 132 | 138 | 139 | 142 | 143 | 146..=149 | 153..=156 | 158 | 185 | 186 => 1,
            2 | 16..=19 | 21 | 22 | 26..=28 | 30..=36 | 38..=43 | 45..=49 => 2,
            69 | 72 | 80 | 93 | 96 | 97 | 99 | 101 | 107 | 109..=113 | 121..=124 => 2,
            140
            | 141
            | 144
            | 145
            | 150..=152
            | 157
            | 159..=170
            | 182..=184
            | 189
            | 195
            | 197
            | 198 => 2,
            73 | 95 | 136 | 137 => 3,
            20 | 70 | 192 | 194 | 196 | 200 => 4,
            193 | 199 => 5,
            187 => 12,
            188 | 190 => return row(code, rest),
            15 | 23 => return tabulators(code, rest),
            3 | 12 | 52 | 68 | 74 | 77 | 81 | 82 | 103 | 105 | 106 | 108 | 120 | 133 | 191 => {
                return split_counted_operand(code, rest);
            }
            // The changes end with a byte that fills a word.
            _ => return None,
        };
        split_operand(code, rest, length)
    }
}

impl<'a> Iterator for Sprms<'a> {
    type Item = Sprm<'a>;

    fn next(&mut self) -> Option<Sprm<'a>> {
        let (sprm, rest) = match self.format {
            WordFormat::Word6 => Self::word_6(self.rest)?,
            WordFormat::Word97 => Self::word_97(self.rest)?,
        };
        self.rest = rest;
        Some(sprm)
    }
}

/// Returns a change with an operand of `length` bytes.
fn split_operand(code: u16, rest: &[u8], length: usize) -> Option<(Sprm<'_>, &[u8])> {
    let (operand, rest) = rest.split_at_checked(length)?;
    Some((Sprm { code, operand }, rest))
}

/// Returns a change whose operand begins with a byte for its length.
fn split_counted_operand(code: u16, rest: &[u8]) -> Option<(Sprm<'_>, &[u8])> {
    let (length, rest) = rest.split_first()?;
    split_operand(code, rest, usize::from(*length))
}

/// Returns the definition of a row, whose length takes two bytes and counts one of them.
fn row(code: u16, rest: &[u8]) -> Option<(Sprm<'_>, &[u8])> {
    let length = usize::from(u16_at(rest.get(..2)?, 0));
    split_operand(code, &rest[2..], length.saturating_sub(1))
}

/// Returns changed tabulators, a list of deleted ones and a list of added ones.
fn tabulators(code: u16, rest: &[u8]) -> Option<(Sprm<'_>, &[u8])> {
    let (length, behind) = rest.split_first()?;
    let mut length = usize::from(*length);
    if length == LONG {
        let deleted = 1 + 4 * usize::from(*behind.first()?);
        length = deleted + 1 + 3 * usize::from(*behind.get(deleted)?);
    }
    split_operand(code, behind, length)
}

/// Returns the code in Word 97 of a property of Word 6. Those of one byte in the pieces of Word 97
/// have the same numbers.
pub fn from_word_6(number: u8) -> u16 {
    match number {
        2 => PARAGRAPH_STYLE,
        12 => OLD_LIST,
        13 => OLD_LIST_KIND,
        24 => IS_IN_TABLE,
        25 => IS_ROW_END,
        65 => IS_DELETED,
        71 => IS_DATA,
        74 => SYMBOL,
        80 => CHARACTER_STYLE,
        83 => PLAIN,
        92 => IS_HIDDEN,
        93 => FONT,
        104 => RAISED,
        190 => ROW,
        _ => UNREAD,
    }
}
