//! A reader of JSON that keeps nothing: a notebook has millions of values, and a tree of them would
//! take many times the bytes of the file.

use crate::failure::{EarlyStop, Failure};

/// Maximum bytes of a name in an object that are compared.
const NAME_BYTES: usize = 128;

/// A position in a document.
#[derive(Clone, Copy, Debug)]
pub struct JsonReader<'a> {
    /// The document from this position on.
    rest: &'a [u8],
}

/// The kind of a value, by its first character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    Object,
    Array,
    String,
    /// A number or a word, such as `true` and `null`.
    Other,
}

impl<'a> JsonReader<'a> {
    /// Creates a reader at the beginning of a document.
    pub fn new(content: &'a [u8]) -> Self {
        let rest = content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content);
        Self { rest }
    }

    /// Returns the next character that is not white space.
    fn peek(&mut self) -> Result<u8, EarlyStop> {
        self.rest = self.rest.trim_ascii_start();
        self.rest.first().copied().ok_or(MALFORMED)
    }

    /// Takes the next character that is not white space.
    fn take(&mut self) -> Result<u8, EarlyStop> {
        let byte = self.peek()?;
        self.rest = &self.rest[1..];
        Ok(byte)
    }

    /// Returns the kind of the next value.
    pub fn kind(&mut self) -> Result<JsonKind, EarlyStop> {
        Ok(match self.peek()? {
            b'{' => JsonKind::Object,
            b'[' => JsonKind::Array,
            b'"' => JsonKind::String,
            // Python writes `NaN` and `Infinity` too.
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b'N' | b'I' => JsonKind::Other,
            _ => return Err(MALFORMED),
        })
    }

    /// Reads the next value if it is an object, and skips another one. `read` gets the name of each
    /// member and a reader at its value, which need not be read.
    pub fn object(
        &mut self,
        read: &mut dyn FnMut(&str, JsonReader<'a>) -> Result<(), EarlyStop>,
    ) -> Result<(), EarlyStop> {
        if self.kind()? != JsonKind::Object {
            return self.skip();
        }
        self.take()?;
        if self.peek()? == b'}' {
            self.take()?;
            return Ok(());
        }
        loop {
            let mut name = String::new();
            if self.kind()? != JsonKind::String {
                return Err(MALFORMED);
            }
            // A name that is too long is none of those that are known.
            if !self.string(&mut name, NAME_BYTES)? {
                name.clear();
            }
            if self.take()? != b':' {
                return Err(MALFORMED);
            }
            self.peek()?;
            read(&name, *self)?;
            self.skip()?;
            match self.take()? {
                b',' => {}
                b'}' => return Ok(()),
                _ => return Err(MALFORMED),
            }
        }
    }

    /// Reads the next value if it is an array, and skips another one. `read` gets a reader at each
    /// item, which need not be read.
    pub fn array(
        &mut self,
        read: &mut dyn FnMut(JsonReader<'a>) -> Result<(), EarlyStop>,
    ) -> Result<(), EarlyStop> {
        if self.kind()? != JsonKind::Array {
            return self.skip();
        }
        self.take()?;
        if self.peek()? == b']' {
            self.take()?;
            return Ok(());
        }
        loop {
            self.peek()?;
            read(*self)?;
            self.skip()?;
            match self.take()? {
                b',' => {}
                b']' => return Ok(()),
                _ => return Err(MALFORMED),
            }
        }
    }

    /// Adds the next value, which is a string, to `text`. Returns false, and adds a part of it, if
    /// `text` would become longer than `most` bytes.
    pub fn string(&mut self, text: &mut String, most: usize) -> Result<bool, EarlyStop> {
        if self.take()? != b'"' {
            return Err(MALFORMED);
        }
        let mut fits = true;
        loop {
            let is_sign = |byte: &u8| matches!(byte, b'"' | b'\\');
            let end = self.rest.iter().position(is_sign).ok_or(MALFORMED)?;
            let (plain, rest) = self.rest.split_at(end);
            fits &= text.len() + plain.len() <= most;
            if fits {
                text.push_str(&String::from_utf8_lossy(plain));
            }
            self.rest = &rest[1..];
            if rest[0] == b'"' {
                return Ok(fits);
            }
            let c = self.escape()?;
            if fits {
                text.push(c);
            }
        }
    }

    /// Returns the next value if it is a number of one digit.
    pub fn digit(&mut self) -> Result<Option<u8>, EarlyStop> {
        let digit = self.peek()?;
        let is_alone = !self.rest.get(1).is_some_and(u8::is_ascii_digit);
        Ok((digit.is_ascii_digit() && is_alone).then(|| digit - b'0'))
    }

    /// Returns the next value as it is written.
    pub fn raw(mut self, most: usize) -> Result<String, EarlyStop> {
        self.peek()?;
        let start = self.rest;
        self.skip()?;
        let value = &start[..start.len() - self.rest.len()];
        if value.len() > most {
            return Err(EarlyStop::Full);
        }
        Ok(String::from_utf8_lossy(value).into_owned())
    }

    /// Returns the character of an escape, after its backslash.
    fn escape(&mut self) -> Result<char, EarlyStop> {
        let (&sign, rest) = self.rest.split_first().ok_or(MALFORMED)?;
        self.rest = rest;
        Ok(match sign {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{C}',
            b'u' => self.unicode()?,
            b'"' | b'\\' | b'/' => char::from(sign),
            _ => return Err(MALFORMED),
        })
    }

    /// Returns the character of an escape in hexadecimal digits. Half of a character without its
    /// other half is replaced.
    fn unicode(&mut self) -> Result<char, EarlyStop> {
        let unit = self.hex().ok_or(MALFORMED)?;
        if let 0xD800..=0xDBFF = unit {
            let mut next = *self;
            if let Some(rest) = next.rest.strip_prefix(b"\\u") {
                next.rest = rest;
                let low = next.hex();
                let pair = low.and_then(|low| char::decode_utf16([unit, low]).next()?.ok());
                if let Some(c) = pair {
                    *self = next;
                    return Ok(c);
                }
            }
        }
        Ok(char::from_u32(unit.into()).unwrap_or('\u{FFFD}'))
    }

    /// Takes four hexadecimal digits.
    fn hex(&mut self) -> Option<u16> {
        let (digits, rest) = self.rest.split_first_chunk::<4>()?;
        let digits = std::str::from_utf8(digits).ok()?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        self.rest = rest;
        u16::from_str_radix(digits, 16).ok()
    }

    /// Skips the next value. Brackets are counted and need not match, so that no nesting takes
    /// memory.
    pub fn skip(&mut self) -> Result<(), EarlyStop> {
        let mut depth = 0usize;
        loop {
            match self.take()? {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.checked_sub(1).ok_or(MALFORMED)?,
                b'"' => self.skip_string()?,
                b',' | b':' if depth > 0 => {}
                b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b'N' | b'I' => {
                    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                    let end = self.rest.iter().position(|byte| !is_part(byte));
                    self.rest = &self.rest[end.unwrap_or(self.rest.len())..];
                }
                _ => return Err(MALFORMED),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Skips the rest of a string.
    fn skip_string(&mut self) -> Result<(), EarlyStop> {
        loop {
            let is_sign = |byte: &u8| matches!(byte, b'"' | b'\\');
            let end = self.rest.iter().position(is_sign).ok_or(MALFORMED)?;
            let is_end = self.rest[end] == b'"';
            let length = if is_end { end + 1 } else { end + 2 };
            self.rest = self.rest.get(length..).ok_or(MALFORMED)?;
            if is_end {
                return Ok(());
            }
        }
    }
}

const MALFORMED: EarlyStop = EarlyStop::Failed(Failure::Malformed);

#[cfg(test)]
mod tests {
    use super::*;

    fn string(json: &str) -> Result<String, EarlyStop> {
        let mut text = String::new();
        JsonReader::new(json.as_bytes()).string(&mut text, 100)?;
        Ok(text)
    }

    #[test]
    fn strings() {
        for (json, expected) in [
            (r#""a\n\"\\\/""#, Ok("a\n\"\\/")),
            (r#" "\uD55C\ud83d\ude00""#, Ok("한😀")),
            (r#""\ud83dx""#, Ok("\u{FFFD}x")),
            (r#""\ud83d\u0041""#, Ok("\u{FFFD}A")),
            (r#""\ude00""#, Ok("\u{FFFD}")),
            (r#""\u12"#, Err(MALFORMED)),
            (r#""\u+123""#, Err(MALFORMED)),
            (r#""\x""#, Err(MALFORMED)),
            (r#""a"#, Err(MALFORMED)),
            (r#""a\"#, Err(MALFORMED)),
            ("1", Err(MALFORMED)),
        ] {
            assert_eq!(
                string(json).as_deref(),
                expected.as_ref().copied(),
                "{json}"
            );
        }
    }

    #[test]
    fn members_and_items_in_order() {
        let json = br#"{"a": [1, "]", {"x": -1.5e+3, "y": [NaN, -Infinity]}], "b":{"c":null}, "a": true} "#;
        let mut found = Vec::new();
        let mut reader = JsonReader::new(json);
        let read = reader.object(&mut |name, mut value| {
            found.push((name.to_owned(), value.kind()?));
            let mut items = 0;
            value.array(&mut |_| {
                items += 1;
                Ok(())
            })?;
            assert_eq!(items, if found.len() == 1 { 3 } else { 0 });
            Ok(())
        });
        assert_eq!(read, Ok(()));
        let expected = [
            ("a".to_owned(), JsonKind::Array),
            ("b".to_owned(), JsonKind::Object),
            ("a".to_owned(), JsonKind::Other),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn nesting_takes_no_memory() {
        for json in ["[".repeat(1 << 20), "{\"a\":".repeat(1 << 18)] {
            assert_eq!(JsonReader::new(json.as_bytes()).skip(), Err(MALFORMED));
        }
        let closed = "[".repeat(1 << 20) + &"]".repeat(1 << 20);
        assert_eq!(JsonReader::new(closed.as_bytes()).skip(), Ok(()));
    }
}
