//! Links and anchors of Markdown.

use std::borrow::Cow;
use std::ops::Range;

use docent_document::format::Format;
use docent_document::front_matter;
use docent_document::headings::anchor::id_in_attributes;
use docent_document::headings::heading::{HeadingReader, OPTIONS};
use docent_document::mdx::Mdx;
use docent_document::sections::{Slugs, slug};
use docent_text::lines::{with_ends, without_end};
use docent_text::sort::sort_by_key;
use memchr::{memchr_iter, memchr2, memchr2_iter, memmem};
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::anchors::Anchors;
use crate::html::{Attribute, attributes, headings};
use crate::limits::{DESTINATION_BYTES, HEADING_LINE};
use crate::link::{Found, LinkKind};
use crate::myst::{self, Myst};
use crate::signs::Signs;
use crate::{literal, paths, properties};

/// Parser options beyond those of headings: without this one the text of a footnote looks like the
/// destination of a reference.
const LINK_OPTIONS: Options = OPTIONS
    .union(Options::ENABLE_WIKILINKS)
    .union(Options::ENABLE_FOOTNOTES);

/// Beginnings of tags that include other texts, whose anchors are unknown.
const INCLUDES: [&str; 8] = [
    "{!",
    "{% include",
    "{%include",
    "{{< include",
    "{{< readfile",
    "{{% include",
    "{{#include",
    "{include}",
];

/// Template tags that generate no anchors. Those of other tags are unknown.
const PLAIN_TAGS: [&str; 24] = [
    "note",
    "warning",
    "caution",
    "tip",
    "info",
    "alert",
    "highlight",
    "figure",
    "youtube",
    "mermaid",
    "param",
    "ref",
    "relref",
    "details",
    "raw",
    "comment",
    "if",
    "else",
    "elsif",
    "unless",
    "assign",
    "capture",
    "glossary_tooltip",
    "feature-state",
];

/// Components of most sites that generate no anchors.
const PLAIN_COMPONENTS: [&str; 27] = [
    "Tabs",
    "Tab",
    "TabItem",
    "Card",
    "Cards",
    "CardGrid",
    "LinkCard",
    "LinkButton",
    "Link",
    "Steps",
    "Step",
    "Aside",
    "Callout",
    "Note",
    "Tip",
    "Info",
    "Warning",
    "Caution",
    "Icon",
    "Image",
    "Badge",
    "FileTree",
    "Code",
    "CodeBlock",
    "Fragment",
    "Details",
    "Admonition",
];

/// The links, anchors and labels of a Markdown text.
pub struct MarkdownLinks {
    /// Links of the text.
    pub found: Vec<Found>,
    /// Anchors of the text.
    pub anchors: Anchors,
    /// MyST labels.
    pub labels: Vec<String>,
}

/// A link whose end the parser has not reached.
struct OpenLink {
    link_type: LinkType,
    kind: LinkKind,
    target: String,
    /// End of the link text read so far. The destination is searched for after it.
    text_end: usize,
}

/// The anchors found so far.
#[derive(Default)]
struct AnchorCollector {
    slugs: Slugs,
    ids: Vec<String>,
    named: Vec<String>,
    /// Ranges of code blocks.
    code: Vec<Range<usize>>,
    /// Ranges of inline code.
    spans: Vec<Range<usize>>,
    /// True if the text contains components, which may generate anchors.
    has_components: bool,
}

