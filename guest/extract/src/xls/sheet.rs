//! Cells of the sheets of workbooks.

use super::globals::BiffGlobals;
use super::objects::{BiffOmissions, SheetObjects};
use super::records::{self, BiffRecords, BiffVersion, PartBegin, f64_at, rk_at, u16_at, u32_at};
use crate::failure::EarlyStop;
use crate::grid::Grid;
use crate::inline::make_link;
use crate::limits::SHEET_COLUMNS;
use crate::markdown::Markdown;
use crate::pictures::PictureNames;

/// Times that the bytes of the stream may be read as those of sheets, each of which is read twice.
/// Many sheets may begin at offsets in the same records.
const MOST_READINGS: usize = 4;

/// The error of a number that does not exist.
const NUMBER_ERROR: u8 = 36;

/// A reader of the sheets in a stream.
pub struct BiffReader<'s> {
    stream: &'s [u8],
    /// Bytes that may still be read.
    remaining_bytes: usize,
    /// True if a sheet has no end, or refers to strings that do not exist.
    pub is_damaged: bool,
    /// The parts that the text omits.
    pub omissions: BiffOmissions,
}

/// A cell of a formula whose text is in a later record.
type PendingCell = Option<(u16, u16)>;

/// The cells of a sheet, while they are read.
struct BiffCells<'g> {
    globals: &'g BiffGlobals,
    objects: SheetObjects,
    grid: Grid,
    pending: PendingCell,
    /// True if a cell refers to a string that does not exist.
    is_damaged: bool,
}

impl<'s> BiffReader<'s> {
    /// Creates a reader of the sheets in a stream.
    pub fn new(stream: &'s [u8]) -> Self {
        Self {
            stream,
            remaining_bytes: stream.len().saturating_mul(MOST_READINGS),
            is_damaged: false,
            omissions: BiffOmissions::default(),
        }
    }

    /// Adds the sheet at an offset to `text`.
    pub fn write_sheet(
        &mut self,
        at: usize,
        globals: &BiffGlobals,
        names: &PictureNames,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        let begin = PartBegin::read(self.stream, at);
        let Some(begin) = begin.filter(|_| self.remaining_bytes > 0) else {
            self.is_damaged = true;
            return Ok(());
        };
        let own = match begin.version {
            BiffVersion::Biff4 if at > 0 => {
                let own = BiffGlobals::read(self.stream, at, begin, Some(globals))?;
                self.charge(own.bytes);
                Some(own)
            }
            _ => None,
        };
        let room = text.room();
        let (mut objects, mut omissions) = (SheetObjects::default(), self.omissions);
        self.each(at, |id, data, all| {
            objects.add(id, data, all, room, names, &mut omissions);
            Ok(())
        })?;
        self.omissions = omissions;
        let mut cells = BiffCells {
            globals: own.as_ref().unwrap_or(globals),
            objects,
            grid: Grid::default(),
            pending: None,
            is_damaged: false,
        };
        let end = self.each(at, |id, data, all| {
            cells.add(id, data, all);
            // One string may be in all cells.
            if cells.grid.size() > room {
                return Err(EarlyStop::Full);
            }
            Ok(())
        });
        self.is_damaged |= cells.is_damaged;
        cells.grid.write_sheet(text)?;
        end?;
        let texts = &cells.objects.texts;
        for shown in (0..).map_while(|index| texts.get(index)) {
            text.paragraph(shown)?;
        }
        if texts.size() > room {
            return Err(EarlyStop::Full);
        }
        Ok(())
    }

    /// Calls `add` with each record of the part at an offset, without those of parts in it: charts
    /// on a sheet.
    fn each(
        &mut self,
        at: usize,
        mut add: impl FnMut(u16, &'s [u8], &mut BiffRecords<'s>) -> Result<(), EarlyStop>,
    ) -> Result<(), EarlyStop> {
        let mut depth = 0usize;
        let mut all = BiffRecords::new(self.stream, at);
        let mut offset = at;
        while let Some((id, data)) = all.next() {
            match id {
                _ if records::is_begin(id) => depth += 1,
                records::END if depth <= 1 => return Ok(()),
                records::END => depth -= 1,
                _ if depth != 1 => {}
                _ => add(id, data, &mut all)?,
            }
            self.charge(all.offset() - offset);
            offset = all.offset();
            if self.remaining_bytes == 0 {
                break;
            }
        }
        self.is_damaged = true;
        Ok(())
    }

    /// Counts bytes that were read.
    fn charge(&mut self, bytes: usize) {
        self.remaining_bytes = self.remaining_bytes.saturating_sub(bytes);
    }
}

