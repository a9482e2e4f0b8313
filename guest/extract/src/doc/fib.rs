//! The file information block (FIB) at the beginning of a document: its version, the lengths of its
//! stories, and the offsets of everything else.

use std::ops::Range;

use crate::failure::{EarlyStop, Failure};
use crate::ole::{u16_at, u32_at};

const MALFORMED: EarlyStop = EarlyStop::Failed(Failure::Malformed);

/// Signatures: Word 97 and later, Word 6 and 95, and those of them for other scripts.
const WORD_97: u16 = 0xA5EC;
const WORD_6: u16 = 0xA5DC;
const FIRST_OF_SCRIPTS: u16 = 0xA697;
const LAST_OF_SCRIPTS: u16 = 0xA699;

/// First version of the block with lengths of its own parts, that of Word 97.
const FIRST_OF_WORD_97: u16 = 0xC1;

// Flags at offset 10.
const ENCRYPTED: u16 = 1 << 8;
const SECOND_TABLE_STREAM: u16 = 1 << 9;
const EXTENDED_CHARACTERS: u16 = 1 << 12;

/// Character set of documents of the Macintosh.
const MACINTOSH: u16 = 256;

/// Number of stories in a row: text, footnotes, headers, macros, comments, endnotes, text boxes.
const STORIES: usize = 7;

/// Beginnings of documents that are no containers, before Word 6.
const WORD_2_MAGIC: &[u8] = b"\xDB\xA5\x2D\x00";
const WORD_1_MAGIC: &[u8] = b"\x9B\xA5\x21\x00";

/// The generation of the binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordFormat {
    /// Word 6 and 95.
    Word6,
    /// Word 97 to 2007.
    Word97,
}

/// A story in the row of stories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocStory {
    Text = 0,
    Footnotes = 1,
    Endnotes = 5,
    TextBoxes = 6,
}

/// A structure whose offset the block gives, by its place in Word 97 and its offset in Word 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocTable {
    place: usize,
    word_6_at: usize,
}

impl DocTable {
    pub const STYLES: Self = Self::new(1, 0x60);
    pub const FOOTNOTE_REFERENCES: Self = Self::new(2, 0x68);
    pub const FOOTNOTES: Self = Self::new(3, 0x70);
    pub const CHARACTER_PAGES: Self = Self::new(12, 0xB8);
    pub const PARAGRAPH_PAGES: Self = Self::new(13, 0xC0);
    pub const FONTS: Self = Self::new(15, 0xD0);
    pub const PIECES: Self = Self::new(33, 0x160);
    pub const SHAPE_ANCHORS: Self = Self::new(40, 0);
    pub const ENDNOTE_REFERENCES: Self = Self::new(46, 0x1D2);
    pub const ENDNOTES: Self = Self::new(47, 0x1DA);
    pub const DRAWINGS: Self = Self::new(50, 0);
    pub const TEXT_BOXES: Self = Self::new(56, 0);
    pub const LIST_KINDS: Self = Self::new(73, 0);
    pub const LISTS: Self = Self::new(74, 0);

    const fn new(place: usize, word_6_at: usize) -> Self {
        Self { place, word_6_at }
    }
}

/// The block.
#[derive(Debug)]
pub struct Fib {
    pub format: WordFormat,
    /// Language of the program that wrote the document.
    pub language: u16,
    pub is_macintosh: bool,
    /// True for text of two bytes for each character in Word 95 of East Asia.
    pub is_extended: bool,
    /// Name of the stream with the tables; `None` if it is that of the text.
    pub table_stream: Option<&'static str>,
    /// Bytes of the text if there is no table of pieces.
    pub text_bytes: Range<u32>,
    /// Number of the first page of character and of paragraph properties in Word 6, and numbers of
    /// these pages.
    pub first_pages: [(u32, u32); 2],
    lengths: [u32; STORIES],
    /// Offset of the first structure in the block, and number of them, in Word 97.
    places: (usize, usize),
    /// The beginning of the stream.
    head: Vec<u8>,
}

