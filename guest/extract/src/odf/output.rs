//! The places that blocks are written to: the document, a cell, a slide.

use super::OdfReader;
use super::numbering::ListPosition;
use crate::failure::EarlyStop;
use crate::grid::Grid;
use crate::limits::GATHERED_BLOCKS;
use crate::markdown::{Markdown, Marker};

/// A block of a document.
#[derive(Debug)]
pub enum OdfBlock {
    /// A heading of a level from 1.
    Heading(u8, String),
    Paragraph(String),
    /// A line of code, or an empty line among them.
    Code(String),
    /// An item of a list, at a level from 0.
    Item(usize, Marker, String),
    /// A further paragraph of the item before it.
    Further(String),
    Equation(String),
    /// A table of at least this number of columns.
    Table(u32, Grid),
}

/// The place that blocks are written to.
pub enum OdfOutput<'o> {
    /// The document, with the lines of code that are not written yet.
    Document {
        text: &'o mut Markdown,
        code: String,
    },
    /// The lines of a cell or a note.
    Lines(OdfCellLines),
    /// A list of blocks.
    Gathered(Vec<OdfBlock>),
    /// A slide.
    Slide(OdfSlide),
}

/// The lines of a cell or a note: Markdown cannot represent nested blocks there.
#[derive(Debug, Default)]
pub struct OdfCellLines {
    text: String,
    /// Number of blocks.
    blocks: usize,
    /// Number of blocks that are items with a bullet.
    bullets: usize,
}

/// The blocks of a slide.
#[derive(Debug, Default)]
pub struct OdfSlide {
    pub title: String,
    /// True if the shape with the title has ended: there is one title.
    pub has_title: bool,
    pub blocks: Vec<OdfBlock>,
    pub notes: Vec<OdfBlock>,
}

impl OdfReader {
    /// Writes a block.
    pub fn push(&mut self, block: OdfBlock, out: &mut OdfOutput<'_>) -> Result<(), EarlyStop> {
        let blocks = match out {
            OdfOutput::Document { .. } if self.is_cut => return Err(EarlyStop::Full),
            OdfOutput::Document { text, code } => {
                block.write_behind(code, text)?;
                if self.is_over {
                    return Err(EarlyStop::Full);
                }
                self.room = text.room().saturating_sub(code.len());
                return Ok(());
            }
            OdfOutput::Lines(lines) => {
                lines.push(&block);
                return Ok(());
            }
            OdfOutput::Gathered(blocks) => blocks,
            OdfOutput::Slide(slide) => &mut slide.blocks,
        };
        if blocks.len() == GATHERED_BLOCKS {
            return Err(EarlyStop::Full);
        }
        blocks.push(block);
        Ok(())
    }
}

impl OdfOutput<'_> {
    /// Returns the gathered blocks.
    pub fn into_blocks(self) -> Vec<OdfBlock> {
        match self {
            Self::Gathered(blocks) => blocks,
            Self::Document { .. } | Self::Lines(_) | Self::Slide(_) => Vec::new(),
        }
    }

    /// Writes the code at the end of a document.
    pub fn finish(self) -> Result<(), EarlyStop> {
        match self {
            Self::Document { text, code } => text.code(&code),
            Self::Lines(_) | Self::Gathered(_) | Self::Slide(_) => Ok(()),
        }
    }
}

impl OdfCellLines {
    /// Adds a block.
    fn push(&mut self, block: &OdfBlock) {
        self.blocks += 1;
        self.bullets += usize::from(matches!(block, OdfBlock::Item(_, Marker::Bullet, _)));
        block.push_lines(&mut self.text);
    }

    /// Returns the text of the cell.
    pub fn text(&self) -> &str {
        // The cells of tables on slides are lists of one item each, which shows no bullet.
        let is_single = self.blocks == 1 && self.bullets == 1;
        let text = match self.text.strip_prefix("- ") {
            Some(words) if is_single => words,
            _ => &self.text,
        };
        text.trim()
    }
}

impl OdfOutput<'_> {
    /// Creates the output of a cell or a note.
    pub fn new_lines() -> Self {
        Self::Lines(OdfCellLines::default())
    }

    /// Returns the text of the cell or the note.
    pub fn lines(&self) -> &str {
        match self {
            Self::Lines(lines) => lines.text(),
            Self::Document { .. } | Self::Gathered(_) | Self::Slide(_) => "",
        }
    }
}

impl OdfBlock {
    /// Adds the block to `text`, or to the preceding lines of `code`, each of which is a paragraph
    /// of its own.
    pub fn write_behind(&self, code: &mut String, text: &mut Markdown) -> Result<(), EarlyStop> {
        if let Self::Code(line) = self {
            return text.gather_code(line, code);
        }
        text.code(&std::mem::take(code))?;
        match self {
            Self::Heading(level, words) => text.heading(*level, words),
            Self::Paragraph(words) | Self::Code(words) => text.paragraph(words),
            Self::Item(level, marker, words) => text.item(*level, *marker, words),
            Self::Further(words) => text.item_paragraph(words),
            Self::Equation(words) => text.paragraph(&equation_text(words)),
            Self::Table(columns, grid) => grid.write_table(*columns, text),
        }
    }

    /// Adds the block to the lines of a cell or a note.
    fn push_lines(&self, lines: &mut String) {
        match self {
            Self::Heading(_, words)
            | Self::Paragraph(words)
            | Self::Code(words)
            | Self::Further(words) => lines.push_str(words),
            Self::Item(_, Marker::Bullet, words) => lines.push_str(&format!("- {words}")),
            Self::Item(_, Marker::Number(number), words) => {
                lines.push_str(&format!("{number}. {words}"));
            }
            Self::Equation(words) => lines.push_str(&equation_text(words)),
            Self::Table(_, grid) => {
                for (index, row) in grid.lines().enumerate() {
                    if index > 0 {
                        lines.push('\n');
                    }
                    for (index, cell) in row.enumerate() {
                        if index > 0 {
                            lines.push(' ');
                        }
                        lines.push_str(cell);
                    }
                }
            }
        }
        lines.push('\n');
    }

    /// Returns the words of a block in the title of a slide.
    pub fn words(&self) -> &str {
        match self {
            Self::Heading(_, words)
            | Self::Paragraph(words)
            | Self::Code(words)
            | Self::Item(_, _, words)
            | Self::Further(words)
            | Self::Equation(words) => words,
            Self::Table(..) => "",
        }
    }
}

/// Returns an equation as it is written in a paragraph.
pub fn equation_text(words: &str) -> String {
    match words.trim() {
        "" => String::new(),
        words => format!("${words}$"),
    }
}

/// Returns the block of a paragraph that is not a heading.
pub fn block_at(position: ListPosition, text: String, shows_unmarked: bool) -> OdfBlock {
    match position {
        ListPosition::Outside => OdfBlock::Paragraph(text),
        ListPosition::Further => OdfBlock::Further(text),
        ListPosition::First(_, number) if number.is_unmarked && !shows_unmarked => {
            OdfBlock::Paragraph(text)
        }
        ListPosition::First(level, number) => {
            let marker = number.number.map_or(Marker::Bullet, Marker::Number);
            OdfBlock::Item(level, marker, text)
        }
    }
}
