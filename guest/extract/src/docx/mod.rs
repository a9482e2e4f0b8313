//! Text documents (docx): paragraphs with styles, lists with numbering, tables and footnotes.

pub mod field;
mod notes;
pub mod numbering;
mod paragraph;
pub mod styles;
pub mod symbols;
mod table;

use std::collections::BTreeMap;
use std::io::BufRead;

use crate::docx::notes::NoteKind;
use crate::failure::{EarlyStop, Failure};
use crate::limits::Limits;
use crate::limits::NESTED_BLOCKS;
use crate::markdown::{Markdown, Marker, one_line};
use crate::package::{Package, Relationship, external_links, part_of_kind};
use crate::pictures::PictureNames;
use crate::salvage::read_package;
use crate::xml::{Xml, XmlEvent};
use field::Fields;
use notes::Notes;
use numbering::Numbering;
use styles::Styles;
pub use symbols::SymbolFont;

/// A block of a document.
#[derive(Debug)]
pub enum DocxBlock {
    Heading(u8, String),
    Paragraph(String),
    /// A line of code, or an empty line among them.
    Code(String),
    Item(usize, Marker, String),
    Table(Vec<Vec<String>>),
}

/// A reader of blocks, with the settings from other parts of the package.
struct BlockReader {
    styles: Styles,
    numbering: Numbering,
    /// Addresses of links by relationship id.
    links: BTreeMap<String, String>,
    notes: Notes,
    fields: Fields,
    /// Number of open tables, text boxes and alternatives.
    open_blocks: usize,
    /// Names of pictures by relationship id.
    pictures: BTreeMap<String, String>,
    /// Number of pictures skipped.
    picture_count: usize,
    /// Alternative text of the last drawing, until one of its pictures is named.
    description: String,
    /// True if the author of the last drawing says that it is no content.
    is_decorative: bool,
}

/// Adds the text of a document to `text`.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: &[u8], limits: &Limits, text: &mut Markdown) -> Result<(), EarlyStop> {
    read_package(content, limits, text, read_passes)
}

/// Adds the text of a package to `text`, in one pass or two.
fn read_passes(package: Package<'_>, text: &mut Markdown) -> Result<(), EarlyStop> {
    // A field without an end makes the rest of the document part of its instruction, which is
    // not text. Whether a field ends is known only at the end of its story, when the text is
    // lost, so the document is read a second time with the knowledge of the first pass. There
    // is only one such pass, so that a hostile document costs twice the time at most.
    let start = text.clone();
    let mut fields = read_with(Fields::default(), package.clone(), text)?;
    if let Some(fields) = fields.without_endless() {
        *text = start;
        read_with(fields, package, text)?;
    }
    Ok(())
}

/// Reads a document with the knowledge of its fields from an earlier pass, and returns that of this
/// pass.
fn read_with(
    fields: Fields,
    mut package: Package<'_>,
    text: &mut Markdown,
) -> Result<Fields, EarlyStop> {
    let main = package.main_part("word/document.xml")?;
    let relationships = package.relationships(&main)?;
    let mut styles = Styles::default();
    if let Some(name) = part_of_kind(&relationships, "styles")
        && let Some(part) = package.part(&name)?
    {
        styles = Styles::read(part)?;
    }
    let mut numbering = Numbering::default();
    if let Some(name) = part_of_kind(&relationships, "numbering")
        && let Some(part) = package.part(&name)?
    {
        numbering = Numbering::read(part)?;
    }
    let names = PictureNames::find(&package);
    let mut reader = BlockReader {
        styles,
        numbering,
        links: external_links(&relationships),
        notes: Notes::default(),
        fields,
        open_blocks: 0,
        pictures: names.by_relationship(&relationships),
        picture_count: 0,
        description: String::new(),
        is_decorative: false,
    };
    let mut part = package
        .part(&main)?
        .ok_or(EarlyStop::Failed(Failure::Malformed))?;
    // Any well-formed XML may be the main part of a package, such as that of a presentation. A
    // document without words has a body all the same; a part without one is another format.
    let mut has_body = false;
    let mut code = String::new();
    loop {
        match part.next()? {
            XmlEvent::Start(element) if element.name() == "body" => {
                has_body = true;
                let outside = reader.fields.begin_story();
                reader.blocks(&mut part, &mut |block| block.write_behind(&mut code, text))?;
                reader.fields.end_story(outside);
                text.code(&code)?;
                code.clear();
            }
            XmlEvent::Eof => break,
            _ => {}
        }
    }
    drop(part);
    if !has_body {
        return Err(EarlyStop::Failed(Failure::Malformed));
    }
    // Notes are in parts of their own and come last: only at the end of the text is it known
    // which of them it refers to, and in which order.
    reader.write_notes(&mut package, &relationships, &names, text)?;
    let [picture, pictures] = names.nouns();
    text.push_omission_note(&[(reader.picture_count, &picture, &pictures)])?;
    Ok(reader.fields)
}

impl DocxBlock {
    /// Adds the block to `text`, or to the preceding lines of `code`, each of which is a paragraph
    /// of its own.
    pub fn write_behind(&self, code: &mut String, text: &mut Markdown) -> Result<(), EarlyStop> {
        if let Self::Code(line) = self {
            return text.gather_code(line, code);
        }
        text.code(&std::mem::take(code))?;
        match self {
            Self::Heading(level, words) => text.heading(*level, words),
            Self::Paragraph(words) | Self::Code(words) => text.paragraph(words),
            Self::Item(level, marker, words) => text.item(*level, *marker, words),
            Self::Table(rows) => text.table(rows),
        }
    }
}

