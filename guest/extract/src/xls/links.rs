//! Links of cells to the web and to files (MS-OSHARED 2.3.7).

use std::ops::RangeInclusive;

use super::records::{u16_at, u32_at};

/// Bytes of the identifier of a class.
const CLASS_BYTES: usize = 16;

/// First bytes of the class of addresses of the web.
const WEB_CLASS: &[u8] = &[0xE0, 0xC9, 0xEA, 0x79];

/// First bytes of the class of paths of files.
const FILE_CLASS: &[u8] = &[0x03, 0x03, 0x00, 0x00];

/// Maximum folders above that of the file to which a path leads.
const MOST_PARENTS: usize = 32;

/// Flags of a link, which say which of its fields it has.
mod flags {
    /// The target outside the workbook.
    pub const TARGET: u32 = 1;

    /// The place in the target.
    pub const PLACE: u32 = 1 << 3;

    /// The words to show.
    pub const WORDS: u32 = 1 << 4;

    /// The window for the target.
    pub const FRAME: u32 = 1 << 7;

    /// The target is a string instead of an object.
    pub const PLAIN_TARGET: u32 = 1 << 8;
}

/// A link of cells out of the workbook.
#[derive(Debug, PartialEq, Eq)]
pub struct BiffLink {
    /// The rows of the cells.
    pub rows: RangeInclusive<u16>,
    /// The columns of the cells.
    pub columns: RangeInclusive<u16>,
    /// Address of the web or path of a file.
    pub address: String,
}

/// The fields of a link that were not read yet.
struct LinkFields<'a>(&'a [u8]);

impl BiffLink {
    /// Reads a record. Returns `None` for a link within the workbook.
    pub fn read(data: &[u8]) -> Option<Self> {
        let number = |at| u16_at(data, at);
        let (rows, columns) = (number(0)?..=number(2)?, number(4)?..=number(6)?);
        // Another class and the version precede the flags.
        let mut fields = LinkFields(data.get(8 + CLASS_BYTES + 4..)?);
        let flags = fields.number()?;
        let has = |flag| flags & flag != 0;
        for flag in [flags::WORDS, flags::FRAME] {
            if has(flag) {
                fields.string()?;
            }
        }
        if !has(flags::TARGET) {
            return None;
        }
        let mut address = if has(flags::PLAIN_TARGET) {
            path_address(&fields.string()?, 0)
        } else {
            fields.target()?
        };
        if has(flags::PLACE)
            && !address.contains('#')
            && let Some(place) = fields.string().filter(|place| !place.is_empty())
        {
            address.push('#');
            address.push_str(&place);
        }
        let is_outside = !address.trim().is_empty() && !address.starts_with('#');
        is_outside.then_some(Self {
            rows,
            columns,
            address,
        })
    }
}

impl<'a> LinkFields<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        u32_at(self.take(4)?, 0)
    }

    /// Takes the number of bytes or units before them.
    fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    /// Takes a string, preceded by the number of its UTF-16 units.
    fn string(&mut self) -> Option<String> {
        let units = self.length()?;
        Some(text(self.take(units.checked_mul(2)?)?))
    }

    /// Takes an object: an address or a path.
    fn target(&mut self) -> Option<String> {
        let class = self.take(CLASS_BYTES)?;
        if class.starts_with(WEB_CLASS) {
            let length = self.length()?;
            return Some(text(self.take(length)?));
        }
        if !class.starts_with(FILE_CLASS) {
            return None;
        }
        let parents = usize::from(u16_at(self.take(2)?, 0)?);
        let length = self.length()?;
        let short = self.take(length)?;
        // The path in UTF-16 follows some constants, if the one in bytes does not suffice.
        self.take(24)?;
        let path = match self.length()? {
            0 => {
                let end = short.iter().position(|byte| *byte == 0);
                String::from_utf8_lossy(&short[..end.unwrap_or(short.len())]).into_owned()
            }
            _ => {
                let length = self.length()?;
                self.take(2)?;
                text(self.take(length)?)
            }
        };
        Some(path_address(&path, parents))
    }
}

/// Returns the address of a file by its path from the folder that is `parents` above that of the
/// workbook. A path may also be an address of the web.
fn path_address(path: &str, parents: usize) -> String {
    let address = path.replace('\\', "/");
    match address.as_bytes() {
        [b'/', b'/', ..] => format!("file:{address}"),
        [_, b':', ..] => format!("file:///{address}"),
        _ => "../".repeat(parents.min(MOST_PARENTS)) + &address,
    }
}

/// Returns the text of UTF-16 that may end with a zero.
fn text(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).map_while(|unit| u16_at(unit, 0));
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    String::from_utf16_lossy(&units)
}
