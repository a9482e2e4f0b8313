//! The reader of a page: from its tags and texts to blocks.
//!
//! There is no tree. Elements whose end matters are on a stack, and an element that is not ended
//! ends where the one around it does, or where another begins that cannot be in it. Nothing calls
//! itself, however deep elements are nested.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::blocks::{BlockSink, HtmlBlock};
use super::flow::Flow;
use super::inline::{Blanks, SpanKind};
use super::math::Formula;
use super::table::TableBuilder;
use super::tags::{AttributeName, HtmlTag, ListTag, TagAttributes};
use super::{Omissions, PageLinks, PageOptions, PageSyntax};
use crate::failure::EarlyStop;
use crate::limits::{GATHERED_BYTES, HTML_DEPTH, TITLE_BYTES};
use crate::markdown::one_line;

/// A reader of one page.
pub struct PageReader<'s> {
    pub(super) sink: &'s mut dyn BlockSink,
    options: PageOptions,
    open: Vec<OpenPageElement>,
    /// Place of the innermost open element of each kind. A search among all that are open would
    /// take longer than all else: a page may have a tag every five bytes, and each looks for
    /// several kinds.
    innermost: HashMap<HtmlTag, usize, FixedState>,
    /// The text outside all cells, or in the innermost one.
    pub(super) flow: Flow,
    /// The texts around the open cells, the outermost first.
    pub(super) outer_flows: Vec<Flow>,
    pub(super) tables: Vec<TableBuilder>,
    /// Bytes in the open tables.
    pub(super) gathered: usize,
    /// Treatment of the text of an element that contains no markup.
    text_use: TextUse,
    title: String,
    formula: Option<Formula>,
    /// Number of open elements that are hidden.
    hidden: usize,
    has_hidden_text: bool,
    /// Number of open drawings.
    drawings: usize,
    /// Number of open alternatives for programs without scripts.
    pub(super) no_scripts: usize,
    /// True if one of several alternatives was shown.
    is_case_shown: bool,
    pub(super) last_image: String,
    pub(super) omitted: Omissions,
}

/// An element that is open.
#[derive(Clone, Copy, Debug)]
pub struct OpenPageElement {
    pub tag: HtmlTag,
    pub hiding: Hiding,
    /// True if its end has a meaning besides that of a block.
    pub is_effective: bool,
    /// Place of the next outer element of the same kind.
    outer: Option<usize>,
}

/// The effect of an element on the visibility of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hiding {
    Shown,
    /// The author hides it.
    Hidden,
    /// It is never shown, or in another form.
    Unused,
}

/// The treatment of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextUse {
    Shown,
    Title,
    Unused,
}

impl<'s> PageReader<'s> {
    /// Creates a reader that passes the blocks of the page to `sink`.
    pub fn new(options: PageOptions, sink: &'s mut dyn BlockSink) -> Self {
        Self {
            sink,
            options,
            open: Vec::new(),
            innermost: HashMap::default(),
            flow: Flow::default(),
            outer_flows: Vec::new(),
            tables: Vec::new(),
            gathered: 0,
            text_use: TextUse::Shown,
            title: String::new(),
            formula: None,
            hidden: 0,
            has_hidden_text: false,
            drawings: 0,
            no_scripts: 0,
            is_case_shown: false,
            last_image: String::new(),
            omitted: Omissions::default(),
        }
    }

    /// Returns true if an element that is marked as empty is: in XML, and in drawings and formulas.
    /// Elsewhere the mark has no meaning.
    pub fn has_empty_elements(&self, tag: HtmlTag) -> bool {
        let is_foreign = matches!(tag, HtmlTag::Svg | HtmlTag::Math);
        is_foreign || self.has_character_data()
    }

    /// Returns true if sections of character data are text and not comments.
    pub fn has_character_data(&self) -> bool {
        self.options.syntax == PageSyntax::Xml || self.drawings > 0 || self.formula.is_some()
    }

    /// Adds text.
    pub fn text(&mut self, words: &str) -> Result<(), EarlyStop> {
        match self.text_use {
            TextUse::Shown => {}
            TextUse::Unused => return Ok(()),
            TextUse::Title => {
                let room = TITLE_BYTES.saturating_sub(self.title.len());
                self.title
                    .push_str(&words[..words.floor_char_boundary(room)]);
                return Ok(());
            }
        }
        if self.hidden > 0 {
            self.has_hidden_text |= !words.trim().is_empty();
            return Ok(());
        }
        if self.flow.is_parenthesis {
            return Ok(());
        }
        if let Some(formula) = &mut self.formula {
            formula.push(words);
        } else {
            let blanks = self.flow.blanks();
            self.flow.inline.push(words, blanks);
        }
        self.check_room()
    }

