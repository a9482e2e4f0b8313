//! JSX tags.

use std::ops::Range;

use crate::mdx::conversion::JsxAttribute;
use crate::mdx::script::after_brace;

/// A JSX tag, opening or closing.
pub struct Tag {
    /// Position after its `>`.
    pub end: usize,
    /// Byte range of the name of an opening tag.
    pub name: Option<Range<usize>>,
    /// Its attributes with string values.
    pub attributes: Vec<JsxAttribute>,
}

/// Parses the tag that begins with the `<` at `at` and ends before `end`, such as `<A b="c" {...d}
/// e={f}>`, `</A>` or `<>`. Fails with the position up to which the text was read, which counts
/// against the allowance of the scanner.
pub fn tag(text: &[u8], at: usize, end: usize) -> Result<Tag, usize> {
    let mut reader = TagReader {
        text: &text[..end],
        at: at + 1,
        name: None,
        attributes: Vec::new(),
    };
    match reader.tag() {
        Some(()) => Ok(Tag {
            end: reader.at,
            name: reader.name,
            attributes: reader.attributes,
        }),
        None => Err(reader.at),
    }
}

struct TagReader<'t> {
    text: &'t [u8],
    at: usize,
    name: Option<Range<usize>>,
    attributes: Vec<JsxAttribute>,
}

impl TagReader<'_> {
    fn next(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, sign: u8) -> Option<()> {
        let is_it = self.next() == Some(sign);
        self.at += usize::from(is_it);
        is_it.then_some(())
    }

    fn skip_blanks(&mut self) {
        while self.next().is_some_and(|sign| sign.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn tag(&mut self) -> Option<()> {
        if self.take(b'/').is_some() {
            self.skip_blanks();
            if self.name().is_some() {
                self.skip_blanks();
            }
            return self.take(b'>');
        }
        let Some(tag) = self.name() else {
            return self.take(b'>');
        };
        self.name = Some(tag.clone());
        loop {
            self.skip_blanks();
            match self.next()? {
                b'/' => {
                    self.at += 1;
                    self.skip_blanks();
                    return self.take(b'>');
                }
                b'>' => return self.take(b'>'),
                b'{' => self.braces()?,
                _ => self.attribute(&tag)?,
            }
        }
    }

    fn attribute(&mut self, tag: &Range<usize>) -> Option<()> {
        let name = self.name()?;
        let after = self.at;
        self.skip_blanks();
        if self.take(b'=').is_none() {
            self.at = after;
            return Some(());
        }
        self.skip_blanks();
        match self.next()? {
            quote @ (b'"' | b'\'') => {
                let start = self.at + 1;
                let Some(length) = memchr::memchr(quote, &self.text[start..]) else {
                    self.at = self.text.len();
                    return None;
                };
                self.at = start + length + 1;
                self.attributes.push(JsxAttribute {
                    tag: tag.clone(),
                    name,
                    value: start..start + length,
                });
                Some(())
            }
            b'{' => self.braces(),
            _ => None,
        }
    }

    fn braces(&mut self) -> Option<()> {
        let end = self.text.len();
        let after = after_brace(self.text, self.at + 1, end);
        self.at = after.unwrap_or(end);
        after.map(|_| ())
    }

    fn name(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let is_first =
            |sign: u8| sign.is_ascii_alphabetic() || b"_$".contains(&sign) || sign >= 128;
        self.next().filter(|sign| is_first(*sign))?;
        while let Some(sign) = self.next()
            && (is_first(sign) || sign.is_ascii_digit() || b"-.:".contains(&sign))
        {
            self.at += 1;
        }
        Some(start..self.at)
    }
}
