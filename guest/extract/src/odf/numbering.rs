//! Lists and numbered headings: their numbers are not in the text, but have to be counted.

use std::collections::BTreeMap;
use std::io::BufRead;

use super::styles::{OdfStyles, short_attribute};
use crate::failure::EarlyStop;
use crate::limits::{ODF_LIST_LEVELS, ODF_STYLES};
use crate::xml::{Element, Xml, XmlEvent};

/// The numbering of a kind of list, or of the headings, by level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OdfListStyle(Vec<OdfListLevel>);

/// The numbering of one level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OdfListLevel {
    label: LabelForm,
    start: u32,
    /// Number of levels whose numbers the label contains, this one included.
    shown_levels: usize,
    prefix: String,
    suffix: String,
}

/// The form of the label before an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LabelForm {
    /// No label.
    #[default]
    None,
    Bullet,
    Decimal,
    /// Letters, Roman numbers and the like.
    Other,
}

/// The last number of each level.
type OdfLevelCounts = [Option<u32>; ODF_LIST_LEVELS];

/// The numbers of the lists that have ended, which others may continue, and those of the headings.
#[derive(Debug, Default)]
pub struct OdfNumbering {
    by_style: BTreeMap<String, OdfLevelCounts>,
    by_id: BTreeMap<String, OdfLevelCounts>,
    outline: OdfLevelCounts,
}

/// A list that is open, and those that contain it.
#[derive(Debug, Default)]
pub struct OpenOdfLists {
    /// The lists, the innermost last.
    open: Vec<OpenOdfList>,
    counts: OdfLevelCounts,
}

#[derive(Debug)]
struct OpenOdfList {
    /// Number of open elements when it began, including itself.
    depth: usize,
    level: usize,
    style: Option<String>,
    id: Option<String>,
    /// List style of the current item, if it is another one.
    item_style: Option<String>,
    item: ItemState,
}

/// The state of the current item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ItemState {
    /// It has no number, or has been written.
    Continued,
    /// It has no paragraph yet. Its number may be given.
    New(Option<u32>),
    /// It is counted, and its paragraphs so far are empty.
    Counted(ItemNumber),
}

/// The number of an item or a heading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemNumber {
    /// Number in its list; `None` for a bullet.
    pub number: Option<u32>,
    /// True if the document shows no label before it.
    pub is_unmarked: bool,
    /// Label of a heading: `1.2`; empty if it does not consist of decimal numbers.
    pub label: String,
}

/// The position of a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListPosition {
    /// In no list.
    Outside,
    /// The first paragraph of an item, at a level from 0.
    First(usize, ItemNumber),
    /// A further paragraph of an item.
    Further,
}

impl OdfListStyle {
    /// Reads the list style, or the outline style, that began last.
    pub fn read<R: BufRead>(xml: &mut Xml<R>) -> Result<Self, EarlyStop> {
        let end = xml.depth() - 1;
        let mut levels: Vec<OdfListLevel> = Vec::new();
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            let label = match element.name() {
                "list-level-style-number" | "outline-level-style" => {
                    LabelForm::from_format(&element.attribute("num-format").unwrap_or_default())
                }
                "list-level-style-bullet" | "list-level-style-image" => LabelForm::Bullet,
                _ => continue,
            };
            let Some(level @ 1..=ODF_LIST_LEVELS) = element.number("level") else {
                continue;
            };
            if levels.len() < level {
                levels.resize_with(level, OdfListLevel::default);
            }
            levels[level - 1] = OdfListLevel {
                label,
                start: element.number("start-value").unwrap_or(1),
                shown_levels: element.number("display-levels").unwrap_or(1),
                prefix: short_attribute(&element, "num-prefix").unwrap_or_default(),
                suffix: short_attribute(&element, "num-suffix").unwrap_or_default(),
            };
        }
        Ok(Self(levels))
    }

    /// Counts a paragraph at a level, whose number may be given.
    fn count(&self, counts: &mut OdfLevelCounts, level: usize, given: Option<u32>) -> ItemNumber {
        let level = level.min(ODF_LIST_LEVELS - 1);
        let style = self.0.get(level);
        let start = style.map_or(1, |style| style.start);
        let next = counts[level].map_or(start, |last| last.saturating_add(1));
        let number = given.unwrap_or(next);
        counts[level] = Some(number);
        let form = style.map_or(LabelForm::Bullet, |style| style.label);
        ItemNumber {
            // Markdown has decimal numbers only; letters and Roman numbers become those.
            number: matches!(form, LabelForm::Decimal | LabelForm::Other).then_some(number),
            is_unmarked: form == LabelForm::None,
            label: self.label(counts, level).unwrap_or_default(),
        }
    }

    /// Formats the label of a level, or returns `None` if one of its numbers is not decimal.
    fn label(&self, counts: &OdfLevelCounts, level: usize) -> Option<String> {
        let style = self.0.get(level)?;
        if style.label != LabelForm::Decimal {
            return None;
        }
        let first = (level + 1).saturating_sub(style.shown_levels);
        let mut numbers = Vec::new();
        for (level, count) in self.0.iter().zip(counts).take(level + 1).skip(first) {
            match level.label {
                LabelForm::Decimal => numbers.push(count.unwrap_or(level.start).to_string()),
                // The number of a level without a label is not shown below it either.
                LabelForm::None => {}
                LabelForm::Bullet | LabelForm::Other => return None,
            }
        }
        let label = format!("{}{}{}", style.prefix, numbers.join("."), style.suffix);
        Some(label.trim().to_owned())
    }
}

