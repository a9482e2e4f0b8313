//! MDX as Markdown: the same text with what MDX alone knows put out of the parser's way.
//!
//! MDX is Markdown with JSX, expressions and modules, and without indented code and HTML. Rather
//! than to parse it by itself, each byte that only MDX understands becomes one that means nothing,
//! and lines that stand far in come out: then what a parser of Markdown finds is where it is, byte
//! by byte, in the document. What is not well formed stays as it is.

mod inline;
mod lines;
mod script;
mod tag;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::headings::heading::Heading;
use crate::mdx::lines::Scanner;

/// An MDX text as Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mdx<'t> {
    /// As many bytes as the text has, of which a parser of Markdown makes what MDX makes of the
    /// text.
    pub markdown: Cow<'t, str>,
    /// The attributes of its JSX that have a text as their value, in order.
    pub attributes: Vec<Attribute>,
    /// Where its expressions stand, in order.
    pub expressions: Vec<Range<usize>>,
    /// The names of its tags that are components: they begin with a capital.
    pub components: BTreeSet<&'t str>,
}

/// An attribute of JSX with a text as its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Where its tag's name stands.
    pub tag: Range<usize>,
    /// Where its name stands.
    pub name: Range<usize>,
    /// Where its value stands, without quotes.
    pub value: Range<usize>,
}

impl<'t> Mdx<'t> {
    /// Reads an MDX text without its front matter.
    pub fn of(text: &'t str) -> Self {
        let is_plain = memchr::memchr2(b'<', b'{', text.as_bytes()).is_none()
            && !text.contains("import ")
            && !text.contains("export ")
            && !text.contains("    ")
            && !text.contains('\t');
        if is_plain {
            return Self {
                markdown: Cow::Borrowed(text),
                attributes: Vec::new(),
                expressions: Vec::new(),
                components: BTreeSet::new(),
            };
        }
        Scanner::new(text).read()
    }
}

/// Returns the headings of an MDX text without its front matter, in order.
pub fn headings(text: &str) -> Vec<Heading> {
    let mdx = Mdx::of(text);
    let mut headings = crate::headings::headings(&mdx.markdown);
    for heading in &mut headings {
        // The line ends before it and behind it may have been moved.
        let start = text[..heading.span.start].rfind(['\n', '\r']);
        let start = start.map_or(0, |end| end + 1);
        let shown = text[start..heading.span.end].trim_end().len();
        let behind = docent_text::lines::with_ends(&text[start + shown..]).next();
        heading.span = start..start + shown + behind.map_or(0, str::len);
    }
    headings
}

#[cfg(test)]
mod tests;
