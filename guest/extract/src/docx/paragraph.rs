//! Paragraphs: their inline content and the effect of their properties.
//!
//! The elements in a paragraph are nested in many ways that do not affect its text, so it is read
//! as one flat sequence of steps. The few elements whose end matters are kept in [`OpenElements`]
//! while they are open.

use std::borrow::Cow;
use std::io::BufRead;

use super::field::{address, check_mark, form_field, with_place};
use super::notes::NoteKind;
use super::styles::{ListPlace, OutlineLevel};
use super::symbols::{SymbolFont, UNKNOWN_SYMBOL, symbol};
use super::{BlockReader, DocxBlock, is_left_out};
use crate::failure::EarlyStop;
use crate::inline::{make_link, superscript};
use crate::limits::PICTURE_MARKS;
use crate::markdown::one_line;
use crate::pictures::{picture_mark, visible_bytes};
use crate::xml::{Element, Xml, XmlEvent};

/// A paragraph that is being read.
#[derive(Default)]
struct Paragraph {
    text: String,
    /// Id of its style.
    style: Option<String>,
    /// Its own outline level.
    outline: OutlineLevel,
    /// Its own position in a list, as far as it names one.
    list: ListPlace,
    /// Blocks of the text boxes anchored in it.
    boxes: Vec<DocxBlock>,
    /// Bytes of the marks of pictures in the text, without blanks.
    picture_bytes: usize,
}

/// An open element that affects the text until it ends.
struct OpenElement {
    /// Number of open elements when it began, including itself.
    depth: usize,
    effect: ElementEffect,
}

/// The effect of an element while it is open or when it ends.
enum ElementEffect {
    /// The text from `start` on becomes a link.
    Link { start: usize, address: String },
    /// Its children are alternatives, of which the first is read.
    Alternatives { next: Alternative },
    /// Its text is hidden.
    Hide,
    /// Its text is a superscript.
    Raise,
    /// Its text is in a symbol font.
    Signs(SymbolFont),
    /// The text from `start` on is the character of a check box.
    CheckBox { start: usize, is_checked: bool },
}

/// The next of several alternatives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alternative {
    First,
    Further,
}

/// The open elements that affect the text, the innermost last.
#[derive(Default)]
struct OpenElements(Vec<OpenElement>);

impl BlockReader {
    /// Reads the paragraph that began last, and returns it with the blocks of its text boxes.
    pub fn paragraph<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<Vec<DocxBlock>, EarlyStop> {
        let mut paragraph = Paragraph::default();
        self.inline(xml, &mut paragraph)?;
        let Paragraph {
            text,
            style,
            outline,
            list,
            boxes,
            picture_bytes,
        } = paragraph;
        let style = self.styles.resolve(style.as_deref());
        if style.is_contents {
            return Ok(boxes);
        }
        // A picture alone is no heading, nor code.
        if picture_bytes > 0 && visible_bytes(&text) == picture_bytes {
            return Ok(std::iter::once(DocxBlock::Paragraph(text))
                .chain(boxes)
                .collect());
        }
        let heading = outline.or(style.outline).heading();
        let list = list.or(style.list);
        // An empty paragraph in a list shows no number and is not counted, as in Word.
        let is_empty = one_line(&text).is_empty();
        let number = match list.id {
            Some(id) if !is_empty => self.numbering.next(&id, list.level.unwrap_or_default()),
            _ => None,
        };
        let block = match (heading, number) {
            // An empty line between lines of code is one as well: without it, two blocks of
            // code would follow each other.
            (None, None) if style.is_code => Some(DocxBlock::Code(text)),
            _ if is_empty => None,
            // People refer to a heading by its number, `see 3.2`, so the number becomes part of
            // its text. The numbers of list items follow from their order.
            (Some(level), Some(number)) if !number.label.is_empty() => Some(DocxBlock::Heading(
                level,
                format!("{} {text}", number.label),
            )),
            (Some(level), _) => Some(DocxBlock::Heading(level, text)),
            (None, Some(number)) => Some(DocxBlock::Item(
                list.level.unwrap_or_default(),
                number.marker,
                text,
            )),
            (None, None) => Some(DocxBlock::Paragraph(text)),
        };
        Ok(block.into_iter().chain(boxes).collect())
    }