    /// Ends reading if one text is longer than all may be. What there is of it is passed on.
    fn check_room(&mut self) -> Result<(), EarlyStop> {
        let formula = self.formula.as_ref().map_or(0, Formula::len);
        if self.flow.inline.len() + formula > GATHERED_BYTES.max(self.sink.room()) {
            self.finish_formula();
            self.end_block()?;
            return Err(EarlyStop::Full);
        }
        Ok(())
    }

    /// Begins an element. One that `is_complete` ends at once.
    pub fn start(
        &mut self,
        tag: HtmlTag,
        attributes: &TagAttributes,
        is_complete: bool,
    ) -> Result<(), EarlyStop> {
        if let Some(formula) = &mut self.formula {
            if formula.start(tag, attributes) {
                if is_complete {
                    formula.end(tag);
                }
                return Ok(());
            }
            self.finish_formula();
        }
        self.flow.is_parenthesis = false;
        self.close_before(tag)?;
        if tag == HtmlTag::Root {
            let namespace = attributes.get(AttributeName::Namespace);
            if namespace.is_some_and(|name| name.trim() == "http://www.w3.org/1999/xhtml") {
                self.options.syntax = PageSyntax::Xml;
            }
            return Ok(());
        }
        let hiding = self.hiding(tag, attributes);
        if self.hidden > 0 || hiding != Hiding::Shown {
            if !tag.is_void() {
                self.push(tag, hiding, false);
                self.set_text_use(tag, true);
            }
        } else {
            self.set_text_use(tag, false);
            self.start_shown(tag, attributes)?;
        }
        if is_complete {
            self.end(tag)?;
        }
        Ok(())
    }

    /// Returns the effect of an element on the visibility of its content.
    fn hiding(&mut self, tag: HtmlTag, attributes: &TagAttributes) -> Hiding {
        match tag {
            HtmlTag::Template => Hiding::Unused,
            HtmlTag::Metadata if self.drawings > 0 => Hiding::Unused,
            HtmlTag::Switch => {
                self.is_case_shown = false;
                Hiding::Shown
            }
            HtmlTag::Case => {
                let namespace = attributes.get(AttributeName::Namespace).unwrap_or_default();
                let is_known = ["MathML", "svg", "xhtml"]
                    .iter()
                    .any(|n| namespace.contains(n));
                if is_known && !std::mem::replace(&mut self.is_case_shown, true) {
                    Hiding::Shown
                } else {
                    Hiding::Unused
                }
            }
            HtmlTag::DefaultCase if self.is_case_shown => Hiding::Unused,
            _ if attributes.is_hidden() => Hiding::Hidden,
            _ => Hiding::Shown,
        }
    }

    /// Sets the treatment of text in an element that contains no markup.
    fn set_text_use(&mut self, tag: HtmlTag, is_hidden: bool) {
        match tag {
            HtmlTag::RawText | HtmlTag::Script => self.text_use = TextUse::Unused,
            // A drawing has a title of its own, which describes it.
            HtmlTag::Title if self.drawings == 0 => {
                let is_first = self.title.is_empty() && !is_hidden;
                self.text_use = if is_first {
                    TextUse::Title
                } else {
                    TextUse::Unused
                };
            }
            _ => {}
        }
    }

