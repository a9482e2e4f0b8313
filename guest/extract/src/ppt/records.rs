//! Records: the units of a stream. Each has a kind, an instance and a length; those of some kinds
//! contain further records.

use crate::ole::{u16_at, u32_at};

/// The kinds of records that are read.
pub mod kind {
    /// The document: settings and lists of slides.
    pub const DOCUMENT: u16 = 1000;
    /// A slide.
    pub const SLIDE: u16 = 1006;
    /// The master and the notes of a slide.
    pub const SLIDE_ATOM: u16 = 1007;
    /// The notes of a slide.
    pub const NOTES: u16 = 1008;
    /// Settings of all texts.
    pub const ENVIRONMENT: u16 = 1010;
    /// A slide, a master or notes in a list.
    pub const SLIDE_PERSIST: u16 = 1011;
    /// A master of slides.
    pub const MAIN_MASTER: u16 = 1016;
    /// Settings of a slide in a show.
    pub const SHOW_INFO: u16 = 1017;
    /// Addresses of links, and objects of other programs.
    pub const EXTERNAL_OBJECTS: u16 = 1033;
    /// The properties of all drawings.
    pub const DRAWINGS: u16 = 1035;
    /// The drawing of a slide.
    pub const DRAWING: u16 = 1036;
    /// The kind of a header or footer, as PowerPoint 2007 saves it.
    pub const FOOTER_PLACEHOLDER: u16 = 1056;
    /// A list of settings.
    pub const INFO_LIST: u16 = 2000;
    /// The fonts of the document.
    pub const FONTS: u16 = 2005;
    /// A reference to an object of another program.
    pub const OBJECT_REFERENCE: u16 = 3009;
    /// The kind of a placeholder.
    pub const PLACEHOLDER: u16 = 3011;
    /// A reference to a text in the list of slides.
    pub const OUTLINE_REFERENCE: u16 = 3998;
    /// The kind of a text.
    pub const TEXT_HEADER: u16 = 3999;
    /// A text in UTF-16.
    pub const TEXT_CHARS: u16 = 4000;
    /// Properties of paragraphs and characters.
    pub const TEXT_STYLE: u16 = 4001;
    /// Properties of the texts of one kind.
    pub const MASTER_STYLE: u16 = 4003;
    /// A text of one byte for each character.
    pub const TEXT_BYTES: u16 = 4008;
    /// Numbers of paragraphs.
    pub const TEXT_STYLE_9: u16 = 4012;
    /// Numbers of the paragraphs of a text in the list of slides.
    pub const OUTLINE_STYLE_9: u16 = 4014;
    /// The text to which such numbers belong.
    pub const OUTLINE_HEADER_9: u16 = 4015;
    /// A font.
    pub const FONT: u16 = 4023;
    /// A string.
    pub const STRING: u16 = 4026;
    /// The id of a link.
    pub const LINK_ID: u16 = 4051;
    /// An address of links.
    pub const LINK: u16 = 4055;
    /// The place of the number of the slide.
    pub const SLIDE_NUMBER: u16 = 4056;
    /// The range of a link.
    pub const LINK_RANGE: u16 = 4063;
    /// A list of slides, masters or notes, with texts.
    pub const SLIDE_LIST: u16 = 4080;
    /// An action of a shape or of a text.
    pub const ACTION: u16 = 4082;
    /// The properties of an action.
    pub const ACTION_ATOM: u16 = 4083;
    /// A saving of the file.
    pub const USER_EDIT: u16 = 4085;
    /// The place of a date.
    pub const DATE: u16 = 4087;
    /// The place of a date that the footer defines.
    pub const GENERIC_DATE: u16 = 4088;
    /// The place of a header.
    pub const HEADER: u16 = 4089;
    /// The place of a footer.
    pub const FOOTER: u16 = 4090;
    /// A video or a sound.
    pub const MEDIA: u16 = 4100;
    /// The place of a date in a format of its own.
    pub const FORMATTED_DATE: u16 = 4117;
    /// Data of later versions.
    pub const TAGS: u16 = 5000;
    /// Data of one version.
    pub const BINARY_TAG: u16 = 5002;
    /// The content of such data.
    pub const BINARY_DATA: u16 = 5003;
    /// Offsets of records by their ids.
    pub const PERSIST_DIRECTORY: u16 = 6002;
    /// A comment.
    pub const COMMENT: u16 = 12000;
    /// The keys of an encrypted file.
    pub const CRYPT_SESSION: u16 = 12052;
    /// The group of all drawings, with their pictures.
    pub const DRAWING_GROUP: u16 = 0xF000;
    /// All shapes of a drawing.
    pub const SHAPES: u16 = 0xF002;
    /// A group of shapes.
    pub const GROUP: u16 = 0xF003;
    /// A shape.
    pub const SHAPE: u16 = 0xF004;
    /// The kind of a shape.
    pub const SHAPE_ATOM: u16 = 0xF00A;
    /// Properties of a shape.
    pub const PROPERTIES: u16 = 0xF00B;
    /// The text of a shape.
    pub const TEXT_BOX: u16 = 0xF00D;
    /// The place of a shape in its group.
    pub const CHILD_ANCHOR: u16 = 0xF00F;
    /// Properties of a shape that belong to a presentation.
    pub const CLIENT_DATA: u16 = 0xF011;
    /// Further properties of a shape.
    pub const TERTIARY_PROPERTIES: u16 = 0xF122;
}

