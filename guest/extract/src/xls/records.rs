//! Records of workbooks (BIFF): their numbers, the versions of the format, and fields of numbers.
//!
//! The layout of a record changed with the versions of Excel. Its number tells it in most cases:
//! those of BIFF2 are below 0x0100, and later ones have 2, 4 or 8 in their upper byte.

use crate::limits::BIFF_PIECES;

/// Integer of BIFF2.
pub const INTEGER_2: u16 = 0x0002;

/// Number of BIFF2.
pub const NUMBER_2: u16 = 0x0003;

/// Number.
pub const NUMBER: u16 = 0x0203;

/// String in a cell of BIFF2.
pub const LABEL_2: u16 = 0x0004;

/// String in a cell.
pub const LABEL: u16 = 0x0204;

/// String in a cell, with fonts.
pub const RICH_LABEL: u16 = 0x00D6;

/// Index of a shared string in a cell.
pub const SHARED_LABEL: u16 = 0x00FD;

/// Truth value or error of BIFF2.
pub const TRUTH_2: u16 = 0x0005;

/// Truth value or error.
pub const TRUTH: u16 = 0x0205;

/// Formula with its result, in BIFF2 and from BIFF5 on.
pub const FORMULA: u16 = 0x0006;

/// Formula of BIFF3.
pub const FORMULA_3: u16 = 0x0206;

/// Formula of BIFF4.
pub const FORMULA_4: u16 = 0x0406;

/// String that is the result of the formula before it, in BIFF2.
pub const RESULT_2: u16 = 0x0007;

/// String that is the result of the formula before it.
pub const RESULT: u16 = 0x0207;

/// Number in a compressed form.
pub const COMPRESSED: u16 = 0x027E;

/// Numbers in a compressed form, in cells of one row.
pub const COMPRESSED_ROW: u16 = 0x00BD;

/// Begin of a part of the stream, in BIFF2.
pub const BEGIN_2: u16 = 0x0009;

/// Begin of a part in BIFF3.
pub const BEGIN_3: u16 = 0x0209;

/// Begin of a part in BIFF4.
pub const BEGIN_4: u16 = 0x0409;

/// Begin of a part from BIFF5 on.
pub const BEGIN: u16 = 0x0809;

/// End of a part.
pub const END: u16 = 0x000A;

/// Comment on a cell.
pub const NOTE: u16 = 0x001C;

/// Format of numbers in BIFF2 and BIFF3.
pub const FORMAT_2: u16 = 0x001E;

/// Format of numbers.
pub const FORMAT: u16 = 0x041E;

/// First day of the dates.
pub const EPOCH: u16 = 0x0022;

/// Method of encryption.
pub const PASSWORD: u16 = 0x002F;

/// Continuation of the record before it.
pub const CONTINUE: u16 = 0x003C;

/// Encoding of strings.
pub const CODE_PAGE: u16 = 0x0042;

/// Style of cells in BIFF3.
pub const STYLE_3: u16 = 0x0243;

/// Style of cells in BIFF4.
pub const STYLE_4: u16 = 0x0443;

/// Style of cells from BIFF5 on.
pub const STYLE: u16 = 0x00E0;

/// Shape, control, picture or chart on a sheet.
pub const OBJECT: u16 = 0x005D;

/// Name and offset of a sheet.
pub const SHEET: u16 = 0x0085;

/// Name of the sheet that follows, in a workbook of BIFF4.
pub const SHEET_4: u16 = 0x008F;

/// Strings that the sheets share.
pub const SHARED_STRINGS: u16 = 0x00FC;

/// Drawings of all sheets, with their pictures.
pub const DRAWING_GROUP: u16 = 0x00EB;

/// Part of the drawing of a sheet, with the shape of the object after it.
pub const DRAWING: u16 = 0x00EC;

/// Text in the shape before it.
pub const SHAPE_TEXT: u16 = 0x01B6;

/// Link of cells.
pub const LINK: u16 = 0x01B8;

/// A version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BiffVersion {
    /// Excel 2.
    Biff2,
    /// Excel 3.
    Biff3,
    /// Excel 4.
    Biff4,
    /// Excel 5 and 95.
    Biff5,
    /// Excel 97 to 2003.
    Biff8,
}

