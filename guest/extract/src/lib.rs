//! Conversion of documents that are not text to Markdown.
//!
//! [`extract`] takes all bytes of a file and returns its text, or the reason why there is none. It
//! does no I/O, keeps nothing, and trusts nothing in the file. Even so it may panic on a file
//! designed for that, since it relies on parsers of large formats: so it runs in a component of its
//! own, one instance per document.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod limits;

mod markdown;

mod metered;
mod xml;

mod package;

mod docx;
mod pdf;
mod xlsx;

#[cfg(any(test, feature = "fixtures"))]
pub mod fixtures;

use markdown::Markdown;

/// The format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A text document of Office Open XML.
    Docx,
    /// A workbook of Office Open XML.
    Xlsx,
    /// A Portable Document Format file.
    Pdf,
}

/// The treatment of text beyond the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// The document is refused.
    Refuse,
    /// The text is omitted, and not even extracted.
    LeaveOut,
}

/// The resources that one document may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum bytes of Markdown.
    pub text_bytes: usize,
    /// Maximum bytes of all its compressed parts when unpacked.
    pub unpacked_bytes: u64,
    /// Treatment of text beyond `text_bytes`.
    pub beyond: Beyond,
}

/// The reason for which there is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The file is damaged, truncated, or in another format.
    Malformed,
    /// It requires a password.
    Encrypted,
    /// It exceeds the limits.
    TooLarge,
    /// Its pages contain no text, only pictures.
    NoText,
    /// Its pages contain text, but the file does not give any of its characters.
    UnknownGlyphs(UnknownGlyphs),
}

/// Glyphs on the pages of a file that does not give their characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownGlyphs {
    /// Number of the glyphs.
    pub glyphs: u32,
    /// Number of the pages that contain any of them.
    pub pages: u32,
}

/// The reason for which reading ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// The text has reached its limit.
    Full,
    /// There is no text.
    Failed(Failure),
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
        Format::Xlsx => xlsx::read(&content, limits, &mut text),
        Format::Pdf => pdf::read(content, &mut text),
    };
    match read {
        Ok(()) => Ok(text.finish()),
        Err(Stop::Full) if limits.beyond == Beyond::LeaveOut => Ok(text.finish()),
        Err(Stop::Full) => Err(Failure::TooLarge),
        Err(Stop::Failed(failure)) => Err(failure),
    }
}
