//! Paragraphs: what stands in them, and what their properties make of them.
//!
//! Elements in a paragraph lie in each other in many ways that do not matter for its text, so it is
//! read as one flat sequence of steps. The few elements at whose end something happens stand in
//! [`OpenElements`] while they are open.

use std::io::BufRead;

use super::notes::NoteKind;
use super::styles::{ListPlace, OutlineLevel};
use super::{Block, BlockReader, is_left_out};
use crate::Stop;
use crate::markdown::one_line;
use crate::xml::{Element, Node, Xml};

/// A paragraph under way.
#[derive(Default)]
struct Paragraph {
    text: String,
    /// The id of its style.
    style: Option<String>,
    /// What it says itself of its level in the outline.
    outline: OutlineLevel,
    /// Its own place in a list, as far as it names one.
    list: ListPlace,
    /// What stands in text boxes that hang on it.
    boxes: Vec<Block>,
}

/// An element that is open and means something for what comes until it ends.
struct OpenElement {
    /// Elements that were open when it began, itself included.
    depth: usize,
    effect: Effect,
}

/// What an element does as long as it is open, or at its end.
enum Effect {
    /// The text from `start` on becomes a link.
    Link { start: usize, address: String },
    /// Its children are forms of the same, of which the first is read.
    Alternatives { next: Alternative },
    /// Its text is not shown.
    Hide,
    /// Its text stands above the line.
    Raise,
}

/// Which of several forms of the same comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alternative {
    First,
    Further,
}

/// The elements that are open and mean something, the innermost last.
#[derive(Default)]
struct OpenElements(Vec<OpenElement>);

impl BlockReader {
    /// Reads the paragraph that began last: itself, and what stands in its text boxes.
    pub fn paragraph<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<Vec<Block>, Stop> {
        let mut paragraph = Paragraph::default();
        self.inline(xml, &mut paragraph)?;
        let Paragraph {
            text,
            style,
            outline,
            list,
            boxes,
        } = paragraph;
        let style = self.styles.of(style.as_deref());
        if style.is_contents {
            return Ok(boxes);
        }
        let heading = outline.or(style.outline).heading();
        let list = list.or(style.list);
        // An empty paragraph shows no number and counts none.
        let is_empty = one_line(&text).is_empty();
        let number = match list.id {
            Some(id) if !is_empty => self.numbering.next(&id, list.level.unwrap_or_default()),
            _ => None,
        };
        let block = match (heading, number) {
            // An empty line of code is one as well.
            (None, None) if style.is_code => Some(Block::Code(text)),
            _ if is_empty => None,
            // The number of a heading is what people call it by: `see 3.2`. Those of a list follow
            // from its order.
            (Some(level), Some(number)) if !number.label.is_empty() => {
                Some(Block::Heading(level, format!("{} {text}", number.label)))
            }
            (Some(level), _) => Some(Block::Heading(level, text)),
            (None, Some(number)) => Some(Block::Item(
                list.level.unwrap_or_default(),
                number.marker,
                text,
            )),
            (None, None) => Some(Block::Paragraph(text)),
        };
        Ok(block.into_iter().chain(boxes).collect())
    }

    /// Reads what stands in the element that began last into a paragraph.
    fn inline<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        paragraph: &mut Paragraph,
    ) -> Result<(), Stop> {
        let end = xml.depth() - 1;
        let mut open = OpenElements::default();
        while xml.depth() > end {
            let depth = xml.depth();
            let element = match xml.next()? {
                Node::Start(element) => element,
                Node::End => {
                    open.close(depth, &mut paragraph.text);
                    continue;
                }
                // Words stand in `t`; what stands elsewhere are blanks between elements.
                Node::Text(_) | Node::Nothing | Node::Eof => continue,
            };
            let depth = depth + 1;
            if open.is_further_alternative(depth) {
                xml.skip()?;
                continue;
            }
            match element.name() {
                "pPr" => paragraph.read_properties(xml)?,
                "rPr" => {
                    let properties = RunProperties::read(xml)?;
                    // They are those of the element around them, and count until it ends.
                    if properties.is_hidden {
                        open.push(depth - 1, Effect::Hide);
                    }
                    if properties.is_raised {
                        open.push(depth - 1, Effect::Raise);
                    }
                }
                "t" => {
                    let text = xml.text()?;
                    if open.has(|effect| matches!(effect, Effect::Hide)) {
                        continue;
                    }
                    match raised(&text) {
                        Some(raised) if open.has(|effect| matches!(effect, Effect::Raise)) => {
                            paragraph.text.push_str(&raised);
                        }
                        _ => paragraph.text.push_str(&text),
                    }
                }
                "hyperlink" => {
                    let id = element.attribute("id");
                    if let Some(address) = id.and_then(|id| self.links.get(&id)) {
                        let (start, address) = (paragraph.text.len(), address.clone());
                        open.push(depth, Effect::Link { start, address });
                    }
                }
                "AlternateContent" => {
                    let next = Alternative::First;
                    open.push(depth, Effect::Alternatives { next });
                }
                "txbxContent" => {
                    let mut blocks = self.text_box(xml)?;
                    paragraph.boxes.append(&mut blocks);
                }
                name if is_left_out(name) => xml.skip()?,
                _ => self.push_sign(&element, &mut paragraph.text),
            }
        }
        Ok(())
    }

    /// Adds what an element without content stands for: a blank, a character, the mark of a note.
    fn push_sign(&mut self, element: &Element<'_>, text: &mut String) {
        let note = match element.name() {
            "tab" | "ptab" => return text.push('\t'),
            "br" | "cr" => return text.push('\n'),
            "noBreakHyphen" => return text.push('-'),
            "sym" => return text.extend(symbol(element)),
            "footnoteReference" => NoteKind::Footnote,
            "endnoteReference" => NoteKind::Endnote,
            _ => return,
        };
        if let Some(id) = element.attribute("id") {
            let number = self.notes.number(note, id);
            text.push_str(&format!("[^{number}]"));
        }
    }
}

