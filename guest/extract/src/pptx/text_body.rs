//! Text bodies: the paragraphs of a shape, a cell, a title of a chart or a point of a diagram.

use std::collections::BTreeMap;
use std::io::BufRead;

use super::SlideBlock;
use super::budget::Budget;
use super::list_styles::{InheritedLists, LevelMarks, ListMark};
use crate::docx::SymbolFont;
use crate::failure::EarlyStop;
use crate::inline::{make_link, superscript};
use crate::limits::LIST_LEVELS;
use crate::markdown::{Marker, one_line};
use crate::xml::{Element, Xml, XmlEvent};

/// A reader of text bodies, with the settings from their surroundings.
pub struct TextBodies<'a> {
    /// Addresses of links by relationship id.
    pub links: &'a BTreeMap<String, String>,
    /// Index of the placeholder to which the bodies belong, with the marks that it inherits.
    pub inherited: Option<(u32, &'a InheritedLists)>,
    /// The text that may still be gathered.
    pub budget: &'a mut Budget,
}

/// The addresses in a part without links.
pub const NO_LINKS: &BTreeMap<String, String> = &BTreeMap::new();

/// The properties of a paragraph.
#[derive(Default)]
struct BodyProperties {
    level: usize,
    mark: Option<ListMark>,
}

/// The properties of a run that affect its text.
#[derive(Default)]
struct SlideRun<'a> {
    /// Address of its link.
    address: Option<&'a str>,
    /// Font of all its characters.
    font: Option<SymbolFont>,
    /// Font of the characters that are not in ASCII.
    symbol_font: Option<SymbolFont>,
    is_raised: bool,
}

/// The text of a paragraph, whose last words may belong to a link.
#[derive(Debug, Default)]
pub struct LinkedText {
    text: String,
    link: Option<OpenRunLink>,
}

/// A link that following runs may continue.
#[derive(Debug)]
struct OpenRunLink {
    start: usize,
    /// End of its last word.
    end: usize,
    address: String,
}

/// Numbers of the last items by level.
#[derive(Debug, Default)]
pub struct ItemCounters([Option<u32>; LIST_LEVELS]);

impl<'a> TextBodies<'a> {
    /// Reads the body that began last, and adds its paragraphs to `blocks`.
    pub fn read<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        blocks: &mut Vec<SlideBlock>,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        let mut own = LevelMarks::default();
        let mut counters = ItemCounters::default();
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "lstStyle" => own = LevelMarks::read(xml)?,
                "p" => {
                    let (properties, text) = self.paragraph(xml)?;
                    if one_line(&text).is_empty() {
                        continue;
                    }
                    self.budget.take_item()?;
                    let level = properties.level.min(LIST_LEVELS - 1);
                    let mark = properties.mark.or_else(|| own.get(level)).or_else(|| {
                        let (index, lists) = self.inherited?;
                        lists.mark(index, level)
                    });
                    blocks.push(match counters.next(level, mark) {
                        Some(marker) => SlideBlock::Item(level, marker, text),
                        None => SlideBlock::Paragraph(text),
                    });
                }
                "extLst" => xml.skip()?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads the body that began last, and returns its text without its structure.
    pub fn words<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<String, EarlyStop> {
        let mut blocks = Vec::new();
        self.read(xml, &mut blocks)?;
        let texts: Vec<String> = blocks
            .into_iter()
            .filter_map(SlideBlock::into_text)
            .collect();
        Ok(texts.join("\n"))
    }

    /// Reads the cell of a table that began last, and returns its paragraphs as lines.
    pub fn cell<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<String, EarlyStop> {
        let mut blocks = Vec::new();
        self.read(xml, &mut blocks)?;
        let lines = blocks.into_iter().filter_map(SlideBlock::into_line);
        Ok(lines.collect::<Vec<String>>().join("\n"))
    }

    /// Reads the paragraph that began last.
    fn paragraph<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
    ) -> Result<(BodyProperties, String), EarlyStop> {
        let end = xml.depth() - 1;
        let mut properties = BodyProperties::default();
        let mut run = SlideRun::default();
        let mut all = LinkedText::default();
        let mut alternatives = Alternatives::default();
        while xml.depth() > end {
            let depth = xml.depth();
            let element = match xml.next()? {
                XmlEvent::Start(element) => element,
                XmlEvent::End => {
                    alternatives.close(depth);
                    continue;
                }
                // Words are in elements `t` only.
                XmlEvent::Text(_) | XmlEvent::Nothing | XmlEvent::Eof => continue,
            };
            if alternatives.is_superfluous(depth + 1, all.text.len()) {
                xml.skip()?;
                continue;
            }
            match element.name() {
                "pPr" => {
                    properties.level = element.number("lvl").unwrap_or_default();
                    properties.read_mark(xml)?;
                }
                "fld" if is_generated(&element) => xml.skip()?,
                // A field has properties of a paragraph of its own, which PowerPoint ignores.
                "r" | "fld" => run = SlideRun::default(),
                "rPr" => run = self.run(&element.attribute("baseline"), xml)?,
                "br" => {
                    self.budget.take_bytes(1)?;
                    all.text.push('\n');
                    xml.skip()?;
                }
                "t" => {
                    let words = xml.text_within(self.budget.bytes())?;
                    let words = run.typeset(words);
                    self.budget.take_bytes(words.len())?;
                    all.push(&words, run.address, self.budget)?;
                }
                "AlternateContent" => alternatives.open(depth + 1, all.text.len()),
                "endParaRPr" | "extLst" => xml.skip()?,
                // Equations are entered: their words are in elements `t` as well.
                _ => {}
            }
        }
        Ok((properties, all.finish()))
    }

    /// Reads the properties of a run that began last.
    fn run<R: BufRead>(
        &self,
        baseline: &Option<String>,
        xml: &mut Xml<R>,
    ) -> Result<SlideRun<'a>, EarlyStop> {
        let end = xml.depth() - 1;
        let baseline = baseline.as_deref().unwrap_or_default().trim();
        let mut run = SlideRun {
            is_raised: !baseline.starts_with(['-', '0']) && !baseline.is_empty(),
            ..SlideRun::default()
        };
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            let font = || SymbolFont::from_name(&element.attribute("typeface")?);
            match element.name() {
                "hlinkClick" => {
                    let id = element.prefixed_attribute("id");
                    run.address = id.and_then(|id| self.links.get(&id)).map(String::as_str);
                }
                "latin" => run.font = font(),
                "sym" => run.symbol_font = font(),
                _ => {}
            }
        }
        Ok(run)
    }
}

