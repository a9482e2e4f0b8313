//! Tables: rows of cells that contain blocks, with the right edges of the cells.

use crate::docx::{DocxBlock, cell_text};
use crate::limits::{DOCX_COLUMNS, HELD_BLOCKS};

/// Maximum difference of edges that are the same, in twentieths of a point: editors round them.
const SAME_EDGE: i32 = 20;

/// A table that is being read.
#[derive(Debug, Default)]
pub struct OpenTable {
    rows: Vec<RtfRow>,
    /// Complete cells of the current row.
    cells: Vec<Vec<DocxBlock>>,
    /// Blocks of the current cell.
    cell: Vec<DocxBlock>,
}

/// A row.
#[derive(Debug)]
struct RtfRow {
    cells: Vec<Vec<DocxBlock>>,
    /// Right edges of the cells; empty if they are not known.
    edges: Vec<i32>,
}

impl OpenTable {
    /// Adds a block to the current cell.
    pub fn push(&mut self, block: DocxBlock) {
        self.cell.push(block);
    }

    /// Ends the current cell.
    pub fn end_cell(&mut self) {
        let mut cell = std::mem::take(&mut self.cell);
        // The blocks of cells beyond the limit join those of the last one.
        let is_full = self.cells.len() >= DOCX_COLUMNS;
        match self.cells.last_mut().filter(|_| is_full) {
            Some(last) => last.append(&mut cell),
            None => self.cells.push(cell),
        }
    }

    /// Ends the current row, whose cells have these right edges.
    pub fn end_row(&mut self, edges: &[i32]) {
        if !self.cell.is_empty() {
            self.end_cell();
        }
        let cells = std::mem::take(&mut self.cells);
        if cells.is_empty() {
            return;
        }
        let is_complete = edges.len() == cells.len();
        let edges = if is_complete {
            edges.to_vec()
        } else {
            Vec::new()
        };
        self.rows.push(RtfRow { cells, edges });
    }

    /// Returns the blocks of the table: one table, or for a single column the content of its cells,
    /// since such a table is only a frame.
    pub fn into_blocks(mut self) -> Vec<DocxBlock> {
        // Text after the last row that belongs to no cell follows the table.
        let mut after = Vec::new();
        if self.cells.is_empty() {
            after.append(&mut self.cell);
        }
        self.end_row(&[]);
        let columns = self.rows.iter().map(|row| row.cells.len()).max();
        let mut blocks = if columns.unwrap_or_default() <= 1 {
            let cells = self.rows.into_iter().flat_map(|row| row.cells);
            cells.flatten().collect()
        } else {
            vec![DocxBlock::Table(self.texts())]
        };
        blocks.extend(after);
        blocks
    }

    /// Returns the texts of the cells, with an empty one for each further column that a cell spans.
    fn texts(self) -> Vec<Vec<String>> {
        let grid = self.grid();
        // A file of many rows with one wide cell each must not become a table of millions of
        // empty ones.
        let is_wide = grid.len() > DOCX_COLUMNS || grid.len() * self.rows.len() > HELD_BLOCKS;
        let mut texts = Vec::with_capacity(self.rows.len());
        for row in self.rows {
            let mut cells = Vec::with_capacity(row.cells.len());
            let mut before = 0;
            for (index, cell) in row.cells.iter().enumerate() {
                cells.push(cell_text(cell));
                if let Some(edge) = row.edges.get(index)
                    && !is_wide
                {
                    let end =
                        grid.partition_point(|other| *other <= edge.saturating_add(SAME_EDGE));
                    cells.resize(cells.len() + end.saturating_sub(before + 1), String::new());
                    before = before.max(end);
                }
            }
            texts.push(cells);
        }
        texts
    }

    /// Returns the right edges of all columns.
    fn grid(&self) -> Vec<i32> {
        let mut grid: Vec<i32> = self.rows.iter().flat_map(|row| row.edges.clone()).collect();
        grid.sort_unstable();
        grid.dedup_by(|next, last| next.saturating_sub(*last) <= SAME_EDGE);
        grid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(table: &mut OpenTable, cells: &[&str], edges: &[i32]) {
        for cell in cells {
            table.push(DocxBlock::Paragraph((*cell).to_owned()));
            table.end_cell();
        }
        table.end_row(edges);
    }

    fn texts(table: OpenTable) -> Vec<Vec<String>> {
        match table.into_blocks().pop() {
            Some(DocxBlock::Table(rows)) => rows,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn wide_cells_span_columns() {
        let mut table = OpenTable::default();
        row(&mut table, &["a", "b", "c"], &[1000, 2000, 3000]);
        row(&mut table, &["d", "e"], &[1995, 3010]);
        row(&mut table, &["f"], &[3000]);
        let expected = [&["a", "b", "c"][..], &["d", "", "e"], &["f", "", ""]];
        assert_eq!(texts(table), expected);
    }

    #[test]
    fn edges_without_order_span_nothing() {
        let mut table = OpenTable::default();
        row(&mut table, &["a", "b"], &[i32::MAX, i32::MIN]);
        row(&mut table, &["c", "d"], &[]);
        assert_eq!(texts(table), [&["a", "", "b"][..], &["c", "d"]]);
    }

    #[test]
    fn one_column_is_a_frame() {
        let mut table = OpenTable::default();
        row(&mut table, &["a"], &[10]);
        row(&mut table, &["b"], &[10]);
        assert_eq!(table.into_blocks().len(), 2);
    }
}
