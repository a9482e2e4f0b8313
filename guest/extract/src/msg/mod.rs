//! Messages of Outlook (msg): an OLE container with a stream for each property (MS-OXMSG).

mod compressed_rtf;
mod properties;
mod time;

use std::collections::BTreeSet;

use crate::encoding::{decode, decode_page};
use crate::failure::{EarlyStop, Failure};
use crate::limits::{Limits, MSG_ENTRIES, MSG_ITEMS};
use crate::mail::iso_date;
use crate::mail::layout::{self, Attachment};
use crate::markdown::Markdown;
use crate::members::MemberGatherer;
use crate::mime::{MailField, MailHeader, decode_words};
use crate::ole::{Ole, OleId};
use crate::rtf;
use compressed_rtf::unpack_rtf;
use properties::{MsgCodePage, PropertyStorage};
use time::iso_file_time;

/// Name of the stream with the properties of fixed size, which every message has.
pub const MSG_PROPERTIES: &str = "__properties_version1.0";

const RECIPIENT: &str = "__recip_version1.0_";
const ATTACHMENT: &str = "__attach_version1.0_";

/// Bytes before the properties in the stream of a message, of a message within it, and of a
/// recipient or attachment.
const MESSAGE_HEADER: usize = 32;
const INNER_HEADER: usize = 24;
const ITEM_HEADER: usize = 8;

// The numbers of properties (MS-OXPROPS).
const SUBJECT: u16 = 0x0037;
const SENT_BY: [u16; 3] = [0x0042, 0x5D02, 0x0065];
const SENDER: [u16; 3] = [0x0C1A, 0x5D01, 0x0C1F];
const RECIPIENT_NAMES: [u16; 3] = [0x3001, 0x39FE, 0x3003];
const RECIPIENT_KIND: u16 = 0x0C15;
const TRANSPORT_HEADERS: u16 = 0x007D;
const SUBMIT_TIME: u16 = 0x0039;
const DELIVERY_TIME: u16 = 0x0E06;
const BODY: u16 = 0x1000;
const BODY_HTML: u16 = 0x1013;
const BODY_RTF: u16 = 0x1009;
const INTERNET_CODE_PAGE: u16 = 0x3FDE;
const ATTACHMENT_NAMES: [u16; 3] = [0x3707, 0x3704, 0x3001];
const ATTACHMENT_MEDIA: u16 = 0x370E;
const ATTACHMENT_SIZE: u16 = 0x0E20;
const ATTACHMENT_DATA: u16 = 0x3701;

/// The kinds of recipients, with the properties that list them for display.
const RECIPIENT_KINDS: [(&str, u32, u16); 3] =
    [("To", 1, 0x0E04), ("Cc", 2, 0x0E03), ("Bcc", 3, 0x0E02)];

/// A reader of one message.
struct MsgReader<'c> {
    ole: Ole<'c>,
    message: PropertyStorage,
    code_page: MsgCodePage,
    /// Entries of storages that may still be visited.
    remaining_entries: usize,
    /// Number of recipients and attachments that are too many.
    omitted_items: usize,
}

/// Adds the text of a message to `text`.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: &[u8], limits: &Limits, text: &mut Markdown) -> Result<(), EarlyStop> {
    let (mut reader, entries) = MsgReader::open_message(content)?;
    reader.write(&entries, limits, text)
}

/// Gathers the attachments of a message that are files. An attached message of Outlook is no file,
/// and is counted.
pub fn gather_attachments(
    content: &[u8],
    members: &mut MemberGatherer<'_>,
) -> Result<(), EarlyStop> {
    let (mut reader, entries) = MsgReader::open_message(content)?;
    for id in reader.items(&entries, ATTACHMENT) {
        let Some(properties) = reader.open(id, ITEM_HEADER)? else {
            break;
        };
        let Some(length) = properties.bytes_length(&reader.ole, ATTACHMENT_DATA) else {
            members.omit();
            continue;
        };
        let name = reader.attachment_name(&properties)?;
        members.add(&name, Some(length as u64), |room| {
            if length > room {
                return Err(EarlyStop::Full);
            }
            let bytes = properties.bytes(&mut reader.ole, ATTACHMENT_DATA)?;
            bytes.ok_or(EarlyStop::Failed(Failure::Malformed))
        })?;
    }
    Ok(())
}

/// Returns true if a message has attachments, or cannot be read.
pub fn has_attachments(content: &[u8]) -> bool {
    match MsgReader::open_message(content) {
        Ok((mut reader, entries)) => !reader.items(&entries, ATTACHMENT).is_empty(),
        Err(_) => true,
    }
}

/// The number of elements of a kind that the text omits, and the names of one and of several.
type OmissionCount = (usize, &'static str, &'static str);

