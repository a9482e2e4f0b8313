//! Headers: the fields of a message, or of a part of it, as bytes.

use crate::limits::HEADER_FIELDS;

/// A field that readers need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailField {
    Subject,
    From,
    Sender,
    To,
    Cc,
    Bcc,
    Date,
    ContentType,
    ContentDisposition,
    ContentTransferEncoding,
}

/// The fields that are kept, by their names in lower case.
const KEPT_FIELDS: [(&str, MailField); 10] = [
    ("subject", MailField::Subject),
    ("from", MailField::From),
    ("sender", MailField::Sender),
    ("to", MailField::To),
    ("cc", MailField::Cc),
    ("bcc", MailField::Bcc),
    ("date", MailField::Date),
    ("content-type", MailField::ContentType),
    ("content-disposition", MailField::ContentDisposition),
    (
        "content-transfer-encoding",
        MailField::ContentTransferEncoding,
    ),
];

/// Further fields of messages, by which a header is recognised.
const OTHER_FIELDS: [&str; 16] = [
    "authentication-results",
    "arc-seal",
    "delivered-to",
    "dkim-signature",
    "envelope-to",
    "in-reply-to",
    "list-id",
    "message-id",
    "mime-version",
    "received",
    "received-spf",
    "references",
    "reply-to",
    "return-path",
    "x-mailer",
    "x-received",
];

/// Maximum lines of a field behind its first one that lost their indentation. Only long fields have
/// several, such as traces and signatures, which readers do not need.
const LOST_LINES: usize = 16;

/// The fields of a header that readers need, in order, each with its raw value: folded, encoded,
/// and in any character encoding.
#[derive(Clone, Debug, Default)]
pub struct MailHeader<'c> {
    fields: Vec<(MailField, &'c [u8])>,
}

impl<'c> MailHeader<'c> {
    /// Reads the header at the beginning of `content`, and returns it with its length, which
    /// includes the empty line behind it.
    pub fn read(content: &'c [u8]) -> (Self, usize) {
        let mut header = Self::default();
        // The field that continues on the next line, with the start of its value.
        let mut open: Option<(MailField, usize)> = None;
        let mut at = 0;
        let mut is_first = true;
        let mut lookahead = 1;
        while at < content.len() {
            let end = line_end(content, at);
            let line = trim_line_end(&content[at..end]);
            let is_folded = line
                .first()
                .is_some_and(|byte| matches!(byte, b' ' | b'\t'));
            if is_folded && !is_first {
                at = end;
                continue;
            }
            header.push(open.take(), &content[..at]);
            if line.is_empty() {
                return (header, end);
            }
            is_first = false;
            if is_field(line) {
                let name = name_length(line);
                open = kept_field(&line[..name]).map(|field| (field, at + name + 1));
                lookahead = if open.is_some() { 1 } else { LOST_LINES };
            } else if !is_noise(line, &content[end..], lookahead) {
                // A body that follows its header without an empty line.
                return (header, at);
            }
            at = end;
        }
        header.push(open, content);
        (header, content.len())
    }

    /// Adds a field whose value ends with `content`.
    fn push(&mut self, field: Option<(MailField, usize)>, content: &'c [u8]) {
        if let Some((field, start)) = field
            && self.fields.len() < HEADER_FIELDS
            && let Some(value) = content.get(start..)
        {
            self.fields.push((field, value));
        }
    }

    /// Returns the value of the first field of this name.
    pub fn first(&self, name: MailField) -> Option<&'c [u8]> {
        self.all(name).next()
    }

    /// Returns the values of all fields of this name.
    pub fn all(&self, name: MailField) -> impl Iterator<Item = &'c [u8]> {
        let named = self.fields.iter().filter(move |(field, _)| *field == name);
        named.map(|(_, value)| *value)
    }
}

