//! The parts of a message that are not made of parts themselves, in their order.

use crate::limits::{BOUNDARY_BYTES, MIME_DEPTH, MIME_PARTS};

use super::header::{MailField, MailHeader, line_end};
use super::parameters::FieldParameters;

/// A part without parts of its own.
#[derive(Clone, Debug)]
pub struct MimePart<'c> {
    /// Its header; that of the message if the message has no parts.
    pub header: MailHeader<'c>,
    /// Its media type and the parameters of that.
    pub media: FieldParameters,
    /// Its bytes in their transfer encoding.
    pub body: &'c [u8],
    /// The outermost group of alternatives that it belongs to, if any: one of them is read.
    pub alternatives: Option<usize>,
}

/// The parts of a message.
#[derive(Clone, Debug, Default)]
pub struct MimeParts<'c> {
    /// The parts, in order.
    pub parts: Vec<MimePart<'c>>,
    /// Number of further parts, which are too many.
    pub beyond: usize,
}

/// A part that is made of parts, and is not yet closed.
struct OpenMultipart<'c> {
    boundary: Vec<u8>,
    header: MailHeader<'c>,
    /// Start of its body.
    start: usize,
    /// True if its boundary has occurred.
    has_parts: bool,
    alternatives: Option<usize>,
    is_digest: bool,
}

/// A part whose end is not found yet.
struct OpenPart<'c> {
    header: MailHeader<'c>,
    media: FieldParameters,
    start: usize,
}

/// A reader of parts.
struct PartReader<'c> {
    content: &'c [u8],
    found: MimeParts<'c>,
    multiparts: Vec<OpenMultipart<'c>>,
    /// The part at the current line, unless that is before the first or behind the last part of a
    /// multipart.
    part: Option<OpenPart<'c>>,
    /// Number of groups of alternatives.
    groups: usize,
    /// Start of the body of the message.
    start: usize,
}

impl<'c> MimeParts<'c> {
    /// Reads the parts of a message from its header and what follows it, `content` from `start`.
    pub fn read(content: &'c [u8], header: MailHeader<'c>, start: usize) -> Self {
        let mut reader = PartReader {
            content,
            found: Self::default(),
            multiparts: Vec::new(),
            part: None,
            groups: 0,
            start,
        };
        reader.open(header, start);
        let mut at = start;
        while at < content.len() {
            let end = line_end(content, at);
            at = match reader.delimiter(&content[at..end]) {
                Some((index, is_last)) => reader.pass(index, is_last, at, end),
                None => end,
            };
        }
        reader.close(0, content.len());
        reader.found
    }
}

impl<'c> PartReader<'c> {
    /// Begins a part with a body that starts at `start`.
    fn open(&mut self, header: MailHeader<'c>, start: usize) {
        let parent = self.multiparts.last();
        let mut media =
            FieldParameters::read(header.first(MailField::ContentType).unwrap_or_default());
        if media.value.is_empty() {
            let is_message = parent.is_some_and(|parent| parent.is_digest);
            media.value = if is_message {
                "message/rfc822"
            } else {
                "text/plain"
            }
            .to_owned();
        } else if !is_media_type(&media.value) && media.token("name").is_none() {
            // Some programs write a word, or the beginning of the text, in place of a type. Such a
            // part is text (RFC 2045, section 5.2), unless it has a name like a file.
            media.value = if media.value.contains("html") {
                "text/html"
            } else {
                "text/plain"
            }
            .to_owned();
        }
        // The first of the messages into which a large one was cut begins with its header.
        let is_first_piece = media.value == "message/partial"
            && parent.is_none()
            && media.token("number").as_deref() == Some("1");
        if is_first_piece && start == self.start {
            let rest = self.content.get(start..).unwrap_or_default();
            let (inner, length) = MailHeader::read(rest);
            return self.open(inner, start + length);
        }
        let boundary = media.token("boundary").unwrap_or_default();
        let is_multipart = media.value.starts_with("multipart/");
        let has_boundary = (1..=BOUNDARY_BYTES).contains(&boundary.len());
        if is_multipart && !has_boundary {
            media.value = "text/plain".to_owned();
        }
        if !is_multipart || !has_boundary || self.multiparts.len() >= MIME_DEPTH {
            self.part = Some(OpenPart {
                header,
                media,
                start,
            });
            return;
        }
        let mut alternatives = parent.and_then(|parent| parent.alternatives);
        if alternatives.is_none() && media.value == "multipart/alternative" {
            alternatives = Some(self.groups);
            self.groups += 1;
        }
        self.part = None;
        self.multiparts.push(OpenMultipart {
            boundary: boundary.into_bytes(),
            header,
            start,
            has_parts: false,
            alternatives,
            is_digest: media.value == "multipart/digest",
        });
    }

