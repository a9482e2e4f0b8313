//! Pictures of Office documents in binary records (MS-ODRAW): a list of them, to which shapes refer
//! by number, and the records of their bytes.

use crate::failure::EarlyStop;
use crate::limits::{LISTED_PICTURES, MEMBERS};
use crate::members::{MemberGatherer, copy_within};
use crate::ole::{u16_at, u32_at};
use crate::ppt::records::{PptRecord, PptRecords, kind, utf16_string};

/// The kinds of records: the group of all drawings, the list of pictures in it, and a picture in
/// the list.
pub const DRAWING_GROUP: u16 = kind::DRAWING_GROUP;
pub const STORE: u16 = 0xF001;
pub const ENTRY: u16 = 0xF007;

/// The kinds of records with the bytes of a picture.
mod kinds {
    pub const JPEG: u16 = 0xF01D;
    pub const PNG: u16 = 0xF01E;
    pub const JPEG_CMYK: u16 = 0xF02A;
}

/// Bytes of an entry before its name.
pub const ENTRY_BYTES: usize = 36;

/// Offsets in an entry: the number of shapes with the picture, its place in a stream of pictures,
/// and the bytes of a name.
const USES_AT: usize = 24;
const PLACE_AT: usize = 28;
pub const NAME_BYTES_AT: usize = 33;

/// Place of a picture that is in no stream.
const NOWHERE: u32 = u32::MAX;

/// Bytes of a digest before those of a picture, and of the mark between them.
pub const DIGEST_BYTES: usize = 16;
const MARK_BYTES: usize = 1;

/// Properties of a shape: the number of its picture, and its alternative text.
pub const PICTURE_NUMBER: u16 = 0x0104;
pub const DESCRIPTION: u16 = 0x0381;

/// The pictures in the list of a document that are members of its file.
#[derive(Debug, Default)]
pub struct PictureStore<'a> {
    /// The first of them.
    all: Vec<StoredPicture<'a>>,
    /// Number of further ones.
    beyond: usize,
    /// Number of other pictures, which come first.
    others: usize,
}

/// A picture.
#[derive(Debug)]
struct StoredPicture<'a> {
    /// Number in the list, from 1.
    number: usize,
    extension: &'static str,
    /// Offset of its record in the stream of pictures, unless it is in the list.
    place: Option<u32>,
    /// Bytes of the list from its record on; empty if it is in the stream.
    own: &'a [u8],
}

impl<'a> PictureStore<'a> {
    /// Finds the list in the records of a group of drawings. The names of its pictures follow those
    /// of `others` other ones: `image3.png` is the third of all.
    pub fn find(group: PptRecords<'a>, others: usize) -> Self {
        let mut found = Self {
            others,
            ..Self::default()
        };
        let store = group.filter(|record| record.kind == STORE);
        for (record, number) in store
            .flat_map(|store| store.records())
            .zip(1..=LISTED_PICTURES)
        {
            if let Some(picture) = StoredPicture::read(&record, number) {
                if found.all.len() < MEMBERS {
                    found.all.push(picture);
                } else {
                    found.beyond += 1;
                }
            }
        }
        found
    }

    /// Returns the names of the members and the numbers by which shapes refer to them.
    pub fn names(&self) -> impl Iterator<Item = (String, String)> {
        let all = self.all.iter();
        all.map(|picture| (self.name(picture), picture.number.to_string()))
    }

    fn name(&self, picture: &StoredPicture<'_>) -> String {
        format!(
            "image{}.{}",
            self.others + picture.number,
            picture.extension
        )
    }

    /// Gathers the pictures, of which `stream` has those that the list has not.
    ///
    /// # Errors
    /// [`EarlyStop::Full`] if there is no room for them.
    pub fn gather(&self, stream: &[u8], members: &mut MemberGatherer<'_>) -> Result<(), EarlyStop> {
        for picture in &self.all {
            members.add(&self.name(picture), None, |room| {
                let record = match picture.place {
                    Some(place) => PptRecord::at(stream, place),
                    None => PptRecords::new(picture.own).next(),
                };
                copy_within(record.and_then(|record| picture_bytes(&record)), room)
            })?;
        }
        for _ in 0..self.beyond {
            members.omit();
        }
        Ok(())
    }
}

