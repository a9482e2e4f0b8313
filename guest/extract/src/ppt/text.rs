//! Texts of a presentation, and their paragraphs.

use std::collections::BTreeMap;

use super::records::{PptRecord, kind, utf16_units};
use super::styles::{CharacterRun, InheritedMarks, OTHER, TextStyle};
use crate::docx::SymbolFont;
use crate::encoding::{decode_as, from_code_page};
use crate::failure::EarlyStop;
use crate::inline::superscript;
use crate::markdown::one_line;
use crate::pptx::{Budget, ItemCounters, LinkedText, ListMark, SlideBlock};

/// End of a paragraph.
const PARAGRAPH_END: u16 = 0x0D;

/// Line break in a paragraph.
const LINE_BREAK: u16 = 0x0B;

/// Private characters of symbol fonts.
const SYMBOLS: std::ops::RangeInclusive<char> = '\u{F000}'..='\u{F0FF}';

/// A text, with the records that describe it.
#[derive(Clone, Debug)]
pub struct SlideText<'a> {
    /// Its kind: a title, a body, notes.
    pub kind: u32,
    /// The record of its characters.
    characters: Option<PptRecord<'a>>,
    style: &'a [u8],
    /// Numbers of its paragraphs.
    pub numbers: &'a [u8],
    /// Places of generated text, such as the number of the slide.
    generated: Vec<usize>,
    /// Begin, end and id of its links.
    links: Vec<(usize, usize, u32)>,
    /// Index of the text in the list of slides that it stands for.
    pub outline: Option<usize>,
}

/// The data that the texts of all slides share.
#[derive(Debug, Default)]
pub struct TextContext {
    /// Symbol fonts by the numbers of fonts.
    pub fonts: BTreeMap<u16, SymbolFont>,
    /// Addresses of links by their ids.
    pub links: BTreeMap<u32, String>,
}

/// A text whose paragraphs are being read.
struct OpenText<'a> {
    units: Vec<u16>,
    style: TextStyle<'a>,
    /// Index of the generated text and of the link that follow.
    generated_at: usize,
    link_at: usize,
    text: &'a SlideText<'a>,
    context: &'a TextContext,
}

impl SlideText<'_> {
    fn new(kind: u32) -> Self {
        Self {
            kind,
            characters: None,
            style: &[],
            numbers: &[],
            generated: Vec::new(),
            links: Vec::new(),
            outline: None,
        }
    }
}

impl<'a> SlideText<'a> {
    /// Reads the texts among these records.
    pub fn read_all(
        records: impl Iterator<Item = PptRecord<'a>>,
        budget: &mut Budget,
    ) -> Result<Vec<Self>, EarlyStop> {
        let mut texts: Vec<Self> = Vec::new();
        // Id of the link whose range follows.
        let mut link = None;
        for record in records {
            if record.kind == kind::TEXT_HEADER || texts.is_empty() {
                budget.take_item()?;
                let kind = if record.kind == kind::TEXT_HEADER {
                    record.u32(0)
                } else {
                    OTHER
                };
                texts.push(SlideText::new(kind));
            }
            let Some(text) = texts.last_mut() else {
                continue;
            };
            match record.kind {
                kind::TEXT_CHARS | kind::TEXT_BYTES => text.characters = Some(record),
                kind::TEXT_STYLE => text.style = record.content,
                kind::OUTLINE_REFERENCE => text.outline = Some(record.position(0)),
                kind::SLIDE_NUMBER
                | kind::DATE
                | kind::GENERIC_DATE
                | kind::HEADER
                | kind::FOOTER
                | kind::FORMATTED_DATE => {
                    budget.take_item()?;
                    text.generated.push(record.position(0));
                }
                kind::ACTION => link = link_id(&record),
                kind::LINK_RANGE => {
                    if let Some(id) = link.take() {
                        budget.take_item()?;
                        text.links
                            .push((record.position(0), record.position(4), id));
                    }
                }
                _ => {}
            }
        }
        for text in &mut texts {
            text.generated.sort_unstable();
            text.links.sort_unstable();
        }
        Ok(texts)
    }

    /// Adds the paragraphs of the text to `blocks`.
    pub fn push_blocks(
        &self,
        marks: &InheritedMarks,
        context: &TextContext,
        budget: &mut Budget,
        blocks: &mut Vec<SlideBlock>,
    ) -> Result<(), EarlyStop> {
        let Some(mut open) = OpenText::new(self, context, budget)? else {
            return Ok(());
        };
        let mut counters = ItemCounters::default();
        let mut start = 0;
        while start < open.units.len() {
            let rest = open.units.get(start..).unwrap_or_default();
            let length = rest.iter().position(|unit| *unit == PARAGRAPH_END);
            let end = length.map_or(open.units.len(), |length| start + length);
            let (level, mark) = open.properties(start, marks);
            let words = open.paragraph(start, end, budget)?;
            start = end + 1;
            if one_line(&words).is_empty() {
                continue;
            }
            budget.take_item()?;
            blocks.push(match counters.next(level, Some(mark)) {
                Some(marker) => SlideBlock::Item(level, marker, words),
                None => SlideBlock::Paragraph(words),
            });
        }
        Ok(())
    }

