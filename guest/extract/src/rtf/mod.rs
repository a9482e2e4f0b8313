//! Documents of the Rich Text Format.
//!
//! The format is a sequence of tokens that change a state; a group restores the state at its end.
//! So the reader is a loop over tokens with a stack of states, and calls itself nowhere.

pub mod charset;
mod field;
mod lists;
pub mod page;
mod pictures;
mod state;
mod story;
pub mod styles;
pub mod table;
mod token;
mod words;

use crate::docx::DocxBlock;
use crate::failure::{EarlyStop, Failure};
use crate::held_blocks::HeldBlocks;
use crate::inline::superscript;
use crate::limits::{Limits, RTF_DEPTH};
use crate::markdown::Markdown;
use crate::pictures::PictureNames;
use charset::{ByteRun, CodePage, FontTable, WESTERN};
use field::{OpenLink, RtfField};
use lists::RtfLists;
pub use pictures::gather_pictures;
use pictures::{OpenRtfShape, RtfPictures};
use state::{GroupState, RtfDestination, RtfTextState};
use story::{RtfStory, StoryKind};
use styles::StyleSheet;
use token::{RtfToken, RtfTokens};

/// Beginning of a document.
const SIGNATURE: &[u8] = b"{\\rtf";

/// Bytes of text that are decoded at once.
const RUN_BYTES: usize = 4 << 10;

/// Bytes before a sign that are examined to find out if it belongs to a pair. Each part of a text
/// may be followed by a sign, and examining all of it would take quadratic time.
const PAIRED_BYTES: usize = 64;

/// Maximum bytes of a list item's number that are kept.
const NUMBER_BYTES: usize = 64;

/// A reader of a document.
struct RtfReader<'a> {
    tokens: RtfTokens<'a>,
    state: GroupState,
    /// States around the current group, the outermost first.
    outer: Vec<GroupState>,
    /// Open groups beyond the limit, which share one state.
    excess: usize,
    fonts: FontTable,
    styles: StyleSheet,
    lists: RtfLists,
    fields: Vec<RtfField>,
    link: Option<OpenLink>,
    /// Open shapes, the outermost first.
    shapes: Vec<OpenRtfShape>,
    /// Pictures that are members of the file, by their places.
    pictures: PictureNames,
    /// Code page of the document.
    code_page: CodePage,
    /// Number of its font.
    default_font: Option<i32>,
    /// Text that is not decoded yet, and its properties.
    run: ByteRun,
    run_state: RtfTextState,
    /// Bytes or characters that repeat the last `\u` for other programs.
    fallback: u32,
    /// First half of a character beyond 16 bits.
    surrogate: Option<u16>,
    /// True after the brace that begins a group.
    is_group_start: bool,
    /// True after `\*`, before the name of a destination.
    is_optional: bool,
    story: RtfStory,
    /// Stories around the current one, the outermost first.
    outer_stories: Vec<RtfStory>,
    /// Lines of code before the current paragraph.
    code: String,
    /// Notes by number.
    notes: Vec<(usize, String)>,
    /// Number of notes that have begun.
    note_count: usize,
    note_bytes: usize,
    held: HeldBlocks,
    /// Bytes of text written so far.
    written: usize,
    omitted: RtfOmissions,
}

/// The numbers of elements that the text omits.
#[derive(Debug, Default)]
pub struct RtfOmissions {
    pictures: usize,
    objects: usize,
    comments: usize,
    deletions: usize,
    hidden: usize,
    /// Reason for which the last text was not shown.
    last: Option<UnshownText>,
}

/// The reason for which text is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnshownText {
    Hidden,
    Deleted,
}

/// Returns true if a document begins like one of the Rich Text Format. White space and a byte order
/// mark may come first.
pub fn is_rtf(content: &[u8]) -> bool {
    let content = content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content);
    content.trim_ascii_start().starts_with(SIGNATURE)
}