/// Returns true if a field shows the number of the slide, or stands for a value of a chart.
fn is_generated(field: &Element<'_>) -> bool {
    let kind = field.attribute("type").unwrap_or_default();
    // The fields of data labels are in capitals: `CELLRANGE`, whose text is `[CELLRANGE]`.
    kind == "slidenum" || (!kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_uppercase()))
}

impl BodyProperties {
    /// Reads the mark among the properties that began last.
    fn read_mark<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        while xml.depth() > end {
            if let XmlEvent::Start(element) = xml.next()? {
                self.mark = ListMark::parse(&element).or(self.mark);
            }
        }
        Ok(())
    }
}

impl SlideRun<'_> {
    /// Returns words as they are displayed.
    fn typeset(&self, words: String) -> String {
        if let Some(font) = self.font {
            return font.translate(&words);
        }
        // PowerPoint replaces `-->` by `à` in Wingdings, which looks like `→`. This font of
        // symbols does not apply to letters of ASCII.
        if let Some(font) = self.symbol_font {
            let translated = font.translate(&words);
            let both = words.chars().zip(translated.chars());
            return both
                .map(|(c, t)| if c.is_ascii() { c } else { t })
                .collect();
        }
        let raised = if self.is_raised {
            superscript(&words)
        } else {
            None
        };
        raised.unwrap_or(words)
    }
}

impl LinkedText {
    /// Adds words, which belong to a link if they have an address.
    pub fn push(
        &mut self,
        words: &str,
        address: Option<&str>,
        budget: &mut Budget,
    ) -> Result<(), EarlyStop> {
        // Spelling and formatting divide a link into runs, each with the same address.
        if self.link.as_ref().map(|link| link.address.as_str()) != address {
            self.end_link();
            if let Some(address) = address {
                // A file may refer to one address of a megabyte from each of its runs.
                budget.take_bytes(address.len())?;
                let start = self.text.len();
                self.link = Some(OpenRunLink {
                    start,
                    end: start,
                    address: address.to_owned(),
                });
            }
        }
        self.text.push_str(words);
        if let Some(link) = &mut self.link {
            // The blank after a link belongs to the text that follows.
            link.end = link.end.max(self.text.trim_end().len());
        }
        Ok(())
    }

    /// Returns the text.
    pub fn finish(mut self) -> String {
        self.end_link();
        self.text
    }

    /// Ends the link, if one is open.
    fn end_link(&mut self) {
        if let Some(link) = self.link.take() {
            let rest = self.text.split_off(link.end);
            make_link(&mut self.text, link.start, &link.address);
            self.text.push_str(&rest);
        }
    }
}

impl ItemCounters {
    /// Returns the marker of the next paragraph, or `None` if it is not an item.
    pub fn next(&mut self, level: usize, mark: Option<ListMark>) -> Option<Marker> {
        let own = level + usize::from(matches!(mark, Some(ListMark::Number(_))));
        // An item ends the lists that are deeper, and one without a number its own as well.
        if let Some(deeper) = self.0.get_mut(own..) {
            deeper.fill(None);
        }
        match mark? {
            ListMark::None => None,
            ListMark::Bullet => Some(Marker::Bullet),
            ListMark::Number(first) => {
                let counter = self.0.get_mut(level)?;
                let number = counter.map_or(first, |last| last.saturating_add(1));
                *counter = Some(number);
                Some(Marker::Number(number))
            }
        }
    }
}

/// The open sets of alternatives, the innermost last, such as a drawing for new programs and a
/// picture for old ones.
#[derive(Debug, Default)]
pub struct Alternatives(Vec<OpenAlternatives>);

/// A set of alternatives.
#[derive(Debug)]
struct OpenAlternatives {
    /// Number of open elements when it began, including itself.
    depth: usize,
    /// Amount of content before it.
    before: usize,
}

impl Alternatives {
    /// Opens the set that began at `depth`, after an amount of content.
    pub fn open(&mut self, depth: usize, before: usize) {
        self.0.push(OpenAlternatives { depth, before });
    }

    /// Closes the set that ended at `depth`, if it is one.
    pub fn close(&mut self, depth: usize) {
        self.0.pop_if(|it| it.depth == depth);
    }

    /// Returns true if the element that begins at `depth` is an alternative, and an earlier one of
    /// its set had content.
    pub fn is_superfluous(&self, depth: usize, content: usize) -> bool {
        self.0
            .last()
            .is_some_and(|it| it.depth + 1 == depth && content > it.before)
    }
}
