//! Stories: the text of the document, and those of its notes and text boxes, which begin within a
//! paragraph of another story and leave it as it is.

use super::RtfReader;
use super::field::OpenLink;
use super::lists::RtfItem;
use super::state::ParagraphState;
use super::table::OpenTable;
use crate::docx::{DocxBlock, cell_text};
use crate::failure::{EarlyStop, Failure};
use crate::held_blocks::HeldBlocks;
use crate::inline::make_link;
use crate::limits::{DOCX_COLUMNS, NESTED_BLOCKS};
use crate::markdown::{Markdown, Marker, one_line};
use crate::pictures::visible_bytes;

/// A story.
#[derive(Debug)]
pub struct RtfStory {
    kind: StoryKind,
    /// Number of open groups within it.
    pub depth: usize,
    pub paragraph: RtfParagraph,
    /// Open tables, each in the current cell of the one before it.
    tables: Vec<OpenTable>,
    /// Right edges of the cells of a row, and of one within a cell.
    edges: [Vec<i32>; 2],
    /// True between the definition of a row and its end.
    is_row_defined: bool,
    /// Blocks that are complete.
    blocks: Vec<DocxBlock>,
}

/// The kind of a story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoryKind {
    Document,
    /// A footnote or an endnote with this number.
    Note(usize),
    TextBox,
}

/// A paragraph that is being read.
#[derive(Debug, Default)]
pub struct RtfParagraph {
    pub text: String,
    /// Its number, as the document shows it.
    pub number: Option<String>,
    /// Blocks of the text boxes anchored in it.
    pub boxes: Vec<DocxBlock>,
    /// Bytes of the marks of pictures in the text, without blanks.
    pub picture_bytes: usize,
}

impl RtfStory {
    /// Creates a story at a depth.
    pub fn new(kind: StoryKind, depth: usize) -> Self {
        Self {
            kind,
            depth,
            paragraph: RtfParagraph::default(),
            tables: Vec::new(),
            edges: Default::default(),
            is_row_defined: false,
            blocks: Vec::new(),
        }
    }

    /// Begins the definition of a row.
    pub fn define_row(&mut self, is_nested: bool) {
        self.edges[usize::from(is_nested)].clear();
        self.is_row_defined |= !is_nested;
    }

    /// Adds the right edge of a cell to the definition of a row.
    pub fn push_edge(&mut self, is_nested: bool, edge: i32) {
        let edges = &mut self.edges[usize::from(is_nested)];
        if edges.len() < DOCX_COLUMNS {
            edges.push(edge);
        }
    }

    /// Returns the number of tables around a paragraph.
    fn table_depth(&self, paragraph: &ParagraphState) -> usize {
        let depth = match paragraph.table_depth {
            Some(depth) => depth,
            // Some programs define a row and do not say that its paragraphs are in it.
            None => usize::from(paragraph.is_in_table || self.is_row_defined),
        };
        depth.min(NESTED_BLOCKS)
    }
}

