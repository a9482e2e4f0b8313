//! Tables: rows of cells, some of which cover several columns and rows.

use super::blocks::{HtmlBlock, cell_text};
use crate::failure::EarlyStop;
use crate::limits::{HTML_COLUMNS, HTML_ROW_SPAN, LAYOUT_BYTES, LAYOUT_CELLS};
use crate::markdown::Markdown;

/// The texts of a table, in one string: a table may have a million cells.
#[derive(Debug, Default)]
pub struct TableRows {
    text: String,
    /// End of each cell in the text.
    ends: Vec<usize>,
    /// Number of the first cell of each row.
    starts: Vec<usize>,
    /// Place of the last row in the table of the page.
    last_row: Option<usize>,
    /// Number of columns that have a cell of their own in some row.
    columns: usize,
}

/// A table that is being read.
#[derive(Debug, Default)]
pub struct TableBuilder {
    /// Blocks of the open cell.
    cell: Option<Vec<HtmlBlock>>,
    /// Columns and rows that the open cell covers.
    span: (usize, usize),
    /// Cells of rows that may turn out to arrange parts of a page.
    kept: Vec<KeptCell>,
    /// Rows that are surely those of a table.
    settled: Option<TableRows>,
    /// Number of rows that have begun.
    rows: usize,
    /// Column after the last cell of the row.
    next: usize,
    /// For each column the row at which a cell from above ends.
    covered: Vec<usize>,
    /// True if it names its columns or rows, as tables of data do.
    has_head: bool,
}

/// A cell with its blocks.
#[derive(Debug)]
struct KeptCell {
    row: usize,
    column: usize,
    blocks: Vec<HtmlBlock>,
}

impl TableBuilder {
    /// Notes that the table names its columns or rows.
    pub fn set_head(&mut self) {
        self.has_head = true;
    }

    /// Begins a row.
    pub fn begin_row(&mut self) {
        self.rows += 1;
        self.next = 0;
    }

    /// Begins a group of rows, into which no cell from above extends.
    pub fn begin_group(&mut self) {
        self.covered.clear();
    }

    /// Begins a cell that covers so many columns and rows.
    pub fn begin_cell(&mut self, columns: usize, rows: usize) {
        self.cell = Some(Vec::new());
        self.span = (columns, rows);
    }

    /// Returns the blocks of the open cell.
    pub fn open_cell(&mut self) -> Option<&mut Vec<HtmlBlock>> {
        self.cell.as_mut()
    }

    /// Ends the open cell. Returns the number of bytes that it adds to the rows of a long table.
    pub fn end_cell(&mut self) -> usize {
        let Some(blocks) = self.cell.take() else {
            return 0;
        };
        let row = self.rows.saturating_sub(1);
        let covered = self.covered.get(self.next..).unwrap_or_default();
        let free = covered.iter().position(|end| *end <= row);
        let column = self.next + free.unwrap_or(covered.len());
        let (columns, rows) = self.span;
        // A file may declare a span of thousands of millions.
        let columns = columns.clamp(1, HTML_COLUMNS);
        self.next = (column + columns).min(HTML_COLUMNS - 1);
        if rows != 1 {
            let rows = if rows == 0 {
                usize::MAX
            } else {
                rows.min(HTML_ROW_SPAN)
            };
            if self.covered.len() < self.next {
                self.covered.resize(self.next, 0);
            }
            let end = row.saturating_add(rows);
            for covered in self.covered.get_mut(column..self.next).unwrap_or_default() {
                *covered = end;
            }
        }
        self.add(KeptCell {
            row,
            column,
            blocks,
        })
    }

    /// Adds a cell. Returns the number of bytes that it adds to the rows of a long table.
    fn add(&mut self, cell: KeptCell) -> usize {
        if cell.blocks.is_empty() {
            return 0;
        }
        if let Some(rows) = &mut self.settled {
            let before = rows.ends.len();
            rows.push(cell.row, cell.column, &cell_text(&cell.blocks));
            return (rows.ends.len() - before) * 3;
        }
        self.kept.push(cell);
        // So many cells arrange no page. They are many cells of little text, and take less memory
        // without their blocks.
        if self.kept.len() > LAYOUT_CELLS {
            let mut rows = TableRows::default();
            for cell in self.kept.drain(..) {
                rows.push(cell.row, cell.column, &cell_text(&cell.blocks));
            }
            self.settled = Some(rows);
        }
        0
    }

