//! Strings in the records of workbooks.

use encoding_rs::{BIG5, EUC_KR, Encoding, GBK, MACINTOSH, SHIFT_JIS, WINDOWS_1252};

use super::records::u16_at;
use crate::encoding::{decode_as, from_code_page};
use crate::failure::{EarlyStop, Failure};
use crate::grid::TextPool;
use crate::limits::SHARED_BYTES;

/// The form of strings in a workbook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BiffStrings {
    /// Bytes in an encoding, before BIFF8.
    Bytes(&'static Encoding),
    /// UTF-16, with flags before it.
    Units,
}

/// Flags before a string of BIFF8.
mod flags {
    /// Each unit takes two bytes. If it is not set, the upper ones are zeros and missing.
    pub const WIDE: u8 = 1;

    /// Pronunciation follows the characters.
    pub const PHONETIC: u8 = 4;

    /// Runs of fonts follow the characters.
    pub const RICH: u8 = 8;
}

/// A reader of strings in a record and those that continue it.
pub struct StringPieces<'a> {
    rest: &'a [u8],
    next: std::vec::IntoIter<&'a [u8]>,
}

impl BiffStrings {
    /// Returns the form of strings in bytes of this code page.
    pub fn from_code_page(number: u16) -> Self {
        Self::Bytes(match number {
            0x8000 => MACINTOSH,
            // The numbers of Macintosh for East Asian encodings.
            10001 => SHIFT_JIS,
            10002 => BIG5,
            10003 => EUC_KR,
            10008 => GBK,
            // UTF-16 is not an encoding of bytes.
            1200 | 1201 => WINDOWS_1252,
            other => from_code_page(u32::from(other)).unwrap_or(WINDOWS_1252),
        })
    }

    /// Returns the string at an offset, whose length takes one byte.
    pub fn short(self, data: &[u8], at: usize) -> Option<String> {
        let count = usize::from(*data.get(at)?);
        self.characters(data.get(at + 1..)?, Vec::new(), count)
    }

    /// Returns the string at an offset, whose length takes two bytes, in a record and those that
    /// continue it.
    pub fn long(self, data: &[u8], at: usize, next: Vec<&[u8]>) -> Option<String> {
        let count = usize::from(u16_at(data, at)?);
        self.characters(data.get(at + 2..)?, next, count)
    }

    fn characters(self, first: &[u8], next: Vec<&[u8]>, count: usize) -> Option<String> {
        let mut pieces = StringPieces::new(first, next);
        match self {
            Self::Units => pieces.characters(count),
            Self::Bytes(encoding) => {
                let bytes: Vec<u8> = (0..count).map_while(|_| pieces.byte()).collect();
                Some(decode_as(encoding, &bytes).into_owned())
            }
        }
    }
}

impl<'a> StringPieces<'a> {
    /// Creates a reader of a record and those that continue it.
    pub fn new(first: &'a [u8], next: Vec<&'a [u8]>) -> Self {
        let next = next.into_iter();
        Self { rest: first, next }
    }

    fn byte(&mut self) -> Option<u8> {
        while self.rest.is_empty() {
            self.rest = self.next.next()?;
        }
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte()?, self.byte()?]))
    }

    fn skip(&mut self, mut count: usize) -> Option<()> {
        while count > self.rest.len() {
            count -= self.rest.len();
            self.rest = self.next.next()?;
        }
        self.rest = &self.rest[count..];
        Some(())
    }

    /// Returns a string of BIFF8 whose length takes two bytes.
    fn string(&mut self) -> Option<String> {
        let count = self.u16()?;
        self.characters(usize::from(count))
    }

    /// Returns a string of BIFF8 with this number of UTF-16 units, from its flags on.
    pub fn characters(&mut self, mut count: usize) -> Option<String> {
        let flags = self.byte()?;
        let mut skipped = 0;
        if flags & flags::RICH != 0 {
            skipped += usize::from(self.u16()?) * 4;
        }
        if flags & flags::PHONETIC != 0 {
            let low = usize::from(self.u16()?);
            skipped += (usize::from(self.u16()?) << 16) | low;
        }
        let mut is_wide = flags & flags::WIDE != 0;
        let mut units = Vec::new();
        while count > 0 {
            if self.rest.is_empty() {
                // The flags begin anew in each record: the rest may be in the other width.
                let Some(next) = self.next.next() else { break };
                let Some((flags, rest)) = next.split_first() else {
                    continue;
                };
                (is_wide, self.rest) = (flags & flags::WIDE != 0, rest);
                continue;
            }
            let low = self.byte()?;
            let high = if is_wide { self.byte()? } else { 0 };
            units.push(u16::from_le_bytes([low, high]));
            count -= 1;
        }
        // A damaged string may claim more than there is behind its characters.
        let _ = self.skip(skipped);
        Some(String::from_utf16_lossy(&units))
    }
}

/// Reads the strings that the sheets share. Their numbers at the beginning are wrong in some files,
/// so the strings end where the record does.
pub fn read_shared_strings(first: &[u8], next: Vec<&[u8]>) -> Result<TextPool, EarlyStop> {
    let mut all = TextPool::default();
    let mut pieces = StringPieces::new(first.get(8..).unwrap_or_default(), next);
    while let Some(text) = pieces.string() {
        all.push(&text);
        if all.size() > SHARED_BYTES {
            return Err(EarlyStop::Failed(Failure::TooLarge));
        }
    }
    Ok(all)
}
