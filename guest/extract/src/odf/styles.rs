//! Styles, as far as they determine the structure of a document or hide a part of it.

use std::collections::BTreeMap;
use std::io::BufRead;

use super::numbering::OdfListStyle;
use crate::docx::styles::{OutlineLevel, ParagraphStyle};
use crate::failure::EarlyStop;
use crate::limits::{ODF_NAME_BYTES, ODF_STYLES, STYLE_CHAIN};
use crate::xml::{Element, Xml, XmlEvent};

/// The styles of a document.
#[derive(Debug, Default)]
pub struct OdfStyles {
    styles: BTreeMap<(StyleFamily, String), OdfStyle>,
    lists: BTreeMap<String, OdfListStyle>,
    /// Numbering of the headings.
    pub outline: OdfListStyle,
}

/// The family of a style. Each family has its own names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StyleFamily {
    /// Of paragraphs.
    Paragraph,
    /// Of words.
    Text,
    /// Of tables and sheets.
    Table,
    /// Of slides.
    Page,
}

/// The origin of a style.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StyleOrigin {
    /// The styles that the author knows by their names.
    #[default]
    Common,
    /// Formatting without a name.
    Automatic,
}

/// A style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OdfStyle {
    /// Outline level of its paragraphs.
    pub outline: OutlineLevel,
    /// True for the title of the document.
    pub is_title: bool,
    /// True for a line in the table of contents, which repeats the headings.
    pub is_contents: bool,
    /// True for a line of code.
    pub is_code: bool,
    /// Name of the list style of its paragraphs; empty for none.
    pub list: Option<String>,
    /// True if its paragraphs show no label in a list.
    pub is_unnumbered: bool,
    /// True if what it formats is hidden.
    pub is_hidden: bool,
    /// True if its text is a superscript.
    pub is_raised: bool,
    origin: StyleOrigin,
    parent: Option<String>,
}

impl StyleFamily {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "paragraph" => Self::Paragraph,
            "text" => Self::Text,
            "table" => Self::Table,
            "drawing-page" => Self::Page,
            _ => return None,
        })
    }
}

impl OdfStyles {
    /// Reads the styles in the element that began last.
    pub fn read<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        origin: StyleOrigin,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "style" => {
                    let family = element.attribute("family");
                    let family = family.and_then(|name| StyleFamily::from_name(&name));
                    let name = short_attribute(&element, "name");
                    match (family, name) {
                        (Some(family), Some(name)) if self.styles.len() < ODF_STYLES => {
                            let mut style = OdfStyle::new(&element, &name, origin);
                            style.read_properties(xml)?;
                            self.styles.insert((family, name), style);
                        }
                        _ => xml.skip()?,
                    }
                }
                "list-style" => {
                    let name = short_attribute(&element, "name").unwrap_or_default();
                    let style = OdfListStyle::read(xml)?;
                    if self.lists.len() < ODF_STYLES {
                        self.lists.insert(name, style);
                    }
                }
                "outline-style" => self.outline = OdfListStyle::read(xml)?,
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    /// Returns the list style of this name.
    pub fn list(&self, name: &str) -> Option<&OdfListStyle> {
        self.lists.get(name)
    }

    /// Returns the style of this name, with the properties inherited from its parents. An undefined
    /// paragraph style is known by its name alone.
    pub fn resolve(&self, family: StyleFamily, name: Option<String>) -> OdfStyle {
        let Some(name) = name else {
            return OdfStyle::default();
        };
        let key = (family, name);
        let Some(mut style) = self.styles.get(&key).cloned() else {
            return match family {
                StyleFamily::Paragraph => OdfStyle::from_name(&decode(&key.1)),
                StyleFamily::Text | StyleFamily::Table | StyleFamily::Page => OdfStyle::default(),
            };
        };
        let mut origin = style.origin;
        let mut next = style.parent.take();
        // Styles may be based on each other in a cycle, so the chain is bounded.
        for _ in 0..STYLE_CHAIN {
            let Some(name) = next else { break };
            let named;
            let key = (family, name);
            let above = match self.styles.get(&key) {
                Some(above) => above,
                None => {
                    named = OdfStyle::from_name(&decode(&key.1));
                    &named
                }
            };
            style.outline = style.outline.or(above.outline);
            // A subtitle is based on the title, and is none.
            style.is_title |= origin == StyleOrigin::Automatic && above.is_title;
            style.is_contents |= above.is_contents;
            style.is_code |= above.is_code;
            style.is_unnumbered |= above.is_unnumbered;
            style.is_hidden |= above.is_hidden;
            style.is_raised |= above.is_raised;
            style.list = style.list.or_else(|| above.list.clone());
            origin = above.origin;
            next = above.parent.clone();
        }
        style
    }
}

impl OdfStyle {
    /// Creates a style from its attributes.
    fn new(element: &Element<'_>, name: &str, origin: StyleOrigin) -> Self {
        let parent = short_attribute(element, "parent-style-name");
        // The names of automatic styles are of no meaning, unless a program has only those.
        let mut style = if origin == StyleOrigin::Common || parent.is_none() {
            let shown = element.attribute("display-name");
            Self::from_name(&shown.unwrap_or_else(|| decode(name)))
        } else {
            Self::default()
        };
        match element.attribute("default-outline-level").as_deref() {
            None => {}
            Some("") => style.outline = OutlineLevel::BodyText,
            Some(level) => {
                if let Ok(level @ 1..) = level.trim().parse() {
                    style.outline = OutlineLevel::Heading(level);
                }
            }
        }
        style.list = short_attribute(element, "list-style-name");
        style.origin = origin;
        style.parent = parent;
        style
    }

