//! Shapes and styles of paragraphs: which of them are headings or items of a list.

use std::collections::BTreeMap;

use super::Numbering;
use crate::limits::OUTLINE_LEVELS;

/// The beginning of a paragraph: nothing, or a number or bullet at a level, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ParagraphHead {
    /// Nothing.
    #[default]
    None,
    /// A heading with the number that the section gives to headings.
    Outline { level: usize },
    /// A heading by the name of its style, without a number.
    Heading { level: usize },
    /// The number of the list with this id.
    Number { list: u32, level: usize },
    /// A bullet.
    Bullet { level: usize },
}

/// The properties of a paragraph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParagraphShape {
    /// Its beginning.
    pub head: ParagraphHead,
}

/// A named style of paragraphs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HangulStyle {
    /// Id of its properties.
    pub shape: u32,
    /// Level of the heading that its name promises, from 0.
    pub outline: Option<usize>,
}

/// The definitions of a document by their ids.
#[derive(Debug, Default)]
pub struct HangulStyles {
    /// Properties of paragraphs.
    pub shapes: BTreeMap<u32, ParagraphShape>,
    /// Styles.
    pub styles: BTreeMap<u32, HangulStyle>,
    /// Lists with numbers.
    pub numberings: BTreeMap<u32, Numbering>,
}

impl HangulStyles {
    /// Returns the beginning of a paragraph with this shape and style.
    pub fn head(&self, shape: u32, style: u32) -> ParagraphHead {
        let style = self.styles.get(&style).copied().unwrap_or_default();
        let shape = self
            .shapes
            .get(&shape)
            .or_else(|| self.shapes.get(&style.shape));
        match (shape.copied().unwrap_or_default().head, style.outline) {
            // Writers of Korean offices use the style of a heading and switch off its number,
            // or number it as a list.
            (ParagraphHead::None, Some(level)) => ParagraphHead::Heading { level },
            (head, _) => head,
        }
    }
}

impl HangulStyle {
    /// Creates a style with this name in Korean and in English.
    pub fn new(shape: u32, name: &str, english_name: &str) -> Self {
        Self {
            shape,
            outline: outline_level(name).or_else(|| outline_level(english_name)),
        }
    }
}

/// Returns the level of a heading, from 0, that the name of a style promises: `개요 1` and `Outline
/// 1` are built in, `제목 1` and `heading 1` come from converted documents.
fn outline_level(name: &str) -> Option<usize> {
    let name = name.to_lowercase().replace(' ', "");
    let number = ["개요", "outline", "제목", "heading"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))?;
    let level: usize = number.parse().ok()?;
    (1..=OUTLINE_LEVELS).contains(&level).then(|| level - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_by_name() {
        for (name, level) in [
            ("개요 1", Some(0)),
            ("개요10", Some(9)),
            ("Outline 3", Some(2)),
            ("heading 2", Some(1)),
            ("제목 1", Some(0)),
            ("제목", None),
            ("개요 0", None),
            ("개요 11", None),
            ("개요 99999999999999999999", None),
            ("차례 1", None),
            ("바탕글", None),
        ] {
            assert_eq!(outline_level(name), level, "{name}");
        }
    }
}