    /// Reads the content of the element that began last into a paragraph.
    fn inline<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        paragraph: &mut Paragraph,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        let mut open = OpenElements::default();
        while xml.depth() > end {
            let depth = xml.depth();
            let element = match xml.next()? {
                XmlEvent::Start(element) => element,
                XmlEvent::End => {
                    open.close(depth, &mut paragraph.text);
                    continue;
                }
                // Words are in elements `t` only. Text elsewhere consists of line breaks and
                // indentation between elements.
                XmlEvent::Text(_) | XmlEvent::Nothing | XmlEvent::Eof => continue,
            };
            let depth = depth + 1;
            if open.is_further_alternative(depth) {
                xml.skip()?;
                continue;
            }
            let text = &mut paragraph.text;
            match element.name() {
                "pPr" => paragraph.read_properties(xml)?,
                // Properties of a run are its first child. They belong to the enclosing element
                // and apply until that ends, so they are recorded one level higher.
                "rPr" => open.push_run(depth - 1, RunProperties::read(xml)?),
                "t" => {
                    let words = xml.text()?;
                    self.push_text(&open.typeset(words), &open, text);
                }
                "hyperlink" => {
                    let place = element.attribute("anchor");
                    let place = place.or_else(|| element.attribute("docLocation"));
                    let address = element.attribute("id").and_then(|id| self.links.get(&id));
                    let address = address.and_then(|it| with_place(it.clone(), place));
                    self.open_link(depth, address, &mut open, text.len());
                }
                "fldSimple" => {
                    let instruction = element.attribute("instr").unwrap_or_default();
                    self.open_link(depth, address(&instruction), &mut open, text.len());
                }
                "fldChar" => {
                    let kind = element.attribute("fldCharType").unwrap_or_default();
                    let form = form_field(xml)?;
                    self.field_sign(&kind, form, &open, text);
                }
                "instrText" => self.fields.instruct(&xml.text()?),
                "sdtPr" => {
                    if let Some(is_checked) = check_box(xml)? {
                        let start = text.len();
                        open.push(depth - 1, ElementEffect::CheckBox { start, is_checked });
                    }
                }
                "AlternateContent" => {
                    let next = Alternative::First;
                    open.push(depth, ElementEffect::Alternatives { next });
                }
                "txbxContent" => {
                    let is_shown = self.fields.instruction().is_none();
                    let mut blocks = self.text_box(xml)?;
                    if is_shown {
                        paragraph.boxes.append(&mut blocks);
                    }
                }
                "docPr" => {
                    self.description = element.attribute("descr").unwrap_or_default();
                    self.is_decorative = false;
                }
                // Old programs describe a picture at the shape around it.
                "shape" => self.description = element.attribute("alt").unwrap_or_default(),
                "decorative" => {
                    let value = element.attribute("val");
                    self.is_decorative = matches!(value.as_deref(), Some("1" | "true"));
                }
                "blip" | "imagedata" if !open.is_hidden() => {
                    let id = element.prefixed_attribute("embed");
                    let id = id.or_else(|| element.prefixed_attribute("id"));
                    self.push_picture(id.as_deref(), &open, paragraph);
                }
                name if is_left_out(name) => xml.skip()?,
                _ => {
                    let sign = self.sign(&element, &open);
                    self.push_text(&sign, &open, text);
                }
            }
        }
        if let Some(link) = self.fields.end_paragraph() {
            make_link(&mut paragraph.text, link.start, &link.address);
        }
        Ok(())
    }

    /// Adds the mark of the picture with this id.
    fn push_picture(&mut self, id: Option<&str>, open: &OpenElements, paragraph: &mut Paragraph) {
        self.picture_count += 1;
        let description = std::mem::take(&mut self.description);
        // A name takes more bytes than the element that shows the picture.
        let is_shown = !self.is_decorative
            && self.picture_count <= PICTURE_MARKS
            && self.fields.instruction().is_none();
        let member = id.and_then(|id| self.pictures.get(id));
        let mark = picture_mark(member.map(String::as_str), &description);
        let Some(mark) = mark.filter(|_| is_shown) else {
            return;
        };
        // The names of headings are addresses.
        let style = self.styles.resolve(paragraph.style.as_deref());
        if paragraph.outline.or(style.outline).heading().is_some() {
            if !open.is_hidden() {
                paragraph.boxes.push(DocxBlock::Paragraph(mark));
            }
            return;
        }
        if paragraph.text.ends_with(']') {
            paragraph.text.push(' ');
        }
        paragraph.picture_bytes += visible_bytes(&mark);
        self.push_text(&mark, open, &mut paragraph.text);
    }

    /// Adds words to the text, to the instruction of a field, or nowhere.
    fn push_text(&mut self, words: &str, open: &OpenElements, text: &mut String) {
        match self.fields.instruction() {
            Some(instruction) => instruction.push_str(words),
            None if open.is_hidden() => {}
            None => text.push_str(words),
        }
    }

    /// Opens a link to an address, if there is one, the text is shown and it is not a link yet.
    fn open_link(
        &mut self,
        depth: usize,
        address: Option<String>,
        open: &mut OpenElements,
        start: usize,
    ) {
        if let Some(address) = address
            && !self.is_link(open)
            && self.fields.instruction().is_none()
        {
            open.push(depth, ElementEffect::Link { start, address });
        }
    }

    fn is_link(&self, open: &OpenElements) -> bool {
        self.fields.is_link() || open.has(|effect| matches!(effect, ElementEffect::Link { .. }))
    }

    /// Processes a field marker: it begins a field, ends its instruction, or ends the field.
    fn field_sign(
        &mut self,
        kind: &str,
        form: Option<String>,
        open: &OpenElements,
        text: &mut String,
    ) {
        match kind {
            "begin" => self.fields.begin(form),
            "separate" => {
                let may_link = !self.is_link(open);
                self.fields.separate(text.len(), may_link);
            }
            "end" => {
                let ended = self.fields.end(text);
                if let Some(shown) = ended.shown {
                    self.push_text(&shown, open, text);
                }
                if let Some(link) = ended.link {
                    make_link(text, link.start, &link.address);
                }
            }
            _ => {}
        }
    }

    /// Returns the text of an empty element: a blank, a character, the mark of a note.
    fn sign(&mut self, element: &Element<'_>, open: &OpenElements) -> Cow<'static, str> {
        let note = match element.name() {
            "tab" | "ptab" => return "\t".into(),
            "br" | "cr" => return "\n".into(),
            "noBreakHyphen" => return "-".into(),
            "sym" => return symbol(element).unwrap_or_default().into(),
            "footnoteReference" => NoteKind::Footnote,
            "endnoteReference" => NoteKind::Endnote,
            _ => return "".into(),
        };
        // A note whose reference is hidden gets no number, and its text is left out.
        match element.attribute("id") {
            Some(id) if !open.is_hidden() && self.fields.instruction().is_none() => {
                format!("[^{}]", self.notes.number(note, id)).into()
            }
            _ => "".into(),
        }
    }
}

