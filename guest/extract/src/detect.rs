//! Detection of a document's format by its bytes. The name of a file is a hint: many files with the
//! extension `doc` are `docx`, RTF or HTML.

use crate::doc::{WORD_DOCUMENT, old_word};
use crate::failure::{EarlyStop, Failure};
use crate::hwpx::is_hwpx;
use crate::limits::Limits;
use crate::mail::{is_mailbox, is_message};
use crate::msg::MSG_PROPERTIES;
use crate::odf;
use crate::ole::{OLE_MAGIC, Ole};
use crate::package::Package;
use crate::ppt::PPT_STREAM;
use crate::xml::XmlEvent;
use crate::{Format, ipynb, rtf, xls};

/// Signature of the first entry of a zip archive.
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";

/// Signature of a PDF. Programs write up to 1 024 bytes before it (PDF 1.7, appendix H, note 13).
const PDF_MAGIC: &[u8] = b"%PDF-";
const PDF_MAGIC_WITHIN: usize = 1024;

/// Media type of the package document of a book.
const BOOK_PACKAGE: &[u8] = b"application/oebps-package+xml";

/// Beginnings of pages in HTML, in lower case.
const PAGE_BEGINNINGS: [&str; 4] = ["<!doctype html", "<html", "<head", "<body"];

/// Signature of the documents of Hangul before version 5.
const HWP_3_MAGIC: &[u8] = b"HWP Document File";

/// Root entries of OLE containers, with the reason that such a container is not read.
const CONTAINERS: [(&str, Failure); 2] = [
    // A package of Office Open XML with a password.
    ("EncryptedPackage", Failure::Encrypted),
    ("PP40", Failure::Unsupported("a PowerPoint 4 presentation")),
];

/// The main parts of Office Open XML under their usual names, with their root elements.
const OFFICE_PARTS: [(&str, &str, Format); 3] = [
    ("word/document.xml", "document", Format::Docx),
    ("xl/workbook.xml", "workbook", Format::Xlsx),
    ("ppt/presentation.xml", "presentation", Format::Pptx),
];

/// Returns the format of a document with the file name extension `extension`, in lower case. The
/// extension decides only if the content does not, as in a truncated file.
///
/// # Errors
/// [`Failure`] if the content is recognised and cannot be read.
pub fn detect(extension: &str, content: &[u8], limits: &Limits) -> Result<Format, Failure> {
    let found = if content.starts_with(ZIP_MAGIC) {
        package(content, limits).transpose()?
    } else if content.starts_with(&OLE_MAGIC) {
        return container(content);
    } else if content.starts_with(HWP_3_MAGIC) {
        return Err(Failure::Unsupported("an HWP 3 document"));
    } else if xls::is_bare(content) {
        Some(Format::Xls)
    } else if let Some(failure) = old_word(content) {
        return Err(failure);
    } else if rtf::is_rtf(content) {
        Some(Format::Rtf)
    } else if ipynb::is_notebook(content) {
        Some(Format::Ipynb)
    } else if let Some(format) = mail(extension, content) {
        Some(format)
    } else {
        let head = &content[..content.len().min(PDF_MAGIC_WITHIN)];
        let is_pdf = head
            .windows(PDF_MAGIC.len())
            .any(|window| window == PDF_MAGIC);
        if is_pdf {
            Some(Format::Pdf)
        } else if let Some(found) = odf::flat_format(content) {
            Some(found?)
        } else {
            is_page(head).then_some(Format::Html)
        }
    };
    found
        .or_else(|| by_extension(extension))
        .ok_or(Failure::Malformed)
}

