//! Detection of a document's format by its bytes. The name of a file is a hint: many files with the
//! extension `doc` are `docx`, RTF or HTML.

use crate::Format;
use crate::failure::{EarlyStop, Failure};
use crate::hwpx::is_hwpx;
use crate::limits::Limits;
use crate::ole::{OLE_MAGIC, Ole};
use crate::package::Package;
use crate::xml::XmlEvent;

/// Signature of the first entry of a zip archive.
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";

/// Signature of a PDF. Programs write up to 1 024 bytes before it (PDF 1.7, appendix H, note 13).
const PDF_MAGIC: &[u8] = b"%PDF-";
const PDF_MAGIC_WITHIN: usize = 1024;

/// Signature of the documents of Hangul before version 5.
const HWP_3_MAGIC: &[u8] = b"HWP Document File";

/// Root entries of OLE containers, with the reason that such a container is not read.
const CONTAINERS: [(&str, Failure); 6] = [
    // A package of Office Open XML with a password.
    ("EncryptedPackage", Failure::Encrypted),
    ("WordDocument", Failure::Unsupported("a Word 97 document")),
    ("Workbook", Failure::Unsupported("an Excel 97 workbook")),
    ("Book", Failure::Unsupported("an Excel 97 workbook")),
    (
        "PowerPoint Document",
        Failure::Unsupported("a PowerPoint 97 presentation"),
    ),
    (
        "__properties_version1.0",
        Failure::Unsupported("an Outlook message"),
    ),
];

/// The main parts of Office Open XML under their usual names, with their root elements.
const OFFICE_PARTS: [(&str, &str, Format); 2] = [
    ("word/document.xml", "document", Format::Docx),
    ("xl/workbook.xml", "workbook", Format::Xlsx),
];

/// Returns the format of a document with the file name extension `extension`, in lower case. The
/// extension decides only if the content does not, as in a truncated file.
///
/// # Errors
/// [`Failure`] if the content is recognised and cannot be read.
pub fn detect(extension: &str, content: &[u8], limits: &Limits) -> Result<Format, Failure> {
    let found = if content.starts_with(ZIP_MAGIC) {
        package(content, limits)
    } else if content.starts_with(&OLE_MAGIC) {
        return container(content);
    } else if content.starts_with(HWP_3_MAGIC) {
        return Err(Failure::Unsupported("an HWP 3 document"));
    } else {
        let head = &content[..content.len().min(PDF_MAGIC_WITHIN)];
        let is_pdf = head
            .windows(PDF_MAGIC.len())
            .any(|window| window == PDF_MAGIC);
        is_pdf.then_some(Format::Pdf)
    };
    found
        .or_else(|| by_extension(extension))
        .ok_or(Failure::Malformed)
}

/// Returns the usual format of files with this extension.
fn by_extension(extension: &str) -> Option<Format> {
    Some(match extension {
        "docx" | "docm" | "dotx" | "dotm" => Format::Docx,
        "xlsx" | "xlsm" | "xltx" | "xltm" => Format::Xlsx,
        "hwp" | "hwt" => Format::Hwp,
        "hwpx" | "hwtx" | "owpml" => Format::Hwpx,
        "pdf" => Format::Pdf,
        _ => return None,
    })
}

/// Returns the format of a zip archive, if it is known.
fn package(content: &[u8], limits: &Limits) -> Option<Format> {
    let mut package = Package::open(content, limits).ok()?;
    if is_hwpx(&package) {
        return Some(Format::Hwpx);
    }
    office(&mut package).ok().flatten()
}

/// Returns the format of a package of Office Open XML, by the root element of its main part.
fn office(package: &mut Package<'_>) -> Result<Option<Format>, EarlyStop> {
    let main = package.main_part("")?;
    let usual = OFFICE_PARTS.iter().map(|(name, ..)| *name);
    for name in std::iter::once(main.as_str()).chain(usual) {
        let Some(mut part) = package.part(name)? else {
            continue;
        };
        loop {
            match part.next()? {
                XmlEvent::Start(element) => {
                    let root = element.name();
                    let found = OFFICE_PARTS.iter().find(|(_, name, _)| *name == root);
                    return Ok(found.map(|(.., format)| *format));
                }
                XmlEvent::Eof => break,
                XmlEvent::End | XmlEvent::Text(_) | XmlEvent::Nothing => {}
            }
        }
    }
    Ok(None)
}

/// Returns the format of an OLE container by the names of its root entries. The names of all
/// entries would not do: a message or a presentation contains the workbooks attached to it.
fn container(content: &[u8]) -> Result<Format, Failure> {
    let Ok(ole) = Ole::open(content) else {
        return Err(Failure::Malformed);
    };
    let entries = ole.children(Ole::ROOT);
    let has = |name: &str| {
        let mut names = entries.iter().map(|id| ole.name(*id));
        names.any(|other| other.eq_ignore_ascii_case(name))
    };
    if has("FileHeader") && (has("BodyText") || has("ViewText")) {
        return Ok(Format::Hwp);
    }
    let found = CONTAINERS.iter().find(|(name, _)| has(name));
    Err(found.map_or(Failure::Malformed, |(_, failure)| *failure))
}
