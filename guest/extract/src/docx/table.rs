//! Tables: rows of cells that contain blocks.

use std::io::BufRead;

use super::{BlockReader, DocxBlock, cell_text, is_left_out};
use crate::failure::{EarlyStop, Failure};
use crate::limits::DOCX_COLUMNS;
use crate::xml::{Xml, XmlEvent};

/// A row: the blocks in each of its columns.
type TableRow = Vec<Vec<DocxBlock>>;

/// A cell of a row.
struct TableCell {
    blocks: Vec<DocxBlock>,
    /// Number of columns that it spans.
    span: usize,
}

/// The properties of a row.
#[derive(Default)]
struct RowProperties {
    /// Number of columns that it skips at its beginning.
    columns_before: usize,
    /// True if a tracked change deletes it.
    is_deleted: bool,
}

impl BlockReader {
    /// Reads the table that began last. Returns a table, or for a single column the content of its
    /// cells, since such a table is only a frame.
    pub fn table<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<Vec<DocxBlock>, EarlyStop> {
        self.open_block()?;
        let end = xml.depth() - 1;
        let mut rows: Vec<TableRow> = Vec::new();
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "tr" => rows.push(Vec::new()),
                "trPr" => {
                    // The row ends where the parent of these properties does.
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
                // A span outside a cell widens the row all the same.
                "gridSpan" => {
                    let span = element.number("val").unwrap_or(1);
                    if let Some(row) = rows.last_mut() {
                        widen(row, span);
                    }
                }
                "tc" => match rows.last() {
                    None => xml.skip()?,
                    Some(row) if row.len() >= DOCX_COLUMNS => {
                        return Err(EarlyStop::Failed(Failure::Malformed));
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
        let texts = |row: TableRow| row.into_iter().map(|cell| cell_text(&cell)).collect();
        Ok(vec![DocxBlock::Table(
            rows.into_iter().map(texts).collect(),
        )])
    }

    /// Reads the cell that began last.
    fn cell<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<TableCell, EarlyStop> {
        let end = xml.depth() - 1;
        let (mut blocks, mut span) = (Vec::new(), 1);
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
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
        Ok(TableCell { blocks, span })
    }
}

impl RowProperties {
    /// Reads the properties that began last.
    fn read<R: BufRead>(xml: &mut Xml<R>) -> Result<Self, EarlyStop> {
        let end = xml.depth() - 1;
        let mut properties = Self::default();
        while xml.depth() > end {
            if let XmlEvent::Start(element) = xml.next()? {
                match element.name() {
                    "gridBefore" => {
                        properties.columns_before = element.number("val").unwrap_or_default();
                    }
                    "del" => properties.is_deleted = true,
                    // It contains the properties before a change.
                    name if is_left_out(name) => xml.skip()?,
                    _ => {}
                }
            }
        }
        Ok(properties)
    }
}

/// Inserts empty columns at the beginning, up to the limit.
fn indent(row: &mut TableRow, columns: usize) {
    let room = DOCX_COLUMNS.saturating_sub(row.len());
    row.splice(0..0, (0..columns.min(room)).map(|_| Vec::new()));
}

/// Adds the empty columns that a cell spans, up to the limit: a file may declare a span of
/// thousands of millions.
fn widen(row: &mut TableRow, span: usize) {
    let room = DOCX_COLUMNS.saturating_sub(row.len());
    row.extend((1..span.min(room + 1)).map(|_| Vec::new()));
}
