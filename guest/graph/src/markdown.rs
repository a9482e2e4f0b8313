//! Links of Markdown, and the places that links to it lead to.

use std::borrow::Cow;
use std::ops::Range;

use docent_document::format::Format;
use docent_document::front_matter;
use docent_document::headings::anchor::id_in_attributes;
use docent_document::headings::heading::{HeadingReader, OPTIONS};
use docent_document::mdx::Mdx;
use docent_document::sections::{Slugs, slug};
use docent_text::lines::{with_ends, without_end};
use memchr::{memchr_iter, memchr2, memchr2_iter, memmem};
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::anchors::Anchors;
use crate::html::{attributes, headings};
use crate::limits::{DESTINATION_BYTES, HEADING_LINE};
use crate::link::{Found, LinkKind};
use crate::myst::{self, Myst};
use crate::{literal, paths, properties};

/// What the parser is to know beside what headings need: the text of a footnote looks like the
/// destination of a reference.
const LINK_OPTIONS: Options = OPTIONS
    .union(Options::ENABLE_WIKILINKS)
    .union(Options::ENABLE_FOOTNOTES);

/// What takes in text that stands elsewhere, and so may bring places of its own: beside a brace,
/// and beside `--8<--`.
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

/// Tags of template languages that make no places; what others make is not known.
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

/// Components that sites mostly have and that make no places.
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

/// What a Markdown text says of links.
pub struct Reading {
    /// Its links.
    pub found: Vec<Found>,
    /// Its places.
    pub anchors: Anchors,
    /// Its labels, as MyST has them.
    pub labels: Vec<String>,
}

/// A link whose end the parser has not come to.
struct Open {
    link_type: LinkType,
    kind: LinkKind,
    target: String,
    /// Where the text of the link ends, as far as it has been read.
    text_end: usize,
}

/// Places, as far as they have been found.
#[derive(Default)]
struct Places {
    slugs: Slugs,
    ids: Vec<String>,
    named: Vec<String>,
    /// Where blocks of code stand.
    code: Vec<Range<usize>>,
    /// Where code stands within lines.
    spans: Vec<Range<usize>>,
    /// Whether components stand in it, which may make places.
    has_components: bool,
}

/// Reads the links and places of a text of this format, which is Markdown, in one pass of its
/// parser.
pub fn read(format: Format, text: &str) -> Reading {
    let body = front_matter::length(text);
    let written = &text[body..];
    let mdx = (format == Format::Mdx).then(|| Mdx::new(written));
    let mut myst = (format == Format::Markdown).then(|| Myst::of(written));
    let markdown: &str = match (&mdx, &myst) {
        (Some(mdx), _) => &mdx.markdown,
        (None, Some(myst)) => &myst.markdown,
        (None, None) => written,
    };
    let mut events = Parser::new_ext(markdown, LINK_OPTIONS).into_offset_iter();
    let mut found = Vec::new();
    for (_, definition) in events.reference_definitions().iter() {
        let span = definition.span.clone();
        let destination = of_definition(markdown, &span, &definition.dest);
        found.push(Found {
            kind: LinkKind::Definition,
            span,
            destination,
            target: definition.dest.to_string(),
        });
    }
    let mut open: Vec<Open> = Vec::new();
    let mut places = Places::default();
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
            }) => open.push(Open::new(
                link_type,
                LinkKind::Inline,
                &dest_url,
                span.start + 1,
            )),
            Event::Start(Tag::Image {
                link_type,
                dest_url,
                ..
            }) => open.push(Open::new(
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
                        Some(definition) => link.used(&definition.dest),
                        None => link,
                    }
                }));
                reach(&mut open, end);
            }
            Event::Start(Tag::HtmlBlock) => of_html(markdown, span, &mut found, &mut places),
            Event::InlineHtml(_) => {
                reach(&mut open, span.end);
                of_html(markdown, span, &mut found, &mut places);
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
        of_jsx(written, mdx, &mut found, &mut places);
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
    for link in &mut found {
        link.span = link.span.start + body..link.span.end + body;
        let moved = |range: Range<usize>| range.start + body..range.end + body;
        link.destination = link.destination.take().map(moved);
    }
    found.extend(properties::links(&text[..body]));
    let named = paths::read(format, text, mdx.as_ref());
    leave_out_templates(&named, &mut found);
    found.extend(named);
    Reading {
        found,
        anchors: Anchors::new(
            places.ids,
            places.named,
            is_complete
                && !(takes_in(written, &places.code)
                    || places.has_components
                    || has_components(mdx.as_ref())),
        ),
        labels,
    }
}

