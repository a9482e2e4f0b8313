//! An MDX text as Markdown, with its attributes and expressions.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// An MDX text converted to Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mdx<'t> {
    /// Markdown of the same byte length, which a Markdown parser reads as MDX reads the text.
    /// Positions in it are positions in the text, so that no table of offsets is needed.
    pub markdown: Cow<'t, str>,
    /// JSX attributes with string values, in order.
    pub attributes: Vec<JsxAttribute>,
    /// Byte ranges of the expressions, in order.
    pub expressions: Vec<Range<usize>>,
    /// Names of component tags, which begin with a capital.
    pub components: BTreeSet<&'t str>,
}

/// A JSX attribute with a string value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsxAttribute {
    /// Byte range of the tag name.
    pub tag: Range<usize>,
    /// Byte range of the attribute name.
    pub name: Range<usize>,
    /// Byte range of the value, without quotes.
    pub value: Range<usize>,
}
