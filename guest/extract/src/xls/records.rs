//! Records of workbooks (BIFF), and the strings in them.

use encoding_rs::Encoding;

use crate::encoding::decode_as;
use crate::failure::{EarlyStop, Failure};
use crate::grid::TextPool;
use crate::limits::SHARED_BYTES;

/// The record that continues the one before it.
const CONTINUE: u16 = 0x003C;

/// Records of a stream from an offset on.
pub struct Records<'a> {
    stream: &'a [u8],
    at: usize,
}

impl<'a> Records<'a> {
    /// Creates a reader that begins at this offset.
    pub fn new(stream: &'a [u8], at: usize) -> Self {
        Self { stream, at }
    }

    /// Returns the records that continue the last one, and skips them.
    pub fn continued(&mut self) -> Vec<&'a [u8]> {
        let mut pieces = Vec::new();
        while u16_at(self.stream, self.at) == Some(CONTINUE) {
            let Some((_, data)) = self.next() else { break };
            pieces.push(data);
        }
        pieces
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let id = u16_at(self.stream, self.at)?;
        let length = usize::from(u16_at(self.stream, self.at.checked_add(2)?)?);
        let start = self.at + 4;
        let end = start.checked_add(length)?.min(self.stream.len());
        self.at = end;
        Some((id, self.stream.get(start..end)?))
    }
}

/// A reader of strings in a record and those that continue it.
pub struct Pieces<'a> {
    rest: &'a [u8],
    next: std::vec::IntoIter<&'a [u8]>,
}

impl<'a> Pieces<'a> {
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
    pub fn string(&mut self) -> Option<String> {
        let count = self.u16()?;
        self.characters(usize::from(count))
    }

    /// Returns a string of BIFF8 with this number of UTF-16 units, from its flags on.
    pub fn characters(&mut self, mut count: usize) -> Option<String> {
        let flags = self.byte()?;
        let mut skipped = 0;
        if flags & 8 != 0 {
            skipped += usize::from(self.u16()?) * 4;
        }
        if flags & 4 != 0 {
            let low = usize::from(self.u16()?);
            skipped += (usize::from(self.u16()?) << 16) | low;
        }
        let mut is_wide = flags & 1 != 0;
        let mut units = Vec::new();
        while count > 0 {
            if self.rest.is_empty() {
                // The flags begin anew in each record: the rest may be in the other width.
                let Some(next) = self.next.next() else { break };
                let Some((flags, rest)) = next.split_first() else {
                    continue;
                };
                (is_wide, self.rest) = (flags & 1 != 0, rest);
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

/// Reads the strings that the sheets share.
pub fn shared(first: &[u8], next: Vec<&[u8]>) -> Result<TextPool, EarlyStop> {
    let mut all = TextPool::default();
    let mut pieces = Pieces::new(first.get(8..).unwrap_or_default(), next);
    while let Some(text) = pieces.string() {
        all.push(&text);
        if all.size() > SHARED_BYTES {
            return Err(EarlyStop::Failed(Failure::TooLarge));
        }
    }
    Ok(all)
}

/// Returns the string at an offset, in BIFF8 or, with an encoding, in bytes before it. Its length
/// takes one byte if it `is_short`, otherwise two.
pub fn string_at(
    data: &[u8],
    at: usize,
    is_short: bool,
    encoding: Option<&'static Encoding>,
) -> Option<String> {
    let (count, start) = match is_short {
        true => (usize::from(*data.get(at)?), at + 1),
        false => (usize::from(u16_at(data, at)?), at + 2),
    };
    let rest = data.get(start..)?;
    match encoding {
        Some(encoding) => {
            let bytes = &rest[..count.min(rest.len())];
            Some(decode_as(encoding, bytes).into_owned())
        }
        None => Pieces::new(rest, Vec::new()).characters(count),
    }
}

/// Returns the number of two bytes at an offset.
pub fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    let number = data.get(at..)?.first_chunk()?;
    Some(u16::from_le_bytes(*number))
}

/// Returns the number of four bytes at an offset.
pub fn u32_at(data: &[u8], at: usize) -> Option<u32> {
    let number = data.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*number))
}

/// Returns the number with a fraction at an offset.
pub fn f64_at(data: &[u8], at: usize) -> Option<f64> {
    let number = data.get(at..)?.first_chunk()?;
    Some(f64::from_le_bytes(*number))
}

/// Returns the number in a compressed form (RK) at an offset.
pub fn rk_at(data: &[u8], at: usize) -> Option<f64> {
    let rk = u32_at(data, at)?;
    let number = if rk & 2 != 0 {
        f64::from(rk.cast_signed() >> 2)
    } else {
        f64::from_bits(u64::from(rk & !3) << 32)
    };
    Some(if rk & 1 != 0 { number / 100.0 } else { number })
}
