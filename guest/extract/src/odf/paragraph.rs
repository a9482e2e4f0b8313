//! Paragraphs: their inline content and the effect of their styles.
//!
//! The elements in a paragraph are nested in many ways that do not affect its text, so it is read
//! as one flat sequence of steps. Those whose end matters are kept while they are open.

use std::io::BufRead;

use super::blocks::{OpenShape, is_repeated, is_shape, is_without_text};
use super::numbering::{ListPosition, OpenOdfLists};
use super::output::{OdfBlock, OdfOutput, block_at, equation_text};
use super::styles::{OdfStyle, StyleFamily, short_attribute};
use super::{OdfContent, OdfForm, OdfReader};
use crate::failure::EarlyStop;
use crate::inline::{make_link, superscript};
use crate::limits::{ODF_NAME_BYTES, REPEATED_BLANKS};
use crate::xml::{Element, Xml, XmlEvent};

/// The beginning of a paragraph: what its element says.
pub struct ParagraphStart {
    style: Option<String>,
    /// Level of a heading, from 1.
    level: Option<u8>,
    /// True for a heading without a number.
    is_unnumbered: bool,
    /// Number given to a heading.
    number: Option<u32>,
}

/// The text of a paragraph that is being read.
#[derive(Default)]
struct OdfInlineText {
    text: String,
    /// Number of a heading, as a program has written it.
    label: String,
    /// Blocks of the shapes anchored in it.
    shapes: Vec<OdfBlock>,
    /// True if blanks are kept.
    is_code: bool,
    open: Vec<OpenOdfInline>,
}

/// An open element that affects the text until it ends.
struct OpenOdfInline {
    /// Number of open elements when it began, including itself.
    depth: usize,
    effect: OdfInlineEffect,
}

/// The effect of an element while it is open or when it ends.
enum OdfInlineEffect {
    /// The text from `start` on becomes a link.
    Link { start: usize, address: String },
    /// Its text is hidden.
    Hide,
    /// Its text is a superscript.
    Raise,
}

impl ParagraphStart {
    /// Reads the beginning of a paragraph.
    pub fn new(element: &Element<'_>) -> Self {
        let is_heading = element.name() == "h";
        let is_on = |name| element.attribute(name).as_deref() == Some("true");
        let number = (is_heading && is_on("restart-numbering"))
            .then(|| element.number("start-value").unwrap_or(1));
        Self {
            style: short_attribute(element, "style-name"),
            level: is_heading.then(|| element.number("outline-level").unwrap_or(1)),
            is_unnumbered: is_heading && is_on("is-list-header"),
            number,
        }
    }
}

