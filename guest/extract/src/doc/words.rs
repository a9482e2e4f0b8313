//! The characters of a story, in runs with the same properties.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::{UTF_16LE, WINDOWS_1252};

use super::drawings::ShapePicture;
use super::fib::WordFormat;
use super::form::form_text;
use super::objects::DocObject;
use super::pieces::{DocPiece, PieceChanges, PieceTable};
use super::properties::CharacterProperties;
use super::sprm::{Sprm, Sprms, from_word_6};
use super::{DocReader, UnshownDocText, sprm};
use crate::docx::symbols::symbol_text;
use crate::encoding::locale_code_page;
use crate::failure::EarlyStop;
use crate::inline::{make_link, superscript};
use crate::limits::{DOC_FIELDS, DOC_RUN_CHARACTERS};
use crate::markdown::Markdown;
use crate::ole::u16_at;
use crate::rtf::charset::{ByteRun, CodePage, WESTERN};

/// Number of the property of a piece that is the level in a list, in Word 97.
const PIECE_LIST_LEVEL: u8 = 12;

/// Maximum bytes of an instruction that are kept; addresses are shorter.
const INSTRUCTION_BYTES: usize = 4 << 10;

/// First unit that is a pair of bytes in Word 95 of East Asia.
const FIRST_PAIR: u16 = 0x3000;

/// Number of the code page of the Macintosh.
const MACINTOSH: i32 = 10_000;

// Characters with a meaning.
const PICTURE: u16 = 0x01;
const COMMENT: u16 = 0x05;
const CELL_END: u16 = 0x07;
const TAB: u16 = 0x09;
const LINE_END: u16 = 0x0A;
const LINE_BREAK: u16 = 0x0B;
const PAGE_END: u16 = 0x0C;
const PARAGRAPH_END: u16 = 0x0D;
const COLUMN_END: u16 = 0x0E;
const FIELD_START: u16 = 0x13;
const FIELD_SEPARATOR: u16 = 0x14;
const FIELD_END: u16 = 0x15;
const HYPHEN: u16 = 0x1E;

/// The first character without a meaning.
const FIRST_OF_TEXT: u16 = 0x20;

impl<'a> DocReader<'a> {
    /// Reads the characters of a story.
    pub fn characters(&mut self, story: Range<u32>, text: &mut Markdown) -> Result<(), EarlyStop> {
        let mut at = story.start;
        let mut index = self.pieces.index(at);
        let pieces: &'a PieceTable = self.pieces;
        while at < story.end
            && let Some(piece) = pieces.get(index)
        {
            self.charge(DOC_RUN_CHARACTERS)?;
            let end = piece.characters.end.min(story.end);
            at = at.max(piece.characters.start);
            while at < end {
                at = self.run(piece, at..end, text)?;
            }
            index += 1;
        }
        Ok(())
    }

    /// Reads the first run of characters with the same properties within a range of a piece, and
    /// returns its end.
    fn run(
        &mut self,
        piece: &DocPiece,
        range: Range<u32>,
        text: &mut Markdown,
    ) -> Result<u32, EarlyStop> {
        let before = (range.start - piece.characters.start).saturating_mul(piece.width);
        let start = piece.start.saturating_add(before);
        let bytes = self.file.stream.get(start as usize..).unwrap_or_default();
        if bytes.is_empty() {
            return Ok(range.end);
        }
        let found = self.character_pages.find(start);
        let mut end = range.end;
        if let Some(run) = &found {
            let characters = (run.bytes.end - start).div_ceil(piece.width);
            end = end.min(range.start.saturating_add(characters));
        }
        if self.story.is_main {
            let next = self.objects.next_position();
            if next > range.start {
                end = end.min(next);
            }
        }
        // A piece may claim thousands of millions of characters.
        let length = bytes.len().min((end - range.start) as usize);
        let found = found.map(|run| run.properties).unwrap_or_default();
        let changes = piece.changes.length();
        self.charge(length + found.len() + changes + DOC_RUN_CHARACTERS)?;
        let properties = self.character_properties(piece, start, found);
        if self.story.is_main {
            while let Some(object) = self.objects.take_at(range.start) {
                self.object(object, &properties, text)?;
            }
        }
        let bytes = &bytes[..bytes.len().min(length.saturating_mul(piece.width as usize))];
        self.units(bytes, start, piece, &properties, text)?;
        Ok(end)
    }

