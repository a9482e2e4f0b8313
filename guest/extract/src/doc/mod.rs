//! Text documents of Word 6 to 2007 (MS-DOC): an OLE container with the text in pieces, and its
//! properties in pages.
//!
//! All stories are in a row: the text, its footnotes, headers, comments, endnotes and text boxes.
//! Positions in this row are counted in characters; the table of pieces tells their bytes, and the
//! properties are found by the offset of a byte.

mod drawings;
mod fib;
mod fonts;
mod form;
mod lists;
mod objects;
mod pages;
mod pictures;
mod pieces;
mod properties;
mod sprm;
mod story;
mod styles;
mod words;

use std::ops::Range;

use crate::docx::cell_text;
use crate::docx::field::Fields;
use crate::docx::numbering::Numbering;
use crate::failure::{EarlyStop, Failure};
use crate::held_blocks::HeldBlocks;
use crate::limits::{DOC_DATA_BYTES, DOC_READ_FACTOR, Limits};
use crate::markdown::{Markdown, one_line};
use crate::members::MemberGatherer;
use crate::ole::Ole;
use crate::pictures::PictureNames;
use crate::rtf::charset::FontTable;
use fib::{DocStory, Fib, WordFormat};
use objects::DocObjects;
use pages::{PageKind, PropertyPages};
use pictures::DocPictures;
use pieces::PieceTable;
use story::{OldNumbers, OpenDocStory};
use styles::DocStyles;

pub use fib::old_word;

/// Name of the stream with the text, which every document has.
pub const WORD_DOCUMENT: &str = "WordDocument";

/// Streams with the tables of Word 97.
const TABLE_STREAMS: [&str; 2] = ["0Table", "1Table"];

/// Characters that even a short document may read.
const MINIMUM_WORK: usize = 1 << 20;

/// The streams of a document.
#[derive(Debug)]
struct DocFile {
    fib: Fib,
    stream: Vec<u8>,
    /// The stream with the tables; `None` if it is that of the text.
    tables: Option<Vec<u8>>,
    data: Vec<u8>,
    is_damaged: bool,
}

/// A reader of the stories of a document.
struct DocReader<'a> {
    file: &'a DocFile,
    tables: &'a [u8],
    pieces: &'a PieceTable,
    character_pages: PropertyPages<'a>,
    paragraph_pages: PropertyPages<'a>,
    styles: DocStyles,
    fonts: FontTable,
    numbering: Numbering,
    old_numbers: OldNumbers,
    fields: Fields,
    /// Open fields beyond the limit, which are ignored.
    excess_fields: usize,
    objects: DocObjects,
    /// Pictures that are members of the file.
    pictures: &'a PictureNames,
    /// Indexes of the notes that the text refers to.
    shown_notes: Vec<usize>,
    story: OpenDocStory,
    /// Bytes of the open paragraph around a text box.
    outer_bytes: usize,
    /// Lines of code before the current paragraph.
    code: String,
    held: HeldBlocks,
    /// Characters and bytes of properties that may still be read.
    remaining_work: usize,
    omitted: DocOmissions,
}

/// The numbers of elements that the text omits.
#[derive(Debug, Default)]
struct DocOmissions {
    pictures: usize,
    comments: usize,
    deletions: usize,
    hidden: usize,
    /// Reason for which the last text was not shown.
    last: Option<UnshownDocText>,
}

/// The reason for which text is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnshownDocText {
    Hidden,
    Deleted,
}

/// Adds the text of a document to `text`.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: &[u8], _limits: &Limits, text: &mut Markdown) -> Result<(), EarlyStop> {
    let file = DocFile::open(content)?;
    let pieces = PieceTable::read(&file.fib, file.tables());
    if pieces.is_empty() {
        return Err(EarlyStop::Failed(Failure::Malformed));
    }
    let is_damaged = file.is_damaged || pieces.is_cut(file.stream.len());
    if is_damaged {
        text.push_damage_note()?;
    }
    // A field without an end makes the rest of the document part of its instruction, which is not
    // text. That it has none is known only at the end, so the document is read a second time.
    let start = text.clone();
    let names = PictureNames::new(DocPictures::find(&file).names());
    let mut fields = DocReader::new(&file, &pieces, &names, Fields::default()).read(text)?;
    if let Some(fields) = fields.without_endless() {
        *text = start.clone();
        DocReader::new(&file, &pieces, &names, fields).read(text)?;
    }
    if is_damaged && text.room() == start.room() {
        return Err(EarlyStop::Failed(Failure::Malformed));
    }
    Ok(())
}

/// Gathers the pictures of a document: first those in the line, `image1.png`, then those of
/// floating shapes.
///
/// # Errors
/// [`EarlyStop`] if the document cannot be opened.
pub fn gather_pictures(content: &[u8], members: &mut MemberGatherer<'_>) -> Result<(), EarlyStop> {
    let file = DocFile::open(content)?;
    DocPictures::find(&file).gather(&file.stream, members)
}

