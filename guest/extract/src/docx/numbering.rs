//! Lists and numbered headings: the numbers are not in the text, but follow from it.

use std::collections::BTreeMap;
use std::io::BufRead;

use crate::Stop;
use crate::limits::LIST_LEVELS;
use crate::markdown::Marker;
use crate::xml::Xml;

/// The lists of a document, and how far each has been counted.
#[derive(Debug, Default)]
pub struct Numbering {
    /// The kinds of lists by their ids.
    kinds: BTreeMap<String, [Level; LIST_LEVELS]>,
    /// The lists by their ids.
    lists: BTreeMap<String, List>,
    /// How far each kind has been counted: lists of one kind go on from each other.
    counts: BTreeMap<String, [Option<u32>; LIST_LEVELS]>,
}

#[derive(Clone, Debug, Default)]
struct Level {
    form: Form,
    start: u32,
    /// How the number is shown: `%1.%2`.
    text: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Form {
    #[default]
    None,
    Bullet,
    Decimal,
    /// Letters, Roman numbers and the like.
    Other,
}

#[derive(Clone, Debug, Default)]
struct List {
    kind: String,
    /// Where its levels begin, as far as that is not what its kind says, until it was begun.
    starts: [Option<u32>; LIST_LEVELS],
}

/// The number of a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// What stands before an item.
    pub marker: Marker,
    /// What stands before a heading: `1.2`; empty where it is not made of decimal numbers.
    pub label: String,
}

impl Numbering {
    /// Reads the part that holds them.
    pub fn read<R: BufRead>(xml: Xml<R>) -> Result<Self, Stop> {
        let mut all = Self::default();
        let (mut kind, mut list): (Option<String>, Option<String>) = (None, None);
        let mut level = 0usize;
        xml.each(|_, element| {
            let value = element.attribute("val");
            match element.name() {
                "abstractNum" => {
                    (kind, list) = (element.attribute("abstractNumId"), None);
                    if let Some(id) = &kind {
                        all.kinds.insert(id.clone(), Default::default());
                    }
                }
                "num" => {
                    (kind, list) = (None, element.attribute("numId"));
                    if let Some(id) = &list {
                        all.lists.insert(id.clone(), List::default());
                    }
                }
                "abstractNumId" => {
                    if let Some(list) = list.as_ref().and_then(|id| all.lists.get_mut(id)) {
                        list.kind = value.unwrap_or_default();
                    }
                }
                "lvl" | "lvlOverride" => {
                    level = element.number("ilvl").unwrap_or(LIST_LEVELS);
                }
                "startOverride" => {
                    let list = list.as_ref().and_then(|id| all.lists.get_mut(id));
                    if let Some(start) = list.and_then(|list| list.starts.get_mut(level)) {
                        *start = element.number("val");
                    }
                }
                name @ ("start" | "numFmt" | "lvlText") => {
                    let levels = kind.as_ref().and_then(|id| all.kinds.get_mut(id));
                    let Some(level) = levels.and_then(|levels| levels.get_mut(level)) else {
                        return Ok(());
                    };
                    match name {
                        "start" => level.start = element.number("val").unwrap_or_default(),
                        "numFmt" => level.form = Form::named(&value.unwrap_or_default()),
                        _ => level.text = value.unwrap_or_default(),
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Counts a paragraph in the list `id` at a level from 0 on; none where that is no list, or one
    /// without numbers.
    pub fn next(&mut self, id: &str, level: usize) -> Option<Number> {
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
        counts[level + 1..].fill(None);
        let marker = match levels[level].form {
            Form::None => return None,
            Form::Bullet => Marker::Bullet,
            Form::Decimal | Form::Other => Marker::Number(current),
        };
        let label = label(levels, counts, level).unwrap_or_default();
        Some(Number { marker, label })
    }
}

/// Returns how the number of a level is shown; none where a number in it is not decimal.
fn label(
    levels: &[Level; LIST_LEVELS],
    counts: &[Option<u32>; LIST_LEVELS],
    level: usize,
) -> Option<String> {
    if levels[level].form != Form::Decimal {
        return None;
    }
    let mut label = String::new();
    let mut characters = levels[level].text.chars();
    while let Some(c) = characters.next() {
        if c != '%' {
            label.push(c);
            continue;
        }
        let index = characters.next()?.to_digit(10)?.checked_sub(1)? as usize;
        let level = levels
            .get(index)
            .filter(|level| level.form == Form::Decimal)?;
        let number = counts.get(index)?.unwrap_or(level.start);
        label.push_str(&number.to_string());
    }
    Some(label.trim().to_owned())
}

impl Form {
    fn named(name: &str) -> Self {
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