    /// Returns the style that a built-in name stands for.
    fn from_name(name: &str) -> Self {
        let ParagraphStyle {
            outline,
            is_contents,
            is_code,
            ..
        } = ParagraphStyle::from_name(name);
        let is_title = name.eq_ignore_ascii_case("title");
        Self {
            outline: if is_title {
                OutlineLevel::Unsaid
            } else {
                outline
            },
            is_title,
            is_contents,
            is_code,
            ..Self::default()
        }
    }

    /// Reads the properties in the element of the style, which began last.
    fn read_properties<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "text-properties" => {
                    self.is_hidden |= element.attribute("display").as_deref() == Some("none");
                    let position = element.attribute("text-position").unwrap_or_default();
                    // `super 58%`, or the height of the baseline: `33% 58%`.
                    self.is_raised |= position.starts_with("super")
                        || position.starts_with(|c| matches!(c, '1'..='9'));
                }
                "paragraph-properties" => {
                    let numbering = element.attribute("enable-numbering");
                    self.is_unnumbered |= numbering.as_deref() == Some("false");
                }
                "table-properties" => {
                    self.is_hidden |= element.attribute("display").as_deref() == Some("false");
                }
                "drawing-page-properties" => {
                    self.is_hidden |= element.attribute("visibility").as_deref() == Some("hidden");
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Returns an attribute with a name, unless it is longer than any name is.
pub fn short_attribute(element: &Element<'_>, name: &str) -> Option<String> {
    let value = element.attribute(name)?;
    (value.len() <= ODF_NAME_BYTES).then_some(value)
}

/// Decodes the name of a style: `Heading_20_1` is `Heading 1`.
fn decode(name: &str) -> String {
    let mut decoded = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('_') {
        decoded.push_str(before);
        let code = after.split_once('_').and_then(|(code, after)| {
            let is_code = (1..=4).contains(&code.len());
            let c = u32::from_str_radix(code, 16).ok().filter(|_| is_code)?;
            Some((char::from_u32(c)?, after))
        });
        match code {
            Some((c, after)) => {
                decoded.push(c);
                rest = after;
            }
            None => {
                decoded.push('_');
                rest = after;
            }
        }
    }
    decoded.push_str(rest);
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(part: &str, origin: StyleOrigin) -> OdfStyles {
        let mut styles = OdfStyles::default();
        let mut xml = Xml::new(part.as_bytes());
        assert!(matches!(xml.next(), Ok(XmlEvent::Start(_))));
        assert_eq!(styles.read(&mut xml, origin), Ok(()));
        styles
    }

    #[test]
    fn names_of_styles() {
        for (name, expected) in [
            ("Heading_20_1", "Heading 1"),
            ("_ac00_", "가"),
            ("a_b", "a_b"),
            ("a_20", "a_20"),
            ("__", "__"),
            ("_123456_", "_123456_"),
            ("", ""),
        ] {
            assert_eq!(decode(name), expected);
        }
    }

    #[test]
    fn headings_by_level_name_and_parent() {
        let styles = read(
            r#"<styles>
            <style name="Heading_20_1" display-name="Heading 1" family="paragraph" default-outline-level="1"/>
            <style name="Mine" family="paragraph" parent-style-name="Heading_20_1"/>
            <style name="Body" family="paragraph" parent-style-name="Mine" default-outline-level=""/>
            <style name="Title" family="paragraph"/>
            <style name="Subtitle" family="paragraph" parent-style-name="Title"/>
            <style name="x" family="paragraph" parent-style-name="y"/>
            <style name="y" family="paragraph" parent-style-name="x"/>
            </styles>"#,
            StyleOrigin::Common,
        );
        let resolve = |name: &str| styles.resolve(StyleFamily::Paragraph, Some(name.to_owned()));
        for (name, heading) in [
            ("Heading_20_1", Some(1)),
            ("Mine", Some(1)),
            ("Body", None),
            ("x", None),
            ("Heading_20_3", Some(3)),
            ("Heading", None),
        ] {
            assert_eq!(resolve(name).outline.heading(), heading, "{name}");
        }
        assert!(resolve("Title").is_title);
        assert!(!resolve("Subtitle").is_title);
    }

    #[test]
    fn hidden_and_raised() {
        let styles = read(
            r#"<automatic-styles>
            <style name="T1" family="text"><text-properties display="none"/></style>
            <style name="T2" family="text"><text-properties text-position="super 58%"/></style>
            <style name="T3" family="text"><text-properties text-position="-33% 58%"/></style>
            <style name="T1" family="table"><table-properties display="false"/></style>
            </automatic-styles>"#,
            StyleOrigin::Automatic,
        );
        let resolve = |family, name: &str| styles.resolve(family, Some(name.to_owned()));
        assert!(resolve(StyleFamily::Text, "T1").is_hidden);
        assert!(resolve(StyleFamily::Text, "T2").is_raised);
        assert!(!resolve(StyleFamily::Text, "T3").is_raised);
        assert!(resolve(StyleFamily::Table, "T1").is_hidden);
        assert!(!resolve(StyleFamily::Table, "T2").is_hidden);
    }
}
