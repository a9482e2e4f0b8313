//! Workbooks of Excel 5 to 2003 (xls): for each sheet a heading and a table, as in `xlsx`.

mod records;

use std::collections::BTreeMap;

use encoding_rs::{Encoding, WINDOWS_1252};

use crate::encoding::from_code_page;
use crate::failure::{EarlyStop, Failure};
use crate::grid::{Grid, TextPool};
use crate::limits::{Limits, SHEET_COLUMNS};
use crate::markdown::Markdown;
use crate::ole::{OLE_MAGIC, Ole};
use crate::xlsx::{CellForm, Epoch, Formats};
use records::{Records, f64_at, rk_at, shared, string_at, u16_at, u32_at};

/// The records that begin and end a part of the stream.
const BOF: u16 = 0x0809;
const EOF: u16 = 0x000A;

/// Beginnings of workbooks without a container.
const BARE: [[u8; 6]; 2] = [[9, 8, 8, 0, 0, 5], [9, 8, 16, 0, 0, 6]];

const MALFORMED: EarlyStop = EarlyStop::Failed(Failure::Malformed);

/// A workbook without its cells.
struct Workbook {
    /// The encoding of strings before BIFF8.
    encoding: Option<&'static Encoding>,
    epoch: Epoch,
    formats: Formats,
    shared: TextPool,
    /// Offset and name of each visible sheet.
    sheets: Vec<(usize, String)>,
    hidden_sheets: usize,
}

/// Returns true if a file is a workbook without a container.
pub fn is_bare(content: &[u8]) -> bool {
    BARE.iter().any(|beginning| content.starts_with(beginning))
}

/// Adds the visible sheets of a workbook to `text`, and a note about the parts omitted.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: &[u8], _: &Limits, text: &mut Markdown) -> Result<(), EarlyStop> {
    let mut stream = Vec::new();
    if content.starts_with(&OLE_MAGIC) {
        let mut ole = Ole::open(content)?;
        let names = ["Workbook", "Book"];
        let id = names.iter().find_map(|name| ole.child(Ole::ROOT, name));
        stream = ole.stream(id.ok_or(MALFORMED)?)?;
    }
    let stream = if stream.is_empty() { content } else { &stream };
    if !is_bare(stream) {
        return Err(MALFORMED);
    }
    let workbook = Workbook::read(stream)?;
    // Many sheets may name offsets in the same records.
    let mut remaining = stream.len().saturating_mul(2);
    for (at, name) in &workbook.sheets {
        text.heading(2, name)?;
        let mut cells = Grid::default();
        let end = workbook.cells(stream, *at, &mut remaining, text.room(), &mut cells);
        cells.write_sheet(text)?;
        end?;
    }
    text.push_omission_note(&[(workbook.hidden_sheets, "hidden sheet", "hidden sheets")])
}

impl Workbook {
    /// Reads the records before the first sheet.
    fn read(stream: &[u8]) -> Result<Self, EarlyStop> {
        let is_wide = stream.get(5) == Some(&6);
        let mut workbook = Self {
            encoding: (!is_wide).then_some(WINDOWS_1252),
            epoch: Epoch::Y1900,
            formats: Formats::default(),
            shared: TextPool::default(),
            sheets: Vec::new(),
            hidden_sheets: 0,
        };
        let mut own: BTreeMap<u16, CellForm> = BTreeMap::new();
        let mut styles = Vec::new();
        let mut records = Records::new(stream, 0);
        while let Some((id, data)) = records.next() {
            match id {
                EOF => break,
                0x002F => return Err(EarlyStop::Failed(Failure::Encrypted)),
                0x0022 if u16_at(data, 0) == Some(1) => workbook.epoch = Epoch::Y1904,
                0x0042 if !is_wide => {
                    let page = u32::from(u16_at(data, 0).unwrap_or_default());
                    workbook.encoding = from_code_page(page).or(Some(WINDOWS_1252));
                }
                0x041E => {
                    let code = string_at(data, 2, !is_wide, workbook.encoding);
                    if let (Some(id), Some(code)) = (u16_at(data, 0), code) {
                        own.insert(id, CellForm::parse(&code));
                    }
                }
                0x00E0 => styles.push(u16_at(data, 2).unwrap_or_default()),
                0x0085 => workbook.add_sheet(data),
                0x00FC => workbook.shared = shared(data, records.continued())?,
                _ => {}
            }
        }
        let form = |id: &u16| {
            let own = own.get(id).copied();
            own.unwrap_or_else(|| CellForm::built_in_format(u32::from(*id)))
        };
        workbook.formats = Formats::new(styles.iter().map(form).collect());
        Ok(workbook)
    }

