//! MDX as Markdown: the same text with MDX-only syntax neutralized.
//!
//! MDX is Markdown with JSX, expressions and modules, and without indented code and HTML. Instead
//! of a parser of its own, each byte that only MDX understands is replaced by a neutral one, and
//! deeply indented lines are outdented, so that a Markdown parser finds every construct at its byte
//! offset in the document. Malformed syntax is left as it is.

mod inline;
mod lines;
mod script;
mod tag;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::headings::heading::Heading;
use crate::mdx::lines::Scanner;

/// An MDX text converted to Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mdx<'t> {
    /// Markdown of the same byte length, which a Markdown parser reads as MDX reads the text.
    pub markdown: Cow<'t, str>,
    /// JSX attributes with string values, in order.
    pub attributes: Vec<Attribute>,
    /// Byte ranges of the expressions, in order.
    pub expressions: Vec<Range<usize>>,
    /// Names of component tags, which begin with a capital.
    pub components: BTreeSet<&'t str>,
}

/// A JSX attribute with a string value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Byte range of the tag name.
    pub tag: Range<usize>,
    /// Byte range of the attribute name.
    pub name: Range<usize>,
    /// Byte range of the value, without quotes.
    pub value: Range<usize>,
}

impl<'t> Mdx<'t> {
    /// Converts an MDX text without its front matter.
    pub fn new(text: &'t str) -> Self {
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
    let mdx = Mdx::new(text);
    let mut headings = crate::headings::headings(&mdx.markdown);
    for heading in &mut headings {
        // The line ends before and after it may have been moved.
        let start = text[..heading.span.start].rfind(['\n', '\r']);
        let start = start.map_or(0, |end| end + 1);
        let shown = text[start..heading.span.end].trim_end().len();
        let after = docent_text::lines::with_ends(&text[start + shown..]).next();
        heading.span = start..start + shown + after.map_or(0, str::len);
    }
    headings
}

#[cfg(test)]
mod tests;