impl LabelForm {
    fn from_format(format: &str) -> Self {
        match format {
            "" => Self::None,
            "1" => Self::Decimal,
            _ => Self::Other,
        }
    }
}

impl OdfNumbering {
    /// Counts a heading of a level from 1. Its number may be given.
    pub fn heading(&mut self, style: &OdfListStyle, level: u8, given: Option<u32>) -> ItemNumber {
        let level = usize::from(level.max(1) - 1).min(ODF_LIST_LEVELS - 1);
        let number = style.count(&mut self.outline, level, given);
        // A heading resets the counters of all deeper levels.
        self.outline[level + 1..].fill(None);
        number
    }
}

impl OpenOdfLists {
    /// Begins a list, an item or the like, whose element has this depth.
    pub fn begin(&mut self, element: &Element<'_>, depth: usize, numbering: &OdfNumbering) {
        match element.name() {
            "list" => self.begin_list(element, depth, numbering),
            "numbered-paragraph" => self.begin_numbered(element, depth, numbering),
            name => {
                let Some(list) = self.open.last_mut() else {
                    return;
                };
                let is_header = name == "list-header";
                list.item_style = short_attribute(element, "style-override");
                list.item = if is_header {
                    ItemState::Continued
                } else {
                    ItemState::New(element.number("start-value"))
                };
            }
        }
    }

    /// Begins a list.
    fn begin_list(&mut self, element: &Element<'_>, depth: usize, numbering: &OdfNumbering) {
        let above = self.open.last();
        let level = above.map_or(0, |list| list.level + 1);
        let style = short_attribute(element, "style-name");
        let style = style.or_else(|| above.and_then(|list| list.style.clone()));
        let continues = element.attribute("continue-numbering").as_deref() == Some("true");
        if above.is_none() {
            let earlier = short_attribute(element, "continue-list");
            let earlier = earlier.and_then(|id| numbering.by_id.get(&id));
            let same = style.as_ref().filter(|_| continues);
            let same = same.and_then(|name| numbering.by_style.get(name));
            self.counts = earlier.or(same).copied().unwrap_or_default();
        } else if !continues {
            self.reset_from(level);
        }
        self.open.push(OpenOdfList {
            depth,
            level,
            style,
            id: short_attribute(element, "id"),
            item_style: None,
            item: ItemState::Continued,
        });
    }

    /// Begins a paragraph that is an item of a list by itself: a list of one item.
    fn begin_numbered(&mut self, element: &Element<'_>, depth: usize, all: &OdfNumbering) {
        let level: usize = element.number("level").unwrap_or(1);
        let level = level.saturating_sub(1);
        let style = short_attribute(element, "style-name");
        let id = short_attribute(element, "list-id");
        if self.open.is_empty() {
            let counts = match (&id, &style) {
                (Some(id), _) => all.by_id.get(id),
                (None, Some(style)) => all.by_style.get(style),
                (None, None) => None,
            };
            self.counts = counts.copied().unwrap_or_default();
        }
        self.reset_from(level.saturating_add(1));
        self.open.push(OpenOdfList {
            depth,
            level,
            style,
            id,
            item_style: None,
            item: ItemState::New(element.number("start-value")),
        });
    }

