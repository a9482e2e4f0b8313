//! Drawings: which shapes are pictures, and which are parts of a group, since only the group has a
//! position in the text.

use std::collections::BTreeMap;

use super::fib::{DocTable, Fib};
use crate::limits::{DOC_OBJECTS, NESTED_BLOCKS};
use crate::office_art::{DESCRIPTION, PICTURE_NUMBER, shape_properties};
use crate::ole::{u16_at, u32_at};
use crate::ppt::records::utf16_string;

/// Bytes before the content of a record.
const HEADER_BYTES: usize = 8;

/// Version of records that contain others.
const CONTAINER: u16 = 0xF;

// The kinds of records.
const GROUP: u16 = 0xF003;
const SHAPE: u16 = 0xF00A;
const SHAPE_PROPERTIES: u16 = 0xF00B;
const FURTHER_PROPERTIES: u16 = 0xF122;

/// The group of all shapes, whose members have positions of their own.
const OUTERMOST: usize = 1;

/// The shapes of a document.
#[derive(Debug, Default)]
pub struct Drawings {
    /// Shapes in groups, with the shape that has a position in the text.
    anchored: BTreeMap<u32, u32>,
    /// Pictures by the shape that has a position.
    pictures: BTreeMap<u32, Vec<ShapePicture>>,
    /// Number of these pictures.
    picture_count: usize,
}

/// The picture of a shape.
#[derive(Debug, Default)]
pub struct ShapePicture {
    /// Number in the list of pictures, from 1.
    pub number: u32,
    /// Alternative text.
    pub description: String,
}

/// A walk through the records.
#[derive(Default)]
struct DrawingWalk {
    /// Ends of the open groups.
    groups: Vec<usize>,
    /// Shape with a position around the current one, and the current one.
    anchor: u32,
    shape: u32,
    /// True if the current one is a picture.
    is_picture: bool,
}

impl Drawings {
    /// Reads the records in the stream of the tables.
    pub fn read(fib: &Fib, tables: &[u8]) -> Self {
        let range = fib.table(DocTable::DRAWINGS);
        let records = &tables[..range.end.min(tables.len())];
        let mut drawings = Self::default();
        let mut walk = DrawingWalk::default();
        let mut at = range.start.min(records.len());
        while at + HEADER_BYTES <= records.len() && drawings.count() < DOC_OBJECTS {
            while walk.groups.pop_if(|end| *end <= at).is_some() {}
            let (version, kind) = (u16_at(records, at), u16_at(records, at + 2));
            // A byte before each drawing tells if it belongs to the text or to a header.
            if version & 0xF != CONTAINER && kind < 0xF000 {
                at += 1;
                continue;
            }
            let length = u32_at(records, at + 4) as usize;
            let start = at + HEADER_BYTES;
            let end = start.saturating_add(length).min(records.len());
            if version & 0xF == CONTAINER {
                if kind == GROUP {
                    if walk.groups.len() >= NESTED_BLOCKS {
                        break;
                    }
                    if walk.groups.len() == OUTERMOST {
                        walk.anchor = 0;
                    }
                    walk.groups.push(end);
                }
                at = start;
                continue;
            }
            drawings.take(kind, version >> 4, &records[start..end], &mut walk);
            at = end;
        }
        drawings
    }

    /// Returns the number of shapes that are kept.
    fn count(&self) -> usize {
        self.anchored.len() + self.picture_count
    }

    /// Processes a record.
    fn take(&mut self, kind: u16, count: u16, record: &[u8], walk: &mut DrawingWalk) {
        match kind {
            SHAPE => {
                walk.shape = u32_at(record, 0);
                walk.is_picture = false;
                // The first shape of a group is the group itself.
                if walk.groups.len() <= OUTERMOST || walk.anchor == 0 {
                    walk.anchor = walk.shape;
                } else {
                    self.anchored.insert(walk.shape, walk.anchor);
                }
            }
            SHAPE_PROPERTIES | FURTHER_PROPERTIES => {
                let properties = || shape_properties(usize::from(count), record);
                let number = properties().find(|(id, ..)| *id == PICTURE_NUMBER);
                if let Some((_, number, _)) = number.filter(|_| !walk.is_picture) {
                    walk.is_picture = true;
                    self.picture_count += 1;
                    let picture = ShapePicture {
                        number,
                        description: String::new(),
                    };
                    self.pictures.entry(walk.anchor).or_default().push(picture);
                }
                let description = properties().find(|(id, ..)| *id == DESCRIPTION);
                let pictures = self.pictures.get_mut(&walk.anchor);
                if let Some((.., description)) = description.filter(|_| walk.is_picture)
                    && let Some(picture) = pictures.and_then(|pictures| pictures.last_mut())
                {
                    picture.description = utf16_string(description);
                }
            }
            _ => {}
        }
    }

    /// Returns the shape with a position in the text that a shape is, or is a part of.
    pub fn anchor(&self, shape: u32) -> u32 {
        self.anchored.get(&shape).copied().unwrap_or(shape)
    }

    /// Returns the pictures in a shape with a position, once.
    pub fn take_pictures(&mut self, shape: u32) -> Vec<ShapePicture> {
        self.pictures.remove(&shape).unwrap_or_default()
    }
}