impl OdfReader {
    /// Reads the paragraph that began last, and returns it with the blocks of its shapes.
    pub fn paragraph<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        start: ParagraphStart,
        lists: &mut OpenOdfLists,
    ) -> Result<Vec<OdfBlock>, EarlyStop> {
        self.open_block()?;
        let style = self
            .styles
            .resolve(StyleFamily::Paragraph, start.style.clone());
        let level = start.level.or_else(|| style.outline.heading());
        let level = level.or(style.is_title.then_some(1));
        let mut inline = OdfInlineText {
            is_code: style.is_code && level.is_none() && lists.is_empty(),
            ..OdfInlineText::default()
        };
        if style.is_hidden {
            inline.push(xml.depth(), OdfInlineEffect::Hide);
        }
        let mut position = lists.count(style.list.as_deref(), &self.styles);
        if let ListPosition::First(_, number) = &mut position {
            number.is_unmarked |= style.is_unnumbered;
        }
        let was_over = self.is_over;
        self.inline(xml, &mut inline)?;
        self.open_blocks -= 1;
        // The shapes have taken room before the end of the text that comes before them.
        self.is_cut |= self.is_over && !was_over && !inline.shapes.is_empty();
        let OdfInlineText {
            text,
            label,
            mut shapes,
            is_code,
            ..
        } = inline;
        let is_empty = text.trim().is_empty();
        let block = match level {
            None if is_code => Some(OdfBlock::Code(text)),
            // A line in the table of contents repeats a heading.
            _ if is_empty || (style.is_contents && start.level.is_none()) => {
                self.drop_words(&text);
                None
            }
            Some(level) => {
                let label = self.heading_label(&start, &style, level, &position, label);
                let separator = if label.is_empty() { "" } else { " " };
                Some(OdfBlock::Heading(
                    level,
                    format!("{label}{separator}{text}"),
                ))
            }
            None => {
                // Each line of a presentation may be in a list, of which some have bullets.
                let shows_unmarked = self.content != OdfContent::Presentation;
                Some(block_at(position, text, shows_unmarked))
            }
        };
        if let Some(block) = block {
            lists.set_written();
            shapes.insert(0, block);
        }
        Ok(shapes)
    }

    /// Returns the number before a heading. People refer to a heading by its number, `see 3.2`, so
    /// it becomes part of the text.
    fn heading_label(
        &mut self,
        start: &ParagraphStart,
        style: &OdfStyle,
        level: u8,
        position: &ListPosition,
        written: String,
    ) -> String {
        if let ListPosition::First(_, number) = position {
            return number.label.clone();
        }
        // A style may remove the number of its headings.
        let has_number = start.level.is_some()
            && !start.is_unnumbered
            && style.list.as_deref() != Some("")
            && *position == ListPosition::Outside;
        if !has_number {
            return String::new();
        }
        let number = self
            .numbering
            .heading(&self.styles.outline, level, start.number);
        if written.is_empty() {
            number.label
        } else {
            written
        }
    }

    /// Reads the content of the element that began last into a paragraph.
    fn inline<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        inline: &mut OdfInlineText,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        while xml.depth() > end {
            let depth = xml.depth();
            let element = match xml.next()? {
                XmlEvent::Start(element) => element,
                XmlEvent::End => {
                    inline.close(depth);
                    continue;
                }
                XmlEvent::Text(words) => {
                    self.push_inline(&words, inline);
                    continue;
                }
                XmlEvent::Nothing | XmlEvent::Eof => continue,
            };
            let depth = depth + 1;
            match element.name() {
                "note" => self.note(xml, inline)?,
                "ruby-text" => {
                    let reading = xml.text()?;
                    if !reading.trim().is_empty() {
                        self.push_inline(&format!("({})", reading.trim()), inline);
                    }
                }
                "number" => self.written_label(xml, inline)?,
                "annotation" => {
                    self.omitted.comments += 1;
                    xml.skip()?;
                }
                "tracked-changes" => self.deletions(xml)?,
                name if is_shape(name) => {
                    if is_repeated(element.attribute("class").as_deref()) {
                        xml.skip()?;
                    } else {
                        let shape = Some(OpenShape::new(&element, depth));
                        self.read_anchored_shape(xml, shape, inline)?;
                    }
                }
                "p" | "h" => {
                    let start = ParagraphStart::new(&element);
                    let was_over = self.is_over;
                    let mut blocks = self.paragraph(xml, start, &mut OpenOdfLists::default())?;
                    self.is_cut |= self.is_over && !was_over;
                    inline.shapes.append(&mut blocks);
                }
                "table" => {
                    let was_over = self.is_over;
                    let mut out = OdfOutput::Gathered(std::mem::take(&mut inline.shapes));
                    self.table(xml, &mut out)?;
                    self.is_cut |= self.is_over && !was_over;
                    inline.shapes = out.into_blocks();
                }
                "math" => {
                    let equation = self.equation(xml)?;
                    inline.text.push_str(&equation_text(&equation));
                }
                name if is_without_text(name) => xml.skip()?,
                _ => self.begin_inline(&element, depth, end + 1, inline),
            }
        }
        Ok(())
    }

    /// Begins an element at `depth`, in a paragraph at another depth, that has no content of its
    /// own or affects the text in it.
    fn begin_inline(
        &mut self,
        element: &Element<'_>,
        depth: usize,
        paragraph: usize,
        inline: &mut OdfInlineText,
    ) {
        match element.name() {
            "s" => {
                let count = element.number("c").unwrap_or(1);
                self.push_blanks(count, inline);
            }
            "tab" => inline.push_blank('\t'),
            "line-break" => inline.push_blank('\n'),
            "span" => {
                let name = short_attribute(element, "style-name");
                let style = self.styles.resolve(StyleFamily::Text, name);
                if style.is_hidden {
                    inline.push(depth, OdfInlineEffect::Hide);
                }
                if style.is_raised {
                    inline.push(depth, OdfInlineEffect::Raise);
                }
            }
            "a" => {
                let address = element.attribute("href");
                if let Some(address) = address.and_then(|it| self.outside_address(it)) {
                    inline.open_link(depth, address);
                }
            }
            "hidden-text" | "hidden-paragraph"
                if element.attribute("is-hidden").as_deref() == Some("true") =>
            {
                // A hidden paragraph is one with this empty element anywhere in it.
                let is_paragraph = element.name() == "hidden-paragraph";
                if is_paragraph {
                    self.drop_words(&inline.text);
                }
                inline.hide(if is_paragraph { paragraph } else { depth }, is_paragraph);
            }
            // Every other element is entered, such as fields: their text is displayed.
            _ => {}
        }
    }

    /// Reads the number of a heading that a program has written, which began last.
    fn written_label<R: BufRead>(
        &self,
        xml: &mut Xml<R>,
        inline: &mut OdfInlineText,
    ) -> Result<(), EarlyStop> {
        let words = xml.text()?;
        if words.len() <= ODF_NAME_BYTES {
            words.trim().clone_into(&mut inline.label);
        }
        Ok(())
    }

    /// Reads the shape that began last, anchored in a paragraph. Equations belong to the sentence.
    fn read_anchored_shape<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        shape: Option<OpenShape>,
        inline: &mut OdfInlineText,
    ) -> Result<(), EarlyStop> {
        let is_hidden = inline.is_hidden();
        let was_over = self.is_over;
        let mut out = OdfOutput::Gathered(Vec::new());
        self.blocks(xml, shape, &mut out)?;
        // What is in the shape comes after the whole paragraph.
        self.is_cut |= self.is_over && !was_over;
        let mut blocks = out.into_blocks();
        if is_hidden {
            return Ok(());
        }
        if let [OdfBlock::Equation(words)] = blocks.as_slice() {
            inline.text.push_str(&equation_text(words));
        } else {
            inline.shapes.append(&mut blocks);
        }
        Ok(())
    }

    /// Reads the footnote or endnote that began last, and leaves its mark in the text.
    fn note<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        inline: &mut OdfInlineText,
    ) -> Result<(), EarlyStop> {
        if inline.is_hidden() {
            return xml.skip();
        }
        let end = xml.depth() - 1;
        let number = self.notes.len();
        self.notes.push(String::new());
        inline.text.push_str(&format!("[^{}]", number + 1));
        let mut out = OdfOutput::new_lines();
        let stops = (self.is_over, self.is_cut);
        self.is_over = false;
        std::mem::swap(&mut self.room, &mut self.room_for_notes);
        while xml.depth() > end {
            if let XmlEvent::Start(element) = xml.next()? {
                match element.name() {
                    "note-body" => self.blocks(xml, None, &mut out)?,
                    _ => xml.skip()?,
                }
            }
        }
        std::mem::swap(&mut self.room, &mut self.room_for_notes);
        // Notes are written after the text, so a note without room does not end the text before.
        (self.is_over, self.is_cut) = stops;
        if let Some(note) = self.notes.get_mut(number) {
            out.lines().clone_into(note);
        }
        Ok(())
    }

    /// Returns the address of a link that leads out of the document.
    fn outside_address(&self, address: String) -> Option<String> {
        if address.trim().is_empty() || address.starts_with('#') {
            return None;
        }
        // In a package addresses are relative to its parts, which are in a folder of their own: the
        // file beside the document is `../file`.
        match self.form {
            OdfForm::Package => match address.strip_prefix("../") {
                Some(beside) => Some(beside.to_owned()),
                None => Some(address),
            },
            OdfForm::Flat => Some(address),
        }
    }

    /// Adds words to the text, unless they are hidden.
    fn push_inline(&mut self, words: &str, inline: &mut OdfInlineText) {
        if inline.is_hidden() {
            return;
        }
        let raised = inline.has(|effect| matches!(effect, OdfInlineEffect::Raise));
        let raised = raised.then(|| superscript(words)).flatten();
        self.push_words(raised.as_deref().unwrap_or(words), &mut inline.text);
    }

    /// Adds blanks to the text: in code as many as there are.
    fn push_blanks(&mut self, count: usize, inline: &mut OdfInlineText) {
        if inline.is_hidden() {
            return;
        }
        if !inline.is_code {
            return inline.push_blank(' ');
        }
        let count = count.min(REPEATED_BLANKS).min(self.room);
        self.room -= count;
        inline.text.extend(std::iter::repeat_n(' ', count));
    }

    /// Returns the room of words that are not displayed after all.
    fn drop_words(&mut self, words: &str) {
        let shown = words.chars().filter(|c| !c.is_whitespace());
        self.room += shown.map(char::len_utf8).sum::<usize>();
        self.is_cut |= self.is_over;
    }

    /// Adds words to `text` as far as there is room. Runs of blanks are single ones, as in XML.
    pub fn push_words(&mut self, words: &str, text: &mut String) {
        if self.is_over {
            return;
        }
        for c in words.chars() {
            match c {
                // Soft hyphens and byte order marks are not text.
                '\u{AD}' | '\u{FEFF}' => {}
                c if c.is_whitespace() || c.is_control() => {
                    if !text.is_empty() && !text.ends_with(char::is_whitespace) {
                        text.push(' ');
                    }
                }
                c => {
                    text.push(c);
                    // The first sign without room is kept: the Markdown ends before it.
                    let Some(room) = self.room.checked_sub(c.len_utf8()) else {
                        self.room = 0;
                        self.is_over = true;
                        return;
                    };
                    self.room = room;
                }
            }
        }
    }
}

