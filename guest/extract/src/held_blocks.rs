//! Blocks that are kept in memory until their table or story is complete.

use crate::docx::DocxBlock;
use crate::failure::{EarlyStop, Failure};
use crate::limits::HELD_BLOCKS;

/// The number of the blocks and cells that are kept, and the bytes of their text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldBlocks {
    pub count: usize,
    pub bytes: usize,
}

impl HeldBlocks {
    /// Counts a block.
    ///
    /// # Errors
    /// [`Failure::TooLarge`] if too many are kept.
    pub fn add(&mut self, block: &DocxBlock) -> Result<(), EarlyStop> {
        self.bytes += text_bytes(block);
        self.add_cell()
    }

    /// Counts a cell or a row without text of its own.
    ///
    /// # Errors
    /// [`Failure::TooLarge`] if too many are kept.
    pub fn add_cell(&mut self) -> Result<(), EarlyStop> {
        self.count += 1;
        if self.count > HELD_BLOCKS {
            return Err(EarlyStop::Failed(Failure::TooLarge));
        }
        Ok(())
    }
}

/// Returns the bytes of a block's text.
fn text_bytes(block: &DocxBlock) -> usize {
    match block {
        DocxBlock::Heading(_, text)
        | DocxBlock::Paragraph(text)
        | DocxBlock::Code(text)
        | DocxBlock::Item(_, _, text) => text.len(),
        DocxBlock::Table(rows) => rows.iter().flatten().map(|cell| cell.len() + 1).sum(),
    }
}
