//! Reading documents again to show their hits. The last container stays open: it is unpacked as a
//! whole, and a list of hits may have hundreds of documents in it.

use docent_api::types::Error;
use docent_corpus::corpus::Corpus;
use docent_corpus::opened::OpenedDocument;
use docent_tree::archive::container_above;
use docent_tree::disk::{Directory, Disk};
use docent_tree::included::Inclusions;
use docent_tree::open_directories::OpenDirectories;
use docent_tree::path::RelPath;

/// A reader of documents of one root.
pub struct LastContainer<T> {
    /// Path of the container of the last document in one.
    path: RelPath,
    /// Directories on the way to it and in it. Only one container is open, because each may have
    /// many megabytes in memory.
    directories: OpenDirectories<T>,
}

impl<T: Directory> LastContainer<T> {
    /// Creates a reader of a root that has no container open.
    pub fn new(root: usize) -> Self {
        Self {
            path: RelPath::default(),
            directories: OpenDirectories::new(root),
        }
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
        let root = self.directories.root();
        let container = container_above(path);
        if container == *path {
            return corpus.open(root, path);
        }
        if container != self.path {
            self.directories = OpenDirectories::new(root);
            self.path = container;
        }
        corpus.open_via(&mut self.directories, path, Inclusions::default())
    }
}
