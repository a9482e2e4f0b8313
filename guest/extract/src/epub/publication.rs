//! The package document of a book: its title, its parts and their order.

use std::collections::{HashMap, HashSet};

use crate::encoding::decode_page;
use crate::failure::{EarlyStop, Failure};
use crate::markdown::one_line;
use crate::package::{Package, resolve_part_name};
use crate::xml::{Element, Xml, XmlEvent};

/// Algorithms that only disguise fonts.
const FONT_ALGORITHMS: [&str; 2] = [
    "http://www.idpf.org/2008/embedding",
    "http://ns.adobe.com/pdf/enc#RC",
];

/// Names of the package document in books without a container.
const USUAL_NAMES: [&str; 4] = [
    "content.opf",
    "OEBPS/content.opf",
    "OPS/content.opf",
    "EPUB/package.opf",
];

/// A book without the text of its chapters.
#[derive(Debug, Default)]
pub struct Publication {
    pub title: String,
    /// Names of the chapters, in reading order.
    pub chapters: Vec<String>,
    /// Number of pages of the spine that are pictures.
    pub pictures: usize,
    /// Name of the navigation document, for books in EPUB 3.
    pub navigation: Option<String>,
    /// Name of the NCX, for books in EPUB 2.
    pub ncx: Option<String>,
}

/// A part that the package document lists.
struct ManifestItem {
    name: String,
    media_type: String,
}

/// The package document while it is read.
struct PackageDocument<'d> {
    directory: &'d str,
    book: Publication,
    items: HashMap<String, ManifestItem>,
    /// Ids of the chapters, in order.
    spine: Vec<String>,
    /// Id of the NCX.
    ncx: Option<String>,
}

impl Publication {
    /// Reads the package document of a book.
    pub fn read(package: &mut Package<'_>) -> Result<Self, EarlyStop> {
        const MALFORMED: EarlyStop = EarlyStop::Failed(Failure::Malformed);
        let mut found = None;
        for name in package_document_names(package)? {
            if let Some(bytes) = package.bytes(&name)? {
                found = Some((name, bytes));
                break;
            }
        }
        let (name, bytes) = found.ok_or(MALFORMED)?;
        let (directory, _) = name.rsplit_once('/').unwrap_or(("", &name));
        let mut document = PackageDocument {
            directory,
            book: Self::default(),
            items: HashMap::new(),
            spine: Vec::new(),
            ncx: None,
        };
        let text = decode_page(&bytes);
        let mut xml = Xml::new(text.as_bytes()).allow_document_type();
        loop {
            match xml.next()? {
                XmlEvent::Start(element) if element.name() == "title" => {
                    let title = one_line(&xml.text()?);
                    if document.book.title.is_empty() {
                        document.book.title = title;
                    }
                }
                XmlEvent::Start(element) => document.add(&element),
                XmlEvent::Eof => break,
                XmlEvent::End | XmlEvent::Text(_) | XmlEvent::Nothing => {}
            }
        }
        if document.spine.is_empty() {
            return Err(MALFORMED);
        }
        Ok(document.finish())
    }
}

impl PackageDocument<'_> {
    /// Adds the part or chapter that an element names.
    fn add(&mut self, element: &Element<'_>) {
        match element.name() {
            "item" => {
                if let (Some(id), Some(address)) =
                    (element.attribute("id"), element.attribute("href"))
                {
                    let name = part_name(self.directory, &address);
                    let properties = element.attribute("properties").unwrap_or_default();
                    if properties
                        .split_whitespace()
                        .any(|property| property == "nav")
                    {
                        self.book.navigation = Some(name.clone());
                    }
                    let media_type = element.attribute("media-type").unwrap_or_default();
                    if media_type == "application/x-dtbncx+xml" {
                        self.book.ncx = Some(name.clone());
                    }
                    self.items
                        .entry(id)
                        .or_insert(ManifestItem { name, media_type });
                }
            }
            "spine" => self.ncx = element.attribute("toc"),
            "itemref" => self.spine.extend(element.attribute("idref")),
            _ => {}
        }
    }

    /// Returns the book with the names of its chapters.
    fn finish(mut self) -> Publication {
        for id in &self.spine {
            let Some(item) = self.items.get(id) else {
                continue;
            };
            let is_drawing = item.media_type == "image/svg+xml";
            if item.media_type.starts_with("image/") && !is_drawing {
                self.book.pictures += 1;
            } else {
                self.book.chapters.push(item.name.clone());
            }
        }
        let named = self.ncx.and_then(|id| self.items.remove(&id));
        if let Some(item) = named {
            self.book.ncx = Some(item.name);
        }
        self.book
    }
}

/// Returns the names that the package document may have: those that the container gives first.
fn package_document_names(package: &mut Package<'_>) -> Result<Vec<String>, EarlyStop> {
    let mut names = Vec::new();
    if let Some(bytes) = package.bytes("META-INF/container.xml")? {
        let text = decode_page(&bytes);
        Xml::new(text.as_bytes())
            .allow_document_type()
            .each(|_, element| {
                if element.name() == "rootfile"
                    && names.is_empty()
                    && let Some(path) = element.attribute("full-path")
                {
                    names.push(part_name("", &path));
                    // Some programs write it as a file name and not as a URL.
                    names.push(path);
                }
                Ok(())
            })?;
    }
    names.extend(USUAL_NAMES.map(str::to_owned));
    Ok(names)
}

/// Returns the names of the parts that are encrypted. Fonts that are only disguised are none.
pub fn encrypted_parts(package: &mut Package<'_>) -> Result<HashSet<String>, EarlyStop> {
    let mut parts = HashSet::new();
    let Some(bytes) = package.bytes("META-INF/encryption.xml")? else {
        return Ok(parts);
    };
    let text = decode_page(&bytes);
    let mut is_font = false;
    Xml::new(text.as_bytes())
        .allow_document_type()
        .each(|_, element| {
            match element.name() {
                "EncryptedData" => is_font = false,
                "EncryptionMethod" => {
                    let algorithm = element.attribute("Algorithm").unwrap_or_default();
                    is_font |= FONT_ALGORITHMS.contains(&algorithm.as_str());
                }
                "CipherReference" if !is_font => {
                    let address = element.attribute("URI");
                    parts.extend(address.map(|address| part_name("", &address)));
                }
                _ => {}
            }
            Ok(())
        })?;
    Ok(parts)
}

/// Returns the name of the part at an address relative to `directory`, without its fragment.
pub fn part_name(directory: &str, address: &str) -> String {
    let path = address.split(['#', '?']).next().unwrap_or_default();
    resolve_part_name(directory, &percent_decoded(path.trim()))
}

/// Decodes the bytes that a URL gives as `%20`.
fn percent_decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let digits = behind.first_chunk::<2>().filter(|_| byte == b'%');
        let digit = |byte: u8| {
            char::from(byte)
                .to_digit(16)
                .and_then(|d| u8::try_from(d).ok())
        };
        match digits.and_then(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &behind[2..];
            }
            None => {
                bytes.push(byte);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts() {
        for (directory, address, expected) in [
            ("OPS", "a.xhtml#b", "OPS/a.xhtml"),
            ("OPS/x", "../%EA%B0%80%20b.xhtml?c", "OPS/가 b.xhtml"),
            ("", "100%.xhtml", "100%.xhtml"),
            ("", "%4", "%4"),
        ] {
            assert_eq!(part_name(directory, address), expected);
        }
    }
}
