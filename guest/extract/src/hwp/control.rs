//! Controls: tables, objects, notes, fields and numbers that a paragraph contains.

use super::paragraph::SectionRecords;
use super::records::{Record, RecordData, Records, tag, utf16};
use crate::failure::EarlyStop;
use crate::hangul::{
    CaptionSide, HangulBlock, HangulTable, check_box, link_address, number_text, ruby,
};
use crate::markdown::one_line;

/// A control of a paragraph.
#[derive(Debug)]
pub enum HwpControl {
    /// Words in the line.
    Words(String),
    /// A table.
    Table(Vec<HangulBlock>),
    /// Another object.
    Blocks(Vec<HangulBlock>),
    /// A note with its number.
    Note(usize),
    /// The begin of a link with its address.
    Link(Option<String>),
    /// A control without words.
    Nothing,
}

/// Bytes of the property of a list of paragraphs before those of a cell or caption.
const LIST_BYTES: usize = 8;

impl SectionRecords<'_> {
    /// Reads the control of this record.
    pub fn control(
        &mut self,
        record: Record<'_>,
        records: &mut Records<'_>,
    ) -> Result<HwpControl, EarlyStop> {
        let (level, data) = (record.level, record.data);
        let control = match &data.u32(0).to_be_bytes() {
            b"tbl " => HwpControl::Table(self.table(level, records)?),
            b"fn  " | b"en  " => self.note(level, records)?,
            b"tcmt" => {
                self.document.omitted.comments += 1;
                HwpControl::Nothing
            }
            b"%%me" => {
                self.document.omitted.comments += 1;
                HwpControl::Nothing
            }
            b"%hlk" => HwpControl::Link(link_address(&data.words(9).0)),
            b"atno" => auto_number(data),
            b"tcps" => HwpControl::Words(data.words(4).0),
            b"tdut" => {
                let (base, end) = data.words(4);
                HwpControl::Words(ruby(&base, &data.words(end).0))
            }
            // Sections have paragraphs of their own for what repeats on each page, as headers
            // and footers do.
            b"secd" => {
                self.document.outline = u32::from(data.u16(18)).max(1);
                HwpControl::Nothing
            }
            b"head" | b"foot" | b"cold" | b"nwno" | b"pghd" | b"pgct" | b"pgnp" | b"idxm"
            | b"bokm" => HwpControl::Nothing,
            [b'%', ..] => HwpControl::Nothing,
            // Objects, equations, forms, and controls of later versions.
            _ => self.object(level, records)?,
        };
        records.skip_within(level);
        Ok(control)
    }

    /// Reads the note that belongs to a record of this level.
    fn note(&mut self, level: u16, records: &mut Records<'_>) -> Result<HwpControl, EarlyStop> {
        self.document.open_block()?;
        let number = self.document.begin_note()?;
        let blocks = self.story(level, records)?;
        self.document.set_note(number, &blocks);
        self.document.close_block();
        Ok(HwpControl::Note(number))
    }

    /// Reads the table that belongs to a record of this level: a caption, the properties of the
    /// table, then the cells.
    fn table(
        &mut self,
        level: u16,
        records: &mut Records<'_>,
    ) -> Result<Vec<HangulBlock>, EarlyStop> {
        self.document.open_block()?;
        let mut table = HangulTable::default();
        let mut place = TableListPlace::Frame;
        let (mut is_table, mut last_row) = (false, None);
        let mut blocks = Vec::new();
        while let Some(record) = records.next_within(level) {
            match record.tag {
                tag::TABLE => is_table = true,
                tag::LIST => {
                    self.end_list(&mut table, place, std::mem::take(&mut blocks))?;
                    place = TableListPlace::read(record.data, is_table);
                    if let TableListPlace::Cell { row, .. } = place {
                        if last_row.is_some_and(|last| last != row) {
                            table.begin_row();
                        }
                        last_row = Some(row);
                    }
                }
                tag::PARAGRAPH => blocks.extend(self.paragraph(record, records)?),
                _ => {}
            }
        }
        self.end_list(&mut table, place, blocks)?;
        self.document.close_block();
        Ok(table.finish())
    }

    /// Adds the paragraphs of a list to the table.
    fn end_list(
        &mut self,
        table: &mut HangulTable,
        place: TableListPlace,
        blocks: Vec<HangulBlock>,
    ) -> Result<(), EarlyStop> {
        match place {
            TableListPlace::Cell { column, span, .. } => {
                table.push_cell(self.document, blocks, Some(column), span)?;
            }
            TableListPlace::Caption(side) => table.push_caption(side, blocks),
            TableListPlace::Frame => table.push_caption(CaptionSide::Before, blocks),
        }
        Ok(())
    }

    /// Reads the object that belongs to a record of this level.
    fn object(&mut self, level: u16, records: &mut Records<'_>) -> Result<HwpControl, EarlyStop> {
        self.document.open_block()?;
        let (mut words, mut blocks, mut captions) = (String::new(), Vec::new(), Vec::new());
        let mut is_caption = false;
        while let Some(record) = records.next_within(level) {
            match record.tag {
                // A caption belongs to the control itself, a text box to a shape in it.
                tag::LIST => is_caption = record.level == level + 1,
                tag::PARAGRAPH => {
                    let inner = self.paragraph(record, records)?;
                    if is_caption {
                        &mut captions
                    } else {
                        &mut blocks
                    }
                    .extend(inner);
                }
                tag::PICTURE => {
                    self.document.omitted.pictures += 1;
                    let stream = self.pictures.shown_by(record.data);
                    let mark = stream.and_then(|stream| self.document.picture(stream));
                    if let Some(mark) = mark {
                        self.document.charge(mark.len())?;
                        blocks.push(HangulBlock::Paragraph(mark));
                    }
                }
                tag::OLE | tag::VIDEO => self.document.omitted.objects += 1,
                tag::EQUATION => {
                    let script = one_line(&record.data.words(4).0);
                    if !script.is_empty() {
                        words.push_str(&format!("${script}$"));
                    }
                }
                tag::FORM => words.push_str(&form_text(record.data)),
                tag::TEXT_ART => {
                    let text = record.data.words(TEXT_ART_AT).0;
                    self.document.charge(text.len())?;
                    blocks.push(HangulBlock::Paragraph(text));
                }
                _ => {}
            }
        }
        self.document.close_block();
        blocks.extend(captions);
        Ok(if words.is_empty() {
            HwpControl::Blocks(blocks)
        } else {
            HwpControl::Words(words)
        })
    }
}

