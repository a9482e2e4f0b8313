//! Properties of texts: the levels and marks of paragraphs, and the fonts of characters.

use super::records::{PptRecord, PptRecords, kind};
use crate::ole::{u16_at, u32_at};
use crate::pptx::ListMark;

/// Kinds of texts.
pub const TITLE: u32 = 0;
pub const OTHER: u32 = 4;
pub const CENTER_TITLE: u32 = 6;

/// Number of the kinds of texts.
const KINDS: usize = 9;

/// Levels of paragraphs.
const LEVELS: usize = 5;

/// The kinds of texts whose properties the others adopt.
const BASES: [usize; KINDS] = [0, 1, 2, 3, 4, 1, 0, 1, 1];

/// A reader of numbers, one after the other.
#[derive(Clone, Copy, Debug)]
struct StyleBytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Properties of the paragraphs up to an offset.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParagraphRun {
    /// Offset in code units.
    pub end: usize,
    pub level: usize,
    /// True if there is a mark; `None` if that is inherited.
    pub has_mark: Option<bool>,
}

/// Properties of the characters up to an offset.
#[derive(Clone, Copy, Debug, Default)]
pub struct CharacterRun {
    /// Offset in code units.
    pub end: usize,
    /// Number of their font.
    pub font: Option<u16>,
    /// Number of the font of their symbols.
    pub symbol_font: Option<u16>,
    pub is_raised: bool,
    /// Number of the properties that PowerPoint 2000 added, modulo 16.
    pub number: usize,
}

/// The properties of a text, read from its begin to its end.
#[derive(Debug)]
pub struct TextStyle<'a> {
    paragraphs: StyleBytes<'a>,
    paragraph: ParagraphRun,
    characters: StyleBytes<'a>,
    character: CharacterRun,
    numbers: StyleBytes<'a>,
    number: Option<u32>,
    number_at: usize,
}

/// The marks of paragraphs that texts inherit, by their kind and level.
#[derive(Clone, Copy, Debug)]
pub struct InheritedMarks([[bool; LEVELS]; KINDS]);

impl StyleBytes<'_> {
    fn u16(&mut self) -> Option<u16> {
        let number = self.bytes.get(self.at..self.at.checked_add(2)?)?;
        self.at += 2;
        Some(u16_at(number, 0))
    }

    fn u32(&mut self) -> Option<u32> {
        let number = self.bytes.get(self.at..self.at.checked_add(4)?)?;
        self.at += 4;
        Some(u32_at(number, 0))
    }

    /// Skips a number of two bytes for each of these bits that is set.
    fn skip(&mut self, mask: u32, bits: &[u32]) -> Option<()> {
        for bit in bits {
            if mask & 1 << bit != 0 {
                self.u16()?;
            }
        }
        Some(())
    }

    /// Reads the properties of a paragraph. Returns true if it has a mark; `None` within if they
    /// do not say so.
    fn paragraph(&mut self) -> Option<Option<bool>> {
        let mask = self.u32()?;
        let mut has_mark = None;
        if mask & 0xF != 0 {
            let flags = self.u16()?;
            has_mark = (mask & 1 != 0).then_some(flags & 1 != 0);
        }
        // The sign, its font, size and color; alignment and distances.
        self.skip(mask, &[7, 4, 6, 5, 5, 11, 12, 13, 14, 8, 10, 15])?;
        if mask & 1 << 20 != 0 {
            let tabs = usize::from(self.u16()?);
            self.at = self.at.checked_add(tabs * 4)?;
        }
        self.skip(mask, &[16])?;
        if mask & (0b111 << 17) != 0 {
            self.u16()?;
        }
        self.skip(mask, &[21])?;
        Some(has_mark)
    }

    /// Reads properties of characters.
    fn characters(&mut self) -> Option<CharacterRun> {
        let mask = self.u32()?;
        let mut run = CharacterRun::default();
        if mask & 0x3EB7 != 0 {
            run.number = usize::from(self.u16()? >> 10 & 0xF);
        }
        if mask & 1 << 16 != 0 {
            run.font = Some(self.u16()?);
        }
        self.skip(mask, &[21, 22])?;
        if mask & 1 << 23 != 0 {
            run.symbol_font = Some(self.u16()?);
        }
        self.skip(mask, &[17, 18, 18])?;
        if mask & 1 << 19 != 0 {
            run.is_raised = (1..0x8000).contains(&self.u16()?);
        }
        Some(run)
    }

    /// Reads a run of paragraphs, which begins at an offset.
    fn paragraph_run(&mut self, start: usize) -> Option<ParagraphRun> {
        let count = usize::try_from(self.u32()?).ok()?;
        let level = usize::from(self.u16()?).min(LEVELS - 1);
        let has_mark = self.paragraph()?;
        Some(ParagraphRun {
            end: start.checked_add(count)?,
            level,
            has_mark,
        })
    }

    /// Reads a run of characters, which begins at an offset.
    fn character_run(&mut self, start: usize) -> Option<CharacterRun> {
        let count = usize::try_from(self.u32()?).ok()?;
        let end = start.checked_add(count)?;
        let run = self.characters()?;
        Some(CharacterRun { end, ..run })
    }

    /// Reads the number of a paragraph among the properties that PowerPoint 2000 added. Returns
    /// `None` within if it has none.
    fn number(&mut self) -> Option<Option<u32>> {
        let mask = self.u32()?;
        self.skip(mask, &[23])?;
        let mut is_numbered = false;
        if mask & 1 << 25 != 0 {
            is_numbered = self.u16()? != 0;
        }
        let mut first = 1;
        if mask & 1 << 24 != 0 {
            self.u16()?;
            first = u32::from(self.u16()?);
        }
        // Properties of characters, of which those numbers are only a reference.
        if self.u32()? & 1 << 20 != 0 {
            self.u32()?;
        }
        let mask = self.u32()?;
        self.skip(mask, &[0, 1, 2, 6, 5, 5])?;
        if mask & 1 << 9 != 0 {
            let tags = usize::try_from(self.u32()?).ok()?;
            self.at = self.at.checked_add(tags.checked_mul(4)?)?;
        }
        Some(is_numbered.then_some(first))
    }
}