/// Reads the links and anchors of a Markdown text of this format, in one pass of the parser.
pub fn read(format: Format, text: &str) -> MarkdownLinks {
    let body = front_matter::length(text);
    let written = &text[body..];
    let mdx = (format == Format::Mdx).then(|| Mdx::new(written));
    let signs = Signs::new(text);
    let mut myst = (format == Format::Markdown).then(|| Myst::read(written, signs));
    let markdown: &str = match (&mdx, &myst) {
        (Some(mdx), _) => &mdx.markdown,
        (None, Some(myst)) => &myst.markdown,
        (None, None) => written,
    };
    let mut events = Parser::new_ext(markdown, LINK_OPTIONS).into_offset_iter();
    let mut found = Vec::new();
    for (_, definition) in events.reference_definitions().iter() {
        let span = definition.span.clone();
        let destination = definition_destination(markdown, &span, &definition.dest);
        found.push(Found {
            kind: LinkKind::Definition,
            span,
            destination,
            target: definition.dest.to_string(),
        });
    }
    let mut open: Vec<OpenLink> = Vec::new();
    let mut places = AnchorCollector::default();
    let mut reader = HeadingReader::new(markdown);
    while let Some((event, span)) = events.next() {
        if let Some(heading) = reader.take(&event, &span) {
            places.add(&heading.text, heading.anchor);
        }
        match event {
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                ..
            }) => open.push(OpenLink::new(
                link_type,
                LinkKind::Inline,
                &dest_url,
                span.start + 1,
            )),
            Event::Start(Tag::Image {
                link_type,
                dest_url,
                ..
            }) => open.push(OpenLink::new(
                link_type,
                LinkKind::Image,
                &dest_url,
                span.start + 2,
            )),
            Event::End(TagEnd::Link | TagEnd::Image) => {
                let end = span.end;
                let closed = open.pop().and_then(|link| link.close(markdown, span));
                found.extend(closed.map(|link| {
                    let label = link.label(markdown);
                    let definitions = events.reference_definitions();
                    let definition = label.as_deref().and_then(|label| definitions.get(label));
                    match definition {
                        Some(definition) => link.into_use(&definition.dest),
                        None => link,
                    }
                }));
                reach(&mut open, end);
            }
            Event::Start(Tag::HtmlBlock) => add_html(markdown, span, &mut found, &mut places),
            Event::InlineHtml(_) => {
                reach(&mut open, span.end);
                add_html(markdown, span, &mut found, &mut places);
            }
            Event::Start(Tag::CodeBlock(kind)) => places.add_code(&kind, span),
            Event::Code(_) => {
                reach(&mut open, span.end);
                if myst.is_some() {
                    found.extend(myst::role(markdown, &span));
                }
                places.spans.push(span);
            }
            Event::Start(Tag::FootnoteDefinition(label)) => places.add_footnote(&label),
            _ => reach(&mut open, span.end),
        }
    }
    if let Some(mdx) = &mdx {
        add_jsx(written, mdx, &mut found, &mut places);
    }
    if memchr2(b'$', b'%', markdown.as_bytes()).is_some() {
        places.leave_out_literal(markdown, &mut found);
    }
    places.add_written(markdown);
    let (mut labels, mut is_complete) = (Vec::new(), true);
    if let Some(myst) = &mut myst {
        found.append(&mut myst.found);
        places.ids.append(&mut myst.ids);
        labels = std::mem::take(&mut myst.labels);
        is_complete = myst.is_complete;
    }
    // So far all positions are relative to the body, since the parser reads the text without its
    // front matter. The links added below are found in the whole text: front matter is part of
    // it, and template tags may be anywhere. They must not be shifted.
    for link in &mut found {
        link.span = link.span.start + body..link.span.end + body;
        let moved = |range: Range<usize>| range.start + body..range.end + body;
        link.destination = link.destination.take().map(moved);
    }
    found.extend(properties::links(&text[..body]));
    let named = paths::read(format, text, signs, mdx.as_ref());
    leave_out_templates(&named, &mut found);
    found.extend(named);
    MarkdownLinks {
        found,
        anchors: Anchors::new(
            places.ids,
            places.named,
            is_complete
                && !(includes_headings(written, signs, &places.code)
                    || places.has_components
                    || has_components(mdx.as_ref())),
        ),
        labels,
    }
}

/// Removes the links whose destination is a template tag that names a file, which is reported as a
/// link of its own.
fn leave_out_templates(named: &[Found], found: &mut Vec<Found>) {
    let is_tag = |link: &&Found| matches!(link.kind, LinkKind::Liquid | LinkKind::Shortcode);
    let mut tags: Vec<&Range<usize>> = named.iter().filter(is_tag).map(|tag| &tag.span).collect();
    sort_by_key(&mut tags, |tag| tag.start);
    if tags.is_empty() {
        return;
    }
    found.retain(|link| {
        let Some(range) = link.destination.as_ref() else {
            return true;
        };
        let next = tags.partition_point(|tag| tag.start < range.start);
        tags.get(next).is_none_or(|tag| tag.end > range.end)
    });
}

