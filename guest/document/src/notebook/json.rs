//! A strict scanner of JSON that keeps positions and no values: a notebook has millions of values,
//! and a tree of them would take many times the bytes of the file.

use std::ops::Range;

use memchr::memchr2;

use crate::limits::NOTEBOOK_DEPTH;

/// A position in a text.
#[derive(Clone, Copy, Debug)]
pub struct JsonScanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> JsonScanner<'t> {
    /// Creates a scanner at byte `at` of `text`.
    pub fn new(text: &'t str, at: usize) -> Self {
        Self { text, at }
    }

    /// Returns a range of the text.
    pub fn text_of(&self, range: Range<usize>) -> &'t str {
        &self.text[range]
    }

    /// Returns the next character that is not blank, or `None` at the end.
    pub fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        self.at += rest.iter().position(|byte| !is_blank(byte))?;
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes the next character that is not blank.
    fn take(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Takes the next character if it is `expected`.
    fn take_if(&mut self, expected: u8) -> bool {
        let is_it = self.peek() == Some(expected);
        self.at += usize::from(is_it);
        is_it
    }

    /// Returns true if nothing but blanks follows.
    pub fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Takes a string, and returns its range without the quotes.
    pub fn string(&mut self) -> Option<Range<usize>> {
        if self.take()? != b'"' {
            return None;
        }
        let start = self.at;
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let length = memchr2(b'"', b'\\', rest)?;
            if rest[..length].iter().any(|byte| *byte < b' ') {
                return None;
            }
            self.at += length + 1;
            if rest[length] == b'"' {
                return Some(start..self.at - 1);
            }
            match rest.get(length + 1)? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 1,
                b'u' => {
                    let digits = rest.get(length + 2..length + 6)?;
                    if !digits.iter().all(u8::is_ascii_hexdigit) {
                        return None;
                    }
                    self.at += 5;
                }
                _ => return None,
            }
        }
    }

    /// Takes the name of a member and the colon after it, and returns the name as it is written.
    fn name(&mut self) -> Option<&'t str> {
        let range = self.string()?;
        (self.take()? == b':').then(|| &self.text[range])
    }

    /// Takes an object. `read` gets the name of each member as it is written, and must take its
    /// value.
    pub fn object(&mut self, read: &mut dyn FnMut(&str, &mut Self) -> Option<()>) -> Option<()> {
        if self.take()? != b'{' {
            return None;
        }
        if self.take_if(b'}') {
            return Some(());
        }
        loop {
            let name = self.name()?;
            read(name, self)?;
            match self.take()? {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    /// Takes an array. `read` must take each item.
    pub fn array(&mut self, read: &mut dyn FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if self.take()? != b'[' {
            return None;
        }
        if self.take_if(b']') {
            return Some(());
        }
        loop {
            read(self)?;
            match self.take()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    /// Takes a value of any kind, and returns its range.
    pub fn value(&mut self) -> Option<Range<usize>> {
        self.peek()?;
        let start = self.at;
        // The stack is a list and not the program's own: a file may nest a million arrays.
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.peek()? {
                bracket @ (b'{' | b'[') => {
                    self.at += 1;
                    let is_object = bracket == b'{';
                    if !self.take_if(if is_object { b'}' } else { b']' }) {
                        if open.len() >= NOTEBOOK_DEPTH {
                            return None;
                        }
                        open.push(bracket);
                        if is_object {
                            self.name()?;
                        }
                        continue;
                    }
                }
                b'"' => {
                    self.string()?;
                }
                _ => self.word()?,
            }
            // A value has ended, and with it perhaps those around it.
            loop {
                let Some(around) = open.last() else {
                    return Some(start..self.at);
                };
                match (self.take()?, around) {
                    (b',', b'[') => break,
                    (b',', _) => {
                        self.name()?;
                        break;
                    }
                    (b']', b'[') | (b'}', b'{') => {
                        open.pop();
                    }
                    _ => return None,
                }
            }
        }
    }

    /// Takes a number or a word. Python writes `NaN` and `Infinity`, which JSON does not have, into
    /// the outputs of notebooks, and reads them.
    fn word(&mut self) -> Option<()> {
        const WORDS: [&str; 6] = ["true", "false", "null", "NaN", "Infinity", "-Infinity"];
        let rest = &self.text[self.at..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let length = rest.bytes().position(|byte| !is_part(&byte));
        let word = &rest[..length.unwrap_or(rest.len())];
        self.at += word.len();
        (WORDS.contains(&word) || is_number(word)).then_some(())
    }
}

/// Returns true if a word is a number in JSON.
fn is_number(word: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let whole = digits(unsigned);
    if whole == 0 || (whole > 1 && unsigned.starts_with('0')) {
        return false;
    }
    let mut rest = &unsigned[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = digits(fraction);
        if length == 0 {
            return false;
        }
        rest = &fraction[length..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let length = digits(exponent);
        return length > 0 && length == exponent.len();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_json(text: &str) -> bool {
        let mut scanner = JsonScanner::new(text, 0);
        scanner.value().is_some() && scanner.is_at_end()
    }

    #[test]
    fn values() {
        for text in [
            "{}",
            " [ ] ",
            r#"{"a": [1, -2.5e+3, 0, "]\"\u00e9\\", {"b": null}], "c": {}}"#,
            "[NaN, Infinity, -Infinity, true, false]",
            "\"한글\"",
        ] {
            assert!(is_json(text), "{text}");
        }
        for text in [
            "",
            "{",
            "[1,]",
            "{\"a\": 1,}",
            "{\"a\" 1}",
            "{1: 2}",
            "[1 2]",
            "[1}",
            "{\"a\": [1}]",
            "\"a\nb\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"a",
            "\"\\",
            "01",
            "1.",
            ".5",
            "1e",
            "+1",
            "nul",
            "{} {}",
            "<<<<<<< HEAD\n{}",
        ] {
            assert!(!is_json(text), "{text}");
        }
    }

    #[test]
    fn nesting_ends() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(is_json(&nested(NOTEBOOK_DEPTH)));
        assert!(!is_json(&nested(1 << 20)));
        assert!(!is_json(&"{\"a\":".repeat(1 << 20)));
    }
}
