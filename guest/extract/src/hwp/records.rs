//! Records: the units of a stream, each with a kind and a level that nests them.

/// The kinds of records that are read.
pub mod tag {
    /// Data in a stream of its own, such as a picture.
    pub const BINARY: u16 = 18;
    /// A numbered list.
    pub const NUMBERING: u16 = 23;
    /// Properties of paragraphs.
    pub const PARAGRAPH_SHAPE: u16 = 25;
    /// A named style.
    pub const STYLE: u16 = 26;
    /// The key of a distribution document.
    pub const DISTRIBUTION: u16 = 28;
    /// A paragraph.
    pub const PARAGRAPH: u16 = 66;
    /// Words of a paragraph.
    pub const TEXT: u16 = 67;
    /// Ranges of a paragraph, such as tracked changes.
    pub const RANGES: u16 = 70;
    /// A control.
    pub const CONTROL: u16 = 71;
    /// A list of paragraphs: a cell, a caption, a text box.
    pub const LIST: u16 = 72;
    /// Properties of a table.
    pub const TABLE: u16 = 77;
    /// An object of another program.
    pub const OLE: u16 = 84;
    /// A picture.
    pub const PICTURE: u16 = 85;
    /// An equation.
    pub const EQUATION: u16 = 88;
    /// Words drawn as a picture.
    pub const TEXT_ART: u16 = 90;
    /// A control of a form.
    pub const FORM: u16 = 91;
    /// A memo, whose paragraphs follow.
    pub const MEMO: u16 = 93;
    /// A video.
    pub const VIDEO: u16 = 98;
}

/// A record.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// Its kind.
    pub tag: u16,
    /// Its level: records of a higher one that follow belong to it.
    pub level: u16,
    /// Its content.
    pub data: RecordData<'a>,
}

/// Numbers and words in a record.
#[derive(Clone, Copy, Debug)]
pub struct RecordData<'a>(pub &'a [u8]);

/// The records of a stream.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    rest: &'a [u8],
    /// True if the last record ends after the stream.
    is_cut: bool,
}

impl<'a> Records<'a> {
    /// Creates the records of a stream.
    pub fn new(stream: &'a [u8]) -> Self {
        Self {
            rest: stream,
            is_cut: false,
        }
    }

    /// Returns true if a record ends after the stream.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the next record and the rest of the stream. A record that is cut has the bytes that
    /// are there.
    fn peek(&self) -> Option<(Record<'a>, &'a [u8], bool)> {
        let (header, mut rest) = self.rest.split_first_chunk::<4>()?;
        let header = u32::from_le_bytes(*header);
        let mut size = header >> 20;
        if size == 0xFFF {
            let (long, after) = rest.split_first_chunk::<4>()?;
            size = u32::from_le_bytes(*long);
            rest = after;
        }
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let is_cut = size > rest.len();
        let (data, rest) = rest.split_at(size.min(rest.len()));
        let record = Record {
            tag: (header & 0x3FF) as u16,
            level: (header >> 10 & 0x3FF) as u16,
            data: RecordData(data),
        };
        Some((record, rest, is_cut))
    }

    /// Returns the next record if it belongs to one of this level.
    pub fn next_within(&mut self, level: u16) -> Option<Record<'a>> {
        let (record, rest, is_cut) = self.peek()?;
        if record.level <= level {
            return None;
        }
        self.rest = rest;
        self.is_cut |= is_cut;
        Some(record)
    }

    /// Skips the records that belong to one of this level.
    pub fn skip_within(&mut self, level: u16) {
        while self.next_within(level).is_some() {}
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let (record, rest, is_cut) = self.peek()?;
        self.rest = rest;
        self.is_cut |= is_cut;
        Some(record)
    }
}

impl<'a> RecordData<'a> {
    /// Returns the number of one byte at an offset, or 0.
    pub fn u8(self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or_default()
    }

    /// Returns the number of two bytes at an offset, or 0.
    pub fn u16(self, at: usize) -> u16 {
        let bytes = self.0.get(at..).and_then(|rest| rest.first_chunk());
        bytes.map_or(0, |bytes| u16::from_le_bytes(*bytes))
    }

    /// Returns the number of four bytes at an offset, or 0.
    pub fn u32(self, at: usize) -> u32 {
        let bytes = self.0.get(at..).and_then(|rest| rest.first_chunk());
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    /// Returns the code units at an offset, as many as the number there says, and the offset after
    /// them.
    pub fn words(self, at: usize) -> (String, usize) {
        let start = at.saturating_add(2);
        let end = start.saturating_add(usize::from(self.u16(at)) * 2);
        let bytes = self.0.get(start..end.min(self.0.len())).unwrap_or_default();
        (utf16(bytes), end)
    }
}

/// Returns the text of code units in UTF-16. Null characters, which fill up fields, are left out.
pub fn utf16(bytes: &[u8]) -> String {
    let units = bytes
        .chunks_exact(2)
        .filter_map(|unit| Some(u16::from_le_bytes(*unit.first_chunk()?)))
        .filter(|unit| *unit != 0);
    char::decode_utf16(units)
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}