    /// Ends the list whose element has this depth, if there is one.
    pub fn end(&mut self, depth: usize, numbering: &mut OdfNumbering) {
        let Some(list) = self.open.pop_if(|list| list.depth == depth) else {
            return;
        };
        if !self.open.is_empty() {
            return;
        }
        if let Some(style) = list.style {
            keep(&mut numbering.by_style, style, self.counts);
        }
        if let Some(id) = list.id {
            keep(&mut numbering.by_id, id, self.counts);
        }
    }

    /// Returns true if no list is open.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Counts a paragraph with this list style of its own, empty or not, and returns its position.
    pub fn count(&mut self, own_style: Option<&str>, styles: &OdfStyles) -> ListPosition {
        let Some(list) = self.open.last_mut() else {
            return ListPosition::Outside;
        };
        let number = match &list.item {
            ItemState::Continued => return ListPosition::Further,
            ItemState::Counted(number) => number.clone(),
            ItemState::New(given) => {
                let style = list.item_style.as_deref().or(list.style.as_deref());
                let style = style.or(own_style).and_then(|name| styles.list(name));
                let unknown = OdfListStyle::default();
                let style = style.unwrap_or(&unknown);
                style.count(&mut self.counts, list.level, *given)
            }
        };
        list.item = ItemState::Counted(number.clone());
        ListPosition::First(list.level, number)
    }

    /// Records that the current item has been written: further paragraphs of it have no number.
    pub fn set_written(&mut self) {
        if let Some(list) = self.open.last_mut() {
            list.item = ItemState::Continued;
        }
    }

    fn reset_from(&mut self, level: usize) {
        if let Some(counts) = self.counts.get_mut(level..) {
            counts.fill(None);
        }
    }
}

/// Keeps the numbers of a list that has ended.
fn keep(all: &mut BTreeMap<String, OdfLevelCounts>, name: String, counts: OdfLevelCounts) {
    if all.len() < ODF_STYLES || all.contains_key(&name) {
        all.insert(name, counts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(levels: &str) -> OdfListStyle {
        let part = format!("<list-style>{levels}</list-style>");
        let mut xml = Xml::new(part.as_bytes());
        assert!(matches!(xml.next(), Ok(XmlEvent::Start(_))));
        OdfListStyle::read(&mut xml).unwrap_or_default()
    }

    #[test]
    fn labels_of_headings() {
        let style = style(
            r#"<outline-level-style level="1" num-format="1" num-suffix="."/>
            <outline-level-style level="2" num-format="1" display-levels="2"/>
            <outline-level-style level="3" num-format="a" display-levels="3"/>
            <outline-level-style level="4" num-format="" />
            <outline-level-style level="99" num-format="1" />"#,
        );
        let mut numbering = OdfNumbering::default();
        let mut next = |level, given| numbering.heading(&style, level, given).label;
        assert_eq!(next(1, None), "1.");
        assert_eq!(next(2, None), "1.1");
        assert_eq!(next(2, None), "1.2");
        assert_eq!(next(3, None), "");
        assert_eq!(next(4, None), "");
        assert_eq!(next(1, Some(7)), "7.");
        assert_eq!(next(2, None), "7.1");
        assert_eq!(next(200, None), "");
    }

    #[test]
    fn labels_with_levels_that_have_no_number() {
        let style = style(
            r#"<list-level-style-number level="1" num-format=""/>
            <list-level-style-number level="2" num-format="1" num-prefix="(" num-suffix=")" display-levels="9" start-value="3"/>"#,
        );
        let mut counts = OdfLevelCounts::default();
        let number = style.count(&mut counts, 1, None);
        assert_eq!((number.number, number.label.as_str()), (Some(3), "(3)"));
        assert!(style.count(&mut counts, 0, None).is_unmarked);
        let unknown = style.count(&mut counts, 5, None);
        assert_eq!(unknown.number, None);
        assert!(!unknown.is_unmarked);
    }
}
