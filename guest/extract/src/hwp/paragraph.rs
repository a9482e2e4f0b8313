//! Paragraphs: words with control characters, and the records of the controls in their order.

use super::control::HwpControl;
use super::pictures::HwpPictures;
use super::records::{Record, RecordData, Records, tag};
use crate::failure::EarlyStop;
use crate::hangul::{HangulBlock, HangulDocument, HangulParagraph, Placement};
use crate::markdown::Markdown;

/// Code units of a control character that has further data.
const CONTROL_UNITS: usize = 8;

/// The kind of a range that a tracked change deletes.
const DELETION: u32 = 0x11;

/// A reader of the records of a section.
pub struct SectionRecords<'d> {
    /// The document.
    pub document: &'d mut HangulDocument,
    /// Pictures of the document.
    pub pictures: &'d HwpPictures,
}

/// The words of a paragraph before they are joined with its controls.
struct ParagraphWords<'a> {
    units: &'a [u8],
    /// Controls that are still to come, the next one last.
    controls: Vec<HwpControl>,
    /// Ranges of code units that tracked changes delete.
    deletions: Vec<std::ops::Range<usize>>,
}

impl<'d> SectionRecords<'d> {
    /// Creates a reader.
    pub fn new(document: &'d mut HangulDocument, pictures: &'d HwpPictures) -> Self {
        Self { document, pictures }
    }

    /// Adds the blocks of a section to `text`. Returns true if its last record is cut.
    pub fn read(&mut self, stream: &[u8], text: &mut Markdown) -> Result<bool, EarlyStop> {
        let mut records = Records::new(stream);
        while let Some(record) = records.next() {
            if record.tag == tag::PARAGRAPH {
                for block in self.paragraph(record, &mut records)? {
                    block.write(text)?;
                }
            }
        }
        Ok(records.is_cut())
    }

    /// Returns the blocks of the paragraphs that belong to a record of this level, such as those of
    /// a text box.
    pub fn story(
        &mut self,
        level: u16,
        records: &mut Records<'_>,
    ) -> Result<Vec<HangulBlock>, EarlyStop> {
        let mut blocks = Vec::new();
        while let Some(record) = records.next_within(level) {
            if record.tag == tag::PARAGRAPH {
                blocks.extend(self.paragraph(record, records)?);
            }
        }
        Ok(blocks)
    }

    /// Reads the paragraph of this record.
    pub fn paragraph(
        &mut self,
        record: Record<'_>,
        records: &mut Records<'_>,
    ) -> Result<Vec<HangulBlock>, EarlyStop> {
        let shape = u32::from(record.data.u16(8));
        let style = u32::from(record.data.u8(10));
        let mut words = ParagraphWords {
            units: &[],
            controls: Vec::new(),
            deletions: Vec::new(),
        };
        while let Some(inner) = records.next_within(record.level) {
            match inner.tag {
                tag::TEXT => words.units = inner.data.0,
                tag::RANGES => words.deletions.extend(deletions(inner.data)),
                tag::CONTROL => words.controls.push(self.control(inner, records)?),
                // Memos belong to the paragraph that they comment on.
                tag::MEMO | tag::LIST | tag::PARAGRAPH => records.skip_within(inner.level),
                _ => {}
            }
        }
        words.controls.reverse();
        self.document.omitted.deletions += words.deletions.len();
        let mut paragraph = HangulParagraph::default();
        self.join(words, &mut paragraph)?;
        Ok(self.document.finish_paragraph(paragraph, shape, style))
    }

    /// Joins words and controls.
    fn join(
        &mut self,
        mut words: ParagraphWords<'_>,
        paragraph: &mut HangulParagraph,
    ) -> Result<(), EarlyStop> {
        let units = words.units;
        let unit = |at: usize| RecordData(units).u16(at * 2);
        let (mut at, count) = (0, units.len() / 2);
        words.deletions.sort_unstable_by_key(|range| range.start);
        let mut deletions = words.deletions.iter().peekable();
        while at < count {
            let c = unit(at);
            while deletions.next_if(|range| range.end <= at).is_some() {}
            let is_deleted = deletions.peek().is_some_and(|range| range.contains(&at));
            match c {
                3 => {
                    let control = words.controls.pop();
                    let is_link = matches!(control, Some(HwpControl::Link(_)));
                    if !is_link {
                        paragraph.begin_field(None);
                    }
                    self.place(control, paragraph, is_deleted)?;
                }
                4 => paragraph.end_field(),
                1 | 2 | 11 | 12 | 14..=18 | 21..=23 => {
                    let control = words.controls.pop();
                    self.place(control, paragraph, is_deleted)?;
                }
                9 if !is_deleted => self.document.push(paragraph, "\t")?,
                10 if !is_deleted => self.document.push(paragraph, "\n")?,
                // The blanks that do not break a line, and that have a fixed width.
                30 | 31 if !is_deleted => self.document.push(paragraph, " ")?,
                // The remaining control characters have no words: the end of the paragraph, a
                // place to break a word, marks of titles.
                0..=31 => {}
                _ if is_deleted => {}
                _ => at += self.push_character(c, unit(at + 1), paragraph)?,
            }
            at += if has_data(c) { CONTROL_UNITS } else { 1 };
        }
        // A text that is cut ends before its controls, and some programs write controls without
        // their characters.
        while let Some(control) = words.controls.pop() {
            self.place(Some(control), paragraph, false)?;
        }
        Ok(())
    }

    /// Adds a character, and returns 1 if the next code unit is its second half.
    fn push_character(
        &mut self,
        unit: u16,
        next: u16,
        paragraph: &mut HangulParagraph,
    ) -> Result<usize, EarlyStop> {
        let mut decoded = char::decode_utf16([unit, next]);
        let first = decoded.next().and_then(Result::ok);
        let c = first.unwrap_or(char::REPLACEMENT_CHARACTER);
        self.document.push(paragraph, c.encode_utf8(&mut [0; 4]))?;
        Ok(c.len_utf16() - 1)
    }

    /// Adds what a control stands for.
    fn place(
        &mut self,
        control: Option<HwpControl>,
        paragraph: &mut HangulParagraph,
        is_deleted: bool,
    ) -> Result<(), EarlyStop> {
        match control {
            Some(HwpControl::Link(address)) => paragraph.begin_field(address),
            _ if is_deleted => {}
            Some(HwpControl::Words(words)) => self.document.push(paragraph, &words)?,
            Some(HwpControl::Table(blocks)) => paragraph.place(blocks, Placement::Here),
            Some(HwpControl::Blocks(blocks)) => paragraph.place(blocks, Placement::Beside),
            Some(HwpControl::Note(number)) => {
                self.document.push(paragraph, &format!("[^{number}]"))?;
            }
            Some(HwpControl::Nothing) | None => {}
        }
        Ok(())
    }
}

/// Returns true if a control character has further data: the name of a control, or the width of a
/// tab, and the character again at the end.
fn has_data(unit: u16) -> bool {
    matches!(unit, 1..=9 | 11 | 12 | 14..=23)
}

/// Returns the ranges that tracked changes delete.
fn deletions(data: RecordData<'_>) -> impl Iterator<Item = std::ops::Range<usize>> {
    let ranges = data.0.chunks_exact(12).map(RecordData);
    ranges.filter_map(|range| {
        let start = usize::try_from(range.u32(0)).ok()?;
        let end = usize::try_from(range.u32(4)).ok()?;
        (range.u32(8) >> 24 == DELETION).then_some(start..end)
    })
}
