//! Parts of a damaged zip archive. The directory at its end, by which parts are found, is lost when
//! a file is cut; each part has a header of its own before its bytes.

use std::collections::BTreeMap;
use std::io::{self, Read};

use flate2::{Decompress, FlushDecompress};

use crate::failure::{EarlyStop, Failure};
use crate::limits::Limits;
use crate::markdown::Markdown;
use crate::package::Package;

/// Signature of a part's header.
const HEADER_MAGIC: &[u8; 4] = b"PK\x03\x04";

/// Bytes of a header before the name of the part.
const HEADER_BYTES: usize = 30;

/// Longest name of a part that is looked for.
const NAME_BYTES: usize = 256;

/// Maximum headers; archives of documents have some hundreds.
const PARTS: usize = 10_000;

/// Flag of a part that is encrypted.
const ENCRYPTED: u16 = 1;

/// The parts of a damaged archive by their names in lower case.
#[derive(Clone, Debug)]
pub struct SalvagedParts<'c>(BTreeMap<String, SalvagedPart<'c>>);

/// A part of a damaged archive.
#[derive(Clone, Copy, Debug)]
struct SalvagedPart<'c> {
    /// Bytes of the part, and of all that follow if it is not known where it ends.
    bytes: &'c [u8],
    is_deflated: bool,
}

/// The bytes of a part up to the damage, which is like its end.
struct SalvagedReader<'c> {
    inflater: Decompress,
    rest: &'c [u8],
    is_over: bool,
}

/// A source of UTF-8, in which each damaged byte is a question mark. It is read into buffers of four
/// bytes or more, the longest character.
pub struct Utf8Reader<R> {
    source: R,
    /// The beginning of a character whose other bytes were not read yet.
    begun: Vec<u8>,
}

/// Reads a package with `read`. A damaged one is read once more, as far as its bytes allow, and its
/// text begins with a note that says so.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read_package(
    content: &[u8],
    limits: &Limits,
    text: &mut Markdown,
    read: impl Fn(Package<'_>, &mut Markdown) -> Result<(), EarlyStop>,
) -> Result<(), EarlyStop> {
    const MALFORMED: Result<(), EarlyStop> = Err(EarlyStop::Failed(Failure::Malformed));
    let package = Package::open(content, limits);
    let whole = package.and_then(|package| read(package, text));
    if whole != MALFORMED {
        return whole;
    }
    text.clear();
    text.push_damage_note()?;
    let room = text.room();
    read(Package::salvage(content, limits), text)?;
    if text.has_words(room - text.room()) {
        Ok(())
    } else {
        MALFORMED
    }
}

impl<'c> SalvagedParts<'c> {
    /// Finds the parts whose headers are intact. Of several with one name it is the first.
    pub fn find(content: &'c [u8]) -> Self {
        let mut parts = BTreeMap::new();
        let mut rest = content;
        // The same part may come as often as its header fits.
        for _ in 0..PARTS {
            let Some(at) = find_header(rest) else {
                break;
            };
            let header = &rest[at..];
            if let Some((name, part)) = SalvagedPart::read(header) {
                parts.entry(name).or_insert(part);
            }
            rest = &header[HEADER_MAGIC.len()..];
        }
        Self(parts)
    }

    /// Returns the names of the parts, in lower case.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns a reader of the part with this name, which ends where it is damaged.
    pub fn source(&self, name: &str) -> Option<Box<dyn Read + 'c>> {
        let part = self.0.get(&name.to_ascii_lowercase())?;
        Some(if part.is_deflated {
            Box::new(SalvagedReader {
                inflater: Decompress::new(false),
                rest: part.bytes,
                is_over: false,
            })
        } else {
            Box::new(part.bytes)
        })
    }
}

