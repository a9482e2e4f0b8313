//! Lists: the kinds of their levels, and the numbers of their items.

use std::collections::BTreeMap;

use super::state::{OldList, ParagraphState};
use crate::limits::{LIST_LEVELS, RTF_DEFINITIONS};
use crate::markdown::Marker;

/// The lists of a document, with their counters.
#[derive(Debug, Default)]
pub struct RtfLists {
    /// Levels of the kinds of lists by id.
    kinds: BTreeMap<i32, [RtfLevel; LIST_LEVELS]>,
    /// Kinds of lists by the number of the list.
    lists: BTreeMap<i32, i32>,
    /// Last numbers by kind.
    counts: BTreeMap<i32, [Option<u32>; LIST_LEVELS]>,
    /// The kind that is being read, with the number of its levels so far.
    current: ([RtfLevel; LIST_LEVELS], usize),
    /// Id of the kind that the list being read refers to.
    kind: i32,
}

/// A level of a kind of list.
#[derive(Clone, Copy, Debug, Default)]
struct RtfLevel {
    /// Form of its numbers, by the number of `\levelnfc`.
    form: Option<i32>,
    start: u32,
}

/// Forms of numbers.
const BULLET: i32 = 23;
const WITHOUT_NUMBER: i32 = 255;

/// A list item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RtfItem {
    pub level: usize,
    pub marker: Marker,
    /// Words of the number: `제1조`. Empty for a mere number.
    pub label: String,
}

impl RtfLists {
    /// Begins a kind of list.
    pub fn begin_kind(&mut self) {
        self.current = Default::default();
    }

    /// Begins a level of the current kind.
    pub fn begin_level(&mut self) {
        self.current.1 += 1;
    }

    /// Returns the current level.
    fn level(&mut self) -> Option<&mut RtfLevel> {
        let (levels, count) = &mut self.current;
        levels.get_mut(count.checked_sub(1)?)
    }

    /// Sets the form of the numbers of the current level.
    pub fn set_form(&mut self, form: Option<i32>) {
        if let Some(level) = self.level() {
            level.form = form;
        }
    }

    /// Sets the first number of the current level.
    pub fn set_start(&mut self, start: Option<i32>) {
        if let Some(level) = self.level() {
            level.start = start.and_then(|n| u32::try_from(n).ok()).unwrap_or(1);
        }
    }

    /// Sets the id of the current kind, which ends its definition, or the kind of a list.
    pub fn set_id(&mut self, id: i32) {
        self.kind = id;
        if self.current.1 > 0 && self.kinds.len() < RTF_DEFINITIONS {
            self.kinds.insert(id, self.current.0);
            self.begin_kind();
        }
    }

    /// Gives a list its number.
    pub fn set_number(&mut self, number: i32) {
        if self.lists.len() < RTF_DEFINITIONS {
            self.lists.insert(number, self.kind);
        }
    }

    /// Returns the item that a paragraph is, `None` if it is none. `shown` is the number as the
    /// document shows it.
    pub fn item(&mut self, paragraph: &ParagraphState, shown: Option<&str>) -> Option<RtfItem> {
        let level = paragraph.list_level.min(LIST_LEVELS - 1);
        let shown_text = shown.unwrap_or_default().trim();
        let kind = self.lists.get(&paragraph.list).copied();
        let kind = kind.filter(|_| paragraph.list != 0).unwrap_or(-1);
        let definition = self.kinds.get(&kind).map(|levels| levels[level]);
        let form = definition.and_then(|level| level.form);
        let is_listed = paragraph.list > 0 || paragraph.old_list.is_some() || shown.is_some();
        if !is_listed || (shown_text.is_empty() && form == Some(WITHOUT_NUMBER)) {
            return None;
        }
        // A number that is deleted, or that a style takes away, leaves an empty text.
        if shown.is_some() && shown_text.is_empty() && form.is_none() {
            return None;
        }
        let is_bullet = match (form, paragraph.old_list) {
            (Some(form), _) => form == BULLET,
            (None, Some(OldList::Bullets)) => true,
            // Some programs show only the number of the first item.
            (None, Some(OldList::Numbers)) if shown_text.is_empty() => false,
            (None, _) => !has_number(shown_text),
        };
        if is_bullet {
            let marker = Marker::Bullet;
            let label = String::new();
            return Some(RtfItem {
                level,
                marker,
                label,
            });
        }
        let start = definition.map_or(1, |level| level.start);
        let number = self.next(kind, level, start, last_number(shown_text));
        Some(RtfItem {
            level,
            marker: Marker::Number(number),
            label: if has_words(shown_text) {
                shown_text.to_owned()
            } else {
                String::new()
            },
        })
    }