    /// Adds the sheet of a record, or counts it if it is hidden. Modules have no cells.
    fn add_sheet(&mut self, data: &[u8]) {
        let name = string_at(data, 6, true, self.encoding);
        let (Some(at), Some(name)) = (u32_at(data, 0), name) else {
            return;
        };
        match (data[4] & 3, data[5]) {
            (_, 6) => {}
            (0, _) => self.sheets.push((at as usize, name)),
            _ => self.hidden_sheets += 1,
        }
    }

    /// Fills `cells` with those of the sheet at an offset.
    fn cells(
        &self,
        stream: &[u8],
        at: usize,
        remaining: &mut usize,
        most: usize,
        cells: &mut Grid,
    ) -> Result<(), EarlyStop> {
        // Charts on a sheet are parts within its part.
        let mut depth = 0usize;
        // The position of a formula whose text is in a later record.
        let mut formula = None;
        for (id, data) in Records::new(stream, at) {
            *remaining = remaining.checked_sub(data.len() + 4).ok_or(MALFORMED)?;
            match id {
                BOF => depth += 1,
                EOF if depth <= 1 => break,
                EOF => depth -= 1,
                _ if depth != 1 => {}
                0x00BD => self.add_numbers(data, cells),
                0x0207 => {
                    let text = string_at(data, 0, false, self.encoding);
                    if let (Some((row, column)), Some(text)) = (formula.take(), text) {
                        add(cells, row, column, &text);
                    }
                }
                _ => {
                    let position = u16_at(data, 0).zip(u16_at(data, 2));
                    let Some((row, column)) = position else {
                        continue;
                    };
                    if id == 0x0006
                        && data.get(6) == Some(&0)
                        && data.get(12..14) == Some(&[255; 2])
                    {
                        formula = Some((row, column));
                    } else if let Some(text) = self.cell(id, data) {
                        add(cells, row, column, &text);
                    }
                }
            }
            if cells.size() > most {
                return Err(EarlyStop::Full);
            }
        }
        Ok(())
    }

    /// Adds the numbers of a record of several cells in a row.
    fn add_numbers(&self, data: &[u8], cells: &mut Grid) {
        let (Some(row), Some(first)) = (u16_at(data, 0), u16_at(data, 2)) else {
            return;
        };
        let count = data.len().saturating_sub(6) / 6;
        for (index, column) in (0..count).zip(first..=u16::MAX) {
            let at = 4 + index * 6;
            if let (Some(style), Some(number)) = (u16_at(data, at), rk_at(data, at + 2)) {
                add(cells, row, column, &self.number(number, style));
            }
        }
    }

    fn number(&self, number: f64, style: u16) -> String {
        self.formats.format(number, usize::from(style), self.epoch)
    }

    /// Returns the text of the cell in a record.
    fn cell(&self, id: u16, data: &[u8]) -> Option<String> {
        let style = u16_at(data, 4)?;
        match id {
            0x00FD => self
                .shared
                .get(u32_at(data, 6)? as usize)
                .map(str::to_owned),
            0x0204 | 0x00D6 => string_at(data, 6, false, self.encoding),
            0x0203 => Some(self.number(f64_at(data, 6)?, style)),
            0x027E => Some(self.number(rk_at(data, 6)?, style)),
            0x0205 => Some(truth_or_error(*data.get(6)?, *data.get(7)? != 0)),
            0x0006 if data.get(12..14) == Some(&[255; 2]) => match data[6] {
                1 => Some(truth_or_error(data[8], false)),
                2 => Some(truth_or_error(data[8], true)),
                _ => None,
            },
            0x0006 => Some(self.number(f64_at(data, 6)?, style)),
            _ => None,
        }
    }
}

/// Adds a cell unless it is empty.
fn add(cells: &mut Grid, row: u16, column: u16, text: &str) {
    if !text.trim().is_empty() && u32::from(column) < SHEET_COLUMNS {
        let text = cells.add_text(text);
        cells.fill(u32::from(row), u32::from(column), text);
    }
}

/// Returns the text of a truth value or an error.
fn truth_or_error(value: u8, is_error: bool) -> String {
    let text = match (is_error, value) {
        (false, 0) => "FALSE",
        (false, _) => "TRUE",
        (true, 0) => "#NULL!",
        (true, 7) => "#DIV/0!",
        (true, 15) => "#VALUE!",
        (true, 23) => "#REF!",
        (true, 29) => "#NAME?",
        (true, 36) => "#NUM!",
        (true, _) => "#N/A",
    };
    text.to_owned()
}
