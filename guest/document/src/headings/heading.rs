//! Headings, and the shared basis of the readers of all formats.

use std::ops::Range;

use pulldown_cmark::{BrokenLink, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::headings::anchor::{explicit_id, text_slug};
use crate::limits::{HEADING_BYTES, NAME_CHARS};

/// Markdown extensions enabled in addition to CommonMark.
pub const OPTIONS: Options = Options::ENABLE_TABLES;

/// A heading of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Level, 1 to 6.
    pub level: u8,
    /// Plain text on one line.
    pub text: String,
    /// Anchor of links to it: its explicit id, else the slug of its text.
    pub anchor: String,
    /// Byte range, from the beginning of its first line.
    pub span: Range<usize>,
}

impl Heading {
    /// Creates a heading of this level and plain text at `span`.
    pub fn new(level: u8, text: &str, span: Range<usize>) -> Self {
        Self {
            level,
            text: one_line(text),
            anchor: text_slug(text),
            span,
        }
    }
}

/// Returns the levels and texts of headings, for the tests of all formats.
#[cfg(test)]
pub fn levels_and_texts(headings: Vec<Heading>) -> Vec<(u8, String)> {
    let pairs = headings.into_iter().map(|it| (it.level, it.text));
    pairs.collect()
}

/// Parses all of `markdown` and returns its headings, in order.
pub fn parse_headings(markdown: &str) -> Vec<Heading> {
    parse_headings_with(markdown, &|_| false)
}

/// Parses all of `markdown` and returns its headings, in order, given the link labels that are
/// defined elsewhere.
pub fn parse_headings_with(markdown: &str, is_defined: &dyn Fn(&str) -> bool) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut depth = 0usize;
    let mut reader = HeadingReader::new(markdown);
    let elsewhere =
        |link: BrokenLink<'_>| is_defined(&link.reference).then(|| ("".into(), "".into()));
    let parser = Parser::new_with_broken_link_callback(markdown, OPTIONS, Some(elsewhere));
    for (event, span) in parser.into_offset_iter() {
        match &event {
            Event::Start(Tag::Heading { .. }) if depth > 0 => {}
            Event::Start(tag) if is_container(tag) => depth += 1,
            Event::End(tag) if is_container_end(*tag) => depth = depth.saturating_sub(1),
            _ => headings.extend(reader.take(&event, &span)),
        }
    }
    headings
}

/// A reader of headings from parser events, at any depth of nesting.
pub struct HeadingReader<'a> {
    markdown: &'a str,
    open: Option<OpenHeading<'a>>,
}

impl<'a> HeadingReader<'a> {
    /// Creates a reader of this text.
    pub fn new(markdown: &'a str) -> Self {
        Self {
            markdown,
            open: None,
        }
    }

    /// Processes the next event, and returns the heading that it ends, if any.
    #[inline]
    pub fn take(&mut self, event: &Event<'_>, span: &Range<usize>) -> Option<Heading> {
        // Most events do not belong to a heading. This test is inlined into the loop of the parser,
        // and the rest is only called for the few events that do.
        let is_of_one = self.open.is_some() || matches!(event, Event::Start(Tag::Heading { .. }));
        is_of_one
            .then(|| self.take_of_heading(event, span))
            .flatten()
    }

    fn take_of_heading(&mut self, event: &Event<'_>, span: &Range<usize>) -> Option<Heading> {
        match (event, &mut self.open) {
            (Event::Start(Tag::Heading { level, .. }), _) => {
                let level = level_number(*level);
                self.open = Some(OpenHeading::new(self.markdown, level, span.clone()));
            }
            (Event::End(TagEnd::Heading(_)), Some(_)) => {
                return self.open.take().map(OpenHeading::close);
            }
            (Event::Text(text) | Event::Code(text), Some(heading)) => heading.add(text, span),
            (Event::SoftBreak | Event::HardBreak, Some(heading)) => heading.add_break(span),
            (Event::Start(Tag::Image { .. }), Some(heading)) => heading.open_image(),
            (Event::End(TagEnd::Image), Some(heading)) => heading.open_images -= 1,
            _ => {}
        }
        None
    }
}

