//! Blocks: paragraphs, lists, tables, and shapes with pictures or text.
//!
//! Lists, sections and shapes are nested in each other in any depth, so the elements are read as
//! one sequence, and those whose end matters are kept while they are open. Only paragraphs and the
//! cells of tables contain blocks of their own.

use std::io::BufRead;

use super::numbering::OpenOdfLists;
use super::output::{OdfBlock, OdfOutput};
use super::paragraph::ParagraphStart;
use super::{OdfContent, OdfOmissions, OdfReader, is_outside_body};
use crate::failure::EarlyStop;
use crate::pictures::picture_mark;
use crate::xml::{Element, Xml, XmlEvent};

/// An open shape: a picture, a text box, a drawing.
pub struct OpenShape {
    /// Number of open elements when it began, including itself.
    depth: usize,
    is_title: bool,
    has_picture: bool,
    /// Name of its picture.
    picture: Option<String>,
    /// True if its author says that it is no content.
    is_decorative: bool,
    /// True if it contains text or an object, of which a picture is only a preview.
    has_content: bool,
    /// Its title and description, for people who do not see it.
    description: String,
}

/// The open elements that affect the blocks in them.
struct OpenOdfElements {
    lists: OpenOdfLists,
    shapes: Vec<OpenShape>,
}

impl OdfOmissions {
    /// Counts an element that is left out, and returns true if it is one.
    fn count(&mut self, name: &str, element: &Element<'_>) -> bool {
        let count = match name {
            "table-of-content" => &mut self.contents,
            "annotation" => &mut self.comments,
            "section" if is_hidden_section(element) => &mut self.hidden_sections,
            _ => return false,
        };
        *count += 1;
        true
    }
}

impl OpenShape {
    /// Creates the shape of an element with this depth.
    pub fn new(element: &Element<'_>, depth: usize) -> Self {
        Self {
            depth,
            is_title: false,
            has_picture: false,
            picture: None,
            is_decorative: element.attribute("decorative").as_deref() == Some("true"),
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
        out: &mut OdfOutput<'_>,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        let mut open = OpenOdfElements::new(shape);
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
                "tracked-changes" => self.deletions(xml)?,
                name if self.omitted.count(name, &element) => xml.skip()?,
                name if is_shape(name) => {
                    let class = element.attribute("class");
                    let shape = OpenShape::new(&element, depth);
                    open.begin_shape(class.as_deref(), shape, xml)?;
                }
                "title" | "desc" if open.is_description(depth) => {
                    let words = xml.text()?;
                    open.describe(words.trim());
                }
                "image" => {
                    let part = element.attribute("href");
                    let member = part.and_then(|part| self.pictures.member(&part));
                    open.set_picture(member);
                }
                "object" | "object-ole" => {
                    let address = element.attribute("href");
                    self.read_object(xml, address, &mut open, out)?;
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
        open: &mut OpenOdfElements,
        out: &mut OdfOutput<'_>,
    ) -> Result<(), EarlyStop> {
        let Some(shape) = open.shapes.pop_if(|shape| shape.depth == depth) else {
            return Ok(());
        };
        if let OdfOutput::Slide(slide) = out {
            slide.has_title |= shape.is_title && !slide.title.trim().is_empty();
        }
        if shape.has_content {
            return Ok(());
        }
        if shape.has_picture {
            self.omitted.pictures += 1;
        }
        let member = shape.picture.as_deref();
        let mark = picture_mark(member, &shape.description).filter(|_| !shape.is_decorative);
        let Some(mark) = mark else {
            return Ok(());
        };
        let mut words = String::new();
        self.push_words(&mark, &mut words);
        let words = words.trim_end().to_owned();
        self.push_into(OdfBlock::Paragraph(words), open, out)
    }

    /// Reads the object that began last: the part at `address`, or its own content.
    fn read_object<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        address: Option<String>,
        open: &mut OpenOdfElements,
        out: &mut OdfOutput<'_>,
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
        out: &mut OdfOutput<'_>,
    ) -> Result<(), EarlyStop> {
        let OdfOutput::Slide(slide) = out else {
            return xml.skip();
        };
        self.open_block()?;
        let mut notes = OdfOutput::Gathered(std::mem::take(&mut slide.notes));
        self.blocks(xml, None, &mut notes)?;
        slide.notes = notes.into_blocks();
        self.open_blocks -= 1;
        Ok(())
    }

    /// Writes a block that is in the open elements.
    fn push_into(
        &mut self,
        block: OdfBlock,
        open: &mut OpenOdfElements,
        out: &mut OdfOutput<'_>,
    ) -> Result<(), EarlyStop> {
        open.set_content();
        if let OdfOutput::Slide(slide) = out
            && !slide.has_title
            && open.shapes.iter().any(|shape| shape.is_title)
        {
            // The title comes first in the Markdown, and maybe not in the file.
            self.is_cut |= self.is_over;
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
}

impl OpenOdfElements {
    fn new(shape: Option<OpenShape>) -> Self {
        Self {
            lists: OpenOdfLists::default(),
            shapes: shape.into_iter().collect(),
        }
    }

    /// Begins a shape of a class, or skips one that repeats on each slide.
    fn begin_shape<R: BufRead>(
        &mut self,
        class: Option<&str>,
        shape: OpenShape,
        xml: &mut Xml<R>,
    ) -> Result<(), EarlyStop> {
        if is_repeated(class) {
            return xml.skip();
        }
        self.shapes.push(OpenShape {
            is_title: class == Some("title"),
            ..shape
        });
        Ok(())
    }

    /// Returns true if an element of this depth describes the innermost shape.
    fn is_description(&self, depth: usize) -> bool {
        let shape = self.shapes.last();
        shape.is_some_and(|shape| shape.depth + 1 == depth)
    }

    /// Adds words to the description of the innermost shape.
    fn describe(&mut self, words: &str) {
        // Some programs write the same words as title and description.
        if let Some(shape) = self.shapes.last_mut()
            && shape.description != words
        {
            if !shape.description.is_empty() && !words.is_empty() {
                shape.description.push_str(": ");
            }
            shape.description.push_str(words);
        }
    }

    fn set_picture(&mut self, member: Option<&str>) {
        if let Some(shape) = self.shapes.last_mut() {
            shape.has_picture = true;
            // Further ones show the same in other forms.
            if shape.picture.is_none() {
                shape.picture = member.map(str::to_owned);
            }
        }
    }

    fn set_content(&mut self) {
        for shape in &mut self.shapes {
            shape.has_content = true;
        }
    }
}
