//! The walk: every document and directory below a start, in ascending order of their paths, from
//! any point of that order on.

use std::rc::Rc;

use docent_api::types::SkipReason;

use crate::foreign;
use crate::limits::{CURSOR_PATH_BYTES, FOREIGN_PER_CALL, WALK_DEPTH};
use crate::store::{DirectoryId, DocumentId, Store};
use docent_text::decode::DecodedText;
use docent_tree::disk::{Directory, Failure, Kind, Metadata, Stamp};
use docent_tree::door::{Content, Denied, Extent, Stamps, Vetted};
use docent_tree::ignore::rules::{Chain, IGNORE_FILES, Rules};
use docent_tree::limits::IGNORE_BYTES;
use docent_tree::listing::Listing;
use docent_tree::locate::Start;
use docent_tree::path::push_segment;
use docent_tree::skips::{Skips, reason};

/// What a step of the walk came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A document.
    Document,
    /// A directory; what it holds follows, unless it lies at the greatest depth.
    Directory,
}

/// How far a walk goes.
pub struct Reach<'a> {
    /// Which files are documents, by name.
    pub is_document: &'a dyn Fn(&str) -> bool,
    /// What the configuration leaves out.
    pub exclude: &'a Rules,
    /// Levels below the start.
    pub depth: usize,
    /// The path, a directory's with `/` behind it, that everything found comes after.
    pub after: Option<&'a str>,
}

/// A walk under way.
pub struct Walk<'a, T> {
    /// What a warm instance remembers.
    pub store: &'a mut Store,
    /// What could not be examined so far.
    pub skips: Skips,
    reach: Reach<'a>,
    root: usize,
    /// Levels of the start below its root.
    start_depth: usize,
    frames: Vec<Frame<T>>,
    path: String,
    /// Whether the next step goes into the directory that was found last.
    descends: bool,
    /// Documents that are not text met so far.
    foreign: u32,
}

/// A directory on the way.
#[derive(Debug)]
struct Frame<T> {
    directory: Vetted<T>,
    /// From before it was listed.
    stamp: Option<Stamp>,
    id: Option<DirectoryId>,
    listing: Rc<Listing>,
    chain: Option<Rc<Chain>>,
    /// Whether every stamp that was given out in this directory is still true; none before that
    /// was asked.
    is_unchanged: Option<bool>,
    /// Index of the item to come.
    next: usize,
    path_length: usize,
}

impl<'a, T: Directory> Walk<'a, T> {
    /// Begins a walk.
    ///
    /// # Errors
    /// What the disk says when the start cannot be listed.
    pub fn begin(store: &'a mut Store, start: Start<T>, reach: Reach<'a>) -> Result<Self, Failure> {
        let mut walk = Self {
            store,
            skips: Skips::default(),
            reach,
            root: start.root,
            start_depth: start.path.segments().count(),
            frames: Vec::new(),
            path: start.path.as_str().to_owned(),
            descends: false,
            foreign: 0,
        };
        if walk.reach.after.is_none() {
            walk.store.forget_end();
        }
        walk.enter(start.directory, start.chain)?;
        Ok(walk)
    }

    /// Returns the path of what was found last, relative to the root.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the name of what was found last.
    pub fn name(&self) -> &str {
        let start = self.frames.last().map_or(0, |frame| frame.path_length);
        self.path[start..].trim_start_matches('/')
    }

    /// Levels of what was found last below the start: 1 for the start's own entries.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Goes to the next document or directory; none at the end.
    pub fn advance(&mut self) -> Option<Found> {
        if std::mem::take(&mut self.descends) {
            self.descend();
        }
        loop {
            let frame = self.frames.last_mut()?;
            self.path.truncate(frame.path_length);
            let Some(item) = frame.listing.items.get(frame.next) else {
                self.frames.pop();
                continue;
            };
            let kind = item.kind;
            if kind == Kind::File && !(self.reach.is_document)(&item.name) {
                frame.next += 1;
                continue;
            }
            let holds_after = kind == Kind::Directory
                && self.reach.after.is_some_and(|after| {
                    let inside = below(after, &self.path);
                    inside.is_some_and(|after| item.holds(after))
                });
            push_segment(&mut self.path, &item.name);
            frame.next += 1;
            if self.is_ignored(kind == Kind::Directory) {
                continue;
            }
            if self.start_depth + self.frames.len() > WALK_DEPTH
                || json_bytes(&self.path) > CURSOR_PATH_BYTES
            {
                self.skips.add(&self.path, SkipReason::TooDeep);
                continue;
            }
            match kind {
                Kind::File => return Some(Found::Document),
                Kind::Directory => {
                    let goes_deeper = self.frames.len() < self.reach.depth;
                    if holds_after {
                        if goes_deeper {
                            self.descend();
                        }
                        continue;
                    }
                    self.descends = goes_deeper;
                    return Some(Found::Directory);
                }
                Kind::Symlink => self.skip_special(SkipReason::Symlink),
                Kind::Other => self.skip_special(SkipReason::NotRegular),
            }
        }
    }