/// Returns the failure for a document of a version of Word before 6, which is no container.
pub fn old_word(content: &[u8]) -> Option<Failure> {
    if content.starts_with(WORD_2_MAGIC) {
        Some(Failure::Unsupported("a Word 2 document"))
    } else if content.starts_with(WORD_1_MAGIC) {
        Some(Failure::Unsupported("a Word 1 document"))
    } else {
        None
    }
}

impl Fib {
    /// Bytes at the beginning of the stream that the block takes at most.
    const HEAD_BYTES: usize = 4 << 10;

    /// Reads the block at the beginning of the stream of the text.
    pub fn read(stream: &[u8]) -> Result<Self, EarlyStop> {
        let version = u16_at(stream, 2);
        let format = match u16_at(stream, 0) {
            WORD_97 if version >= FIRST_OF_WORD_97 => WordFormat::Word97,
            WORD_97 | WORD_6 | FIRST_OF_SCRIPTS..=LAST_OF_SCRIPTS => WordFormat::Word6,
            _ => return Err(MALFORMED),
        };
        let flags = u16_at(stream, 10);
        if flags & ENCRYPTED != 0 {
            return Err(EarlyStop::Failed(Failure::Encrypted));
        }
        let mut fib = Self {
            format,
            language: u16_at(stream, 6),
            is_macintosh: u16_at(stream, 20) == MACINTOSH,
            is_extended: flags & EXTENDED_CHARACTERS != 0,
            table_stream: None,
            text_bytes: u32_at(stream, 24)..u32_at(stream, 28),
            first_pages: [(0, 0); 2],
            lengths: [0; STORIES],
            places: (0, 0),
            head: stream[..stream.len().min(Self::HEAD_BYTES)].to_vec(),
        };
        match format {
            WordFormat::Word6 => {
                fib.lengths = std::array::from_fn(|story| u32_at(stream, 0x34 + 4 * story));
                fib.first_pages = [0x18A, 0x18C].map(|at| {
                    let first = u16_at(stream, at);
                    (u32::from(first), u32::from(u16_at(stream, at + 4)))
                });
            }
            WordFormat::Word97 => fib.read_word_97(stream, flags),
        }
        Ok(fib)
    }

    /// Reads the parts of the block that Word 97 has, each of which begins with its length.
    fn read_word_97(&mut self, stream: &[u8], flags: u16) {
        let is_second = flags & SECOND_TABLE_STREAM != 0;
        self.table_stream = Some(if is_second { "1Table" } else { "0Table" });
        let numbers = 32;
        let longs = numbers + 2 + 2 * usize::from(u16_at(stream, numbers));
        self.lengths = std::array::from_fn(|story| u32_at(stream, longs + 2 + 4 * (3 + story)));
        let places = longs + 2 + 4 * usize::from(u16_at(stream, longs));
        self.places = (places + 2, usize::from(u16_at(stream, places)));
    }

    /// Returns the range of a structure in the stream of the tables, which may lie beyond its end.
    pub fn table(&self, table: DocTable) -> Range<usize> {
        let at = match self.format {
            WordFormat::Word6 if table.word_6_at > 0 => table.word_6_at,
            WordFormat::Word97 if table.place < self.places.1 => self.places.0 + 8 * table.place,
            _ => return 0..0,
        };
        let start = u32_at(&self.head, at) as usize;
        start..start.saturating_add(u32_at(&self.head, at + 4) as usize)
    }

    /// Returns the range of a story, in characters.
    pub fn story(&self, story: DocStory) -> Range<u32> {
        let before = self.lengths.iter().take(story as usize);
        let start = before.fold(0_u32, |sum, length| sum.saturating_add(*length));
        let length = self.lengths.get(story as usize).copied();
        start..start.saturating_add(length.unwrap_or_default())
    }
}
