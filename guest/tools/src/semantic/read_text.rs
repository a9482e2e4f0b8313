//! A document that was read and is kept after the call that opened it.

use docent_corpus::corpus::Corpus;
use docent_corpus::opened::OpenedDocument;
use docent_text::content_hash::ContentHash;
use docent_tree::disk::Disk;
use docent_tree::included::Inclusions;
use docent_tree::open_directories::OpenDirectories;
use docent_tree::path::RelPath;

/// A document that was read.
#[derive(Clone)]
pub struct ReadText {
    /// Its path.
    pub path: RelPath,
    /// Its file name.
    pub name: String,
    /// Its text.
    pub text: Box<str>,
    /// Hash of its bytes, if these differ from those of the text.
    hash: Option<ContentHash>,
}

impl ReadText {
    /// Reads the document at a path, or returns `None` if it cannot be read now.
    pub fn open<D: Disk>(corpus: &mut Corpus<D>, root: usize, path: &RelPath) -> Option<Self> {
        let opened = corpus.open(root, path).ok()?;
        Self::from_opened(corpus, &opened)
    }

    fn from_opened<D: Disk>(corpus: &mut Corpus<D>, opened: &OpenedDocument) -> Option<Self> {
        // Copied, since the decoded text may borrow the bytes, which the caller may drop.
        let text: Box<str> = opened.decode(&mut corpus.store).ok()?.text.as_ref().into();
        let is_as_it_stands = text.as_bytes() == opened.bytes;
        Some(Self {
            hash: (!is_as_it_stands).then(|| ContentHash::new(&opened.bytes)),
            path: opened.path.clone(),
            name: opened.name.clone(),
            text,
        })
    }

    /// Returns the hash of the file as it was read.
    pub fn hash(&self) -> ContentHash {
        // Computed only for the texts shown: many more documents are read to rank them.
        self.hash
            .unwrap_or_else(|| ContentHash::new(self.text.as_bytes()))
    }
}

/// Reads several documents of a root, through directories that stay open from one to the next.
pub struct DocumentReader<'c, D: Disk> {
    corpus: &'c mut Corpus<D>,
    directories: OpenDirectories<D::Directory>,
}

impl<'c, D: Disk> DocumentReader<'c, D> {
    /// Begins in the root of this index.
    pub fn begin(corpus: &'c mut Corpus<D>, root: usize) -> Self {
        Self {
            corpus,
            directories: OpenDirectories::new(root),
        }
    }

    /// Reads the document at a path, or returns `None` if it cannot be read now.
    pub fn document(&mut self, path: &RelPath) -> Option<ReadText> {
        let opened = self
            .corpus
            .open_via(&mut self.directories, path, Inclusions::default());
        self.decode(&opened.ok()?)
    }

    /// Returns the text of a document that was read before, or `None` if it has none.
    pub fn decode(&mut self, opened: &OpenedDocument) -> Option<ReadText> {
        ReadText::from_opened(self.corpus, opened)
    }

    /// Returns true if documents that are not text have used up their share of the call's time.
    pub fn has_read_enough(&self) -> bool {
        self.corpus.store.has_read_enough()
    }

    /// Returns the disk from which documents are read.
    pub fn disk(&self) -> &D {
        &self.corpus.disk
    }
}
