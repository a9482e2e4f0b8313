//! The stylesheet, as far as it determines the structure of a document.

use super::fib::{DocTable, Fib, WordFormat};
use super::properties::{CharacterProperties, DocListPlace, ParagraphProperties};
use super::sprm::Sprms;
use crate::docx::styles::{OutlineLevel, ParagraphStyle};
use crate::limits::{DOC_STYLES, STYLE_CHAIN};
use crate::ole::u16_at;
use crate::rtf::styles::localized_heading;

/// Numbers of built-in styles: headings, lines of the table of contents, the title.
const FIRST_HEADING: u16 = 1;
const LAST_HEADING: u16 = 9;
const FIRST_CONTENTS: u16 = 19;
const LAST_CONTENTS: u16 = 27;
const TITLE: u16 = 62;

/// The kinds of styles.
const OF_PARAGRAPHS: u16 = 1;
const OF_CHARACTERS: u16 = 2;

/// Maximum bytes of a style's name that are examined.
const NAME_BYTES: usize = 128;

/// A style.
#[derive(Clone, Copy, Debug, Default)]
pub struct DocStyle {
    /// Outline level of its paragraphs.
    pub outline: OutlineLevel,
    /// True for a line in the table of contents, which repeats the headings.
    pub is_contents: bool,
    /// True for a line of code.
    pub is_code: bool,
    /// List that its paragraphs belong to.
    pub list: DocListPlace,
    /// Properties of its characters.
    pub characters: CharacterProperties,
    based_on: usize,
}

/// The styles by number.
#[derive(Debug, Default)]
pub struct DocStyles(Vec<DocStyle>);

impl DocStyles {
    /// Reads the styles from the stream of the tables.
    pub fn read(fib: &Fib, tables: &[u8]) -> Self {
        let range = fib.table(DocTable::STYLES);
        let sheet = tables.get(range.start..range.end.min(tables.len()));
        let sheet = sheet.unwrap_or_default();
        let count = usize::from(u16_at(sheet, 2)).min(DOC_STYLES);
        let base_bytes = usize::from(u16_at(sheet, 4));
        let mut rest = sheet
            .get(2 + usize::from(u16_at(sheet, 0))..)
            .unwrap_or_default();
        let mut own = Vec::new();
        while own.len() < count && rest.len() >= 2 {
            let length = usize::from(u16_at(rest, 0));
            let style = &rest[2..rest.len().min(2 + length)];
            own.push(DocStyle::read(style, base_bytes, fib.format));
            rest = rest.get(2 + length..).unwrap_or_default();
        }
        Self(
            (0..own.len())
                .map(|number| inherit_properties(&own, number))
                .collect(),
        )
    }

    /// Returns the style with this number.
    pub fn get(&self, number: u16) -> DocStyle {
        let style = self.0.get(usize::from(number));
        style.copied().unwrap_or_default()
    }
}

/// Returns a style with the properties inherited from its base styles.
fn inherit_properties(own: &[DocStyle], number: usize) -> DocStyle {
    let mut style = own.get(number).copied().unwrap_or_default();
    let mut next = style.based_on;
    // Styles may be based on each other in a cycle, so the chain is bounded.
    for _ in 0..STYLE_CHAIN {
        let Some(base) = own.get(next) else { break };
        style.outline = style.outline.or(base.outline);
        style.is_contents |= base.is_contents;
        style.is_code |= base.is_code;
        style.list = style.list.or(base.list);
        style.characters = style.characters.or(base.characters);
        next = base.based_on;
    }
    style
}

impl DocStyle {
    /// Reads a style, whose name follows `base_bytes` of numbers, and then its properties.
    fn read(style: &[u8], base_bytes: usize, format: WordFormat) -> Self {
        let identifier = u16_at(style, 0) & 0xFFF;
        let kind = u16_at(style, 2) & 0xF;
        let mut read = Self {
            based_on: usize::from(u16_at(style, 2) >> 4),
            ..Self::default()
        };
        if !matches!(kind, OF_PARAGRAPHS | OF_CHARACTERS) {
            return read;
        }
        let (name, mut at) = name(style, base_bytes, format);
        let mut next = || {
            let start = at + 2;
            let end = start + usize::from(u16_at(style, at));
            at = end.next_multiple_of(2);
            style.get(start..end.min(style.len())).unwrap_or_default()
        };
        if kind == OF_PARAGRAPHS {
            // The properties are preceded by the number of the style.
            let changes = next().get(2..).unwrap_or_default();
            let mut paragraph = ParagraphProperties::default();
            paragraph.apply(Sprms::new(changes, format));
            (read.outline, read.list) = (paragraph.outline, paragraph.list);
            read.set_purpose(identifier, &name);
        }
        read.characters.apply(Sprms::new(next(), format));
        read
    }

    /// Sets the purpose of a style of paragraphs. `Heading 1` is a heading of level 1, whatever
    /// outline level the document gives to that style.
    fn set_purpose(&mut self, identifier: u16, name: &str) {
        let by_name = ParagraphStyle::from_name(name);
        let outline = match identifier {
            FIRST_HEADING..=LAST_HEADING => OutlineLevel::Heading(identifier.to_le_bytes()[0]),
            TITLE => OutlineLevel::Heading(1),
            _ => by_name.outline.or(localized_heading(name)),
        };
        self.outline = outline.or(self.outline);
        let is_contents = (FIRST_CONTENTS..=LAST_CONTENTS).contains(&identifier);
        self.is_contents = is_contents || by_name.is_contents;
        self.is_code = by_name.is_code;
    }
}

/// Returns the name of a style without its aliases, and the offset of what follows.
fn name(style: &[u8], at: usize, format: WordFormat) -> (String, usize) {
    let (name, end) = match format {
        WordFormat::Word97 => {
            let start = at + 2;
            let end = start + 2 * usize::from(u16_at(style, at));
            let bytes = style.get(start..end.min(start + NAME_BYTES));
            let (name, _) =
                encoding_rs::UTF_16LE.decode_without_bom_handling(bytes.unwrap_or_default());
            (name.into_owned(), end + 2)
        }
        WordFormat::Word6 => {
            let start = at + 1;
            let end = start + style.get(at).copied().map_or(0, usize::from);
            let bytes = style.get(start..end).unwrap_or_default();
            (String::from_utf8_lossy(bytes).into_owned(), end + 1)
        }
    };
    let (first, _) = name.split_once(',').unwrap_or((&name, ""));
    (first.trim().to_owned(), end.next_multiple_of(2))
}
