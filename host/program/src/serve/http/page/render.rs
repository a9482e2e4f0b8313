//! Markdown as HTML that can do nothing.
//!
//! Every element and attribute that comes out is written here, whatever stands in the document:
//! HTML in it becomes text, a link leads where [`Destination`] lets it, and an image becomes its
//! description, for loading it would tell its server who reads what. So nothing has to be taken out
//! afterwards. Comments are shown too: what is hidden from people is not hidden from agents.

use std::collections::HashMap;
use std::fmt::Write as _;

use pulldown_cmark::{
    Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd,
};
use serde::Serialize;

use super::destination::{Destination, host};

/// A document as it is shown.
#[derive(Debug, Default)]
pub struct Rendered {
    /// Elements without a common parent.
    pub html: String,
    /// The headings, in the order of the text.
    pub outline: Vec<Heading>,
}

/// A heading of a document.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text, without marks.
    pub title: String,
    /// The 1-based line of the document that it begins in.
    pub line: u32,
}

/// Returns `text`, which begins at the 1-based line `first_line` of its document, as HTML.
pub fn render(text: &str, first_line: u32) -> Rendered {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut writer = Writer {
        html: String::with_capacity(text.len() * 3 / 2),
        outline: Vec::new(),
        lines: Lines {
            text,
            offset: 0,
            line: first_line,
        },
        heading: None,
        link: Vec::new(),
        image: None,
        alignments: Vec::new(),
        column: 0,
        in_head: false,
        anchors: HashMap::new(),
    };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        writer.write(event, range.start);
    }
    Rendered {
        html: writer.html,
        outline: writer.outline,
    }
}

/// Counts lines, from one place in a text to a later one.
struct Lines<'a> {
    text: &'a str,
    offset: usize,
    line: u32,
}

impl Lines<'_> {
    fn at(&mut self, offset: usize) -> u32 {
        // An event that begins before the last one is inside of its line, or nearly.
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

/// An image whose description is being read.
struct Image {
    depth: usize,
    alt: String,
    path: String,
}

/// A link that is open.
enum Link {
    Element { host: Option<String>, start: usize },
    Text,
}

struct Writer<'a> {
    html: String,
    outline: Vec<Heading>,
    lines: Lines<'a>,
    /// Where the heading that is open begins in `html`, and its own text.
    heading: Option<(u8, u32, String, usize)>,
    link: Vec<Link>,
    image: Option<Image>,
    alignments: Vec<Alignment>,
    column: usize,
    in_head: bool,
    /// The anchors so far, and how often each was wanted again.
    anchors: HashMap<String, u32>,
}

