//! Pictures: streams in a storage of their own. The text refers to them by the order in which the
//! stream of shapes and styles lists them.

use std::collections::{BTreeMap, BTreeSet};

use super::records::{RecordData, Records, tag};
use crate::limits::HANGUL_DEFINITIONS;
use crate::ole::{Ole, OleId};
use crate::pictures::is_picture;

/// The storage of the streams.
const STORAGE: &str = "BinData";

/// The kind of data that is in a stream of the file; other data is in a file beside it, or an
/// object of another program.
const EMBEDDED: u16 = 1;

/// Offset of the number of a picture in the record of a shape: after its border, corners, margins
/// and brightness.
const NUMBER_AT: usize = 71;

/// The pictures of a document.
#[derive(Debug, Default)]
pub struct HwpPictures {
    /// All of them, each once.
    pub all: Vec<HwpPicture>,
    /// Names of their streams by the numbers that the text uses.
    by_number: BTreeMap<u16, String>,
}

/// A picture.
#[derive(Debug)]
pub struct HwpPicture {
    /// Name of its stream, such as `BIN0001.png`.
    pub name: String,
    pub stream: OleId,
    /// True if the stream is compressed; `None` if it is as the others of the file.
    pub is_packed: Option<bool>,
}

impl HwpPictures {
    /// Finds the pictures that the records of `info` list and the container holds.
    pub fn find(ole: &Ole<'_>, info: &[u8]) -> Self {
        let mut found = Self::default();
        let Some(storage) = ole.child(Ole::ROOT, STORAGE) else {
            return found;
        };
        let streams = ole.children(storage).into_iter();
        let streams: BTreeMap<String, OleId> = streams
            .map(|id| (ole.name(id).to_ascii_lowercase(), id))
            .collect();
        let mut seen = BTreeSet::new();
        let records = Records::new(info).filter(|record| record.tag == tag::BINARY);
        for (record, number) in records.zip(1..=u16::MAX).take(HANGUL_DEFINITIONS) {
            let Some((name, is_packed)) = stream_name(record.data) else {
                continue;
            };
            let Some(stream) = streams.get(&name.to_ascii_lowercase()) else {
                continue;
            };
            let name = ole.name(*stream).to_owned();
            if seen.insert(name.clone()) {
                found.all.push(HwpPicture {
                    name: name.clone(),
                    stream: *stream,
                    is_packed,
                });
            }
            found.by_number.insert(number, name);
        }
        found
    }

    /// Returns the names of the members and of their streams.
    pub fn names(&self) -> impl Iterator<Item = (String, String)> {
        let all = self.all.iter();
        all.map(|picture| (picture.name.clone(), picture.name.clone()))
    }

    /// Returns the name of the stream to which the record of a shape refers.
    pub fn shown_by(&self, shape: RecordData<'_>) -> Option<&str> {
        let number = shape.u16(NUMBER_AT);
        self.by_number.get(&number).map(String::as_str)
    }
}

/// Returns the name of the stream that a record describes, and true if that is compressed.
fn stream_name(data: RecordData<'_>) -> Option<(String, Option<bool>)> {
    let properties = data.u16(0);
    if properties & 0xF != EMBEDDED {
        return None;
    }
    let (extension, _) = data.words(4);
    let name = format!("BIN{:04X}.{extension}", data.u16(2));
    let is_packed = match properties >> 4 & 0b11 {
        1 => Some(true),
        2 => Some(false),
        _ => None,
    };
    is_picture(&name).then_some((name, is_packed))
}
