//! OpenDocument (odt, ods, odp and their templates): text documents, spreadsheets and
//! presentations, as a package or as one XML file with the same elements.

mod blocks;
mod media_type;
mod numbering;
mod output;
mod paragraph;
mod sheet;
mod slides;
mod styles;
mod table;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::BufRead;

use crate::failure::{EarlyStop, Failure};
use crate::limits::{Limits, NESTED_BLOCKS, ODF_OBJECTS};
use crate::markdown::{Markdown, one_line};
use crate::package::Package;
use crate::pictures::PictureNames;
use crate::salvage::read_package;
use crate::xml::{Xml, XmlEvent};
pub use media_type::{flat_format, package_format};
use numbering::OdfNumbering;
use output::{OdfBlock, OdfOutput};
use styles::{OdfStyles, StyleOrigin};

const MALFORMED: EarlyStop = EarlyStop::Failed(Failure::Malformed);

/// The content of an OpenDocument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OdfContent {
    /// A text document.
    Text,
    /// A spreadsheet.
    Spreadsheet,
    /// A presentation.
    Presentation,
}

/// The form of the file, which decides what relative addresses are relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OdfForm {
    /// A zip archive.
    Package,
    /// One XML file.
    Flat,
}

/// The parts of a document that its text omits.
#[derive(Clone, Copy, Debug, Default)]
struct OdfOmissions {
    hidden_sheets: usize,
    hidden_sections: usize,
    contents: usize,
    deletions: usize,
    comments: usize,
    charts: usize,
    pictures: usize,
}

/// A reader of the elements of a document.
struct OdfReader {
    content: OdfContent,
    form: OdfForm,
    styles: OdfStyles,
    numbering: OdfNumbering,
    /// Charts, equations and other embedded documents by the names of their folders.
    objects: BTreeMap<String, Vec<OdfBlock>>,
    /// Texts of the notes, in the order of their numbers.
    notes: Vec<String>,
    /// Bytes that the gathered text may still take, blanks not counted. The Markdown of a text is
    /// never shorter than that.
    room: usize,
    /// Bytes that the notes may still take.
    room_for_notes: usize,
    /// True if text was dropped because there was no room for it.
    is_over: bool,
    /// True if text was dropped before text that comes first in the Markdown, so that the block is
    /// not even a beginning.
    is_cut: bool,
    /// Number of open paragraphs and tables.
    open_blocks: usize,
    pictures: PictureNames,
    omitted: OdfOmissions,
}

impl OdfContent {
    /// Returns the name of its element in the body.
    fn element(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Spreadsheet => "spreadsheet",
            Self::Presentation => "presentation",
        }
    }
}

/// Adds the text of a document to `text`.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete, or the document has another content.
pub fn read(
    kind: OdfContent,
    content: &[u8],
    limits: &Limits,
    text: &mut Markdown,
) -> Result<(), EarlyStop> {
    if media_type::is_xml(content) {
        let mut reader = OdfReader::new(kind, OdfForm::Flat, text.room());
        return reader.document(Xml::new(content), text);
    }
    read_package(content, limits, text, |package, text| {
        read_parts(kind, package, text)
    })
}

/// Adds the text of a package to `text`.
fn read_parts(
    kind: OdfContent,
    mut package: Package<'_>,
    text: &mut Markdown,
) -> Result<(), EarlyStop> {
    if is_encrypted(&mut package)? {
        return Err(EarlyStop::Failed(Failure::Encrypted));
    }
    let mut reader = OdfReader::new(kind, OdfForm::Package, text.room());
    reader.pictures = PictureNames::find(&package);
    if let Some(part) = package.part("styles.xml")? {
        intact(reader.common_styles(part))?;
    }
    // The content of a sheet's charts is in its cells.
    if kind != OdfContent::Spreadsheet {
        reader.read_objects(&mut package)?;
    }
    let part = package.part("content.xml")?.ok_or(MALFORMED)?;
    reader.document(part, text)
}

/// Returns true if the manifest says that a part needs a password.
fn is_encrypted(package: &mut Package<'_>) -> Result<bool, EarlyStop> {
    let mut is_encrypted = false;
    if let Some(part) = package.part("META-INF/manifest.xml")? {
        // Early versions of OpenOffice write a document type into this part.
        let read = part.allow_document_type().each(|_, element| {
            is_encrypted |= element.name() == "encryption-data";
            Ok(())
        });
        intact(read)?;
    }
    Ok(is_encrypted)
}

/// Returns the result of reading a part whose damage takes little from the text: it is ignored.
fn intact(read: Result<(), EarlyStop>) -> Result<(), EarlyStop> {
    match read {
        Err(MALFORMED) => Ok(()),
        other => other,
    }
}

impl OdfReader {
    /// Creates a reader of a document with `room` bytes for its text.
    fn new(content: OdfContent, form: OdfForm, room: usize) -> Self {
        Self {
            content,
            form,
            styles: OdfStyles::default(),
            numbering: OdfNumbering::default(),
            objects: BTreeMap::new(),
            notes: Vec::new(),
            room,
            room_for_notes: room,
            is_over: false,
            is_cut: false,
            open_blocks: 0,
            pictures: PictureNames::default(),
            omitted: OdfOmissions::default(),
        }
    }

