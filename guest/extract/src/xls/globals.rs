//! Records to which cells refer: strings, formats, and the names of the sheets.

use std::collections::BTreeMap;

use super::records::{self, BiffRecords, BiffVersion, PartBegin, PartKind, u16_at, u32_at};
use super::strings::{BiffStrings, read_shared_strings};
use crate::failure::{EarlyStop, Failure};
use crate::grid::TextPool;
use crate::limits::{BIFF_SHEETS, BIFF_STYLES};
use crate::xlsx::{CellForm, Epoch, Formats};

/// The code page of Windows in Western Europe.
const WESTERN: u16 = 1252;

/// The records of a part that its cells refer to. Up to BIFF4 a sheet has its own.
pub struct BiffGlobals {
    /// The version of the format.
    pub version: BiffVersion,
    /// The form of strings.
    pub strings: BiffStrings,
    /// The first day of dates.
    pub epoch: Epoch,
    /// The formats of numbers by style; those of BIFF2 by number.
    pub formats: Formats,
    /// The strings that the sheets share.
    pub shared: TextPool,
    /// The sheets that are not hidden.
    pub sheets: Vec<BiffSheet>,
    /// Number of the sheets that are hidden.
    pub hidden_sheets: usize,
    /// True if the part has an end.
    pub is_complete: bool,
    /// Number of the bytes of the part.
    pub bytes: usize,
}

/// A sheet by its name.
pub struct BiffSheet {
    /// Offset of its part in the stream.
    pub at: usize,
    pub name: String,
    pub kind: PartKind,
}

/// The formats of numbers and styles of cells, while they are read.
#[derive(Default)]
struct FormatTable {
    /// The formats of a workbook from BIFF5 on.
    numbered: BTreeMap<u16, CellForm>,
    /// The formats before BIFF5: all that there are, in the order of their numbers.
    listed: Vec<CellForm>,
    /// The number of the format of each style.
    styles: Vec<u16>,
}

impl BiffGlobals {
    /// Reads the records of the part at an offset, which `begin` begins. A sheet in a workbook of
    /// BIFF4 is in the encoding of the workbook, unless it names its own.
    pub fn read(
        stream: &[u8],
        at: usize,
        begin: PartBegin,
        workbook: Option<&Self>,
    ) -> Result<Self, EarlyStop> {
        let western = match begin.version {
            BiffVersion::Biff8 => BiffStrings::Units,
            _ => BiffStrings::from_code_page(WESTERN),
        };
        let mut globals = Self {
            version: begin.version,
            strings: workbook.map_or(western, |workbook| workbook.strings),
            epoch: workbook.map_or(Epoch::Y1900, |workbook| workbook.epoch),
            formats: Formats::default(),
            shared: TextPool::default(),
            sheets: Vec::new(),
            hidden_sheets: 0,
            is_complete: false,
            bytes: 0,
        };
        let mut formats = FormatTable::default();
        let mut depth = 0usize;
        let mut all = BiffRecords::new(stream, at);
        while let Some((id, data)) = all.next() {
            match id {
                _ if records::is_begin(id) => depth += 1,
                records::END if depth <= 1 => {
                    globals.is_complete = true;
                    break;
                }
                records::END => depth -= 1,
                // Sheets in a workbook of BIFF4, and charts on a sheet, are parts in its part.
                _ if depth != 1 => {}
                _ if formats.read(id, data, &globals) => {}
                _ => globals.add(id, data, &mut all)?,
            }
        }
        globals.bytes = all.offset() - at;
        globals.formats = formats.finish(begin.version);
        Ok(globals)
    }

    /// Adds a record, after which `all` continues.
    fn add(&mut self, id: u16, data: &[u8], all: &mut BiffRecords<'_>) -> Result<(), EarlyStop> {
        match id {
            records::PASSWORD => return Err(EarlyStop::Failed(Failure::Encrypted)),
            records::EPOCH if u16_at(data, 0) == Some(1) => self.epoch = Epoch::Y1904,
            records::CODE_PAGE if self.strings != BiffStrings::Units => {
                if let Some(number) = u16_at(data, 0) {
                    self.strings = BiffStrings::from_code_page(number);
                }
            }
            records::SHEET => self.add_sheet(data),
            records::SHEET_4 => {
                let name = self.strings.short(data, 4).unwrap_or_default();
                self.sheets.push(BiffSheet {
                    at: all.offset(),
                    name,
                    kind: PartKind::Worksheet,
                });
            }
            records::SHARED_STRINGS => {
                self.shared = read_shared_strings(data, all.continuations())?
            }
            _ => {}
        }
        if self.sheets.len() > BIFF_SHEETS {
            return Err(EarlyStop::Failed(Failure::TooLarge));
        }
        Ok(())
    }

    /// Adds the sheet of a record, or counts it if it is hidden.
    fn add_sheet(&mut self, data: &[u8]) {
        let (Some(at), Some([state, kind])) = (u32_at(data, 0), data.get(4..6)) else {
            return;
        };
        let kind = match kind {
            0 => PartKind::Worksheet,
            1 => PartKind::MacroSheet,
            2 => PartKind::Chart,
            // Others have no cells.
            _ => PartKind::Module,
        };
        if kind != PartKind::Module && state & 3 != 0 {
            self.hidden_sheets += 1;
        } else if let (Some(name), Ok(at)) = (self.strings.short(data, 6), usize::try_from(at)) {
            self.sheets.push(BiffSheet { at, name, kind });
        }
    }
}

impl FormatTable {
    /// Adds a record, or returns false if it is another one.
    fn read(&mut self, id: u16, data: &[u8], globals: &BiffGlobals) -> bool {
        let strings = globals.strings;
        let byte = |at: usize| data.get(at).copied().map(u16::from);
        match id {
            records::FORMAT if globals.version >= BiffVersion::Biff5 => {
                let code = match strings {
                    BiffStrings::Units => strings.long(data, 2, Vec::new()),
                    BiffStrings::Bytes(_) => strings.short(data, 2),
                };
                if let (Some(number), Some(code)) = (u16_at(data, 0), code) {
                    self.numbered.insert(number, CellForm::parse(&code));
                }
            }
            records::FORMAT_2 | records::FORMAT => {
                let at = if id == records::FORMAT { 2 } else { 0 };
                let code = strings.short(data, at).unwrap_or_default();
                if self.listed.len() < BIFF_STYLES {
                    self.listed.push(CellForm::parse(&code));
                }
            }
            records::STYLE_3 | records::STYLE_4 | records::STYLE => {
                let number = match id {
                    records::STYLE => u16_at(data, 2),
                    _ => byte(1),
                };
                if self.styles.len() < BIFF_STYLES {
                    self.styles.push(number.unwrap_or_default());
                }
            }
            _ => return false,
        }
        true
    }

    /// Returns the formats by style.
    fn finish(self, version: BiffVersion) -> Formats {
        if version == BiffVersion::Biff2 {
            // Its cells name their formats themselves.
            return Formats::new(self.listed);
        }
        let form = |number: &u16| match version {
            BiffVersion::Biff2 | BiffVersion::Biff3 | BiffVersion::Biff4 => {
                let own = self.listed.get(usize::from(*number));
                own.copied().unwrap_or_default()
            }
            BiffVersion::Biff5 | BiffVersion::Biff8 => {
                let own = self.numbered.get(number).copied();
                own.unwrap_or_else(|| CellForm::built_in_format(u32::from(*number)))
            }
        };
        Formats::new(self.styles.iter().map(form).collect())
    }
}
