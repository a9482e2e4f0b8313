//! The reader of binary documents, a part of the environment of the files.

#[cfg(feature = "readers")]
use docent_api::extract::UnknownGlyphs;
use docent_api::extract::{Failure, Format, Limits};

/// A reader that extracts text from binary documents.
pub trait Extractor {
    /// Extracts the text of a document as Markdown; see `wit/extract.wit`.
    ///
    /// # Errors
    /// [`Failure`] if there is none.
    fn extract(&self, format: Format, content: &[u8], limits: Limits) -> Result<String, Failure>;

    /// Returns milliseconds of the clock that times the reading, from an arbitrary start, never
    /// decreasing. The default stands still, so that a time limit that is measured with it is never
    /// reached: it is for readers of which none is slow.
    fn monotonic_ms(&self) -> u64 {
        0
    }
}

/// The readers of `docent-extract` in the same process, without any confinement: for tests.
#[cfg(feature = "readers")]
#[derive(Clone, Copy, Debug)]
pub struct Unconfined;

#[cfg(feature = "readers")]
impl Extractor for Unconfined {
    fn extract(&self, format: Format, content: &[u8], limits: Limits) -> Result<String, Failure> {
        let format = match format {
            Format::Docx => docent_extract::Format::Docx,
            Format::Xlsx => docent_extract::Format::Xlsx,
            Format::Pdf => docent_extract::Format::Pdf,
        };
        let limits = docent_extract::Limits {
            text_bytes: limits.text_bytes as usize,
            unpacked_bytes: u64::from(limits.unpacked_bytes),
            beyond: match limits.beyond {
                docent_api::extract::Beyond::Refuse => docent_extract::Beyond::Refuse,
                docent_api::extract::Beyond::LeaveOut => docent_extract::Beyond::LeaveOut,
            },
        };
        docent_extract::extract(format, content.to_vec(), &limits).map_err(
            |failure| match failure {
                docent_extract::Failure::Malformed => Failure::Malformed,
                docent_extract::Failure::Encrypted => Failure::Encrypted,
                docent_extract::Failure::TooLarge => Failure::TooLarge,
                docent_extract::Failure::NoText => Failure::NoText,
                docent_extract::Failure::UnknownGlyphs(unknown) => {
                    Failure::UnknownGlyphs(UnknownGlyphs {
                        glyphs: unknown.glyphs,
                        pages: unknown.pages,
                    })
                }
            },
        )
    }
}
