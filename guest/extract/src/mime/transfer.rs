//! Transfer encodings: bytes as lines of ASCII.

use std::borrow::Cow;

const UUENCODE_NAMES: [&[u8]; 4] = [b"x-uuencode", b"uuencode", b"x-uue", b"uue"];

/// Beginning of the line before a file in uuencode.
const BEGIN: &[u8] = b"begin ";

/// Bytes of a body that show whether it is in its encoding.
const PROBED_BYTES: usize = 4096;

/// Of the bytes of a body that is labelled as base 64, one in so many may be none of its digits.
const DIGITS_PER_STRAY: usize = 16;

/// Bytes of a rule of `_` or `-`.
const RULE_BYTES: usize = 8;

/// The transfer encoding of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferEncoding {
    /// The bytes themselves.
    Identity,
    /// Base 64.
    Base64,
    /// Quoted-printable.
    QuotedPrintable,
    /// Uuencode, of the time before base 64.
    Uuencode,
}

impl TransferEncoding {
    /// Returns the encoding that the value of a field names.
    pub fn from_field(value: Option<&[u8]>) -> Self {
        let value = value.unwrap_or_default().trim_ascii();
        // Some programs write a comment or a semicolon after the name.
        let is_end = |byte: &u8| !byte.is_ascii_alphanumeric() && *byte != b'-';
        let end = value.iter().position(is_end).unwrap_or(value.len());
        let name = &value[..end];
        if name.eq_ignore_ascii_case(b"base64") {
            Self::Base64
        } else if name.eq_ignore_ascii_case(b"quoted-printable") {
            Self::QuotedPrintable
        } else if UUENCODE_NAMES
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
        {
            Self::Uuencode
        } else {
            Self::Identity
        }
    }

    /// Returns the encoding that a body is in: some programs label plain text as encoded.
    pub fn checked_against(self, body: &[u8]) -> Self {
        let is_so = match self {
            Self::Base64 => is_base64(body),
            Self::Uuencode => body
                .split(|byte| *byte == b'\n')
                .any(|line| line.starts_with(BEGIN)),
            Self::Identity | Self::QuotedPrintable => true,
        };
        if is_so { self } else { Self::Identity }
    }

    /// Returns the first bytes of a body, at most `limit`, and true if those are all.
    pub fn decode(self, body: &[u8], limit: usize) -> (Cow<'_, [u8]>, bool) {
        if self == Self::Identity {
            let end = body.len().min(limit);
            return (Cow::Borrowed(&body[..end]), end == body.len());
        }
        let mut bytes = Vec::new();
        let mut is_whole = true;
        self.each_byte(body, &mut |byte| {
            is_whole = bytes.len() < limit;
            if is_whole {
                bytes.push(byte);
            }
            is_whole
        });
        (Cow::Owned(bytes), is_whole)
    }

    /// Returns the number of bytes of a body.
    pub fn length(self, body: &[u8]) -> usize {
        if self == Self::Identity {
            return body.len();
        }
        let mut length = 0;
        self.each_byte(body, &mut |_| {
            length += 1;
            true
        });
        length
    }

    /// Passes the bytes of a body on, until `take` returns false.
    fn each_byte(self, body: &[u8], take: &mut dyn FnMut(u8) -> bool) {
        match self {
            Self::Identity => {
                let _ = body.iter().all(|byte| take(*byte));
            }
            Self::Base64 => base64(body, take),
            Self::QuotedPrintable => quoted_printable(body, take),
            Self::Uuencode => uuencode(body, take),
        }
    }
}

/// Decodes base 64. Bytes that are not digits of it are ignored, as is the rest of a line that ends
/// the data.
fn base64(body: &[u8], take: &mut dyn FnMut(u8) -> bool) {
    let (mut bits, mut count) = (0u32, 0u32);
    let mut is_after_end = false;
    for (at, byte) in body.iter().enumerate() {
        let digit = match byte {
            b'\n' => {
                is_after_end = false;
                continue;
            }
            _ if is_after_end => continue,
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            // The end of the data, or of one of several pieces that were encoded separately.
            b'=' => {
                (count, is_after_end) = (0, true);
                continue;
            }
            // A mailing list adds its footer as plain text to a body in whatever encoding.
            b'_' | b'-' if count == 0 && is_rule(&body[at..]) => {
                let _ = body[at..].iter().all(|byte| take(*byte));
                return;
            }
            _ => continue,
        };
        bits = (bits << 6 | u32::from(digit)) & 0xFFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            if !take((bits >> count) as u8) {
                return;
            }
        }
    }
}

