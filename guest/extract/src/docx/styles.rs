//! What the styles of a document say of its structure.

use std::collections::BTreeMap;
use std::io::BufRead;

use crate::Stop;
use crate::limits::STYLE_CHAIN;
use crate::xml::{Node, Xml};

/// The styles of paragraphs by their ids.
#[derive(Debug, Default)]
pub struct Styles(BTreeMap<String, Style>);

/// A style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// The level of a heading, from 1 on.
    pub heading: Option<u8>,
    /// Whether it is of a line in the table of contents, which repeats the headings.
    pub is_contents: bool,
    /// The id of a list, and a level in it.
    pub list: (Option<String>, Option<usize>),
    based_on: Option<String>,
    /// Whether it says itself that it is no heading.
    is_body: bool,
}

impl Styles {
    /// Reads the part that holds them.
    pub fn read<R: BufRead>(mut xml: Xml<R>) -> Result<Self, Stop> {
        let mut all = BTreeMap::new();
        loop {
            match xml.next()? {
                Node::Start(element) if element.name() == "style" => {
                    let id = element.attribute("styleId");
                    let style = Style::read(&mut xml)?;
                    if let Some(id) = id {
                        all.insert(id, style);
                    }
                }
                Node::Eof => return Ok(Self(all)),
                _ => {}
            }
        }
    }

    /// Returns the style of this id with what it takes over from those that it is based on. Where
    /// it is not defined, its id is taken for its name.
    pub fn of(&self, id: Option<&str>) -> Style {
        let Some(id) = id else {
            return Style::default();
        };
        let Some(mut style) = self.0.get(id).cloned() else {
            return Style::named(id);
        };
        let mut next = style.based_on.clone();
        for _ in 0..STYLE_CHAIN {
            let Some(above) = next.and_then(|id| self.0.get(&id)) else {
                break;
            };
            if !style.is_body {
                style.heading = style.heading.or(above.heading);
                style.is_body = above.is_body;
            }
            style.is_contents |= above.is_contents;
            style.list.0 = style.list.0.or_else(|| above.list.0.clone());
            style.list.1 = style.list.1.or(above.list.1);
            next = above.based_on.clone();
        }
        style
    }
}

impl Style {
    fn read<R: BufRead>(xml: &mut Xml<R>) -> Result<Self, Stop> {
        let end = xml.depth() - 1;
        let (mut style, mut outline) = (Self::default(), None);
        while xml.depth() > end {
            let Node::Start(element) = xml.next()? else {
                continue;
            };
            let value = element.attribute("val");
            match element.name() {
                "name" => {
                    let named = Self::named(&value.unwrap_or_default());
                    (style.heading, style.is_contents) = (named.heading, named.is_contents);
                }
                "basedOn" => style.based_on = value,
                "outlineLvl" => outline = element.number::<u8>("val"),
                "numId" => style.list.0 = value,
                "ilvl" => style.list.1 = element.number("val"),
                _ => {}
            }
        }
        match outline {
            Some(level @ 0..9) => style.heading = style.heading.or(Some(level + 1)),
            Some(_) => style.is_body = style.heading.is_none(),
            None => {}
        }
        Ok(style)
    }

    /// Returns what a name says: those of headings are the same in every language.
    fn named(name: &str) -> Self {
        let name = name.to_ascii_lowercase().replace([' ', '-', '_'], "");
        let level = |prefix: &str| {
            let number = name.strip_prefix(prefix)?;
            number.parse::<u8>().ok().filter(|n| (1..=9).contains(n))
        };
        let heading = match name.as_str() {
            "title" => Some(1),
            _ => level("heading").or_else(|| level("제목")),
        };
        Self {
            heading,
            is_contents: level("toc").is_some(),
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
            assert_eq!(styles.of(Some(id)).heading, heading, "{id}");
        }
        assert!(styles.of(Some("e")).is_contents);
        assert_eq!(styles.of(Some("m")).list, (Some("7".to_owned()), Some(1)));
        assert_eq!(styles.of(None), Style::default());
    }
}
