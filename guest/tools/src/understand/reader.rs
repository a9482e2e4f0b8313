//! Files that are read again for details that their facts do not have.

use std::rc::Rc;

use docent_corpus::corpus::Corpus;
use docent_corpus::foreign;
use docent_corpus::visit::with_current_text;
use docent_corpus::walk::{Walk, WalkOptions, WalkStep};
use docent_tree::disk::Disk;
use docent_tree::path::RelPath;

use crate::understand::request::UnderstandRequest;

/// Reader of the files of a root, within a time limit.
pub struct TreeReader<'a, D> {
    /// The documents.
    pub corpus: &'a mut Corpus<D>,
    root: usize,
    started_ms: u64,
    end_ms: u64,
    /// The file that was read last, since a file is often requested several times in a row.
    last: Option<(String, Rc<str>)>,
}

impl<'a, D: Disk> TreeReader<'a, D> {
    /// Returns a reader of the root of a request; its time starts now.
    pub fn new(corpus: &'a mut Corpus<D>, request: &UnderstandRequest) -> Self {
        let started_ms = corpus.disk.monotonic_ms();
        Self {
            corpus,
            root: request.root.index,
            started_ms,
            end_ms: started_ms.saturating_add(request.timeout_ms),
            last: None,
        }
    }

    /// Returns the text of a file, or `None` if it cannot be read.
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

    /// Passes the text of every text file of the root to `take`, in the order of their paths, if
    /// `wanted` returns the file's index, until `take` returns false; documents that need a reader
    /// are omitted. Returns true if it reached the last file, and false if the time or `take` ended
    /// it, or if the root cannot be listed.
    pub fn each_text(
        &mut self,
        wanted: &mut dyn FnMut(&str) -> Option<usize>,
        take: &mut dyn FnMut(usize, &str) -> bool,
    ) -> bool {
        let top = RelPath::default();
        let Ok(start) = self.corpus.directory(self.root, &top) else {
            return false;
        };
        let Corpus {
            disk,
            exclude,
            store,
            ..
        } = &mut *self.corpus;
        let Ok(mut walk) = Walk::begin(store, start, WalkOptions::all_files(exclude)) else {
            return false;
        };
        while let Some(step) = walk.advance() {
            if step == WalkStep::Directory || foreign::extension(walk.name()).is_some() {
                continue;
            }
            let Some(file) = wanted(walk.path()) else {
                continue;
            };
            if disk.monotonic_ms() >= self.end_ms {
                return false;
            }
            let mut continues = true;
            // An unreadable file was reported when the files were gathered, or is not text.
            let _ = with_current_text(&mut walk, |text| continues = take(file, text));
            if !continues {
                return false;
            }
        }
        true
    }

    /// Returns the milliseconds since it started to read.
    pub fn elapsed_ms(&self) -> u64 {
        let now = self.corpus.disk.monotonic_ms();
        now.saturating_sub(self.started_ms)
    }

    /// Returns true if the time is over.
    pub fn is_over(&self) -> bool {
        self.corpus.disk.monotonic_ms() >= self.end_ms
    }
}
