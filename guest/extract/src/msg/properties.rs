//! Properties of a message, of a recipient or of an attachment.

use std::collections::BTreeMap;

use encoding_rs::{Encoding, UTF_16LE};

use crate::encoding::{decode, decode_as, from_code_page, locale_code_page};
use crate::failure::EarlyStop;
use crate::ole::{Ole, OleId};

use super::MSG_PROPERTIES;

/// Beginning of the name of a stream with a property, before its number and type.
const PROPERTY: &str = "__substg1.0_";

/// Bytes of a property in the stream of those with a fixed size.
const FIXED_BYTES: usize = 16;

// Types of properties.
const NUMBER: u16 = 0x0003;
const OBJECT: u16 = 0x000D;
const TEXT_8: u16 = 0x001E;
const TEXT_16: u16 = 0x001F;
const TIME: u16 = 0x0040;
const BINARY: u16 = 0x0102;

// Numbers of the properties that tell the encoding of text.
const MESSAGE_CODE_PAGE: u16 = 0x3FFD;
const INTERNET_CODE_PAGE: u16 = 0x3FDE;
const LOCALE: u16 = 0x3FF1;

/// The encoding of texts that are not in UTF-16, if it is known.
pub type MsgCodePage = Option<&'static Encoding>;

/// The properties of a storage.
#[derive(Debug)]
pub struct PropertyStorage {
    /// Streams and storages by the numbers and types of properties.
    streams: BTreeMap<(u16, u16), OleId>,
    /// Properties of fixed size.
    fixed: Vec<u8>,
}

impl PropertyStorage {
    /// Reads the properties among the entries of a storage; those of fixed size follow a header.
    pub fn read(ole: &mut Ole<'_>, entries: &[OleId], header: usize) -> Result<Self, EarlyStop> {
        let mut streams = BTreeMap::new();
        let mut fixed = Vec::new();
        for id in entries {
            let name = ole.name(*id);
            if name == MSG_PROPERTIES {
                fixed = ole.stream(*id)?;
                fixed.drain(..header.min(fixed.len()));
            } else if let Some(tag) = name.strip_prefix(PROPERTY).and_then(tag) {
                streams.insert(tag, *id);
            }
        }
        Ok(Self { streams, fixed })
    }

    /// Returns the encoding of texts.
    pub fn code_page(&self) -> MsgCodePage {
        let page = |id| self.number(id).and_then(from_code_page);
        page(MESSAGE_CODE_PAGE)
            .or_else(|| {
                self.number(LOCALE)
                    .map(locale_code_page)
                    .and_then(from_code_page)
            })
            .or_else(|| page(INTERNET_CODE_PAGE))
    }

    /// Returns a number.
    pub fn number(&self, id: u16) -> Option<u32> {
        let value = self.fixed_value(id, NUMBER)?;
        Some(u32::from_le_bytes(*value.first_chunk()?))
    }

    /// Returns a time, in tenths of microseconds since the year 1601.
    pub fn time(&self, id: u16) -> Option<u64> {
        let value = self.fixed_value(id, TIME)?;
        Some(u64::from_le_bytes(*value.first_chunk()?))
    }

    /// Returns the bytes of a value of fixed size.
    fn fixed_value(&self, id: u16, kind: u16) -> Option<&[u8]> {
        let [kind_low, kind_high] = kind.to_le_bytes();
        let [id_low, id_high] = id.to_le_bytes();
        let tag = [kind_low, kind_high, id_low, id_high];
        let mut all = self.fixed.chunks_exact(FIXED_BYTES);
        all.find(|property| property.starts_with(&tag))?.get(8..)
    }

    /// Returns a text without its end mark.
    pub fn text(
        &self,
        ole: &mut Ole<'_>,
        id: u16,
        code_page: MsgCodePage,
    ) -> Result<Option<String>, EarlyStop> {
        let text = if let Some(stream) = self.streams.get(&(id, TEXT_16)) {
            decode_as(UTF_16LE, &ole.stream(*stream)?).into_owned()
        } else if let Some(stream) = self.streams.get(&(id, TEXT_8)) {
            let label = code_page.map(Encoding::name);
            decode(&ole.stream(*stream)?, label).into_owned()
        } else {
            return Ok(None);
        };
        Ok(Some(text.trim_end_matches('\0').to_owned()))
    }

    /// Returns bytes.
    pub fn bytes(&self, ole: &mut Ole<'_>, id: u16) -> Result<Option<Vec<u8>>, EarlyStop> {
        let stream = self.streams.get(&(id, BINARY));
        stream.map(|stream| ole.stream(*stream)).transpose()
    }

    /// Returns the number of bytes that [`PropertyStorage::bytes`] would return in an undamaged
    /// file.
    pub fn bytes_length(&self, ole: &Ole<'_>, id: u16) -> Option<usize> {
        let stream = self.streams.get(&(id, BINARY))?;
        Some(ole.length(*stream))
    }

    /// Returns the storage of an object, such as an attached message.
    pub fn object(&self, id: u16) -> Option<OleId> {
        self.streams.get(&(id, OBJECT)).copied()
    }

    /// Returns a person from the properties of the name, the Internet address, and the address in
    /// whatever system.
    pub fn mailbox(
        &self,
        ole: &mut Ole<'_>,
        [name, internet, other]: [u16; 3],
        code_page: MsgCodePage,
    ) -> Result<String, EarlyStop> {
        let mut text = |id| {
            let text = self.text(ole, id, code_page)?;
            Ok(text.unwrap_or_default().trim().to_owned())
        };
        let name = text(name)?;
        let mut address = text(internet)?;
        if address.is_empty() {
            // The addresses within Exchange are paths in a directory, which nobody reads.
            address = Some(text(other)?)
                .filter(|address| address.contains('@'))
                .unwrap_or_default();
        }
        Ok(match (name.as_str(), address.as_str()) {
            (name, "") => name.to_owned(),
            ("", address) => address.to_owned(),
            (name, address) if name.contains(address) => name.to_owned(),
            (name, address) => format!("{name} <{address}>"),
        })
    }
}

/// Returns the number and the type of a property from eight hexadecimal digits.
fn tag(digits: &str) -> Option<(u16, u16)> {
    let (id, kind) = digits.split_at_checked(4)?;
    let number = |digits: &str| u16::from_str_radix(digits, 16).ok();
    Some((number(id)?, number(kind)?))
}
