//! Shapes of a slide or of notes: their texts, tables and pictures.

use std::collections::{BTreeMap, BTreeSet};

use super::outline::OutlineText;
use super::records::{PptRecord, PptRecords, kind, tag_records, utf16_string};
use super::styles::{CENTER_TITLE, InheritedMarks, TITLE};
use super::text::{SlideText, TextContext, link_id};
use crate::failure::EarlyStop;
use crate::inline::make_link;
use crate::markdown::one_line;
use crate::office_art::{DESCRIPTION, PICTURE_NUMBER, shape_properties};
use crate::pictures::{PictureNames, picture_mark};
use crate::pptx::{Budget, SlideBlock};

/// Kinds of placeholders for titles, on a master and on a slide.
const TITLES: [u8; 5] = [1, 3, 13, 15, 17];

/// Kinds of placeholders for the date, the number of the slide, the footer and the header.
const FOOTERS: std::ops::RangeInclusive<u8> = 7..=10;

/// The kinds of shapes that are lines and pictures.
const LINE: u16 = 20;
const PICTURE: u16 = 75;

/// Flags of a shape: it is deleted, or it is the background.
const NOT_SHOWN: u32 = 1 << 3 | 1 << 10;

/// Numbers of properties: words drawn as a picture, marks of a table.
const TEXT_ART: u16 = 0x00C0;
const TABLE_MARKS: u16 = 0x039F;

/// The content of a slide or of notes.
#[derive(Debug, Default)]
pub struct DrawingContent {
    /// Text of the placeholder for the title.
    pub title: Option<String>,
    /// All other content, in the order of the file.
    pub blocks: Vec<SlideBlock>,
    pub is_hidden: bool,
    /// Number of pictures.
    pub pictures: usize,
    /// Number of videos and sounds.
    pub media: usize,
    /// Number of embedded objects.
    pub objects: usize,
    /// Number of comments.
    pub comments: usize,
}

/// A reader of the shapes of a slide or of notes.
pub struct DrawingReader<'a, 'c> {
    pub context: &'c TextContext,
    pub marks: InheritedMarks,
    /// The texts of the slide in the list of slides.
    pub outline: Vec<OutlineText<'a>>,
    /// Pictures that are members of the file, by their numbers.
    pub pictures: &'c PictureNames,
    /// Ids of videos and sounds.
    pub media: &'c BTreeSet<u32>,
    pub budget: Budget,
    pub content: DrawingContent,
}

/// A shape.
#[derive(Debug, Default)]
struct PptShape<'a> {
    number: u16,
    is_shown: bool,
    placeholder: u8,
    description: String,
    /// Number of its picture in the list; 0 for none.
    picture: u32,
    text_art: String,
    text_box: Option<PptRecords<'a>>,
    numbers: &'a [u8],
    link: Option<u32>,
    object: Option<u32>,
    /// Left and top in its group.
    anchor: Option<(i32, i32)>,
}