/// The content of a part of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// The records that all sheets share.
    Workbook,
    /// A sheet of cells.
    Worksheet,
    /// A chart.
    Chart,
    /// A sheet of macros.
    MacroSheet,
    /// Code in Visual Basic.
    Module,
}

/// The first record of a part.
#[derive(Clone, Copy, Debug)]
pub struct PartBegin {
    pub version: BiffVersion,
    pub kind: PartKind,
}

impl PartBegin {
    /// Longest data of the record; programs write 4 to 16 bytes.
    const MOST_BYTES: usize = 32;

    /// Reads the record at an offset, unless it is another one.
    pub fn read(stream: &[u8], at: usize) -> Option<Self> {
        let (id, data) = BiffRecords::new(stream, at).next()?;
        if data.len() > Self::MOST_BYTES {
            return None;
        }
        let version = match (id, u16_at(data, 0)?) {
            // Some programs of others begin the parts of old versions with the latest record.
            (BEGIN_2, _) | (BEGIN, 0 | 7 | 0x0200) => BiffVersion::Biff2,
            (BEGIN_3, _) | (BEGIN, 0x0300) => BiffVersion::Biff3,
            (BEGIN_4, _) | (BEGIN, 0x0400) => BiffVersion::Biff4,
            // Excel for Macintosh wrote 0x0580.
            (BEGIN, 0x0500..=0x05FF) => BiffVersion::Biff5,
            (BEGIN, 0x0600) => BiffVersion::Biff8,
            _ => return None,
        };
        let kind = match u16_at(data, 2)? {
            // The workbooks of Excel 4 have a number of their own.
            0x0005 | 0x0100 => PartKind::Workbook,
            0x0006 => PartKind::Module,
            0x0010 => PartKind::Worksheet,
            0x0020 => PartKind::Chart,
            0x0040 => PartKind::MacroSheet,
            _ => return None,
        };
        Some(Self { version, kind })
    }
}

/// Returns true if a record begins a part.
pub fn is_begin(id: u16) -> bool {
    matches!(id, BEGIN_2 | BEGIN_3 | BEGIN_4 | BEGIN)
}

/// Records of a stream from an offset on.
pub struct BiffRecords<'a> {
    stream: &'a [u8],
    at: usize,
}

impl<'a> BiffRecords<'a> {
    /// Creates a reader that begins at this offset.
    pub fn new(stream: &'a [u8], at: usize) -> Self {
        Self { stream, at }
    }

    /// Returns the offset of the next record.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Returns the records that continue the last one, and skips them.
    pub fn continuations(&mut self) -> Vec<&'a [u8]> {
        let mut pieces = Vec::new();
        while u16_at(self.stream, self.at) == Some(CONTINUE) {
            let Some((_, data)) = self.next() else { break };
            // Records of a byte or none would take more memory than the file.
            if pieces.len() < BIFF_PIECES && !data.is_empty() {
                pieces.push(data);
            }
        }
        pieces
    }
}

impl<'a> Iterator for BiffRecords<'a> {
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

/// Returns the number in a compressed form (RK) at an offset: an integer of 30 bits or the upper
/// half of a number, divided by 100 if the lowest bit is set.
pub fn rk_at(data: &[u8], at: usize) -> Option<f64> {
    let rk = u32_at(data, at)?;
    let number = if rk & 2 != 0 {
        f64::from(rk.cast_signed() >> 2)
    } else {
        f64::from_bits(u64::from(rk & !3) << 32)
    };
    Some(if rk & 1 != 0 { number / 100.0 } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_numbers() {
        for (rk, expected) in [
            (0u32, 0.0),
            (0x3FF0_0000, 1.0),
            (0x3FF0_0001, 0.01),
            (5 << 2 | 2, 5.0),
            (12345 << 2 | 3, 123.45),
            ((-7i32 << 2).cast_unsigned() | 2, -7.0),
        ] {
            assert_eq!(rk_at(&rk.to_le_bytes(), 0), Some(expected), "{rk:x}");
        }
        assert_eq!(rk_at(&[0; 3], 0), None);
    }
}