    /// Returns the blocks of the table: those of its cells, if all are in one column, since such a
    /// table is only a frame; otherwise rows, between which are the blocks of cells that contain
    /// parts of a page.
    pub fn finish(mut self) -> Vec<HtmlBlock> {
        if let Some(rows) = self.settled {
            return vec![HtmlBlock::Table(rows)];
        }
        let cells = std::mem::take(&mut self.kept);
        let mut blocks = Vec::new();
        let mut pending: Vec<KeptCell> = Vec::new();
        let mut cells = cells.into_iter().peekable();
        while let Some(first) = cells.next() {
            let mut row = vec![first];
            while let Some(cell) = cells.next_if(|cell| cell.row == row[0].row) {
                row.push(cell);
            }
            if !self.has_head && row.iter().any(KeptCell::is_part_of_page) {
                flush(&mut pending, &mut blocks);
                blocks.extend(row.into_iter().flat_map(|cell| cell.blocks));
            } else {
                pending.append(&mut row);
            }
        }
        flush(&mut pending, &mut blocks);
        blocks
    }
}

/// Moves cells to `blocks`, as a table unless they are in one column.
fn flush(cells: &mut Vec<KeptCell>, blocks: &mut Vec<HtmlBlock>) {
    let column = cells.first().map(|cell| cell.column);
    if cells.iter().all(|cell| Some(cell.column) == column) {
        blocks.extend(cells.drain(..).flat_map(|cell| cell.blocks));
        return;
    }
    let mut rows = TableRows::default();
    for cell in cells.drain(..) {
        rows.push(cell.row, cell.column, &cell_text(&cell.blocks));
    }
    blocks.push(HtmlBlock::Table(rows));
}

impl KeptCell {
    /// Returns true if the cell contains more than a cell of data does: headings, lines of code,
    /// rows of a table, or long text.
    fn is_part_of_page(&self) -> bool {
        let has_structure = self.blocks.iter().any(|block| match block {
            HtmlBlock::Heading(..) => true,
            HtmlBlock::Code(words) => words.trim().contains('\n'),
            // As text of a cell its rows would not be told from each other.
            HtmlBlock::Table(rows) => rows.starts.len() > 1,
            HtmlBlock::Paragraph(_) | HtmlBlock::Item(..) => false,
        });
        let length: usize = self.blocks.iter().map(HtmlBlock::len).sum();
        has_structure || self.blocks.len() > 1 && length > LAYOUT_BYTES
    }
}

impl TableRows {
    /// Returns the number of bytes that the table holds.
    pub fn len(&self) -> usize {
        self.text.len() + self.ends.len() * 3
    }

    /// Adds a cell to the last row, or to a new one if `row` is another. Cells are added in order.
    fn push(&mut self, row: usize, column: usize, text: &str) {
        if self.last_row != Some(row) {
            self.last_row = Some(row);
            self.starts.push(self.ends.len());
        }
        let start = self.starts.last().copied().unwrap_or_default();
        let mut filled = self.ends.len() - start;
        // A row may be wider than any table. The cells beyond are in its last one.
        if filled > column {
            self.ends.pop();
            self.text.push('\n');
            filled -= 1;
        }
        self.ends.extend((filled..column).map(|_| self.text.len()));
        self.text.push_str(text);
        self.ends.push(self.text.len());
        self.columns = self.columns.max(column + 1);
    }

    /// Returns the rows, each with its cells.
    fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = &str>> {
        let ends = self.starts.iter().skip(1).copied();
        let ends = ends.chain([self.ends.len()]);
        self.starts.iter().zip(ends).map(|(&start, end)| {
            (start..end).map(|cell| {
                let start = cell.checked_sub(1).map_or(0, |before| self.ends[before]);
                &self.text[start..self.ends[cell]]
            })
        })
    }

    /// Adds the rows as lines.
    pub fn push_lines(&self, lines: &mut String) {
        for (index, row) in self.rows().enumerate() {
            if index > 0 {
                lines.push('\n');
            }
            for (index, cell) in row.filter(|cell| !cell.is_empty()).enumerate() {
                if index > 0 {
                    lines.push(' ');
                }
                lines.push_str(cell);
            }
        }
    }

    /// Adds the table to `text`.
    pub fn write(&self, text: &mut Markdown) -> Result<(), EarlyStop> {
        for (index, row) in self.rows().enumerate() {
            let filled = row.chain(std::iter::repeat("")).take(self.columns);
            text.row(index, self.columns, filled)?;
        }
        Ok(())
    }
}
