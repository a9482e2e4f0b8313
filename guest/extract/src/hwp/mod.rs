//! Documents of Hangul in binary records (hwp 5): streams in an OLE container.
//!
//! Hancom's notice on its specification is in the module `hangul`.

mod control;
mod distribution;
mod doc_info;
mod paragraph;
mod pictures;
mod records;

use flate2::read::DeflateDecoder;

use crate::failure::{EarlyStop, Failure};
use crate::hangul::HangulDocument;
use crate::limits::{Limits, MEMBER_BYTES, SECTION_BYTES};
use crate::markdown::Markdown;
use crate::members::MemberGatherer;
use crate::metered::read_metered;
use crate::ole::{Ole, OleId};
use crate::pictures::PictureNames;
use paragraph::SectionRecords;
use pictures::{HwpPicture, HwpPictures};
use records::RecordData;

const MALFORMED: EarlyStop = EarlyStop::Failed(Failure::Malformed);
const TOO_LARGE: EarlyStop = EarlyStop::Failed(Failure::TooLarge);

/// Begin of the stream that describes the file.
const SIGNATURE: &[u8] = b"HWP Document File";

/// Offset of the properties in that stream.
const PROPERTIES_AT: usize = 36;

/// The streams are compressed.
const COMPRESSED: u32 = 1;

/// The document requires a password, the rights of an account, or a certificate.
const ENCRYPTED: u32 = 1 << 1 | 1 << 4 | 1 << 8;

/// The sections are those of a distribution document.
const DISTRIBUTION: u32 = 1 << 2;

/// A container that is being read.
struct HwpFile<'c> {
    ole: Ole<'c>,
    properties: u32,
    /// Bytes that may still be unpacked.
    remaining_bytes: u64,
    /// True if a stream ends early.
    is_damaged: bool,
}

/// Adds the text of a document to `text`.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: &[u8], limits: &Limits, text: &mut Markdown) -> Result<(), EarlyStop> {
    let is_damaged = read_file(content, limits, text)?;
    if is_damaged {
        // The note comes first, but damage is found last.
        text.clear();
        text.push_damage_note()?;
        let room = text.room();
        read_file(content, limits, text)?;
        if text.room() == room {
            return Err(MALFORMED);
        }
    }
    Ok(())
}

/// Adds the text of a document to `text`. Returns true if parts of it are damaged.
fn read_file(content: &[u8], limits: &Limits, text: &mut Markdown) -> Result<bool, EarlyStop> {
    let mut file = HwpFile::open(content, limits)?;
    let mut document = HangulDocument::new(text);
    let info = file.info()?;
    document.styles = doc_info::read(&info);
    let pictures = HwpPictures::find(&file.ole, &info);
    document.pictures = PictureNames::new(pictures.names());
    let mut has_section = false;
    for id in file.sections() {
        let stream = file.section(id)?;
        has_section = true;
        let mut section = SectionRecords::new(&mut document, &pictures);
        file.is_damaged |= section.read(&stream, text)?;
    }
    if !has_section {
        return Err(MALFORMED);
    }
    document.finish(text)?;
    Ok(file.is_damaged)
}

/// Gathers the pictures of a document by the names of their streams.
///
/// # Errors
/// [`EarlyStop`] if the document cannot be opened.
pub fn gather_pictures(
    content: &[u8],
    limits: &Limits,
    members: &mut MemberGatherer<'_>,
) -> Result<(), EarlyStop> {
    let mut file = HwpFile::open(content, limits)?;
    let info = file.info()?;
    for picture in HwpPictures::find(&file.ole, &info).all {
        members.add(&picture.name, None, |room| file.picture(&picture, room))?;
    }
    Ok(())
}

/// Returns the number of a section by the name of its stream: `Section0`.
fn section_number(name: &str) -> Option<u32> {
    name.strip_prefix("Section")?.parse().ok()
}

impl<'c> HwpFile<'c> {
    /// Opens a file, unless it is encrypted.
    fn open(content: &'c [u8], limits: &Limits) -> Result<Self, EarlyStop> {
        let mut ole = Ole::open(content)?;
        let header = match ole.child(Ole::ROOT, "FileHeader") {
            Some(id) => ole.stream(id)?,
            None => Vec::new(),
        };
        if !header.starts_with(SIGNATURE) {
            return Err(MALFORMED);
        }
        let properties = RecordData(&header).u32(PROPERTIES_AT);
        if properties & ENCRYPTED != 0 {
            return Err(EarlyStop::Failed(Failure::Encrypted));
        }
        Ok(Self {
            ole,
            properties,
            remaining_bytes: limits.unpacked_bytes,
            is_damaged: false,
        })
    }

    /// Returns the records of shapes, styles and lists.
    fn info(&mut self) -> Result<Vec<u8>, EarlyStop> {
        let Some(id) = self.ole.child(Ole::ROOT, "DocInfo") else {
            return Ok(Vec::new());
        };
        let stream = self.ole.stream(id)?;
        self.unpack(stream)
    }

    /// Returns the bytes of a picture, at most `room`.
    fn picture(&mut self, picture: &HwpPicture, room: usize) -> Result<Vec<u8>, EarlyStop> {
        let is_packed = picture
            .is_packed
            .unwrap_or(self.properties & COMPRESSED != 0);
        if !is_packed && self.ole.length(picture.stream) > room {
            return Err(TOO_LARGE);
        }
        let stream = self.ole.stream(picture.stream)?;
        if self.ole.is_cut(picture.stream, stream.len()) {
            return Err(MALFORMED);
        }
        if !is_packed {
            return Ok(stream);
        }
        let source = DeflateDecoder::new(stream.as_slice());
        let mut bytes = Vec::new();
        read_metered(source, &mut self.remaining_bytes, MEMBER_BYTES, &mut bytes)?;
        if bytes.len() > room {
            return Err(TOO_LARGE);
        }
        Ok(bytes)
    }

    /// Returns the streams of the sections in the order of the text.
    fn sections(&self) -> Vec<OleId> {
        let name = if self.properties & DISTRIBUTION == 0 {
            "BodyText"
        } else {
            "ViewText"
        };
        let Some(storage) = self.ole.child(Ole::ROOT, name) else {
            return Vec::new();
        };
        let ids = self.ole.children(storage).into_iter();
        let mut sections: Vec<(u32, OleId)> = ids
            .filter_map(|id| Some((section_number(self.ole.name(id))?, id)))
            .collect();
        sections.sort_by_key(|(number, _)| *number);
        sections.into_iter().map(|(_, id)| id).collect()
    }

    /// Returns the records of a section.
    fn section(&mut self, id: OleId) -> Result<Vec<u8>, EarlyStop> {
        let stream = self.ole.stream(id)?;
        self.is_damaged |= self.ole.is_cut(id, stream.len());
        if self.properties & DISTRIBUTION == 0 {
            return self.unpack(stream);
        }
        let stream = distribution::decrypt(&stream).ok_or(MALFORMED)?;
        self.unpack(stream)
    }

    /// Unpacks a stream.
    fn unpack(&mut self, stream: Vec<u8>) -> Result<Vec<u8>, EarlyStop> {
        if self.properties & COMPRESSED == 0 {
            return Ok(stream);
        }
        let source = DeflateDecoder::new(stream.as_slice());
        let mut bytes = Vec::new();
        let read = read_metered(source, &mut self.remaining_bytes, SECTION_BYTES, &mut bytes);
        match read {
            // A stream that is cut or changed has the records before the damage.
            Err(MALFORMED) => self.is_damaged = true,
            read => read?,
        }
        Ok(bytes)
    }
}
