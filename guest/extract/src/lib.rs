//! From documents that are not text to Markdown.
//!
//! [`extract`] takes all bytes of a file and gives its text, or why there is none. It does no
//! input or output, keeps nothing, and trusts nothing in the file. It may all the same fail
//! abnormally on a file that was made for that, for it stands on parsers of large formats: so it
//! runs in a component of its own, one instance a document.
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

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A text document of Office Open XML.
    Docx,
    /// A workbook of Office Open XML.
    Xlsx,
    /// A Portable Document Format file.
    Pdf,
}

/// What becomes of text beyond the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// There must be none.
    Refuse,
    /// It is left out, and not looked for.
    LeaveOut,
}

/// What one document may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of Markdown.
    pub text_bytes: usize,
    /// Bytes that its compressed parts may have when they are unpacked, all together.
    pub unpacked_bytes: u64,
    /// What becomes of text beyond `text_bytes`.
    pub beyond: Beyond,
}

/// Why there is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The file is damaged, cut off, or of another format.
    Malformed,
    /// It cannot be read without a password.
    Encrypted,
    /// It is larger than the limits.
    TooLarge,
    /// Its pages show no text: pictures alone.
    NoText,
    /// Its pages show text, but the file does not tell any of its characters.
    UnknownGlyphs(UnknownGlyphs),
}

/// Glyphs that pages show and whose characters the file does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownGlyphs {
    /// The number of glyphs.
    pub glyphs: u32,
    /// The number of pages that show any of them.
    pub pages: u32,
}

/// Why reading ends before the end of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// There is as much text as there may be.
    Full,
    /// There is no text.
    Failed(Failure),
}

/// Returns the text of a document as Markdown: at most `limits.text_bytes` bytes, without front
/// matter, with headings that are the document's.
///
/// # Errors
/// [`Failure`] says why there is none.
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
