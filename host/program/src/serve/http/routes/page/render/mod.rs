//! Rendering of Markdown as harmless HTML.
//!
//! Every element and attribute of the output is written here, whatever the document contains: HTML
//! in it becomes text, a link leads where [`PageDestination`] permits, and an image becomes its
//! description, because loading it would tell its server who reads which document. So the output
//! needs no sanitizing. Comments are shown too: agents read them, so people should see them.

use std::collections::HashMap;
use std::fmt::Write as _;

use pulldown_cmark::{
    Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd,
};
use serde::Serialize;

use super::destination::{PageDestination, host};
use crate::terminal::style::visible_lines;

/// Maximum depth of nested elements. Documents that people write have some ten; a browser takes
/// seconds to lay out thousands, and deeper ones leave no room for their text.
const MOST_DEPTH: usize = 24;

/// Depth that a table reserves for its rows, cells and their content.
const TABLE_DEPTH: usize = 4;

/// Maximum elements shown at once: some forty pages have a quarter of it, and a browser lays out as
/// many in a fraction of a second.
const MOST_ELEMENTS: usize = 12_000;

/// Maximum bytes of HTML for each byte of the text, with a minimum for short texts: Markdown
/// without text, with its lines, has six.
const MOST_GROWTH: usize = 8;
const LEAST_BYTES: usize = 16 << 10;

/// A rendered document.
#[derive(Debug, Default)]
pub struct Rendered {
    /// Elements without a common parent.
    pub html: String,
    /// The headings, in the order of the text.
    pub outline: Vec<OutlineHeading>,
    /// True if elements are nested too deep to be shown; their text is shown without them.
    pub is_flattened: bool,
    /// 1-based line of the document from which its source text is shown, because it would exceed
    /// the maximum of elements.
    pub plain_from: Option<u32>,
}

/// A heading of a document.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct OutlineHeading {
    /// Level, 1 to 6.
    pub level: u8,
    /// Text without markup.
    pub title: String,
    /// 1-based line of the document in which it begins.
    pub line: u32,
}

/// Renders `text`, which begins at the 1-based line `first_line` of its document, as HTML.
pub fn render(text: &str, first_line: u32) -> Rendered {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut writer = HtmlWriter {
        html: String::with_capacity(text.len() * 3 / 2),
        outline: Vec::new(),
        lines: LineTracker {
            text,
            offset: 0,
            line: first_line,
        },
        heading: None,
        open: Vec::new(),
        flat: 0,
        is_flattened: false,
        elements: 0,
        image: None,
        alignments: Vec::new(),
        column: 0,
        in_head: false,
        anchors: HashMap::new(),
    };
    let room = (text.len() * MOST_GROWTH).max(LEAST_BYTES);
    let mut plain_from = None;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        // Markdown can describe many elements in few bytes: a table row of `|` has a cell for
        // each byte, and footnotes and links repeat text. From the limit on the rest is shown
        // as source text, in one element. The check waits for the end of an image, and lets
        // ends pass, so that no element stays open.
        let is_full = writer.html.len() > room || writer.elements >= MOST_ELEMENTS;
        if is_full && writer.image.is_none() && !matches!(event, Event::End(_)) {
            plain_from = Some(writer.rest(range.start));
            break;
        }
        writer.write(event, range.start);
    }
    Rendered {
        html: writer.html,
        outline: writer.outline,
        is_flattened: writer.is_flattened,
        plain_from,
    }
}

/// An incremental counter of lines, for increasing offsets in a text.
struct LineTracker<'a> {
    text: &'a str,
    offset: usize,
    line: u32,
}

impl LineTracker<'_> {
    fn at(&mut self, offset: usize) -> u32 {
        // An event may begin before the last one, as the end of a block does. Such an event is
        // in the same line or close to it, and counting backwards would make the whole
        // quadratic for documents made for that.
        if let Some(between) = self.text.as_bytes().get(self.offset..offset) {
            let breaks = between.iter().filter(|byte| **byte == b'\n').count();
            self.line = self
                .line
                .saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
            self.offset = offset;
        }
        self.line
    }
}