    /// Reads the styles that have names. The part has automatic styles too, for headers and
    /// footers, under the same names as those of the content.
    fn common_styles<R: BufRead>(&mut self, mut xml: Xml<R>) -> Result<(), EarlyStop> {
        loop {
            match xml.next()? {
                XmlEvent::Start(element) => match element.name() {
                    "styles" => self.styles.read(&mut xml, StyleOrigin::Common)?,
                    name if is_outside_body(name) => xml.skip()?,
                    _ => {}
                },
                XmlEvent::Eof => return Ok(()),
                _ => {}
            }
        }
    }

    /// Reads the embedded documents, since only one part of a package can be open at a time.
    fn read_objects(&mut self, package: &mut Package<'_>) -> Result<(), EarlyStop> {
        let suffix = "/content.xml";
        let names = package.names().filter(|name| name.ends_with(suffix));
        let names: Vec<String> = names.take(ODF_OBJECTS).map(Cow::into_owned).collect();
        for name in names {
            let mut blocks = OdfOutput::Gathered(Vec::new());
            let read = match package.part(&name) {
                Ok(Some(part)) => self.object(part, &mut blocks),
                Ok(None) => Ok(()),
                Err(stop) => Err(stop),
            };
            intact(read)?;
            let folder = name[..name.len() - suffix.len()].to_owned();
            self.objects.insert(folder, blocks.into_blocks());
        }
        (self.is_over, self.is_cut) = (false, false);
        Ok(())
    }

    /// Reads an embedded document.
    fn object<R: BufRead>(
        &mut self,
        mut xml: Xml<R>,
        out: &mut OdfOutput<'_>,
    ) -> Result<(), EarlyStop> {
        loop {
            match xml.next()? {
                XmlEvent::Start(element) => match element.name() {
                    "math" => {
                        let equation = self.equation(&mut xml)?;
                        self.push(OdfBlock::Equation(equation), out)?;
                    }
                    "body" => self.blocks(&mut xml, None, out)?,
                    name if is_outside_body(name) => xml.skip()?,
                    _ => {}
                },
                XmlEvent::Eof => return Ok(()),
                _ => {}
            }
        }
    }

    /// Adds the text of a document to `text`.
    fn document<R: BufRead>(
        &mut self,
        mut xml: Xml<R>,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        let mut has_body = false;
        loop {
            let depth = xml.depth() + 1;
            match xml.next()? {
                XmlEvent::Start(element) => match element.name() {
                    "styles" if depth == 2 => self.styles.read(&mut xml, StyleOrigin::Common)?,
                    "automatic-styles" if depth == 2 => {
                        self.styles.read(&mut xml, StyleOrigin::Automatic)?;
                    }
                    name if depth == 2 && is_outside_body(name) => xml.skip()?,
                    name if depth == 3 && name == self.content.element() => {
                        has_body = true;
                        self.body(&mut xml, text)?;
                    }
                    _ => {}
                },
                XmlEvent::Eof if has_body => break,
                // Any well-formed XML may be the content of a package, such as that of another
                // kind of document.
                XmlEvent::Eof => return Err(MALFORMED),
                _ => {}
            }
        }
        self.write_notes(text)?;
        let omitted = self.omitted;
        let [picture, pictures] = self.pictures.nouns();
        text.push_omission_note(&[
            (omitted.hidden_sheets, "hidden sheet", "hidden sheets"),
            (omitted.hidden_sections, "hidden section", "hidden sections"),
            (omitted.contents, "table of contents", "tables of contents"),
            (omitted.deletions, "deletion", "deletions"),
            (omitted.comments, "comment", "comments"),
            (omitted.charts, "chart", "charts"),
            (omitted.pictures, &picture, &pictures),
        ])
    }

    /// Reads the body that began last.
    fn body<R: BufRead>(&mut self, xml: &mut Xml<R>, text: &mut Markdown) -> Result<(), EarlyStop> {
        self.room = text.room();
        match self.content {
            OdfContent::Text => {
                let code = String::new();
                let mut out = OdfOutput::Document { text, code };
                self.blocks(xml, None, &mut out)?;
                out.finish()
            }
            OdfContent::Spreadsheet => self.sheets(xml, text),
            OdfContent::Presentation => self.slides(xml, text),
        }
    }

    /// Adds the notes at the end of the text.
    fn write_notes(&mut self, text: &mut Markdown) -> Result<(), EarlyStop> {
        for (index, words) in std::mem::take(&mut self.notes).iter().enumerate() {
            text.paragraph(&format!("[^{}]: {}", index + 1, one_line(words)))?;
        }
        Ok(())
    }

    /// Counts a block that contains others. Blocks nested deeper than any editor writes would
    /// overflow the stack.
    fn open_block(&mut self) -> Result<(), EarlyStop> {
        self.open_blocks += 1;
        if self.open_blocks > NESTED_BLOCKS {
            return Err(MALFORMED);
        }
        Ok(())
    }
}

/// Returns true if an element beside the body contains no text of it.
fn is_outside_body(name: &str) -> bool {
    matches!(
        name,
        "meta"
            | "settings"
            | "scripts"
            | "font-face-decls"
            | "styles"
            | "automatic-styles"
            | "master-styles"
    )
}