impl<'c> SalvagedPart<'c> {
    /// Reads a header, and returns the name of its part.
    fn read(header: &'c [u8]) -> Option<(String, Self)> {
        let number = |at: usize| Some(u16::from_le_bytes(*header.get(at..)?.first_chunk()?));
        let (flags, method) = (number(6)?, number(8)?);
        let name_bytes = usize::from(number(26)?);
        if name_bytes > NAME_BYTES || flags & ENCRYPTED != 0 {
            return None;
        }
        let start = HEADER_BYTES + name_bytes;
        let name = header.get(HEADER_BYTES..start)?;
        let name = std::str::from_utf8(name).ok()?;
        let bytes = header.get(start + usize::from(number(28)?)..)?;
        let is_deflated = match method {
            0 => false,
            8 => true,
            _ => return None,
        };
        let size = u32::from_le_bytes(*header.get(18..)?.first_chunk()?);
        let bytes = match usize::try_from(size) {
            // Deflated bytes say themselves where they end.
            Ok(size @ 1..) if !is_deflated => bytes.get(..size).unwrap_or(bytes),
            _ => bytes,
        };
        let name = name.trim_start_matches('/').to_ascii_lowercase();
        Some((name, Self { bytes, is_deflated }))
    }
}

impl Read for SalvagedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.is_over {
            let (taken, made) = (self.inflater.total_in(), self.inflater.total_out());
            let status = self
                .inflater
                .decompress(self.rest, buffer, FlushDecompress::None);
            let taken = usize::try_from(self.inflater.total_in() - taken).unwrap_or(0);
            let made = usize::try_from(self.inflater.total_out() - made).unwrap_or(0);
            self.rest = self.rest.get(taken..).unwrap_or_default();
            // Damaged bytes come with all that was unpacked before them, and that may be the whole
            // text of a small document.
            let is_stuck = taken == 0 && made == 0;
            self.is_over = !matches!(status, Ok(flate2::Status::Ok)) || is_stuck;
            if made > 0 {
                return Ok(made);
            }
        }
        Ok(0)
    }
}

impl<R: Read> Utf8Reader<R> {
    /// Creates a reader of the bytes of `source`.
    pub fn new(source: R) -> Self {
        let begun = Vec::new();
        Self { source, begun }
    }
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let begun = self.begun.len();
            let Some((start, room)) = buffer.split_at_mut_checked(begun) else {
                return Ok(0);
            };
            start.copy_from_slice(&self.begun);
            self.begun.clear();
            let count = self.source.read(room)?;
            let read = &mut buffer[..begun + count];
            let length = replace_damage(read, count == 0);
            self.begun.extend_from_slice(&read[length..]);
            if length > 0 || count == 0 {
                return Ok(length);
            }
        }
    }
}

/// Replaces the bytes that are not UTF-8, and returns the length without the beginning of a
/// character that may continue, unless these are the last bytes.
fn replace_damage(bytes: &mut [u8], is_last: bool) -> usize {
    let mut at = 0;
    while let Err(error) = std::str::from_utf8(&bytes[at..]) {
        at += error.valid_up_to();
        let damaged = match error.error_len() {
            Some(length) => length,
            None if is_last => bytes.len() - at,
            None => return at,
        };
        bytes[at..at + damaged].fill(b'?');
        at += damaged;
    }
    bytes.len()
}

/// Returns the offset of the next header.
fn find_header(bytes: &[u8]) -> Option<usize> {
    let mut windows = bytes.windows(HEADER_MAGIC.len());
    windows.position(|window| window == HEADER_MAGIC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_utf_8() {
        for (bytes, expected) in [
            ("a가b".as_bytes(), "a가b"),
            (b"a\xFFb", "a?b"),
            (b"a\xEA\xB0", "a??"),
            (b"\xEA\xB0<\xEA\xB0\x80", "??<가"),
        ] {
            let mut source = Utf8Reader::new(bytes);
            let (mut all, mut buffer) = (Vec::new(), [0; 4]);
            while let Ok(count @ 1..) = source.read(&mut buffer) {
                all.extend_from_slice(&buffer[..count]);
            }
            assert_eq!(String::from_utf8_lossy(&all), expected, "{bytes:?}");
        }
    }
}
