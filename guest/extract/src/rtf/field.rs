//! Fields: an instruction and its result, which is the text of the document.

use super::RtfReader;
use super::state::{RtfDestination, RtfTextState};
use crate::docx::field::{address, check_mark, placeholder_text};
use crate::failure::EarlyStop;
use crate::inline::make_link;
use crate::markdown::Markdown;

/// Maximum bytes of an instruction that are kept; addresses are shorter.
const INSTRUCTION_BYTES: usize = 16 << 10;

/// Maximum entries of a form field that are kept.
const FORM_ENTRIES: usize = 1_000;

/// Value of a form field that nobody has filled in.
const UNSET: i32 = 25;

/// An open field.
#[derive(Debug)]
pub struct RtfField {
    /// Number of open groups within it.
    pub depth: usize,
    /// Destination of its result.
    pub outside: RtfDestination,
    /// Bytes of text read before its result.
    pub written: usize,
    instruction: String,
    form: RtfForm,
}

/// A link that is being read.
#[derive(Debug)]
pub struct OpenLink {
    /// Index of its field.
    field: usize,
    /// Number of stories around it.
    pub story: usize,
    /// Start of its text in the paragraph.
    pub start: usize,
    pub address: String,
}

/// The properties of a form field.
#[derive(Debug, Default)]
struct RtfForm {
    kind: FormKind,
    entries: Vec<String>,
    chosen: Option<i32>,
    default: Option<i32>,
}

/// The kind of a form field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FormKind {
    #[default]
    Text,
    CheckBox,
    List,
}

impl RtfField {
    /// Creates a field at a depth, whose result goes to the destination `outside`.
    pub fn new(depth: usize, outside: RtfDestination, written: usize) -> Self {
        Self {
            depth,
            outside,
            written,
            instruction: String::new(),
            form: RtfForm::default(),
        }
    }

    /// Adds to the instruction.
    pub fn instruct(&mut self, text: &str) {
        let room = INSTRUCTION_BYTES.saturating_sub(self.instruction.len());
        let end = text.floor_char_boundary(room.min(text.len()));
        self.instruction.push_str(&text[..end]);
    }

    /// Returns the address of a link.
    pub fn address(&self) -> Option<String> {
        address(&self.instruction)
    }

    /// Sets a property of a form field.
    pub fn set_form(&mut self, name: &str, value: Option<i32>) {
        match name {
            "fftype" => {
                self.form.kind = match value {
                    Some(1) => FormKind::CheckBox,
                    Some(2) => FormKind::List,
                    _ => FormKind::Text,
                }
            }
            "ffres" => self.form.chosen = value.filter(|value| *value != UNSET),
            "ffdefres" => self.form.default = value,
            "ffl" if self.form.entries.len() < FORM_ENTRIES => {
                self.form.entries.push(String::new());
            }
            _ => {}
        }
    }

    /// Adds to the last entry of a form field.
    pub fn push_entry(&mut self, text: &str) {
        if let Some(entry) = self.form.entries.last_mut()
            && entry.len() + text.len() <= INSTRUCTION_BYTES
        {
            entry.push_str(text);
        }
    }

    /// Returns the text of a field without a result.
    pub fn placeholder(mut self) -> Option<String> {
        let value = self.form.chosen.or(self.form.default).unwrap_or_default();
        match self.form.kind {
            FormKind::CheckBox => Some(check_mark(value != 0).to_owned()),
            FormKind::List => {
                let index = usize::try_from(value).ok()?;
                (index < self.form.entries.len()).then(|| self.form.entries.swap_remove(index))
            }
            FormKind::Text => placeholder_text(&self.instruction),
        }
    }
}

impl RtfReader<'_> {
    /// Begins a field.
    pub fn begin_field(&mut self) {
        let outside = self.state.text.destination;
        let field = RtfField::new(self.depth(), outside, self.written);
        self.fields.push(field);
        self.state.text.destination = RtfDestination::Container;
    }

    /// Begins the result of the innermost field.
    pub fn begin_result(&mut self, text: &mut Markdown) -> Result<(), EarlyStop> {
        self.flush(text)?;
        let Some(field) = self.fields.last_mut() else {
            return Ok(());
        };
        self.state.text.destination = field.outside;
        field.written = self.written;
        if self.link.is_none()
            && field.outside == RtfDestination::Paragraph
            && let Some(address) = field.address()
        {
            self.link = Some(OpenLink {
                field: self.fields.len() - 1,
                story: self.outer_stories.len(),
                start: self.story.paragraph.text.len(),
                address,
            });
        }
        Ok(())
    }

    /// Ends the innermost field.
    pub fn end_field(&mut self, text: &mut Markdown) -> Result<(), EarlyStop> {
        self.settle_surrogate(text)?;
        self.flush(text)?;
        let Some(field) = self.fields.pop() else {
            return Ok(());
        };
        if let Some(link) = self.link.take_if(|link| link.field == self.fields.len())
            && link.start <= self.story.paragraph.text.len()
        {
            make_link(&mut self.story.paragraph.text, link.start, &link.address);
        }
        let state = RtfTextState {
            destination: field.outside,
            ..self
                .outer
                .last()
                .map_or(self.state.text, |outer| outer.text)
        };
        if field.written == self.written
            && let Some(words) = field.placeholder()
        {
            self.push_text(&words, state, text)?;
        }
        Ok(())
    }
}
