//! A link, and all links of one document.

use std::ops::Range;

use docent_document::format::Format;
use docent_text::lines::LineCounter;

use crate::limits::LINKS;
use crate::{markdown, markup};

/// A link as it stands in its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// How it is written.
    pub kind: LinkKind,
    /// Where it stands, in bytes of the text.
    pub span: Range<usize>,
    /// Where its destination stands, without `<` and `>` round it; none for the use of a reference,
    /// whose definition holds it, and where it cannot be told apart.
    pub destination: Option<Range<usize>>,
    /// The line that it begins in, from 1 on.
    pub line: u32,
    /// The destination as it is read: without the escapes of its markup, still percent-encoded.
    pub target: String,
}

/// How a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// `[text](a.md)`.
    Inline,
    /// `![text](a.png)`.
    Image,
    /// `[label]: a.md`.
    Definition,
    /// `[text][label]`, also of an image.
    Use,
    /// `<https://example.org>`.
    Auto,
    /// `href` and `src` of HTML.
    Html,
    /// `[[a]]`.
    Wiki,
    /// `![[a]]`.
    Embed,
    /// A file by its path in reStructuredText or AsciiDoc: included, shown or linked to.
    File,
    /// A document of reStructuredText by its path without extension: `:doc:`, `toctree`.
    Document,
    /// A place of AsciiDoc: `xref:a.adoc#id[]`, `<<id>>`.
    Cross,
}

impl LinkKind {
    /// Whether its destination is a URL, and so percent-encoded.
    pub fn is_url(self) -> bool {
        match self {
            Self::Inline | Self::Image | Self::Definition | Self::Use | Self::Auto | Self::Html => {
                true
            }
            Self::Wiki | Self::Embed | Self::File | Self::Document | Self::Cross => false,
        }
    }

    /// Whether it names a document wherever that lies.
    pub fn is_wiki(self) -> bool {
        matches!(self, Self::Wiki | Self::Embed)
    }
}

/// A link before its line is known.
pub(crate) struct Found {
    pub kind: LinkKind,
    pub span: Range<usize>,
    pub destination: Option<Range<usize>>,
    pub target: String,
}

/// Returns the links of a document, in the order of the text. What stands in code is none.
pub fn links(text: &str, format: Format) -> Vec<Link> {
    let mut found = match format {
        Format::Markdown | Format::Docx | Format::Xlsx | Format::Pdf => markdown::links(text),
        Format::Rst => markup::rst_links(text),
        Format::Adoc => markup::adoc_links(text),
        Format::Plain | Format::Log => Vec::new(),
    };
    found.sort_by_key(|link| (link.span.start, link.span.end));
    found.truncate(LINKS);
    let mut lines = LineCounter::new(text);
    let with_line = |found: Found| Link {
        line: lines.line(found.span.start),
        kind: found.kind,
        span: found.span,
        destination: found.destination,
        target: found.target,
    };
    found.into_iter().map(with_line).collect()
}
