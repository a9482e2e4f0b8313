//! Stories: paragraphs, cells and rows end with a mark, whose properties tell what they are.

use std::ops::Range;

use super::DocReader;
use super::pieces::DocPiece;
use super::properties::ParagraphProperties;
use super::sprm::Sprms;
use crate::docx::DocxBlock;
use crate::docx::numbering::ParagraphNumber;
use crate::failure::EarlyStop;
use crate::held_blocks::HeldBlocks;
use crate::inline::make_link;
use crate::limits::{DOC_MARK_CHARACTERS, DOC_RUN_CHARACTERS, NESTED_BLOCKS};
use crate::markdown::{Markdown, Marker, one_line};
use crate::ole::u16_at;
use crate::pictures::visible_bytes;
use crate::rtf::table::OpenTable;

/// Numbers of lists, besides which there are marks of lists that a paragraph has left.
const LAST_LIST: u16 = 2_046;

/// Kinds of lists as Word 6 writes them: numbers and bullets; lower ones number headings.
const OLD_NUMBERS: u8 = 10;
const OLD_BULLETS: u8 = 11;

/// A story that is being read.
#[derive(Debug, Default)]
pub struct OpenDocStory {
    /// True for the text of the document.
    pub is_main: bool,
    /// Text of the open paragraph.
    pub text: String,
    /// Bytes of the marks of pictures in it, without blanks.
    pub picture_bytes: usize,
    /// Blocks of the text boxes and pictures anchored in it.
    pub boxes: Vec<DocxBlock>,
    /// Open tables, each in the current cell of the one before it.
    tables: Vec<OpenTable>,
    /// Blocks that are complete, except in the text of the document.
    blocks: Vec<DocxBlock>,
}

/// The last number of a list as Word 6 writes it: text between its items ends it.
#[derive(Debug, Default)]
pub struct OldNumbers(Option<u32>);

impl OpenDocStory {
    /// Creates a story.
    pub fn new(is_main: bool) -> Self {
        Self {
            is_main,
            ..Self::default()
        }
    }
}

