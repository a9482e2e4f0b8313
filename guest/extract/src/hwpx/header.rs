//! The part of shapes, styles and lists.

use std::io::BufRead;

use crate::failure::EarlyStop;
use crate::hangul::{
    HangulStyle, HangulStyles, Numbering, NumberingLevel, ParagraphHead, ParagraphShape,
};
use crate::limits::OUTLINE_LEVELS;
use crate::xml::{Element, Xml, XmlEvent};

/// Reads the part into `styles`.
pub fn read<R: BufRead>(mut xml: Xml<R>, styles: &mut HangulStyles) -> Result<(), EarlyStop> {
    let (mut shape, mut list) = (None, None);
    loop {
        let element = match xml.next()? {
            XmlEvent::Start(element) => element,
            XmlEvent::Eof => return Ok(()),
            _ => continue,
        };
        match element.name() {
            "paraPr" => {
                shape = element.number("id");
                if let Some(id) = shape {
                    styles.shapes.insert(id, ParagraphShape::default());
                }
            }
            "heading" => {
                if let Some(shape) = shape.and_then(|id| styles.shapes.get_mut(&id)) {
                    shape.head = head(&element);
                }
            }
            "style" => {
                if let Some(id) = element.number("id") {
                    let shape = element.number("paraPrIDRef").unwrap_or_default();
                    let name = element.attribute("name").unwrap_or_default();
                    let english = element.attribute("engName").unwrap_or_default();
                    let style = HangulStyle::new(shape, &name, &english);
                    styles.styles.insert(id, style);
                }
            }
            "numbering" => {
                list = element.number("id");
                if let Some(id) = list {
                    styles.numberings.insert(id, Numbering::default());
                }
            }
            "bullet" => list = None,
            "paraHead" => {
                let level = element.number("level").unwrap_or_default();
                let form = element.attribute("numFormat").unwrap_or_default();
                let read = NumberingLevel {
                    form: NumberingLevel::form_code(&form),
                    start: element.number("start").unwrap_or(1),
                    template: xml.text()?,
                };
                if let Some(list) = list.and_then(|id| styles.numberings.get_mut(&id)) {
                    set_level(list, level, read);
                }
            }
            _ => {}
        }
    }
}

/// Sets a level, from 1, of a list.
fn set_level(list: &mut Numbering, level: usize, read: NumberingLevel) {
    let Some(index) = level.checked_sub(1).filter(|at| *at < OUTLINE_LEVELS) else {
        return;
    };
    if list.levels.len() <= index {
        list.levels.resize(index + 1, NumberingLevel::default());
    }
    list.levels[index] = read;
}

/// Reads the beginning of a paragraph.
fn head(element: &Element<'_>) -> ParagraphHead {
    let level = element.number("level").unwrap_or_default();
    let level = OUTLINE_LEVELS.saturating_sub(1).min(level);
    match element.attribute("type").as_deref() {
        Some("OUTLINE") => ParagraphHead::Outline { level },
        Some("NUMBER") => ParagraphHead::Number {
            list: element.number("idRef").unwrap_or_default(),
            level,
        },
        Some("BULLET") => ParagraphHead::Bullet { level },
        _ => ParagraphHead::None,
    }
}
