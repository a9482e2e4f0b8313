//! Detection of OpenDocument by its media type, or by the element of its body.

use crate::failure::{EarlyStop, Failure};
use crate::package::Package;
use crate::xml::{Xml, XmlEvent};
use crate::{Format, odf::OdfContent};

/// A format that is read, or the reason that it is not.
type DetectedFormat = Result<Format, Failure>;

/// The media types after their common beginning, without those of templates and of master
/// documents, which begin like them.
const MEDIA_TYPES: [(&str, DetectedFormat); 8] = [
    ("text", Ok(Format::Odt)),
    ("spreadsheet", Ok(Format::Ods)),
    ("presentation", Ok(Format::Odp)),
    ("graphics", unread("an OpenDocument drawing")),
    ("chart", unread("an OpenDocument chart")),
    ("formula", unread("an OpenDocument formula")),
    ("image", unread("an OpenDocument image")),
    ("base", unread("an OpenDocument database")),
];

const fn unread(name: &'static str) -> DetectedFormat {
    Err(Failure::Unsupported(name))
}

/// Returns the format of a package, or `None` if it is not an OpenDocument.
pub fn package_format(package: &mut Package<'_>) -> Result<Option<DetectedFormat>, EarlyStop> {
    // The part is one line without any element, which is text to a parser of XML.
    if let Some(mut part) = package.part("mimetype")?
        && let Ok(XmlEvent::Text(media_type)) = part.next()
    {
        return Ok(from_media_type(&media_type));
    }
    match package.part("content.xml")? {
        Some(part) => from_body(part, "document-content"),
        None => Ok(None),
    }
}

/// Returns the format of a single XML file, or `None` if it is not an OpenDocument.
pub fn flat_format(content: &[u8]) -> Option<DetectedFormat> {
    if !is_xml(content) {
        return None;
    }
    from_body(Xml::new(content), "document").ok().flatten()
}

/// Returns true if a file may be XML.
pub fn is_xml(content: &[u8]) -> bool {
    let content = content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content);
    content.trim_ascii_start().starts_with(b"<")
}

/// Returns the format of a media type, or `None` if it is not that of an OpenDocument.
fn from_media_type(media_type: &str) -> Option<DetectedFormat> {
    let kind = media_type
        .trim()
        .strip_prefix("application/vnd.oasis.opendocument.")?;
    let known = MEDIA_TYPES
        .iter()
        .find(|(begin, _)| kind.starts_with(begin));
    known.map(|(_, format)| *format)
}

/// Returns the format of XML with this root element, by its media type or the element of its body.
fn from_body<R: std::io::BufRead>(
    mut xml: Xml<R>,
    root: &str,
) -> Result<Option<DetectedFormat>, EarlyStop> {
    loop {
        let depth = xml.depth() + 1;
        let element = match xml.next()? {
            XmlEvent::Start(element) => element,
            XmlEvent::Eof => return Ok(None),
            _ => continue,
        };
        match depth {
            1 if element.name() != root => return Ok(None),
            1 => {
                let media_type = element.attribute("mimetype");
                let format = media_type.and_then(|name| from_media_type(&name));
                if format.is_some() {
                    return Ok(format);
                }
            }
            2 if element.name() != "body" => xml.skip()?,
            3 => return Ok(OdfContent::from_element(element.name()).map(Ok)),
            _ => {}
        }
    }
}

impl OdfContent {
    /// Returns the format of a document with this element in its body.
    fn from_element(name: &str) -> Option<Format> {
        [
            (Self::Text, Format::Odt),
            (Self::Spreadsheet, Format::Ods),
            (Self::Presentation, Format::Odp),
        ]
        .into_iter()
        .find(|(content, _)| content.element() == name)
        .map(|(_, format)| format)
    }
}
