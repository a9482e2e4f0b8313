//! A JSON parser that keeps the byte range of each value.

use std::ops::Range;

use serde_json::{Map, Value};

use super::JsonDialect;
use crate::ConfigFileError;

/// Maximum levels of nesting, which bound the recursion of the parser. No client's configuration
/// comes near it.
const LEVELS: usize = 128;

/// A value with its byte range.
#[derive(Debug)]
pub struct JsonNode {
    pub span: Range<usize>,
    pub kind: JsonKind,
}

#[derive(Debug)]
pub enum JsonKind {
    Object(Vec<JsonMember>),
    Array(Vec<JsonNode>),
    /// A string, number, boolean or null.
    Scalar(Value),
}

/// A member of an object.
#[derive(Debug)]
pub struct JsonMember {
    pub key: String,
    /// Offset of the key's first quote.
    pub start: usize,
    pub value: JsonNode,
    /// Offset of the comma after the value.
    pub comma: Option<usize>,
}

impl JsonNode {
    /// Returns the value without byte ranges. The last of several members with the same key counts.
    pub fn value(&self) -> Value {
        match &self.kind {
            JsonKind::Scalar(value) => value.clone(),
            JsonKind::Array(items) => items.iter().map(Self::value).collect(),
            JsonKind::Object(members) => {
                let pairs = members.iter();
                let pairs = pairs.map(|member| (member.key.clone(), member.value.value()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }

    /// Returns the members of an object.
    pub fn members(&self) -> Option<&[JsonMember]> {
        match &self.kind {
            JsonKind::Object(members) => Some(members),
            JsonKind::Array(_) | JsonKind::Scalar(_) => None,
        }
    }
}

/// Parses a text with one value; none if it contains only white space and comments.
///
/// # Errors
/// Returns the first fault, with its line.
pub fn parse(text: &str, dialect: JsonDialect) -> Result<Option<JsonNode>, ConfigFileError> {
    let mut parser = JsonParser {
        text,
        dialect,
        // Editors on Windows write a byte order mark. It is not white space in JSON and is
        // passed over; since edits only replace ranges behind it, it stays in the file.
        at: if text.starts_with('\u{feff}') { 3 } else { 0 },
        levels: LEVELS,
    };
    parser.skip_blank()?;
    if parser.at == text.len() {
        return Ok(None);
    }
    let node = parser.value()?;
    parser.skip_blank()?;
    if parser.at < text.len() {
        return Err(parser.syntax_error("the end of the file"));
    }
    Ok(Some(node))
}

struct JsonParser<'t> {
    text: &'t str,
    dialect: JsonDialect,
    at: usize,
    levels: usize,
}

impl JsonParser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, offset: usize, problem: impl Into<String>) -> ConfigFileError {
        ConfigFileError::at(self.text, offset, problem)
    }

    fn syntax_error(&self, expected: &str) -> ConfigFileError {
        let found = match self.text[self.at..].chars().next() {
            Some(c) if c.is_control() => format!("`{}`", c.escape_default()),
            Some(c) => format!("`{c}`"),
            None => "the end of the file".to_owned(),
        };
        self.error(self.at, format!("{found}; expected {expected}"))
    }

    /// Skips white space and comments.
    fn skip_blank(&mut self) -> Result<(), ConfigFileError> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'/') if self.dialect == JsonDialect::WithComments => self.skip_comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn skip_comment(&mut self) -> Result<(), ConfigFileError> {
        let rest = &self.text[self.at..];
        if rest.starts_with("//") {
            self.at += rest.find('\n').unwrap_or(rest.len());
            return Ok(());
        }
        if !rest.starts_with("/*") {
            return Err(self.syntax_error("a value or a comment"));
        }
        match rest[2..].find("*/") {
            Some(end) => self.at += 2 + end + 2,
            None => return Err(self.error(self.at, "an unterminated comment; expected `*/`")),
        }
        Ok(())
    }

    fn value(&mut self) -> Result<JsonNode, ConfigFileError> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.parse_nested(Self::object)?,
            Some(b'[') => self.parse_nested(Self::array)?,
            Some(b'"') => JsonKind::Scalar(Value::String(self.string()?)),
            Some(b'-' | b'0'..=b'9' | b'a'..=b'z') => self.word()?,
            _ => return Err(self.syntax_error("a value")),
        };
        Ok(JsonNode {
            span: start..self.at,
            kind,
        })
    }

    fn parse_nested(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<JsonKind, ConfigFileError>,
    ) -> Result<JsonKind, ConfigFileError> {
        // The parser is recursive. Without the limit, a file of a hundred thousand `[` would
        // overflow the stack, which cannot be caught.
        if self.levels == 0 {
            let problem = format!("values nested too deep; expected {LEVELS} levels at most");
            return Err(self.error(self.at, problem));
        }
        self.levels -= 1;
        self.at += 1;
        let kind = parse(self)?;
        self.levels += 1;
        Ok(kind)
    }

    fn object(&mut self) -> Result<JsonKind, ConfigFileError> {
        let mut members = Vec::new();
        loop {
            self.skip_blank()?;
            let may_end = members.is_empty() || self.dialect == JsonDialect::WithComments;
            if may_end && self.take_byte(b'}') {
                return Ok(JsonKind::Object(members));
            }
            let start = self.at;
            if self.peek() != Some(b'"') {
                let close = if may_end { " or `}`" } else { "" };
                return Err(self.syntax_error(&format!("a key in quotes{close}")));
            }
            let key = self.string()?;
            self.skip_blank()?;
            if !self.take_byte(b':') {
                return Err(self.syntax_error("`:`"));
            }
            self.skip_blank()?;
            let value = self.value()?;
            self.skip_blank()?;
            let comma = (self.peek() == Some(b',')).then_some(self.at);
            members.push(JsonMember {
                key,
                start,
                value,
                comma,
            });
            if comma.is_some() {
                self.at += 1;
            } else if self.take_byte(b'}') {
                return Ok(JsonKind::Object(members));
            } else {
                return Err(self.syntax_error("`,` or `}`"));
            }
        }
    }

    fn array(&mut self) -> Result<JsonKind, ConfigFileError> {
        let mut items = Vec::new();
        loop {
            self.skip_blank()?;
            let may_end = items.is_empty() || self.dialect == JsonDialect::WithComments;
            if may_end && self.take_byte(b']') {
                return Ok(JsonKind::Array(items));
            }
            items.push(self.value()?);
            self.skip_blank()?;
            if self.take_byte(b']') {
                return Ok(JsonKind::Array(items));
            }
            if !self.take_byte(b',') {
                return Err(self.syntax_error("`,` or `]`"));
            }
        }
    }

    /// Skips a byte if it is the next one.
    fn take_byte(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn string(&mut self) -> Result<String, ConfigFileError> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => break,
                // The byte after a backslash is part of the escape, also if it is a quote. The
                // escape itself is validated by serde_json, which gets the whole string.
                Some(b'\\') => self.at += 2,
                Some(b'\n') | None => {
                    return Err(self.error(start, "an unterminated string; expected `\"`"));
                }
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        let text = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(text).map_err(|_| {
            self.error(
                start,
                "a string with an unescaped or wrongly escaped character",
            )
        })
    }

    fn word(&mut self) -> Result<JsonKind, ConfigFileError> {
        let start = self.at;
        while let Some(b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z') = self.peek() {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        serde_json::from_str(text)
            .map(JsonKind::Scalar)
            .map_err(|_| self.error(start, format!("`{text}`; expected a value")))
    }
}