/// An image, while its description is read.
struct Image {
    depth: usize,
    alt: String,
    path: String,
}

/// An open element, by its end.
enum OpenTag {
    Element(&'static str),
    Heading,
    Link {
        /// External host of its destination, if any.
        host: Option<String>,
        /// Offset of its text in `html`.
        start: usize,
    },
    /// No element.
    Nothing,
}

struct HtmlWriter<'a> {
    html: String,
    outline: Vec<OutlineHeading>,
    lines: LineTracker<'a>,
    /// Level, line, plain text and offset in `html` of the open heading.
    heading: Option<(u8, u32, String, usize)>,
    open: Vec<OpenTag>,
    /// Number of open Markdown elements that have no HTML element because they are nested too deep.
    flat: usize,
    is_flattened: bool,
    elements: usize,
    image: Option<Image>,
    alignments: Vec<Alignment>,
    column: usize,
    in_head: bool,
    /// The anchors so far, and the number of repetitions of each.
    anchors: HashMap<String, u32>,
}

impl HtmlWriter<'_> {
    fn write(&mut self, event: Event<'_>, offset: usize) {
        if self.image.is_some() {
            return self.describe(&event);
        }
        match event {
            Event::Start(tag) => self.start(tag, offset),
            Event::End(tag) => {
                self.in_head &= tag != TagEnd::TableHead;
                self.end();
            }
            Event::Text(text) => self.text(&text),
            Event::Code(text) => {
                self.write_text(&text);
                self.write_element("code", &text);
            }
            Event::InlineHtml(text) => {
                self.elements += 1;
                self.html.push_str("<span class=\"raw\">");
                escape_text(&mut self.html, &text);
                self.html.push_str("</span>");
            }
            Event::Html(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                escape_text(&mut self.html, &text);
            }
            Event::FootnoteReference(name) => self.write_element("sup", &format!("[{name}]")),
            Event::SoftBreak => {
                self.write_text(" ");
                self.html.push('\n');
            }
            Event::HardBreak => {
                self.write_text(" ");
                self.elements += 1;
                self.html.push_str("<br>");
            }
            Event::Rule => {
                self.elements += 1;
                self.html.push_str("<hr>");
            }
            Event::TaskListMarker(true) => self.html.push_str("☑ "),
            Event::TaskListMarker(false) => self.html.push_str("☐ "),
        }
    }

    fn text(&mut self, text: &str) {
        self.write_text(text);
        escape_text(&mut self.html, text);
    }

    /// Adds text to the title of the open heading.
    fn write_text(&mut self, text: &str) {
        if let Some((_, _, title, _)) = &mut self.heading {
            title.push_str(text);
        }
    }

    fn write_element(&mut self, name: &str, text: &str) {
        self.elements += 1;
        let _ = write!(self.html, "<{name}>");
        escape_text(&mut self.html, text);
        let _ = write!(self.html, "</{name}>");
    }

    /// Opens an element with its line number, which ends with `closing`.
    fn block(&mut self, opening: &str, closing: &'static str, offset: usize) -> OpenTag {
        let line = self.lines.at(offset);
        let _ = write!(self.html, "<{opening} data-line=\"{line}\">");
        OpenTag::Element(closing)
    }

    fn element(&mut self, opening: &str, closing: &'static str) -> OpenTag {
        self.html.push_str(opening);
        OpenTag::Element(closing)
    }

    /// Closes all open elements, shows the source text from `offset` on, and returns its first
    /// line.
    fn rest(&mut self, offset: usize) -> u32 {
        while !self.open.is_empty() {
            self.end();
        }
        let line = self.lines.at(offset);
        let open = self.block("pre tabindex=\"0\"", "</code></pre>", offset);
        self.open.push(open);
        self.html.push_str("<code>");
        escape_text(&mut self.html, &self.lines.text[offset..]);
        self.end();
        line
    }

    fn start(&mut self, tag: Tag<'_>, offset: usize) {
        if let Tag::Image { dest_url, .. } = tag {
            self.image = Some(Image {
                depth: 0,
                alt: String::new(),
                path: dest_url.into_string(),
            });
            return;
        }
        // A list has items, and a table has rows and cells. Either all of them become elements,
        // or none: a browser drops a `<td>` without its table.
        let needed = match tag {
            Tag::Table(_) => TABLE_DEPTH,
            Tag::List(_) => 2,
            _ => 1,
        };
        let is_inline = matches!(
            tag,
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. }
        );
        if self.flat > 0 || self.open.len() + needed > MOST_DEPTH {
            (self.is_flattened, self.flat) = (true, self.flat + 1);
            self.open.push(OpenTag::Nothing);
            if !is_inline {
                self.html.push('\n');
            }
            return;
        }
        self.elements += 1;
        let open = self.open_tag(tag, offset);
        self.open.push(open);
    }

    fn open_tag(&mut self, tag: Tag<'_>, offset: usize) -> OpenTag {
        match tag {
            Tag::Paragraph => self.block("p", "</p>", offset),
            Tag::Heading { level, .. } => {
                self.start_heading(level, offset);
                OpenTag::Heading
            }
            Tag::BlockQuote(_) => self.block("blockquote", "</blockquote>", offset),
            // A block that is wider than the page can be scrolled. `tabindex` lets it be
            // focused and scrolled by keyboard as well.
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                let open = self.block("pre tabindex=\"0\"", "</code></pre>", offset);
                self.html.push_str("<code>");
                open
            }
            Tag::HtmlBlock => self.block("p class=\"raw\"", "</p>", offset),
            Tag::MetadataBlock(_) => {
                self.block("pre class=\"front\" tabindex=\"0\"", "</pre>", offset)
            }
            Tag::List(None) => self.element("<ul>", "</ul>"),
            Tag::List(Some(first)) => self.element(&format!("<ol start=\"{first}\">"), "</ol>"),
            Tag::Item => self.block("li", "</li>", offset),
            Tag::FootnoteDefinition(name) => {
                let open = self.block("div class=\"footnote\"", "</div></div>", offset);
                self.write_element("sup", &name);
                self.html.push_str("<div>");
                open
            }
            Tag::Table(alignments) => {
                self.alignments = alignments;
                let opening = "div class=\"table\" tabindex=\"0\"";
                let open = self.block(opening, "</tbody></table></div>", offset);
                self.html.push_str("<table>");
                open
            }
            Tag::TableHead => {
                (self.in_head, self.column) = (true, 0);
                self.element("<thead><tr>", "</tr></thead><tbody>")
            }
            Tag::TableRow => {
                self.column = 0;
                self.block("tr", "</tr>", offset)
            }
            Tag::TableCell => self.start_cell(),
            Tag::Emphasis => self.element("<em>", "</em>"),
            Tag::Strong => self.element("<strong>", "</strong>"),
            Tag::Strikethrough => self.element("<del>", "</del>"),
            Tag::Link { dest_url, .. } => self.start_link(&dest_url),
            // Images were handled before. The parser is not configured to emit the others; if a
            // new version did, their text would be shown without an element.
            Tag::Image { .. }
            | Tag::Superscript
            | Tag::Subscript
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition => OpenTag::Nothing,
        }
    }

    fn end(&mut self) {
        match self.open.pop() {
            Some(OpenTag::Element(closing)) => self.html.push_str(closing),
            Some(OpenTag::Heading) => self.end_heading(),
            Some(OpenTag::Link { host, start }) => self.end_link(host, start),
            Some(OpenTag::Nothing) | None => self.flat = self.flat.saturating_sub(1),
        }
    }

    fn start_heading(&mut self, level: HeadingLevel, offset: usize) {
        let line = self.lines.at(offset);
        self.heading = Some((level as u8, line, String::new(), self.html.len()));
    }

    fn end_heading(&mut self) {
        let Some((level, line, title, start)) = self.heading.take() else {
            return;
        };
        let anchor = self.anchor(&title);
        // The page's own heading is level 1, so those of the document move down by one. Their
        // own level stays in the class, which the style sheet uses.
        let shown = (level + 1).min(6);
        let mut opening = format!("<h{shown} class=\"level-{level}\" data-line=\"{line}\"");
        opening.push_str(" data-anchor=\"");
        escape(&mut opening, &anchor);
        opening.push_str("\">");
        self.html.insert_str(start, &opening);
        let _ = write!(self.html, "</h{shown}>");
        self.outline.push(OutlineHeading { level, title, line });
    }

    /// Returns the anchor of a heading, in the format of most forges.
    fn anchor(&mut self, title: &str) -> String {
        let mut name = String::new();
        for c in title.trim().chars() {
            match c {
                ' ' => name.push('-'),
                c if c.is_alphanumeric() || c == '-' || c == '_' => name.extend(c.to_lowercase()),
                _ => {}
            }
        }
        match self.anchors.get_mut(&name) {
            Some(times) => {
                *times += 1;
                let _ = write!(name, "-{times}");
            }
            None => {
                self.anchors.insert(name.clone(), 0);
            }
        }
        name
    }

    fn start_cell(&mut self) -> OpenTag {
        let (name, closing) = if self.in_head {
            ("th", "</th>")
        } else {
            ("td", "</td>")
        };
        let class = match self.alignments.get(self.column) {
            Some(Alignment::Left) => " class=\"start\"",
            Some(Alignment::Center) => " class=\"center\"",
            Some(Alignment::Right) => " class=\"end\"",
            Some(Alignment::None) | None => "",
        };
        self.column += 1;
        let _ = write!(self.html, "<{name}{class}>");
        OpenTag::Element(closing)
    }

    fn start_link(&mut self, url: &str) -> OpenTag {
        let host = match PageDestination::from_url(url) {
            PageDestination::Elsewhere(url) => {
                self.html.push_str("<a href=\"");
                escape(&mut self.html, &url);
                self.html
                    .push_str("\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">");
                Some(host(&url).to_owned())
            }
            PageDestination::Here(path) => {
                self.html.push_str("<a data-to=\"");
                escape(&mut self.html, &path);
                self.html.push_str("\">");
                None
            }
            PageDestination::Nowhere => return OpenTag::Nothing,
        };
        OpenTag::Link {
            host,
            start: self.html.len(),
        }
    }

    fn end_link(&mut self, host: Option<String>, start: usize) {
        let says_so = |host: &str| self.html[start..].contains(host);
        let host = host.filter(|host| !host.is_empty() && !says_so(host));
        self.html.push_str("</a>");
        if let Some(host) = host {
            self.elements += 1;
            self.html.push_str(" <span class=\"host\">(");
            escape_text(&mut self.html, &host);
            self.html.push_str(")</span>");
        }
    }

    /// Adds an event to the description of an image.
    fn describe(&mut self, event: &Event<'_>) {
        let Some(image) = &mut self.image else { return };
        match event {
            Event::Start(_) => image.depth += 1,
            Event::End(_) if image.depth > 0 => image.depth -= 1,
            Event::End(_) => self.end_image(),
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => {
                image.alt.push_str(text);
            }
            Event::SoftBreak | Event::HardBreak => image.alt.push(' '),
            _ => {}
        }
    }

    fn end_image(&mut self) {
        let Some(image) = self.image.take() else {
            return;
        };
        self.write_text(&image.alt);
        self.elements += 2;
        self.html.push_str("<span class=\"image\">");
        escape_text(&mut self.html, &image.alt);
        self.html.push_str(" <code>");
        // A `data:` address contains the image itself, often some hundred kilobytes in base64,
        // which are meaningless to a person. Only its type is shown.
        let shown: CowStr<'_> = match image.path.split_once(',') {
            Some((kind, _)) if image.path.starts_with("data:") => format!("{kind},…").into(),
            _ => image.path.into(),
        };
        escape_text(&mut self.html, &shown);
        self.html.push_str("</code></span>");
    }
}

/// Escapes text between elements, including characters that change its direction or control a
/// terminal.
fn escape_text(html: &mut String, text: &str) {
    escape(html, &visible_lines(text));
}

/// Escapes text for HTML, between elements and between quotes.
fn escape(html: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            c => html.push(c),
        }
    }
}

#[cfg(test)]
mod tests;
