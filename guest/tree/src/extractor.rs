//! The reader of binary documents, a part of the environment of the files.

use docent_api::extract::{ExtractedDocument, Failure, Limits, Member, MemberList};
#[cfg(feature = "readers")]
use docent_api::extract::{ListedMember, UnknownGlyphs};

/// A reader that extracts text from binary documents.
pub trait Extractor {
    /// Extracts the text of a document as Markdown; see `wit/extract.wit`.
    ///
    /// # Errors
    /// [`Failure`] if there is none.
    fn extract(
        &self,
        extension: &str,
        content: &[u8],
        limits: Limits,
    ) -> Result<ExtractedDocument, Failure>;

    /// Returns the list of the files within a container; see `wit/extract.wit`. The default has
    /// none: it is for readers that no container is given to.
    ///
    /// # Errors
    /// [`Failure`] if the file is no container, or cannot be read.
    fn list_members(
        &self,
        _extension: &str,
        _content: &[u8],
        _limits: Limits,
    ) -> Result<MemberList, Failure> {
        Err(Failure::Unsupported("no container".to_owned()))
    }

    /// Returns the files within a container; see `wit/extract.wit`. The default is that of
    /// [`Extractor::list_members`].
    ///
    /// # Errors
    /// As there.
    fn unpack(
        &self,
        _extension: &str,
        _content: &[u8],
        _paths: Option<&[String]>,
        _limits: Limits,
    ) -> Result<Vec<Member>, Failure> {
        Err(Failure::Unsupported("no container".to_owned()))
    }

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
    fn extract(
        &self,
        extension: &str,
        content: &[u8],
        limits: Limits,
    ) -> Result<ExtractedDocument, Failure> {
        let limits = reader_limits(limits);
        let document = docent_extract::detect(extension, content, &limits).and_then(|format| {
            Ok(ExtractedDocument {
                format: format.name().to_owned(),
                has_members: docent_extract::may_have_members(format, content),
                text: docent_extract::extract(format, content.to_vec(), &limits)?,
            })
        });
        document.map_err(failure)
    }

    fn list_members(
        &self,
        extension: &str,
        content: &[u8],
        limits: Limits,
    ) -> Result<MemberList, Failure> {
        let found = docent_extract::list_members(extension, content, &reader_limits(limits));
        let found = found.map_err(failure)?;
        let members = found.members.into_iter().map(|member| ListedMember {
            path: member.path,
            claimed_bytes: member.claimed_bytes,
        });
        Ok(MemberList {
            members: members.collect(),
            omitted: u32::try_from(found.omitted).unwrap_or(u32::MAX),
        })
    }

    fn unpack(
        &self,
        extension: &str,
        content: &[u8],
        paths: Option<&[String]>,
        limits: Limits,
    ) -> Result<Vec<Member>, Failure> {
        let limits = reader_limits(limits);
        let found = docent_extract::unpack(extension, content, paths, &limits);
        let members = found.map_err(failure)?.into_iter().map(|member| Member {
            path: member.path,
            content: member.content.map_err(failure),
        });
        Ok(members.collect())
    }
}

#[cfg(feature = "readers")]
fn reader_limits(limits: Limits) -> docent_extract::Limits {
    docent_extract::Limits {
        text_bytes: limits.text_bytes as usize,
        unpacked_bytes: u64::from(limits.unpacked_bytes),
        beyond: match limits.beyond {
            docent_api::extract::Beyond::Refuse => docent_extract::Beyond::Refuse,
            docent_api::extract::Beyond::LeaveOut => docent_extract::Beyond::LeaveOut,
        },
    }
}

#[cfg(feature = "readers")]
fn failure(failure: docent_extract::Failure) -> Failure {
    match failure {
        docent_extract::Failure::Malformed => Failure::Malformed,
        docent_extract::Failure::Encrypted => Failure::Encrypted,
        docent_extract::Failure::TooLarge => Failure::TooLarge,
        docent_extract::Failure::NoText => Failure::NoText,
        docent_extract::Failure::Unsupported(name) => Failure::Unsupported(name.to_owned()),
        docent_extract::Failure::UnknownGlyphs(unknown) => Failure::UnknownGlyphs(UnknownGlyphs {
            glyphs: unknown.glyphs,
            pages: unknown.pages,
        }),
    }
}