    /// A link or device is named where a document or directory could have been meant by it.
    fn skip_special(&mut self, reason: SkipReason) {
        let name = self.name();
        if (self.reach.is_document)(name) || !name.contains('.') {
            self.skips.add(&self.path, reason);
        }
    }

    fn is_ignored(&mut self, is_directory: bool) -> bool {
        let Some(frame) = self.frames.last() else {
            return false;
        };
        if frame.chain.is_none() && self.reach.exclude.is_empty() {
            return false;
        }
        let decide = || {
            self.reach.exclude.ignores(&self.path, is_directory)
                || frame
                    .chain
                    .as_ref()
                    .is_some_and(|c| c.ignores(&self.path, is_directory))
        };
        match frame.id {
            Some(id) => {
                let chain = frame.chain.as_ref().map(|chain| chain.id);
                self.store.ignored(id, frame.next - 1, chain, decide)
            }
            None => decide(),
        }
    }

    /// Goes into the directory at the present path; one that cannot be listed is skipped.
    fn descend(&mut self) {
        let Some(parent) = self.frames.last() else {
            return;
        };
        let opened = parent.directory.directory(self.name());
        let chain = parent.chain.clone();
        let entered = match opened {
            Ok(directory) => self.enter(directory, chain),
            Err(Denied::Failed(failure)) => Err(failure),
            Err(Denied::Sensitive) => return,
        };
        if let Err(failure) = entered
            && self.is_new_directory()
        {
            self.skips.add(&self.path, reason(failure));
        }
    }

    /// Whether no earlier page has told about the directory at the present path.
    fn is_new_directory(&self) -> bool {
        self.reach
            .after
            .and_then(|after| below(after, &self.path))
            .is_none_or(str::is_empty)
    }

    fn enter(&mut self, directory: Vetted<T>, chain: Option<Rc<Chain>>) -> Result<(), Failure> {
        let stamp = directory.stamp();
        let known = stamp.and_then(|stamp| self.store.listing(self.root, &self.path, stamp));
        let (id, listing) = match known {
            Some(known) => known,
            None => {
                let listing = Rc::new(Listing::new(directory.entries()?));
                let id = stamp.filter(|_| self.store.is_on()).and_then(|stamp| {
                    self.store
                        .insert_listing(self.root, &self.path, stamp, &listing)
                });
                (id, listing)
            }
        };
        if listing.unnamed > 0 && self.is_new_directory() {
            self.skips
                .add_many(&self.path, SkipReason::NameNotUtf8, listing.unnamed);
        }
        let chain = self.extend_chain(&directory, id, &listing, chain);
        let next = self
            .reach
            .after
            .and_then(|after| below(after, &self.path))
            .map_or(0, |after| listing.index_after(after));
        let path_length = self.path.len();
        self.frames.push(Frame {
            directory,
            stamp,
            id,
            listing,
            chain,
            is_unchanged: None,
            next,
            path_length,
        });
        Ok(())
    }

    /// Returns the chain of a directory: its parent's, with its own ignore files before it.
    fn extend_chain(
        &mut self,
        directory: &Vetted<T>,
        id: Option<DirectoryId>,
        listing: &Listing,
        parent: Option<Rc<Chain>>,
    ) -> Option<Rc<Chain>> {
        if listing.ignore_files == [false; IGNORE_FILES.len()] {
            return parent;
        }
        let parent_id = parent.as_ref().map(|chain| chain.id);
        let mut stamps = [None; IGNORE_FILES.len()];
        if let Some(id) = id {
            for (i, name) in IGNORE_FILES.into_iter().enumerate() {
                if listing.ignore_files[i] {
                    stamps[i] = directory.stamp_of(name);
                }
            }
            let is_certain =
                (0..IGNORE_FILES.len()).all(|i| stamps[i].is_some() == listing.ignore_files[i]);
            if is_certain && let Some(chain) = self.store.chain(id, parent_id, stamps) {
                return Some(chain);
            }
        }
        let mut rules = Rules::default();
        let mut is_complete = true;
        for (i, name) in IGNORE_FILES.into_iter().enumerate() {
            if !listing.ignore_files[i] {
                continue;
            }
            let wanted = if id.is_some() {
                Stamps::Wanted
            } else {
                Stamps::Unwanted
            };
            match directory.read(name, Extent::Whole(IGNORE_BYTES), wanted) {
                Ok(Content { bytes, stamp }) => {
                    is_complete &= stamp.is_some();
                    stamps[i] = stamp;
                    rules.add_file(&bytes);
                }
                Err(Denied::Failed(failure)) => {
                    is_complete = false;
                    if self.is_new_directory() {
                        let mut path = self.path.clone();
                        push_segment(&mut path, name);
                        self.skips.add(&path, reason(failure));
                    }
                }
                Err(Denied::Sensitive) => is_complete = false,
            }
        }
        let chain = Rc::new(Chain::new(parent, rules, &self.path));
        if let Some(id) = id
            && is_complete
        {
            self.store.insert_chain(id, parent_id, stamps, &chain);
        }
        Some(chain)
    }