    /// Returns the properties of characters from a byte on, of which `found` are in a page.
    fn character_properties(
        &mut self,
        piece: &DocPiece,
        start: u32,
        found: &'a [u8],
    ) -> CharacterProperties {
        let mut properties = CharacterProperties::default();
        properties.apply(Sprms::new(found, self.file.fib.format));
        properties.apply(self.changes(&piece.changes));
        let style = properties.style.map(|number| self.styles.get(number));
        let paragraph = self.paragraph_pages.find(start);
        let paragraph = paragraph.map_or(0, |run| u16_at(run.properties, 0));
        let paragraph = self.styles.get(paragraph).characters;
        let base = style.map_or(paragraph, |style| style.characters.or(paragraph));
        properties.or(base)
    }

    /// Returns the changes of a piece.
    pub fn changes(&self, changes: &PieceChanges) -> impl Iterator<Item = Sprm<'a>> + use<'a> {
        let (mut one, mut many) = (None, Sprms::new(&[], self.file.fib.format));
        match changes {
            PieceChanges::None => {}
            PieceChanges::One(number, value) => {
                let is_level =
                    *number == PIECE_LIST_LEVEL && self.file.fib.format == WordFormat::Word97;
                one = Some(Sprm {
                    code: if is_level {
                        sprm::LIST_LEVEL
                    } else {
                        from_word_6(*number)
                    },
                    operand: single(*value),
                });
            }
            PieceChanges::Many(range) => {
                many = Sprms::new(self.table_bytes(range.clone()), self.file.fib.format);
            }
        }
        one.into_iter().chain(many)
    }

