//! The tokens of RTF: groups in braces, control words and symbols behind a backslash, and text.

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtfToken<'a> {
    /// An opening brace.
    GroupStart,
    /// A closing brace.
    GroupEnd,
    /// A control word.
    Word(ControlWord<'a>),
    /// A control symbol: a backslash before a character that is not a letter.
    Symbol(u8),
    /// A byte of text as two hexadecimal digits.
    Hex(u8),
    /// Bytes of text.
    Text(&'a [u8]),
}

/// A control word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlWord<'a> {
    /// Its name: letters of ASCII.
    pub name: &'a str,
    /// Number after the name.
    pub parameter: Option<i32>,
}

impl ControlWord<'_> {
    /// Returns true for a property that is switched on: `\v` and `\v1`, but not `\v0`.
    pub fn is_on(&self) -> bool {
        self.parameter != Some(0)
    }
}

/// The remaining tokens of a document.
#[derive(Clone, Debug)]
pub struct RtfTokens<'a>(&'a [u8]);

impl<'a> RtfTokens<'a> {
    /// Creates the tokens of a document.
    pub fn new(content: &'a [u8]) -> Self {
        Self(content)
    }

    /// Returns the number of bytes that remain.
    pub fn remaining(&self) -> usize {
        self.0.len()
    }

    /// Takes the next byte as text if it would otherwise be a sign of RTF. In encodings of East
    /// Asia the second byte of a character may be a backslash or a brace, and not every program
    /// writes it in hexadecimal digits.
    pub fn take_sign(&mut self) -> Option<u8> {
        let (&sign, rest) = self.0.split_first()?;
        let is_hex = sign == b'\\' && rest.starts_with(b"'");
        if !matches!(sign, b'\\' | b'{' | b'}') || is_hex {
            return None;
        }
        self.0 = rest;
        Some(sign)
    }

    /// Returns the token after a backslash.
    fn control(&mut self) -> Option<RtfToken<'a>> {
        let is_letter = |byte: &&u8| byte.is_ascii_alphabetic();
        let letters = self.0.iter().take_while(is_letter).count();
        if letters == 0 {
            return self.symbol();
        }
        let (name, rest) = self.0.split_at(letters);
        let (parameter, rest) = split_parameter(rest);
        // One blank belongs to the control word; a second one is text.
        self.0 = rest.strip_prefix(b" ").unwrap_or(rest);
        let name = std::str::from_utf8(name).unwrap_or_default();
        if name == "bin" {
            // Bytes in any form follow, such as those of a picture. The length may exceed the
            // file, whose end is then missing.
            let length = usize::try_from(parameter.unwrap_or_default()).unwrap_or_default();
            self.0 = self.0.get(length..).unwrap_or_default();
        }
        Some(RtfToken::Word(ControlWord { name, parameter }))
    }

    /// Returns the control symbol after a backslash.
    fn symbol(&mut self) -> Option<RtfToken<'a>> {
        let (&symbol, rest) = self.0.split_first()?;
        self.0 = rest;
        if symbol == b'\''
            && let Some((&[high, low], rest)) = rest.split_first_chunk()
            && let (Some(high), Some(low)) = (hex_digit(high), hex_digit(low))
        {
            self.0 = rest;
            return Some(RtfToken::Hex(high << 4 | low));
        }
        Some(RtfToken::Symbol(symbol))
    }
}

impl<'a> Iterator for RtfTokens<'a> {
    type Item = RtfToken<'a>;

    fn next(&mut self) -> Option<RtfToken<'a>> {
        // Line breaks are not text: editors break the lines of the file anywhere.
        let is_ignored = |byte: &u8| matches!(byte, b'\r' | b'\n' | 0);
        let start = self.0.iter().position(|byte| !is_ignored(byte))?;
        self.0 = &self.0[start..];
        let (&first, rest) = self.0.split_first()?;
        let token = match first {
            b'{' => RtfToken::GroupStart,
            b'}' => RtfToken::GroupEnd,
            b'\\' => {
                self.0 = rest;
                return self.control();
            }
            _ => {
                let is_end = |byte: &u8| is_ignored(byte) || matches!(byte, b'\\' | b'{' | b'}');
                let end = self.0.iter().position(is_end).unwrap_or(self.0.len());
                let (text, rest) = self.0.split_at(end);
                self.0 = rest;
                return Some(RtfToken::Text(text));
            }
        };
        self.0 = rest;
        Some(token)
    }
}

/// Splits off the number after the name of a control word. One that is too large is the largest.
fn split_parameter(bytes: &[u8]) -> (Option<i32>, &[u8]) {
    let (is_negative, digits) = match bytes.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, bytes),
    };
    let count = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if count == 0 {
        return (None, bytes);
    }
    let (digits, rest) = digits.split_at(count);
    let number = digits.iter().fold(0i32, |number, digit| {
        number
            .saturating_mul(10)
            .saturating_add(i32::from(digit - b'0'))
    });
    (Some(if is_negative { -number } else { number }), rest)
}

/// Returns the value of a hexadecimal digit.
fn hex_digit(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(name: &str, parameter: Option<i32>) -> RtfToken<'_> {
        RtfToken::Word(ControlWord { name, parameter })
    }

    #[test]
    fn groups_words_symbols_and_text() {
        let tokens = RtfTokens::new(b"{\\rtf1\\b a\r\nb\\'41\\'4\\*\\u-3  x\\li-y}\\");
        let expected = [
            RtfToken::GroupStart,
            word("rtf", Some(1)),
            word("b", None),
            RtfToken::Text(b"a"),
            RtfToken::Text(b"b"),
            RtfToken::Hex(0x41),
            RtfToken::Symbol(b'\''),
            RtfToken::Text(b"4"),
            RtfToken::Symbol(b'*'),
            word("u", Some(-3)),
            RtfToken::Text(b" x"),
            word("li", None),
            RtfToken::Text(b"-y"),
            RtfToken::GroupEnd,
        ];
        assert_eq!(tokens.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn binary_data_is_skipped() {
        for (document, expected) in [
            (
                &b"\\bin3 }\\{x"[..],
                &[word("bin", Some(3)), RtfToken::Text(b"x")][..],
            ),
            (b"\\bin0 x", &[word("bin", Some(0)), RtfToken::Text(b"x")]),
            (b"\\bin-1 x", &[word("bin", Some(-1)), RtfToken::Text(b"x")]),
            (b"\\bin2147483647 x}", &[word("bin", Some(i32::MAX))]),
            (b"\\bin99999999999 x}", &[word("bin", Some(i32::MAX))]),
        ] {
            assert_eq!(RtfTokens::new(document).collect::<Vec<_>>(), expected);
        }
    }
}