/// The place of a list of paragraphs in a table.
#[derive(Clone, Copy, Debug)]
enum TableListPlace {
    /// In a cell.
    Cell {
        row: u16,
        column: usize,
        span: usize,
    },
    /// In the caption.
    Caption(CaptionSide),
    /// Outside both.
    Frame,
}

impl TableListPlace {
    /// Reads the place of a list.
    fn read(data: RecordData<'_>, is_table: bool) -> Self {
        if is_table {
            return Self::Cell {
                column: usize::from(data.u16(LIST_BYTES)),
                row: data.u16(LIST_BYTES + 2),
                span: usize::from(data.u16(LIST_BYTES + 4)),
            };
        }
        // Left, right, above, below.
        Self::Caption(match data.u32(LIST_BYTES) & 0b11 {
            0 | 2 => CaptionSide::Before,
            _ => CaptionSide::After,
        })
    }
}

/// Offset of the words in a record of words drawn as a picture, after its four corners.
const TEXT_ART_AT: usize = 32;

/// Returns the text of a number that Hangul counts: of a picture, table or equation. Numbers of
/// notes are those of their references, and those of pages change.
fn auto_number(data: RecordData<'_>) -> HwpControl {
    let properties = data.u32(4);
    if !(3..=5).contains(&(properties & 0xF)) {
        return HwpControl::Nothing;
    }
    let form = (properties >> 4 & 0xFF) as u8;
    let sign = |at: usize| utf16(&data.u16(at).to_le_bytes());
    let number = number_text(u32::from(data.u16(8)), form);
    HwpControl::Words(format!("{}{number}{}", sign(12), sign(14)))
}

/// Returns the words of a control of a form. Its properties are one text, in which each string is
/// preceded by its length: `Caption:wstring:2:확인 Value:int:1`.
fn form_text(data: RecordData<'_>) -> String {
    let properties = utf16(data.0);
    let value = |name: &str| {
        let (_, rest) = properties.split_once(name)?;
        let (length, rest) = rest.split_once(':')?;
        let length: usize = length.parse().ok()?;
        Some(rest.chars().take(length).collect::<String>())
    };
    let caption = value("Caption:wstring:").unwrap_or_default();
    let words = value(" Text:wstring:").unwrap_or_default();
    if let Some((_, state)) = properties.split_once(" Value:int:") {
        return check_box(state.starts_with('1'), &caption);
    }
    format!("{caption}{words}")
}