/// Bytes of the header of a record.
pub const HEADER_BYTES: usize = 8;

/// A record.
#[derive(Clone, Copy, Debug)]
pub struct PptRecord<'a> {
    pub kind: u16,
    /// Number that tells records of one kind apart.
    pub instance: u16,
    pub content: &'a [u8],
    /// True if its content are records.
    pub is_container: bool,
    /// Offset of the content.
    start: usize,
    /// True if its length is more than what is left.
    pub is_cut: bool,
}

/// A sequence of records.
#[derive(Clone, Debug)]
pub struct PptRecords<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> PptRecords<'a> {
    /// Creates the sequence of the records in `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Returns the offset of the next record.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Goes on with the records in a record of this sequence, then with those after it. So records
    /// are read in their order, however deep they are nested.
    pub fn enter(&mut self, record: &PptRecord<'a>) {
        self.at = record.start;
    }
}

impl<'a> Iterator for PptRecords<'a> {
    type Item = PptRecord<'a>;

    fn next(&mut self) -> Option<PptRecord<'a>> {
        let start = self.at.checked_add(HEADER_BYTES)?;
        let header = self.bytes.get(self.at..start)?;
        let length = usize::try_from(u32_at(header, 4)).unwrap_or(usize::MAX);
        let left = self.bytes.len() - start;
        let end = start + length.min(left);
        self.at = end;
        Some(PptRecord {
            kind: u16_at(header, 2),
            instance: u16_at(header, 0) >> 4,
            content: self.bytes.get(start..end)?,
            is_container: u16_at(header, 0) & 0xF == 0xF,
            start,
            is_cut: length > left,
        })
    }
}

impl<'a> PptRecord<'a> {
    /// Returns the record at an offset of a stream.
    pub fn at(stream: &'a [u8], offset: u32) -> Option<Self> {
        let at = usize::try_from(offset).ok()?;
        PptRecords { bytes: stream, at }.next()
    }

    /// Returns the records in this one.
    pub fn records(&self) -> PptRecords<'a> {
        PptRecords::new(self.content)
    }

    /// Returns the number of two bytes at an offset, or 0.
    pub fn u16(&self, at: usize) -> u16 {
        u16_at(self.content, at)
    }

    /// Returns the number of four bytes at an offset, or 0.
    pub fn u32(&self, at: usize) -> u32 {
        u32_at(self.content, at)
    }

    /// Returns the position in a text at an offset.
    pub fn position(&self, at: usize) -> usize {
        usize::try_from(self.u32(at)).unwrap_or(usize::MAX)
    }
}

/// Returns the records that a version of PowerPoint has added, by its name such as `___PPT9`, among
/// the tags of a slide or a shape.
pub fn tag_records<'a>(tags: &PptRecord<'a>, version: &str) -> PptRecords<'a> {
    for tag in tags.records().filter(|tag| tag.kind == kind::BINARY_TAG) {
        let mut records = tag.records();
        let is_named = records.next().is_some_and(|name| {
            name.kind == kind::STRING && utf16_units(name.content).eq(version.encode_utf16())
        });
        if is_named && let Some(data) = records.find(|record| record.kind == kind::BINARY_DATA) {
            return data.records();
        }
    }
    PptRecords::new(&[])
}

/// Returns the code units of a text in UTF-16.
pub fn utf16_units(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.chunks_exact(2).map(|unit| u16_at(unit, 0))
}

/// Returns a string in UTF-16 up to its end or a null character.
pub fn utf16_string(bytes: &[u8]) -> String {
    let units = utf16_units(bytes).take_while(|unit| *unit != 0);
    char::decode_utf16(units)
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}
