//! Files that are read once more, for what their facts do not hold.

use std::rc::Rc;

use docent_corpus::corpus::Corpus;
use docent_tree::disk::Disk;
use docent_tree::path::RelPath;

use crate::understand::request::Request;

/// Reads files of a root, as long as there is time.
pub struct Reader<'a, D> {
    /// The documents.
    pub corpus: &'a mut Corpus<D>,
    root: usize,
    started_ms: u64,
    end_ms: u64,
    /// The file that was read last, for one is often asked for several times in a row.
    last: Option<(String, Rc<str>)>,
}

impl<'a, D: Disk> Reader<'a, D> {
    /// Returns a reader of the root that a request means; its time runs from now on.
    pub fn new(corpus: &'a mut Corpus<D>, request: &Request) -> Self {
        let started_ms = corpus.disk.monotonic_ms();
        Self {
            corpus,
            root: request.root.index,
            started_ms,
            end_ms: started_ms.saturating_add(request.timeout_ms),
            last: None,
        }
    }

    /// Returns the text of a file; none where it cannot be read.
    pub fn text(&mut self, path: &str) -> Option<Rc<str>> {
        if let Some((_, text)) = self.last.as_ref().filter(|(last, _)| last == path) {
            return Some(text.clone());
        }
        let valid = RelPath::parse(path).ok()?;
        let opened = self.corpus.open(self.root, &valid).ok()?;
        let text: Rc<str> = opened.decode(&mut self.corpus.store).ok()?.text.into();
        self.last = Some((path.to_owned(), text.clone()));
        Some(text)
    }

    /// Returns how long it has read.
    pub fn elapsed_ms(&self) -> u64 {
        let now = self.corpus.disk.monotonic_ms();
        now.saturating_sub(self.started_ms)
    }

    /// Whether the time is over.
    pub fn is_over(&self) -> bool {
        self.corpus.disk.monotonic_ms() >= self.end_ms
    }
}
