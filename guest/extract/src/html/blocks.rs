//! The blocks of a page, and their form in Markdown.

use super::table::TableRows;
use crate::failure::EarlyStop;
use crate::markdown::{Markdown, Marker};

/// A block of a page.
#[derive(Debug)]
pub enum HtmlBlock {
    Heading(u8, String),
    Paragraph(String),
    Code(String),
    Item(usize, Marker, String),
    Table(TableRows),
}

/// A taker of the blocks of a page.
pub trait BlockSink {
    /// Takes the title of the page, before its blocks.
    fn title(&mut self, _words: &str) -> Result<(), EarlyStop> {
        Ok(())
    }

    /// Returns the name of the picture at an address, if it is a member of the file.
    fn picture(&self, _address: &str) -> Option<&str> {
        None
    }

    /// Takes a block.
    fn block(&mut self, block: HtmlBlock) -> Result<(), EarlyStop>;

    /// Returns the number of bytes that may still be taken.
    fn room(&self) -> usize;
}

impl HtmlBlock {
    /// Returns the number of bytes that the block holds.
    pub fn len(&self) -> usize {
        match self {
            Self::Heading(_, words)
            | Self::Paragraph(words)
            | Self::Code(words)
            | Self::Item(_, _, words) => words.len(),
            Self::Table(rows) => rows.len(),
        }
    }

    /// Adds the block to `text`, with `offset` added to the level of a heading.
    pub fn write(&self, offset: u8, text: &mut Markdown) -> Result<(), EarlyStop> {
        match self {
            Self::Heading(level, words) => text.heading(level.saturating_add(offset), words),
            Self::Paragraph(words) => text.paragraph(words),
            Self::Code(words) => text.code(words),
            Self::Item(level, marker, words) => text.item(*level, *marker, words),
            Self::Table(rows) => rows.write(text),
        }
    }
}

/// Formats blocks as the lines of one cell: Markdown cannot represent nested blocks in a cell.
pub fn cell_text(blocks: &[HtmlBlock]) -> String {
    let mut lines = String::new();
    for block in blocks {
        if !lines.is_empty() {
            lines.push('\n');
        }
        match block {
            HtmlBlock::Heading(_, words) | HtmlBlock::Paragraph(words) | HtmlBlock::Code(words) => {
                lines.push_str(words);
            }
            HtmlBlock::Item(_, Marker::Bullet, words) => {
                lines.push_str("- ");
                lines.push_str(&words.replace('\n', " "));
            }
            HtmlBlock::Item(_, Marker::Number(number), words) => {
                lines.push_str(&format!("{number}. {}", words.replace('\n', " ")));
            }
            HtmlBlock::Table(rows) => rows.push_lines(&mut lines),
        }
    }
    lines
}
