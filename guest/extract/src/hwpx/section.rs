//! Sections: paragraphs with their inline content.
//!
//! The elements in a paragraph are nested in many ways that do not affect its text, so it is read
//! as one flat sequence of steps, as in `docx`.

use std::collections::BTreeMap;
use std::io::BufRead;

use super::object::HwpxObject;
use crate::failure::EarlyStop;
use crate::hangul::{HangulBlock, HangulDocument, HangulParagraph, Placement};
use crate::markdown::Markdown;
use crate::xml::{Xml, XmlEvent};

/// A reader of sections.
pub struct SectionReader {
    /// The document.
    pub document: HangulDocument,
    /// Names of parts by the ids of the manifest.
    parts: BTreeMap<String, String>,
    /// True between the begin of a picture and the reference to its part.
    pub is_picture_open: bool,
}

/// The open elements of a paragraph that affect its text.
#[derive(Default)]
pub struct HwpxElements {
    /// Depth of the element whose text is that of the paragraph.
    text: Option<usize>,
    /// Depths of elements whose children are alternatives, and whether the first was read.
    alternatives: Vec<(usize, bool)>,
    /// Number of tracked deletions that are open.
    deletions: usize,
}

impl SectionReader {
    /// Creates a reader of the sections of a document.
    pub fn new(document: HangulDocument, parts: BTreeMap<String, String>) -> Self {
        Self {
            document,
            parts,
            is_picture_open: false,
        }
    }

    /// Adds the blocks of a section to `text`. Returns false if the part is not a section.
    pub fn read<R: BufRead>(
        &mut self,
        mut xml: Xml<R>,
        text: &mut Markdown,
    ) -> Result<bool, EarlyStop> {
        let mut is_section = false;
        loop {
            match xml.next()? {
                XmlEvent::Start(element) if element.name() == "sec" => {
                    is_section = true;
                    self.blocks(&mut xml, &mut |block| block.write(text))?;
                }
                XmlEvent::Eof => return Ok(is_section),
                _ => {}
            }
        }
    }

