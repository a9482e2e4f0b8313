//! Objects and controls among the words of a paragraph: notes, fields, equations, forms, pictures.

use std::io::BufRead;

use super::section::{HwpxElements, SectionReader};
use crate::failure::EarlyStop;
use crate::hangul::{
    HangulBlock, HangulParagraph, NumberingLevel, Placement, check_box, link_address, number_text,
    ruby,
};
use crate::xml::{Element, Xml, XmlEvent};

/// An object or a control.
pub enum HwpxObject {
    /// The begin of a field that is a link.
    Link,
    /// The begin of a memo.
    Memo,
    /// The begin of another field, whose words follow.
    Field,
    /// The end of a field.
    FieldEnd,
    /// A footnote or endnote.
    Note,
    /// A comment.
    Comment,
    /// A number that Hangul counts.
    AutoNumber { number: u32 },
    /// An equation.
    Equation,
    /// Words that the element itself holds: letters printed over each other.
    Words(String),
    /// Words with their reading.
    Ruby,
    /// Words drawn as a picture.
    TextArt(String),
    /// A check box or radio button.
    CheckBox { is_checked: bool, caption: String },
    /// A field to write in.
    Edit,
    /// A picture.
    Picture,
    /// An object of another program.
    Embedded,
}

impl HwpxObject {
    /// Returns the object that an element begins, if it is one.
    pub fn parse(element: &Element<'_>) -> Option<Self> {
        let attribute = |name: &str| element.attribute(name).unwrap_or_default();
        Some(match element.name() {
            "fieldBegin" => match attribute("type").as_str() {
                "HYPERLINK" => Self::Link,
                "MEMO" => Self::Memo,
                _ => Self::Field,
            },
            "fieldEnd" => Self::FieldEnd,
            "footNote" | "endNote" => Self::Note,
            "hiddenComment" => Self::Comment,
            // Numbers of notes are those of their references, and those of pages change.
            "autoNum" => match attribute("numType").as_str() {
                "PICTURE" | "TABLE" | "EQUATION" => Self::AutoNumber {
                    number: element.number("num").unwrap_or_default(),
                },
                _ => return None,
            },
            "equation" => Self::Equation,
            "compose" => Self::Words(attribute("composeText")),
            "dutmal" => Self::Ruby,
            "textart" => Self::TextArt(attribute("text")),
            "checkBtn" | "radioBtn" => Self::CheckBox {
                is_checked: attribute("value") == "CHECKED",
                caption: attribute("caption"),
            },
            "btn" => Self::Words(attribute("caption")),
            "comboBox" | "listBox" => Self::Words(attribute("selectedValue")),
            "edit" => Self::Edit,
            "pic" => Self::Picture,
            "ole" | "chart" | "video" => Self::Embedded,
            _ => return None,
        })
    }
}

impl SectionReader {
    /// Reads the object that began last.
    pub fn object<R: BufRead>(
        &mut self,
        object: HwpxObject,
        xml: &mut Xml<R>,
        paragraph: &mut HangulParagraph,
        open: &HwpxElements,
    ) -> Result<(), EarlyStop> {
        match object {
            HwpxObject::Link | HwpxObject::Memo | HwpxObject::Field | HwpxObject::FieldEnd => {
                return self.field(&object, xml, paragraph);
            }
            _ if open.is_deleted() => return xml.skip(),
            HwpxObject::Note => return self.note(xml, paragraph),
            HwpxObject::Comment => {
                self.document.omitted.comments += 1;
                return xml.skip();
            }
            // The captions of these follow as elements of their own.
            HwpxObject::Picture => {
                self.document.omitted.pictures += 1;
                self.is_picture_open = true;
            }
            HwpxObject::Embedded => self.document.omitted.objects += 1,
            HwpxObject::Equation => return self.equation(xml, paragraph),
            HwpxObject::AutoNumber { number } => {
                let words = auto_number(xml, number)?;
                self.document.push(paragraph, &words)?;
            }
            HwpxObject::Words(words) => self.document.push(paragraph, &words)?,
            HwpxObject::Ruby => {
                let words = ruby_text(xml)?;
                self.document.push(paragraph, &words)?;
            }
            HwpxObject::TextArt(words) => {
                self.document.charge(words.len())?;
                paragraph.place(vec![HangulBlock::Paragraph(words)], Placement::Beside);
            }
            HwpxObject::CheckBox {
                is_checked,
                caption,
            } => self
                .document
                .push(paragraph, &check_box(is_checked, &caption))?,
            HwpxObject::Edit => {
                let words = child_text(xml, "text")?;
                self.document.push(paragraph, &words)?;
            }
        }
        Ok(())
    }

