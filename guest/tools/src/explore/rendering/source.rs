//! The file of a candidate, as it was read for an item.

use std::rc::Rc;

use docent_api::types::{Error, ErrorCode};

use crate::explore::rendering::context::RenderContext;
use crate::explore::rendering::too_large::{is_cap_of_call, too_large};
use crate::explore::selection::candidate::Candidate;
use docent_corpus::corpus::Corpus;
use docent_corpus::opened::OpenedDocument;
use docent_tree::disk::{Disk, Metadata};
use docent_tree::door::Consent;
use docent_tree::locate::{Located, TargetKind};
use docent_tree::path::RelPath;
use docent_tree::refusal::not_found;

/// A file that was read for an item.
pub(super) struct Source {
    pub(super) opened: Rc<OpenedDocument>,
    pub(super) metadata: Option<Metadata>,
}

/// A file with its text.
pub(super) struct SourceText<'a> {
    pub(super) candidate: &'a Candidate,
    pub(super) source: &'a Source,
    pub(super) text: &'a str,
}

/// Reads the file of a candidate, at most `cap` bytes of it.
pub(super) fn fetch<D: Disk>(
    corpus: &mut Corpus<D>,
    context: &RenderContext<'_>,
    candidate: &Candidate,
    cap: u64,
) -> Result<Source, Error> {
    let (root, included) = (context.root, context.included);
    let path = RelPath::parse(&candidate.path)?;
    let file = match candidate.consent {
        Consent::Given => corpus.locate_sensitive(root, &path)?,
        Consent::Withheld => match corpus.locate_among(root, &path, TargetKind::File, included)? {
            Located::File(file) => file,
            // The path was a file when it was chosen.
            Located::Directory(_) => return Err(not_found(&path)),
        },
    };
    // The size is checked before the file is opened, so that a file of gigabytes costs a
    // metadata call and not the time to read up to the limit.
    let metadata = file.parent.metadata(&file.name).ok();
    if let Some(size) = metadata
        .map(|metadata| metadata.size)
        .filter(|size| *size > cap)
    {
        return Err(too_large(&candidate.path, size, cap));
    }
    // A file that the search has read is not read again. Its length is compared as well: of a
    // file that grew since then, the new text is shown.
    let known = context
        .documents
        .find(&candidate.path)
        .filter(|known| metadata.is_some_and(|metadata| metadata.size == known.bytes.len() as u64));
    if let Some(opened) = known {
        return Ok(Source { opened, metadata });
    }
    let most = usize::try_from(cap).unwrap_or(usize::MAX);
    let opened = OpenedDocument::read(file, most).map_err(|error| match error.code {
        // The file has grown since its size was checked, or the platform reports no size.
        ErrorCode::DocumentTooLarge if is_cap_of_call(cap) => Error {
            hint: RAISE_BYTES.to_owned(),
            ..error
        },
        _ => error,
    })?;
    Ok(Source {
        opened: Rc::new(opened),
        metadata,
    })
}

/// Advice for a file of unknown size that exceeds the limit of this call.
const RAISE_BYTES: &str =
    "Raise limits.maxBytes, or ask for a section, or a preview that names the sections.";