/// Returns true if a text includes others that may have headings. A file that is included in a
/// block of code stays code, unless it is Markdown with fences of its own; `signs` are those of the
/// text, and `code` holds the blocks, in order.
fn includes_headings(markdown: &str, signs: Signs, code: &[Range<usize>]) -> bool {
    let is_part = |line: &str| {
        let path = line
            .trim_end()
            .trim_end_matches(';')
            .trim_end_matches(['"', '\'']);
        line.starts_with("import ") && (path.ends_with(".md") || path.ends_with(".mdx"))
    };
    // This check runs on every text. When each text was searched for eleven signs, and texts
    // with code were read for directives, reading 4 000 notes took 1.15 times as long.
    let bytes = markdown.as_bytes();
    let holds = |sign: &str| memmem::find(bytes, sign.as_bytes()).is_some();
    let has_braces = signs.pairs || signs.tags || signs.includes;
    has_braces
        && memchr_iter(b'{', bytes).any(|at| {
            // The second character of all signs below.
            if !matches!(bytes.get(at + 1), Some(b'{' | b'%' | b'!' | b'i')) {
                return false;
            }
            let rest = &markdown[at..];
            let is_include = INCLUDES.iter().any(|sign| rest.starts_with(sign));
            let is_tag = ["{{", "{%", "{!"].iter().any(|sign| rest.starts_with(sign));
            let block = code.partition_point(|block| block.end <= at);
            // A listing such as `{{#include ../code/main.rs}}` within a fence adds no headings.
            // When it made the anchors of a page unknown, no link to any page of a translated
            // mdBook was ever reported as broken. A Markdown file may contain the end of its own
            // fence, so it counts.
            if is_tag && code.get(block).is_some_and(|block| block.start <= at) {
                let tag = rest.split(['}', '\n']).next().unwrap_or_default();
                return tag.contains(".md");
            }
            is_include || is_generator(markdown, at)
        })
        || signs.scissors && holds("--8<--")
        || signs.comments && holds("<!-- md:")
        || holds("import ") && with_ends(markdown).any(is_part)
}

/// Returns true if the `{` at `at` begins a template tag that may generate anchors: it is at the
/// start of a line, or in a heading.
fn is_generator(markdown: &str, at: usize) -> bool {
    let rest = &markdown[at..];
    let signs = ["{{<", "{{%", "{{-", "{{", "{%-", "{%"];
    let Some(inside) = signs.iter().find_map(|sign| rest.strip_prefix(sign)) else {
        return false;
    };
    // The start of the line is searched for within a limit that no line of a heading exceeds.
    // Without it each tag in a long line would search back to the start of the line:
    // `{{a}}{{a}}…` would take time quadratic in the length of the text.
    let start = markdown.floor_char_boundary(at.saturating_sub(HEADING_LINE));
    let before = markdown[start..at]
        .rsplit(['\n', '\r'])
        .next()
        .unwrap_or_default();
    if before.starts_with('#') {
        return true;
    }
    let is_name = |c: char| c.is_alphanumeric() || "-_".contains(c);
    let inside = inside.trim_start();
    let name = &inside[..inside.find(|c: char| !is_name(c)).unwrap_or(inside.len())];
    let is_closing = inside.starts_with('/') || name.starts_with("end");
    before.trim().is_empty() && !is_closing && !PLAIN_TAGS.contains(&name)
}

impl AnchorCollector {
    fn add(&mut self, heading: &str, anchor: String) {
        let by_name = slug(heading);
        if by_name != anchor {
            self.named.push(by_name);
        }
        // GitHub drops the `&` of `A & b` and turns each blank into a hyphen: `a--b`.
        // Python-Markdown merges the hyphens: `a-b`. Which of them applies depends on the site,
        // so both are kept.
        if anchor.contains("--") {
            let words = anchor.split('-').filter(|word| !word.is_empty());
            self.named.push(words.collect::<Vec<_>>().join("-"));
        }
        self.ids.push(self.slugs.unique(anchor));
    }

    /// Records a code block, which may have an id: ```` ``` { .sh #example } ````.
    fn add_code(&mut self, kind: &CodeBlockKind<'_>, span: Range<usize>) {
        self.code.push(span);
        if let CodeBlockKind::Fenced(info) = kind
            && let Some((_, attributes)) = info.split_once('{')
        {
            let id = attributes.split('}').next().and_then(id_in_attributes);
            self.ids.extend(id.map(str::to_owned));
        }
    }

