//! A link, and all links of one document.

use std::ops::Range;

use docent_document::format::Format;
use docent_document::front_matter;
use docent_text::lines::LineCounter;

use crate::limits::{DOCUMENT_PATTERNS, LINKS};
use crate::{adoc, markdown, paths, rst};

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
    /// The line that its destination stands in, from 1 on; where that cannot be told apart, the line
    /// that it begins in.
    pub line: u32,
    /// The destination as it is read: without the escapes of its markup, still percent-encoded.
    pub target: String,
    /// Whether its document begins with front matter, as the pages of sites do.
    pub is_of_page: bool,
}

/// How a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    /// `href` of HTML.
    Html,
    /// `src` of HTML.
    HtmlSource,
    /// `[[a]]`.
    Wiki,
    /// `![[a]]`.
    Embed,
    /// A file that reStructuredText or AsciiDoc links to by its path.
    File,
    /// A file that reStructuredText offers by its path as it is: `:download:`.
    Download,
    /// A file that they show: `image::`, `figure`.
    Shown,
    /// A file that they include: `include::`, `literalinclude`.
    Included,
    /// A document of reStructuredText by its path without extension: `:doc:`, `toctree`.
    Document,
    /// A label of reStructuredText, wherever in the tree it stands: `:ref:`.
    Label,
    /// The documents that a pattern of a `toctree` matches.
    Glob,
    /// A document or a label of Sphinx, whichever is called so: `:any:`.
    Any,
    /// A file that mdBook takes in, also within code: `{{#include a.rs:anchor}}`.
    Book,
    /// A file that the snippets of Python-Markdown take in: `--8<-- "a.md"`.
    Snippet,
    /// A file of Jekyll: `{% link a.md %}`, `{% include a.html %}`.
    Liquid,
    /// A page of Hugo that is named by less than its path: `{{< ref "a" >}}`.
    Shortcode,
    /// A place of AsciiDoc: `xref:a.adoc#id[]`, `<<id>>`.
    Cross,
    /// A path that is a link where a file of that path is there, and else a text: a value of front
    /// matter, what MDX imports, `ref` of Hugo.
    Path,
}

/// What a link is to what it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// Readers can go there.
    Link,
    /// It is shown in this place.
    Embed,
    /// Its text is part of the document.
    Include,
}

impl LinkKind {
    /// Whether its destination is a URL, and so percent-encoded.
    pub fn is_url(self) -> bool {
        match self {
            Self::Inline
            | Self::Image
            | Self::Definition
            | Self::Use
            | Self::Auto
            | Self::Html
            | Self::HtmlSource => true,
            Self::Wiki
            | Self::Embed
            | Self::File
            | Self::Download
            | Self::Shown
            | Self::Included
            | Self::Document
            | Self::Label
            | Self::Glob
            | Self::Any
            | Self::Book
            | Self::Snippet
            | Self::Liquid
            | Self::Shortcode
            | Self::Cross
            | Self::Path => false,
        }
    }

    /// Whether it names a document wherever that lies.
    pub fn is_wiki(self) -> bool {
        matches!(self, Self::Wiki | Self::Embed)
    }

    /// Whether it is an attribute of HTML.
    pub fn is_html(self) -> bool {
        matches!(self, Self::Html | Self::HtmlSource)
    }

    /// Returns how a link is written that only the program may resolve which reads it.
    pub fn form(self) -> Option<&'static str> {
        match self {
            Self::Any => Some("role any"),
            Self::Label => Some("role ref"),
            Self::Book => Some("{{#include}}"),
            Self::Snippet => Some("--8<--"),
            Self::Liquid => Some("{% include %} or {% link %}"),
            Self::Shortcode => Some("{{< ref >}}"),
            _ => None,
        }
    }

    /// Returns what it is to what it leads to.
    pub fn relation(self) -> Relation {
        match self {
            Self::Image | Self::HtmlSource | Self::Embed | Self::Shown => Relation::Embed,
            Self::Included | Self::Book | Self::Snippet => Relation::Include,
            _ => Relation::Link,
        }
    }
}

/// A link before its line is known.
pub(crate) struct Found {
    pub kind: LinkKind,
    pub span: Range<usize>,
    pub destination: Option<Range<usize>>,
    pub target: String,
}

impl Found {
    /// Returns the link whose destination stands so in `text`.
    pub fn new(
        text: &str,
        kind: LinkKind,
        span: Range<usize>,
        destination: Range<usize>,
    ) -> Option<Self> {
        let target = text.get(destination.clone())?.to_owned();
        Some(Self {
            kind,
            span,
            destination: Some(destination),
            target,
        })
    }
}

/// Returns the links of a document, in the order of the text. What stands in code is none.
pub fn links(text: &str, format: Format) -> Vec<Link> {
    let is_page = format.is_markdown() && front_matter::length(text) > 0;
    let found = match format {
        // Each link that the parser finds has one of them, and to parse a long text for none costs
        // the most of an edit.
        _ if format.is_markdown() && !holds_any(text, b"[<{") => paths::read(format, text, None),
        Format::Markdown | Format::Mdx | Format::Docx | Format::Xlsx | Format::Pdf => {
            markdown::read(format, text).found
        }
        Format::Rst => rst::read(text).found,
        Format::Adoc => adoc::read(text).found,
        Format::Plain | Format::Log => Vec::new(),
    };
    in_order(text, found, is_page)
}

fn holds_any(text: &str, signs: &[u8]) -> bool {
    signs.iter().any(|sign| text.as_bytes().contains(sign))
}

/// Returns links in the order of the text, each with its line, as far as there may be so many.
pub(crate) fn in_order(text: &str, mut found: Vec<Found>, is_of_page: bool) -> Vec<Link> {
    found.sort_by_key(|link| (link.span.start, link.span.end));
    found.truncate(LINKS);
    let mut patterns = 0usize;
    found.retain(|link| {
        patterns += usize::from(link.kind == LinkKind::Glob);
        link.kind != LinkKind::Glob || patterns <= DOCUMENT_PATTERNS
    });
    let lines = address_lines(text, &found);
    let with_line = |(found, line): (Found, u32)| Link {
        line,
        kind: found.kind,
        span: found.span,
        destination: found.destination,
        target: found.target,
        is_of_page,
    };
    found.into_iter().zip(lines).map(with_line).collect()
}

/// Returns the line that the destination of each link stands in; that of the link where it cannot be
/// told apart.
fn address_lines(text: &str, found: &[Found]) -> Vec<u32> {
    let address = |found: &Found| {
        found
            .destination
            .as_ref()
            .map_or(found.span.start, |it| it.start)
    };
    let mut places: Vec<(usize, usize)> = found.iter().map(address).zip(0..).collect();
    // The text is gone through once, and a link may stand in the text of another.
    places.sort_unstable();
    let mut counter = LineCounter::new(text);
    let mut lines = vec![0; found.len()];
    for (at, index) in places {
        lines[index] = counter.line(at);
    }
    lines
}
