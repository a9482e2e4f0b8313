//! One message as Markdown: its subject, the fields that a reader needs, its text, and its
//! attachments by name.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::encoding;
use crate::failure::EarlyStop;
use crate::html::Omissions;
use crate::limits::FIELD_BYTES;
use crate::markdown::Markdown;
use crate::mime::{
    FieldParameters, MailField, MailHeader, MimePart, MimeParts, TransferEncoding, decode_text,
    decode_words,
};

use super::date::iso_date;
use super::layout::{self, Attachment, BLANK_BYTES};

/// Bytes of a part that are examined for words.
const EXAMINED_BYTES: usize = 4096;

/// Bytes of a page that are read for each byte of room; a page has more tags than words.
const PAGE_BYTES_PER_ROOM: usize = 4;

/// A writer of messages, which counts what it leaves out.
#[derive(Debug, Default)]
pub struct MessageWriter {
    omitted_parts: usize,
    /// Elements of pages.
    omitted: Omissions,
}

/// The text of a part, or of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextKind {
    Plain,
    Html,
}

impl MessageWriter {
    /// Adds a message, which has a number if it is one of several.
    pub fn write(
        &mut self,
        content: &[u8],
        number: Option<usize>,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        let (header, start) = MailHeader::read(content);
        let all = MimeParts::read(content, header.clone(), start);
        self.omitted_parts += all.beyond;
        let label = known_label(&all.parts);
        let label = label.as_deref();
        let subject = field_text(header.first(MailField::Subject), label);
        let level = layout::write_subject(&subject, number, text)?;
        layout::write_fields(&shown_fields(&header, label), text)?;
        let with_plain = groups_with_plain(&all.parts);
        let mut attachments = Vec::new();
        for part in &all.parts {
            let shown = shown_kind(part, all.parts.len() == 1, &with_plain);
            if let Some(kind) = shown {
                self.write_text(part, kind, level, label, text)?;
            }
            if is_listed(part, shown) {
                attachments.push(attachment(part, label));
            }
        }
        layout::write_attachments(&attachments, level + 1, text)
    }

    /// Adds the text of a part.
    fn write_text(
        &mut self,
        part: &MimePart<'_>,
        kind: TextKind,
        level: u8,
        label: Option<&str>,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        let limit = match kind {
            TextKind::Plain => text.room(),
            TextKind::Html => text.room().saturating_mul(PAGE_BYTES_PER_ROOM),
        };
        let limit = limit.saturating_add(BLANK_BYTES);
        let (bytes, is_whole) = transfer(part).decode(part.body, limit);
        let mut own = part.media.token("charset");
        let is_known = own.as_deref().and_then(encoding::from_label).is_some();
        if kind == TextKind::Html && !is_known {
            own = encoding::page_label(&bytes).or(own);
        }
        let words = decode_text(&bytes, own.as_deref().or(label));
        match kind {
            TextKind::Plain => {
                let format = part.media.token("format").unwrap_or_default();
                layout::write_plain(&words, format.eq_ignore_ascii_case("flowed"), text)?;
            }
            TextKind::Html => self.omitted.add(layout::write_page(&words, level, text)?),
        }
        if is_whole {
            Ok(())
        } else {
            Err(EarlyStop::Full)
        }
    }

    /// Adds a sentence with the numbers of the elements, of the parts and of the messages,
    /// `beyond`, that are left out.
    pub fn write_omissions(&self, beyond: usize, text: &mut Markdown) -> Result<(), EarlyStop> {
        let Omissions { hidden, pictures } = self.omitted;
        text.push_omission_note(&[
            (beyond, "message", "messages"),
            (self.omitted_parts, "part of a message", "parts of messages"),
            (hidden, "hidden element", "hidden elements"),
            (pictures, "picture", "pictures"),
        ])
    }
}

/// A part of a message that is listed as an attachment.
#[derive(Clone, Debug)]
pub struct AttachedPart<'c> {
    part: MimePart<'c>,
    /// Label of the encoding of names.
    label: Option<String>,
}

