//! Tables whose cells are mostly empty, as those of sheets: only cells with text take memory.

use crate::failure::EarlyStop;
use crate::markdown::Markdown;

/// A pool of texts in one allocation: a workbook may share millions of words.
#[derive(Debug, Default)]
pub struct TextPool {
    all: String,
    /// End of each text in `all`; it begins at the end of the previous one.
    ends: Vec<usize>,
}

/// A cell that is not empty.
#[derive(Clone, Copy, Debug)]
struct SheetCell {
    /// Row, from 0.
    row: u32,
    column: u32,
    /// Index of its text.
    text: u32,
}

/// The cells of a table that are not empty.
#[derive(Debug, Default)]
pub struct Grid {
    cells: Vec<SheetCell>,
    texts: TextPool,
    /// Minimum bytes of the table in Markdown: in it a cell takes its text, a bar and one or two
    /// blanks.
    size: usize,
}

impl TextPool {
    /// Adds a text, and returns its index.
    pub fn push(&mut self, text: &str) -> usize {
        self.all.push_str(text);
        self.ends.push(self.all.len());
        self.ends.len() - 1
    }

    /// Returns the text with this index.
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.all.get(start..end)
    }

    /// Returns the bytes of the pool.
    pub fn size(&self) -> usize {
        self.all.len() + self.ends.len() * size_of::<usize>()
    }
}

impl Grid {
    /// Adds a text for cells, and returns its index.
    pub fn add_text(&mut self, text: &str) -> u32 {
        u32::try_from(self.texts.push(text)).unwrap_or(u32::MAX)
    }

    /// Fills a cell, counted from 0, with the text of this index.
    pub fn fill(&mut self, row: u32, column: u32, text: u32) {
        self.size += self.text(text).len() + 3;
        self.cells.push(SheetCell { row, column, text });
    }

    /// Returns the minimum bytes of the table in Markdown.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns true if all cells are empty.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Adds the cells to `text` as the table of a sheet: without empty rows and columns, each row
    /// preceded by its number.
    pub fn write_sheet(mut self, text: &mut Markdown) -> Result<(), EarlyStop> {
        self.sort();
        let mut columns: Vec<u32> = self.cells.iter().map(|cell| cell.column).collect();
        columns.sort_unstable();
        columns.dedup();
        for (index, row) in self.rows().enumerate() {
            let number = row.first().map_or(0, |cell| cell.row + 1).to_string();
            let texts = self.row_texts(row, columns.iter().copied());
            let texts = std::iter::once(number.as_str()).chain(texts);
            text.row(index, columns.len() + 1, texts)?;
        }
        Ok(())
    }

    /// Adds the cells to `text` as a table of at least `columns` columns, without empty rows.
    pub fn write_table(&self, columns: u32, text: &mut Markdown) -> Result<(), EarlyStop> {
        let last = self.cells.iter().map(|cell| cell.column + 1).max();
        let columns = columns.max(last.unwrap_or_default());
        for (index, row) in self.rows().enumerate() {
            text.row(index, columns as usize, self.row_texts(row, 0..columns))?;
        }
        Ok(())
    }

    /// Returns the texts of each row that is not empty.
    pub fn lines(&self) -> impl Iterator<Item = impl Iterator<Item = &str>> {
        let text = |cell: &SheetCell| self.text(cell.text);
        self.rows().map(move |row| row.iter().map(text))
    }

    fn text(&self, index: u32) -> &str {
        self.texts.get(index as usize).unwrap_or_default()
    }

    /// Sorts cells that were filled in any order. Of two cells at one position the first counts.
    fn sort(&mut self) {
        // The sort is stable, so the first of two cells at one position comes first.
        self.cells.sort_by_key(|cell| (cell.row, cell.column));
        self.cells.dedup_by_key(|cell| (cell.row, cell.column));
    }

    /// Returns the cells of each row that is not empty.
    fn rows(&self) -> impl Iterator<Item = &[SheetCell]> {
        self.cells.chunk_by(|a, b| a.row == b.row)
    }

    /// Returns the texts of a row in these columns, in ascending order.
    fn row_texts<'g>(
        &'g self,
        row: &'g [SheetCell],
        columns: impl Iterator<Item = u32> + 'g,
    ) -> impl Iterator<Item = &'g str> + 'g {
        let mut row = row.iter().peekable();
        columns.map(move |column| {
            let cell = row.next_if(|cell| cell.column == column);
            cell.map_or("", |cell| self.text(cell.text))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_one_piece() {
        let mut texts = TextPool::default();
        for text in ["a", "", "한"] {
            texts.push(text);
        }
        let all: Vec<Option<&str>> = (0..4).map(|index| texts.get(index)).collect();
        assert_eq!(all, [Some("a"), Some(""), Some("한"), None]);
    }

    #[test]
    fn a_table_keeps_empty_columns_and_a_sheet_does_not() {
        let mut grid = Grid::default();
        let text = grid.add_text("a");
        grid.fill(0, 0, text);
        grid.fill(7, 2, text);
        let mut table = Markdown::new(1 << 10);
        assert_eq!(grid.write_table(4, &mut table), Ok(()));
        let expected = "| a |  |  |  |\n| --- | --- | --- | --- |\n|  |  | a |  |\n";
        assert_eq!(table.finish(), expected);
        let mut sheet = Markdown::new(1 << 10);
        assert_eq!(grid.write_sheet(&mut sheet), Ok(()));
        let expected = "| 1 | a |  |\n| --- | --- | --- |\n| 8 |  | a |\n";
        assert_eq!(sheet.finish(), expected);
    }
}