    /// Returns the text without its structure.
    pub fn words(&self, context: &TextContext, budget: &mut Budget) -> Result<String, EarlyStop> {
        let mut blocks = Vec::new();
        self.push_blocks(&InheritedMarks::default(), context, budget, &mut blocks)?;
        let lines = blocks.into_iter().filter_map(SlideBlock::into_text);
        Ok(lines.collect::<Vec<String>>().join(" "))
    }
}

/// Returns the id of the link that a click follows.
pub fn link_id(action: &PptRecord<'_>) -> Option<u32> {
    /// An action that follows a link.
    const FOLLOW: u8 = 4;
    if action.instance != 0 {
        return None;
    }
    let mut records = action.records();
    let atom = records.find(|record| record.kind == kind::ACTION_ATOM)?;
    (atom.content.get(8) == Some(&FOLLOW)).then(|| atom.u32(4))
}

impl<'a> OpenText<'a> {
    /// Decodes a text, if it has characters.
    fn new(
        text: &'a SlideText<'a>,
        context: &'a TextContext,
        budget: &mut Budget,
    ) -> Result<Option<Self>, EarlyStop> {
        let Some(characters) = text.characters else {
            return Ok(None);
        };
        let is_wide = characters.kind == kind::TEXT_CHARS;
        // A character has two bytes here and at least one in UTF-8.
        let length = characters.content.len() >> u8::from(is_wide);
        if length > budget.bytes().saturating_add(crate::limits::PENDING_BYTES) {
            return Err(EarlyStop::Full);
        }
        let units = match from_code_page(1252) {
            Some(encoding) if !is_wide => decode_as(encoding, characters.content)
                .encode_utf16()
                .collect(),
            _ => utf16_units(characters.content).collect(),
        };
        Ok(Some(Self {
            units,
            style: TextStyle::new(text.style, text.numbers, length),
            generated_at: 0,
            link_at: 0,
            text,
            context,
        }))
    }

    /// Returns the level and the mark of the paragraph that begins at an offset.
    fn properties(&mut self, start: usize, marks: &InheritedMarks) -> (usize, ListMark) {
        let run = self.style.paragraph_at(start);
        let mark = match run.has_mark {
            Some(true) => ListMark::Bullet,
            Some(false) => ListMark::None,
            None => marks.mark(self.text.kind, run.level),
        };
        let number = match mark {
            ListMark::Bullet => self.style.number_at(start),
            _ => None,
        };
        (run.level, number.map_or(mark, ListMark::Number))
    }

    /// Returns the words of the paragraph from `start` to `end`.
    fn paragraph(
        &mut self,
        start: usize,
        end: usize,
        budget: &mut Budget,
    ) -> Result<String, EarlyStop> {
        let mut all = LinkedText::default();
        let mut at = start;
        while at < end {
            let run = self.style.characters_at(at);
            let mut next = end.min(run.end);
            while let Some(place) = self.text.generated.get(self.generated_at) {
                if *place >= at {
                    next = next.min(*place);
                    break;
                }
                self.generated_at += 1;
            }
            if next == at {
                // The sign at this place stands for the generated text.
                at += 1;
                continue;
            }
            while let Some((_, end, _)) = self.text.links.get(self.link_at) {
                if *end > at {
                    break;
                }
                self.link_at += 1;
            }
            let mut address = None;
            if let Some((begin, end, id)) = self.text.links.get(self.link_at) {
                if *begin > at {
                    next = next.min(*begin);
                } else {
                    next = next.min(*end);
                    address = self.context.links.get(id);
                }
            }
            let words = self.words(at, next, &run);
            budget.take_bytes(words.len())?;
            all.push(&words, address.map(String::as_str), budget)?;
            at = next;
        }
        Ok(all.finish())
    }

    /// Returns the words from `start` to `end`, which have the same properties, as they are
    /// displayed.
    fn words(&self, start: usize, end: usize, run: &CharacterRun) -> String {
        let units = self.units.get(start..end).unwrap_or_default().iter();
        let units = units.filter(|unit| **unit != 0).map(|unit| match *unit {
            LINE_BREAK => u16::from(b'\n'),
            unit => unit,
        });
        let words: String = char::decode_utf16(units)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        let font = |number: Option<u16>| self.context.fonts.get(&number?).copied();
        if let Some(font) = font(run.font) {
            return font.translate(&words);
        }
        if let Some(font) = font(run.symbol_font)
            && words.contains(|c| SYMBOLS.contains(&c))
        {
            let translated = font.translate(&words);
            let both = words.chars().zip(translated.chars());
            return both
                .map(|(c, t)| if SYMBOLS.contains(&c) { t } else { c })
                .collect();
        }
        let raised = if run.is_raised {
            superscript(&words)
        } else {
            None
        };
        raised.unwrap_or(words)
    }
}
