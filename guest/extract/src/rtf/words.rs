//! The control words and symbols that matter to the text.

use super::RtfReader;
use super::charset::{CodePage, DOS_437, DOS_850};
use super::state::{OldList, ParagraphState, RtfDestination, RtfTextState};
use super::story::StoryKind;
use super::token::ControlWord;
use crate::docx::styles::OutlineLevel;
use crate::failure::EarlyStop;
use crate::markdown::Markdown;

/// Maximum of bytes that repeat a `\u`; a greater number is an error, since no encoding needs more
/// for a character, and would make the rest of the group disappear.
pub const FALLBACK_BYTES: i32 = 8;

/// Offset of the numbers of `\cpg` in documents of programs for the Macintosh.
const MACINTOSH: i32 = 10_000;

impl RtfReader<'_> {
    /// Processes a control symbol.
    pub fn symbol(&mut self, symbol: u8, text: &mut Markdown) -> Result<(), EarlyStop> {
        match symbol {
            b'\\' | b'{' | b'}' => self.push_bytes(&[symbol], false, text),
            b'~' => self.push_char('\u{A0}', text),
            b'_' => self.push_char('-', text),
            b'\t' => self.push_char('\t', text),
            b'\r' | b'\n' if self.is_paragraph() => self.end_paragraph(text),
            _ => Ok(()),
        }
    }

    /// Processes a control word.
    pub fn word(&mut self, word: ControlWord<'_>, text: &mut Markdown) -> Result<(), EarlyStop> {
        let is_optional = std::mem::take(&mut self.is_optional);
        if self.state.text.destination == RtfDestination::Styles {
            self.flush(text)?;
        }
        if self.open_destination(word, text)? {
            return Ok(());
        }
        if is_optional {
            // A destination of a later version, which this one may ignore.
            self.state.text.destination = RtfDestination::Ignored;
            return Ok(());
        }
        if let Some(c) = character(word.name) {
            return self.push_char(c, text);
        }
        if self.set_text_property(word) || self.set_paragraph_property(word) {
            return Ok(());
        }
        match (word.name, word.parameter) {
            ("u", Some(number)) => self.push_unicode(number, text),
            ("par" | "sect", _) if self.is_paragraph() => self.end_paragraph(text),
            ("cell", _) if self.is_paragraph() => self.end_cell(false, text),
            ("nestcell", _) if self.is_paragraph() => self.end_cell(true, text),
            ("row", _) if self.is_paragraph() => self.end_row(false, text),
            ("nestrow", _) => self.end_row(true, text),
            ("trowd", _) => {
                self.story.define_row(self.state.is_nested_row);
                Ok(())
            }
            ("cellx", Some(edge)) => {
                self.story.push_edge(self.state.is_nested_row, edge);
                Ok(())
            }
            _ => {
                self.set_definition(word);
                Ok(())
            }
        }
    }

    /// Returns true if text is that of a paragraph.
    fn is_paragraph(&self) -> bool {
        self.state.text.destination == RtfDestination::Paragraph
    }

    /// Opens the destination that a control word names. Returns false if it names none.
    fn open_destination(
        &mut self,
        word: ControlWord<'_>,
        text: &mut Markdown,
    ) -> Result<bool, EarlyStop> {
        let is_in_container = self.state.text.destination == RtfDestination::Container;
        match word.name {
            "field" => {
                self.flush(text)?;
                self.begin_field();
            }
            "fldrslt" => self.begin_result(text)?,
            "footnote" => self.begin_note(text)?,
            "shptxt" | "dptxbxtext" if is_in_container => {
                self.flush(text)?;
                self.begin_story(StoryKind::TextBox)?;
                self.state.text.destination = self.state.outside;
            }
            "nesttableprops" => self.state.is_nested_row = true,
            // Groups that only hold others, which may be read.
            "shppict" | "picprop" | "sp" | "moMath" | "moMathPara" | "mmath" => {}
            name => match self.destination(name) {
                Some(destination) => {
                    self.count_omission(name);
                    self.flush(text)?;
                    self.begin_definition(word);
                    self.state.text.destination = destination;
                }
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    /// Returns the destination of this name, if it is one.
    fn destination(&self, name: &str) -> Option<RtfDestination> {
        let is_in_container = self.state.text.destination == RtfDestination::Container;
        let has_properties =
            is_in_container || self.state.text.destination == RtfDestination::Picture;
        Some(match name {
            "fonttbl" => RtfDestination::Fonts,
            "stylesheet" => RtfDestination::Styles,
            "listtable" | "listoverridetable" => RtfDestination::Lists,
            "listtext" | "pntext" => RtfDestination::ListNumber,
            "pn" | "formfield" | "shpinst" | "shp" | "do" | "object" | "upr" => {
                RtfDestination::Container
            }
            "fldinst" => match self.fields.len().checked_sub(1) {
                Some(index) => RtfDestination::Instruction(index),
                None => RtfDestination::Ignored,
            },
            "ffl" => RtfDestination::FormEntry,
            "pict" => RtfDestination::Picture,
            "sn" if has_properties => RtfDestination::ShapeName,
            "sv" if has_properties => RtfDestination::ShapeValue,
            "result" | "ud" if is_in_container => self.state.outside,
            name if is_ignored(name) => RtfDestination::Ignored,
            _ => return None,
        })
    }

    /// Begins what a destination defines, before its first word.
    fn begin_definition(&mut self, word: ControlWord<'_>) {
        match word.name {
            "stylesheet" => self.styles.begin(),
            "pn" => self.set_old_list(OldList::Numbers),
            "ffl" => self.set_form(word),
            "pict" => self.begin_picture(),
            "sn" => self.begin_property(),
            // Shapes and alternatives have text for the destination around them.
            "shp" | "do" | "object" | "upr" => {
                let current = self.state.text.destination;
                if current != RtfDestination::Container {
                    self.state.outside = current;
                }
                if word.name == "shp" {
                    self.begin_shape();
                }
            }
            _ => {}
        }
    }

    /// Counts an element that the text omits.
    fn count_omission(&mut self, name: &str) {
        let state = self.state.text;
        match name {
            "pict" if !state.is_hidden && !state.is_deleted => self.omitted.pictures += 1,
            "object" => self.omitted.objects += 1,
            "annotation" => self.omitted.comments += 1,
            _ => {}
        }
    }

    /// Begins a footnote or an endnote, at its mark in the text.
    fn begin_note(&mut self, text: &mut Markdown) -> Result<(), EarlyStop> {
        let state = self.state.text;
        self.flush(text)?;
        let is_shown = self.is_paragraph() && !state.is_hidden && !state.is_deleted;
        if !is_shown {
            // A note whose reference is hidden gets no number, and its text is left out.
            self.state.text.destination = RtfDestination::Ignored;
            return Ok(());
        }
        self.note_count += 1;
        let number = self.note_count;
        let mark = RtfTextState {
            is_raised: false,
            ..state
        };
        self.push_text(&format!("[^{number}]"), mark, text)?;
        self.begin_story(StoryKind::Note(number))
    }

    /// Sets a property of characters. Returns false if it is none.
    fn set_text_property(&mut self, word: ControlWord<'_>) -> bool {
        if self.state.text.destination == RtfDestination::Fonts {
            return false;
        }
        let state = &mut self.state.text;
        match word.name {
            "f" => state.font = word.parameter,
            "plain" => {
                *state = RtfTextState {
                    destination: state.destination,
                    ..RtfTextState::default()
                }
            }
            "v" => state.is_hidden = word.is_on(),
            "deleted" => state.is_deleted = word.is_on(),
            "super" => state.is_raised = word.is_on(),
            "nosupersub" | "sub" => state.is_raised = false,
            "uc" => {
                let count = word
                    .parameter
                    .filter(|it| (0..=FALLBACK_BYTES).contains(it));
                let count = count.and_then(|count| u32::try_from(count).ok());
                self.state.fallback = count.unwrap_or(1);
            }
            _ => return false,
        }
        true
    }

    /// Sets a property of paragraphs. Returns false if it is none.
    fn set_paragraph_property(&mut self, word: ControlWord<'_>) -> bool {
        let is_styles = self.state.text.destination == RtfDestination::Styles;
        if is_styles || self.state.text.destination == RtfDestination::Lists {
            return false;
        }
        let state = &mut self.state.paragraph;
        let number = word.parameter;
        match word.name {
            "pard" => *state = ParagraphState::default(),
            "s" => state.style = number,
            "outlinelevel" => state.outline = outline_level(number),
            "ls" => state.list = number.unwrap_or_default(),
            "ilvl" => {
                state.list_level = number.and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
            }
            "intbl" => state.is_in_table = word.is_on(),
            "itap" => state.table_depth = number.and_then(|depth| usize::try_from(depth).ok()),
            "pnlvlblt" => self.set_old_list(OldList::Bullets),
            _ => return false,
        }
        true
    }

    /// Gives the paragraphs around the current group a numbering as Word 95 writes it.
    fn set_old_list(&mut self, list: OldList) {
        if let Some(outer) = self.outer.last_mut() {
            outer.paragraph.old_list = Some(list);
        }
    }

    /// Sets a property of a form field.
    fn set_form(&mut self, word: ControlWord<'_>) {
        if let Some(field) = self.fields.last_mut() {
            field.set_form(word.name, word.parameter);
        }
    }

    /// Sets a property of the document, or of a font, a style or a list.
    fn set_definition(&mut self, word: ControlWord<'_>) {
        let number = word.parameter;
        match (self.state.text.destination, word.name) {
            (RtfDestination::Fonts, "f") => self.fonts.begin(number.unwrap_or_default()),
            (RtfDestination::Fonts, "fcharset") => self.fonts.set_charset(number),
            (RtfDestination::Fonts, "cpg") => self.fonts.set_code_page(number),
            (RtfDestination::Styles, "s") => self.styles.set_number(number),
            (RtfDestination::Styles, "cs" | "ds" | "ts") => self.styles.set_number(None),
            (RtfDestination::Styles, "sbasedon") => self.styles.set_base(number),
            (RtfDestination::Styles, "outlinelevel") => {
                self.styles.set_outline(outline_level(number));
            }
            (RtfDestination::Lists, "list") => self.lists.begin_kind(),
            (RtfDestination::Lists, "listlevel") => self.lists.begin_level(),
            (RtfDestination::Lists, "levelnfc" | "levelnfcn") => self.lists.set_form(number),
            (RtfDestination::Lists, "levelstartat") => self.lists.set_start(number),
            (RtfDestination::Lists, "listid") => self.lists.set_id(number.unwrap_or_default()),
            (RtfDestination::Lists, "ls") => self.lists.set_number(number.unwrap_or_default()),
            (RtfDestination::Container, "fftype" | "ffres" | "ffdefres") => self.set_form(word),
            (_, "deff") => self.default_font = number,
            (_, "ansicpg") => {
                if let Some(page) = number.and_then(CodePage::from_number) {
                    self.code_page = page;
                }
            }
            (_, "mac") => {
                self.code_page = CodePage::from_number(MACINTOSH).unwrap_or(self.code_page);
            }
            (_, "pc") => self.code_page = DOS_437,
            (_, "pca") => self.code_page = DOS_850,
            _ => {}
        }
    }
}

/// Returns the outline level with this number: 0 to 8 are headings.
fn outline_level(number: Option<i32>) -> OutlineLevel {
    match number.and_then(|number| u8::try_from(number).ok()) {
        Some(level @ 0..9) => OutlineLevel::Heading(level + 1),
        _ => OutlineLevel::BodyText,
    }
}

/// Returns the character for which a control word stands.
pub fn character(name: &str) -> Option<char> {
    Some(match name {
        "tab" => '\t',
        // A page or a column that ends within a paragraph does not end the paragraph.
        "line" | "lbr" | "page" | "column" | "softline" | "softpage" | "softcol" => '\n',
        "emdash" => '—',
        "endash" => '–',
        "emspace" => '\u{2003}',
        "enspace" => '\u{2002}',
        "qmspace" => '\u{2005}',
        "bullet" => '•',
        "lquote" => '‘',
        "rquote" => '’',
        "ldblquote" => '“',
        "rdblquote" => '”',
        "zwj" => '\u{200D}',
        "zwnj" => '\u{200C}',
        "ltrmark" => '\u{200E}',
        "rtlmark" => '\u{200F}',
        // The parts of an equation that are above, below or behind others.
        "mden" => '/',
        "msup" => '^',
        "msub" => '_',
        _ => return None,
    })
}

/// Returns true if a group with this name has no text of the document.
pub fn is_ignored(name: &str) -> bool {
    let is_properties_of_equation = name.starts_with('m') && name.ends_with("Pr");
    let is_around_page = name.starts_with("header") || name.starts_with("footer");
    let is_separator = name.starts_with("ftnsep")
        || name.starts_with("aftnsep")
        || matches!(name, "ftncn" | "aftncn");
    // These two are measures.
    let is_measure = matches!(name, "headery" | "footery");
    (is_around_page && !is_measure)
        || is_separator
        || is_properties_of_equation
        || matches!(
            name,
            "colortbl"
                | "filetbl"
                | "revtbl"
                | "info"
                | "userprops"
                | "template"
                | "background"
                | "themedata"
                | "colorschememapping"
                | "datastore"
                | "latentstyles"
                // Text that is elsewhere as well.
                | "nonshppict"
                | "shprslt"
                | "mmathPict"
                // Entries of an index or a table of contents, which are hidden.
                | "xe"
                | "tc"
                | "tcn"
                | "rxe"
                // The paragraph after a row within a cell, for old programs.
                | "nonesttables"
                | "pict"
                | "annotation"
                | "objdata"
                | "objclass"
                | "objname"
                | "private"
                | "comment"
                | "buptim"
                | "panose"
                | "atnid"
                | "atnauthor"
        )
}