impl<'a> StoredPicture<'a> {
    /// Reads an entry of the list. Returns `None` for one without a picture, or with one in a
    /// format that is no member.
    fn read(entry: &PptRecord<'a>, number: usize) -> Option<Self> {
        if entry.kind != ENTRY {
            return None;
        }
        let extension = entry_extension(*entry.content.first()?)?;
        let name_bytes = usize::from(*entry.content.get(NAME_BYTES_AT)?);
        let own = entry.content.get(ENTRY_BYTES + name_bytes..);
        let own = own.unwrap_or_default();
        let place = own.is_empty().then(|| u32_at(entry.content, PLACE_AT));
        // Programs leave the entry of a picture that was deleted.
        if place.is_some() && u32_at(entry.content, USES_AT) == 0 {
            return None;
        }
        (place != Some(NOWHERE)).then_some(Self {
            number,
            extension,
            place,
            own,
        })
    }
}

/// Returns the extension of the picture in an entry of the list, by the first byte of the entry, if
/// its format is that of members.
pub fn entry_extension(format: u8) -> Option<&'static str> {
    match format {
        5 | 0x12 => Some("jpg"),
        6 => Some("png"),
        _ => None,
    }
}

/// Returns the record of a picture, which may be in an entry of a list.
pub fn inner_picture<'a>(record: &PptRecord<'a>) -> Option<PptRecord<'a>> {
    if record.kind != ENTRY {
        return picture_extension(record).map(|_| *record);
    }
    let name_bytes = usize::from(*record.content.get(NAME_BYTES_AT)?);
    PptRecords::new(record.content.get(ENTRY_BYTES + name_bytes..)?).next()
}

/// Returns the extension of the picture in a record, if its format is that of members.
pub fn picture_extension(record: &PptRecord<'_>) -> Option<&'static str> {
    match record.kind {
        kinds::JPEG | kinds::JPEG_CMYK => Some("jpg"),
        kinds::PNG => Some("png"),
        _ => None,
    }
}

/// Returns the bytes of a picture in its record, if they are all there.
pub fn picture_bytes<'a>(record: &PptRecord<'a>) -> Option<&'a [u8]> {
    picture_extension(record).filter(|_| !record.is_cut)?;
    // The last bit of the instance tells that there is a second digest.
    let digests = 1 + usize::from(record.instance & 1);
    record.content.get(digests * DIGEST_BYTES + MARK_BYTES..)
}

/// Returns the properties of a shape in a record of `count` of them: number, value, and the data of
/// those for which the value is their length.
pub fn shape_properties(count: usize, content: &[u8]) -> impl Iterator<Item = (u16, u32, &[u8])> {
    const COMPLEX: u16 = 1 << 15;
    const NUMBER_BITS: u16 = (1 << 14) - 1;
    const BYTES: usize = 6;
    let mut data = content.get(count * BYTES..).unwrap_or_default();
    content
        .chunks_exact(BYTES)
        .take(count)
        .map(move |property| {
            let (id, value) = (u16_at(property, 0), u32_at(property, 2));
            let mut own: &[u8] = &[];
            if id & COMPLEX != 0 {
                let length = usize::try_from(value).unwrap_or(usize::MAX);
                (own, data) = data.split_at(length.min(data.len()));
            }
            (id & NUMBER_BITS, value, own)
        })
}

/// Returns the alternative text of a shape, as far as its first `most` bytes have it.
pub fn shape_description(shape: &PptRecord<'_>, most: usize) -> String {
    let content = &shape.content[..most.min(shape.content.len())];
    let records = PptRecords::new(content)
        .filter(|record| matches!(record.kind, kind::PROPERTIES | kind::TERTIARY_PROPERTIES));
    let mut properties =
        records.flat_map(|record| shape_properties(usize::from(record.instance), record.content));
    let description = properties.find(|(id, ..)| *id == DESCRIPTION);
    description.map_or_else(String::new, |(.., words)| utf16_string(words))
}
