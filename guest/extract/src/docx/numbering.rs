//! Lists and numbered headings: their numbers are not in the text, but have to be counted.

use std::collections::BTreeMap;
use std::io::BufRead;

use crate::failure::EarlyStop;
use crate::limits::LIST_LEVELS;
use crate::markdown::Marker;
use crate::xml::Xml;

/// The lists of a document, with their counters.
#[derive(Debug, Default)]
pub struct Numbering {
    /// Kinds of lists by id.
    kinds: BTreeMap<String, [Level; LIST_LEVELS]>,
    /// Lists by id.
    lists: BTreeMap<String, List>,
    /// Counters of each kind: lists of one kind continue each other.
    counts: BTreeMap<String, [Option<u32>; LIST_LEVELS]>,
}

/// The definition that is being read: a kind of list, or a list of a kind, by id.
enum Definition {
    Kind(String),
    List(String),
}

/// A level of a kind of list.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// Form of its numbers.
    pub number_form: NumberForm,
    /// First number.
    pub start: u32,
    /// Template of the number: `%1.%2`.
    pub text: String,
}

/// The format of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NumberForm {
    /// No number.
    #[default]
    None,
    /// A sign.
    Bullet,
    /// Decimal numbers.
    Decimal,
    /// Letters, Roman numbers and the like.
    Other,
}

#[derive(Clone, Debug, Default)]
struct List {
    kind: String,
    /// First numbers of its levels where they differ from those of its kind, until the list has
    /// begun.
    starts: [Option<u32>; LIST_LEVELS],
}

/// The number of a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParagraphNumber {
    /// Marker of a list item.
    pub marker: Marker,
    /// Label of a heading: `1.2`; empty if it does not consist of decimal numbers.
    pub label: String,
}

