//! Blocks: paragraphs, lists, tables, and shapes with pictures or text.
//!
//! Lists, sections and shapes are nested in each other in any depth, so the elements are read as
//! one sequence, and those whose end matters are kept while they are open. Only paragraphs and the
//! cells of tables contain blocks of their own.

use std::io::BufRead;

use super::numbering::{ListPosition, OpenLists};
use super::paragraph::ParagraphStart;
use super::{OdfContent, OdfReader, is_outside_body};
use crate::failure::EarlyStop;
use crate::grid::Grid;
use crate::limits::GATHERED_BLOCKS;
use crate::markdown::{Markdown, Marker};
use crate::xml::{Element, Xml, XmlEvent};

/// A block of a document.
#[derive(Debug)]
pub enum OdfBlock {
    /// A heading of a level from 1.
    Heading(u8, String),
    Paragraph(String),
    /// A line of code, or an empty line among them.
    Code(String),
    /// An item of a list, at a level from 0.
    Item(usize, Marker, String),
    /// A further paragraph of the item before it.
    Further(String),
    Equation(String),
    /// A table of at least this number of columns.
    Table(u32, Grid),
}

/// The place that blocks are written to.
pub enum BlockOutput<'o> {
    /// The document, with the lines of code that are not written yet.
    Document {
        text: &'o mut Markdown,
        code: String,
    },
    /// The lines of a cell or a note.
    Lines(CellLines),
    /// A list of blocks.
    Gathered(Vec<OdfBlock>),
    /// A slide.
    Slide(Slide),
}

/// The lines of a cell or a note: Markdown cannot represent nested blocks there.
#[derive(Debug, Default)]
pub struct CellLines {
    text: String,
    /// Number of blocks.
    blocks: usize,
    /// Number of blocks that are items with a bullet.
    bullets: usize,
}

/// The blocks of a slide.
#[derive(Debug, Default)]
pub struct Slide {
    pub title: String,
    /// True if the shape with the title has ended: there is one title.
    has_title: bool,
    pub blocks: Vec<OdfBlock>,
    pub notes: Vec<OdfBlock>,
}

/// An open shape: a picture, a text box, a drawing.
pub struct OpenShape {
    /// Number of open elements when it began, including itself.
    depth: usize,
    is_title: bool,
    has_picture: bool,
    /// True if it contains text or an object, of which a picture is only a preview.
    has_content: bool,
    /// Its title and description, for people who do not see it.
    description: String,
}

/// The open elements that affect the blocks in them.
#[derive(Default)]
struct OpenElements {
    lists: OpenLists,
    shapes: Vec<OpenShape>,
}

impl OpenShape {
    /// Creates the shape whose element has this depth.
    pub fn new(depth: usize) -> Self {
        Self {
            depth,
            is_title: false,
            has_picture: false,
            has_content: false,
            description: String::new(),
        }
    }
}

/// Returns true if an element is a shape, which may contain pictures and text.
pub fn is_shape(name: &str) -> bool {
    matches!(
        name,
        "frame"
            | "g"
            | "custom-shape"
            | "rect"
            | "line"
            | "polyline"
            | "polygon"
            | "regular-polygon"
            | "path"
            | "circle"
            | "ellipse"
            | "connector"
            | "caption"
            | "measure"
            | "control"
            | "scene"
    )
}

/// Returns true if a shape of this class repeats on each slide.
pub fn is_repeated(class: Option<&str>) -> bool {
    matches!(
        class,
        Some("footer" | "header" | "date-time" | "page-number" | "page")
    )
}

/// Returns true if a section is not displayed.
fn is_hidden_section(element: &Element<'_>) -> bool {
    match element.attribute("display").as_deref() {
        Some("none") => true,
        Some("condition") => element.attribute("is-hidden").as_deref() == Some("true"),
        _ => false,
    }
}

/// Returns true if an element has no text of the document.
pub fn is_without_text(name: &str) -> bool {
    matches!(
        name,
        // Controls of forms, and what happens when someone uses them.
        "forms" | "event-listeners" | "script"
            // Bytes of a picture, in base 64, and the areas of it that are links.
            | "binary-data" | "image-map" | "contour-polygon" | "contour-path"
            // The cells of another document, a copy of which is in the table.
            | "table-source" | "dde-link"
    )
}

