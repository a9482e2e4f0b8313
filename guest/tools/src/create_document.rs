//! `create-document`: creation of a new document.

use docent_api::types::Error;
use docent_api::writing::{CreateDocumentOptions, WriteAnswer};
use docent_corpus::corpus::Corpus;
use docent_tree::disk::WriteDisk;

use crate::settings::ToolSettings;
use crate::writing::file::{is_document, parse};
use crate::writing::repaired_links::report_repaired;
use crate::writing::root::{SensitiveAccess, WritableRoot};
use crate::writing::whole::{Taken, Whole};

/// Options with the default for everything.
pub const NO_OPTIONS: CreateDocumentOptions = CreateDocumentOptions { root: None };

/// Creates a document; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served; then nothing was written.
pub fn create_document<D: WriteDisk>(
    corpus: &mut Corpus<D>,
    settings: &ToolSettings,
    path: String,
    content: String,
    options: CreateDocumentOptions,
) -> Result<WriteAnswer, Error> {
    let requested = options.root.as_deref();
    let root = WritableRoot::open(corpus, settings, requested, SensitiveAccess::NotRequested)?;
    let path = parse(&path)?;
    is_document(&path)?;
    root.recover()?;
    let taken = Taken::Refuse("Give another path.");
    let whole = Whole::write(corpus, &root, &path, content, taken)?;
    let mended = whole.repaired_links(corpus, root.chosen.index);
    let mut answer = whole.apply(&root, "create-document", None)?;
    report_repaired(&mut answer, mended);
    Ok(answer)
}
