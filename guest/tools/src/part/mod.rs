//! Parts of files, named by a path: `src/app.py:966-990`, `src/app.py#Flask.run`, `guide.md#cache`.
//!
//! A path with a part is read in stages: parse (how it can be divided into the path of a file and
//! a part) → open (the first of these that leads to a file) → resolve (what of its text is meant).
//! Names of files may hold `#` and `:` themselves; a file that is called so comes before any part.

mod asked_path;
pub mod lines;
pub mod long_file;
pub mod nearest;
mod resolve;
mod symbols;

pub use asked_path::{AskedPath, PartAddress};
pub use resolve::{FoundPart, PartKind, resolve};

use docent_api::types::Error;

use docent_corpus::corpus::Corpus;
use docent_corpus::opened::Opened;
use docent_tree::disk::Disk;

/// Reads the document that a path leads to in root `root`, and tells which part of it is meant.
///
/// # Errors
/// Those of [`Corpus::open`].
pub fn open<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    asked: &AskedPath,
) -> Result<(Opened, Option<PartAddress>), Error> {
    let (opened, part) = asked.find(|reading| corpus.open(root, &reading.path))?;
    Ok((opened, part.cloned()))
}