/// Returns false if too many bytes at the beginning of a body are neither digits of base 64 nor
/// line ends. Words have blanks between them, and a body in base 64 has hardly any.
fn is_base64(body: &[u8]) -> bool {
    let probe = &body[..body.len().min(PROBED_BYTES)];
    let is_expected = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\r' | b'\n')
    };
    // What follows the data, such as the footer of a mailing list, says nothing about it.
    let is_end = |pair: &[u8]| pair[0] == b'=' && matches!(pair[1], b'=' | b'\r' | b'\n');
    let end = probe.windows(2).position(is_end);
    let rule = probe.windows(RULE_BYTES).position(is_rule);
    let end = end.into_iter().chain(rule).min().unwrap_or(probe.len());
    let stray = probe[..end].iter().filter(|byte| !is_expected(byte));
    stray.count() * DIGITS_PER_STRAY <= end
}

/// Decodes the first file of a text in uuencode: lines of a length and groups of four digits,
/// between a line that begins with `begin` and a line `end`.
fn uuencode(body: &[u8], take: &mut dyn FnMut(u8) -> bool) {
    let digit = |byte: u8| u32::from(byte.wrapping_sub(b' ') & 63);
    let lines = body
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_end);
    let mut lines = lines.skip_while(|line| !line.starts_with(BEGIN));
    lines.next();
    for line in lines.take_while(|line| *line != b"end") {
        let Some((first, groups)) = line.split_first() else {
            continue;
        };
        let length = digit(*first) as usize;
        let bytes = groups.chunks(4).flat_map(|group| {
            let at = |at: usize| digit(group.get(at).copied().unwrap_or(b' '));
            let bits = at(0) << 18 | at(1) << 12 | at(2) << 6 | at(3);
            let [_, bytes @ ..] = bits.to_be_bytes();
            bytes
        });
        if !bytes.take(length).all(&mut *take) {
            return;
        }
    }
}

/// Returns true if a line begins with the rule above a footer.
fn is_rule(line: &[u8]) -> bool {
    let rule = line.get(..RULE_BYTES).unwrap_or_default();
    rule.first()
        .is_some_and(|first| matches!(first, b'_' | b'-') && rule.iter().all(|byte| byte == first))
}

/// Decodes quoted-printable. An `=` that begins no escape is one.
fn quoted_printable(body: &[u8], take: &mut dyn FnMut(u8) -> bool) {
    let mut at = 0;
    while let Some(&byte) = body.get(at) {
        at += 1;
        let mut byte = byte;
        if byte == b'=' {
            let rest = &body[at..];
            if let Some(escaped) = escaped_byte(rest) {
                byte = escaped;
                at += 2;
            } else if let Some(length) = soft_break(rest) {
                at += length;
                continue;
            }
        }
        if !take(byte) {
            return;
        }
    }
}

/// Returns the byte that two hexadecimal digits name.
pub fn escaped_byte(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*digits.get(at)?).to_digit(16);
    u8::try_from(digit(0)? << 4 | digit(1)?).ok()
}

