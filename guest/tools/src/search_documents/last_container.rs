//! Reading documents again to show their hits. The last container stays open, since a list of
//! hits may have hundreds of documents in it, and each opening copies all of it.

use docent_api::types::Error;
use docent_corpus::corpus::Corpus;
use docent_corpus::opened::OpenedDocument;
use docent_tree::archive::is_in_container;
use docent_tree::disk::{Directory, Disk};
use docent_tree::included::Inclusions;
use docent_tree::open_directories::OpenDirectories;
use docent_tree::path::RelPath;

/// A reader of documents of one root. It keeps the directories on the way to the last container
/// open, and those in it.
pub struct LastContainer<T>(OpenDirectories<T>);

impl<T: Directory> LastContainer<T> {
    /// Creates a reader of a root that has no container open.
    pub fn new(root: usize) -> Self {
        Self(OpenDirectories::new(root))
    }

    /// Reads the document at a path.
    ///
    /// # Errors
    /// Those of [`Corpus::open`].
    pub fn read<D: Disk<Directory = T>>(
        &mut self,
        corpus: &mut Corpus<D>,
        path: &RelPath,
    ) -> Result<OpenedDocument, Error> {
        if !is_in_container(path.as_str()) {
            return corpus.open(self.0.root(), path);
        }
        corpus.open_via(&mut self.0, path, Inclusions::default())
    }
}