    /// Begins an element that is shown.
    fn start_shown(&mut self, tag: HtmlTag, attributes: &TagAttributes) -> Result<(), EarlyStop> {
        match tag {
            HtmlTag::Anchor => {
                let address = self.address(attributes);
                self.open_span(SpanKind::Link, address);
            }
            HtmlTag::Code => self.open_span(SpanKind::Code, None),
            HtmlTag::Superscript => self.open_span(SpanKind::Superscript, None),
            HtmlTag::Quotation => self.open_span(SpanKind::Quotation, None),
            HtmlTag::RubyReading => self.open_span(SpanKind::Reading, None),
            HtmlTag::RubyParenthesis => self.flow.is_parenthesis = true,
            HtmlTag::Math => self.formula = Some(Formula::default()),
            HtmlTag::Svg => self.drawings += usize::from(self.push(tag, Hiding::Shown, true)),
            HtmlTag::NoScript => {
                self.no_scripts += usize::from(self.push(tag, Hiding::Shown, true))
            }
            HtmlTag::Image | HtmlTag::Area => self.start_image(tag, attributes),
            HtmlTag::Input => self.start_input(attributes),
            HtmlTag::Break => self.break_line()?,
            HtmlTag::Button | HtmlTag::SvgText | HtmlTag::Title => self.flow.inline.separate(),
            HtmlTag::Option => self.flow.inline.break_line(),
            HtmlTag::Select | HtmlTag::Switch | HtmlTag::Case | HtmlTag::DefaultCase => {
                self.flow.inline.separate();
                self.push(tag, Hiding::Shown, false);
            }
            _ if tag.is_block() || tag == HtmlTag::TextArea => self.start_block(tag, attributes)?,
            _ => {}
        }
        Ok(())
    }

    /// Opens a span of the text.
    fn open_span(&mut self, kind: SpanKind, address: Option<String>) {
        if self.flow.blanks() != Blanks::Keep {
            self.flow.inline.open(kind, address);
        }
    }

    /// Returns the address of a link that leads out of the page.
    fn address(&self, attributes: &TagAttributes) -> Option<String> {
        let address = attributes.get(AttributeName::Href)?.trim();
        let scheme = address.split_once(':').map(|(scheme, _)| scheme);
        let is_scheme = |scheme: &str| {
            let mut letters = scheme.chars();
            letters.next().is_some_and(|c| c.is_ascii_alphabetic())
                && letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        };
        let scheme = scheme
            .filter(|scheme| is_scheme(scheme))
            .map(str::to_ascii_lowercase);
        let leads_out = match scheme.as_deref() {
            Some("javascript" | "vbscript" | "data") => false,
            Some(_) => true,
            None => self.options.links == PageLinks::All || address.starts_with("//"),
        };
        let is_empty = address.is_empty() || address.starts_with('#');
        (leads_out && !is_empty).then(|| address.to_owned())
    }

    /// Adds the text of a control.
    fn start_input(&mut self, attributes: &TagAttributes) {
        let kind = attributes.get(AttributeName::Type).unwrap_or_default();
        let value = attributes.get(AttributeName::Value).unwrap_or_default();
        let is_checked = attributes.get(AttributeName::Checked).is_some();
        let words = match kind.trim().to_ascii_lowercase().as_str() {
            "checkbox" | "radio" if is_checked => "☒",
            "checkbox" | "radio" => "☐",
            "hidden" | "password" | "color" | "range" | "file" => "",
            "image" => attributes.get(AttributeName::Alt).unwrap_or_default(),
            _ => value,
        };
        let inline = &mut self.flow.inline;
        inline.separate();
        inline.push(words, Blanks::Collapse);
        inline.separate();
    }

    /// Ends an element.
    pub fn end(&mut self, tag: HtmlTag) -> Result<(), EarlyStop> {
        self.end_text_use()?;
        if let Some(formula) = &mut self.formula {
            if tag != HtmlTag::Math && !tag.is_block() {
                formula.end(tag);
                return Ok(());
            }
            self.finish_formula();
        }
        self.flow.is_parenthesis = false;
        if let Some(index) = self.find(tag) {
            return self.close_to(index);
        }
        if self.hidden > 0 {
            return Ok(());
        }
        match tag {
            HtmlTag::Anchor => self.flow.inline.close(SpanKind::Link),
            HtmlTag::Code => self.flow.inline.close(SpanKind::Code),
            HtmlTag::Superscript => self.flow.inline.close(SpanKind::Superscript),
            HtmlTag::Quotation => self.flow.inline.close(SpanKind::Quotation),
            HtmlTag::RubyReading | HtmlTag::Ruby => self.flow.inline.close(SpanKind::Reading),
            HtmlTag::Button | HtmlTag::SvgText | HtmlTag::Title => self.flow.inline.separate(),
            HtmlTag::Break => self.break_line()?,
            _ if tag.is_block() => self.break_block()?,
            _ => {}
        }
        Ok(())
    }

    /// Ends an element that contains no markup.
    fn end_text_use(&mut self) -> Result<(), EarlyStop> {
        if std::mem::replace(&mut self.text_use, TextUse::Shown) == TextUse::Title {
            let title = one_line(&self.title);
            if !title.is_empty() {
                self.sink.title(&title)?;
            }
        }
        Ok(())
    }