    /// Reads the begin or end of a field. Fields that a tracked change deletes have both as well.
    fn field<R: BufRead>(
        &mut self,
        field: &HwpxObject,
        xml: &mut Xml<R>,
        paragraph: &mut HangulParagraph,
    ) -> Result<(), EarlyStop> {
        match field {
            HwpxObject::FieldEnd => {
                paragraph.end_field();
                return Ok(());
            }
            HwpxObject::Link => {
                let address = link_parameters(xml)?;
                paragraph.begin_field(address);
                return Ok(());
            }
            HwpxObject::Memo => self.document.omitted.comments += 1,
            _ => {}
        }
        paragraph.begin_field(None);
        xml.skip()
    }

    /// Reads the note that began last.
    fn note<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        paragraph: &mut HangulParagraph,
    ) -> Result<(), EarlyStop> {
        let number = self.document.begin_note()?;
        self.document.push(paragraph, &format!("[^{number}]"))?;
        let blocks = self.story(xml)?;
        self.document.set_note(number, &blocks);
        Ok(())
    }

    /// Reads the equation that began last, in its own notation.
    fn equation<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        paragraph: &mut HangulParagraph,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "script" => {
                    let script = xml.text()?;
                    self.document.push_equation(paragraph, &script)?;
                }
                "caption" => {
                    let blocks = self.story(xml)?;
                    paragraph.place(blocks, Placement::Beside);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Returns the address in the parameters of the link that began last.
fn link_parameters<R: BufRead>(xml: &mut Xml<R>) -> Result<Option<String>, EarlyStop> {
    let end = xml.depth() - 1;
    let (mut path, mut command) = (None, None);
    while xml.depth() > end {
        let XmlEvent::Start(element) = xml.next()? else {
            continue;
        };
        if element.name() != "stringParam" {
            continue;
        }
        match element.attribute("name").as_deref() {
            Some("Path") => path = Some(xml.text()?),
            Some("Command") => command = Some(xml.text()?),
            _ => {}
        }
    }
    // The path is the address alone, without escapes; some programs write only the command.
    let path = path.filter(|path| !path.trim().is_empty());
    Ok(match path {
        Some(path) if path.starts_with(['?', '#']) => None,
        Some(path) => Some(path.trim().to_owned()),
        None => command.and_then(|command| link_address(&command)),
    })
}

/// Returns the text of the number that began last.
fn auto_number<R: BufRead>(xml: &mut Xml<R>, number: u32) -> Result<String, EarlyStop> {
    let end = xml.depth() - 1;
    let mut text = number.to_string();
    while xml.depth() > end {
        if let XmlEvent::Start(element) = xml.next()?
            && element.name() == "autoNumFormat"
        {
            let form = element.attribute("type").unwrap_or_default();
            let before = element.attribute("prefixChar").unwrap_or_default();
            let after = element.attribute("suffixChar").unwrap_or_default();
            let number = number_text(number, NumberingLevel::form_code(&form));
            text = format!("{before}{number}{after}");
        }
    }
    Ok(text)
}

/// Returns the words that began last with their reading.
fn ruby_text<R: BufRead>(xml: &mut Xml<R>) -> Result<String, EarlyStop> {
    let end = xml.depth() - 1;
    let (mut base, mut reading) = (String::new(), String::new());
    while xml.depth() > end {
        let XmlEvent::Start(element) = xml.next()? else {
            continue;
        };
        match element.name() {
            "mainText" => base = xml.text()?,
            "subText" => reading = xml.text()?,
            _ => {}
        }
    }
    Ok(ruby(&base, &reading))
}

/// Returns the text of the children with this name of the element that began last.
fn child_text<R: BufRead>(xml: &mut Xml<R>, name: &str) -> Result<String, EarlyStop> {
    let end = xml.depth() - 1;
    let mut text = String::new();
    while xml.depth() > end {
        if let XmlEvent::Start(element) = xml.next()?
            && element.name() == name
        {
            text.push_str(&xml.text()?);
        }
    }
    Ok(text)
}
