//! Spreadsheets: for each sheet a heading, and a table of its rows and columns that are not empty,
//! each row preceded by its number.

use std::io::BufRead;

use super::blocks::is_without_text;
use super::output::{OdfBlock, OdfOutput};
use super::styles::StyleFamily;
use super::table::FilledCell;
use super::{MALFORMED, OdfReader};
use crate::failure::EarlyStop;
use crate::grid::Grid;
use crate::limits::{SHEET_COLUMNS, SHEET_ROWS};
use crate::markdown::Markdown;
use crate::xml::{Element, Xml, XmlEvent};

/// A sheet that is being read.
#[derive(Default)]
struct OdfSheet {
    grid: Grid,
    /// Number of rows so far.
    rows: u32,
    /// Texts of the shapes on it.
    shapes: Vec<OdfBlock>,
}

impl OdfReader {
    /// Reads the sheets in the body, which began last.
    pub fn sheets<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            // Beside the sheets there are rules for the input, names of ranges and the like, some
            // with texts that no cell shows.
            if element.name() != "table" {
                xml.skip()?;
                continue;
            }
            let style = element.attribute("style-name");
            let name = element.attribute("name").unwrap_or_default();
            // The cells of another file that formulas refer to are kept as a sheet, named
            // `'file:///other.ods'#$Sheet1`, which is not displayed.
            if name.starts_with('\'') && name.contains("'#$") {
                xml.skip()?;
                continue;
            }
            if self.styles.resolve(StyleFamily::Table, style).is_hidden {
                self.omitted.hidden_sheets += 1;
                xml.skip()?;
                continue;
            }
            text.heading(2, &name)?;
            self.sheet(xml, text)?;
        }
        Ok(())
    }

    /// Reads the sheet that began last.
    fn sheet<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        self.room = text.room();
        let mut sheet = OdfSheet::default();
        let read = self.sheet_rows(xml, &mut sheet);
        // What was read before the end of the room is the beginning of the table.
        if let Ok(()) | Err(EarlyStop::Full) = read {
            sheet.grid.write_sheet(text)?;
        }
        read?;
        let mut code = String::new();
        for block in sheet.shapes {
            block.write_behind(&mut code, text)?;
        }
        text.code(&code)
    }

    /// Reads the rows of the sheet that began last.
    fn sheet_rows<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        sheet: &mut OdfSheet,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "table-row" => {
                    let repeats = element.number("number-rows-repeated").unwrap_or(1);
                    self.sheet_row(xml, repeats, sheet)?;
                }
                "shapes" => {
                    let mut out = OdfOutput::Gathered(std::mem::take(&mut sheet.shapes));
                    self.blocks(xml, None, &mut out)?;
                    sheet.shapes = out.into_blocks();
                }
                "title" | "desc" => xml.skip()?,
                name if is_without_text(name) => xml.skip()?,
                // Groups of rows are entered.
                _ => {}
            }
            if self.is_over {
                return Err(EarlyStop::Full);
            }
        }
        Ok(())
    }

    /// Reads the row that began last.
    fn sheet_row<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        repeats: u32,
        sheet: &mut OdfSheet,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        let mut column: u32 = 0;
        let mut cells = Vec::new();
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            if !matches!(element.name(), "table-cell" | "covered-table-cell") {
                xml.skip()?;
                continue;
            }
            let repeats = element.number("number-columns-repeated").unwrap_or(1);
            let value = cell_value(&element);
            let first = column;
            column = column.saturating_add(repeats);
            let mut out = OdfOutput::new_lines();
            self.blocks(xml, None, &mut out)?;
            if self.is_cut {
                return Err(EarlyStop::Full);
            }
            let mut words = out.lines();
            let mut unshown = String::new();
            if words.is_empty() {
                self.push_words(&value, &mut unshown);
                words = unshown.trim();
            }
            if words.is_empty() {
                continue;
            }
            if first >= SHEET_COLUMNS || sheet.rows >= SHEET_ROWS {
                return Err(MALFORMED);
            }
            cells.push(FilledCell {
                column: first,
                repeats: repeats.min(SHEET_COLUMNS - first),
                text: sheet.grid.add_text(words),
            });
        }
        self.repeat_row(&mut sheet.grid, &mut sheet.rows, &cells, repeats);
        Ok(())
    }
}

/// Returns the value of a cell, for programs that do not write its displayed text.
fn cell_value(element: &Element<'_>) -> String {
    let Some(kind) = element.attribute("value-type") else {
        // The file was written by a program that does not calculate, so the formula is all that is
        // known. It begins with the prefix of its language.
        let formula = element.attribute("formula").unwrap_or_default();
        return match formula.split_once('=') {
            Some((_, formula)) => format!("={formula}"),
            None => formula,
        };
    };
    match kind.as_str() {
        "date" => {
            let date = element.attribute("date-value").unwrap_or_default();
            date.replacen('T', " ", 1)
        }
        "time" => element.attribute("time-value").unwrap_or_default(),
        "string" => element.attribute("string-value").unwrap_or_default(),
        "boolean" => match element.attribute("boolean-value").as_deref() {
            Some("true") => "TRUE".to_owned(),
            Some("false") => "FALSE".to_owned(),
            _ => String::new(),
        },
        _ => element.attribute("value").unwrap_or_default(),
    }
}