/// Returns true if a line that is not a field stands in a header all the same: the separator of a
/// mailbox, or a piece of a field that was broken without an indentation, so that one of the next
/// lines of the header, at most `lookahead`, is a known field.
fn is_noise(line: &[u8], mut rest: &[u8], lookahead: usize) -> bool {
    if line.starts_with(b"From ") || line.starts_with(b">From ") {
        return true;
    }
    if line.starts_with(b"--") {
        return false;
    }
    for _ in 0..lookahead {
        let (next, behind) = rest.split_at(line_end(rest, 0));
        if next.trim_ascii().is_empty() {
            return false;
        }
        if is_field(next) && is_known_field(next) {
            return true;
        }
        rest = behind;
    }
    false
}

/// Returns true if a line begins with the name of a field and a colon.
pub fn is_field(line: &[u8]) -> bool {
    let name = trim_end(&line[..name_length(line)]);
    name.len() < line.len()
        && !name.is_empty()
        && !name.starts_with(b"--")
        && name.iter().all(u8::is_ascii_graphic)
}

/// Returns true if the name of a field occurs in messages and hardly anywhere else.
pub fn is_known_field(line: &[u8]) -> bool {
    let name = trim_end(&line[..name_length(line)]);
    let is_same = |known: &&str| name.eq_ignore_ascii_case(known.as_bytes());
    kept_field(name).is_some() || OTHER_FIELDS.iter().any(is_same)
}

fn kept_field(name: &[u8]) -> Option<MailField> {
    let name = trim_end(name);
    let mut kept = KEPT_FIELDS.iter();
    let found = kept.find(|(kept, _)| name.eq_ignore_ascii_case(kept.as_bytes()));
    found.map(|(_, field)| *field)
}

/// Returns the length of a line up to its first colon.
fn name_length(line: &[u8]) -> usize {
    let colon = line.iter().position(|byte| *byte == b':');
    colon.unwrap_or(line.len())
}

/// Returns the end of the line at `start`, with its line feed.
pub fn line_end(content: &[u8], start: usize) -> usize {
    let rest = content.get(start..).unwrap_or_default();
    let feed = rest.iter().position(|byte| *byte == b'\n');
    feed.map_or(content.len(), |length| start + length + 1)
}

fn trim_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn trim_end(name: &[u8]) -> &[u8] {
    name.trim_ascii_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &[u8]) -> (Vec<(MailField, &[u8])>, usize) {
        let (header, length) = MailHeader::read(content);
        (header.fields, length)
    }

    #[test]
    fn fields_and_their_folded_values() {
        let (fields, length) = read(b"To: a,\r\n\tb\r\nX-Other: c\r\nSUBJECT : d\r\n\r\nbody");
        assert_eq!(
            fields,
            [
                (MailField::To, &b" a,\r\n\tb\r\n"[..]),
                (MailField::Subject, &b" d\r\n"[..])
            ]
        );
        assert_eq!(length, 39);
    }

    #[test]
    fn headers_with_damage() {
        for (content, fields, length) in [
            // No empty line before the body.
            (&b"To: a\nbody\n"[..], 1, 6),
            (b"To: a\n--b\nCc: c\n", 1, 6),
            // Lines that are no fields, among fields.
            (b"From x\nTo: a\nbroken\nCc: b\n\n", 2, 27),
            // A field of several lines that lost their indentation; and not one that is kept.
            (b"Received: a\nby b\nfor c\n; d\nTo: a\n\n", 1, 34),
            (b"To: a\nby b\nfor c\nCc: d\n\n", 1, 6),
            // Only a body.
            (b"body", 0, 0),
            (b"\nbody", 0, 1),
            (b"To: a", 1, 5),
            (b"", 0, 0),
            (b"  blanks\n\n", 0, 0),
        ] {
            let (found, end) = read(content);
            assert_eq!((found.len(), end), (fields, length), "{content:?}");
        }
    }

    #[test]
    fn repeated_fields_are_bounded() {
        let content = b"To:\n".repeat(HEADER_FIELDS * 2);
        assert_eq!(read(&content).0.len(), HEADER_FIELDS);
    }
}