impl OdfReader {
    /// Reads the blocks in the element that began last, which may be a shape.
    pub fn blocks<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        shape: Option<OpenShape>,
        out: &mut BlockOutput<'_>,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        let mut open = OpenElements {
            lists: OpenLists::default(),
            shapes: shape.into_iter().collect(),
        };
        while xml.depth() > end {
            let depth = xml.depth();
            let element = match xml.next()? {
                XmlEvent::Start(element) => element,
                XmlEvent::End => {
                    open.lists.end(depth, &mut self.numbering);
                    self.end_shape(depth, &mut open, out)?;
                    continue;
                }
                XmlEvent::Text(_) | XmlEvent::Nothing | XmlEvent::Eof => continue,
            };
            let depth = depth + 1;
            match element.name() {
                "p" | "h" => {
                    let start = ParagraphStart::new(&element);
                    for block in self.paragraph(xml, start, &mut open.lists)? {
                        self.push_into(block, &mut open, out)?;
                    }
                }
                "list" | "list-item" | "list-header" | "numbered-paragraph" => {
                    open.lists.begin(&element, depth, &self.numbering);
                }
                "table" => {
                    open.set_content();
                    self.table(xml, out)?;
                }
                "section" if is_hidden_section(&element) => {
                    self.omitted.hidden_sections += 1;
                    xml.skip()?;
                }
                "table-of-content" => {
                    self.omitted.contents += 1;
                    xml.skip()?;
                }
                "tracked-changes" => self.deletions(xml)?,
                "annotation" => {
                    self.omitted.comments += 1;
                    xml.skip()?;
                }
                name if is_shape(name) => {
                    let class = element.attribute("class");
                    open.begin_shape(class.as_deref(), depth, xml)?;
                }
                "title" | "desc" if open.is_description(depth) => {
                    let words = xml.text()?;
                    self.describe(&words, &mut open);
                }
                "image" => open.set_picture(),
                "object" | "object-ole" => {
                    let address = element.attribute("href");
                    self.embedded(xml, address, &mut open, out)?;
                }
                "math" => {
                    let equation = self.equation(xml)?;
                    self.push_into(OdfBlock::Equation(equation), &mut open, out)?;
                }
                "notes" => self.slide_notes(xml, out)?,
                name if is_outside_body(name) || is_without_text(name) => xml.skip()?,
                // Every other element that contains blocks is entered, such as indexes and the
                // parts of a chart. A list of known containers would lose the text of those that
                // a later version adds.
                _ => {}
            }
        }
        Ok(())
    }

    /// Ends the shape at this depth, if there is one, and shows its description in place of a
    /// picture.
    fn end_shape(
        &mut self,
        depth: usize,
        open: &mut OpenElements,
        out: &mut BlockOutput<'_>,
    ) -> Result<(), EarlyStop> {
        let Some(shape) = open.shapes.pop_if(|shape| shape.depth == depth) else {
            return Ok(());
        };
        if let BlockOutput::Slide(slide) = out {
            slide.has_title |= shape.is_title && !slide.title.trim().is_empty();
        }
        if shape.has_content {
            return Ok(());
        }
        if shape.has_picture {
            self.omitted.pictures += 1;
        }
        if shape.description.is_empty() {
            return Ok(());
        }
        let words = format!("[Picture: {}]", shape.description);
        self.push_into(OdfBlock::Paragraph(words), open, out)
    }

    /// Adds words to the description of the innermost shape.
    fn describe(&mut self, words: &str, open: &mut OpenElements) {
        if let Some(shape) = open.shapes.last_mut() {
            let mut description = String::new();
            self.push_words(words, &mut description);
            // Some programs write the same words as title and description.
            let new = description.trim();
            if new != shape.description && !new.is_empty() {
                if !shape.description.is_empty() {
                    shape.description.push_str(": ");
                }
                shape.description.push_str(new);
            }
        }
    }

    /// Reads the object that began last: the part at `address`, or its own content.
    fn embedded<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        address: Option<String>,
        open: &mut OpenElements,
        out: &mut BlockOutput<'_>,
    ) -> Result<(), EarlyStop> {
        if self.content == OdfContent::Spreadsheet {
            self.omitted.charts += 1;
            open.set_content();
            return xml.skip();
        }
        let Some(address) = address else {
            return Ok(());
        };
        let name = address.strip_prefix("./").unwrap_or(&address);
        // An object is shown once: a file may refer to it from thousands of places.
        for block in self.objects.remove(name).unwrap_or_default() {
            self.push_into(block, open, out)?;
        }
        Ok(())
    }

    /// Returns the equation that began last, in its own notation if it has one.
    pub fn equation<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<String, EarlyStop> {
        let end = xml.depth() - 1;
        let (mut signs, mut notation) = (String::new(), None);
        while xml.depth() > end {
            match xml.next()? {
                XmlEvent::Start(element) if element.name() == "annotation" => {
                    let words = xml.text()?;
                    notation = notation.or(Some(words));
                }
                XmlEvent::Text(text) => {
                    self.push_words(&text, &mut signs);
                    self.push_words(" ", &mut signs);
                }
                _ => {}
            }
        }
        let Some(notation) = notation else {
            return Ok(signs);
        };
        let mut equation = String::new();
        self.push_words(&notation, &mut equation);
        Ok(equation)
    }

    /// Counts the deletions in the tracked changes that began last.
    pub fn deletions<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        while xml.depth() > end {
            if let XmlEvent::Start(element) = xml.next()?
                && element.name() == "deletion"
            {
                self.omitted.deletions += 1;
            }
        }
        Ok(())
    }

    /// Reads the notes of a slide, which began last.
    fn slide_notes<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        out: &mut BlockOutput<'_>,
    ) -> Result<(), EarlyStop> {
        let BlockOutput::Slide(slide) = out else {
            return xml.skip();
        };
        self.open_block()?;
        let mut notes = BlockOutput::Gathered(std::mem::take(&mut slide.notes));
        self.blocks(xml, None, &mut notes)?;
        slide.notes = notes.into_blocks();
        self.open_blocks -= 1;
        Ok(())
    }

    /// Writes a block that is in the open elements.
    fn push_into(
        &mut self,
        block: OdfBlock,
        open: &mut OpenElements,
        out: &mut BlockOutput<'_>,
    ) -> Result<(), EarlyStop> {
        open.set_content();
        if let BlockOutput::Slide(slide) = out
            && !slide.has_title
            && open.shapes.iter().any(|shape| shape.is_title)
        {
            slide.title.push_str(block.words());
            slide.title.push(' ');
            return Ok(());
        }
        let block = match block {
            // A paragraph would end the list.
            OdfBlock::Paragraph(words) if !open.lists.is_empty() => OdfBlock::Further(words),
            block => block,
        };
        self.push(block, out)
    }

    /// Writes a block.
    pub fn push(&mut self, block: OdfBlock, out: &mut BlockOutput<'_>) -> Result<(), EarlyStop> {
        let blocks = match out {
            BlockOutput::Document { text, code } => {
                block.write_behind(code, text)?;
                if self.is_over {
                    return Err(EarlyStop::Full);
                }
                self.room = text.room().saturating_sub(code.len());
                return Ok(());
            }
            BlockOutput::Lines(lines) => {
                lines.push(&block);
                return Ok(());
            }
            BlockOutput::Gathered(blocks) => blocks,
            BlockOutput::Slide(slide) => &mut slide.blocks,
        };
        if blocks.len() == GATHERED_BLOCKS {
            return Err(EarlyStop::Full);
        }
        blocks.push(block);
        Ok(())
    }
}

