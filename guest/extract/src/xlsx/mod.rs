//! Workbooks (xlsx): for each sheet a heading, a table of its rows and columns that are not empty,
//! each row preceded by its number, and the text boxes and pictures on it.

mod drawing;
mod escapes;
mod formats;

use std::io::BufRead;

use crate::failure::{EarlyStop, Failure};
use crate::grid::{Grid, TextPool};
use crate::limits::Limits;
use crate::limits::{SHARED_BYTES, SHEET_COLUMNS, SHEET_ROWS};
use crate::markdown::Markdown;
use crate::package::{Package, RelationshipTarget, part_of_kind};
use crate::pictures::PictureNames;
use crate::salvage::read_package;
use crate::xml::{Xml, XmlEvent};
use drawing::write_drawing;
use escapes::unescape;
pub use formats::{CellForm, Epoch, Formats, plain};

/// A sheet of a workbook.
struct Sheet {
    name: String,
    /// Id of its relationship.
    id: String,
}

/// The parts of a workbook that its text omits.
#[derive(Clone, Copy, Debug, Default)]
struct OmittedParts {
    hidden_sheets: usize,
    charts: usize,
    diagrams: usize,
    pictures: usize,
}

/// Adds the visible sheets of a workbook to `text`, and a note about the parts omitted.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: &[u8], limits: &Limits, text: &mut Markdown) -> Result<(), EarlyStop> {
    read_package(content, limits, text, read_workbook)
}

/// Adds the sheets of a package to `text`.
fn read_workbook(mut package: Package<'_>, text: &mut Markdown) -> Result<(), EarlyStop> {
    let main = package.main_part("xl/workbook.xml")?;
    let relationships = package.relationships(&main)?;
    let part = package
        .part(&main)?
        .ok_or(EarlyStop::Failed(Failure::Malformed))?;
    let (sheets, epoch, mut left_out) = workbook(part)?;
    let mut formats = Formats::default();
    if let Some(name) = part_of_kind(&relationships, "styles")
        && let Some(part) = package.part(&name)?
    {
        formats = Formats::read(part)?;
    }
    let mut shared = TextPool::default();
    if let Some(name) = part_of_kind(&relationships, "sharedStrings")
        && let Some(part) = package.part(&name)?
    {
        shared = strings(part)?;
    }
    let names = PictureNames::find(&package);
    for sheet in sheets {
        text.heading(2, &sheet.name)?;
        let Some(relationship) = relationships.get(&sheet.id) else {
            continue;
        };
        let RelationshipTarget::Part(name) = &relationship.target else {
            continue;
        };
        // A chart sheet has no cells.
        if relationship.kind == "worksheet"
            && let Some(part) = package.part(name)?
        {
            let reader = SheetReader {
                formats: &formats,
                shared: &shared,
                epoch,
            };
            let SheetCells { cells, end } = reader.cells(part, text.room())?;
            cells.write_sheet(text)?;
            end?;
        }
        write_drawing(&mut package, name, &names, &mut left_out, text)?;
    }
    let [picture, pictures] = names.nouns();
    text.push_omission_note(&[
        (left_out.hidden_sheets, "hidden sheet", "hidden sheets"),
        (left_out.charts, "chart", "charts"),
        (left_out.diagrams, "diagram", "diagrams"),
        (left_out.pictures, &picture, &pictures),
    ])
}