/// Adds a page below a heading of this level.
fn write_page(page: &str, level: u8, text: &mut Markdown) -> Result<Vec<OmissionCount>, EarlyStop> {
    let omitted = layout::write_page(page, level, text)?;
    Ok(vec![
        (omitted.hidden, "hidden element", "hidden elements"),
        (omitted.pictures, "picture", "pictures"),
    ])
}

impl<'c> MsgReader<'c> {
    /// Opens a message, and returns the entries of its container as well.
    fn open_message(content: &'c [u8]) -> Result<(Self, Vec<OleId>), EarlyStop> {
        let mut ole = Ole::open(content)?;
        let entries = ole.children(Ole::ROOT);
        if !entries.iter().any(|id| ole.name(*id) == MSG_PROPERTIES) {
            return Err(EarlyStop::Failed(Failure::Malformed));
        }
        let message = PropertyStorage::read(&mut ole, &entries, MESSAGE_HEADER)?;
        let code_page = message.code_page();
        let reader = Self {
            ole,
            message,
            code_page,
            remaining_entries: MSG_ENTRIES,
            omitted_items: 0,
        };
        Ok((reader, entries))
    }
}

impl MsgReader<'_> {
    /// Returns the first name that an attachment has.
    fn attachment_name(&mut self, properties: &PropertyStorage) -> Result<String, EarlyStop> {
        for name in ATTACHMENT_NAMES {
            let name = properties.text(&mut self.ole, name, self.code_page)?;
            let name = name.unwrap_or_default();
            if !name.trim().is_empty() {
                return Ok(name);
            }
        }
        Ok(String::new())
    }

    fn write(
        &mut self,
        entries: &[OleId],
        limits: &Limits,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        let subject = self.text(SUBJECT)?;
        let level = layout::write_subject(&subject, None, text)?;
        let mut fields = vec![("From", self.sender()?)];
        fields.extend(self.recipients(entries)?);
        fields.push(("Date", self.date()?));
        layout::write_fields(&fields, text)?;
        let omitted = self.write_body(level, limits, text)?;
        let attachments = self.attachments(entries)?;
        layout::write_attachments(&attachments, level + 1, text)?;
        let mut notes = vec![(
            self.omitted_items,
            "recipient or attachment",
            "recipients and attachments",
        )];
        notes.extend(omitted);
        text.push_omission_note(&notes)
    }

    /// Returns a text of the message; empty if it has none.
    fn text(&mut self, id: u16) -> Result<String, EarlyStop> {
        let text = self.message.text(&mut self.ole, id, self.code_page)?;
        Ok(text.unwrap_or_default())
    }

    /// Returns the sender.
    fn sender(&mut self) -> Result<String, EarlyStop> {
        let sender = self
            .message
            .mailbox(&mut self.ole, SENT_BY, self.code_page)?;
        if sender.is_empty() {
            return self.message.mailbox(&mut self.ole, SENDER, self.code_page);
        }
        Ok(sender)
    }

    /// Returns the recipients by their kinds.
    fn recipients(&mut self, entries: &[OleId]) -> Result<Vec<(&'static str, String)>, EarlyStop> {
        let mut found: [Vec<String>; RECIPIENT_KINDS.len()] = Default::default();
        for id in self.items(entries, RECIPIENT) {
            let Some(recipient) = self.open(id, ITEM_HEADER)? else {
                break;
            };
            let kind = recipient.number(RECIPIENT_KIND).unwrap_or(1) & 0xF;
            let mailbox = recipient.mailbox(&mut self.ole, RECIPIENT_NAMES, self.code_page)?;
            let place = RECIPIENT_KINDS
                .iter()
                .position(|(_, number, _)| *number == kind);
            if let Some(list) = place.and_then(|place| found.get_mut(place))
                && !mailbox.is_empty()
            {
                list.push(mailbox);
            }
        }
        let mut fields = Vec::new();
        for ((name, _, display), list) in RECIPIENT_KINDS.into_iter().zip(found) {
            let value = if list.is_empty() {
                self.text(display)?
            } else {
                list.join(", ")
            };
            fields.push((name, value));
        }
        Ok(fields)
    }

    /// Returns the date: that of the header with which the message arrived, since only that has the
    /// sender's time zone.
    fn date(&mut self) -> Result<String, EarlyStop> {
        let headers = self.text(TRANSPORT_HEADERS)?;
        let (header, _) = MailHeader::read(headers.as_bytes());
        let date = header.first(MailField::Date).unwrap_or_default();
        if let Some(date) = iso_date(&decode_words(date, None)) {
            return Ok(date);
        }
        let time = self.message.time(SUBMIT_TIME);
        let time = time.or_else(|| self.message.time(DELIVERY_TIME));
        Ok(time.and_then(iso_file_time).unwrap_or_default())
    }

    /// Adds the text of the message: the plain text, or else the page, or else the text in RTF.
    /// Returns the numbers of elements that it omits.
    fn write_body(
        &mut self,
        level: u8,
        limits: &Limits,
        text: &mut Markdown,
    ) -> Result<Vec<OmissionCount>, EarlyStop> {
        let plain = self.text(BODY)?;
        if !plain.trim().is_empty() {
            layout::write_plain(&plain, false, text)?;
            return Ok(Vec::new());
        }
        let page = match self.message.bytes(&mut self.ole, BODY_HTML)? {
            Some(bytes) => {
                let number = self.message.number(INTERNET_CODE_PAGE);
                let encoding = number.and_then(crate::encoding::from_code_page);
                match encoding {
                    Some(encoding) => decode(&bytes, Some(encoding.name())).into_owned(),
                    None => decode_page(&bytes).into_owned(),
                }
            }
            None => self.text(BODY_HTML)?,
        };
        if page.trim().is_empty() {
            return self.write_rtf(level, limits, text);
        }
        write_page(&page, level, text)
    }

    /// Adds the text in RTF, if there is one: the page that it holds, or its own text.
    fn write_rtf(
        &mut self,
        level: u8,
        limits: &Limits,
        text: &mut Markdown,
    ) -> Result<Vec<OmissionCount>, EarlyStop> {
        let Some(packed) = self.message.bytes(&mut self.ole, BODY_RTF)? else {
            return Ok(Vec::new());
        };
        let unpacked = unpack_rtf(&packed, limits.unpacked_bytes)?;
        let Some(unpacked) = unpacked.filter(|unpacked| rtf::is_rtf(&unpacked.bytes)) else {
            return Ok(vec![(1, "text in RTF", "texts in RTF")]);
        };
        if !unpacked.is_whole {
            text.push_damage_note()?;
        }
        match rtf::page::encapsulated_page(&unpacked.bytes, limits.unpacked_bytes)? {
            Some(page) => write_page(&page, level, text),
            None => Ok(rtf::write(&unpacked.bytes, text)?.notes().to_vec()),
        }
    }

    fn attachments(&mut self, entries: &[OleId]) -> Result<Vec<Attachment>, EarlyStop> {
        let mut attachments = Vec::new();
        for id in self.items(entries, ATTACHMENT) {
            let Some(properties) = self.open(id, ITEM_HEADER)? else {
                break;
            };
            let mut attachment = Attachment {
                name: self.attachment_name(&properties)?,
                ..Attachment::default()
            };
            let media = properties.text(&mut self.ole, ATTACHMENT_MEDIA, self.code_page)?;
            attachment.media = media.unwrap_or_default();
            let data = properties.bytes_length(&self.ole, ATTACHMENT_DATA);
            let claimed = properties.number(ATTACHMENT_SIZE);
            attachment.size = data.or_else(|| usize::try_from(claimed?).ok());
            if let Some(inner) = properties.object(ATTACHMENT_DATA)
                && let Some(message) = self.open(inner, INNER_HEADER)?
            {
                let subject = message.text(&mut self.ole, SUBJECT, self.code_page)?;
                attachment.subject = subject.unwrap_or_default();
                attachment.media = "message/rfc822".to_owned();
                // The name of an attached message is its subject.
                if attachment.name == attachment.subject {
                    attachment.name.clear();
                }
            }
            attachments.push(attachment);
        }
        Ok(attachments)
    }

    /// Returns the storages whose names begin with `prefix`, in the order of their numbers.
    fn items(&mut self, entries: &[OleId], prefix: &str) -> Vec<OleId> {
        let ole = &self.ole;
        let named: BTreeSet<(&str, usize)> = entries
            .iter()
            .enumerate()
            .map(|(index, id)| (ole.name(*id), index))
            .filter(|(name, _)| name.starts_with(prefix))
            .collect();
        self.omitted_items += named.len().saturating_sub(MSG_ITEMS);
        let indexes = named.into_iter().take(MSG_ITEMS).map(|(_, index)| index);
        indexes
            .filter_map(|index| entries.get(index).copied())
            .collect()
    }

    /// Returns the properties of a storage, unless too many entries have been visited.
    fn open(&mut self, id: OleId, header: usize) -> Result<Option<PropertyStorage>, EarlyStop> {
        if self.remaining_entries == 0 {
            self.omitted_items += 1;
            return Ok(None);
        }
        let entries = self.ole.children(id);
        self.remaining_entries = self.remaining_entries.saturating_sub(entries.len().max(1));
        PropertyStorage::read(&mut self.ole, &entries, header).map(Some)
    }
}