impl<'a> TextStyle<'a> {
    /// Creates the properties of a text of `length` code units, from those of its paragraphs and
    /// characters and those that PowerPoint 2000 added. Damaged properties end early.
    pub fn new(style: &'a [u8], numbers: &'a [u8], length: usize) -> Self {
        let begin = |bytes| StyleBytes { bytes, at: 0 };
        let mut characters = begin(style);
        let mut end = 0;
        // The end of the last paragraph counts as well.
        while end <= length {
            end = characters
                .paragraph_run(end)
                .map_or(usize::MAX, |run| run.end);
        }
        let mut numbers = begin(numbers);
        Self {
            paragraphs: begin(style),
            paragraph: ParagraphRun::default(),
            characters,
            character: CharacterRun::default(),
            number: numbers.number().flatten(),
            numbers,
            number_at: 0,
        }
    }

    /// Returns the properties of the paragraph at an offset. Offsets increase from call to call.
    pub fn paragraph_at(&mut self, at: usize) -> ParagraphRun {
        while self.paragraph.end <= at {
            let next = self.paragraphs.paragraph_run(self.paragraph.end);
            self.paragraph = next.unwrap_or(ParagraphRun {
                end: usize::MAX,
                ..ParagraphRun::default()
            });
        }
        self.paragraph
    }

    /// Returns the properties of the characters at an offset. Offsets increase from call to call.
    pub fn characters_at(&mut self, at: usize) -> CharacterRun {
        while self.character.end <= at {
            let next = self.characters.character_run(self.character.end);
            self.character = next.unwrap_or(CharacterRun {
                end: usize::MAX,
                ..CharacterRun::default()
            });
        }
        self.character
    }

    /// Returns the first number of the list to which the paragraph at an offset belongs, if it has
    /// numbers.
    pub fn number_at(&mut self, at: usize) -> Option<u32> {
        // The reference has four bits, and goes on with 0 after 15.
        let step = self.characters_at(at).number.wrapping_sub(self.number_at) & 0xF;
        for _ in 0..step {
            self.number = self.numbers.number().flatten();
            self.number_at = self.number_at.wrapping_add(1);
        }
        self.number
    }
}

impl Default for InheritedMarks {
    /// Returns the marks of a master that cannot be read: bullets, which nearly every master
    /// defines for bodies.
    fn default() -> Self {
        let mut marks = [[false; LEVELS]; KINDS];
        for index in [1, 7, 8] {
            marks[index] = [true; LEVELS];
        }
        Self(marks)
    }
}

impl InheritedMarks {
    /// Returns the marks that the settings in these records define.
    pub fn read(self, records: PptRecords<'_>) -> Self {
        let styles = records.filter(|record| record.kind == kind::MASTER_STYLE);
        let mut own = Self([[false; LEVELS]; KINDS]);
        let mut is_defined = [false; KINDS];
        for style in styles {
            let index = usize::from(style.instance);
            if let (Some(levels), Some(flag)) = (own.0.get_mut(index), is_defined.get_mut(index)) {
                *flag = true;
                let _ = read_levels(&style, BASES.get(index) != Some(&index), levels);
            }
        }
        let mut marks = self;
        for (index, base) in BASES.into_iter().enumerate() {
            let found = [index, base].into_iter().find(|found| is_defined[*found]);
            if let Some(found) = found {
                marks.0[index] = own.0[found];
            }
        }
        marks
    }

    /// Returns the mark of a level of texts of a kind.
    pub fn mark(&self, kind: u32, level: usize) -> ListMark {
        let levels = usize::try_from(kind).ok().and_then(|kind| self.0.get(kind));
        match levels.and_then(|levels| levels.get(level)) {
            Some(true) => ListMark::Bullet,
            _ => ListMark::None,
        }
    }
}

/// Reads the marks of the levels of a text. A level adopts those of the one before it.
fn read_levels(
    style: &PptRecord<'_>,
    has_numbers: bool,
    levels: &mut [bool; LEVELS],
) -> Option<()> {
    let mut bytes = StyleBytes {
        bytes: style.content,
        at: 0,
    };
    let count = usize::from(bytes.u16()?);
    let mut has_mark = false;
    for index in 0..count.min(LEVELS) {
        let level = match has_numbers {
            true => usize::from(bytes.u16()?),
            false => index,
        };
        has_mark = bytes.paragraph()?.unwrap_or(has_mark);
        bytes.characters()?;
        if let Some(rest) = levels.get_mut(level..) {
            rest.fill(has_mark);
        }
    }
    Some(())
}