    /// Removes the links that begin in mathematics or in a comment.
    fn leave_out_literal(&self, markdown: &str, found: &mut Vec<Found>) {
        let mut code = [&self.code[..], &self.spans].concat();
        sort_by_key(&mut code, |span| span.start);
        let literal = literal::stretches(markdown, &code);
        found.retain(|link| {
            let behind = literal.partition_point(|range| range.end <= link.span.start);
            let inside = literal.get(behind);
            inside.is_none_or(|range| range.start > link.span.start)
        });
    }

    /// Adds the ids that site generators give to a footnote and to its reference.
    fn add_footnote(&mut self, label: &str) {
        let ids = ["fn:", "fnref:", "fn-", "fnref-"];
        self.ids
            .extend(ids.map(|prefix| format!("{prefix}{label}")));
    }

    /// Adds the anchors written in the text itself: `^name` at the end of a block, and ids in
    /// attributes like `{ #id .class }`.
    fn add_written(&mut self, markdown: &str) {
        let mut code = self.code.iter().peekable();
        let mut behind = 0;
        for sign in memchr2_iter(b'{', b'^', markdown.as_bytes()) {
            // A line is examined once, not once for each of its braces, so that `{#a}{#b}{#c}…`
            // takes time in proportion to its length.
            if sign < behind {
                continue;
            }
            let at = markdown[..sign]
                .rfind(['\n', '\r'])
                .map_or(0, |end| end + 1);
            let line = with_ends(&markdown[at..]).next().unwrap_or_default();
            behind = at + line.len();
            while code.next_if(|span| span.end <= at).is_some() {}
            if code.peek().is_some_and(|span| span.start <= at) {
                continue;
            }
            for part in line.split('{').skip(1) {
                let inside = part.split_once('}').map(|(inside, _)| inside);
                let id = inside.and_then(id_in_attributes);
                self.ids.extend(id.map(str::to_owned));
            }
            let last = without_end(line).split_whitespace().next_back();
            let name = last.and_then(|last| last.strip_prefix('^'));
            let is_name = |name: &&str| {
                !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            };
            if let Some(name) = name.filter(is_name) {
                self.named.push(format!("^{}", name.to_lowercase()));
            }
        }
    }
}

/// Extends the text of the innermost link to `end`.
fn reach(open: &mut [OpenLink], end: usize) {
    if let Some(link) = open.last_mut() {
        link.text_end = link.text_end.max(end);
    }
}

impl OpenLink {
    fn new(link_type: LinkType, plain: LinkKind, target: &str, text_end: usize) -> Self {
        let kind = match link_type {
            LinkType::Inline => plain,
            LinkType::WikiLink { .. } if plain == LinkKind::Image => LinkKind::Embed,
            LinkType::WikiLink { .. } => LinkKind::Wiki,
            LinkType::Autolink | LinkType::Email => LinkKind::Auto,
            LinkType::Reference
            | LinkType::ReferenceUnknown
            | LinkType::Collapsed
            | LinkType::CollapsedUnknown
            | LinkType::Shortcut
            | LinkType::ShortcutUnknown => LinkKind::Use,
        };
        Self {
            link_type,
            kind,
            target: target.to_owned(),
            text_end,
        }
    }

