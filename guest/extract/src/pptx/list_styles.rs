//! The marks of list items, which a paragraph has itself or inherits from its shape, from the
//! placeholder of the layout, and from the master.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::rc::Rc;

use crate::failure::EarlyStop;
use crate::limits::LIST_LEVELS;
use crate::xml::{Element, Xml, XmlEvent};

/// The mark before a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListMark {
    /// The paragraph is not an item.
    None,
    /// A sign or a picture.
    Bullet,
    /// A number, counted from this one.
    Number(u32),
}

/// The marks of the levels of a list, where they are defined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelMarks([Option<ListMark>; LIST_LEVELS]);

/// The marks that the placeholders of a layout or of a master define.
#[derive(Debug)]
pub struct PlaceholderLists {
    /// Marks of placeholders by their index.
    by_index: BTreeMap<u32, LevelMarks>,
    /// Marks of the placeholder for the body.
    body: LevelMarks,
    /// Marks of all bodies, which only a master defines.
    all_bodies: LevelMarks,
}

/// The marks that the placeholders of a slide inherit.
#[derive(Clone, Debug, Default)]
pub struct InheritedLists {
    /// Those of its layout.
    pub layout: Rc<PlaceholderLists>,
    /// Those of the master of the layout.
    pub master: Rc<PlaceholderLists>,
}

impl ListMark {
    /// Returns the mark that an element among the properties of a paragraph defines.
    pub fn parse(element: &Element<'_>) -> Option<Self> {
        Some(match element.name() {
            "buNone" => Self::None,
            "buChar" | "buBlip" => Self::Bullet,
            "buAutoNum" => Self::Number(element.number("startAt").unwrap_or(1)),
            _ => return None,
        })
    }
}

impl LevelMarks {
    /// Reads the list style that began last.
    pub fn read<R: BufRead>(xml: &mut Xml<R>) -> Result<Self, EarlyStop> {
        let end = xml.depth() - 1;
        let mut marks = Self::default();
        let mut level = None;
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            let name = element.name();
            if let Some(number) = name
                .strip_prefix("lvl")
                .and_then(|it| it.strip_suffix("pPr"))
            {
                level = number.parse::<usize>().ok();
            } else if let Some(mark) = ListMark::parse(&element)
                && let Some(index) = level.and_then(|level| level.checked_sub(1))
                && let Some(own) = marks.0.get_mut(index)
            {
                *own = Some(mark);
            }
        }
        Ok(marks)
    }

    /// Returns the mark of a level, from 0, if it is defined.
    pub fn get(&self, level: usize) -> Option<ListMark> {
        self.0.get(level).copied().flatten()
    }
}

impl Default for PlaceholderLists {
    /// Returns the marks of a layout or master that cannot be read: bullets, which nearly every
    /// master defines for bodies.
    fn default() -> Self {
        Self {
            by_index: BTreeMap::new(),
            body: LevelMarks::default(),
            all_bodies: LevelMarks([Some(ListMark::Bullet); LIST_LEVELS]),
        }
    }
}

impl PlaceholderLists {
    /// Reads the part of a layout or of a master.
    pub fn read<R: BufRead>(mut xml: Xml<R>) -> Result<Self, EarlyStop> {
        let mut lists = Self {
            all_bodies: LevelMarks::default(),
            ..Self::default()
        };
        // Index of the placeholder whose shape is open, and true if it is for the body.
        let mut placeholder = None;
        loop {
            match xml.next()? {
                XmlEvent::Start(element) => match element.name() {
                    "sp" => placeholder = None,
                    "ph" => {
                        let index = element.number("idx").unwrap_or_default();
                        let is_body = element.attribute("type").as_deref() == Some("body");
                        placeholder = Some((index, is_body));
                    }
                    "lstStyle" => {
                        let marks = LevelMarks::read(&mut xml)?;
                        if let Some((index, is_body)) = placeholder {
                            lists.by_index.entry(index).or_insert(marks);
                            if is_body {
                                lists.body = marks;
                            }
                        }
                    }
                    "bodyStyle" => lists.all_bodies = LevelMarks::read(&mut xml)?,
                    _ => {}
                },
                XmlEvent::Eof => return Ok(lists),
                XmlEvent::End | XmlEvent::Text(_) | XmlEvent::Nothing => {}
            }
        }
    }
}

impl InheritedLists {
    /// Returns the mark that a level of the placeholder with this index inherits.
    pub fn mark(&self, index: u32, level: usize) -> Option<ListMark> {
        let own = self.layout.by_index.get(&index);
        own.and_then(|marks| marks.get(level))
            .or_else(|| self.master.body.get(level))
            .or_else(|| self.master.all_bodies.get(level))
    }
}