/// A heading whose end has not been parsed yet.
struct OpenHeading<'a> {
    level: u8,
    text: String,
    /// Text of its slug, if that differs from the text: GitHub takes neither line breaks nor the
    /// alternative texts of images into a slug, while answers show both.
    linked: Option<String>,
    open_images: usize,
    id: Option<&'a str>,
    /// End of its text in the document: before an explicit id.
    text_end: usize,
    span: Range<usize>,
}

impl<'a> OpenHeading<'a> {
    fn new(markdown: &'a str, level: u8, span: Range<usize>) -> Self {
        // The span begins with the line. Up to three blanks may precede a heading (CommonMark,
        // section 4.2), and would otherwise be the last text of the section before it, so that
        // moving the section would leave them behind.
        let start = markdown[..span.start]
            .rfind(['\n', '\r'])
            .map_or(0, |at| at + 1);
        let source = markdown[span.clone()].trim_end();
        // The last line of a heading of several lines is its underline (CommonMark, section 4.3),
        // which is not part of the text. An explicit id is at the end of the line before it.
        let source = &source[..source.rfind(['\n', '\r']).unwrap_or(source.len())];
        let id = explicit_id(source);
        Self {
            level,
            text: String::new(),
            linked: None,
            open_images: 0,
            text_end: id.as_ref().map_or(span.end, |id| span.start + id.text_end),
            id: id.map(|id| id.id),
            span: start..span.end,
        }
    }

    /// Adds the text at `span`, up to the explicit id.
    fn add(&mut self, text: &str, span: &Range<usize>) {
        let room = self.text_end.saturating_sub(span.start);
        // A text that crosses the end is cut. Only a run of plain text can cross it, since an
        // explicit id is plain text, and such a run equals its source byte for byte; an entity such
        // as `&amp;` would not.
        let is_within = span.end <= self.text_end;
        let kept = if is_within { text.len() } else { room };
        let text = &text[..text.floor_char_boundary(kept)];
        self.text.push_str(text);
        if let Some(linked) = &mut self.linked
            && self.open_images == 0
        {
            linked.push_str(text);
        }
    }

    /// Adds a line break, which does not appear in a slug.
    fn add_break(&mut self, span: &Range<usize>) {
        self.open_image();
        self.add(" ", span);
        self.open_images -= 1;
    }

    /// Begins an image: its alternative text is not part of the slug.
    fn open_image(&mut self) {
        self.linked.get_or_insert_with(|| self.text.clone());
        self.open_images += 1;
    }

    fn close(self) -> Heading {
        // The parser keeps a blank before a tab at the end of a heading. It is not part of the
        // text, and would add a `-` to the end of the slug, to which no link refers.
        let text = self.text.trim_end_matches([' ', '\t']);
        let linked = self.linked.as_deref().unwrap_or(text);
        Heading {
            level: self.level,
            text: one_line(&self.text),
            anchor: self.id.map_or_else(|| text_slug(linked), str::to_owned),
            span: self.span,
        }
    }
}

/// Returns `text` on one line, truncated to [`NAME_CHARS`].
pub fn one_line(text: &str) -> String {
    // Most texts are on one line already, and every link and heading of a tree passes here. The
    // test needs no allocation for the words of the text.
    if text.len() <= NAME_CHARS && is_one_line(text) {
        return text.to_owned();
    }
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(NAME_CHARS) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// Returns true if a text contains no blank that would be replaced.
fn is_one_line(text: &str) -> bool {
    let mut was_blank = true;
    for c in text.chars() {
        let is_blank = c.is_whitespace();
        if is_blank && (was_blank || c != ' ') {
            return false;
        }
        was_blank = is_blank;
    }
    !was_blank || text.is_empty()
}

/// Returns the beginning of `text` that is searched for headings, in whole lines.
pub fn with_headings(text: &str) -> &str {
    if text.len() <= HEADING_BYTES {
        return text;
    }
    let beginning = &text[..text.floor_char_boundary(HEADING_BYTES)];
    // The beginning ends with a whole line: a truncated heading would have another text and another
    // id, which no link refers to.
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
