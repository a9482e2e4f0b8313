//! Links, their syntaxes, and their order in a document.

use std::ops::Range;

use docent_text::lines::LineCounter;
use docent_text::sort::sort_by_key;

use crate::limits::{DOCUMENT_PATTERNS, LINKS};

/// A link in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Syntax of the link.
    pub kind: LinkKind,
    /// Byte range of the link in the text.
    pub span: Range<usize>,
    /// Byte range of the destination, without `<` and `>`. `None` for the use of a reference, whose
    /// definition contains it, and if it cannot be located.
    pub destination: Option<Range<usize>>,
    /// Line of the destination, from 1, or the first line of the link if the destination cannot be
    /// located.
    pub line: u32,
    /// Destination without the escapes of its markup, still percent-encoded.
    pub target: String,
    /// True if the document begins with front matter, as the pages of sites do.
    pub is_of_page: bool,
}

/// The syntax of a link.
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
    /// A file linked by its path, in reStructuredText or AsciiDoc.
    File,
    /// A file offered for download by its literal path in reStructuredText: `:download:`.
    Download,
    /// A file that is displayed: `image::`, `figure`.
    Shown,
    /// A file that is included: `include::`, `literalinclude`.
    Included,
    /// A reStructuredText document by its path without extension: `:doc:`, `toctree`.
    Document,
    /// A reStructuredText label anywhere in the tree: `:ref:`.
    Label,
    /// All documents that match a pattern of a `toctree`.
    Glob,
    /// A Sphinx document or label with this name: `:any:`.
    Any,
    /// A file included by mdBook, also within code: `{{#include a.rs:anchor}}`.
    Book,
    /// A file included by the snippets of Python-Markdown: `--8<-- "a.md"`.
    Snippet,
    /// A file of Jekyll: `{% link a.md %}`, `{% include a.html %}`.
    Liquid,
    /// A page of Hugo named by less than its path: `{{< ref "a" >}}`.
    Shortcode,
    /// An AsciiDoc cross reference: `xref:a.adoc#id[]`, `<<id>>`.
    Cross,
    /// A path that is a link only if a file exists there: a value of front matter, an import of
    /// MDX, `ref` of Hugo.
    Path,
}

/// The relation of a link to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// Readers can follow it.
    Link,
    /// The target is shown in its place.
    Embed,
    /// The target's text is part of the document.
    Include,
}

impl LinkKind {
    /// Returns true if the destination is a URL, and so percent-encoded.
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

    /// Returns true if the link names a document wherever it is.
    pub fn is_wiki(self) -> bool {
        matches!(self, Self::Wiki | Self::Embed)
    }

    /// Returns true if the link is an attribute of HTML.
    pub fn is_html(self) -> bool {
        matches!(self, Self::Html | Self::HtmlSource)
    }

    /// Returns the name of a syntax that only the program which reads it may resolve.
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

    /// Returns the relation to the target.
    pub fn relation(self) -> Relation {
        match self {
            Self::Image | Self::HtmlSource | Self::Embed | Self::Shown => Relation::Embed,
            Self::Included | Self::Book | Self::Snippet => Relation::Include,
            _ => Relation::Link,
        }
    }
}

/// A link whose line is not known yet.
pub(crate) struct Found {
    pub kind: LinkKind,
    pub span: Range<usize>,
    pub destination: Option<Range<usize>>,
    pub target: String,
}

impl Found {
    /// Creates the link whose destination is at this range of `text`.
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

/// Sorts links by their position, adds their lines, and truncates them to the limit.
pub(crate) fn in_order(text: &str, mut found: Vec<Found>, is_of_page: bool) -> Vec<Link> {
    // Sorted before it is truncated. Links are found syntax by syntax (in Markdown all
    // definitions first), so without the order the limit would keep the links of one syntax from
    // the whole text, not the first links of the text.
    sort_by_key(&mut found, |link| (link.span.start, link.span.end));
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

/// Returns the line of each link's destination, or of the link if the destination cannot be
/// located.
fn address_lines(text: &str, found: &[Found]) -> Vec<u32> {
    let address = |found: &Found| {
        found
            .destination
            .as_ref()
            .map_or(found.span.start, |it| it.start)
    };
    let mut places: Vec<(usize, usize)> = found.iter().map(address).zip(0..).collect();
    // Links are in the order of their starts, destinations are not: in `[![a](b.png)](c.md)` the
    // outer link comes first and its destination last. The counter of lines only moves forward,
    // so the positions are sorted, and one pass over the text serves all links.
    places.sort_unstable();
    let mut counter = LineCounter::new(text);
    let mut lines = vec![0; found.len()];
    for (at, index) in places {
        lines[index] = counter.line(at);
    }
    lines
}
