//! The reading of all links and anchors of a document, by its format.

use docent_document::format::Format;
use docent_document::front_matter;

use crate::anchors::Anchors;
use crate::link::{Link, in_order};
use crate::signs::Signs;
use crate::{adoc, markdown, paths, rst};

/// Reads the links of a document, in the order of the text. Code contains none.
pub fn links(text: &str, format: Format) -> Vec<Link> {
    let is_page = format.is_markdown() && front_matter::length(text) > 0;
    let found = match format {
        // Every link that the parser finds contains one of these characters; a property test in
        // `tests/it/links.rs` checks that no text without a bracket has a link. Parsing a long
        // text is the most expensive part of an edit. Front matter may still name files.
        _ if format.is_markdown() && !holds_any(text, b"[<{") => {
            paths::read(format, text, Signs::default(), None)
        }
        Format::Markdown | Format::Mdx | Format::Converted => markdown::read(format, text).found,
        Format::Rst => rst::read(text).found,
        Format::Adoc => adoc::read(text).found,
        _ => Vec::new(),
    };
    in_order(text, found, is_page)
}

fn holds_any(text: &str, signs: &[u8]) -> bool {
    signs.iter().any(|sign| text.as_bytes().contains(sign))
}

impl Anchors {
    /// Collects the anchors of a document called `name`.
    pub fn from_text(name: &str, text: &str) -> Self {
        match Format::from_name(name) {
            Some(format) if format.is_markdown() => markdown::read(format, text).anchors,
            Some(Format::Rst) => rst::read(text).anchors,
            Some(Format::Adoc) => adoc::read(text).anchors,
            _ => Self::default(),
        }
    }
}