impl<'a> DrawingReader<'a, '_> {
    /// Reads a slide or notes. If the part is missing, its texts in the list of slides are left.
    pub fn read(&mut self, part: Option<&PptRecord<'a>>) -> Result<(), EarlyStop> {
        if let Some(part) = part {
            return self.shapes(part);
        }
        for outline in std::mem::take(&mut self.outline) {
            self.text(&outline.text, 0)?;
        }
        Ok(())
    }

    /// Reads the shapes of a slide or of notes.
    fn shapes(&mut self, part: &PptRecord<'a>) -> Result<(), EarlyStop> {
        let mut records = part.records();
        while let Some(record) = records.next() {
            match record.kind {
                kind::SHOW_INFO => self.content.is_hidden = record.u16(10) & 1 << 2 != 0,
                kind::TAGS => {
                    let added = tag_records(&record, "___PPT10");
                    let comments = added.filter(|record| record.kind == kind::COMMENT);
                    self.content.comments += comments.count();
                }
                kind::DRAWING | kind::SHAPES => records.enter(&record),
                kind::GROUP if is_table(&record) => self.table(&record)?,
                kind::GROUP => records.enter(&record),
                kind::SHAPE => {
                    let shape = PptShape::read(&record);
                    if shape.is_shown {
                        self.shape(&shape)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds a shape.
    fn shape(&mut self, shape: &PptShape<'a>) -> Result<(), EarlyStop> {
        match shape.object {
            Some(id) if self.media.contains(&id) => self.content.media += 1,
            Some(_) => self.content.objects += 1,
            None if shape.number == PICTURE => self.content.pictures += 1,
            None => {}
        }
        if FOOTERS.contains(&shape.placeholder) {
            return Ok(());
        }
        let start = self.content.blocks.len();
        let had_title = self.content.title.is_some();
        self.texts(shape)?;
        let address = shape.link.and_then(|id| self.context.links.get(&id));
        if let Some(address) = address {
            for block in self.content.blocks.iter_mut().skip(start) {
                block.link(address, &mut self.budget)?;
            }
        }
        if self.content.blocks.len() > start || self.content.title.is_some() != had_title {
            return Ok(());
        }
        let art = one_line(&shape.text_art);
        if !art.is_empty() {
            return self.push(art, address, SlideBlock::Paragraph);
        }
        // The alternative text of a shape with text repeats it, or describes its form.
        let picture = shape.picture.to_string();
        let member = self.pictures.member(&picture);
        let member = member.filter(|_| shape.number == PICTURE);
        match picture_mark(member, &shape.description) {
            Some(mark) => self.push(mark, address, SlideBlock::Picture),
            None => Ok(()),
        }
    }

    /// Adds a block of these words.
    fn push(
        &mut self,
        mut words: String,
        address: Option<&String>,
        block: fn(String) -> SlideBlock,
    ) -> Result<(), EarlyStop> {
        self.budget.take_item()?;
        self.budget.take_bytes(words.len())?;
        if let Some(address) = address {
            self.budget.take_bytes(address.len())?;
            make_link(&mut words, 0, address);
        }
        self.content.blocks.push(block(words));
        Ok(())
    }

    /// Adds the texts of a shape.
    fn texts(&mut self, shape: &PptShape<'a>) -> Result<(), EarlyStop> {
        let Some(records) = shape.text_box.clone() else {
            return Ok(());
        };
        for mut text in SlideText::read_all(records, &mut self.budget)? {
            text.numbers = shape.numbers;
            let index = text.outline;
            if let Some(outline) = index.and_then(|index| self.outline.get_mut(index)) {
                // A text is shown by one shape: others could repeat it as often as they like.
                if std::mem::replace(&mut outline.is_shown, true) {
                    continue;
                }
                text = outline.text.clone();
            }
            self.text(&text, shape.placeholder)?;
        }
        Ok(())
    }

    /// Adds a text, which may be the title.
    fn text(&mut self, text: &SlideText<'a>, placeholder: u8) -> Result<(), EarlyStop> {
        let is_title = matches!(text.kind, TITLE | CENTER_TITLE) || TITLES.contains(&placeholder);
        if is_title && self.content.title.is_none() {
            let title = text.words(self.context, &mut self.budget)?;
            self.content.title = (!title.is_empty()).then_some(title);
            return Ok(());
        }
        text.push_blocks(
            &self.marks,
            self.context,
            &mut self.budget,
            &mut self.content.blocks,
        )
    }

    /// Adds a table: a group whose shapes are cells, and lines between them.
    fn table(&mut self, group: &PptRecord<'a>) -> Result<(), EarlyStop> {
        let mut cells = BTreeMap::new();
        let mut records = group.records();
        let start = self.content.blocks.len();
        while let Some(record) = records.next() {
            match record.kind {
                kind::GROUP => records.enter(&record),
                kind::SHAPE => {
                    let shape = PptShape::read(&record);
                    if !shape.is_shown || shape.number == LINE || shape.text_box.is_none() {
                        continue;
                    }
                    self.budget.take_item()?;
                    self.texts(&shape)?;
                    let lines = self.content.blocks.drain(start..);
                    let lines: Vec<String> = lines.filter_map(SlideBlock::into_line).collect();
                    let (left, top) = shape.anchor.unwrap_or_default();
                    let cell: &mut Vec<String> = cells.entry((top, left)).or_default();
                    cell.extend(lines);
                }
                _ => {}
            }
        }
        let tops: BTreeSet<i32> = cells.keys().map(|(top, _)| *top).collect();
        let lefts: BTreeSet<i32> = cells.keys().map(|(_, left)| *left).collect();
        let columns: BTreeMap<i32, usize> = lefts.into_iter().zip(0..).collect();
        // Shapes that do not form a table may each have a row and a column of its own.
        let size = tops.len().saturating_mul(columns.len());
        if self.budget.take_items(size).is_err() {
            let texts = cells.into_values().flatten().map(SlideBlock::Paragraph);
            self.content.blocks.extend(texts);
            return Ok(());
        }
        let mut rows: BTreeMap<i32, Vec<String>> = tops
            .into_iter()
            .map(|top| (top, vec![String::new(); columns.len()]))
            .collect();
        for ((top, left), lines) in cells {
            let row = rows.get_mut(&top);
            let column = columns.get(&left);
            if let (Some(row), Some(column)) = (row, column)
                && let Some(cell) = row.get_mut(*column)
            {
                *cell = lines.join("\n");
            }
        }
        let rows = rows.into_values().collect();
        self.content.blocks.push(SlideBlock::Table(rows));
        Ok(())
    }
}

/// Returns true if a group is a table, as the properties of its first shape say.
fn is_table(group: &PptRecord<'_>) -> bool {
    let Some(first) = group.records().next() else {
        return false;
    };
    first.kind == kind::SHAPE
        && first.records().any(|record| {
            record.kind == kind::TERTIARY_PROPERTIES
                && properties(&record).any(|(id, value, _)| id == TABLE_MARKS && value & 1 != 0)
        })
}

/// Returns the properties in a record: number, value, and the data of those for which the value is
/// their length.
fn properties<'a>(record: &PptRecord<'a>) -> impl Iterator<Item = (u16, u32, &'a [u8])> + use<'a> {
    shape_properties(usize::from(record.instance), record.content)
}

impl<'a> PptShape<'a> {
    /// Reads a shape.
    fn read(record: &PptRecord<'a>) -> Self {
        let mut shape = Self {
            is_shown: true,
            ..Self::default()
        };
        for record in record.records() {
            match record.kind {
                kind::SHAPE_ATOM => {
                    shape.number = record.instance;
                    shape.is_shown = record.u32(4) & NOT_SHOWN == 0;
                }
                kind::PROPERTIES | kind::TERTIARY_PROPERTIES => {
                    for (id, value, data) in properties(&record) {
                        match id {
                            PICTURE_NUMBER => shape.picture = value,
                            DESCRIPTION => shape.description = utf16_string(data),
                            TEXT_ART => shape.text_art = utf16_string(data),
                            _ => {}
                        }
                    }
                }
                kind::TEXT_BOX => shape.text_box = Some(record.records()),
                kind::CHILD_ANCHOR => {
                    let number = |at| i32::from_le_bytes(record.u32(at).to_le_bytes());
                    shape.anchor = Some((number(0), number(4)));
                }
                kind::CLIENT_DATA => shape.read_data(record.records()),
                _ => {}
            }
        }
        shape
    }

    /// Reads the properties that belong to the presentation.
    fn read_data(&mut self, records: PptRecords<'a>) {
        for record in records {
            let first = record.content.first().copied().unwrap_or_default();
            match record.kind {
                kind::PLACEHOLDER => {
                    self.placeholder = record.content.get(4).copied().unwrap_or_default();
                }
                kind::FOOTER_PLACEHOLDER => self.placeholder = first,
                kind::OBJECT_REFERENCE => self.object = Some(record.u32(0)),
                kind::ACTION => self.link = link_id(&record).or(self.link),
                kind::TAGS => {
                    let mut added = tag_records(&record, "___PPT9");
                    let numbers = added.find(|record| record.kind == kind::TEXT_STYLE_9);
                    self.numbers = numbers.map_or(self.numbers, |numbers| numbers.content);
                }
                _ => {}
            }
        }
    }
}
