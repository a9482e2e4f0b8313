//! Tables of text documents and slides.

use std::io::BufRead;

use super::blocks::is_without_text;
use super::output::{OdfBlock, OdfOutput};
use super::{MALFORMED, OdfReader};
use crate::failure::EarlyStop;
use crate::grid::Grid;
use crate::limits::{DOCX_COLUMNS, SHEET_ROWS};
use crate::xml::{Xml, XmlEvent};

/// A table that is being read.
#[derive(Default)]
struct OdfTable {
    grid: Grid,
    /// Number of columns, as declared.
    columns: u32,
    /// Number of rows so far.
    rows: u32,
}

/// A cell of the current row that is not empty.
pub struct FilledCell {
    /// Its first column.
    pub column: u32,
    /// Number of columns that it is repeated in.
    pub repeats: u32,
    /// Index of its text in the grid.
    pub text: u32,
}

impl OdfReader {
    /// Reads the table that began last. A table of one column is only a frame, whose content is
    /// written as it is.
    pub fn table<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        out: &mut OdfOutput<'_>,
    ) -> Result<(), EarlyStop> {
        self.open_block()?;
        let end = xml.depth() - 1;
        let was_over = self.is_over;
        let mut table = OdfTable::default();
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "table-column" => {
                    let repeats = element.number("number-columns-repeated").unwrap_or(1);
                    table.columns = table.columns.saturating_add(repeats);
                }
                "table-row" => {
                    let repeats = element.number("number-rows-repeated").unwrap_or(1);
                    self.row(xml, repeats, &mut table, out)?;
                }
                "shapes" => self.blocks(xml, None, out)?,
                // The title and the description of a table are not displayed.
                "title" | "desc" => xml.skip()?,
                name if is_without_text(name) => xml.skip()?,
                _ => {}
            }
        }
        self.open_blocks -= 1;
        // Without a declared number of columns, that of the first row depends on all rows.
        self.is_cut |= self.is_over && !was_over && table.columns == 0;
        if table.grid.is_empty() {
            return Ok(());
        }
        let columns = columns_from(table.columns).map_or(0, |_| table.columns);
        self.push(OdfBlock::Table(columns, table.grid), out)
    }

    /// Reads the row that began last.
    fn row<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        repeats: u32,
        table: &mut OdfTable,
        out: &mut OdfOutput<'_>,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        let mut column: u32 = 0;
        let mut cells = Vec::new();
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "table-cell" | "covered-table-cell" => {
                    let repeats = element.number("number-columns-repeated").unwrap_or(1);
                    let first = column;
                    column = column.saturating_add(repeats);
                    if table.columns == 1 {
                        self.blocks(xml, None, out)?;
                        continue;
                    }
                    let mut lines = OdfOutput::new_lines();
                    self.blocks(xml, None, &mut lines)?;
                    let words = lines.lines();
                    if words.is_empty() {
                        continue;
                    }
                    let room = columns_from(first).ok_or(MALFORMED)?;
                    cells.push(FilledCell {
                        column: first,
                        repeats: repeats.min(room),
                        text: table.grid.add_text(words),
                    });
                }
                _ => xml.skip()?,
            }
        }
        self.repeat_row(&mut table.grid, &mut table.rows, &cells, repeats);
        Ok(())
    }

    /// Fills the rows that a row of these cells stands for, as far as there is room.
    pub fn repeat_row(
        &mut self,
        grid: &mut Grid,
        rows: &mut u32,
        cells: &[FilledCell],
        repeats: u32,
    ) {
        let first = *rows;
        *rows = first.saturating_add(repeats).min(SHEET_ROWS);
        if cells.is_empty() {
            return;
        }
        // The text of the cells has been counted once; a row may stand for a million of them.
        let most = grid.size().saturating_add(self.room);
        for row in first..*rows {
            for cell in cells {
                for column in cell.column..cell.column.saturating_add(cell.repeats) {
                    let is_copy = row > first || column > cell.column;
                    if is_copy && grid.size() > most {
                        self.is_over = true;
                        return;
                    }
                    grid.fill(row, column, cell.text);
                }
            }
        }
    }
}

/// Returns the number of columns from this one on that a table may have, if there are any.
fn columns_from(first: u32) -> Option<u32> {
    let most = u32::try_from(DOCX_COLUMNS).ok()?;
    most.checked_sub(first).filter(|room| *room > 0)
}
