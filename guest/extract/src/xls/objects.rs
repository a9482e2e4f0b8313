//! Parts of a sheet besides its cells: links, texts in shapes, comments, pictures and charts.

use std::collections::BTreeMap;

use super::links::BiffLink;
use super::records::{self, BiffRecords, u16_at};
use super::strings::StringPieces;
use crate::grid::TextPool;
use crate::limits::{LINK_CELLS, LINKED_CELLS, PICTURE_MARKS};
use crate::office_art::{DESCRIPTION, PICTURE_NUMBER, shape_properties};
use crate::pictures::{PictureNames, picture_mark};
use crate::ppt::records::{PptRecords, kind, utf16_string};

/// Number of the first fields in the record of an object from BIFF8 on.
const COMMON_FIELDS: u16 = 0x0015;

/// Kinds of objects on a sheet.
mod kinds {
    /// Chart, whose part follows.
    pub const CHART: u16 = 5;

    /// Text box of BIFF5, whose text is in its record.
    pub const TEXT_BOX: u16 = 6;

    /// Picture, or another document.
    pub const PICTURE: u16 = 8;

    /// The frame of a comment.
    pub const NOTE: u16 = 25;
}

/// The parts of a workbook that its text omits.
#[derive(Clone, Copy, Debug, Default)]
pub struct BiffOmissions {
    pub hidden_sheets: usize,
    pub macro_sheets: usize,
    pub charts: usize,
    pub pictures: usize,
    pub comments: usize,
    pub text_boxes: usize,
}

/// The links and texts on a sheet besides its cells.
#[derive(Debug, Default)]
pub struct SheetObjects {
    /// The addresses of links.
    addresses: Vec<String>,
    /// The index of the address of each cell, by row and column.
    linked: BTreeMap<(u16, u16), usize>,
    /// The texts in shapes, and the marks of pictures.
    pub texts: TextPool,
    /// Cells in the links so far.
    cells: usize,
    /// The kind of the last object.
    last: Option<u16>,
    /// Number and alternative text of the picture of the last shape.
    shape: (u32, String),
}

impl SheetObjects {
    /// Adds a record, after which `all` continues. Texts end as soon as they exceed
    /// `most` bytes. Of pictures, `names` has those that are members of the file.
    pub fn add(
        &mut self,
        id: u16,
        data: &[u8],
        all: &mut BiffRecords<'_>,
        most: usize,
        names: &PictureNames,
        omissions: &mut BiffOmissions,
    ) {
        match id {
            // A long comment of BIFF5 continues in records without a row.
            records::NOTE if u16_at(data, 0) != Some(u16::MAX) => omissions.comments += 1,
            records::OBJECT => {
                self.last = u16_at(data, 4);
                match self.last {
                    Some(kinds::CHART) => omissions.charts += 1,
                    Some(kinds::PICTURE) => {
                        omissions.pictures += 1;
                        if self.texts.size() <= most && omissions.pictures <= PICTURE_MARKS {
                            self.add_picture(names);
                        }
                    }
                    Some(kinds::TEXT_BOX) if u16_at(data, 0) != Some(COMMON_FIELDS) => {
                        omissions.text_boxes += 1;
                    }
                    _ => {}
                }
            }
            records::SHAPE_TEXT => {
                let next = all.continuations();
                if let Some(part) = next.iter().rfind(|part| begins_shape(part)) {
                    self.add_shape(part);
                }
                if self.last != Some(kinds::NOTE) && self.texts.size() <= most {
                    let count = u16_at(data, 10).map_or(0, usize::from);
                    let text = StringPieces::new(&[], next).characters(count);
                    if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
                        self.texts.push(&text);
                    }
                }
            }
            records::DRAWING => self.add_shape(data),
            // Excel continues a long drawing in such records, with those of the objects in between.
            records::CONTINUE if begins_shape(data) => self.add_shape(data),
            records::LINK => self.add_link(data),
            _ => {}
        }
    }

    /// Reads the last shape in a part of a drawing, unless the part is the rest of one.
    fn add_shape(&mut self, part: &[u8]) {
        let mut all = PptRecords::new(part);
        while let Some(record) = all.next() {
            match record.kind {
                // Shapes are in groups, whose rest is in further parts.
                _ if record.is_container => all.enter(&record),
                kind::SHAPE_ATOM => self.shape = (0, String::new()),
                kind::PROPERTIES | kind::TERTIARY_PROPERTIES => {
                    let count = usize::from(record.instance);
                    for (id, value, words) in shape_properties(count, record.content) {
                        match id {
                            PICTURE_NUMBER => self.shape.0 = value,
                            DESCRIPTION => self.shape.1 = utf16_string(words),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds the mark of the picture of the last shape.
    fn add_picture(&mut self, names: &PictureNames) {
        let (number, description) = std::mem::take(&mut self.shape);
        let member = names.member(&number.to_string());
        if let Some(mark) = picture_mark(member, &description) {
            self.texts.push(&mark);
        }
    }

    fn add_link(&mut self, data: &[u8]) {
        let Some(link) = BiffLink::read(data) else {
            return;
        };
        // A link may cover all cells of a sheet, and each of many links may.
        let cells = link
            .rows
            .flat_map(|row| link.columns.clone().map(move |column| (row, column)));
        let room = LINKED_CELLS.saturating_sub(self.cells).min(LINK_CELLS);
        for cell in cells.take(room) {
            self.cells += 1;
            self.linked.entry(cell).or_insert(self.addresses.len());
        }
        self.addresses.push(link.address);
    }

    /// Returns the address to which a cell leads.
    pub fn address(&self, row: u16, column: u16) -> Option<&str> {
        let index = self.linked.get(&(row, column))?;
        self.addresses.get(*index).map(String::as_str)
    }
}

/// Returns true if the part of a drawing begins with a shape or a group.
fn begins_shape(part: &[u8]) -> bool {
    let first = PptRecords::new(part).next();
    first.is_some_and(|first| first.is_container && matches!(first.kind, kind::SHAPE | kind::GROUP))
}