    /// Adds the formula to the text.
    fn finish_formula(&mut self) {
        if let Some(formula) = self.formula.take() {
            let blanks = self.flow.blanks();
            self.flow.inline.push(&formula.finish(), blanks);
        }
    }

    /// Opens an element, unless too many are open. Returns true if it is open.
    pub(super) fn push(&mut self, tag: HtmlTag, hiding: Hiding, is_effective: bool) -> bool {
        if self.open.len() >= HTML_DEPTH {
            return false;
        }
        self.hidden += usize::from(hiding != Hiding::Shown);
        let outer = self.innermost.insert(tag.kind(), self.open.len());
        self.open.push(OpenPageElement {
            tag,
            hiding,
            is_effective,
            outer,
        });
        true
    }

    /// Removes the innermost open element, unless it is outside of this place.
    pub(super) fn pop(&mut self, place: usize) -> Option<OpenPageElement> {
        if self.open.len() <= place {
            return None;
        }
        let element = self.open.pop()?;
        match element.outer {
            Some(outer) => self.innermost.insert(element.tag.kind(), outer),
            None => self.innermost.remove(&element.tag.kind()),
        };
        Some(element)
    }

    /// Returns the place of the innermost open element of a kind. It has to be in the same cell,
    /// list or choice as an element of this kind that would begin or end now.
    pub(super) fn find(&self, tag: HtmlTag) -> Option<usize> {
        let kind = tag.kind();
        let place = *self.innermost.get(&kind)?;
        let is_outside = |kind| self.innermost.get(&kind) > Some(&place);
        let is_elsewhere = is_outside(HtmlTag::Table)
            || match kind {
                HtmlTag::Table | HtmlTag::Row | HtmlTag::RowGroup => false,
                HtmlTag::Item | HtmlTag::Term | HtmlTag::Definition => {
                    is_outside(HtmlTag::Cell)
                        || is_outside(HtmlTag::List(ListTag::Bulleted))
                        || is_outside(HtmlTag::List(ListTag::Numbered))
                        || is_outside(HtmlTag::List(ListTag::Definitions))
                }
                HtmlTag::Option => is_outside(HtmlTag::Cell) || is_outside(HtmlTag::Select),
                _ => is_outside(HtmlTag::Cell),
            };
        (!is_elsewhere).then_some(place)
    }

    /// Returns true if the innermost open table takes rows.
    pub(super) fn is_in_table(&self) -> bool {
        let table = self.innermost.get(&HtmlTag::Table);
        let table = table.and_then(|place| self.open.get(*place));
        table.is_some_and(|table| table.is_effective)
    }

    /// Returns true if the text is hidden.
    pub(super) fn is_hiding(&self) -> bool {
        self.hidden > 0
    }

    /// Notes that an element ends that was open.
    pub(super) fn leave(&mut self, element: OpenPageElement) {
        if element.hiding != Hiding::Shown {
            self.hidden = self.hidden.saturating_sub(1);
            if self.hidden == 0 {
                let is_counted = element.hiding == Hiding::Hidden && self.has_hidden_text;
                self.omitted.hidden += usize::from(is_counted);
                self.has_hidden_text = false;
            }
        }
        if element.is_effective {
            match element.tag {
                HtmlTag::Svg => self.drawings = self.drawings.saturating_sub(1),
                HtmlTag::NoScript => self.no_scripts = self.no_scripts.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Ends the page: all open elements, and their text.
    pub fn finish(mut self) -> Result<Omissions, EarlyStop> {
        self.end_text_use()?;
        self.finish_formula();
        self.close_to(0)?;
        self.end_block()?;
        Ok(self.omitted)
    }

    /// Passes a block on: to the open cell, or to the taker of the page's blocks.
    pub(super) fn emit(&mut self, block: HtmlBlock) -> Result<(), EarlyStop> {
        let mut tables = self.tables.iter_mut().rev();
        let Some(cell) = tables.find_map(TableBuilder::open_cell) else {
            return self.sink.block(block);
        };
        self.gathered += block.len() + size_of::<HtmlBlock>();
        cell.push(block);
        self.check_gathered()
    }

    /// Ends reading if the open tables are longer than all text may be.
    pub(super) fn check_gathered(&self) -> Result<(), EarlyStop> {
        if self.gathered > GATHERED_BYTES.max(self.sink.room()) {
            return Err(EarlyStop::Full);
        }
        Ok(())
    }
}