impl RtfReader<'_> {
    /// Ends a paragraph.
    pub fn end_paragraph(&mut self, text: &mut Markdown) -> Result<(), EarlyStop> {
        let depth = self.story.table_depth(&self.state.paragraph);
        self.end_paragraph_at(depth, text)
    }

    /// Ends a paragraph within `depth` tables.
    fn end_paragraph_at(&mut self, depth: usize, text: &mut Markdown) -> Result<(), EarlyStop> {
        self.flush(text)?;
        self.continue_link();
        let paragraph = std::mem::take(&mut self.story.paragraph);
        self.close_tables(depth, text)?;
        let (block, boxes) = self.block(paragraph);
        for block in block.into_iter().chain(boxes) {
            self.take(block, depth, text)?;
        }
        Ok(())
    }

    /// Ends a link at the end of a paragraph; it continues in the next one.
    fn continue_link(&mut self) {
        let stories = self.outer_stories.len();
        if let Some(OpenLink { start, address, .. }) =
            self.link.as_mut().filter(|link| link.story == stories)
        {
            make_link(&mut self.story.paragraph.text, *start, address);
            *start = 0;
        }
    }

    /// Returns the block that a paragraph is, and those of its text boxes.
    fn block(&mut self, paragraph: RtfParagraph) -> (Option<DocxBlock>, Vec<DocxBlock>) {
        let RtfParagraph {
            text,
            number,
            boxes,
            picture_bytes,
        } = paragraph;
        let state = self.state.paragraph;
        let style = self.styles.resolve(state.style);
        // The table of contents repeats the headings.
        if style.is_contents {
            return (None, boxes);
        }
        // A picture alone is no item, nor code.
        if picture_bytes > 0 && visible_bytes(&text) == picture_bytes {
            return (Some(DocxBlock::Paragraph(text)), boxes);
        }
        let heading = state.outline.or(style.outline).heading();
        let is_empty = one_line(&text).is_empty();
        let block = match heading {
            None if style.is_code && number.is_none() => Some(DocxBlock::Code(text)),
            // An empty paragraph in a list shows no number.
            _ if is_empty => None,
            // People refer to a heading by its number, `see 3.2`.
            Some(level) => {
                let number = number.unwrap_or_default();
                let number = number.trim();
                let is_number = number.chars().any(char::is_alphanumeric);
                let number = if is_number { number } else { "" };
                Some(DocxBlock::Heading(level, format!("{number} {text}")))
            }
            None => Some(match self.lists.item(&state, number.as_deref()) {
                Some(RtfItem {
                    level,
                    marker,
                    label,
                }) if label.is_empty() => DocxBlock::Item(level, marker, text),
                // A number with words, such as `제1조`, is text that others refer to.
                Some(RtfItem { level, label, .. }) => {
                    DocxBlock::Item(level, Marker::Bullet, format!("{label} {text}"))
                }
                None => DocxBlock::Paragraph(text),
            }),
        };
        (block, boxes)
    }

    /// Adds a block to the current cell, to the story, or to the text.
    fn take(
        &mut self,
        block: DocxBlock,
        depth: usize,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        if depth > 0 {
            while self.story.tables.len() < depth {
                self.story.tables.push(OpenTable::default());
            }
            self.held.add(&block)?;
            self.check_room(text)?;
            if let Some(table) = self.story.tables.get_mut(depth - 1) {
                table.push(block);
            }
            return Ok(());
        }
        if self.outer_stories.is_empty() {
            return block.write_behind(&mut self.code, text);
        }
        self.held.add(&block)?;
        self.check_room(text)?;
        self.story.blocks.push(block);
        Ok(())
    }

    /// Closes all tables but the `depth` outer ones.
    fn close_tables(&mut self, depth: usize, text: &mut Markdown) -> Result<(), EarlyStop> {
        while self.story.tables.len() > depth
            && let Some(table) = self.story.tables.pop()
        {
            if self.story.tables.is_empty() && self.outer_stories.is_empty() {
                // Nothing but notes is kept any longer.
                self.held = HeldBlocks {
                    count: self.notes.len(),
                    bytes: self.note_bytes,
                };
                self.story.is_row_defined = false;
            }
            let outside = self.story.tables.len();
            for block in table.into_blocks() {
                self.take(block, outside, text)?;
            }
        }
        Ok(())
    }

    /// Ends a cell of the table at a depth, the outermost being 1.
    pub fn end_cell(&mut self, is_nested: bool, text: &mut Markdown) -> Result<(), EarlyStop> {
        let depth = self.cell_depth(is_nested);
        self.end_paragraph_at(depth, text)?;
        while self.story.tables.len() < depth {
            self.story.tables.push(OpenTable::default());
        }
        self.held.add_cell()?;
        self.check_room(text)?;
        if let Some(table) = self.story.tables.last_mut() {
            table.end_cell();
        }
        Ok(())
    }

    /// Ends a row of a table.
    pub fn end_row(&mut self, is_nested: bool, text: &mut Markdown) -> Result<(), EarlyStop> {
        let depth = self.cell_depth(is_nested);
        // Text after the last cell of a row belongs to it, if a program forgets the cell's end.
        self.flush(text)?;
        if !one_line(&self.story.paragraph.text).is_empty() {
            self.end_paragraph_at(depth, text)?;
        }
        self.close_tables(depth, text)?;
        if self.story.tables.len() < depth {
            return Ok(());
        }
        self.held.add_cell()?;
        self.check_room(text)?;
        let RtfStory { tables, edges, .. } = &mut self.story;
        if let Some(table) = tables.last_mut() {
            table.end_row(&edges[usize::from(is_nested)]);
        }
        self.story.is_row_defined &= is_nested;
        Ok(())
    }

    /// Returns the depth of the table whose cell or row ends.
    fn cell_depth(&self, is_nested: bool) -> usize {
        if !is_nested {
            return 1;
        }
        let named = self.state.paragraph.table_depth;
        named.unwrap_or_default().clamp(2, NESTED_BLOCKS)
    }

    /// Begins a story within the current one.
    pub fn begin_story(&mut self, kind: StoryKind) -> Result<(), EarlyStop> {
        // Stories are nested in a text box within a text box, and hardly deeper.
        if self.outer_stories.len() >= NESTED_BLOCKS {
            return Err(EarlyStop::Failed(Failure::Malformed));
        }
        let story = RtfStory::new(kind, self.depth());
        self.outer_stories
            .push(std::mem::replace(&mut self.story, story));
        self.state.paragraph = ParagraphState::default();
        Ok(())
    }

    /// Ends the current story.
    pub fn end_story(&mut self, text: &mut Markdown) -> Result<(), EarlyStop> {
        self.end_paragraph(text)?;
        self.close_tables(0, text)?;
        let Some(outer) = self.outer_stories.pop() else {
            return text.code(&std::mem::take(&mut self.code));
        };
        let story = std::mem::replace(&mut self.story, outer);
        match story.kind {
            StoryKind::Document => {}
            StoryKind::TextBox => self.story.paragraph.boxes.extend(story.blocks),
            StoryKind::Note(number) => {
                let words = one_line(&cell_text(&story.blocks));
                self.note_bytes += words.len();
                self.notes.push((number, words));
            }
        }
        Ok(())
    }
}