    /// Returns the open multipart whose boundary a line is, and true if the line ends it.
    fn delimiter(&self, line: &[u8]) -> Option<(usize, bool)> {
        let line = line.strip_prefix(b"--")?.trim_ascii_end();
        let mut open = self.multiparts.iter().enumerate().rev();
        open.find_map(|(index, multipart)| {
            let rest = line.strip_prefix(multipart.boundary.as_slice())?;
            match rest {
                b"" => Some((index, false)),
                b"--" => Some((index, true)),
                _ => None,
            }
        })
    }

    /// Passes the delimiter of the multipart `index` at the line from `at` to `end`, and returns
    /// where reading goes on.
    fn pass(&mut self, index: usize, is_last: bool, at: usize, end: usize) -> usize {
        // The line end before a delimiter belongs to it.
        let before = self.content.get(..at).unwrap_or_default();
        let before = before.strip_suffix(b"\n").unwrap_or(before);
        let before = before.strip_suffix(b"\r").unwrap_or(before);
        self.close(index + 1, before.len());
        if let Some(multipart) = self.multiparts.last_mut() {
            multipart.has_parts = true;
        }
        // A multipart stays open after its last part, since in damaged messages more of them
        // follow. Its parent ends it.
        if is_last {
            return end;
        }
        let rest = self.content.get(end..).unwrap_or_default();
        let (header, length) = MailHeader::read(rest);
        self.open(header, end + length);
        end + length
    }

    /// Ends the current part at `end`, and all multiparts from `index` on.
    fn close(&mut self, index: usize, end: usize) {
        if let Some(part) = self.part.take() {
            let alternatives = self.multiparts.last().and_then(|open| open.alternatives);
            self.push(part, end, alternatives);
        }
        for multipart in self.multiparts.split_off(index.min(self.multiparts.len())) {
            // A part that lacks the boundary it announces is text.
            if !multipart.has_parts {
                let media = FieldParameters::from_value("text/plain");
                let part = OpenPart {
                    header: multipart.header,
                    media,
                    start: multipart.start,
                };
                self.push(part, end, multipart.alternatives);
            }
        }
    }

    fn push(&mut self, part: OpenPart<'c>, end: usize, alternatives: Option<usize>) {
        if self.found.parts.len() >= MIME_PARTS {
            self.found.beyond += 1;
            return;
        }
        let body = self.content.get(part.start..end).unwrap_or_default();
        let OpenPart { header, media, .. } = part;
        self.found.parts.push(MimePart {
            header,
            media,
            body,
            alternatives,
        });
    }
}