/// Returns the usual format of files with this extension.
fn by_extension(extension: &str) -> Option<Format> {
    Some(match extension {
        "docx" | "docm" | "dotx" | "dotm" => Format::Docx,
        "doc" | "dot" => Format::Doc,
        "xlsx" | "xlsm" | "xltx" | "xltm" => Format::Xlsx,
        "xls" | "xlt" => Format::Xls,
        "pptx" | "pptm" | "ppsx" | "ppsm" | "potx" | "potm" => Format::Pptx,
        "ppt" | "pps" | "pot" => Format::Ppt,
        "odt" | "ott" | "odm" | "fodt" => Format::Odt,
        "ods" | "ots" | "fods" => Format::Ods,
        "odp" | "otp" | "fodp" => Format::Odp,
        "hwp" | "hwt" => Format::Hwp,
        "hwpx" | "hwtx" | "owpml" => Format::Hwpx,
        "pdf" => Format::Pdf,
        "epub" => Format::Epub,
        "html" | "htm" | "xhtml" | "xht" | "shtml" => Format::Html,
        "rtf" => Format::Rtf,
        "ipynb" => Format::Ipynb,
        "eml" => Format::Eml,
        "mbox" | "mbx" => Format::Mbox,
        "msg" | "oft" => Format::Msg,
        _ => return None,
    })
}

/// Returns the format of mail. Nothing but the words at its beginning tells it from other text, and
/// a note may begin with `From:` and `To:` as well, so they count only in a file of no other kind.
fn mail(extension: &str, content: &[u8]) -> Option<Format> {
    let is_candidate = matches!(by_extension(extension), Some(Format::Eml | Format::Mbox));
    if !is_candidate && !extension.is_empty() {
        return None;
    }
    if is_mailbox(content) {
        Some(Format::Mbox)
    } else {
        is_message(content).then_some(Format::Eml)
    }
}

/// Returns the format of a zip archive, or the reason that it is not read, if it is known.
fn package(content: &[u8], limits: &Limits) -> Option<Result<Format, Failure>> {
    // A damaged archive has headers of its parts before its directory at the end.
    let package = Package::open(content, limits);
    let mut package = package.unwrap_or_else(|_| Package::salvage(content, limits));
    if let Ok(Some(found)) = odf::package_format(&mut package) {
        return Some(found);
    }
    if is_book(&mut package).unwrap_or_default() {
        return Some(Ok(Format::Epub));
    }
    if is_hwpx(&package) {
        return Some(Ok(Format::Hwpx));
    }
    office(&mut package).ok().flatten().map(Ok)
}

/// Returns true if a zip archive is a book: it says so itself, or its container names the package
/// document of one. Other formats have a container as well.
fn is_book(package: &mut Package<'_>) -> Result<bool, EarlyStop> {
    let media_type = package.bytes("mimetype")?.unwrap_or_default();
    if media_type.trim_ascii() == b"application/epub+zip" {
        return Ok(true);
    }
    let container = package.bytes("META-INF/container.xml")?.unwrap_or_default();
    Ok(container
        .windows(BOOK_PACKAGE.len())
        .any(|window| window == BOOK_PACKAGE))
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

/// Returns true if a text begins as a page in HTML: with the document type, the root or one of its
/// parts, after nothing but declarations and comments. A program or a mail that contains a page
/// begins with other text.
fn is_page(head: &[u8]) -> bool {
    // A page in UTF-16 begins with ASCII as well.
    let head: Vec<u8> = head.iter().copied().filter(|byte| *byte != 0).collect();
    let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
    let mut rest = head
        .trim_start_matches(['\u{FEFF}', '\u{FFFD}'])
        .trim_start();
    loop {
        let end = match rest {
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<?xml") => "?>",
            _ => break,
        };
        match rest.split_once(end) {
            Some((_, behind)) => rest = behind.trim_start(),
            None => return false,
        }
    }
    PAGE_BEGINNINGS.iter().any(|beginning| {
        let behind = rest.strip_prefix(beginning);
        behind.is_some_and(|behind| !behind.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
    })
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
    if has(MSG_PROPERTIES) {
        return Ok(Format::Msg);
    }
    if !has("EncryptedPackage") {
        if has(WORD_DOCUMENT) {
            return Ok(Format::Doc);
        }
        if has("Workbook") || has("Book") {
            return Ok(Format::Xls);
        }
    }
    if has(PPT_STREAM) {
        return Ok(Format::Ppt);
    }
    let found = CONTAINERS.iter().find(|(name, _)| has(name));
    Err(found.map_or(Failure::Malformed, |(_, failure)| *failure))
}