impl<'a> DocReader<'a> {
    /// Returns the properties of the paragraph whose mark is at an offset.
    pub fn paragraph_properties(
        &mut self,
        at: u32,
        piece: &DocPiece,
    ) -> Result<ParagraphProperties<'a>, EarlyStop> {
        let mut properties = ParagraphProperties::default();
        let format = self.file.fib.format;
        let for_fields = DOC_MARK_CHARACTERS * self.fields.depth();
        self.charge(DOC_RUN_CHARACTERS + for_fields)?;
        if let Some(run) = self.paragraph_pages.find(at) {
            self.charge(run.properties.len())?;
            properties.style = u16_at(run.properties, 0);
            let changes = run.properties.get(2..).unwrap_or_default();
            properties.apply(Sprms::new(changes, format));
        }
        if let Some(at) = properties.further_at {
            let file: &'a super::DocFile = self.file;
            let further = file.data.get(at as usize..).unwrap_or_default();
            let length = usize::from(u16_at(further, 0));
            let further = further.get(2..).unwrap_or_default();
            let further = &further[..further.len().min(length)];
            self.charge(further.len())?;
            properties.apply(Sprms::new(further, format));
        }
        self.charge(piece.changes.length())?;
        properties.apply(self.changes(&piece.changes));
        Ok(properties)
    }

    /// Ends a paragraph, and the cell or row that its mark ends.
    pub fn end_mark(
        &mut self,
        is_cell_mark: bool,
        properties: &ParagraphProperties<'_>,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        let depth = properties.table_depth().min(NESTED_BLOCKS);
        if is_cell_mark && properties.is_row_end {
            return self.end_row(1, properties, text);
        }
        if is_cell_mark {
            self.end_paragraph(1, properties, text)?;
            return self.end_cell(1, text);
        }
        if depth > 1 && properties.is_inner_row_end {
            return self.end_row(depth, properties, text);
        }
        self.end_paragraph(depth, properties, text)?;
        if depth > 1 && properties.is_inner_cell_end {
            self.end_cell(depth, text)?;
        }
        Ok(())
    }

    /// Ends a paragraph within `depth` tables.
    fn end_paragraph(
        &mut self,
        depth: usize,
        properties: &ParagraphProperties<'_>,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        if let Some(link) = self.fields.end_paragraph() {
            make_link(&mut self.story.text, link.start, &link.address);
        }
        let words = std::mem::take(&mut self.story.text);
        let boxes = std::mem::take(&mut self.story.boxes);
        let picture_bytes = std::mem::take(&mut self.story.picture_bytes);
        self.close_tables(depth, text)?;
        // A picture alone is no heading or item, nor code.
        let block = if picture_bytes > 0 && visible_bytes(&words) == picture_bytes {
            Some(DocxBlock::Paragraph(words))
        } else {
            self.block(words, properties)?
        };
        for block in block.into_iter().chain(boxes) {
            self.take(block, depth, text)?;
        }
        Ok(())
    }

    /// Returns the block that a paragraph is.
    fn block(
        &mut self,
        words: String,
        properties: &ParagraphProperties<'_>,
    ) -> Result<Option<DocxBlock>, EarlyStop> {
        let style = self.styles.get(properties.style);
        // The table of contents repeats the headings. Its styles are also used for other text,
        // which has no page number.
        if style.is_contents && has_page_number(&words) {
            return Ok(None);
        }
        let heading = properties.outline.or(style.outline).heading();
        let is_empty = one_line(&words).is_empty();
        let list = properties.list.or(style.list);
        let level = usize::from(list.level.unwrap_or_default());
        let number = match list.list {
            // An empty paragraph in a list shows no number and is not counted.
            _ if is_empty => None,
            Some(list @ 1..=LAST_LIST) => {
                self.charge(DOC_MARK_CHARACTERS)?;
                self.numbering.next(&list.to_string(), level)
            }
            _ => {
                let marker = self.old_numbers.next(list.old_kind, list.old_start);
                marker.map(|marker| ParagraphNumber {
                    marker,
                    label: String::new(),
                })
            }
        };
        Ok(match (heading, number) {
            (None, None) if style.is_code => Some(DocxBlock::Code(words)),
            _ if is_empty => None,
            // People refer to a heading by its number, `see 3.2`.
            (Some(level), Some(number)) => Some(DocxBlock::Heading(
                level,
                format!("{} {words}", number.label),
            )),
            (Some(level), None) => Some(DocxBlock::Heading(level, words)),
            (None, Some(number)) => Some(DocxBlock::Item(level, number.marker, words)),
            (None, None) => Some(DocxBlock::Paragraph(words)),
        })
    }

    /// Adds a block to the current cell, to the story, or to the text.
    fn take(
        &mut self,
        block: DocxBlock,
        depth: usize,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        if depth == 0 && self.story.is_main {
            return block.write_behind(&mut self.code, text);
        }
        self.held.add(&block)?;
        self.check_room(text)?;
        if depth == 0 {
            self.story.blocks.push(block);
            return Ok(());
        }
        self.open_tables(depth);
        if let Some(table) = self.story.tables.get_mut(depth - 1) {
            table.push(block);
        }
        Ok(())
    }

    fn open_tables(&mut self, depth: usize) {
        while self.story.tables.len() < depth {
            self.story.tables.push(OpenTable::default());
        }
    }

    /// Ends a cell of the table at a depth, the outermost being 1.
    fn end_cell(&mut self, depth: usize, text: &mut Markdown) -> Result<(), EarlyStop> {
        self.open_tables(depth);
        self.held.add_cell()?;
        self.check_room(text)?;
        if let Some(table) = self.story.tables.last_mut() {
            table.end_cell();
        }
        Ok(())
    }

    /// Ends a row of the table at a depth.
    fn end_row(
        &mut self,
        depth: usize,
        properties: &ParagraphProperties<'_>,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        // Text after the last cell of a row belongs to it, if a program forgets the cell's end.
        if !one_line(&self.story.text).is_empty() {
            self.end_paragraph(depth, properties, text)?;
        }
        // A link that is open continues at the beginning of the next paragraph.
        self.fields.end_paragraph();
        self.story.text.clear();
        self.close_tables(depth, text)?;
        self.held.add_cell()?;
        self.check_room(text)?;
        if self.story.tables.len() == depth
            && let Some(table) = self.story.tables.last_mut()
        {
            table.end_row(&properties.edges());
        }
        Ok(())
    }

    /// Closes all tables but the `depth` outer ones.
    fn close_tables(&mut self, depth: usize, text: &mut Markdown) -> Result<(), EarlyStop> {
        while self.story.tables.len() > depth
            && let Some(table) = self.story.tables.pop()
        {
            let outside = self.story.tables.len();
            if outside == 0 && self.story.is_main {
                self.release();
            }
            for block in table.into_blocks() {
                self.take(block, outside, text)?;
            }
        }
        Ok(())
    }

    /// Forgets the blocks that were kept, which are written.
    pub fn release(&mut self) {
        self.held = HeldBlocks::default();
    }

    /// Returns an error if the text that is kept exceeds the room.
    pub fn check_room(&self, text: &Markdown) -> Result<(), EarlyStop> {
        if self.outer_bytes + self.story.text.len() + self.held.bytes > text.room() {
            return Err(EarlyStop::Full);
        }
        Ok(())
    }

    /// Ends the current story.
    pub fn end_story(&mut self, text: &mut Markdown) -> Result<(), EarlyStop> {
        self.end_paragraph(0, &ParagraphProperties::default(), text)?;
        self.close_tables(0, text)
    }

    /// Returns the blocks of a story within the current one: of a note or a text box.
    pub fn inner_story(
        &mut self,
        range: Range<u32>,
        text: &mut Markdown,
    ) -> Result<Vec<DocxBlock>, EarlyStop> {
        let outer = std::mem::replace(&mut self.story, OpenDocStory::new(false));
        self.outer_bytes = outer.text.len();
        let outside = self.fields.begin_story();
        let excess = std::mem::take(&mut self.excess_fields);
        self.characters(range, text)?;
        self.end_story(text)?;
        self.fields.end_story(outside);
        self.excess_fields = excess;
        self.outer_bytes = 0;
        let story = std::mem::replace(&mut self.story, outer);
        Ok(story.blocks)
    }
}

impl OldNumbers {
    /// Counts a paragraph, and returns the marker of a list item.
    fn next(&mut self, kind: Option<u8>, start: Option<u16>) -> Option<Marker> {
        match kind {
            Some(OLD_BULLETS) => Some(Marker::Bullet),
            Some(OLD_NUMBERS) => {
                let start = start.map_or(1, u32::from);
                let number = self.0.map_or(start, |last| last.saturating_add(1));
                self.0 = Some(number);
                Some(Marker::Number(number))
            }
            _ => {
                self.0 = None;
                None
            }
        }
    }
}

/// Returns true if a line ends with a page number behind a tabulator.
fn has_page_number(line: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit() || matches!(c, 'i' | 'v' | 'x' | 'l' | '-');
    line.trim_end()
        .rsplit_once('\t')
        .is_some_and(|(_, number)| {
            let number = number.trim();
            !number.is_empty() && number.to_lowercase().chars().all(is_digit)
        })
}