/// Takes out the links whose destination is a tag that names a file: that is told by itself.
fn leave_out_templates(named: &[Found], found: &mut Vec<Found>) {
    let is_tag = |link: &&Found| matches!(link.kind, LinkKind::Liquid | LinkKind::Shortcode);
    let mut tags: Vec<&Range<usize>> = named.iter().filter(is_tag).map(|tag| &tag.span).collect();
    tags.sort_unstable_by_key(|tag| tag.start);
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

/// Returns true if a text takes in others that may have headings. What is taken into a block of code
/// stays code, unless it is Markdown with fences of its own; `code` holds the blocks, in order.
fn takes_in(markdown: &str, code: &[Range<usize>]) -> bool {
    let is_part = |line: &str| {
        let path = line
            .trim_end()
            .trim_end_matches(';')
            .trim_end_matches(['"', '\'']);
        line.starts_with("import ") && (path.ends_with(".md") || path.ends_with(".mdx"))
    };
    // All of each text goes through here, so that even what is looked for counts.
    let bytes = markdown.as_bytes();
    let holds = |sign: &str| memmem::find(bytes, sign.as_bytes()).is_some();
    memchr_iter(b'{', bytes).any(|at| {
        let rest = &markdown[at..];
        let is_include = INCLUDES.iter().any(|sign| rest.starts_with(sign));
        let is_tag = ["{{", "{%", "{!"].iter().any(|sign| rest.starts_with(sign));
        let block = code.partition_point(|block| block.end <= at);
        if is_tag && code.get(block).is_some_and(|block| block.start <= at) {
            let tag = rest.split(['}', '\n']).next().unwrap_or_default();
            return tag.contains(".md");
        }
        is_include || is_generator(markdown, at)
    }) || holds("--8<--")
        || holds("<!-- md:")
        || holds("import ") && with_ends(markdown).any(is_part)
}

/// Whether the `{` at `at` begins a tag of a template language that may make places: it begins a
/// line, or stands in a heading.
fn is_generator(markdown: &str, at: usize) -> bool {
    let rest = &markdown[at..];
    let signs = ["{{<", "{{%", "{{-", "{{", "{%-", "{%"];
    let Some(inside) = signs.iter().find_map(|sign| rest.strip_prefix(sign)) else {
        return false;
    };
    // No line of a heading is longer than this, and one of text need not be gone through for each.
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

impl Places {
    fn add(&mut self, heading: &str, anchor: String) {
        let by_name = slug(heading);
        if by_name != anchor {
            self.named.push(by_name);
        }
        // What is left of `A & b`: `a--b`, and in Python `a-b`.
        if anchor.contains("--") {
            let words = anchor.split('-').filter(|word| !word.is_empty());
            self.named.push(words.collect::<Vec<_>>().join("-"));
        }
        self.ids.push(self.slugs.unique(anchor));
    }

    /// Notes a block of code, which may have an id: ```` ``` { .sh #example } ````.
    fn add_code(&mut self, kind: &CodeBlockKind<'_>, span: Range<usize>) {
        self.code.push(span);
        if let CodeBlockKind::Fenced(info) = kind
            && let Some((_, attributes)) = info.split_once('{')
        {
            let id = attributes.split('}').next().and_then(id_in_attributes);
            self.ids.extend(id.map(str::to_owned));
        }
    }

    /// Takes out the links that begin in mathematics or in a remark.
    fn leave_out_literal(&self, markdown: &str, found: &mut Vec<Found>) {
        let mut code = [&self.code[..], &self.spans].concat();
        code.sort_unstable_by_key(|span| span.start);
        let literal = literal::stretches(markdown, &code);
        found.retain(|link| {
            let behind = literal.partition_point(|range| range.end <= link.span.start);
            let inside = literal.get(behind);
            inside.is_none_or(|range| range.start > link.span.start)
        });
    }

    /// Adds the ids that pages give to a footnote and to its mention.
    fn add_footnote(&mut self, label: &str) {
        let ids = ["fn:", "fnref:", "fn-", "fnref-"];
        self.ids
            .extend(ids.map(|prefix| format!("{prefix}{label}")));
    }

    /// Adds what names places in the text itself: `^name` at the end of a block, and ids among
    /// attributes in braces, as `{ #id .class }`.
    fn add_written(&mut self, markdown: &str) {
        let mut code = self.code.iter().peekable();
        let mut behind = 0;
        for sign in memchr2_iter(b'{', b'^', markdown.as_bytes()) {
            // Each line once.
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

/// Notes that the text of the innermost link reaches to `end`.
fn reach(open: &mut [Open], end: usize) {
    if let Some(link) = open.last_mut() {
        link.text_end = link.text_end.max(end);
    }
}

impl Open {
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
        // `[[text]](a.md)` and `[[text]][label]` are links whose text has brackets.
        match markdown.as_bytes().get(span.end) {
            Some(b'(') if self.kind.is_wiki() => return bracketed(markdown, span),
            Some(b'[') if self.kind.is_wiki() => return None,
            _ => {}
        }
        let destination = match self.link_type {
            LinkType::Inline => {
                let rest = markdown.get(self.text_end..span.end);
                let bracket = rest.and_then(|rest| rest.find("]("));
                bracket.and_then(|at| destination(markdown, self.text_end + at + 2..span.end))
            }
            LinkType::Autolink | LinkType::Email => Some(span.start + 1..span.end - 1),
            LinkType::WikiLink { .. } => of_wiki(markdown, &span),
            _ => None,
        };
        let is_it = |range: &Range<usize>| match self.kind {
            LinkKind::Inline | LinkKind::Image => {
                unescaped(&markdown[range.clone()]) == self.target
            }
            _ => true,
        };
        let destination = destination.filter(is_it);
        let target = match (&destination, self.kind.is_wiki()) {
            (Some(range), true) => markdown[range.clone()].trim().to_owned(),
            _ => self.target,
        };
        // `[[1], [2]]` is a list, and `[[TOC]]` where a table of contents comes.
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
    /// Returns the label that `[[label]]` uses as CommonMark has it, a reference between brackets;
    /// none of another link.
    fn label(&self, markdown: &str) -> Option<String> {
        let source = markdown.get(self.span.clone())?;
        let source = source.strip_prefix('!').unwrap_or(source);
        let inside = source.strip_prefix("[[")?.strip_suffix("]]");
        let inside = inside.filter(|_| self.kind.is_wiki())?;
        let words: Vec<&str> = inside.split_whitespace().collect();
        Some(words.join(" "))
    }

    /// Returns the link as the use of a definition with this destination: notes define the names
    /// that they link to, for readers of Markdown that know no wikilinks.
    fn used(self, destination: &str) -> Self {
        Self {
            kind: LinkKind::Use,
            destination: None,
            target: destination.to_owned(),
            ..self
        }
    }
}

/// Returns the link whose text ends at the end of `span`, and whose destination follows in its
/// line.
fn bracketed(markdown: &str, span: Range<usize>) -> Option<Found> {
    let inside = span.end + 1;
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
        target: unescaped(&markdown[found.clone()]).into_owned(),
        destination: Some(found),
    })
}

/// Returns where the destination of a definition stands.
fn of_definition(markdown: &str, span: &Range<usize>, target: &str) -> Option<Range<usize>> {
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
    (colon && unescaped(&markdown[found.clone()]) == target).then_some(found)
}

/// Returns where the first destination in a stretch stands, without what is round it.
fn destination(markdown: &str, within: Range<usize>) -> Option<Range<usize>> {
    let source = markdown.get(within.clone())?;
    let start = within.start + (source.len() - source.trim_start().len());
    let source = &markdown[start..within.end];
    let is_angled = source.starts_with('<');
    let (mut depth, mut is_escaped) = (0usize, false);
    // By bytes: all that matters is ASCII.
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

/// Returns where the name stands in `[[name|shown]]`.
fn of_wiki(markdown: &str, span: &Range<usize>) -> Option<Range<usize>> {
    let source = markdown.get(span.clone())?;
    let start = source.find("[[")? + 2;
    let inside = &source[start..];
    let end = inside.find('|').or_else(|| inside.find("]]"))?;
    // In a table the bar is escaped.
    let end = inside[..end].strip_suffix('\\').map_or(end, str::len);
    Some(span.start + start..span.start + start + end)
}

fn of_html(markdown: &str, span: Range<usize>, found: &mut Vec<Found>, places: &mut Places) {
    let html = &markdown[span.clone()];
    places.has_components |= tags(html).any(is_component);
    of_attributes(markdown, span, found, places);
    headings(html, |heading| places.add(heading, slug(heading)));
}

/// Whether an MDX text has components that may make places.
fn has_components(mdx: Option<&Mdx<'_>>) -> bool {
    let mut tags = mdx.into_iter().flat_map(|mdx| &mdx.components);
    tags.any(|tag| is_component(tag))
}

/// Returns the names of the tags that open in some HTML.
fn tags(html: &str) -> impl Iterator<Item = &str> {
    let names = html.split('<').skip(1);
    names.map(|tag| {
        let end = tag.find(|c: char| !c.is_ascii_alphanumeric());
        &tag[..end.unwrap_or(tag.len())]
    })
}

/// Whether a tag is that of a component that may make places of its own.
fn is_component(tag: &str) -> bool {
    tag.starts_with(|c: char| c.is_ascii_uppercase()) && !PLAIN_COMPONENTS.contains(&tag)
}

/// Adds what the attributes of JSX say, and those in the expressions of a text.
fn of_jsx(text: &str, mdx: &Mdx<'_>, found: &mut Vec<Found>, places: &mut Places) {
    for attribute in &mdx.attributes {
        let tag = &text[attribute.tag.clone()];
        let name = &text[attribute.name.clone()];
        of_attribute(text, (tag, name), attribute.value.clone(), found, places);
    }
    for expression in &mdx.expressions {
        of_attributes(text, expression.clone(), found, places);
    }
}

fn of_attributes(text: &str, html: Range<usize>, found: &mut Vec<Found>, places: &mut Places) {
    attributes(&text[html.clone()], |attribute| {
        let value = html.start + attribute.value.start..html.start + attribute.value.end;
        of_attribute(text, (attribute.tag, attribute.name), value, found, places);
    });
}

/// Adds what an attribute of HTML says, by the names of its tag and its own.
fn of_attribute(
    text: &str,
    (tag, name): (&str, &str),
    value: Range<usize>,
    found: &mut Vec<Found>,
    places: &mut Places,
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

/// Returns a destination of Markdown as it is read: without backslashes and entities.
pub fn unescaped(raw: &str) -> Cow<'_, str> {
    if !raw.contains(['\\', '&']) {
        return Cow::Borrowed(raw);
    }
    let source = format!("[](<{raw}>)");
    let target = Parser::new(&source).find_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    });
    target.map_or(Cow::Borrowed(raw), Cow::Owned)
}