    /// Says that the page ends here, and the next one will begin in the same directory.
    pub fn end_page(&mut self) {
        if let Some(frame) = self.frames.last()
            && let Some(stamp) = frame.stamp
        {
            let path = &self.path[..frame.path_length];
            self.store
                .set_end(self.root, path, stamp, frame.listing.clone());
        }
    }

    /// Says that what was found last could not be examined.
    pub fn skip(&mut self, reason: SkipReason) {
        self.skips.add(&self.path, reason);
    }

    /// Returns the metadata of what was found last.
    ///
    /// # Errors
    /// What the disk says.
    pub fn metadata(&self) -> Result<Metadata, Failure> {
        let frame = self.frames.last().ok_or(Failure::NotFound)?;
        frame.directory.metadata(self.name())
    }

    /// Reads the document that was found last.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn read(&self, extent: Extent) -> Result<Content, Denied> {
        let frame = self
            .frames
            .last()
            .ok_or(Denied::Failed(Failure::NotFound))?;
        let stamps = if frame.id.is_some() {
            Stamps::Wanted
        } else {
            Stamps::Unwanted
        };
        frame.directory.read(self.name(), extent, stamps)
    }

    /// Returns the text of the document that was found last, of which these are all bytes.
    ///
    /// # Errors
    /// Why there is none.
    pub fn decode<'b>(&mut self, bytes: &'b [u8]) -> Result<DecodedText<'b>, SkipReason> {
        let start = self.frames.last().map_or(0, |frame| frame.path_length);
        let name = self.path[start..].trim_start_matches('/');
        self.store.decode(name, bytes)
    }

    /// Whether the document that was found last may be opened: of those that are not text a call
    /// opens so many, whatever is known of them.
    pub fn admit(&mut self) -> bool {
        if foreign::format(self.name()).is_none() {
            return true;
        }
        self.foreign += 1;
        self.foreign <= FOREIGN_PER_CALL
    }

    /// Returns the document that was found last, as far as the store knows it, and its present
    /// stamp.
    pub fn known(&mut self) -> Option<(DocumentId, Stamp)> {
        let frame = self.frames.last_mut()?;
        let id = frame.id?;
        let document = self.store.document_id(id, frame.next - 1)?;
        let store = &self.store;
        let is_unchanged = *frame.is_unchanged.get_or_insert_with(|| {
            let sum = store.sum_of_stamps(id);
            sum.is_some() && sum == frame.directory.sum_of_stamps()
        });
        if is_unchanged && let Some(stamp) = self.store.given_stamp(document) {
            return Some((document, stamp));
        }
        let stamp = self.frames.last()?.directory.stamp_of(self.name())?;
        self.store.set_given(document);
        Some((document, stamp))
    }

    /// Begins to remember the document that was found last, where that is possible.
    pub fn remember(&mut self, stamp: Option<Stamp>) -> Option<DocumentId> {
        let frame = self.frames.last()?;
        Some(
            self.store
                .insert_document(frame.id?, frame.next - 1, stamp?),
        )
    }
}

/// Returns what of `path` comes below the directory `above`; none when it is not below.
fn below<'p>(path: &'p str, above: &str) -> Option<&'p str> {
    if above.is_empty() {
        return Some(path);
    }
    path.strip_prefix(above)?.strip_prefix('/')
}

/// Returns how many bytes a path takes as JSON, at most.
fn json_bytes(path: &str) -> usize {
    if path.len() * 6 <= CURSOR_PATH_BYTES {
        return path.len();
    }
    path.bytes()
        .map(|byte| match byte {
            0..0x20 => 6,
            b'"' | b'\\' => 2,
            _ => 1,
        })
        .sum()
}
