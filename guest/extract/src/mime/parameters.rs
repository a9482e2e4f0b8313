//! Fields with parameters (RFC 2045 and 2231), such as `text/plain; charset=euc-kr`.

use crate::encoding;
use crate::limits::{FIELD_BYTES, FIELD_PARAMETERS};

use super::decode_text;
use super::transfer::escaped_byte;
use super::words::{decode_words, unfold};

/// The value of a field and its parameters.
#[derive(Clone, Debug, Default)]
pub struct FieldParameters {
    /// The value in lower case: `text/plain`.
    pub value: String,
    parameters: Vec<FieldParameter>,
}

/// A parameter, or one of the sections of a long one.
#[derive(Clone, Debug)]
struct FieldParameter {
    /// Name in lower case.
    name: String,
    /// Number of the section, if the value has sections or is encoded.
    section: Option<u32>,
    value: Vec<u8>,
    /// The character encoding before the value of a first section.
    label: Option<String>,
}

impl FieldParameters {
    /// Reads the value of a field.
    pub fn read(field: &[u8]) -> Self {
        let field = unfold(&field[..field.len().min(FIELD_BYTES)]);
        let is_end = |byte: &u8| *byte == b';' || byte.is_ascii_whitespace();
        let end = field.iter().position(is_end).unwrap_or(field.len());
        let mut all = Self {
            value: String::from_utf8_lossy(&field[..end]).to_ascii_lowercase(),
            parameters: Vec::new(),
        };
        let mut rest = &field[end..];
        while all.parameters.len() < FIELD_PARAMETERS {
            let is_separator = |byte: &u8| *byte == b';' || byte.is_ascii_whitespace();
            let Some(start) = rest.iter().position(|byte| !is_separator(byte)) else {
                break;
            };
            rest = &rest[start..];
            let end = rest.iter().position(|byte| matches!(byte, b'=' | b';'));
            let Some(end) = end else { break };
            let name = String::from_utf8_lossy(&rest[..end]).to_ascii_lowercase();
            if rest[end] == b';' {
                rest = &rest[end..];
                continue;
            }
            let (value, behind) = value(&name, rest[end + 1..].trim_ascii_start());
            rest = behind;
            all.parameters
                .push(FieldParameter::from_raw(name.trim(), value));
        }
        all
    }

    /// Creates a value without parameters.
    pub fn from_value(value: &str) -> Self {
        Self {
            value: value.to_owned(),
            parameters: Vec::new(),
        }
    }

    /// Returns the value of the parameter `name` in ASCII, as it is in the field.
    pub fn token(&self, name: &str) -> Option<String> {
        let found = self.parameters.iter().find(|found| found.name == name)?;
        Some(String::from_utf8_lossy(&found.value).trim().to_owned())
    }

    /// Returns the text of the parameter `name`; `label` names the encoding of bytes that are not
    /// encoded.
    pub fn text(&self, name: &str, label: Option<&str>) -> Option<String> {
        let named = || self.parameters.iter().filter(|found| found.name == name);
        let mut sections: Vec<&FieldParameter> =
            named().filter(|found| found.section.is_some()).collect();
        // Many programs write a name twice: in sections, and for old readers as one word.
        if sections.is_empty() {
            sections.extend(named().next());
        }
        sections.sort_by_key(|found| found.section);
        sections.dedup_by_key(|found| found.section);
        let first = sections.first()?;
        // The bytes of a character may be in two sections.
        let bytes: Vec<&[u8]> = sections
            .iter()
            .map(|found| found.value.as_slice())
            .collect();
        let bytes = bytes.concat();
        Some(match &first.label {
            Some(own) if encoding::from_label(own).is_some() => {
                decode_text(&bytes, Some(own)).into_owned()
            }
            Some(_) => decode_text(&bytes, label).into_owned(),
            None => decode_words(&bytes, label),
        })
    }
}

impl FieldParameter {
    /// Creates a parameter from its name, which may say that it is a section of a value, that the
    /// value is encoded, or both: `filename*`, `filename*0`, `filename*0*`.
    fn from_raw(name: &str, value: Vec<u8>) -> Self {
        let mut parts = name.split('*');
        let base = parts.next().unwrap_or_default().trim().to_owned();
        let (section, is_encoded) = match (parts.next(), parts.next()) {
            (None, _) => (None, false),
            (Some(""), _) => (Some(0), true),
            (Some(number), end) => (number.trim().parse().ok(), end.is_some()),
        };
        let mut parameter = Self {
            name: base,
            section,
            value,
            label: None,
        };
        if is_encoded {
            parameter.decode();
        }
        parameter
    }

