//! Pictures: a list of them is in the records that all sheets share, cut into records of the
//! workbook. Their bytes are copied only to gather them, because they may be most of the file.

use super::records::{self, BiffRecords, PartBegin};
use crate::failure::{EarlyStop, Failure};
use crate::limits::{BIFF_PIECES, LISTED_PICTURES, MEMBERS};
use crate::members::{MemberGatherer, copy_within};
use crate::office_art::{
    DIGEST_BYTES, DRAWING_GROUP, ENTRY, ENTRY_BYTES, NAME_BYTES_AT, STORE, entry_extension,
    picture_bytes,
};
use crate::ole::{u16_at, u32_at};
use crate::ppt::records::{HEADER_BYTES, PptRecords};

/// Bytes of a record besides those of its picture, at most.
const OTHER_BYTES: usize = HEADER_BYTES + 2 * DIGEST_BYTES + 1;

/// The pictures of a workbook that are members of its file.
#[derive(Debug, Default)]
pub struct SheetPictures<'s> {
    /// Records with the group of all drawings, which continue each other.
    pieces: Vec<&'s [u8]>,
    /// The first pictures.
    all: Vec<ListedPicture>,
    /// Number of further ones.
    beyond: usize,
}

/// A picture.
#[derive(Debug)]
struct ListedPicture {
    /// Number in the list, from 1.
    number: usize,
    extension: &'static str,
    /// Place of its record.
    place: PiecePosition,
}

/// A place in the pieces.
#[derive(Clone, Copy, Debug, Default)]
struct PiecePosition {
    /// Index of the piece.
    index: usize,
    /// Offset in it.
    at: usize,
}

/// The header of a record.
struct ArtHeader {
    kind: u16,
    length: usize,
}

impl<'s> SheetPictures<'s> {
    /// Finds the pictures of a workbook.
    ///
    /// # Errors
    /// [`Failure::Encrypted`] if the workbook has a password; [`Failure::Malformed`] if the stream
    /// is none of a workbook.
    pub fn find(stream: &'s [u8]) -> Result<Self, EarlyStop> {
        if PartBegin::read(stream, 0).is_none() {
            return Err(EarlyStop::Failed(Failure::Malformed));
        }
        let mut found = Self::default();
        let mut all = BiffRecords::new(stream, 0);
        while let Some((id, data)) = all.next() {
            match id {
                records::PASSWORD => return Err(EarlyStop::Failed(Failure::Encrypted)),
                records::END => break,
                records::DRAWING_GROUP => {
                    found.add_piece(data);
                    for piece in all.continuations() {
                        found.add_piece(piece);
                    }
                }
                _ => {}
            }
        }
        found.read_list();
        Ok(found)
    }

    fn add_piece(&mut self, piece: &'s [u8]) {
        if self.pieces.len() < BIFF_PIECES && !piece.is_empty() {
            self.pieces.push(piece);
        }
    }

    /// Reads the list of pictures in the pieces. Returns `None` where it ends.
    fn read_list(&mut self) -> Option<()> {
        let mut place = PiecePosition::default();
        let group = self.header(&mut place)?;
        if group.kind != DRAWING_GROUP {
            return None;
        }
        let mut store = self.header(&mut place)?;
        while store.kind != STORE {
            place = self.skip(place, store.length)?;
            store = self.header(&mut place)?;
        }
        let mut remaining = store.length;
        for number in 1..=LISTED_PICTURES {
            let entry = self.header(&mut place)?;
            remaining = remaining.checked_sub(HEADER_BYTES + entry.length)?;
            if let Some((extension, place)) = self.entry(&entry, place) {
                if self.all.len() < MEMBERS {
                    self.all.push(ListedPicture {
                        number,
                        extension,
                        place,
                    });
                } else {
                    self.beyond += 1;
                }
            }
            place = self.skip(place, entry.length)?;
        }
        None
    }

    /// Returns the extension of the picture in an entry of the list, and the place of its record.
    fn entry(
        &self,
        entry: &ArtHeader,
        place: PiecePosition,
    ) -> Option<(&'static str, PiecePosition)> {
        if entry.kind != ENTRY {
            return None;
        }
        let head = self.bytes(place, ENTRY_BYTES);
        let extension = entry_extension(*head.first()?)?;
        let name_bytes = usize::from(*head.get(NAME_BYTES_AT)?);
        let own = ENTRY_BYTES + name_bytes;
        let place = self.skip(place, own)?;
        (entry.length > own).then_some((extension, place))
    }

    /// Reads the header at a place, which becomes that after it.
    fn header(&self, place: &mut PiecePosition) -> Option<ArtHeader> {
        let header = self.bytes(*place, HEADER_BYTES);
        *place = self.skip(*place, HEADER_BYTES)?;
        Some(ArtHeader {
            kind: u16_at(&header, 2),
            length: usize::try_from(u32_at(&header, 4)).ok()?,
        })
    }

    /// Returns the place `count` bytes after another, unless the pieces end before it.
    fn skip(&self, mut place: PiecePosition, mut count: usize) -> Option<PiecePosition> {
        loop {
            let piece = self.pieces.get(place.index)?;
            let left = piece.len() - place.at;
            if count < left {
                place.at += count;
                return Some(place);
            }
            count -= left;
            place = PiecePosition {
                index: place.index + 1,
                at: 0,
            };
            if count == 0 {
                return Some(place);
            }
        }
    }

    /// Returns the bytes from a place on, at most `most`.
    fn bytes(&self, mut place: PiecePosition, most: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.pieces.get(place.index)
            && bytes.len() < most
        {
            let rest = &piece[place.at..];
            bytes.extend(&rest[..rest.len().min(most - bytes.len())]);
            place = PiecePosition {
                index: place.index + 1,
                at: 0,
            };
        }
        bytes
    }

    /// Returns the names of the members and the numbers by which shapes refer to them.
    pub fn names(&self) -> impl Iterator<Item = (String, String)> {
        let all = self.all.iter();
        all.map(|picture| (picture.name(), picture.number.to_string()))
    }

    /// Gathers the pictures: `image3.png` is the third of the list.
    ///
    /// # Errors
    /// [`EarlyStop::Full`] if there is no room for them.
    pub fn gather(&self, members: &mut MemberGatherer<'_>) -> Result<(), EarlyStop> {
        for picture in &self.all {
            members.add(&picture.name(), None, |room| {
                let mut place = picture.place;
                let header = self.header(&mut place);
                let length = header.map_or(0, |header| header.length);
                let length = length.saturating_add(HEADER_BYTES);
                if length > room.saturating_add(OTHER_BYTES) {
                    return Err(EarlyStop::Failed(Failure::TooLarge));
                }
                let bytes = self.bytes(picture.place, length);
                let record = PptRecords::new(&bytes).next();
                copy_within(record.and_then(|record| picture_bytes(&record)), room)
            })?;
        }
        for _ in 0..self.beyond {
            members.omit();
        }
        Ok(())
    }
}

impl ListedPicture {
    fn name(&self) -> String {
        format!("image{}.{}", self.number, self.extension)
    }
}