    /// Returns the next number of a level: that which is shown, or one more than the last.
    fn next(&mut self, kind: i32, level: usize, start: u32, shown: Option<u32>) -> u32 {
        let counts = self.counts.entry(kind).or_default();
        let counted = counts[level].map_or(start, |last| last.saturating_add(1));
        let number = shown.unwrap_or(counted);
        counts[level] = Some(number);
        // An item resets the counters of all deeper levels.
        counts[level + 1..].fill(None);
        number
    }
}

/// Returns true if the text of a number has one, or a letter in its place: `a.`.
fn has_number(shown: &str) -> bool {
    // Single letters without punctuation are bullets in fonts whose characters are unknown; `o` is
    // the usual one of the second level.
    let mut letters = shown.chars();
    let is_single = letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none();
    shown.chars().any(char::is_alphanumeric) && !is_single
}

/// Returns the last decimal number of a text, as the 3 of `2.3.`.
fn last_number(shown: &str) -> Option<u32> {
    let is_digit = |c: char| c.is_ascii_digit();
    let number = shown
        .rsplit(|c| !is_digit(c))
        .find(|part| !part.is_empty())?;
    number.parse().ok().filter(|number| *number <= 999_999_999)
}

/// Returns true if the text of a number has words besides it.
fn has_words(shown: &str) -> bool {
    let is_roman = |c: char| "ivxlcdm".contains(c.to_ascii_lowercase());
    let letters: Vec<char> = shown.chars().filter(|c| c.is_alphabetic()).collect();
    let is_repeated = letters.windows(2).all(|pair| pair[0] == pair[1]);
    letters.len() >= 2 && !is_repeated && !letters.iter().all(|c| is_roman(*c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists() -> RtfLists {
        let mut lists = RtfLists::default();
        lists.begin_kind();
        for form in [0, 4, BULLET, WITHOUT_NUMBER] {
            lists.begin_level();
            lists.set_form(Some(form));
            lists.set_start(Some(1));
        }
        lists.set_id(77);
        lists.set_id(77);
        lists.set_number(1);
        lists
    }

    fn paragraph(list: i32, list_level: usize) -> ParagraphState {
        ParagraphState {
            list,
            list_level,
            ..ParagraphState::default()
        }
    }

    #[test]
    fn numbers_are_those_shown_or_counted() {
        let mut lists = lists();
        for (level, shown, expected) in [
            (0, Some("3."), Some(Marker::Number(3))),
            (0, None, Some(Marker::Number(4))),
            (1, Some("c)"), Some(Marker::Number(1))),
            (1, Some("d)"), Some(Marker::Number(2))),
            (0, Some("2.5."), Some(Marker::Number(5))),
            (1, None, Some(Marker::Number(1))),
            (2, Some("o"), Some(Marker::Bullet)),
            (3, Some(""), None),
            (3, None, None),
            (99, Some("·"), Some(Marker::Bullet)),
        ] {
            let item = lists.item(&paragraph(1, level), shown);
            assert_eq!(item.map(|item| item.marker), expected, "{shown:?}");
        }
        let unknown = lists.item(&paragraph(9, 0), Some("o"));
        assert_eq!(unknown.map(|item| item.marker), Some(Marker::Bullet));
        assert_eq!(lists.item(&paragraph(0, 0), None), None);
    }

    #[test]
    fn words_of_a_number_are_kept() {
        for (shown, expected) in [
            ("제1조", "제1조"),
            ("Article I.", "Article I."),
            ("iv)", ""),
            ("aa.", ""),
            ("가.", ""),
            ("(1)", ""),
        ] {
            let item = lists().item(&paragraph(1, 0), Some(shown));
            assert_eq!(item.map(|item| item.label).as_deref(), Some(expected));
        }
    }
}