/// Adds the text of a document to `text`.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: &[u8], _limits: &Limits, text: &mut Markdown) -> Result<(), EarlyStop> {
    let names = PictureNames::new(RtfPictures::find(content).names());
    let [picture, pictures] = names.nouns();
    let omitted = write_named(content, names, text)?;
    let [_, others @ ..] = omitted.notes();
    let pictures = (omitted.pictures, picture.as_str(), pictures.as_str());
    let [objects, comments, deletions, hidden] = others;
    text.push_omission_note(&[pictures, objects, comments, deletions, hidden])
}

/// Adds the text of a document that is no file to `text`, and returns the numbers of elements that
/// it omits.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn write(content: &[u8], text: &mut Markdown) -> Result<RtfOmissions, EarlyStop> {
    write_named(content, PictureNames::default(), text)
}

/// Adds the text of a document to `text`, and returns the numbers of elements that it omits.
fn write_named(
    content: &[u8],
    pictures: PictureNames,
    text: &mut Markdown,
) -> Result<RtfOmissions, EarlyStop> {
    if !is_rtf(content) {
        return Err(EarlyStop::Failed(Failure::Malformed));
    }
    let start = content.iter().position(|byte| *byte == b'{');
    let mut reader = RtfReader::new(&content[start.unwrap_or_default()..], pictures);
    while let Some(token) = reader.tokens.next() {
        reader.token(token, text)?;
    }
    // A document that is cut ends within its groups.
    while !reader.outer_stories.is_empty() {
        reader.end_story(text)?;
    }
    reader.end_story(text)?;
    reader.write_notes(text)
}

impl<'a> RtfReader<'a> {
    fn new(content: &'a [u8], pictures: PictureNames) -> Self {
        Self {
            tokens: RtfTokens::new(content),
            state: GroupState {
                fallback: 1,
                ..GroupState::default()
            },
            outer: Vec::new(),
            excess: 0,
            fonts: FontTable::default(),
            styles: StyleSheet::default(),
            lists: RtfLists::default(),
            fields: Vec::new(),
            link: None,
            shapes: Vec::new(),
            pictures,
            code_page: WESTERN,
            default_font: None,
            run: ByteRun::default(),
            run_state: RtfTextState::default(),
            fallback: 0,
            surrogate: None,
            is_group_start: false,
            is_optional: false,
            story: RtfStory::new(StoryKind::Document, 0),
            outer_stories: Vec::new(),
            code: String::new(),
            notes: Vec::new(),
            note_count: 0,
            note_bytes: 0,
            held: HeldBlocks::default(),
            written: 0,
            omitted: RtfOmissions::default(),
        }
    }

    /// Returns the number of open groups.
    fn depth(&self) -> usize {
        self.outer.len()
    }

    /// Processes a token.
    fn token(&mut self, token: RtfToken<'a>, text: &mut Markdown) -> Result<(), EarlyStop> {
        let is_ignored = self.state.text.destination == RtfDestination::Ignored;
        let is_group_start = std::mem::take(&mut self.is_group_start);
        match token {
            RtfToken::GroupStart => self.begin_group(),
            RtfToken::GroupEnd => self.end_group(text)?,
            _ if is_ignored => {}
            // Only the first word of a group may name its destination. StarWriter writes the sign
            // before properties of characters as well.
            RtfToken::Symbol(b'*') => self.is_optional = is_group_start,
            RtfToken::Word(word) => {
                if self.take_fallback() {
                    return Ok(());
                }
                self.word(word, text)?;
            }
            RtfToken::Symbol(symbol) => {
                if self.take_fallback() {
                    return Ok(());
                }
                self.symbol(symbol, text)?;
            }
            RtfToken::Hex(byte) => {
                if !self.take_fallback() {
                    self.push_bytes(&[byte], true, text)?;
                }
            }
            RtfToken::Text(bytes) => {
                let skipped = bytes.len().min(self.fallback as usize);
                self.fallback -= u32::try_from(skipped).unwrap_or_default();
                for bytes in bytes[skipped..].chunks(RUN_BYTES) {
                    self.push_bytes(bytes, false, text)?;
                }
                self.take_second_byte();
            }
        }
        Ok(())
    }

    /// Returns true for a token that repeats the last `\u` for other programs.
    fn take_fallback(&mut self) -> bool {
        let is_fallback = self.fallback > 0;
        self.fallback = self.fallback.saturating_sub(1);
        is_fallback
    }