/// Returns the length of the line end that an `=` before it removes. Blanks before it were added on
/// the way.
fn soft_break(rest: &[u8]) -> Option<usize> {
    const BLANKS: usize = 80;
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let blanks = rest.iter().take(BLANKS).take_while(is_blank).count();
    match &rest[blanks..] {
        [b'\r', b'\n', ..] => Some(blanks + 2),
        [b'\n', ..] => Some(blanks + 1),
        [] => Some(blanks),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(transfer: TransferEncoding, body: &str) -> String {
        let (bytes, is_whole) = transfer.decode(body.as_bytes(), 1 << 10);
        assert!(is_whole);
        assert_eq!(transfer.length(body.as_bytes()), bytes.len());
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[test]
    fn names() {
        for (value, expected) in [
            (&b" Base64\r\n"[..], TransferEncoding::Base64),
            (b" quoted-printable; x", TransferEncoding::QuotedPrintable),
            (b"X-UUENCODE", TransferEncoding::Uuencode),
            (b" 8bit", TransferEncoding::Identity),
            (b"", TransferEncoding::Identity),
        ] {
            assert_eq!(TransferEncoding::from_field(Some(value)), expected);
        }
        assert_eq!(
            TransferEncoding::from_field(None),
            TransferEncoding::Identity
        );
    }

    #[test]
    fn base_64() {
        for (body, expected) in [
            ("", ""),
            ("YQ==", "a"),
            ("YWI=", "ab"),
            ("YWJj\r\nZGVm\r\n", "abcdef"),
            // Pieces that were encoded separately, noise, and a missing end.
            ("YQ==\nYg==\n", "ab"),
            ("Y W-J!j", "abc"),
            ("YWJjZ", "abc"),
            ("YWI= ignored\nYg", "abb"),
            ("YWJj\n________\nlist\n", "abc________\nlist\n"),
        ] {
            assert_eq!(decoded(TransferEncoding::Base64, body), expected, "{body}");
        }
    }

    #[test]
    fn plain_text_that_is_labelled_as_encoded() {
        let words = "Meeting is moved to Monday.\r\nSee the agenda = below\r\n";
        let long = words.repeat(1000);
        for (body, expected) in [
            (words, TransferEncoding::Identity),
            (&long, TransferEncoding::Identity),
            ("a= b c d e f", TransferEncoding::Identity),
            ("YWJjZGVm\r\nYWJjZGVm\r\n", TransferEncoding::Base64),
            (
                "Y W-JjZGVmYWJjZGVmYWJjZGVmYWJjZGVmYWJj",
                TransferEncoding::Base64,
            ),
            // A footer in plain text.
            ("YQ==\r\nHere are some more words", TransferEncoding::Base64),
            (
                "YWJj\n________\nsome more words of a list",
                TransferEncoding::Base64,
            ),
            ("", TransferEncoding::Base64),
        ] {
            let found = TransferEncoding::Base64.checked_against(body.as_bytes());
            assert_eq!(found, expected, "{body}");
        }
        for (body, expected) in [
            ("x\nbegin 644 a\n#86)C\nend\n", TransferEncoding::Uuencode),
            (words, TransferEncoding::Identity),
        ] {
            let found = TransferEncoding::Uuencode.checked_against(body.as_bytes());
            assert_eq!(found, expected, "{body}");
        }
        let other = TransferEncoding::QuotedPrintable;
        assert_eq!(other.checked_against(words.as_bytes()), other);
    }

    #[test]
    fn quoted_printable_text() {
        for (body, expected) in [
            ("a=3Db=\r\nc", "a=bc"),
            ("a= \t\nb=", "ab"),
            ("=EB=9a=A0", "뚠"),
            ("a=b =zz", "a=b =zz"),
        ] {
            assert_eq!(
                decoded(TransferEncoding::QuotedPrintable, body),
                expected,
                "{body}"
            );
        }
    }

    #[test]
    fn uuencoded_text() {
        for (body, expected) in [
            (
                "x\nbegin 644 a b\r\n#86)C\r\n!80``\r\n`\r\nend\r\nx",
                "abca",
            ),
            ("begin 644 a\n\n#86", "a`\0"),
            ("#86)C", ""),
        ] {
            assert_eq!(decoded(TransferEncoding::Uuencode, body), expected);
        }
    }

    #[test]
    fn bodies_are_cut_at_the_limit() {
        for (transfer, body) in [
            (TransferEncoding::Identity, "abc"),
            (TransferEncoding::Base64, "YWJj"),
            (TransferEncoding::QuotedPrintable, "abc"),
        ] {
            let (bytes, is_whole) = transfer.decode(body.as_bytes(), 2);
            assert_eq!((&*bytes, is_whole), (&b"ab"[..], false));
            assert!(transfer.decode(body.as_bytes(), 3).1);
        }
    }
}
