//! The byte ranges of the values in a JSON text.

use std::ops::Range;

/// A value and its range.
#[derive(Debug)]
pub struct Node {
    /// Byte range in the text.
    pub range: Range<usize>,
    /// Values inside it.
    pub shape: Shape,
}

/// The values inside a value.
#[derive(Debug)]
pub enum Shape {
    /// None: a string, a number, a boolean or null.
    Scalar,
    /// The items of a list, in order.
    Array(Vec<Node>),
    /// The values of an object's fields, in order.
    Object(Vec<Node>),
}

impl Node {
    /// Parses a text that is known to be JSON; for any other text the result is unspecified.
    pub fn parse(text: &str) -> Self {
        let mut reader = Reader { text, place: 0 };
        reader.value()
    }
}

/// A reader of a text.
struct Reader<'a> {
    text: &'a str,
    place: usize,
}

impl Reader<'_> {
    /// Returns the next byte after white space, commas and colons, which do not affect the ranges
    /// of values.
    fn next(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.place..];
        let is_between = |byte: &u8| byte.is_ascii_whitespace() || b",:".contains(byte);
        let between = rest.iter().take_while(|byte| is_between(byte)).count();
        self.place += between;
        rest.get(between).copied()
    }

    fn value(&mut self) -> Node {
        let first = self.next();
        let start = self.place;
        let shape = match first {
            Some(b'[') => Shape::Array(self.values(b']', |reader| reader.value())),
            Some(b'{') => Shape::Object(self.values(b'}', |reader| {
                reader.value();
                reader.value()
            })),
            Some(b'"') => {
                self.string();
                Shape::Scalar
            }
            _ => {
                let rest = &self.text[start..];
                let end = rest.find(|c: char| c.is_whitespace() || ",:]}".contains(c));
                self.place += end.unwrap_or(rest.len());
                Shape::Scalar
            }
        };
        Node {
            range: start..self.place,
            shape,
        }
    }

    fn values(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Node) -> Vec<Node> {
        self.place += 1;
        let mut items = Vec::new();
        while self.next().is_some_and(|byte| byte != close) {
            items.push(item(self));
        }
        self.place = self.text.len().min(self.place + 1);
        items
    }

    fn string(&mut self) {
        let mut is_escaped = false;
        let rest = self.text[self.place + 1..].bytes();
        let inside = rest.take_while(|byte| {
            let is_end = *byte == b'"' && !is_escaped;
            is_escaped = *byte == b'\\' && !is_escaped;
            !is_end
        });
        self.place = self.text.len().min(self.place + inside.count() + 2);
    }
}