    fn begin_group(&mut self) {
        self.fallback = 0;
        self.is_group_start = true;
        self.is_optional = false;
        // Groups beyond the limit take no memory: a file of sixty megabytes of braces would need
        // gigabytes for their states.
        if self.outer.len() >= RTF_DEPTH {
            self.excess += 1;
            return;
        }
        self.outer.push(self.state);
    }

    fn end_group(&mut self, text: &mut Markdown) -> Result<(), EarlyStop> {
        self.fallback = 0;
        self.is_optional = false;
        if self.excess > 0 {
            self.excess -= 1;
            return Ok(());
        }
        if self.run_state.destination != RtfDestination::Paragraph {
            self.flush(text)?;
        }
        let depth = self.depth();
        if self.fields.last().is_some_and(|field| field.depth == depth) {
            self.end_field(text)?;
        }
        if !self.outer_stories.is_empty() && self.story.depth == depth {
            self.end_story(text)?;
        }
        // A brace without an opening one, after the end of the document, changes nothing.
        if let Some(state) = self.outer.pop() {
            self.state = state;
        }
        self.end_shape(depth, text)
    }

    /// Adds bytes of text.
    fn push_bytes(
        &mut self,
        bytes: &[u8],
        is_hex: bool,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        match self.state.text.destination {
            RtfDestination::Fonts => self.fonts.push_name(bytes),
            RtfDestination::Ignored
            | RtfDestination::Container
            | RtfDestination::Picture
            | RtfDestination::Lists => {}
            _ => {
                self.settle_surrogate(text)?;
                let is_long = self.run.bytes.len() >= RUN_BYTES;
                let page = self.code_page_now();
                let may_split = || !page.ends_within_pair(&self.run.bytes, usize::MAX);
                if self.run_state != self.state.text || (is_long && may_split()) {
                    self.flush(text)?;
                }
                self.run_state = self.state.text;
                self.run.bytes.extend(bytes);
                self.run.has_hex |= is_hex;
                // The decoded text takes at least half of its bytes.
                if self.run.bytes.len() / 2 > text.room() + RUN_BYTES {
                    return Err(EarlyStop::Full);
                }
            }
        }
        Ok(())
    }

    /// Returns the code page of the current font.
    fn code_page_now(&self) -> CodePage {
        let font = self.state.text.font.or(self.default_font);
        self.fonts.code_page(font, self.code_page)
    }

    /// Adds the sign after text that ends with the first byte of a pair.
    fn take_second_byte(&mut self) {
        let page = self.code_page_now();
        if self.run_state == self.state.text
            && page.has_signs_in_pairs()
            && page.ends_within_pair(&self.run.bytes, PAIRED_BYTES)
            && let Some(sign) = self.tokens.take_sign()
        {
            self.run.bytes.push(sign);
        }
    }

    /// Adds a character.
    fn push_char(&mut self, c: char, text: &mut Markdown) -> Result<(), EarlyStop> {
        self.settle_surrogate(text)?;
        self.flush(text)?;
        self.push_text(c.encode_utf8(&mut [0; 4]), self.state.text, text)
    }

    /// Adds a unit of UTF-16, written as a number that may be negative.
    fn push_unicode(&mut self, number: i32, text: &mut Markdown) -> Result<(), EarlyStop> {
        self.fallback = self.state.fallback;
        // Programs that do not know UTF-16 write characters beyond it as one number.
        let number = if number < 0 { number & 0xFFFF } else { number };
        let number = u32::try_from(number).unwrap_or_default();
        let unit = u16::try_from(number).ok();
        let first = self.surrogate.take();
        let c = match (first, unit) {
            (Some(first), Some(unit @ 0xDC00..=0xDFFF)) => char::decode_utf16([first, unit])
                .next()
                .and_then(Result::ok),
            _ => {
                if first.is_some() {
                    self.push_char('\u{FFFD}', text)?;
                }
                if let Some(unit @ 0xD800..=0xDBFF) = unit {
                    self.surrogate = Some(unit);
                    return Ok(());
                }
                char::from_u32(number)
            }
        };
        let font = self.state.text.font.or(self.default_font);
        let sign = self.fonts.symbols(font).and_then(|it| it.character(number));
        self.push_char(sign.or(c).unwrap_or('\u{FFFD}'), text)
    }

