//! Paragraph styles, as far as they determine the structure of a document.

use std::collections::BTreeMap;
use std::io::BufRead;

use crate::failure::EarlyStop;
use crate::limits::STYLE_CHAIN;
use crate::xml::{Element, Xml, XmlEvent};

/// The paragraph styles by id.
#[derive(Debug, Default)]
pub struct Styles(BTreeMap<String, ParagraphStyle>);

/// A paragraph style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParagraphStyle {
    /// Outline level of its paragraphs.
    pub outline: OutlineLevel,
    /// True for a line in the table of contents, which repeats the headings.
    pub is_contents: bool,
    /// True for a line of code.
    pub is_code: bool,
    /// List that its paragraphs belong to.
    pub list: ListPlace,
    based_on: Option<String>,
}

/// The outline level of a paragraph or a style.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutlineLevel {
    /// Not specified: the base style decides.
    #[default]
    Unsaid,
    /// Not a heading.
    BodyText,
    /// A heading of this level, from 1.
    Heading(u8),
}

/// A position in a list, as far as a paragraph or a style specifies it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListPlace {
    /// Id of the list.
    pub id: Option<String>,
    /// Level in the list, from 0.
    pub level: Option<usize>,
}

impl OutlineLevel {
    /// Parses `outlineLvl`: 0 to 8 are headings, 9 is body text.
    pub fn parse(element: &Element<'_>) -> Self {
        match element.number::<u8>("val") {
            Some(level @ 0..9) => Self::Heading(level + 1),
            Some(_) => Self::BodyText,
            None => Self::Unsaid,
        }
    }

    /// Returns this level, or the other one if this is not specified.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match self {
            Self::Unsaid => other,
            Self::BodyText | Self::Heading(_) => self,
        }
    }

    /// Returns the level of a heading, from 1.
    pub fn heading(self) -> Option<u8> {
        match self {
            Self::Heading(level) => Some(level),
            Self::Unsaid | Self::BodyText => None,
        }
    }
}

impl ListPlace {
    /// Returns this position, completed by the other one.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            id: self.id.or(other.id),
            level: self.level.or(other.level),
        }
    }
}

impl Styles {
    /// Reads the part of the styles.
    pub fn read<R: BufRead>(mut xml: Xml<R>) -> Result<Self, EarlyStop> {
        let mut all = BTreeMap::new();
        loop {
            match xml.next()? {
                XmlEvent::Start(element) if element.name() == "style" => {
                    let id = element.attribute("styleId");
                    let style = ParagraphStyle::read(&mut xml)?;
                    if let Some(id) = id {
                        all.insert(id, style);
                    }
                }
                XmlEvent::Eof => return Ok(Self(all)),
                _ => {}
            }
        }
    }

    /// Returns the style with this id, with the properties inherited from its base styles. An
    /// undefined id is taken for the name of a style.
    pub fn resolve(&self, id: Option<&str>) -> ParagraphStyle {
        let Some(id) = id else {
            return ParagraphStyle::default();
        };
        let Some(mut style) = self.0.get(id).cloned() else {
            return ParagraphStyle::from_name(id);
        };
        let mut next = style.based_on.clone();
        // Styles may be based on each other in a cycle: `A` on `B` and `B` on `A`. The chain is
        // therefore bounded, not checked for repetitions.
        for _ in 0..STYLE_CHAIN {
            let Some(above) = next.and_then(|id| self.0.get(&id)) else {
                break;
            };
            style.outline = style.outline.or(above.outline);
            style.is_contents |= above.is_contents;
            style.is_code |= above.is_code;
            style.list = style.list.or(above.list.clone());
            next = above.based_on.clone();
        }
        style
    }
}