impl AttachedPart<'_> {
    /// Returns its bytes, at most about `limit`, and true if they are all.
    pub fn decode(&self, limit: usize) -> (Cow<'_, [u8]>, bool) {
        transfer(&self.part).decode(self.part.body, limit)
    }

    /// Returns its file name, or one by its number among the attachments.
    pub fn file_name(&self, number: usize) -> String {
        file_name(&self.part, self.label.as_deref()).unwrap_or_else(|| {
            let media = self.part.media.value.as_str();
            let extension = match media {
                "message/rfc822" | "message/global" => "eml",
                "text/html" => "html",
                "text/calendar" => "ics",
                "image/jpeg" => "jpg",
                _ if media.starts_with("text/") => "txt",
                _ => media.rsplit('/').next().unwrap_or_default(),
            };
            let is_plain =
                extension.len() < 6 && extension.bytes().all(|b| b.is_ascii_alphanumeric());
            match is_plain {
                true => format!("attachment {number}.{extension}"),
                false => format!("attachment {number}"),
            }
        })
    }
}

/// Returns the attachments of a message, as its text lists them, and the number of further parts,
/// which are too many to tell.
pub fn message_attachments(content: &[u8]) -> (Vec<AttachedPart<'_>>, usize) {
    let (header, start) = MailHeader::read(content);
    let all = MimeParts::read(content, header, start);
    let label = known_label(&all.parts);
    let with_plain = groups_with_plain(&all.parts);
    let is_only = all.parts.len() == 1;
    let attached = all.parts.into_iter().filter(|part| {
        let shown = shown_kind(part, is_only, &with_plain);
        is_listed(part, shown)
    });
    let attached = attached.map(|part| AttachedPart {
        part,
        label: label.clone(),
    });
    (attached.collect(), all.beyond)
}

/// Returns the first label of an encoding among parts.
fn known_label(parts: &[MimePart<'_>]) -> Option<String> {
    let mut labels = parts.iter().filter_map(|part| part.media.token("charset"));
    labels.find(|label| encoding::from_label(label).is_some())
}

/// Returns the sender, the recipients and the date of a message, with their names.
fn shown_fields(header: &MailHeader<'_>, label: Option<&str>) -> Vec<(&'static str, String)> {
    let sender = match header.first(MailField::From) {
        Some(_) => MailField::From,
        None => MailField::Sender,
    };
    let mut fields = Vec::new();
    for (name, field) in [
        ("From", sender),
        ("To", MailField::To),
        ("Cc", MailField::Cc),
        ("Bcc", MailField::Bcc),
    ] {
        let values = header
            .all(field)
            .map(|value| addresses(&field_text(Some(value), label)));
        let values: Vec<String> = values.filter(|value| !value.is_empty()).collect();
        fields.push((name, values.join(", ")));
    }
    let date = field_text(header.first(MailField::Date), label);
    fields.push(("Date", iso_date(&date).unwrap_or(date)));
    fields
}

/// Returns the text of a field; empty if there is no field.
fn field_text(value: Option<&[u8]>, label: Option<&str>) -> String {
    let value = value.unwrap_or_default();
    decode_words(&value[..value.len().min(FIELD_BYTES)], label)
}

/// Returns a list of addresses without the quotes round names that do not need them.
fn addresses(list: &str) -> String {
    let mut all = String::with_capacity(list.len());
    let mut rest = list;
    while let Some(start) = rest.find('"') {
        all.push_str(&rest[..start]);
        rest = &rest[start + 1..];
        let (name, length) = quoted_name(rest);
        // In a name such as `"Hong, Gildong"` the comma does not separate addresses.
        let is_needed = name.contains([',', ';']) || length > rest.len();
        if is_needed {
            all.push('"');
        }
        all.push_str(&name);
        if is_needed && length <= rest.len() {
            all.push('"');
        }
        rest = &rest[length.min(rest.len())..];
    }
    all.push_str(rest);
    all
}

/// Returns the text up to the next quote without the backslashes before quotes, and its length with
/// the quote, which is longer than `rest` if there is none.
fn quoted_name(rest: &str) -> (String, usize) {
    let mut name = String::new();
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match (c, chars.peek()) {
            ('"', _) => return (name, at + 1),
            ('\\', Some((_, escaped @ ('"' | '\\')))) => {
                name.push(*escaped);
                chars.next();
            }
            _ => name.push(c),
        }
    }
    (name, rest.len() + 1)
}

