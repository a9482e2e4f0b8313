//! Parts of files, named by a path: `src/app.py:966-990`, `src/app.py#Flask.run`, `guide.md#cache`.
//!
//! A path with a part is read in stages: parse (the possible divisions into the path of a file and
//! a part) → open (the first of these whose file exists) → resolve (the part in the text). Names of
//! files may contain `#` and `:` themselves; a file with the whole name precedes any part.

mod asked_path;
pub mod lines;
pub mod long_file;
mod resolve;
mod symbols;

pub use asked_path::{AskedPath, PartAddress};
pub use resolve::{FoundPart, PartKind, resolve};

use docent_api::types::Error;

use docent_corpus::corpus::Corpus;
use docent_corpus::opened::OpenedDocument;
use docent_tree::disk::Disk;

/// Reads the document at a path in root `root`, and returns the address of its part.
///
/// # Errors
/// Those of [`Corpus::open`].
pub fn open<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    asked: &AskedPath,
) -> Result<(OpenedDocument, Option<PartAddress>), Error> {
    let (opened, part) = asked.find(|reading| corpus.open(root, &reading.path))?;
    Ok((opened, part.cloned()))
}