impl OdfInlineText {
    fn push(&mut self, depth: usize, effect: OdfInlineEffect) {
        self.open.push(OpenOdfInline { depth, effect });
    }

    /// Adds a blank, unless one is there.
    fn push_blank(&mut self, blank: char) {
        if self.is_hidden() {
            return;
        }
        // In a link, a line break after a blank is still a blank.
        if self.is_code || !self.text.ends_with(blank) {
            self.text.push(blank);
        }
    }

    /// Opens a link, unless the text is one already.
    fn open_link(&mut self, depth: usize, address: String) {
        let start = self.text.len();
        if !self.has(|effect| matches!(effect, OdfInlineEffect::Link { .. })) {
            self.push(depth, OdfInlineEffect::Link { start, address });
        }
    }

    /// Hides the text until the element at `depth` ends, and the text so far if `is_all`.
    fn hide(&mut self, depth: usize, is_all: bool) {
        if is_all {
            self.text.clear();
            self.open.clear();
        }
        self.push(depth, OdfInlineEffect::Hide);
    }

    /// Closes the elements at `depth`.
    fn close(&mut self, depth: usize) {
        while let Some(open) = self.open.pop_if(|open| open.depth == depth) {
            if let OdfInlineEffect::Link { start, address } = open.effect {
                make_link(&mut self.text, start, &address);
            }
        }
    }

    fn is_hidden(&self) -> bool {
        self.has(|effect| matches!(effect, OdfInlineEffect::Hide))
    }

    fn has(&self, is_it: impl Fn(&OdfInlineEffect) -> bool) -> bool {
        self.open.iter().any(|open| is_it(&open.effect))
    }
}