impl OpenElements {
    fn push(&mut self, depth: usize, effect: ElementEffect) {
        self.0.push(OpenElement { depth, effect });
    }

    /// Applies the properties of the run at `depth`.
    fn push_run(&mut self, depth: usize, properties: RunProperties) {
        if properties.is_hidden {
            self.push(depth, ElementEffect::Hide);
        }
        if properties.is_raised {
            self.push(depth, ElementEffect::Raise);
        }
        if let Some(font) = properties.font {
            self.push(depth, ElementEffect::Signs(font));
        }
    }

    /// Returns words as they are displayed.
    fn typeset(&self, words: String) -> String {
        let font = self
            .0
            .iter()
            .rev()
            .find_map(|element| match element.effect {
                ElementEffect::Signs(font) => Some(font),
                _ => None,
            });
        if let Some(font) = font {
            return font.translate(&words);
        }
        let is_raised = self.has(|effect| matches!(effect, ElementEffect::Raise));
        let raised = if is_raised { superscript(&words) } else { None };
        raised.unwrap_or(words)
    }

    /// Closes the elements at `depth`: makes a link of the text, or gives a check box its
    /// character.
    fn close(&mut self, depth: usize, text: &mut String) {
        // A link may contain hidden text and the other way round, so several open elements may
        // end at one depth.
        while let Some(element) = self.0.pop_if(|element| element.depth == depth) {
            match element.effect {
                ElementEffect::Link { start, address } => make_link(text, start, &address),
                ElementEffect::CheckBox { start, is_checked } if !self.is_hidden() => {
                    // The document itself contains the character of a check box, often in a
                    // symbol font. It is kept if it is a known one; otherwise the recorded
                    // state determines the character.
                    let sign = text[start..].trim();
                    if sign.is_empty() || sign.starts_with(UNKNOWN_SYMBOL) {
                        text.truncate(start);
                        text.push_str(check_mark(is_checked));
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns true if an element that begins at `depth` is an alternative to one that was read.
    fn is_further_alternative(&mut self, depth: usize) -> bool {
        let alternatives = self.0.iter_mut().rev().find_map(|element| {
            let parent = element.depth;
            match &mut element.effect {
                ElementEffect::Alternatives { next } => Some((parent, next)),
                _ => None,
            }
        });
        match alternatives {
            Some((parent, next)) if parent + 1 == depth => {
                std::mem::replace(next, Alternative::Further) == Alternative::Further
            }
            _ => false,
        }
    }

    fn is_hidden(&self) -> bool {
        self.has(|effect| matches!(effect, ElementEffect::Hide))
    }

    fn has(&self, is_it: impl Fn(&ElementEffect) -> bool) -> bool {
        self.0.iter().any(|element| is_it(&element.effect))
    }
}

impl Paragraph {
    /// Reads the properties of the paragraph.
    fn read_properties<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "pStyle" => self.style = element.attribute("val"),
                "outlineLvl" => self.outline = OutlineLevel::parse(&element),
                "numId" => self.list.id = element.attribute("val"),
                "ilvl" => self.list.level = element.number("val"),
                // Properties of the paragraph mark, which has no text.
                "rPr" => xml.skip()?,
                name if is_left_out(name) => xml.skip()?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// The properties of a run that affect its text.
#[derive(Clone, Copy, Default)]
struct RunProperties {
    is_hidden: bool,
    is_raised: bool,
    font: Option<SymbolFont>,
}

impl RunProperties {
    fn read<R: BufRead>(xml: &mut Xml<R>) -> Result<Self, EarlyStop> {
        let end = xml.depth() - 1;
        let mut properties = Self::default();
        while xml.depth() > end {
            if let XmlEvent::Start(element) = xml.next()? {
                match element.name() {
                    "vanish" => properties.is_hidden = element.is_on(),
                    "vertAlign" => {
                        let place = element.attribute("val");
                        properties.is_raised = place.as_deref() == Some("superscript");
                    }
                    "rFonts" => {
                        let name = element.attribute("ascii").or(element.attribute("hAnsi"));
                        properties.font = name.and_then(|name| SymbolFont::from_name(&name));
                    }
                    // A tracked change contains the properties from before it.
                    name if is_left_out(name) => xml.skip()?,
                    _ => {}
                }
            }
        }
        Ok(properties)
    }
}

/// Returns the state of the check box whose properties began last, or `None` if they belong to
/// another control.
fn check_box<R: BufRead>(xml: &mut Xml<R>) -> Result<Option<bool>, EarlyStop> {
    let end = xml.depth() - 1;
    let mut state = None;
    while xml.depth() > end {
        if let XmlEvent::Start(element) = xml.next()? {
            match element.name() {
                "checkbox" => state = Some(false),
                "checked" => state = state.map(|_| element.is_on()),
                _ => {}
            }
        }
    }
    Ok(state)
}