impl ParagraphStyle {
    /// Reads the style that began last.
    fn read<R: BufRead>(xml: &mut Xml<R>) -> Result<Self, EarlyStop> {
        let end = xml.depth() - 1;
        let (mut style, mut outline) = (Self::default(), OutlineLevel::Unsaid);
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            let value = element.attribute("val");
            match element.name() {
                "name" => {
                    let by_name = Self::from_name(&value.unwrap_or_default());
                    (style.outline, style.is_contents) = (by_name.outline, by_name.is_contents);
                    style.is_code = by_name.is_code;
                }
                "basedOn" => style.based_on = value,
                "outlineLvl" => outline = OutlineLevel::parse(&element),
                "numId" => style.list.id = value,
                "ilvl" => style.list.level = element.number("val"),
                _ => {}
            }
        }
        // `Heading 1` is a heading of level 1, whatever outline level the document gives to
        // that style.
        style.outline = style.outline.or(outline);
        Ok(style)
    }

    /// Returns the style of a built-in name: those of headings are the same in every language.
    pub fn from_name(name: &str) -> Self {
        // The name is `heading 1` in the part of the styles, `Heading1` as an id, and
        // `heading-1` in documents made by converters.
        let name = name.to_ascii_lowercase().replace([' ', '-', '_'], "");
        let level = |prefix: &str| {
            let number = name.strip_prefix(prefix)?;
            number.parse::<u8>().ok().filter(|n| (1..=9).contains(n))
        };
        let heading = match name.as_str() {
            "title" => Some(1),
            // Korean programs other than Word write the name in the form in which they show it: `제목
            // 1`.
            _ => level("heading").or_else(|| level("제목")),
        };
        // Examples are `Code`, `Code Single`, `Source Code` and `HTML Preformatted`. The
        // caption of a listing is not code.
        let is_of_code = [
            "code",
            "sourcecode",
            "htmlpreformatted",
            "preformatted",
            "verbatim",
        ]
        .iter()
        .any(|begin| name.starts_with(begin));
        let is_beside = ["caption", "title", "label", "heading"]
            .iter()
            .any(|word| name.contains(word));
        Self {
            outline: heading.map_or(OutlineLevel::Unsaid, OutlineLevel::Heading),
            is_contents: level("toc").is_some(),
            is_code: is_of_code && !is_beside,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(part: &str) -> Styles {
        Styles::read(Xml::new(part.as_bytes())).unwrap_or_default()
    }

    #[test]
    fn headings_by_name_outline_and_base() {
        let styles = read(
            r#"<styles>
            <style styleId="a"><name val="heading 2"/></style>
            <style styleId="b"><name val="Mine"/><basedOn val="a"/></style>
            <style styleId="c"><name val="Chapter"/><pPr><outlineLvl val="0"/></pPr></style>
            <style styleId="d"><name val="Text"/><basedOn val="a"/><pPr><outlineLvl val="9"/></pPr></style>
            <style styleId="e"><name val="toc 3"/></style>
            <style styleId="x"><basedOn val="y"/></style><style styleId="y"><basedOn val="x"/></style>
            <style styleId="l"><name val="List"/><pPr><numPr><ilvl val="1"/><numId val="7"/></numPr></pPr></style>
            <style styleId="m"><basedOn val="l"/></style>
            </styles>"#,
        );
        for (id, heading) in [
            ("a", Some(2)),
            ("b", Some(2)),
            ("c", Some(1)),
            ("d", None),
            ("e", None),
            ("x", None),
            ("Heading3", Some(3)),
            ("Title", Some(1)),
            ("제목 1", Some(1)),
            ("Headings", None),
        ] {
            assert_eq!(styles.resolve(Some(id)).outline.heading(), heading, "{id}");
        }
        assert!(styles.resolve(Some("e")).is_contents);
        for (name, is_code) in [
            ("Code", true),
            ("CodeSingle", true),
            ("Source Code", true),
            ("HTML Preformatted", true),
            ("Code Caption", false),
            ("Encoder", false),
        ] {
            assert_eq!(styles.resolve(Some(name)).is_code, is_code, "{name}");
        }
        let list = ListPlace {
            id: Some("7".to_owned()),
            level: Some(1),
        };
        assert_eq!(styles.resolve(Some("m")).list, list);
        assert_eq!(styles.resolve(None), ParagraphStyle::default());
    }
}