impl OpenElements {
    /// Begins a shape of a class, or skips one that repeats on each slide.
    fn begin_shape<R: BufRead>(
        &mut self,
        class: Option<&str>,
        depth: usize,
        xml: &mut Xml<R>,
    ) -> Result<(), EarlyStop> {
        if is_repeated(class) {
            return xml.skip();
        }
        self.shapes.push(OpenShape {
            is_title: class == Some("title"),
            ..OpenShape::new(depth)
        });
        Ok(())
    }

    /// Returns true if an element of this depth describes the innermost shape.
    fn is_description(&self, depth: usize) -> bool {
        let shape = self.shapes.last();
        shape.is_some_and(|shape| shape.depth + 1 == depth)
    }

    fn set_picture(&mut self) {
        if let Some(shape) = self.shapes.last_mut() {
            shape.has_picture = true;
        }
    }

    fn set_content(&mut self) {
        for shape in &mut self.shapes {
            shape.has_content = true;
        }
    }
}

impl BlockOutput<'_> {
    /// Returns the gathered blocks.
    pub fn into_blocks(self) -> Vec<OdfBlock> {
        match self {
            Self::Gathered(blocks) => blocks,
            Self::Document { .. } | Self::Lines(_) | Self::Slide(_) => Vec::new(),
        }
    }

    /// Writes the code at the end of a document.
    pub fn finish(self) -> Result<(), EarlyStop> {
        match self {
            Self::Document { text, code } => text.code(&code),
            Self::Lines(_) | Self::Gathered(_) | Self::Slide(_) => Ok(()),
        }
    }
}