    /// Reads the blocks in the element that began last, and passes them to `take`.
    fn blocks<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        take: &mut dyn FnMut(HangulBlock) -> Result<(), EarlyStop>,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            let blocks = match element.name() {
                "p" => {
                    let shape = element.number("paraPrIDRef").unwrap_or_default();
                    let style = element.number("styleIDRef").unwrap_or_default();
                    self.paragraph(xml, shape, style)?
                }
                "tbl" => self.table(xml)?,
                // Every other element that contains blocks is entered.
                _ => continue,
            };
            for block in blocks {
                take(block)?;
            }
        }
        Ok(())
    }

    /// Returns the blocks in the element that began last, such as a text box or a note.
    pub fn story<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<Vec<HangulBlock>, EarlyStop> {
        self.document.open_block()?;
        let mut blocks = Vec::new();
        self.blocks(xml, &mut |block| {
            blocks.push(block);
            Ok(())
        })?;
        self.document.close_block();
        Ok(blocks)
    }

    /// Reads the paragraph that began last, with this shape and style.
    pub fn paragraph<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        shape: u32,
        style: u32,
    ) -> Result<Vec<HangulBlock>, EarlyStop> {
        let mut paragraph = HangulParagraph::default();
        self.inline(xml, &mut paragraph)?;
        Ok(self.document.finish_paragraph(paragraph, shape, style))
    }

    /// Reads the content of the element that began last into a paragraph.
    fn inline<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        paragraph: &mut HangulParagraph,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        let mut open = HwpxElements::default();
        while xml.depth() > end {
            let depth = xml.depth();
            let element = match xml.next()? {
                XmlEvent::Start(element) => element,
                XmlEvent::End => {
                    open.close(depth);
                    continue;
                }
                // Words are in elements `t` only; text elsewhere describes objects to readers
                // who cannot see them, in words that Hangul makes up.
                XmlEvent::Text(words) if open.has_text() => {
                    self.document.push(paragraph, &words)?;
                    continue;
                }
                XmlEvent::Text(_) | XmlEvent::Nothing | XmlEvent::Eof => continue,
            };
            let depth = depth + 1;
            if open.is_further_alternative(depth) {
                xml.skip()?;
                continue;
            }
            if open.has_text()
                && let Some(blank) = blank(element.name())
            {
                self.document.push(paragraph, blank)?;
                continue;
            }
            match element.name() {
                "t" => open.text = Some(depth),
                "switch" => open.alternatives.push((depth, false)),
                "deleteBegin" => {
                    open.deletions += 1;
                    self.document.omitted.deletions += 1;
                }
                "deleteEnd" => open.deletions = open.deletions.saturating_sub(1),
                "secPr" => {
                    if let Some(list) = element.number("outlineShapeIDRef") {
                        self.document.outline = list;
                    }
                    xml.skip()?;
                }
                "tbl" => {
                    let blocks = self.table(xml)?;
                    open.place(paragraph, blocks, Placement::Here);
                }
                "drawText" | "caption" | "subList" => {
                    let blocks = self.story(xml)?;
                    open.place(paragraph, blocks, Placement::Beside);
                }
                // Fills of shapes refer to pictures as well.
                "img" if std::mem::take(&mut self.is_picture_open) => {
                    let id = element.attribute("binaryItemIDRef").unwrap_or_default();
                    self.push_picture(&id, paragraph)?;
                }
                name if is_left_out(name) => xml.skip()?,
                _ => {
                    if let Some(object) = HwpxObject::parse(&element) {
                        self.object(object, xml, paragraph, &open)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl SectionReader {
    /// Adds the mark of the picture with this id.
    fn push_picture(&mut self, id: &str, paragraph: &mut HangulParagraph) -> Result<(), EarlyStop> {
        let part = self.parts.get(id);
        let Some(mark) = part.and_then(|part| self.document.picture(part)) else {
            return Ok(());
        };
        self.document.charge(mark.len())?;
        let block = HangulBlock::Paragraph(mark);
        paragraph.place(vec![block], Placement::Beside);
        Ok(())
    }
}

impl HwpxElements {
    /// Returns true if text is that of the paragraph.
    fn has_text(&self) -> bool {
        self.text.is_some() && self.deletions == 0
    }

    /// Returns true if a tracked change deletes the content.
    pub fn is_deleted(&self) -> bool {
        self.deletions > 0
    }

    /// Places the blocks of an object, unless a tracked change deletes it.
    pub fn place(
        &self,
        paragraph: &mut HangulParagraph,
        blocks: Vec<HangulBlock>,
        placement: Placement,
    ) {
        if !self.is_deleted() {
            paragraph.place(blocks, placement);
        }
    }

    /// Ends the element at `depth`.
    fn close(&mut self, depth: usize) {
        if self.text == Some(depth) {
            self.text = None;
        }
        self.alternatives.pop_if(|(parent, _)| *parent == depth);
    }

    /// Returns true if an element that begins at `depth` is an alternative to one that was read.
    /// Charts are an example: new programs read them, old ones an object instead.
    fn is_further_alternative(&mut self, depth: usize) -> bool {
        match self.alternatives.last_mut() {
            Some((parent, was_read)) if *parent + 1 == depth => std::mem::replace(was_read, true),
            _ => false,
        }
    }
}

/// Returns the blank that an element among the words stands for.
fn blank(name: &str) -> Option<&'static str> {
    Some(match name {
        "tab" => "\t",
        "lineBreak" => "\n",
        "nbSpace" | "fwSpace" | "hwSpace" => " ",
        _ => return None,
    })
}

/// Returns true if the content of an element is not text of the document.
fn is_left_out(name: &str) -> bool {
    matches!(
        name,
        "header" | "footer" | "indexmark" | "linesegarray" | "parameters" | "parameterset"
    )
}