impl Numbering {
    /// Reads the part of the lists.
    pub fn read<R: BufRead>(xml: Xml<R>) -> Result<Self, EarlyStop> {
        let mut all = Self::default();
        let mut definition: Option<Definition> = None;
        // The level is `None` if the file names one that does not exist, such as 12. Its
        // properties are ignored instead of being written to another level.
        let mut level = Some(0);
        xml.each(|_, element| {
            match element.name() {
                "abstractNum" => {
                    definition = element.attribute("abstractNumId").map(|id| {
                        all.kinds.insert(id.clone(), Default::default());
                        Definition::Kind(id)
                    });
                }
                "num" => {
                    definition = element.attribute("numId").map(|id| {
                        all.lists.insert(id.clone(), List::default());
                        Definition::List(id)
                    });
                }
                "abstractNumId" => {
                    if let Some(list) = all.list(definition.as_ref()) {
                        list.kind = element.attribute("val").unwrap_or_default();
                    }
                }
                "lvl" | "lvlOverride" => {
                    level = element.number("ilvl").filter(|level| *level < LIST_LEVELS);
                }
                "startOverride" => {
                    if let (Some(list), Some(level)) = (all.list(definition.as_ref()), level) {
                        list.starts[level] = element.number("val");
                    }
                }
                "start" => {
                    if let Some(level) = all.level(definition.as_ref(), level) {
                        level.start = element.number("val").unwrap_or_default();
                    }
                }
                "numFmt" => {
                    if let Some(level) = all.level(definition.as_ref(), level) {
                        let name = element.attribute("val").unwrap_or_default();
                        level.number_form = NumberForm::from_name(&name);
                    }
                }
                "lvlText" => {
                    if let Some(level) = all.level(definition.as_ref(), level) {
                        level.text = element.attribute("val").unwrap_or_default();
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Adds a kind of list.
    pub fn add_kind(&mut self, id: String, levels: [Level; LIST_LEVELS]) {
        self.kinds.insert(id, levels);
    }

    /// Adds a list of a kind, with the first numbers of its levels where they differ from those of
    /// the kind.
    pub fn add_list(&mut self, id: String, kind: String, starts: [Option<u32>; LIST_LEVELS]) {
        self.lists.insert(id, List { kind, starts });
    }

    /// Returns the list that is being read.
    fn list(&mut self, definition: Option<&Definition>) -> Option<&mut List> {
        match definition? {
            Definition::List(id) => self.lists.get_mut(id),
            Definition::Kind(_) => None,
        }
    }

    /// Returns the level of the list kind that is being read. Lists may override levels, of which
    /// only the first number is used here.
    fn level(
        &mut self,
        definition: Option<&Definition>,
        level: Option<usize>,
    ) -> Option<&mut Level> {
        match definition? {
            Definition::Kind(id) => self.kinds.get_mut(id)?.get_mut(level?),
            Definition::List(_) => None,
        }
    }

    /// Counts a paragraph of the list `id` at a level from 0, or returns `None` if there is no such
    /// list or it has no numbers.
    pub fn next(&mut self, id: &str, level: usize) -> Option<ParagraphNumber> {
        let level = level.min(LIST_LEVELS - 1);
        let list = self.lists.get_mut(id)?;
        let levels = self.kinds.get(&list.kind)?;
        let counts = self.counts.entry(list.kind.clone()).or_default();
        let current = match (list.starts[level].take(), counts[level]) {
            (Some(start), _) => start,
            (None, Some(last)) => last.saturating_add(1),
            (None, None) => levels[level].start,
        };
        counts[level] = Some(current);
        // An item resets the counters of all deeper levels: a new `2.` is followed by `2.1`,
        // not by the successor of `1.3`.
        counts[level + 1..].fill(None);
        let marker = match levels[level].number_form {
            NumberForm::None => return None,
            NumberForm::Bullet => Marker::Bullet,
            // Markdown has decimal numbers only; letters and Roman numbers become those.
            NumberForm::Decimal | NumberForm::Other => Marker::Number(current),
        };
        let label = label(levels, counts, level).unwrap_or_default();
        Some(ParagraphNumber { marker, label })
    }
}

/// Formats the number of a level, or returns `None` if one of its numbers is not decimal.
fn label(
    levels: &[Level; LIST_LEVELS],
    counts: &[Option<u32>; LIST_LEVELS],
    level: usize,
) -> Option<String> {
    if levels[level].number_form != NumberForm::Decimal {
        return None;
    }
    let mut label = String::new();
    let mut characters = levels[level].text.chars();
    while let Some(c) = characters.next() {
        if c != '%' {
            label.push(c);
            continue;
        }
        // `%1` stands for the number of the outermost level. A template such as `%1.%2` gives
        // the label `3.2`.
        let index = characters.next()?.to_digit(10)?.checked_sub(1)? as usize;
        let level = levels
            .get(index)
            .filter(|level| level.number_form == NumberForm::Decimal)?;
        // A higher level without an item counts as begun, so `1.1` is shown even if no `1.`
        // precedes it.
        let number = counts.get(index)?.unwrap_or(level.start);
        label.push_str(&number.to_string());
    }
    Some(label.trim().to_owned())
}

impl NumberForm {
    fn from_name(name: &str) -> Self {
        match name {
            "none" => Self::None,
            "bullet" => Self::Bullet,
            "decimal" | "decimalZero" | "decimalFullWidth" => Self::Decimal,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: &str = r#"<numbering>
        <abstractNum abstractNumId="0">
          <lvl ilvl="0"><start val="1"/><numFmt val="decimal"/><lvlText val="%1."/></lvl>
          <lvl ilvl="1"><start val="1"/><numFmt val="decimal"/><lvlText val="%1.%2"/></lvl>
          <lvl ilvl="2"><start val="1"/><numFmt val="lowerRoman"/><lvlText val="%3)"/></lvl>
        </abstractNum>
        <abstractNum abstractNumId="1"><lvl ilvl="0"><numFmt val="bullet"/></lvl></abstractNum>
        <num numId="5"><abstractNumId val="0"/></num>
        <num numId="6"><abstractNumId val="1"/></num>
        <num numId="7"><abstractNumId val="0"/><lvlOverride ilvl="0"><startOverride val="4"/></lvlOverride></num>
        </numbering>"#;

    #[test]
    fn counted_as_word_does() {
        let mut all = Numbering::read(Xml::new(PART.as_bytes())).unwrap_or_default();
        let mut next = |id: &str, level| all.next(id, level).map(|n| (n.marker, n.label));
        let number = |n, label: &str| Some((Marker::Number(n), label.to_owned()));
        assert_eq!(next("5", 0), number(1, "1."));
        assert_eq!(next("5", 1), number(1, "1.1"));
        assert_eq!(next("5", 1), number(2, "1.2"));
        assert_eq!(next("5", 2), number(1, ""));
        assert_eq!(next("5", 0), number(2, "2."));
        assert_eq!(next("5", 1), number(1, "2.1"));
        assert_eq!(next("6", 0), Some((Marker::Bullet, String::new())));
        assert_eq!(next("7", 0), number(4, "4."));
        assert_eq!(next("7", 0), number(5, "5."));
        assert_eq!(next("7", 99), None);
        assert_eq!(next("0", 0), None);
    }
}