impl OpenElements {
    fn push(&mut self, depth: usize, effect: Effect) {
        self.0.push(OpenElement { depth, effect });
    }

    /// Closes what lies at `depth`, and makes a link of the text of one.
    fn close(&mut self, depth: usize, text: &mut String) {
        // A link may hide its text, too.
        while let Some(element) = self.0.pop_if(|element| element.depth == depth) {
            if let Effect::Link { start, address } = element.effect {
                make_link(text, start, &address);
            }
        }
    }

    /// Whether an element that begins at `depth` is an alternative to one that was read.
    fn is_further_alternative(&mut self, depth: usize) -> bool {
        let alternatives = self.0.iter_mut().rev().find_map(|element| {
            let parent = element.depth;
            match &mut element.effect {
                Effect::Alternatives { next } => Some((parent, next)),
                Effect::Link { .. } | Effect::Hide | Effect::Raise => None,
            }
        });
        match alternatives {
            Some((parent, next)) if parent + 1 == depth => {
                std::mem::replace(next, Alternative::Further) == Alternative::Further
            }
            _ => false,
        }
    }

    fn has(&self, is_it: impl Fn(&Effect) -> bool) -> bool {
        self.0.iter().any(|element| is_it(&element.effect))
    }
}

impl Paragraph {
    /// Reads the properties of the paragraph.
    fn read_properties<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<(), Stop> {
        let end = xml.depth() - 1;
        while xml.depth() > end {
            let Node::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "pStyle" => self.style = element.attribute("val"),
                "outlineLvl" => self.outline = OutlineLevel::of(&element),
                "numId" => self.list.id = element.attribute("val"),
                "ilvl" => self.list.level = element.number("val"),
                // Those of the sign at the end of the paragraph, which has no text.
                "rPr" => xml.skip()?,
                name if is_left_out(name) => xml.skip()?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// What the properties of a run say of its text.
#[derive(Clone, Copy, Default)]
struct RunProperties {
    is_hidden: bool,
    is_raised: bool,
}

impl RunProperties {
    fn read<R: BufRead>(xml: &mut Xml<R>) -> Result<Self, Stop> {
        let end = xml.depth() - 1;
        let mut properties = Self::default();
        while xml.depth() > end {
            if let Node::Start(element) = xml.next()? {
                match element.name() {
                    "vanish" => properties.is_hidden = element.is_on(),
                    "vertAlign" => {
                        let place = element.attribute("val");
                        properties.is_raised = place.as_deref() == Some("superscript");
                    }
                    // In them stand the properties of before a change.
                    name if is_left_out(name) => xml.skip()?,
                    _ => {}
                }
            }
        }
        Ok(properties)
    }
}

/// Returns a number as it stands above the line, for `10` with a raised `-6` is no `10-6`; none for
/// other text, which reads as well on the line.
fn raised(text: &str) -> Option<String> {
    let above = |c| {
        Some(match c {
            '0' => '⁰',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '4' => '⁴',
            '5' => '⁵',
            '6' => '⁶',
            '7' => '⁷',
            '8' => '⁸',
            '9' => '⁹',
            '+' => '⁺',
            '-' | '\u{2212}' | '\u{2013}' => '⁻',
            _ => return None,
        })
    };
    text.chars().map(above).collect()
}

/// Returns a character that is named by its number; none where only its font knows what it is.
fn symbol(element: &Element<'_>) -> Option<char> {
    let code = u32::from_str_radix(&element.attribute("char")?, 16).ok()?;
    let c = char::from_u32(code)?;
    // The area for private use, where `Wingdings` and the like have their pictures.
    (!('\u{E000}'..='\u{F8FF}').contains(&c)).then_some(c)
}

/// Makes what stands from `start` on a link, unless it says nothing.
fn make_link(text: &mut String, start: usize, address: &str) {
    let words = one_line(&text[start..]);
    if words.is_empty() {
        return;
    }
    // A blank or a bracket would end the address, and a bracket the words.
    let address = address.replace(['\n', '\r'], "").replace(' ', "%20");
    let address = address.replace('(', "%28").replace(')', "%29");
    let words = words.replace('[', "\\[").replace(']', "\\]");
    // Editors make the blank before a word a part of the link; it stays, but before it.
    let blank = if text[start..].starts_with(char::is_whitespace) {
        " "
    } else {
        ""
    };
    text.truncate(start);
    text.push_str(&format!("{blank}[{words}]({address})"));
}
