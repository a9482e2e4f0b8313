//! Tables: cells at columns, with the empty ones that others cover.

use super::{HangulBlock, HangulDocument, blocks_to_lines};
use crate::failure::EarlyStop;
use crate::limits::{CELL_BYTES, HANGUL_COLUMNS};
use crate::markdown::Markdown;

/// The position of a caption.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaptionSide {
    /// Before the object.
    Before,
    /// After the object.
    #[default]
    After,
}

/// A table.
#[derive(Debug, Default)]
pub struct HangulTable {
    rows: Vec<HangulRow>,
    /// True if the next cell begins a row.
    is_new_row: bool,
    /// Captions before and after the table.
    captions: [Vec<HangulBlock>; 2],
}

/// A row.
#[derive(Debug)]
struct HangulRow {
    cells: Vec<HangulCell>,
    /// Number of columns, including those that its last cell spans.
    width: usize,
}

/// A cell.
#[derive(Debug)]
struct HangulCell {
    column: usize,
    blocks: Vec<HangulBlock>,
}

impl HangulTable {
    /// Begins a row. Rows without cells are ignored.
    pub fn begin_row(&mut self) {
        self.is_new_row = true;
    }

    /// Adds a cell to the row: at `column`, if that is beyond the cells before it, and `span`
    /// columns wide.
    pub fn push_cell(
        &mut self,
        document: &mut HangulDocument,
        blocks: Vec<HangulBlock>,
        column: Option<usize>,
        span: usize,
    ) -> Result<(), EarlyStop> {
        document.charge(CELL_BYTES)?;
        if self.is_new_row || self.rows.is_empty() {
            self.is_new_row = false;
            self.rows.push(HangulRow {
                cells: Vec::with_capacity(1),
                width: 0,
            });
        }
        let Some(row) = self.rows.last_mut() else {
            return Ok(());
        };
        // A file may claim any column and any span, up to thousands of millions. Cells beyond
        // the limit follow each other.
        let column = column.filter(|at| (row.width..HANGUL_COLUMNS).contains(at));
        let column = column.unwrap_or(row.width);
        let spare = HANGUL_COLUMNS.saturating_sub(column);
        row.width = column + span.min(spare).max(1);
        row.cells.push(HangulCell { column, blocks });
        Ok(())
    }

    /// Adds blocks of a caption.
    pub fn push_caption(&mut self, side: CaptionSide, blocks: Vec<HangulBlock>) {
        self.captions[side as usize].extend(blocks);
    }

    /// Returns the blocks of a table that has ended. One with a single column is a frame, of which
    /// the content remains.
    pub fn finish(mut self) -> Vec<HangulBlock> {
        let [before, after] = std::mem::take(&mut self.captions);
        let mut blocks = before;
        if self.width() <= 1 {
            let cells = self.rows.into_iter().flat_map(|row| row.cells);
            blocks.extend(cells.flat_map(|cell| cell.blocks));
        } else {
            blocks.push(HangulBlock::Table(self));
        }
        blocks.extend(after);
        blocks
    }

    /// Returns the number of columns.
    fn width(&self) -> usize {
        // A column that no cell begins in is one of spans only: a table of one cell that claims
        // three columns is a frame all the same.
        let has_columns = self.rows.iter().any(|row| row.cells.len() > 1);
        let width = self.rows.iter().map(|row| row.width).max();
        if has_columns {
            width.unwrap_or_default()
        } else {
            1
        }
    }

    /// Adds the table to `text`.
    pub fn write(&self, text: &mut Markdown) -> Result<(), EarlyStop> {
        let columns = self.width();
        let mut index = 0;
        let texts = self.rows.iter().map(HangulRow::texts);
        for row in texts {
            // Rows before the first words are frames and spaces, and would become its head.
            if index == 0 && row.iter().all(|(_, words)| words.trim().is_empty()) {
                continue;
            }
            let mut cells = row.iter().peekable();
            let filled = (0..columns.max(row.len())).map(|column| {
                cells
                    .next_if(|(at, _)| *at == column)
                    .map_or("", |(_, words)| words.as_str())
            });
            text.row(index, columns, filled)?;
            index += 1;
        }
        Ok(())
    }

    /// Adds the cells as lines, one for each row.
    pub fn push_lines(&self, lines: &mut String) {
        for (index, row) in self.rows.iter().enumerate() {
            if index > 0 {
                lines.push('\n');
            }
            for (index, (_, words)) in row.texts().iter().enumerate() {
                if index > 0 {
                    lines.push(' ');
                }
                lines.push_str(words);
            }
        }
    }
}

impl HangulRow {
    /// Returns the columns and texts of the cells.
    fn texts(&self) -> Vec<(usize, String)> {
        let cells = self.cells.iter();
        cells
            .map(|cell| (cell.column, blocks_to_lines(&cell.blocks)))
            .collect()
    }
}
