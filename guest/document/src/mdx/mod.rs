//! MDX as Markdown: the same text with MDX-only syntax neutralized.
//!
//! MDX is Markdown with JSX, expressions and modules, and without indented code and HTML. Instead
//! of a parser of its own, each byte that only MDX understands is replaced by a neutral one, and
//! deeply indented lines are outdented, so that a Markdown parser finds every construct at its byte
//! offset in the document. Malformed syntax is left as it is.

mod conversion;
mod inline;
mod lines;
mod script;
mod tag;

pub use conversion::{JsxAttribute, Mdx};
use std::borrow::Cow;

use std::collections::BTreeSet;

use crate::mdx::lines::Scanner;

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

#[cfg(test)]
mod tests;
