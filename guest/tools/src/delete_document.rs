//! `delete-document`: a document, never a directory.

use docent_api::types::Error;
use docent_api::writing::{DeleteDocumentOptions, WriteAnswer};
use docent_corpus::corpus::Corpus;
use docent_tree::disk::WriteDisk;

use crate::settings::Settings;
use crate::writing::file::{Existing, is_document, parse};
use crate::writing::root::{Sensitive, WritableRoot};
use crate::writing::whole::Whole;

/// Deletes a document; see `wit/world.wit`.
///
/// # Errors
/// Why nothing was removed.
pub fn delete_document<D: WriteDisk>(
    corpus: &mut Corpus<D>,
    settings: &Settings,
    path: String,
    options: Option<DeleteDocumentOptions>,
) -> Result<WriteAnswer, Error> {
    let (requested, hash) =
        options.map_or((None, None), |options| (options.root, options.expect_hash));
    let root = WritableRoot::open(corpus, settings, requested.as_deref(), Sensitive::Unasked)?;
    let path = parse(&path)?;
    root.recover()?;
    let existing = Existing::read(corpus, &root, &path)?;
    is_document(&existing.path)?;
    existing.expect(hash.as_deref())?;
    Whole::remove(existing).apply(&root, "delete-document", None)
}
