//! Common parts of the two formats of the Hangul word processor, `hwp` and `hwpx`: both describe
//! the same documents, one in binary records and the other in XML.
//!
//! Hancom asks programs that use its published specification to carry this notice:
//! 본 제품은 한글과컴퓨터의 한글 문서 파일(.hwp) 공개 문서를 참고하여 개발하였습니다.

mod numbering;
mod paragraph;
mod styles;
mod table;

pub use numbering::{HangulNumbering, NumberingCounters, NumberingLevel, number_text};
pub use paragraph::{HangulParagraph, Placement, link_address};
pub use styles::{HangulStyle, HangulStyles, ParagraphHead, ParagraphShape};
pub use table::{CaptionSide, HangulTable};

use crate::failure::{EarlyStop, Failure};
use crate::limits::{NESTED_BLOCKS, PENDING_BYTES};
use crate::markdown::{Markdown, Marker, one_line};
use crate::pictures::{PictureNames, picture_mark};

/// A block of a document.
#[derive(Debug)]
pub enum HangulBlock {
    /// A heading with its level, from 1.
    Heading(u8, String),
    /// A paragraph, with line breaks.
    Paragraph(String),
    /// An item of a list with its level, from 0.
    Item(usize, Marker, String),
    /// A table of at least two columns.
    Table(HangulTable),
}

/// Numbers of the elements that the text omits.
#[derive(Debug, Default)]
pub struct OmittedElements {
    /// Pictures.
    pub pictures: usize,
    /// Memos, and comments hidden in the text.
    pub comments: usize,
    /// Deletions by tracked changes.
    pub deletions: usize,
    /// Charts, objects of other programs and videos.
    pub objects: usize,
}

/// A document that is being read.
#[derive(Debug, Default)]
pub struct HangulDocument {
    /// Shapes and styles of paragraphs, and lists.
    pub styles: HangulStyles,
    /// Counters of the lists.
    pub counters: NumberingCounters,
    /// Id of the list that numbers the headings of this section.
    pub outline: u32,
    /// Pictures that are members of the file.
    pub pictures: PictureNames,
    /// Elements that the text omits.
    pub omitted: OmittedElements,
    /// Texts of footnotes and endnotes, in the order of their references.
    notes: Vec<String>,
    /// Number of open tables, text boxes and notes.
    open_blocks: usize,
    /// Bytes that may still be gathered.
    room: usize,
}

impl HangulDocument {
    /// Creates a document whose text is added to `text`.
    pub fn new(text: &Markdown) -> Self {
        Self {
            outline: 1,
            room: text.room().saturating_add(PENDING_BYTES),
            ..Self::default()
        }
    }

    /// Counts bytes that are gathered. A table is held until it ends, so a file with one endless
    /// table would otherwise fill the memory before the text reaches its limit.
    pub fn charge(&mut self, bytes: usize) -> Result<(), EarlyStop> {
        self.room = self.room.checked_sub(bytes).ok_or(EarlyStop::Full)?;
        Ok(())
    }

    /// Adds words to a paragraph.
    pub fn push(&mut self, paragraph: &mut HangulParagraph, words: &str) -> Result<(), EarlyStop> {
        self.charge(words.len())?;
        paragraph.push(words);
        Ok(())
    }

    /// Adds an equation in its own notation.
    pub fn push_equation(
        &mut self,
        paragraph: &mut HangulParagraph,
        script: &str,
    ) -> Result<(), EarlyStop> {
        let script = one_line(script);
        if script.is_empty() {
            return Ok(());
        }
        self.push(paragraph, &format!("${script}$"))
    }

    /// Returns the mark of the picture in a part or a stream, if it is a member of the file. Hangul
    /// makes up the words that describe it.
    pub fn picture(&self, part: &str) -> Option<String> {
        picture_mark(self.pictures.member(part), "")
    }

    /// Counts a block that contains others. Blocks nested deeper than any editor writes would
    /// overflow the stack.
    pub fn open_block(&mut self) -> Result<(), EarlyStop> {
        self.open_blocks += 1;
        if self.open_blocks > NESTED_BLOCKS {
            return Err(EarlyStop::Failed(Failure::Malformed));
        }
        Ok(())
    }

    /// Ends the block that was opened last.
    pub fn close_block(&mut self) {
        self.open_blocks -= 1;
    }

    /// Begins a note and returns its number, from 1.
    pub fn begin_note(&mut self) -> Result<usize, EarlyStop> {
        // A note is a block of the output of its own, and costs some bytes even without words.
        self.charge(size_of::<String>())?;
        self.notes.push(String::new());
        Ok(self.notes.len())
    }

    /// Sets the text of a note.
    pub fn set_note(&mut self, number: usize, blocks: &[HangulBlock]) {
        if let Some(note) = number.checked_sub(1).and_then(|at| self.notes.get_mut(at)) {
            *note = one_line(&blocks_to_lines(blocks));
        }
    }

    /// Returns the blocks of a paragraph with this shape and style.
    pub fn finish_paragraph(
        &mut self,
        paragraph: HangulParagraph,
        shape: u32,
        style: u32,
    ) -> Vec<HangulBlock> {
        let head = self.styles.head(shape, style);
        let (outline, counters) = (self.outline, &mut self.counters);
        let label = counters.next(&self.styles, head, outline);
        paragraph.finish(head, label)
    }

    /// Adds the notes and the numbers of omitted elements to the text.
    pub fn finish(self, text: &mut Markdown) -> Result<(), EarlyStop> {
        for (index, note) in self.notes.iter().enumerate() {
            if !note.is_empty() {
                text.paragraph(&format!("[^{}]: {note}", index + 1))?;
            }
        }
        let [picture, pictures] = self.pictures.nouns();
        text.push_omission_note(&[
            (self.omitted.pictures, &picture, &pictures),
            (self.omitted.objects, "embedded object", "embedded objects"),
            (self.omitted.comments, "comment", "comments"),
            (self.omitted.deletions, "deletion", "deletions"),
        ])
    }
}

impl HangulBlock {
    /// Adds the block to `text`.
    pub fn write(&self, text: &mut Markdown) -> Result<(), EarlyStop> {
        match self {
            Self::Heading(level, words) => text.heading(*level, words),
            Self::Paragraph(words) => text.paragraph(words),
            Self::Item(level, marker, words) => text.item(*level, *marker, words),
            Self::Table(table) => table.write(text),
        }
    }
}

/// Returns words with their reading.
pub fn ruby(base: &str, reading: &str) -> String {
    let (base, reading) = (one_line(base), one_line(reading));
    if reading.is_empty() {
        base
    } else {
        format!("{base}({reading})")
    }
}

/// Returns the state of a check box with its caption.
pub fn check_box(is_checked: bool, caption: &str) -> String {
    let sign = if is_checked { "☒" } else { "☐" };
    format!("{sign} {caption}").trim_end().to_owned()
}

/// Formats blocks as the lines of one cell or note: Markdown cannot represent nested blocks there.
fn blocks_to_lines(blocks: &[HangulBlock]) -> String {
    let mut lines = String::new();
    for block in blocks {
        if !lines.is_empty() {
            lines.push('\n');
        }
        match block {
            HangulBlock::Heading(_, words) | HangulBlock::Paragraph(words) => {
                lines.push_str(words);
            }
            HangulBlock::Item(_, Marker::Bullet, words) => {
                lines.push_str("- ");
                lines.push_str(words);
            }
            HangulBlock::Item(_, Marker::Number(number), words) => {
                lines.push_str(&format!("{number}. {words}"));
            }
            HangulBlock::Table(table) => table.push_lines(&mut lines),
        }
    }
    lines
}