/// Returns true if a value is a media type, or at least the first half of one that is no text.
fn is_media_type(value: &str) -> bool {
    const KINDS: [&str; 8] = [
        "application",
        "audio",
        "font",
        "image",
        "message",
        "model",
        "multipart",
        "video",
    ];
    let is_token = |half: &str| {
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
        !half.is_empty() && half.bytes().all(is_sign)
    };
    let (kind, rest) = value.split_once('/').unwrap_or((value, ""));
    KINDS.contains(&kind) || is_token(kind) && is_token(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the media type and body of each part, with its group of alternatives.
    fn parts(content: &str) -> Vec<(String, String, Option<usize>)> {
        let (header, start) = MailHeader::read(content.as_bytes());
        let read = MimeParts::read(content.as_bytes(), header, start);
        let each = read.parts.iter().map(|part| {
            let body = String::from_utf8_lossy(part.body).into_owned();
            (part.media.value.clone(), body, part.alternatives)
        });
        each.collect()
    }

    fn plain(body: &str) -> (String, String, Option<usize>) {
        ("text/plain".to_owned(), body.to_owned(), None)
    }

    #[test]
    fn nested_parts() {
        let content = "Content-Type: multipart/mixed; boundary=a\n\npreamble\n--a\n\
            Content-Type: multipart/alternative; boundary=\"a b\"\n\n--a b\n\none\n--a b\n\
            Content-Type: text/html\n\ntwo\n\n--a b--\nepilogue\n--a  \n\nthree\n--ab\n\n--a--\nend\n";
        let html = ("text/html".to_owned(), "two\n".to_owned(), Some(0));
        let mut one = plain("one");
        one.2 = Some(0);
        assert_eq!(parts(content), [one, html, plain("three\n--ab\n")]);
    }

    #[test]
    fn damaged_parts() {
        for (content, expected) in [
            ("To: a\n\nbody\n", vec![plain("body\n")]),
            // No boundary, no such boundary, no end, and a part behind the end.
            (
                "Content-Type: multipart/mixed; boundary=a\n\nbody\n",
                vec![plain("body\n")],
            ),
            (
                "Content-Type: multipart/mixed; boundary=a\n\n--a\n\none",
                vec![plain("one")],
            ),
            (
                "Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n\r\none\r\n--a--\r\n--a\r\n\r\ntwo\r\n",
                vec![plain("one"), plain("two\r\n")],
            ),
            // A part without a header, and one without anything.
            (
                "Content-Type: multipart/mixed; boundary=a\n\n--a\none: two\nthree\n--a\n--a--",
                vec![plain("three"), plain("")],
            ),
            // An inner multipart without an end.
            (
                "Content-Type: multipart/mixed; boundary=a\n\n--a\n\
                 Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--a\n\ntwo\n--a--\n",
                vec![plain("one"), plain("two")],
            ),
        ] {
            assert_eq!(parts(content), expected, "{content}");
        }
    }

    #[test]
    fn parts_without_a_media_type_are_text() {
        for (field, expected) in [
            ("<html>", "text/html"),
            ("html", "text/html"),
            ("text", "text/plain"),
            ("Hello", "text/plain"),
            ("text/", "text/plain"),
            ("text/plain/x", "text/plain"),
            ("x-none/x-none", "x-none/x-none"),
            ("image", "image"),
            ("pdf; name=a.pdf", "pdf"),
        ] {
            let found = parts(&format!("Content-Type: {field}\n\nbody"));
            assert_eq!(found, [(expected.to_owned(), "body".to_owned(), None)]);
        }
    }

    #[test]
    fn the_first_piece_of_a_message_that_was_cut() {
        let head = "Content-Type: message/partial; number=";
        let inner = "To: b\nContent-Type: multipart/mixed; boundary=a\n\n--a\n\none\n--a\n\ntw";
        let found = parts(&format!("{head}1; total=2\n\n{inner}"));
        assert_eq!(found, [plain("one"), plain("tw")]);
        let partial = |body: &str| ("message/partial".to_owned(), body.to_owned(), None);
        assert_eq!(
            parts(&format!("{head}2\n\no\n--a--\n")),
            [partial("o\n--a--\n")]
        );
        // A piece in a piece is none.
        let deep = parts(&format!("{head}1\n\n{head}1\n\nx"));
        assert_eq!(deep, [partial("x")]);
    }

    #[test]
    fn parts_of_a_digest_are_messages() {
        let content = "Content-Type: multipart/digest; boundary=a\n\n--a\n\nTo: b\n\nx\n--a--\n";
        let message = ("message/rfc822".to_owned(), "To: b\n\nx".to_owned(), None);
        assert_eq!(parts(content), [message]);
    }

    #[test]
    fn nesting_and_number_are_bounded() {
        let deep: String = (0..1000)
            .map(|level| {
                format!(
                    "--{}\nContent-Type: multipart/mixed; boundary={level}\n\n",
                    level - 1
                )
            })
            .collect();
        assert_eq!(parts(&deep[5..]).len(), 1);
        let many = "--a\n\n".repeat(MIME_PARTS + 5);
        let content = format!("Content-Type: multipart/mixed; boundary=a\n\n{many}");
        let (header, start) = MailHeader::read(content.as_bytes());
        let read = MimeParts::read(content.as_bytes(), header, start);
        assert_eq!((read.parts.len(), read.beyond), (MIME_PARTS, 5));
    }
}
