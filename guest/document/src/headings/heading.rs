//! A heading, and what the readers of all kinds of headings stand on.

use std::ops::Range;

use pulldown_cmark::{BrokenLink, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::limits::{HEADING_BYTES, NAME_CHARS};

/// What Markdown is held to have beside what CommonMark says.
pub const OPTIONS: Options = Options::ENABLE_TABLES;

/// A heading of a Markdown document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its plain text on one line.
    pub text: String,
    /// Where it stands, from the beginning of its first line.
    pub span: Range<usize>,
}

/// Returns the headings of `markdown`, in order, by parsing all of it.
pub fn parse_headings(markdown: &str) -> Vec<Heading> {
    parse_headings_with(markdown, &|_| false)
}

/// Returns the headings of `markdown`, in order, where further labels of links are defined
/// elsewhere.
pub fn parse_headings_with(markdown: &str, is_defined: &dyn Fn(&str) -> bool) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut depth = 0usize;
    let mut open: Option<Heading> = None;
    // Where a link leads does not matter here, only whether its brackets are text.
    let elsewhere =
        |link: BrokenLink<'_>| is_defined(&link.reference).then(|| ("".into(), "".into()));
    let parser = Parser::new_with_broken_link_callback(markdown, OPTIONS, Some(elsewhere));
    for (event, span) in parser.into_offset_iter() {
        match (event, &mut open) {
            // In a quote or list it is a part of that, and begins no section.
            (Event::Start(Tag::Heading { level, .. }), _) if depth == 0 => {
                // Indentation is of the heading too, or it would be text of the section before.
                let start = markdown[..span.start]
                    .rfind(['\n', '\r'])
                    .map_or(0, |at| at + 1);
                open = Some(Heading {
                    level: level_number(level),
                    text: String::new(),
                    span: start..span.end,
                });
            }
            (Event::End(TagEnd::Heading(_)), Some(heading)) => {
                heading.text = one_line(&heading.text);
                headings.extend(open.take());
            }
            (Event::Text(text) | Event::Code(text), Some(heading)) => heading.text.push_str(&text),
            (Event::SoftBreak | Event::HardBreak, Some(heading)) => heading.text.push(' '),
            (Event::Start(tag), None) if is_container(&tag) => depth += 1,
            (Event::End(tag), None) if is_container_end(tag) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    headings
}

/// Returns `text` on one line, cut to what an answer shows of a name.
pub fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(NAME_CHARS) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// Returns the beginning of `text` in which headings are looked for, in whole lines.
pub fn with_headings(text: &str) -> &str {
    if text.len() <= HEADING_BYTES {
        return text;
    }
    let beginning = &text[..text.floor_char_boundary(HEADING_BYTES)];
    // A heading that is cut would have another text, and another id.
    beginning
        .rfind('\n')
        .map_or(beginning, |end| &beginning[..=end])
}

fn is_container(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::BlockQuote(_) | Tag::List(_) | Tag::Item)
}

fn is_container_end(tag: TagEnd) -> bool {
    matches!(tag, TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item)
}

fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