    /// Adds the reference to a note, or the text boxes of a shape, unless it is not shown.
    fn object(
        &mut self,
        object: DocObject,
        properties: &CharacterProperties,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        let is_shown = !properties.is_hidden()
            && !properties.is_deleted
            && self.fields.instruction().is_none();
        match object {
            DocObject::Note(note) if is_shown => {
                self.shown_notes.push(note);
                let number = self.shown_notes.len();
                self.story.text.push_str(&format!("[^{number}]"));
            }
            DocObject::Note(_) => {}
            DocObject::Shape(shape) => {
                let pictures = self.objects.drawings.take_pictures(shape);
                let boxes = self.objects.take_boxes(shape);
                if is_shown {
                    for ShapePicture {
                        number,
                        description,
                    } in pictures
                    {
                        self.push_floating_picture(number, &description, text)?;
                    }
                    for range in boxes {
                        let blocks = self.inner_story(range, text)?;
                        self.story.boxes.extend(blocks);
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads the units of a run: characters, and signs with a meaning.
    fn units(
        &mut self,
        bytes: &[u8],
        start: u32,
        piece: &DocPiece,
        properties: &CharacterProperties,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        let width = piece.width as usize;
        let mut words = 0;
        let mut units = bytes.chunks_exact(width).enumerate().peekable();
        while let Some((index, unit)) = units.next() {
            let number = unit_number(unit);
            let is_sign = number < FIRST_OF_TEXT;
            let end = if is_sign { index } else { index + 1 };
            if is_sign || units.peek().is_none() {
                self.push_words(
                    &bytes[words * width..end * width],
                    piece.width,
                    properties,
                    text,
                )?;
                words = index + 1;
            }
            if is_sign {
                let at = u32::try_from(index * width).unwrap_or_default();
                self.sign(number, start.saturating_add(at), piece, properties, text)?;
            }
        }
        Ok(())
    }

    /// Processes a sign with a meaning at an offset.
    fn sign(
        &mut self,
        sign: u16,
        at: u32,
        piece: &DocPiece,
        properties: &CharacterProperties,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        let is_shown = !properties.is_hidden() && !properties.is_deleted;
        match sign {
            TAB => self.push_text("\t", properties, text)?,
            LINE_END | LINE_BREAK | COLUMN_END => self.push_text("\n", properties, text)?,
            HYPHEN => self.push_text("-", properties, text)?,
            CELL_END | PAGE_END | PARAGRAPH_END => {
                let properties = self.paragraph_properties(at, piece)?;
                self.end_mark(sign == CELL_END, &properties, text)?;
            }
            FIELD_START | FIELD_SEPARATOR | FIELD_END => self.field(sign, properties, text)?,
            COMMENT => self.omitted.comments += 1,
            PICTURE if properties.is_data => {
                if let Some(at) = properties.data_at
                    && self.fields.instruction().is_some()
                {
                    self.fields.set_form(form_text(&self.file.data, at));
                }
            }
            PICTURE if is_shown && self.fields.instruction().is_none() => {
                self.push_picture(at, piece, properties, text)?;
            }
            // Marks that repeat the numbers of notes, soft hyphens, and those that are not used.
            _ => {}
        }
        Ok(())
    }

    /// Processes a sign that begins a field, ends its instruction, or ends the field.
    fn field(
        &mut self,
        sign: u16,
        properties: &CharacterProperties,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        self.charge(self.fields.depth())?;
        match sign {
            FIELD_START if self.fields.depth() >= DOC_FIELDS => self.excess_fields += 1,
            FIELD_START => self.fields.begin(None),
            _ if self.excess_fields > 0 => {
                self.excess_fields -= usize::from(sign == FIELD_END);
            }
            FIELD_SEPARATOR => {
                let may_link = !self.fields.is_link() && self.fields.depth() > 0;
                self.fields.separate(self.story.text.len(), may_link);
            }
            _ => {
                let ended = self.fields.end(&self.story.text);
                if let Some(shown) = ended.shown {
                    self.push_text(&shown, properties, text)?;
                }
                if let Some(link) = ended.link {
                    make_link(&mut self.story.text, link.start, &link.address);
                }
            }
        }
        Ok(())
    }

    /// Adds the words of a run.
    fn push_words(
        &mut self,
        bytes: &[u8],
        width: u32,
        properties: &CharacterProperties,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        if bytes.is_empty() {
            return Ok(());
        }
        if let Some((font, code)) = properties.symbol {
            let symbol = symbol_text(self.fonts.name(font.into()), code.into());
            for _ in 0..bytes.len() / width as usize {
                self.push_text(&symbol, properties, text)?;
            }
            return Ok(());
        }
        let words = self.decode(bytes, width, properties);
        self.push_text(&words, properties, text)
    }

    /// Decodes the words of a run.
    fn decode<'b>(
        &self,
        bytes: &'b [u8],
        width: u32,
        properties: &CharacterProperties,
    ) -> Cow<'b, str> {
        let font = properties.font.map(i32::from);
        let fib = &self.file.fib;
        if fib.format == WordFormat::Word97 {
            return match self.fonts.symbols(font) {
                Some(symbols) if width == 1 => {
                    let codes: String = bytes.iter().copied().map(char::from).collect();
                    symbols.translate(&codes).into()
                }
                Some(symbols) => {
                    let codes = UTF_16LE.decode_without_bom_handling(bytes).0;
                    symbols.translate(&codes).into()
                }
                None if width == 1 => WINDOWS_1252.decode_without_bom_handling(bytes).0,
                None => UTF_16LE.decode_without_bom_handling(bytes).0,
            };
        }
        let language = if fib.is_macintosh {
            CodePage::from_number(MACINTOSH)
        } else {
            let page = locale_code_page(fib.language.into());
            i32::try_from(page).ok().and_then(CodePage::from_number)
        };
        let page = language.unwrap_or(WESTERN);
        let decode = |bytes: Vec<u8>| {
            let run = ByteRun {
                bytes,
                has_hex: true,
            };
            self.fonts.decode(font, page, &run)
        };
        if width == 1 {
            return decode(bytes.to_vec()).into();
        }
        let mut words = String::new();
        for unit in bytes.chunks_exact(2) {
            let number = unit_number(unit);
            let [low, high] = number.to_le_bytes();
            match char::from_u32(number.into()) {
                _ if number >= FIRST_PAIR => words.push_str(&decode(vec![high, low])),
                Some(c) if number > 0xFF => words.push(c),
                _ => words.push_str(&decode(vec![low])),
            }
        }
        words.into()
    }

    /// Adds text to the paragraph, to the instruction of a field, or nowhere.
    fn push_text(
        &mut self,
        words: &str,
        properties: &CharacterProperties,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        self.charge(self.fields.depth())?;
        if let Some(instruction) = self.fields.instruction() {
            if instruction.len() < INSTRUCTION_BYTES {
                instruction.push_str(words);
            }
            return Ok(());
        }
        if properties.is_deleted || properties.is_hidden() {
            let reason = if properties.is_deleted {
                UnshownDocText::Deleted
            } else {
                UnshownDocText::Hidden
            };
            self.omitted.count_text(reason);
            return Ok(());
        }
        self.omitted.last = None;
        let raised = if properties.is_raised() {
            superscript(words)
        } else {
            None
        };
        self.story.text.push_str(raised.as_deref().unwrap_or(words));
        self.check_room(text)
    }
}

/// Returns the number of a unit of one byte or two.
fn unit_number(unit: &[u8]) -> u16 {
    match unit {
        [low, high] => u16::from_le_bytes([*low, *high]),
        [byte] => u16::from(*byte),
        _ => 0,
    }
}

/// Returns a byte as an operand.
fn single(byte: u8) -> &'static [u8] {
    const BYTES: [u8; 256] = {
        let mut bytes = [0; 256];
        let mut index = 0;
        while index < bytes.len() {
            bytes[index] = index as u8;
            index += 1;
        }
        bytes
    };
    static ALL: [u8; 256] = BYTES;
    let index = usize::from(byte);
    &ALL[index..=index]
}