impl DocFile {
    /// Opens a container, unless it is encrypted.
    fn open(content: &[u8]) -> Result<Self, EarlyStop> {
        let mut ole = Ole::open(content)?;
        let mut is_damaged = false;
        let mut stream = |name: &str, most: usize| {
            let Some(id) = ole.child(Ole::ROOT, name) else {
                return Ok(None);
            };
            if ole.length(id) > most {
                return Ok(Some(Vec::new()));
            }
            let bytes = ole.stream(id)?;
            is_damaged |= ole.is_cut(id, bytes.len());
            Ok(Some(bytes))
        };
        let words = stream(WORD_DOCUMENT, usize::MAX)?;
        let words = words.ok_or(EarlyStop::Failed(Failure::Malformed))?;
        let fib = Fib::read(&words)?;
        let mut tables = None;
        if let Some(named) = fib.table_stream {
            // Some programs name the other stream.
            for name in std::iter::once(named).chain(TABLE_STREAMS) {
                if tables.is_none() {
                    tables = stream(name, usize::MAX)?;
                }
            }
            tables = Some(tables.unwrap_or_default());
        }
        let data = stream("Data", DOC_DATA_BYTES)?.unwrap_or_default();
        Ok(Self {
            fib,
            stream: words,
            tables,
            data,
            is_damaged,
        })
    }

    /// Returns the stream with the tables.
    fn tables(&self) -> &[u8] {
        self.tables.as_deref().unwrap_or(&self.stream)
    }
}

impl<'a> DocReader<'a> {
    /// Creates a reader with the knowledge of the fields from an earlier pass.
    fn new(
        file: &'a DocFile,
        pieces: &'a PieceTable,
        pictures: &'a PictureNames,
        fields: Fields,
    ) -> Self {
        let (fib, tables, stream) = (&file.fib, file.tables(), file.stream.as_slice());
        let pages = |kind| PropertyPages::new(kind, fib, tables, stream);
        let work = stream.len().saturating_mul(DOC_READ_FACTOR);
        Self {
            file,
            tables,
            pieces,
            character_pages: pages(PageKind::Characters),
            paragraph_pages: pages(PageKind::Paragraphs),
            styles: DocStyles::read(fib, tables),
            fonts: fonts::read(fib, tables),
            numbering: match fib.format {
                WordFormat::Word6 => Numbering::default(),
                WordFormat::Word97 => lists::read(fib, tables),
            },
            old_numbers: OldNumbers::default(),
            fields,
            excess_fields: 0,
            objects: DocObjects::read(fib, tables),
            pictures,
            shown_notes: Vec::new(),
            story: OpenDocStory::new(true),
            outer_bytes: 0,
            code: String::new(),
            held: HeldBlocks::default(),
            remaining_work: work.saturating_add(MINIMUM_WORK),
            omitted: DocOmissions::default(),
        }
    }

    /// Reads all stories, and returns what is known of the fields.
    fn read(mut self, text: &mut Markdown) -> Result<Fields, EarlyStop> {
        let main = self.file.fib.story(DocStory::Text);
        let outside = self.fields.begin_story();
        self.characters(main, text)?;
        self.end_story(text)?;
        self.fields.end_story(outside);
        for range in self.objects.take_other_boxes() {
            for block in self.inner_story(range, text)? {
                block.write_behind(&mut self.code, text)?;
            }
            self.release();
        }
        text.code(&std::mem::take(&mut self.code))?;
        for (index, note) in std::mem::take(&mut self.shown_notes)
            .into_iter()
            .enumerate()
        {
            let blocks = self.inner_story(self.objects.note(note), text)?;
            let words = one_line(&cell_text(&blocks));
            if !words.is_empty() {
                text.paragraph(&format!("[^{}]: {words}", index + 1))?;
            }
            self.release();
        }
        let [picture, pictures] = self.pictures.nouns();
        text.push_omission_note(&[
            (self.omitted.pictures, &picture, &pictures),
            (self.omitted.comments, "comment", "comments"),
            (self.omitted.deletions, "deletion", "deletions"),
            (self.omitted.hidden, "hidden passage", "hidden passages"),
        ])?;
        Ok(self.fields)
    }

    /// Counts characters and properties that are read.
    fn charge(&mut self, amount: usize) -> Result<(), EarlyStop> {
        let remaining = self.remaining_work.checked_sub(amount);
        self.remaining_work = remaining.ok_or(EarlyStop::Failed(Failure::TooLarge))?;
        Ok(())
    }

    /// Returns the bytes of a range in the stream of the tables.
    fn table_bytes(&self, range: Range<usize>) -> &'a [u8] {
        self.tables.get(range).unwrap_or_default()
    }
}

impl DocOmissions {
    /// Counts text that is not shown, once for each passage of it.
    fn count_text(&mut self, reason: UnshownDocText) {
        if self.last.replace(reason) == Some(reason) {
            return;
        }
        match reason {
            UnshownDocText::Hidden => self.hidden += 1,
            UnshownDocText::Deleted => self.deletions += 1,
        }
    }
}
