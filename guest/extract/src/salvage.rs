//! Parts of a damaged zip archive. The directory at its end, by which parts are found, is lost when
//! a file is cut; each part has a header of its own before its bytes.

use std::collections::BTreeMap;
use std::io::{BufReader, Read};

use flate2::read::DeflateDecoder;

use crate::metered::MeteredReader;
use crate::package::{CHUNK_BYTES, Part};
use crate::xml::Xml;

/// Signature of a part's header.
const HEADER_MAGIC: &[u8; 4] = b"PK\x03\x04";

/// Bytes of a header before the name of the part.
const HEADER_BYTES: usize = 30;

/// Longest name of a part that is looked for.
const NAME_BYTES: usize = 256;

/// Maximum parts; archives of documents have some hundreds.
const PARTS: usize = 10_000;

/// The parts of a damaged archive by their names.
#[derive(Debug)]
pub struct SalvagedParts<'c>(BTreeMap<String, SalvagedPart<'c>>);

/// A part of a damaged archive.
#[derive(Clone, Copy, Debug)]
struct SalvagedPart<'c> {
    /// Bytes of the part, and of all that follow.
    bytes: &'c [u8],
    is_deflated: bool,
}

impl<'c> SalvagedParts<'c> {
    /// Finds the parts whose headers are intact. Of several with one name it is the first.
    pub fn find(content: &'c [u8]) -> Self {
        let mut parts = BTreeMap::new();
        let mut rest = content;
        while let Some(at) = find_header(rest) {
            let header = &rest[at..];
            if let Some((name, part)) = SalvagedPart::read(header) {
                parts.entry(name).or_insert(part);
            }
            if parts.len() >= PARTS {
                break;
            }
            rest = &header[HEADER_MAGIC.len()..];
        }
        Self(parts)
    }

    /// Returns the names of the parts.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns the part with this name, which ends where it is damaged.
    pub fn part<'p>(&self, name: &str, remaining_bytes: &'p mut u64) -> Option<Part<'p>>
    where
        'c: 'p,
    {
        let part = self.0.get(name)?;
        let source: Box<dyn Read + 'p> = if part.is_deflated {
            Box::new(DeflateDecoder::new(part.bytes))
        } else {
            Box::new(part.bytes)
        };
        let metered = MeteredReader::new(source, remaining_bytes);
        Some(Xml::salvage(BufReader::with_capacity(CHUNK_BYTES, metered)))
    }
}

impl<'c> SalvagedPart<'c> {
    /// Reads a header, and returns the name of its part.
    fn read(header: &'c [u8]) -> Option<(String, Self)> {
        let number = |at: usize| Some(u16::from_le_bytes(*header.get(at..)?.first_chunk()?));
        let (method, name_bytes) = (number(8)?, usize::from(number(26)?));
        let start = HEADER_BYTES + name_bytes;
        let name = header.get(HEADER_BYTES..start)?;
        let name = std::str::from_utf8(name)
            .ok()
            .filter(|_| name_bytes <= NAME_BYTES)?;
        let bytes = header.get(start + usize::from(number(28)?)..)?;
        let is_deflated = match method {
            0 => false,
            8 => true,
            _ => return None,
        };
        let part = Self { bytes, is_deflated };
        Some((name.to_owned(), part))
    }
}

/// Returns the offset of the next header.
fn find_header(bytes: &[u8]) -> Option<usize> {
    let mut windows = bytes.windows(HEADER_MAGIC.len());
    windows.position(|window| window == HEADER_MAGIC)
}