    fn close(self, markdown: &str, span: Range<usize>) -> Option<Found> {
        // With wikilinks enabled the parser ends `[[text]](a.md)` and `[[text]][label]` after
        // the double bracket. In CommonMark these are links whose text contains brackets: the
        // first has a destination of its own, and the second refers to a definition.
        match markdown.as_bytes().get(span.end) {
            Some(b'(') if self.kind.is_wiki() => return read_bracketed_link(markdown, span),
            Some(b'[') if self.kind.is_wiki() => return None,
            _ => {}
        }
        // The parser returns the text of a destination, not its position. The position is
        // searched for after the last event within the link, because the text of the link may
        // contain `](` as well: `[![a](b.png)](c.md)`. A range that does not decode to the
        // parser's destination is dropped. The link is then reported as one that cannot be
        // rewritten, and no other bytes are replaced.
        let destination = match self.link_type {
            LinkType::Inline => {
                let rest = markdown.get(self.text_end..span.end);
                let bracket = rest.and_then(|rest| rest.find("]("));
                bracket.and_then(|at| destination(markdown, self.text_end + at + 2..span.end))
            }
            LinkType::Autolink | LinkType::Email => Some(span.start + 1..span.end - 1),
            LinkType::WikiLink { .. } => wiki_name(markdown, &span),
            _ => None,
        };
        let is_it = |range: &Range<usize>| match self.kind {
            LinkKind::Inline | LinkKind::Image => unescape(&markdown[range.clone()]) == self.target,
            _ => true,
        };
        let destination = destination.filter(is_it);
        let target = match (&destination, self.kind.is_wiki()) {
            (Some(range), true) => markdown[range.clone()].trim().to_owned(),
            _ => self.target,
        };
        // `[[1], [2]]` is a list, and `[[TOC]]` a placeholder for a table of contents.
        let is_other = target.contains(['[', ']'])
            || ["toc", "_toc_"]
                .iter()
                .any(|word| target.eq_ignore_ascii_case(word));
        if self.kind.is_wiki() && is_other {
            return None;
        }
        Some(Found {
            kind: self.kind,
            span,
            destination,
            target,
        })
    }
}

impl Found {
    /// Returns the label of `[[label]]` if it is a CommonMark reference in brackets.
    fn label(&self, markdown: &str) -> Option<String> {
        let source = markdown.get(self.span.clone())?;
        let source = source.strip_prefix('!').unwrap_or(source);
        let inside = source.strip_prefix("[[")?.strip_suffix("]]");
        let inside = inside.filter(|_| self.kind.is_wiki())?;
        let words: Vec<&str> = inside.split_whitespace().collect();
        Some(words.join(" "))
    }

    /// Returns the link as the use of a definition with this destination. Notes define the names
    /// that they link to, for Markdown readers without wikilinks.
    fn into_use(self, destination: &str) -> Self {
        Self {
            kind: LinkKind::Use,
            destination: None,
            target: destination.to_owned(),
            ..self
        }
    }
}

/// Returns the link whose text ends at the end of `span`, followed by its destination on the same
/// line.
fn read_bracketed_link(markdown: &str, span: Range<usize>) -> Option<Found> {
    let inside = span.end + 1;
    // Parsers find the `)` in one pass; this function is called again for each wikilink. The
    // limit keeps it from searching the whole text for each `[[a]](` in a text without a `)`.
    let end = markdown.floor_char_boundary((inside + DESTINATION_BYTES).min(markdown.len()));
    let line = markdown[inside..end].split(['\n', '\r']).next()?;
    let close = line.find(')')?;
    let found = destination(markdown, inside..inside + close + 1)?;
    let is_image = markdown[span.start..].starts_with('!');
    Some(Found {
        kind: if is_image {
            LinkKind::Image
        } else {
            LinkKind::Inline
        },
        span: span.start..inside + close + 1,
        target: unescape(&markdown[found.clone()]).into_owned(),
        destination: Some(found),
    })
}

/// Returns the range of a definition's destination.
fn definition_destination(
    markdown: &str,
    span: &Range<usize>,
    target: &str,
) -> Option<Range<usize>> {
    let source = markdown.get(span.clone())?;
    let mut is_escaped = false;
    let label = source.char_indices().find(|(_, c)| {
        let is_end = *c == ']' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        is_end
    });
    let behind = span.start + label?.0 + 1;
    let colon = markdown[behind..span.end].starts_with(':');
    let found = destination(markdown, behind + usize::from(colon)..span.end)?;
    (colon && unescape(&markdown[found.clone()]) == target).then_some(found)
}

/// Returns the range of the first destination in `within`, without its delimiters.
fn destination(markdown: &str, within: Range<usize>) -> Option<Range<usize>> {
    let source = markdown.get(within.clone())?;
    let start = within.start + (source.len() - source.trim_start().len());
    let source = &markdown[start..within.end];
    let is_angled = source.starts_with('<');
    let (mut depth, mut is_escaped) = (0usize, false);
    // Bytes suffice: all characters that matter are ASCII, and no byte of another character in
    // UTF-8 equals an ASCII character.
    for (at, byte) in source.bytes().enumerate().skip(usize::from(is_angled)) {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match byte {
            b'\\' => is_escaped = true,
            b'>' if is_angled => return Some(start + 1..start + at),
            b'(' => depth += 1,
            b')' if !is_angled && depth == 0 => return Some(start..start + at),
            b')' => depth = depth.saturating_sub(1),
            byte if byte.is_ascii_whitespace() && !is_angled => return Some(start..start + at),
            _ => {}
        }
    }
    (!is_angled).then_some(start..within.end)
}

