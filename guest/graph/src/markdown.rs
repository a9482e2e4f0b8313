//! Links of Markdown.

use std::borrow::Cow;
use std::ops::Range;

use docent_document::front_matter;
use docent_document::headings::heading::OPTIONS;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::html::attributes;
use crate::link::{Found, LinkKind};

/// A link whose end the parser has not come to.
struct Open {
    link_type: LinkType,
    kind: LinkKind,
    target: String,
    /// Where the text of the link ends, as far as it has been read.
    text_end: usize,
}

/// Returns the links of a Markdown text.
pub fn links(text: &str) -> Vec<Found> {
    let body = front_matter::length(text);
    let markdown = &text[body..];
    // Each link has one of them, and to parse a long text for none costs the most of an edit.
    if !b"[<".iter().any(|sign| markdown.as_bytes().contains(sign)) {
        return Vec::new();
    }
    let events = Parser::new_ext(markdown, OPTIONS | Options::ENABLE_WIKILINKS).into_offset_iter();
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
    for (event, span) in events {
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
                found.extend(open.pop().map(|link| link.close(markdown, span)));
                reach(&mut open, end);
            }
            Event::Start(Tag::HtmlBlock) => of_html(markdown, span, &mut found),
            Event::InlineHtml(_) => {
                reach(&mut open, span.end);
                of_html(markdown, span, &mut found);
            }
            _ => reach(&mut open, span.end),
        }
    }
    for link in &mut found {
        link.span = link.span.start + body..link.span.end + body;
        let moved = |range: Range<usize>| range.start + body..range.end + body;
        link.destination = link.destination.take().map(moved);
    }
    found
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

    fn close(self, markdown: &str, span: Range<usize>) -> Found {
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
        Found {
            kind: self.kind,
            span,
            destination,
            target,
        }
    }
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
    for (at, c) in source.char_indices().skip(usize::from(is_angled)) {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match c {
            '\\' => is_escaped = true,
            '>' if is_angled => return Some(start + 1..start + at),
            '(' => depth += 1,
            ')' if !is_angled && depth == 0 => return Some(start..start + at),
            ')' => depth = depth.saturating_sub(1),
            c if c.is_ascii_whitespace() && !is_angled => return Some(start..start + at),
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

fn of_html(markdown: &str, span: Range<usize>, found: &mut Vec<Found>) {
    let html = &markdown[span.clone()];
    attributes(html, |attribute| {
        let is_link = ["href", "src"]
            .iter()
            .any(|name| name.eq_ignore_ascii_case(attribute.name));
        if is_link {
            let start = span.start + attribute.value.start;
            let range = start..span.start + attribute.value.end;
            found.push(Found {
                kind: LinkKind::Html,
                target: html[attribute.value].replace("&amp;", "&"),
                destination: Some(range.clone()),
                span: range,
            });
        }
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

/// Returns the ids that HTML in a Markdown text gives to places.
pub fn ids(text: &str) -> Vec<String> {
    let markdown = &text[front_matter::length(text)..];
    let mut ids = Vec::new();
    // Most texts have none, and need no parser.
    if !markdown.contains("id=") && !markdown.contains("name=") {
        return ids;
    }
    for (event, span) in Parser::new_ext(markdown, OPTIONS).into_offset_iter() {
        if let Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) = event {
            let html = &markdown[span];
            attributes(html, |attribute| {
                let is_id = attribute.name.eq_ignore_ascii_case("id")
                    || attribute.name.eq_ignore_ascii_case("name")
                        && attribute.tag.eq_ignore_ascii_case("a");
                if is_id {
                    ids.push(html[attribute.value].to_owned());
                }
            });
        }
    }
    ids
}
