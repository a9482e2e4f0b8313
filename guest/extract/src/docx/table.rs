//! Tables: rows of cells in which blocks stand.

use std::io::BufRead;

use super::{Block, BlockReader, cell_text, is_left_out};
use crate::limits::DOCX_COLUMNS;
use crate::xml::{Node, Xml};
use crate::{Failure, Stop};

/// A row: what stands in each of its columns.
type Row = Vec<Vec<Block>>;

/// A cell of a row.
struct Cell {
    blocks: Vec<Block>,
    /// Columns that it takes.
    span: usize,
}

/// What a row says of itself.
#[derive(Default)]
struct RowProperties {
    /// Columns of the table that it leaves out at its beginning.
    columns_before: usize,
    /// Whether a tracked change takes it away.
    is_deleted: bool,
}

impl BlockReader {
    /// Reads the table that began last: a table, or of one that has a single column what stands in
    /// its cells, for that only frames it.
    pub fn table<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<Vec<Block>, Stop> {
        self.open_block()?;
        let end = xml.depth() - 1;
        let mut rows: Vec<Row> = Vec::new();
        while xml.depth() > end {
            let Node::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "tr" => rows.push(Vec::new()),
                "trPr" => {
                    // The row ends where its parent does.
                    let parent = xml.depth() - 2;
                    let properties = RowProperties::read(xml)?;
                    if properties.is_deleted {
                        rows.pop();
                        while xml.depth() > parent {
                            xml.next()?;
                        }
                    } else if let Some(row) = rows.last_mut() {
                        indent(row, properties.columns_before);
                    }
                }
                // One that stands in a row outside a cell widens the row all the same.
                "gridSpan" => {
                    let span = element.number("val").unwrap_or(1);
                    if let Some(row) = rows.last_mut() {
                        widen(row, span);
                    }
                }
                "tc" => match rows.last() {
                    None => xml.skip()?,
                    Some(row) if row.len() >= DOCX_COLUMNS => {
                        return Err(Stop::Failed(Failure::Malformed));
                    }
                    Some(_) => {
                        let cell = self.cell(xml)?;
                        if let Some(row) = rows.last_mut() {
                            row.push(cell.blocks);
                            widen(row, cell.span);
                        }
                    }
                },
                name if is_left_out(name) => xml.skip()?,
                _ => {}
            }
        }
        self.open_blocks -= 1;
        rows.retain(|row| !row.is_empty());
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        if columns <= 1 {
            return Ok(rows.into_iter().flatten().flatten().collect());
        }
        let texts = |row: Row| row.into_iter().map(|cell| cell_text(&cell)).collect();
        Ok(vec![Block::Table(rows.into_iter().map(texts).collect())])
    }

    /// Reads the cell that began last.
    fn cell<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<Cell, Stop> {
        let end = xml.depth() - 1;
        let (mut blocks, mut span) = (Vec::new(), 1);
        while xml.depth() > end {
            let Node::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "gridSpan" => span = element.number("val").unwrap_or(1),
                "p" => blocks.extend(self.paragraph(xml)?),
                "tbl" => blocks.extend(self.table(xml)?),
                name if is_left_out(name) => xml.skip()?,
                _ => {}
            }
        }
        Ok(Cell { blocks, span })
    }
}

impl RowProperties {
    /// Reads the properties that began last.
    fn read<R: BufRead>(xml: &mut Xml<R>) -> Result<Self, Stop> {
        let end = xml.depth() - 1;
        let mut properties = Self::default();
        while xml.depth() > end {
            if let Node::Start(element) = xml.next()? {
                match element.name() {
                    "gridBefore" => {
                        properties.columns_before = element.number("val").unwrap_or_default();
                    }
                    "del" => properties.is_deleted = true,
                    // In it stand the properties of before a change.
                    name if is_left_out(name) => xml.skip()?,
                    _ => {}
                }
            }
        }
        Ok(properties)
    }
}

/// Adds empty columns before the others, as far as there is room.
fn indent(row: &mut Row, columns: usize) {
    let room = DOCX_COLUMNS.saturating_sub(row.len());
    row.splice(0..0, (0..columns.min(room)).map(|_| Vec::new()));
}

/// Adds the empty columns behind one that spans several, as far as there is room: a file may say
/// that a cell spans thousands of millions.
fn widen(row: &mut Row, span: usize) {
    let room = DOCX_COLUMNS.saturating_sub(row.len());
    row.extend((1..span.min(room + 1)).map(|_| Vec::new()));
}
