//! The tags and texts of a page, passed on as the tokenizer finds them.

use std::str;

use html5gum::{Emitter, Error, State};

use super::page::PageReader;
use super::tags::{ATTRIBUTE_NAME_BYTES, AttributeName, HtmlTag, TagAttributes};
use crate::failure::EarlyStop;

/// Maximum bytes of the name of an element that has a meaning.
const TAG_NAME_BYTES: usize = 24;

/// Bytes of text that are gathered before they are passed on.
const TEXT_BYTES: usize = 16 << 10;

/// A receiver of the parts of tags and texts, which passes whole ones to a reader. It keeps only
/// what has a meaning: a page may consist of one attribute of 60 MB.
pub struct TokenReceiver<'r, 's> {
    reader: &'r mut PageReader<'s>,
    /// Bytes of text that are not passed on yet.
    text: Vec<u8>,
    name: Vec<u8>,
    is_end: bool,
    is_self_closing: bool,
    last_start: Vec<u8>,
    attribute: Vec<u8>,
    /// The attribute whose value is being read, if it has a meaning.
    meaning: Option<AttributeName>,
    value: Vec<u8>,
    attributes: TagAttributes,
    stop: Option<EarlyStop>,
}

impl<'r, 's> TokenReceiver<'r, 's> {
    /// Creates a receiver that passes everything to `reader`.
    pub fn new(reader: &'r mut PageReader<'s>) -> Self {
        Self {
            reader,
            text: Vec::new(),
            name: Vec::new(),
            is_end: false,
            is_self_closing: false,
            last_start: Vec::new(),
            attribute: Vec::new(),
            meaning: None,
            value: Vec::new(),
            attributes: TagAttributes::default(),
            stop: None,
        }
    }

    /// Passes on the text that is complete.
    fn pass_text(&mut self) {
        // A character may have come in several pieces, and its last one may be missing yet.
        let end = match str::from_utf8(&self.text) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let text = str::from_utf8(&self.text[..end]).unwrap_or_default();
        if !text.is_empty() && self.stop.is_none() {
            self.stop = self.reader.text(text).err();
        }
        self.text.drain(..end);
    }

    /// Adds the attribute that was read last to the tag.
    fn finish_attribute(&mut self) {
        if !self.attribute.is_empty()
            && let Some(name) = AttributeName::from_name(&self.attribute)
        {
            self.attributes.add(name, &self.value);
        }
        self.attribute.clear();
        self.value.clear();
        self.meaning = None;
    }

    /// Begins a tag.
    fn begin_tag(&mut self, is_end: bool) {
        self.name.clear();
        self.is_end = is_end;
        self.is_self_closing = false;
        self.attribute.clear();
        self.value.clear();
        self.attributes.clear();
    }
}

/// Adds as many bytes to a name as a known name may have, and one more.
fn push_name(name: &mut Vec<u8>, bytes: &[u8], most: usize) {
    let room = (most + 1).saturating_sub(name.len());
    name.extend(&bytes[..bytes.len().min(room)]);
}

impl Emitter for TokenReceiver<'_, '_> {
    type Token = EarlyStop;

    fn set_last_start_tag(&mut self, name: Option<&[u8]>) {
        self.last_start = name.unwrap_or_default().to_vec();
    }

    fn emit_eof(&mut self) {
        self.pass_text();
    }

    fn emit_error(&mut self, _error: Error) {}

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn pop_token(&mut self) -> Option<EarlyStop> {
        self.stop
    }

    fn emit_string(&mut self, text: &[u8]) {
        // One text may be as long as the page, and the reader may end within it.
        for piece in text.chunks(TEXT_BYTES) {
            self.text.extend(piece);
            if self.text.len() >= TEXT_BYTES {
                self.pass_text();
            }
            if self.stop.is_some() {
                return;
            }
        }
    }

    fn init_start_tag(&mut self) {
        self.begin_tag(false);
    }

    fn init_end_tag(&mut self) {
        self.begin_tag(true);
    }

    fn init_comment(&mut self) {}

    fn emit_current_tag(&mut self) -> Option<State> {
        self.finish_attribute();
        self.pass_text();
        if self.stop.is_some() {
            return None;
        }
        let tag = HtmlTag::from_name(str::from_utf8(&self.name).unwrap_or_default());
        if self.is_end {
            self.stop = self.reader.end(tag).err();
            return None;
        }
        self.last_start.clone_from(&self.name);
        let is_complete = self.is_self_closing && self.reader.has_empty_elements(tag);
        let started = self.reader.start(tag, &self.attributes, is_complete);
        self.stop = started.err();
        if is_complete {
            return None;
        }
        match tag {
            HtmlTag::Title | HtmlTag::TextArea => Some(State::RcData),
            HtmlTag::Script => Some(State::ScriptData),
            // `xmp`, whose content is not markup.
            HtmlTag::RawText | HtmlTag::Preformatted(2) => Some(State::RawText),
            HtmlTag::PlainText => Some(State::PlainText),
            _ => None,
        }
    }

    fn emit_current_comment(&mut self) {}

    fn emit_current_doctype(&mut self) {}

    fn set_self_closing(&mut self) {
        self.is_self_closing = true;
    }

    fn set_force_quirks(&mut self) {}

    fn push_tag_name(&mut self, name: &[u8]) {
        push_name(&mut self.name, name, TAG_NAME_BYTES);
    }

    fn push_comment(&mut self, _comment: &[u8]) {}

    fn push_doctype_name(&mut self, _name: &[u8]) {}

    fn init_doctype(&mut self) {}

    fn init_attribute(&mut self) {
        self.finish_attribute();
    }

    fn init_attribute_value(&mut self) {
        self.meaning = AttributeName::from_name(&self.attribute);
    }

    fn push_attribute_name(&mut self, name: &[u8]) {
        push_name(&mut self.attribute, name, ATTRIBUTE_NAME_BYTES);
    }

    fn push_attribute_value(&mut self, value: &[u8]) {
        if self.meaning.is_some() {
            self.value.extend(value);
        }
    }

    fn set_doctype_public_identifier(&mut self, _value: &[u8]) {}

    fn set_doctype_system_identifier(&mut self, _value: &[u8]) {}

    fn push_doctype_public_identifier(&mut self, _value: &[u8]) {}

    fn push_doctype_system_identifier(&mut self, _value: &[u8]) {}

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.is_end && !self.last_start.is_empty() && self.name == self.last_start
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.reader.has_character_data()
    }
}