impl CellLines {
    /// Adds a block.
    fn push(&mut self, block: &OdfBlock) {
        self.blocks += 1;
        self.bullets += usize::from(matches!(block, OdfBlock::Item(_, Marker::Bullet, _)));
        block.push_lines(&mut self.text);
    }

    /// Returns the text of the cell.
    pub fn text(&self) -> &str {
        // The cells of tables on slides are lists of one item each, which shows no bullet.
        let is_single = self.blocks == 1 && self.bullets == 1;
        let text = match self.text.strip_prefix("- ") {
            Some(words) if is_single => words,
            _ => &self.text,
        };
        text.trim()
    }
}

impl BlockOutput<'_> {
    /// Creates the output of a cell or a note.
    pub fn new_lines() -> Self {
        Self::Lines(CellLines::default())
    }

    /// Returns the text of the cell or the note.
    pub fn lines(&self) -> &str {
        match self {
            Self::Lines(lines) => lines.text(),
            Self::Document { .. } | Self::Gathered(_) | Self::Slide(_) => "",
        }
    }
}

impl OdfBlock {
    /// Adds the block to `text`, or to the preceding lines of `code`, each of which is a paragraph
    /// of its own.
    pub fn write_behind(&self, code: &mut String, text: &mut Markdown) -> Result<(), EarlyStop> {
        if let Self::Code(lines) = self {
            code.push_str(lines);
            code.push('\n');
            return if code.len() > text.room() {
                Err(EarlyStop::Full)
            } else {
                Ok(())
            };
        }
        text.code(&std::mem::take(code))?;
        match self {
            Self::Heading(level, words) => text.heading(*level, words),
            Self::Paragraph(words) | Self::Code(words) => text.paragraph(words),
            Self::Item(level, marker, words) => text.item(*level, *marker, words),
            Self::Further(words) => text.item_paragraph(words),
            Self::Equation(words) => text.paragraph(&equation_text(words)),
            Self::Table(columns, grid) => grid.write_table(*columns, text),
        }
    }

    /// Adds the block to the lines of a cell or a note.
    fn push_lines(&self, lines: &mut String) {
        match self {
            Self::Heading(_, words)
            | Self::Paragraph(words)
            | Self::Code(words)
            | Self::Further(words) => lines.push_str(words),
            Self::Item(_, Marker::Bullet, words) => lines.push_str(&format!("- {words}")),
            Self::Item(_, Marker::Number(number), words) => {
                lines.push_str(&format!("{number}. {words}"));
            }
            Self::Equation(words) => lines.push_str(&equation_text(words)),
            Self::Table(_, grid) => {
                for (index, row) in grid.lines().enumerate() {
                    if index > 0 {
                        lines.push('\n');
                    }
                    for (index, cell) in row.enumerate() {
                        if index > 0 {
                            lines.push(' ');
                        }
                        lines.push_str(cell);
                    }
                }
            }
        }
        lines.push('\n');
    }

    /// Returns the words of a block in the title of a slide.
    fn words(&self) -> &str {
        match self {
            Self::Heading(_, words)
            | Self::Paragraph(words)
            | Self::Code(words)
            | Self::Item(_, _, words)
            | Self::Further(words)
            | Self::Equation(words) => words,
            Self::Table(..) => "",
        }
    }
}

/// Returns an equation as it is written in a paragraph.
pub fn equation_text(words: &str) -> String {
    match words.trim() {
        "" => String::new(),
        words => format!("${words}$"),
    }
}

/// Returns the block of a paragraph that is not a heading.
pub fn positioned(position: ListPosition, text: String, shows_unmarked: bool) -> OdfBlock {
    match position {
        ListPosition::Outside => OdfBlock::Paragraph(text),
        ListPosition::Further => OdfBlock::Further(text),
        ListPosition::First(_, number) if number.is_unmarked && !shows_unmarked => {
            OdfBlock::Paragraph(text)
        }
        ListPosition::First(level, number) => {
            let marker = number.number.map_or(Marker::Bullet, Marker::Number);
            OdfBlock::Item(level, marker, text)
        }
    }
}
