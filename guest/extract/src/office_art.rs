//! Pictures of Office documents in binary records (MS-ODRAW): a list of them, to which shapes refer
//! by number, and the records of their bytes.

use crate::failure::{EarlyStop, Failure};
use crate::limits::MEMBERS;
use crate::members::MemberGatherer;
use crate::ole::u32_at;
use crate::ppt::records::{PptRecord, PptRecords};

/// The kinds of records.
mod kinds {
    /// The list of pictures.
    pub const STORE: u16 = 0xF001;
    /// A picture in the list.
    pub const ENTRY: u16 = 0xF007;
    /// The bytes of a picture.
    pub const JPEG: u16 = 0xF01D;
    pub const PNG: u16 = 0xF01E;
    pub const JPEG_CMYK: u16 = 0xF02A;
}

/// Bytes of an entry before its name.
const ENTRY_BYTES: usize = 36;

/// Offsets in an entry: the place of the picture in a stream of pictures, and the bytes of a name.
const PLACE_AT: usize = 28;
const NAME_BYTES_AT: usize = 33;

/// Place of a picture that is in no stream.
const NOWHERE: u32 = u32::MAX;

/// Bytes of a digest before those of a picture, and of the mark between them.
const DIGEST_BYTES: usize = 16;
const MARK_BYTES: usize = 1;

/// Property of a shape with the number of its picture.
pub const PICTURE_NUMBER: u16 = 0x0104;

/// The pictures in the list of a document that are members of its file.
#[derive(Debug, Default)]
pub struct PictureStore<'a> {
    /// The first of them.
    all: Vec<StoredPicture<'a>>,
    /// Number of further ones.
    beyond: usize,
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
    /// Finds the list in the records of a group of drawings.
    pub fn find(group: PptRecords<'a>) -> Self {
        let mut found = Self::default();
        let store = group.filter(|record| record.kind == kinds::STORE);
        for (record, number) in store.flat_map(|store| store.records()).zip(1..) {
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
        all.map(|picture| (picture.name(), picture.number.to_string()))
    }

    /// Gathers the pictures: `image3.png` is the third of the list. `stream` is that of pictures.
    ///
    /// # Errors
    /// [`EarlyStop::Full`] if there is no room for them.
    pub fn gather(&self, stream: &[u8], members: &mut MemberGatherer) -> Result<(), EarlyStop> {
        for picture in &self.all {
            members.add(&picture.name(), |room| {
                let record = match picture.place {
                    Some(place) => PptRecord::at(stream, place),
                    None => PptRecords::new(picture.own).next(),
                };
                let bytes = record.and_then(|record| picture_bytes(&record));
                let bytes = bytes.ok_or(EarlyStop::Failed(Failure::Malformed))?;
                if bytes.len() > room {
                    return Err(EarlyStop::Failed(Failure::TooLarge));
                }
                Ok(bytes.to_vec())
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
        if entry.kind != kinds::ENTRY {
            return None;
        }
        let extension = match entry.content.first()? {
            5 | 0x12 => "jpg",
            6 => "png",
            _ => return None,
        };
        let name_bytes = usize::from(*entry.content.get(NAME_BYTES_AT)?);
        let own = entry.content.get(ENTRY_BYTES + name_bytes..);
        let own = own.unwrap_or_default();
        let place = own.is_empty().then(|| u32_at(entry.content, PLACE_AT));
        (place != Some(NOWHERE)).then_some(Self {
            number,
            extension,
            place,
            own,
        })
    }

    fn name(&self) -> String {
        format!("image{}.{}", self.number, self.extension)
    }
}

/// Returns the bytes of a picture in its record, if they are all there.
fn picture_bytes<'a>(record: &PptRecord<'a>) -> Option<&'a [u8]> {
    let is_picture = matches!(record.kind, kinds::JPEG | kinds::PNG | kinds::JPEG_CMYK);
    if !is_picture || record.is_cut {
        return None;
    }
    // The last bit of the instance tells that there is a second digest.
    let digests = 1 + usize::from(record.instance & 1);
    record.content.get(digests * DIGEST_BYTES + MARK_BYTES..)
}