impl Writer<'_> {
    fn write(&mut self, event: Event<'_>, offset: usize) {
        if self.image.is_some() {
            return self.describe(&event);
        }
        match event {
            Event::Start(tag) => self.start(tag, offset),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(text) => {
                self.told(&text);
                self.enclosed("code", &text);
            }
            Event::InlineHtml(text) => {
                self.html.push_str("<span class=\"raw\">");
                escape(&mut self.html, &text);
                self.html.push_str("</span>");
            }
            Event::Html(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                escape(&mut self.html, &text);
            }
            Event::FootnoteReference(name) => {
                self.html.push_str("<sup>[");
                escape(&mut self.html, &name);
                self.html.push_str("]</sup>");
            }
            Event::SoftBreak => {
                self.told(" ");
                self.html.push('\n');
            }
            Event::HardBreak => {
                self.told(" ");
                self.html.push_str("<br>");
            }
            Event::Rule => self.html.push_str("<hr>"),
            Event::TaskListMarker(true) => self.html.push_str("☑ "),
            Event::TaskListMarker(false) => self.html.push_str("☐ "),
        }
    }

    fn text(&mut self, text: &str) {
        self.told(text);
        escape(&mut self.html, text);
    }

    /// Takes a text for the heading that it stands in.
    fn told(&mut self, text: &str) {
        if let Some((_, _, title, _)) = &mut self.heading {
            title.push_str(text);
        }
    }

    fn enclosed(&mut self, name: &str, text: &str) {
        let _ = write!(self.html, "<{name}>");
        escape(&mut self.html, text);
        let _ = write!(self.html, "</{name}>");
    }

    /// Opens an element that knows its line.
    fn block(&mut self, opening: &str, offset: usize) {
        let line = self.lines.at(offset);
        let _ = write!(self.html, "<{opening} data-line=\"{line}\">");
    }

    fn start(&mut self, tag: Tag<'_>, offset: usize) {
        match tag {
            Tag::Paragraph => self.block("p", offset),
            Tag::Heading { level, .. } => self.start_heading(level, offset),
            Tag::BlockQuote(_) => self.block("blockquote", offset),
            // Those that are wider than the page are scrolled, by keys as well.
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                self.block("pre tabindex=\"0\"", offset);
                self.html.push_str("<code>");
            }
            Tag::HtmlBlock => self.block("p class=\"raw\"", offset),
            Tag::MetadataBlock(_) => self.block("pre class=\"front\" tabindex=\"0\"", offset),
            Tag::List(None) => self.html.push_str("<ul>"),
            Tag::List(Some(first)) => {
                let _ = write!(self.html, "<ol start=\"{first}\">");
            }
            Tag::Item => self.block("li", offset),
            Tag::FootnoteDefinition(name) => {
                self.block("div class=\"footnote\"", offset);
                self.enclosed("sup", &name);
                self.html.push_str("<div>");
            }
            Tag::Table(alignments) => {
                self.alignments = alignments;
                self.block("div class=\"table\" tabindex=\"0\"", offset);
                self.html.push_str("<table>");
            }
            Tag::TableHead => {
                (self.in_head, self.column) = (true, 0);
                self.html.push_str("<thead><tr>");
            }
            Tag::TableRow => {
                self.column = 0;
                self.block("tr", offset);
            }
            Tag::TableCell => self.start_cell(),
            Tag::Emphasis => self.html.push_str("<em>"),
            Tag::Strong => self.html.push_str("<strong>"),
            Tag::Strikethrough => self.html.push_str("<del>"),
            Tag::Link { dest_url, .. } => self.start_link(&dest_url),
            Tag::Image { dest_url, .. } => {
                self.image = Some(Image {
                    depth: 0,
                    alt: String::new(),
                    path: dest_url.into_string(),
                });
            }
            // Not asked of the parser.
            Tag::Superscript
            | Tag::Subscript
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        let closing = match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => "</p>",
            TagEnd::Heading(_) => return self.end_heading(),
            TagEnd::BlockQuote(_) => "</blockquote>",
            TagEnd::CodeBlock => "</code></pre>",
            TagEnd::MetadataBlock(_) => "</pre>",
            TagEnd::List(true) => "</ol>",
            TagEnd::List(false) => "</ul>",
            TagEnd::Item => "</li>",
            TagEnd::FootnoteDefinition => "</div></div>",
            TagEnd::Table => "</tbody></table></div>",
            TagEnd::TableHead => {
                self.in_head = false;
                "</tr></thead><tbody>"
            }
            TagEnd::TableRow => "</tr>",
            TagEnd::TableCell if self.in_head => "</th>",
            TagEnd::TableCell => "</td>",
            TagEnd::Emphasis => "</em>",
            TagEnd::Strong => "</strong>",
            TagEnd::Strikethrough => "</del>",
            TagEnd::Link => return self.end_link(),
            TagEnd::Image
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition => "",
        };
        self.html.push_str(closing);
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
        // The page's own heading stands above them all.
        let shown = (level + 1).min(6);
        let mut opening = format!("<h{shown} class=\"level-{level}\" data-line=\"{line}\"");
        opening.push_str(" data-anchor=\"");
        escape(&mut opening, &anchor);
        opening.push_str("\">");
        self.html.insert_str(start, &opening);
        let _ = write!(self.html, "</h{shown}>");
        self.outline.push(Heading { level, title, line });
    }

    /// Returns the name by which links refer to a heading, as most forges make it.
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

    fn start_cell(&mut self) {
        let name = if self.in_head { "th" } else { "td" };
        let class = match self.alignments.get(self.column) {
            Some(Alignment::Left) => " class=\"start\"",
            Some(Alignment::Center) => " class=\"center\"",
            Some(Alignment::Right) => " class=\"end\"",
            Some(Alignment::None) | None => "",
        };
        self.column += 1;
        let _ = write!(self.html, "<{name}{class}>");
    }

    fn start_link(&mut self, url: &str) {
        let link = match Destination::of(url) {
            Destination::Elsewhere(url) => {
                self.html.push_str("<a href=\"");
                escape(&mut self.html, &url);
                self.html
                    .push_str("\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">");
                Link::Element {
                    host: Some(host(&url).to_owned()),
                    start: self.html.len(),
                }
            }
            Destination::Here(path) => {
                self.html.push_str("<a data-to=\"");
                escape(&mut self.html, &path);
                self.html.push_str("\">");
                Link::Element {
                    host: None,
                    start: self.html.len(),
                }
            }
            Destination::Nowhere => Link::Text,
        };
        self.link.push(link);
    }

    fn end_link(&mut self) {
        let Some(Link::Element { host, start }) = self.link.pop() else {
            return;
        };
        let says_so = |host: &str| self.html[start..].contains(host);
        let host = host.filter(|host| !host.is_empty() && !says_so(host));
        self.html.push_str("</a>");
        if let Some(host) = host {
            self.html.push_str(" <span class=\"host\">(");
            escape(&mut self.html, &host);
            self.html.push_str(")</span>");
        }
    }

    /// Takes what stands in the description of an image.
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
        self.told(&image.alt);
        self.html.push_str("<span class=\"image\">");
        escape(&mut self.html, &image.alt);
        self.html.push_str(" <code>");
        // What is in the address itself can be of any length, and says nothing to a person.
        let shown: CowStr<'_> = match image.path.split_once(',') {
            Some((kind, _)) if image.path.starts_with("data:") => format!("{kind},…").into(),
            _ => image.path.into(),
        };
        escape(&mut self.html, &shown);
        self.html.push_str("</code></span>");
    }
}

/// Writes a text so that it is text, between elements and between quotes.
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