/// Formats blocks as the lines of one cell: Markdown cannot represent nested blocks in a cell.
pub fn cell_text(blocks: &[DocxBlock]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for block in blocks {
        match block {
            DocxBlock::Heading(_, words) | DocxBlock::Paragraph(words) | DocxBlock::Code(words) => {
                lines.push(words.clone());
            }
            DocxBlock::Item(_, Marker::Bullet, words) => lines.push(format!("- {words}")),
            DocxBlock::Item(_, Marker::Number(number), words) => {
                lines.push(format!("{number}. {words}"));
            }
            DocxBlock::Table(rows) => {
                lines.extend(rows.iter().map(|row| row.join(" ")));
            }
        }
    }
    lines.join("\n")
}

impl BlockReader {
    /// Reads the blocks in the element that began last, and passes them to `take`.
    fn blocks<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        take: &mut dyn FnMut(DocxBlock) -> Result<(), EarlyStop>,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "p" => {
                    for block in self.paragraph(xml)? {
                        take(block)?;
                    }
                }
                "tbl" => {
                    for block in self.table(xml)? {
                        take(block)?;
                    }
                }
                "AlternateContent" => self.first_alternative(xml, take)?,
                name if is_left_out(name) => xml.skip()?,
                // Every other element that contains blocks is entered, such as content controls
                // (`sdt`), insertions (`ins`) and custom XML. A list of known containers would
                // lose the text of those that a later version adds.
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads the first of several alternatives, for example a drawing for new programs and a
    /// picture for old ones, both with the same text.
    fn first_alternative<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        take: &mut dyn FnMut(DocxBlock) -> Result<(), EarlyStop>,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        let mut is_first = true;
        while xml.depth() > end {
            if let XmlEvent::Start(_) = xml.next()? {
                if std::mem::take(&mut is_first) {
                    self.open_block()?;
                    self.blocks(xml, take)?;
                    self.open_blocks -= 1;
                } else {
                    xml.skip()?;
                }
            }
        }
        Ok(())
    }

    /// Returns the blocks of the text box that began last.
    fn text_box<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<Vec<DocxBlock>, EarlyStop> {
        self.open_block()?;
        let blocks = self.story(xml)?;
        self.open_blocks -= 1;
        Ok(blocks)
    }

    /// Returns the blocks in the element that began last, which no field enters or leaves.
    fn story<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<Vec<DocxBlock>, EarlyStop> {
        let outside = self.fields.begin_story();
        let mut blocks = Vec::new();
        self.blocks(xml, &mut |block| {
            blocks.push(block);
            Ok(())
        })?;
        self.fields.end_story(outside);
        Ok(blocks)
    }

    /// Counts a block that contains others. Blocks nested deeper than any editor writes would
    /// overflow the stack.
    fn open_block(&mut self) -> Result<(), EarlyStop> {
        self.open_blocks += 1;
        if self.open_blocks > NESTED_BLOCKS {
            return Err(EarlyStop::Failed(Failure::Malformed));
        }
        Ok(())
    }
}

/// Returns true if the content of an element is not, or no longer, text of the document.
fn is_left_out(name: &str) -> bool {
    matches!(
        name,
        // Tracked changes: text that was deleted, or moved away.
        "del" | "moveFrom" | "delText"
            // Codes of fields; their results are next to them as text.
            | "instrText" | "delInstrText"
            // The last of several alternatives, should it be alone.
            | "Fallback"
            // The pronunciation of the characters below.
            | "rt"
            // Properties, some of which contain text.
            | "sdtPr" | "sectPr" | "tblPr" | "trPr"
            // Properties before a tracked change.
            | "pPrChange" | "rPrChange" | "tcPrChange" | "trPrChange"
            // Bytes of a picture, in base 64.
            | "binData"
    )
}

impl BlockReader {
    /// Adds the notes that the text refers to.
    fn write_notes(
        &mut self,
        package: &mut Package<'_>,
        relationships: &BTreeMap<String, Relationship>,
        names: &PictureNames,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        // Notes may refer to further notes. These get a number, and no text.
        let notes = self.notes.clone();
        let mut texts: BTreeMap<(NoteKind, String), String> = BTreeMap::new();
        for (kind, part, name) in [
            (NoteKind::Footnote, "footnotes", "footnote"),
            (NoteKind::Endnote, "endnotes", "endnote"),
        ] {
            // Nearly every document has these parts, for the line that separates notes from
            // text. They are unpacked only if the text refers to a note.
            if !notes.has(kind) {
                continue;
            }
            let Some(part) = part_of_kind(relationships, part) else {
                continue;
            };
            // Ids of relationships are unique within a part only, so the links and pictures of the
            // notes replace those of the body.
            let relationships = package.relationships(&part)?;
            self.links = external_links(&relationships);
            self.pictures = names.by_relationship(&relationships);
            let Some(mut xml) = package.part(&part)? else {
                continue;
            };
            loop {
                match xml.next()? {
                    XmlEvent::Start(element) if element.name() == name => {
                        let id = element.attribute("id").unwrap_or_default();
                        let blocks = self.story(&mut xml)?;
                        texts.insert((kind, id), cell_text(&blocks));
                    }
                    XmlEvent::Eof => break,
                    _ => {}
                }
            }
        }
        let mut in_order: Vec<(usize, &String)> = notes
            .0
            .iter()
            .filter_map(|(note, number)| Some((*number, texts.get(note)?)))
            .collect();
        in_order.sort_unstable();
        for (number, words) in in_order {
            text.paragraph(&format!("[^{number}]: {}", one_line(words)))?;
        }
        Ok(())
    }
}
