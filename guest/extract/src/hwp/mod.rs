//! Documents of Hangul in binary records (hwp 5): streams in an OLE container.
//!
//! Hancom's notice on its specification is in the module `hangul`.

mod control;
mod distribution;
mod doc_info;
mod paragraph;
mod records;

use flate2::read::DeflateDecoder;

use crate::failure::{EarlyStop, Failure};
use crate::hangul::HangulDocument;
use crate::limits::{Limits, SECTION_BYTES};
use crate::markdown::Markdown;
use crate::metered::read_metered;
use crate::ole::{Ole, OleId};
use paragraph::SectionRecords;
use records::RecordData;

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
}

/// Adds the text of a document to `text`.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: &[u8], limits: &Limits, text: &mut Markdown) -> Result<(), EarlyStop> {
    let mut file = HwpFile::open(content, limits)?;
    let mut document = HangulDocument::new(text);
    if let Some(id) = file.ole.child(Ole::ROOT, "DocInfo") {
        let stream = file.ole.stream(id)?;
        document.styles = doc_info::read(&file.unpack(stream)?);
    }
    let mut has_section = false;
    for id in file.sections() {
        let stream = file.section(id)?;
        has_section = true;
        SectionRecords::new(&mut document).read(&stream, text)?;
    }
    if !has_section {
        return Err(EarlyStop::Failed(Failure::Malformed));
    }
    document.finish(text)
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
            return Err(EarlyStop::Failed(Failure::Malformed));
        }
        let properties = RecordData(&header).u32(PROPERTIES_AT);
        if properties & ENCRYPTED != 0 {
            return Err(EarlyStop::Failed(Failure::Encrypted));
        }
        Ok(Self {
            ole,
            properties,
            remaining_bytes: limits.unpacked_bytes,
        })
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
        if self.properties & DISTRIBUTION == 0 {
            return self.unpack(stream);
        }
        let stream = distribution::decrypt(&stream).ok_or(EarlyStop::Failed(Failure::Malformed))?;
        self.unpack(stream)
    }

    /// Unpacks a stream.
    fn unpack(&mut self, stream: Vec<u8>) -> Result<Vec<u8>, EarlyStop> {
        if self.properties & COMPRESSED == 0 {
            return Ok(stream);
        }
        let source = DeflateDecoder::new(stream.as_slice());
        read_metered(source, &mut self.remaining_bytes, SECTION_BYTES)
    }
}