impl BiffCells<'_> {
    /// Adds a record, after which `all` continues.
    fn add(&mut self, id: u16, data: &[u8], all: &mut BiffRecords<'_>) {
        let strings = self.globals.strings;
        match id {
            records::COMPRESSED_ROW => self.add_numbers(data),
            records::RESULT_2 | records::RESULT => {
                let text = match id {
                    records::RESULT_2 => strings.short(data, 0),
                    _ => strings.long(data, 0, all.continuations()),
                };
                if let (Some((row, column)), Some(text)) = (self.pending.take(), text) {
                    self.fill(row, column, text);
                }
            }
            _ => {
                let position = u16_at(data, 0).zip(u16_at(data, 2));
                let Some((row, column)) = position else {
                    return;
                };
                let text = match id {
                    records::FORMULA | records::FORMULA_3 | records::FORMULA_4 => {
                        self.formula(id, data, (row, column))
                    }
                    records::LABEL | records::RICH_LABEL => {
                        strings.long(data, 6, all.continuations())
                    }
                    _ => self.cell(id, data),
                };
                if let Some(text) = text {
                    self.fill(row, column, text);
                }
            }
        }
    }

    /// Adds the numbers of a record of several cells in a row.
    fn add_numbers(&mut self, data: &[u8]) {
        let (Some(row), Some(first)) = (u16_at(data, 0), u16_at(data, 2)) else {
            return;
        };
        let count = data.len().saturating_sub(6) / 6;
        for (index, column) in (0..count).zip(first..=u16::MAX) {
            let at = 4 + index * 6;
            if let (Some(style), Some(number)) = (u16_at(data, at), rk_at(data, at + 2)) {
                self.fill(row, column, self.number(number, style));
            }
        }
    }

    /// Returns the text of the cell in a record, unless it is a formula.
    fn cell(&mut self, id: u16, data: &[u8]) -> Option<String> {
        // Before the value a cell of BIFF2 has three bytes of attributes, and later ones a style.
        let style = u16_at(data, 4)?;
        let format = u16::from(*data.get(5)?) & 0x3F;
        match id {
            records::SHARED_LABEL => {
                let shared = self.globals.shared.get(u32_at(data, 6)? as usize);
                self.is_damaged |= shared.is_none();
                shared.map(str::to_owned)
            }
            records::LABEL_2 => self.globals.strings.short(data, 7),
            records::INTEGER_2 => Some(self.number(u16_at(data, 7)?.into(), format)),
            records::NUMBER_2 => Some(self.number(f64_at(data, 7)?, format)),
            records::NUMBER => Some(self.number(f64_at(data, 6)?, style)),
            records::COMPRESSED => Some(self.number(rk_at(data, 6)?, style)),
            records::TRUTH_2 => Some(truth_or_error(*data.get(7)?, *data.get(8)? != 0)),
            records::TRUTH => Some(truth_or_error(*data.get(6)?, *data.get(7)? != 0)),
            _ => None,
        }
    }

    /// Returns the result of a formula in a cell. If it is a string, a later record has it.
    fn formula(&mut self, id: u16, data: &[u8], cell: (u16, u16)) -> Option<String> {
        let is_old = self.globals.version == BiffVersion::Biff2 && id == records::FORMULA;
        let (at, style) = match is_old {
            true => (7, u16::from(*data.get(5)?) & 0x3F),
            false => (6, u16_at(data, 4)?),
        };
        match *data.get(at..)?.first_chunk()? {
            [kind, _, value, _, _, _, 255, 255] => {
                self.pending = (kind == 0).then_some(cell);
                matches!(kind, 1 | 2).then(|| truth_or_error(value, kind == 2))
            }
            number => Some(self.number(f64::from_le_bytes(number), style)),
        }
    }

    fn number(&self, number: f64, style: u16) -> String {
        // Excel shows numbers that are not finite, which other programs write, as an error.
        if !number.is_finite() {
            return truth_or_error(NUMBER_ERROR, true);
        }
        let globals = self.globals;
        globals
            .formats
            .format(number, usize::from(style), globals.epoch)
    }

    /// Fills a cell, unless the text is empty.
    fn fill(&mut self, row: u16, column: u16, mut text: String) {
        if text.trim().is_empty() || u32::from(column) >= SHEET_COLUMNS {
            return;
        }
        if let Some(address) = self.objects.address(row, column) {
            make_link(&mut text, 0, address);
        }
        let index = self.grid.add_text(&text);
        self.grid.fill(u32::from(row), u32::from(column), index);
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
        (true, NUMBER_ERROR) => "#NUM!",
        (true, _) => "#N/A",
    };
    text.to_owned()
}
