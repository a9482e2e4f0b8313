//! What the tools for one document begin with: the document, read and decoded.

use docent_api::types::{Error, ErrorCode, SkipReason};

use crate::Docent;
use crate::decode::{Decoded, decode};
use crate::disk::Disk;
use crate::door::{Content, Denied, Extent, Stamps};
use crate::limits::DOCUMENT_BYTES;
use crate::locate::{File, Located, Wanted, locate};
use crate::path::RelPath;
use crate::refusal::{failed, not_found, refuse, sensitive};

/// A document, read.
pub struct Opened {
    /// Its path, as it is on disk.
    pub path: RelPath,
    /// Its file name.
    pub name: String,
    /// All its bytes.
    pub bytes: Vec<u8>,
}

impl<D: Disk> Docent<D> {
    /// Reads the document at `path` in root `root`.
    pub(super) fn open(&mut self, root: usize, path: &RelPath) -> Result<Opened, Error> {
        let wanted = Wanted::File;
        let located = locate(
            &self.disk,
            &mut self.store,
            &self.exclude,
            root,
            path,
            wanted,
        )?;
        let Located::File(File { path, parent, name }) = located else {
            return Err(not_found(path));
        };
        let read = parent.read(&name, Extent::Whole(DOCUMENT_BYTES), Stamps::Unwanted);
        let Content { bytes, .. } = read.map_err(|denied| match denied {
            Denied::Sensitive => sensitive(&path),
            Denied::Failed(failure) => {
                let size = parent.metadata(&name).ok().map(|metadata| metadata.size);
                failed(&path, failure, size)
            }
        })?;
        Ok(Opened { path, name, bytes })
    }
}

impl Opened {
    /// Returns its text.
    ///
    /// # Errors
    /// `binary`, or `not-text` when no encoding is certain.
    pub fn decode(&self) -> Result<Decoded<'_>, Error> {
        decode(&self.bytes).map_err(|reason| no_text(&self.path, reason))
    }
}

fn no_text(path: &RelPath, reason: SkipReason) -> Error {
    match reason {
        SkipReason::Binary => refuse(
            ErrorCode::Binary,
            format!("`{path}` is binary; expected text"),
            "Only text can be read; list_documents shows what there is.",
        ),
        _ => refuse(
            ErrorCode::NotText,
            format!("`{path}` is in no encoding that is certain; expected text, UTF-8 at best"),
            "Ask the person to save it as UTF-8.",
        ),
    }
}
