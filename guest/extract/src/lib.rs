//! Conversion of documents that are not text to Markdown.
//!
//! [`detect`] finds the format of a file in its bytes, and [`extract`] takes all bytes of a file
//! and returns its text, or the reason why there is none. They do no I/O, keep nothing, and trust
//! nothing in the file. Even so they may panic on a file designed for that, since they rely on
//! parsers of large formats: so they run in a component of their own, one instance per document.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod detect;
mod encoding;
mod failure;
mod limits;

mod inline;
mod markdown;
mod unclosed;

mod grid;

mod metered;
mod xml;

mod ole;
mod package;
mod salvage;

mod mime;

mod doc;
mod docx;
mod epub;
mod hangul;
mod held_blocks;
mod html;
mod hwp;
mod hwpx;
mod ipynb;
mod mail;
mod members;
mod msg;
mod odf;
mod office_art;
mod pdf;
mod pictures;
mod ppt;
mod pptx;
mod rtf;
mod xls;
mod xlsx;

#[cfg(any(test, feature = "fixtures"))]
pub mod fixtures;

pub use detect::detect;
pub use failure::{Failure, UnknownGlyphs};
pub use limits::{Beyond, Limits};
pub use members::{ListedMember, Member, MemberList, list_members, may_have_members, unpack};

use failure::EarlyStop;
use markdown::Markdown;
use odf::OdfContent;

/// The format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A text document of Office Open XML.
    Docx,
    /// A text document of Word 6 to 2007 in binary form.
    Doc,
    /// A workbook of Office Open XML.
    Xlsx,
    /// A workbook of Excel 2 to 2003.
    Xls,
    /// A presentation of Office Open XML.
    Pptx,
    /// A presentation of PowerPoint 97 to 2003.
    Ppt,
    /// A text document of OpenDocument.
    Odt,
    /// A spreadsheet of OpenDocument.
    Ods,
    /// A presentation of OpenDocument.
    Odp,
    /// A document of the Hangul word processor in binary records, version 5.
    Hwp,
    /// A document of the Hangul word processor in XML.
    Hwpx,
    /// A Portable Document Format file.
    Pdf,
    /// A page in HTML or XHTML.
    Html,
    /// A book in EPUB.
    Epub,
    /// A document of the Rich Text Format.
    Rtf,
    /// A Jupyter notebook.
    Ipynb,
    /// An Internet message.
    Eml,
    /// A mailbox of Internet messages.
    Mbox,
    /// A message of Outlook.
    Msg,
}

impl Format {
    /// Returns the name of the format: its usual file name extension, in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Docx => "docx",
            Self::Doc => "doc",
            Self::Xlsx => "xlsx",
            Self::Xls => "xls",
            Self::Pptx => "pptx",
            Self::Ppt => "ppt",
            Self::Odt => "odt",
            Self::Ods => "ods",
            Self::Odp => "odp",
            Self::Hwp => "hwp",
            Self::Hwpx => "hwpx",
            Self::Pdf => "pdf",
            Self::Html => "html",
            Self::Epub => "epub",
            Self::Rtf => "rtf",
            Self::Ipynb => "ipynb",
            Self::Eml => "eml",
            Self::Mbox => "mbox",
            Self::Msg => "msg",
        }
    }
}

/// Returns the text of a document as Markdown: at most `limits.text_bytes` bytes, without front
/// matter, with the headings of the document.
///
/// # Errors
/// [`Failure`] if there is no text.
pub fn extract(format: Format, content: Vec<u8>, limits: &Limits) -> Result<String, Failure> {
    let mut text = Markdown::new(limits.text_bytes);
    let read = match format {
        Format::Docx => docx::read(&content, limits, &mut text),
        Format::Doc => doc::read(&content, limits, &mut text),
        Format::Xlsx => xlsx::read(&content, limits, &mut text),
        Format::Xls => xls::read(&content, limits, &mut text),
        Format::Pptx => pptx::read(&content, limits, &mut text),
        Format::Ppt => ppt::read(&content, &mut text),
        Format::Odt => odf::read(OdfContent::Text, &content, limits, &mut text),
        Format::Ods => odf::read(OdfContent::Spreadsheet, &content, limits, &mut text),
        Format::Odp => odf::read(OdfContent::Presentation, &content, limits, &mut text),
        Format::Hwp => hwp::read(&content, limits, &mut text),
        Format::Hwpx => hwpx::read(&content, limits, &mut text),
        Format::Pdf => pdf::read(content, &mut text),
        Format::Html => html::read(&content, &mut text),
        Format::Epub => epub::read(&content, limits, &mut text),
        Format::Rtf => rtf::read(&content, limits, &mut text),
        Format::Ipynb => ipynb::read(&content, limits, &mut text),
        Format::Eml => mail::read(&content, limits, &mut text),
        Format::Mbox => mail::read_mailbox(&content, limits, &mut text),
        Format::Msg => msg::read(&content, limits, &mut text),
    };
    match read {
        Ok(()) => Ok(text.finish()),
        Err(EarlyStop::Full) if limits.beyond == Beyond::LeaveOut => Ok(text.finish()),
        Err(EarlyStop::Full) => Err(Failure::TooLarge),
        Err(EarlyStop::Failed(failure)) => Err(failure),
    }
}