/// Returns the groups of alternatives of which one has words as plain text.
fn groups_with_plain(parts: &[MimePart<'_>]) -> BTreeSet<usize> {
    let mut groups = BTreeSet::new();
    for part in parts {
        if let Some(group) = part.alternatives
            && !groups.contains(&group)
            && text_kind(part) == Some(TextKind::Plain)
            && has_words(part)
        {
            groups.insert(group);
        }
    }
    groups
}

fn has_words(part: &MimePart<'_>) -> bool {
    let (bytes, _) = transfer(part).decode(part.body, EXAMINED_BYTES);
    !bytes.trim_ascii().is_empty()
}

/// Returns the kind of text that a part is, or none if it is an attachment.
fn text_kind(part: &MimePart<'_>) -> Option<TextKind> {
    if disposition(part).value == "attachment" {
        return None;
    }
    match part.media.value.as_str() {
        "text/plain" | "text" | "text/markdown" | "text/enriched" => Some(TextKind::Plain),
        "text/html" | "application/xhtml+xml" => Some(TextKind::Html),
        _ => None,
    }
}

/// Returns the kind of text of a part that is shown: of alternatives the plain text, or else the
/// page.
fn shown_kind(
    part: &MimePart<'_>,
    is_only: bool,
    with_plain: &BTreeSet<usize>,
) -> Option<TextKind> {
    let kind = text_kind(part);
    match (kind, part.alternatives) {
        (Some(kind), Some(group)) => {
            let is_chosen = (kind == TextKind::Plain) == with_plain.contains(&group);
            is_chosen.then_some(kind)
        }
        (Some(kind), None) => Some(kind),
        (None, _) => {
            // Without parts a text of any kind is the text of the message.
            let is_text = part.media.value.starts_with("text/");
            let is_attached = disposition(part).value == "attachment";
            (is_only && is_text && !is_attached).then_some(TextKind::Plain)
        }
    }
}

/// Returns true if a part is listed as an attachment: everything that is not text, and text that
/// has a name.
fn is_listed(part: &MimePart<'_>, shown: Option<TextKind>) -> bool {
    let is_alternative = shown.is_none() && text_kind(part).is_some();
    let is_text = shown.is_some() || is_alternative;
    !is_text || file_name(part, None).is_some()
}

fn transfer(part: &MimePart<'_>) -> TransferEncoding {
    let field = part.header.first(MailField::ContentTransferEncoding);
    TransferEncoding::from_field(field).checked_against(part.body)
}

fn disposition(part: &MimePart<'_>) -> FieldParameters {
    let field = part.header.first(MailField::ContentDisposition);
    FieldParameters::read(field.unwrap_or_default())
}

fn file_name(part: &MimePart<'_>, label: Option<&str>) -> Option<String> {
    let name = disposition(part).text("filename", label);
    let name = name.or_else(|| part.media.text("name", label))?;
    Some(name).filter(|name| !name.trim().is_empty())
}

/// Returns the description of a part that is not shown.
fn attachment(part: &MimePart<'_>, label: Option<&str>) -> Attachment {
    let is_message = matches!(
        part.media.value.as_str(),
        "message/rfc822" | "message/global"
    );
    Attachment {
        name: file_name(part, label).unwrap_or_default(),
        media: part.media.value.clone(),
        size: Some(transfer(part).length(part.body)),
        subject: if is_message {
            attached_subject(part, label)
        } else {
            String::new()
        },
    }
}

/// Returns the subject of an attached message.
fn attached_subject(part: &MimePart<'_>, label: Option<&str>) -> String {
    let (content, _) = transfer(part).decode(part.body, FIELD_BYTES);
    let (header, _) = MailHeader::read(&content);
    field_text(header.first(MailField::Subject), label)
}