    /// Decodes an encoded value: `euc-kr'ko'%B0%DF`.
    fn decode(&mut self) {
        let mut rest = self.value.as_slice();
        if self.section == Some(0) {
            let mut parts = rest.splitn(3, |byte| *byte == b'\'');
            if let (Some(label), Some(_), Some(value)) = (parts.next(), parts.next(), parts.next())
            {
                self.label = Some(String::from_utf8_lossy(label).into_owned());
                rest = value;
            }
        }
        let mut decoded = Vec::with_capacity(rest.len());
        while let [byte, behind @ ..] = rest {
            rest = behind;
            match escaped_byte(behind) {
                Some(escaped) if *byte == b'%' => {
                    decoded.push(escaped);
                    rest = &behind[2..];
                }
                _ => decoded.push(*byte),
            }
        }
        self.value = decoded;
    }
}

/// Returns the value of the parameter `name` at the beginning of `rest`, and the bytes behind it.
fn value<'r>(name: &str, rest: &'r [u8]) -> (Vec<u8>, &'r [u8]) {
    let Some(quoted) = rest.strip_prefix(b"\"") else {
        // A file name without quotes may contain blanks; after any other value some programs
        // leave out the semicolon.
        let is_name = name.contains("name");
        let is_end = |byte: &u8| *byte == b';' || !is_name && byte.is_ascii_whitespace();
        let end = rest.iter().position(is_end).unwrap_or(rest.len());
        return (rest[..end].trim_ascii().to_vec(), &rest[end..]);
    };
    let mut value = Vec::new();
    let mut at = 0;
    while let Some(&byte) = quoted.get(at) {
        at += 1;
        match (byte, quoted.get(at)) {
            (b'"', _) => break,
            // Other backslashes are those of paths.
            (b'\\', Some(escaped @ (b'"' | b'\\'))) => {
                value.push(*escaped);
                at += 1;
            }
            _ => value.push(byte),
        }
    }
    (value, &quoted[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(field: &[u8], name: &str) -> Option<String> {
        FieldParameters::read(field).text(name, Some("euc-kr"))
    }

    #[test]
    fn values_and_tokens() {
        for (field, value, charset) in [
            (
                "text/HTML; Charset=\"EUC-KR\"; x=y\r\n",
                "text/html",
                Some("EUC-KR"),
            ),
            (
                "text/plain charset=utf-8 (comment)",
                "text/plain",
                Some("utf-8"),
            ),
            (
                "text/plain;\r\n\tx;charset = utf-8 ; format=flowed",
                "text/plain",
                Some("utf-8"),
            ),
            ("; charset=a", "", Some("a")),
            ("text/plain; charset", "text/plain", None),
            ("", "", None),
        ] {
            let read = FieldParameters::read(field.as_bytes());
            assert_eq!(
                (&*read.value, read.token("charset").as_deref()),
                (value, charset)
            );
        }
    }

    #[test]
    fn names_in_all_encodings() {
        for (field, expected) in [
            (&b"a; filename=\"=?euc-kr?B?x9E=?=.hwp\""[..], "한.hwp"),
            // Raw bytes, with and without quotes.
            (b"a; filename=\"\x94\xEE 1.hwp\"", "뷁 1.hwp"),
            (b"a; filename=\xC7\xD1 1.hwp ; size=1", "한 1.hwp"),
            (b"a; filename=\"\xED\x95\x9C.hwp\"", "한.hwp"),
            // RFC 2231: encoded, in sections in any order, a character in two of them.
            (b"a; filename*=euc-kr'ko'%C7%D1.hwp", "한.hwp"),
            (
                b"a; filename*1*=%9C.hwp; filename*0*=UTF-8''%ED%95",
                "한.hwp",
            ),
            (
                b"a; filename*0=\"a \"; filename*1=b.hwp; filename*1=c",
                "a b.hwp",
            ),
            (b"a; filename=x; filename*=utf-8''%ED%95%9C", "한"),
            (b"a; filename*=utf-8''%ED%95%9C; filename=x", "한"),
            (b"a; filename*=''%C7%D1", "한"),
            (b"a; filename*=%41%zz", "A%zz"),
            (
                b"a; filename*0=\"=?euc-kr?B?x9\"; filename*1=\"E=?=\"",
                "한",
            ),
            // Quotes and backslashes.
            (br#"a; filename="a\"b\c\\d""#, r#"a"b\c\d"#),
            (b"a; filename=\"open", "open"),
        ] {
            assert_eq!(
                text(field, "filename").as_deref(),
                Some(expected),
                "{field:?}"
            );
        }
        assert_eq!(text(b"a; filename*x=y", "filename").as_deref(), Some("y"));
        assert_eq!(text(b"a; filenam=y", "filename"), None);
    }

    #[test]
    fn parameters_are_bounded() {
        let field = b"a;"
            .iter()
            .copied()
            .chain(b"n*1=x;".repeat(100_000))
            .collect::<Vec<_>>();
        assert_eq!(
            FieldParameters::read(&field).parameters.len(),
            FIELD_PARAMETERS
        );
    }
}
