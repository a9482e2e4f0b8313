//! The stylesheet, as far as it determines the structure of a document.

use std::collections::BTreeMap;

use crate::docx::styles::{OutlineLevel, ParagraphStyle};
use crate::limits::{RTF_DEFINITIONS, STYLE_CHAIN};

/// Maximum bytes of a style's name that are kept.
const NAME_BYTES: usize = 255;

/// Names of headings before their level in the languages of editors. Word writes `heading 1` in
/// every language; others write the name that they show.
const HEADING_NAMES: [&str; 21] = [
    "überschrift",
    "titre",
    "título",
    "titulo",
    "encabezado",
    "titolo",
    "kop",
    "rubrik",
    "overskrift",
    "otsikko",
    "nagłówek",
    "nadpis",
    "címsor",
    "заголовок",
    "başlık",
    "επικεφαλίδα",
    "見出し",
    "标题",
    "標題",
    "제목",
    "개요",
];

/// The paragraph styles by number.
#[derive(Debug, Default)]
pub struct StyleSheet {
    styles: BTreeMap<i32, RtfStyle>,
    current: RtfStyle,
    /// Number of the current style; `None` if it is not one of paragraphs.
    number: Option<i32>,
}

/// A style.
#[derive(Clone, Debug, Default)]
struct RtfStyle {
    name: String,
    outline: OutlineLevel,
    based_on: Option<i32>,
}

impl StyleSheet {
    /// Begins a style, which is number 0 until it names another.
    pub fn begin(&mut self) {
        self.current = RtfStyle::default();
        self.number = Some(0);
    }

    /// Sets the number of the current style.
    pub fn set_number(&mut self, number: Option<i32>) {
        self.number = number;
    }

    /// Sets the outline level of the current style.
    pub fn set_outline(&mut self, outline: OutlineLevel) {
        self.current.outline = outline;
    }

    /// Sets the base of the current style.
    pub fn set_base(&mut self, number: Option<i32>) {
        self.current.based_on = number;
    }

    /// Adds to the name of the current style, which ends with a semicolon.
    pub fn push_name(&mut self, text: &str) {
        let (name, is_complete) = match text.split_once(';') {
            Some((name, _)) => (name, true),
            None => (text, false),
        };
        if self.current.name.len() + name.len() <= NAME_BYTES {
            self.current.name.push_str(name);
        }
        if !is_complete {
            return;
        }
        let style = std::mem::take(&mut self.current);
        if let Some(number) = self.number
            && self.styles.len() < RTF_DEFINITIONS
        {
            self.styles.insert(number, style);
        }
        // Another style follows, not always in a group of its own.
        self.begin();
    }

    /// Returns the style with this number, with the properties inherited from its base styles.
    pub fn resolve(&self, number: Option<i32>) -> ParagraphStyle {
        let mut resolved = ParagraphStyle::default();
        let mut next = number;
        // Styles may be based on each other in a cycle, so the chain is bounded.
        for _ in 0..STYLE_CHAIN {
            let Some(style) = next.and_then(|number| self.styles.get(&number)) else {
                break;
            };
            let by_name = ParagraphStyle::from_name(style.name.trim());
            let localized = localized_heading(&style.name);
            let outline = by_name.outline.or(localized).or(style.outline);
            resolved.outline = resolved.outline.or(outline);
            resolved.is_contents |= by_name.is_contents;
            resolved.is_code |= by_name.is_code;
            next = style.based_on;
        }
        resolved
    }
}

/// Returns the level of a heading whose style has a name in the language of an editor.
pub fn localized_heading(name: &str) -> OutlineLevel {
    let name = name.trim().to_lowercase();
    let level = HEADING_NAMES.iter().find_map(|word| {
        let level = name.strip_prefix(word)?.trim().parse::<u8>().ok()?;
        (1..=9).contains(&level).then_some(level)
    });
    level.map_or(OutlineLevel::Unsaid, OutlineLevel::Heading)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_by_name_outline_and_base() {
        let mut styles = StyleSheet::default();
        for (number, outline, base, name) in [
            (0, OutlineLevel::Unsaid, None, "Normal;"),
            (1, OutlineLevel::Unsaid, Some(0), "heading 1;"),
            (2, OutlineLevel::Unsaid, Some(0), "Überschrift 2;"),
            (3, OutlineLevel::Heading(3), Some(0), "Chapter;"),
            (4, OutlineLevel::Unsaid, Some(1), "Mine;"),
            (5, OutlineLevel::BodyText, Some(1), "Text;"),
            (6, OutlineLevel::Unsaid, Some(7), "x;"),
            (7, OutlineLevel::Unsaid, Some(6), "y;"),
            (8, OutlineLevel::Unsaid, None, "제목 2;"),
            (9, OutlineLevel::Unsaid, None, "toc 1;"),
        ] {
            styles.begin();
            styles.set_number(Some(number));
            styles.set_outline(outline);
            styles.set_base(base);
            styles.push_name(name);
        }
        for (number, expected) in [
            (0, None),
            (1, Some(1)),
            (2, Some(2)),
            (3, Some(3)),
            (4, Some(1)),
            (5, None),
            (6, None),
            (8, Some(2)),
            (99, None),
        ] {
            let style = styles.resolve(Some(number));
            assert_eq!(style.outline.heading(), expected, "{number}");
        }
        assert!(styles.resolve(Some(9)).is_contents);
    }
}