    /// Adds a replacement for half of a character whose other half is missing.
    fn settle_surrogate(&mut self, text: &mut Markdown) -> Result<(), EarlyStop> {
        match self.surrogate.take() {
            Some(_) => self.push_char('\u{FFFD}', text),
            None => Ok(()),
        }
    }

    /// Decodes the bytes read so far.
    fn flush(&mut self, text: &mut Markdown) -> Result<(), EarlyStop> {
        if self.run.bytes.is_empty() {
            return Ok(());
        }
        let run = std::mem::take(&mut self.run);
        let font = self.run_state.font.or(self.default_font);
        let words = self.fonts.decode(font, self.code_page, &run);
        self.push_text(&words, self.run_state, text)
    }

    /// Adds decoded text with these properties to its destination.
    fn push_text(
        &mut self,
        words: &str,
        state: RtfTextState,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        match state.destination {
            RtfDestination::Paragraph if state.is_deleted || state.is_hidden => {
                self.omitted.count_text(state);
            }
            RtfDestination::Paragraph => {
                self.omitted.last = None;
                self.written += words.len();
                let raised = state.is_raised.then(|| superscript(words)).flatten();
                let words = raised.as_deref().unwrap_or(words);
                self.story.paragraph.text.push_str(words);
                self.check_room(text)?;
            }
            RtfDestination::Styles => self.styles.push_name(words),
            RtfDestination::ListNumber => {
                let number = self.story.paragraph.number.get_or_insert_default();
                if number.len() + words.len() <= NUMBER_BYTES {
                    number.push_str(words);
                }
            }
            RtfDestination::Instruction(index) => {
                if let Some(field) = self.fields.get_mut(index) {
                    self.written += words.len();
                    field.instruct(words);
                }
            }
            RtfDestination::FormEntry => {
                if let Some(field) = self.fields.last_mut() {
                    field.push_entry(words);
                }
            }
            RtfDestination::ShapeName | RtfDestination::ShapeValue => {
                self.push_property(words, state.destination);
            }
            RtfDestination::Ignored
            | RtfDestination::Container
            | RtfDestination::Picture
            | RtfDestination::Fonts
            | RtfDestination::Lists => {}
        }
        Ok(())
    }

    /// Returns an error if the text that is kept exceeds the room.
    fn check_room(&self, text: &Markdown) -> Result<(), EarlyStop> {
        let outer = self.outer_stories.iter();
        let open: usize = outer.map(|story| story.paragraph.text.len()).sum();
        if open + self.story.paragraph.text.len() + self.held.bytes > text.room() {
            return Err(EarlyStop::Full);
        }
        Ok(())
    }

    /// Adds the notes, and returns the numbers of elements that are left out.
    fn write_notes(mut self, text: &mut Markdown) -> Result<RtfOmissions, EarlyStop> {
        // A note within a note ends first.
        self.notes.sort_unstable_by_key(|(number, _)| *number);
        for (number, words) in &self.notes {
            DocxBlock::Paragraph(format!("[^{number}]: {words}"))
                .write_behind(&mut self.code, text)?;
        }
        Ok(self.omitted)
    }
}

impl RtfOmissions {
    /// Returns the numbers with the names of the elements.
    pub fn notes(&self) -> [(usize, &'static str, &'static str); 5] {
        [
            (self.pictures, "picture", "pictures"),
            (self.objects, "embedded object", "embedded objects"),
            (self.comments, "comment", "comments"),
            (self.deletions, "deletion", "deletions"),
            (self.hidden, "hidden passage", "hidden passages"),
        ]
    }

    /// Counts text that is not shown, once for each passage of it.
    fn count_text(&mut self, state: RtfTextState) {
        let reason = if state.is_deleted {
            UnshownText::Deleted
        } else {
            UnshownText::Hidden
        };
        if self.last.replace(reason) == Some(reason) {
            return;
        }
        match reason {
            UnshownText::Hidden => self.hidden += 1,
            UnshownText::Deleted => self.deletions += 1,
        }
    }
}
