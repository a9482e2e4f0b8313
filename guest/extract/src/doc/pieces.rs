//! The pieces of the text: runs of characters in the order of the document, and where their bytes
//! are.

use std::ops::Range;

use super::fib::{DocTable, Fib, WordFormat};
use crate::limits::DOC_PIECES;
use crate::ole::{u16_at, u32_at};

/// Marks of the parts of the structure: properties, and the table of pieces.
const PROPERTIES: u8 = 1;
const PIECES: u8 = 2;

/// Bytes of a piece in the table, besides its position.
const PIECE_BYTES: usize = 8;

/// Flag of an offset: characters of one byte.
const COMPRESSED: u32 = 1 << 30;

/// A piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocPiece {
    /// Its range in the text, in characters.
    pub characters: Range<u32>,
    /// Offset of its first byte.
    pub start: u32,
    /// Bytes of a character: 1 or 2.
    pub width: u32,
    /// Changes of properties in all of it, made by a fast save.
    pub changes: PieceChanges,
}

/// Changes of the properties of a piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PieceChanges {
    #[default]
    None,
    /// A property of one byte: its number and value.
    One(u8, u8),
    /// Properties in the structure of the pieces.
    Many(Range<usize>),
}

/// The pieces in the order of the text.
#[derive(Debug, Default)]
pub struct PieceTable(Vec<DocPiece>);

impl PieceTable {
    /// Reads the pieces from the stream of the tables.
    pub fn read(fib: &Fib, tables: &[u8]) -> Self {
        let all = fib.table(DocTable::PIECES);
        let end = all.end.min(tables.len());
        let (mut at, mut changes) = (all.start, Vec::new());
        while at < end {
            match tables[at] {
                PROPERTIES if changes.len() < DOC_PIECES => {
                    let start = at + 3;
                    let next = start + usize::from(u16_at(tables, at + 1));
                    changes.push(start..next.min(end));
                    at = next;
                }
                PIECES => {
                    let start = at + 5;
                    let length = u32_at(tables, at + 1) as usize;
                    let table = tables.get(start..start.saturating_add(length).min(end));
                    let pieces = pieces(table.unwrap_or_default(), fib, &changes);
                    return Self(pieces);
                }
                _ => break,
            }
        }
        if fib.format == WordFormat::Word97 {
            return Self::default();
        }
        let width = if fib.is_extended { 2 } else { 1 };
        let bytes = &fib.text_bytes;
        Self(vec![DocPiece {
            characters: 0..bytes.end.saturating_sub(bytes.start) / width,
            start: bytes.start,
            width,
            changes: PieceChanges::None,
        }])
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the index of the piece that contains a character, or of the next one.
    pub fn index(&self, character: u32) -> usize {
        self.0
            .partition_point(|piece| piece.characters.end <= character)
    }

    /// Returns the piece with this index.
    pub fn get(&self, index: usize) -> Option<&DocPiece> {
        self.0.get(index)
    }

    /// Returns true if bytes of a piece lie beyond the end of a stream.
    pub fn is_cut(&self, length: usize) -> bool {
        self.0.iter().any(|piece| {
            let characters = piece.characters.end - piece.characters.start;
            let end = u64::from(piece.start) + u64::from(characters) * u64::from(piece.width);
            end > length as u64
        })
    }
}

/// Reads the table of pieces: the positions of all, and then their other properties.
fn pieces(table: &[u8], fib: &Fib, changes: &[Range<usize>]) -> Vec<DocPiece> {
    let count = table.len().saturating_sub(4) / (4 + PIECE_BYTES);
    let mut pieces = Vec::new();
    let mut last_end = 0;
    for index in 0..count.min(DOC_PIECES) {
        let (start, end) = (u32_at(table, 4 * index), u32_at(table, 4 * index + 4));
        // The positions ascend. Pieces in another order could not be found.
        if start < last_end || end <= start {
            continue;
        }
        last_end = end;
        let piece = &table[4 * (count + 1) + PIECE_BYTES * index..];
        let offset = u32_at(piece, 2);
        let (offset, width) = match fib.format {
            WordFormat::Word97 if offset & COMPRESSED != 0 => ((offset & !COMPRESSED) / 2, 1),
            WordFormat::Word97 => (offset & !COMPRESSED, 2),
            WordFormat::Word6 if fib.is_extended => (offset, 2),
            WordFormat::Word6 => (offset, 1),
        };
        pieces.push(DocPiece {
            characters: start..end,
            start: offset,
            width,
            changes: PieceChanges::new(u16_at(piece, 6), changes),
        });
    }
    pieces
}

impl PieceChanges {
    /// Returns the changes with this number.
    fn new(number: u16, changes: &[Range<usize>]) -> Self {
        let [low, high] = number.to_le_bytes();
        if number & 1 == 0 {
            return if number == 0 {
                Self::None
            } else {
                Self::One(low >> 1, high)
            };
        }
        let found = changes.get(usize::from(number >> 1));
        found.cloned().map_or(Self::None, Self::Many)
    }

    /// Returns the bytes of the changes.
    pub fn length(&self) -> usize {
        match self {
            Self::None => 0,
            Self::One(..) => 1,
            Self::Many(range) => range.len(),
        }
    }
}