/// Returns the range of the name in `[[name|shown]]`.
fn wiki_name(markdown: &str, span: &Range<usize>) -> Option<Range<usize>> {
    let source = markdown.get(span.clone())?;
    let start = source.find("[[")? + 2;
    let inside = &source[start..];
    let end = inside.find('|').or_else(|| inside.find("]]"))?;
    // In a table the bar is escaped.
    let end = inside[..end].strip_suffix('\\').map_or(end, str::len);
    Some(span.start + start..span.start + start + end)
}

fn add_html(
    markdown: &str,
    span: Range<usize>,
    found: &mut Vec<Found>,
    places: &mut AnchorCollector,
) {
    let html = &markdown[span.clone()];
    places.has_components |= tags(html).any(is_component);
    add_attributes(markdown, span, found, places);
    headings(html, |heading| places.add(heading, slug(heading)));
}

/// Returns true if an MDX text has components that may generate anchors.
fn has_components(mdx: Option<&Mdx<'_>>) -> bool {
    let mut tags = mdx.into_iter().flat_map(|mdx| &mdx.components);
    tags.any(|tag| is_component(tag))
}

/// Returns the names of the opening tags in HTML.
fn tags(html: &str) -> impl Iterator<Item = &str> {
    let names = html.split('<').skip(1);
    names.map(|tag| {
        let end = tag.find(|c: char| !c.is_ascii_alphanumeric());
        &tag[..end.unwrap_or(tag.len())]
    })
}

/// Returns true if a tag is that of a component that may generate anchors.
fn is_component(tag: &str) -> bool {
    tag.starts_with(|c: char| c.is_ascii_uppercase()) && !PLAIN_COMPONENTS.contains(&tag)
}

/// Adds the links and anchors in the attributes of JSX, including those in expressions.
fn add_jsx(text: &str, mdx: &Mdx<'_>, found: &mut Vec<Found>, places: &mut AnchorCollector) {
    for attribute in &mdx.attributes {
        let attribute = Attribute {
            tag: &text[attribute.tag.clone()],
            name: &text[attribute.name.clone()],
            value: attribute.value.clone(),
        };
        add_attribute(text, attribute, found, places);
    }
    for expression in &mdx.expressions {
        add_attributes(text, expression.clone(), found, places);
    }
}

fn add_attributes(
    text: &str,
    html: Range<usize>,
    found: &mut Vec<Found>,
    places: &mut AnchorCollector,
) {
    attributes(&text[html.clone()], |attribute| {
        let value = html.start + attribute.value.start..html.start + attribute.value.end;
        add_attribute(text, Attribute { value, ..attribute }, found, places);
    });
}

/// Adds the link or anchor of an HTML attribute, whose value is a range of `text`.
fn add_attribute(
    text: &str,
    Attribute { tag, name, value }: Attribute<'_>,
    found: &mut Vec<Found>,
    places: &mut AnchorCollector,
) {
    let is = |other: &str| name.eq_ignore_ascii_case(other);
    let kind = if is("href") {
        LinkKind::Html
    } else if is("src") {
        LinkKind::HtmlSource
    } else {
        if is("id") || is("name") && tag.eq_ignore_ascii_case("a") {
            places.ids.push(text[value].to_owned());
        }
        return;
    };
    found.push(Found {
        kind,
        target: text[value.clone()].replace("&amp;", "&"),
        destination: Some(value.clone()),
        span: value,
    });
}

/// Returns a Markdown destination without backslashes and entities.
pub fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains(['\\', '&']) {
        return Cow::Borrowed(raw);
    }
    // The parser itself decodes the destination, in a link that contains nothing else. So the
    // rules for backslashes and the names of all entities are those with which links are read.
    let source = format!("[](<{raw}>)");
    let target = Parser::new(&source).find_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    });
    target.map_or(Cow::Borrowed(raw), Cow::Owned)
}
