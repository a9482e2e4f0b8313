//! Documents of Hangul in XML (hwpx, OWPML): paragraphs with shapes, lists, tables, notes.

mod header;
mod object;
mod section;
mod table;

use std::collections::BTreeMap;

use crate::failure::{EarlyStop, Failure};
use crate::hangul::HangulDocument;
use crate::limits::{Limits, PICTURE_MARKS};
use crate::markdown::Markdown;
use crate::package::Package;
use crate::pictures::PictureNames;
use crate::salvage::read_package;
use crate::xml::XmlEvent;
use section::SectionReader;

/// The directory of the sections.
const DIRECTORY: &str = "Contents/";

/// The part that lists the others.
const MANIFEST: &str = "Contents/content.hpf";

/// The part of shapes, styles and lists.
const HEADER: &str = "Contents/header.xml";

/// The part that says how others are encrypted.
const ENCRYPTION: &str = "META-INF/manifest.xml";

/// Adds the text of a document to `text`.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: &[u8], limits: &Limits, text: &mut Markdown) -> Result<(), EarlyStop> {
    read_package(content, limits, text, read_sections)
}

/// Adds the sections of a package to `text`.
fn read_sections(mut package: Package<'_>, text: &mut Markdown) -> Result<(), EarlyStop> {
    if is_encrypted(&mut package)? {
        return Err(EarlyStop::Failed(Failure::Encrypted));
    }
    let mut document = HangulDocument::new(text);
    document.pictures = PictureNames::find(&package);
    if let Some(part) = package.part(HEADER)? {
        header::read(part, &mut document.styles)?;
    }
    let HwpxParts { sections, by_id } = parts(&mut package)?;
    let mut reader = SectionReader::new(document, by_id);
    let mut has_section = false;
    for name in sections {
        if let Some(part) = package.part(&name)? {
            has_section |= reader.read(part, text)?;
        }
    }
    if !has_section {
        return Err(EarlyStop::Failed(Failure::Malformed));
    }
    reader.document.finish(text)
}

/// Returns true if a package is of this format, by the names of its parts.
pub fn is_hwpx(package: &Package<'_>) -> bool {
    package.names().any(|name| is_section(&name))
}

/// Returns true if a part has the name of a section.
fn is_section(name: &str) -> bool {
    let directory = name.trim_start_matches('/').get(..DIRECTORY.len());
    directory.is_some_and(|start| start.eq_ignore_ascii_case(DIRECTORY))
        && section_number(name).is_some()
}

/// Returns true if a part is encrypted.
fn is_encrypted(package: &mut Package<'_>) -> Result<bool, EarlyStop> {
    let mut is_encrypted = false;
    if let Some(part) = package.part(ENCRYPTION)? {
        part.each(|_, element| {
            is_encrypted |= element.name() == "encryption-data";
            Ok(())
        })?;
    }
    Ok(is_encrypted)
}

/// The parts of a document.
struct HwpxParts {
    /// Names of the sections in the order of the text.
    sections: Vec<String>,
    /// Names of the pictures by the ids that the text uses.
    by_id: BTreeMap<String, String>,
}

/// Returns the parts of a document.
fn parts(package: &mut Package<'_>) -> Result<HwpxParts, EarlyStop> {
    let mut by_number: Vec<(u32, String)> = package
        .names()
        .filter(|name| is_section(name))
        .filter_map(|name| Some((section_number(&name)?, name.into_owned())))
        .collect();
    by_number.sort_unstable();
    let mut by_id = BTreeMap::new();
    let Some(mut part) = package.part(MANIFEST)? else {
        let sections = by_number.into_iter().map(|(_, name)| name).collect();
        return Ok(HwpxParts { sections, by_id });
    };
    // The manifest names the parts by id, and the spine gives their order by these ids.
    let (mut numbers, mut places) = (BTreeMap::new(), BTreeMap::new());
    loop {
        match part.next()? {
            XmlEvent::Start(element) if element.name() == "item" => {
                if let (Some(id), Some(address)) =
                    (element.attribute("id"), element.attribute("href"))
                {
                    if let Some(number) = section_number(&address) {
                        numbers.insert(id, number);
                    } else if by_id.len() < PICTURE_MARKS {
                        by_id.insert(id, address);
                    }
                }
            }
            XmlEvent::Start(element) if element.name() == "itemref" => {
                let id = element.attribute("idref").unwrap_or_default();
                if let Some(number) = numbers.get(&id) {
                    // A spine may name a section more than once. It is read once.
                    let place = places.len();
                    places.entry(*number).or_insert(place);
                }
            }
            XmlEvent::Eof => break,
            _ => {}
        }
    }
    // Sections that the spine does not name follow: programs that merge documents forget it.
    by_number
        .sort_by_key(|(number, _)| (places.get(number).copied().unwrap_or(usize::MAX), *number));
    let sections = by_number.into_iter().map(|(_, name)| name).collect();
    Ok(HwpxParts { sections, by_id })
}

/// Returns the number of a section by the name of its part: `Contents/section0.xml`.
fn section_number(name: &str) -> Option<u32> {
    let name = name.rsplit('/').next().unwrap_or(name);
    let name = name.to_ascii_lowercase();
    let number = name.strip_prefix("section")?.strip_suffix(".xml")?;
    number.parse().ok()
}