/// Reads the part with the names of the sheets.
fn workbook<R: BufRead>(xml: Xml<R>) -> Result<(Vec<Sheet>, Epoch, OmittedParts), EarlyStop> {
    let (mut sheets, mut epoch) = (Vec::new(), Epoch::Y1900);
    let mut left_out = OmittedParts::default();
    // Any well-formed XML may be the main part of a package, such as that of a text document.
    let mut is_workbook = false;
    xml.each(|depth, element| {
        match element.name() {
            "workbook" if depth == 1 => is_workbook = true,
            "workbookPr" => {
                let is_1904 = element.attribute("date1904");
                if matches!(is_1904.as_deref(), Some("1" | "true")) {
                    epoch = Epoch::Y1904;
                }
            }
            "sheet" => {
                let state = element.attribute("state");
                if matches!(state.as_deref(), Some("hidden" | "veryHidden")) {
                    left_out.hidden_sheets += 1;
                } else {
                    sheets.push(Sheet {
                        name: unescape(&element.attribute("name").unwrap_or_default()).into_owned(),
                        id: element.attribute("id").unwrap_or_default(),
                    });
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    if !is_workbook {
        return Err(EarlyStop::Failed(Failure::Malformed));
    }
    Ok((sheets, epoch, left_out))
}

/// Reads the part with the shared strings.
fn strings<R: BufRead>(mut xml: Xml<R>) -> Result<TextPool, EarlyStop> {
    let mut all = TextPool::default();
    loop {
        match xml.next()? {
            XmlEvent::Start(element) if element.name() == "si" => {
                let text = rich_text(&mut xml)?;
                all.push(&text);
                if all.size() > SHARED_BYTES {
                    return Err(EarlyStop::Failed(Failure::TooLarge));
                }
            }
            XmlEvent::Eof => return Ok(all),
            _ => {}
        }
    }
}

/// Reads the text in the element that began last, without its pronunciation.
fn rich_text<R: BufRead>(xml: &mut Xml<R>) -> Result<String, EarlyStop> {
    let end = xml.depth() - 1;
    let mut all = String::new();
    while xml.depth() > end {
        if let XmlEvent::Start(element) = xml.next()? {
            match element.name() {
                "t" => all.push_str(&unescape(&xml.text()?)),
                "rPh" => xml.skip()?,
                _ => {}
            }
        }
    }
    Ok(all)
}

/// The cells of a sheet that are not empty.
struct SheetCells {
    cells: Grid,
    /// Error if these are not all.
    end: Result<(), EarlyStop>,
}

/// A reader of sheets, with the shared parts of the workbook.
struct SheetReader<'a> {
    formats: &'a Formats,
    shared: &'a TextPool,
    epoch: Epoch,
}

impl SheetReader<'_> {
    /// Returns the cells of a sheet that fit a table of `most` bytes.
    fn cells<R: BufRead>(&self, mut xml: Xml<R>, most: usize) -> Result<SheetCells, EarlyStop> {
        let mut cells = Grid::default();
        let (mut next_row, mut next_column) = (0u32, 0u32);
        loop {
            let element = match xml.next()? {
                XmlEvent::Start(element) => element,
                XmlEvent::Eof => {
                    let end = Ok(());
                    return Ok(SheetCells { cells, end });
                }
                _ => continue,
            };
            match element.name() {
                "row" => {
                    // Rows and cells may omit their position, and then follow the previous one.
                    // A position that is given may go back or leave gaps, so cells are sorted
                    // at the end.
                    let index = element.number::<u32>("r");
                    let index = index.and_then(|row| row.checked_sub(1));
                    let row = index.unwrap_or(next_row);
                    if row >= SHEET_ROWS {
                        return Err(EarlyStop::Failed(Failure::Malformed));
                    }
                    (next_row, next_column) = (row + 1, 0);
                }
                "c" => {
                    let position = element.attribute("r");
                    let position = position.and_then(|name| cell_position(&name));
                    let (row, column) =
                        position.unwrap_or((next_row.saturating_sub(1), next_column));
                    if row >= SHEET_ROWS || column >= SHEET_COLUMNS {
                        return Err(EarlyStop::Failed(Failure::Malformed));
                    }
                    next_column = column + 1;
                    let kind = element.attribute("t").unwrap_or_default();
                    let style = element.number::<usize>("s").unwrap_or_default();
                    let text = self.cell(&mut xml, &kind, style)?;
                    if text.trim().is_empty() {
                        continue;
                    }
                    let text = cells.add_text(&text);
                    cells.fill(row, column, text);
                    // Reading stops as soon as the table exceeds the room: a sheet may refer to
                    // one shared string of a megabyte from a million cells, which takes a few
                    // bytes each in the file and would be a terabyte of text.
                    if cells.size() > most {
                        let end = Err(EarlyStop::Full);
                        return Ok(SheetCells { cells, end });
                    }
                }
                // Elements after the cells contain no text of the sheet.
                "mergeCells" | "conditionalFormatting" | "dataValidations" | "extLst" => {
                    xml.skip()?;
                }
                _ => {}
            }
        }
    }

    /// Reads the cell that began last, and returns its displayed text.
    fn cell<R: BufRead>(
        &self,
        xml: &mut Xml<R>,
        kind: &str,
        style: usize,
    ) -> Result<String, EarlyStop> {
        let end = xml.depth() - 1;
        let (mut value, mut formula, mut inline) = (String::new(), String::new(), String::new());
        while xml.depth() > end {
            if let XmlEvent::Start(element) = xml.next()? {
                match element.name() {
                    "v" => value = xml.text()?,
                    "f" => formula = xml.text()?,
                    "is" => inline = rich_text(xml)?,
                    _ => xml.skip()?,
                }
            }
        }
        // Programs that indent their XML insert a line break after a value.
        let value = value.trim_matches(['\r', '\n']);
        Ok(match kind {
            "s" => {
                let index = value.trim().parse::<usize>().ok();
                let shared = index.and_then(|index| self.shared.get(index));
                shared.unwrap_or_default().to_owned()
            }
            "inlineStr" => inline,
            "b" => match value.trim() {
                "1" | "true" => "TRUE".to_owned(),
                "" => String::new(),
                _ => "FALSE".to_owned(),
            },
            "str" => unescape(value).into_owned(),
            "e" | "d" => value.to_owned(),
            _ if !value.trim().is_empty() => match value.trim().parse::<f64>() {
                Ok(number) => self.formats.format(number, style, self.epoch),
                Err(_) => value.to_owned(),
            },
            // The workbook was written by a program that does not calculate, so its formula is
            // all that is known.
            _ if !formula.is_empty() => format!("={}", unescape(&formula)),
            _ => String::new(),
        })
    }
}

/// Parses a cell reference such as `B7` into row and column, from 0.
fn cell_position(name: &str) -> Option<(u32, u32)> {
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (column, row) = name.split_at(letters);
    // Three letters cover all columns. More of them could overflow the number.
    if !(1..=3).contains(&letters) {
        return None;
    }
    // A number with the digits 1 to 26 and no zero: `AA` follows `Z`.
    let column = column.bytes().fold(0, |all, letter| {
        all * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1
    });
    Some((row.parse::<u32>().ok()?.checked_sub(1)?, column - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cells() {
        for (name, expected) in [
            ("A1", Some((0, 0))),
            ("B7", Some((6, 1))),
            ("AA10", Some((9, 26))),
            ("XFD1048576", Some((1_048_575, 16_383))),
            ("ZZZ1", Some((0, 18_277))),
            ("AAAA1", None),
            ("A0", None),
            ("7", None),
            ("A", None),
            ("", None),
        ] {
            assert_eq!(cell_position(name), expected, "{name}");
        }
    }
}
