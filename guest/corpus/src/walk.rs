//! The walk: every document and directory below a start, in ascending order of their paths,
//! resumable at any point of that order.
//!
//! ```text
//! a-b.md
//! a/
//! a/x.md
//! a0.md
//! ```

mod containers;
mod documents;

use std::rc::Rc;

use docent_api::types::SkipReason;

use crate::limits::{CURSOR_PATH_BYTES, WALK_DEPTH};
use crate::store::{DirectoryId, Store};
use docent_tree::archive::{ContainerKind, EnteredContainers};
use docent_tree::disk::{Directory, Failure, Kind, Stamp};
use docent_tree::door::{Denied, Stamps, Vetted};
use docent_tree::ignore::excluded::Exclusions;
use docent_tree::ignore::files::IgnoreFiles;
use docent_tree::ignore::rules::{IGNORE_FILES, RuleChain};
use docent_tree::included::Inclusions;
use docent_tree::listing::Listing;
use docent_tree::locate::WalkStart;
use docent_tree::path::{RelPath, RelPathRef};
use docent_tree::skips::{Skips, reason};

/// The outcome of a step of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkStep {
    /// A document.
    Document,
    /// A directory; its entries follow, unless it is at the maximum depth.
    Directory,
}

/// The scope of a walk.
pub struct WalkOptions<'a> {
    /// Predicate by which files are documents, by name.
    pub is_document: &'a dyn Fn(&str) -> bool,
    /// Exclusions of the configuration.
    pub exclude: &'a Exclusions,
    /// Maximum depth below the start.
    pub depth: usize,
    /// Entries that are visited although names or rules exclude them.
    pub included: Inclusions,
    /// Containers whose members are visited, as those of directories.
    pub containers: EnteredContainers,
    /// Path after which the walk begins; that of a directory ends with `/`.
    pub after: Option<&'a str>,
}

impl<'a> WalkOptions<'a> {
    /// Returns the options of a walk over files of every kind, at any depth, outside of containers.
    pub fn all_files(exclude: &'a Exclusions) -> Self {
        Self {
            is_document: &|_| true,
            exclude,
            depth: usize::MAX,
            included: Inclusions::default(),
            containers: EnteredContainers::None,
            after: None,
        }
    }
}

/// A walk in progress. The entry to which [`Walk::advance`] moved last is the *current* entry, to
/// which all methods about an entry refer; before the first step there is none.
///
/// The current entry is part of the state instead of a value returned by `advance`: such a value
/// would borrow the walk, and with it the store and the skips, to which callers write while they
/// examine an entry.
pub struct Walk<'a, T> {
    /// Cache of the warm instance.
    pub store: &'a mut Store,
    /// Entries skipped so far.
    pub skips: Skips,
    options: WalkOptions<'a>,
    root: usize,
    /// Depth of the start below its root.
    start_depth: usize,
    frames: Vec<Frame<T>>,
    /// Path of the current entry.
    path: RelPath,
    /// True if the next step enters the current directory.
    descends: bool,
    /// Number of binary documents so far.
    foreign_count: u32,
    /// True if replaced bytes of the current document were reported already.
    has_reported_replaced: bool,
    /// Path of the last document that was found to have no members.
    without_members: String,
}

/// A directory on the path to the current entry.
#[derive(Debug)]
struct Frame<T> {
    directory: Vetted<T>,
    /// Stamp from before it was listed.
    stamp: Option<Stamp>,
    id: Option<DirectoryId>,
    listing: Rc<Listing>,
    chain: Option<Rc<RuleChain>>,
    /// True if every stamp handed out in this directory is still valid; `None` before that was
    /// checked.
    is_unchanged: Option<bool>,
    /// Index of the next item.
    next: usize,
    /// Bytes of the directory's own path.
    path_length: usize,
}

impl<T> Frame<T> {
    /// Returns the index of the current item, or `None` before the first.
    fn current(&self) -> Option<usize> {
        self.next.checked_sub(1)
    }

    /// Returns the kind of the container whose members the current directory holds.
    fn container(&self) -> Option<ContainerKind> {
        self.listing.items[self.current()?].container
    }

    /// Decides if stamps are needed: a stamp costs a call of the disk, and is unused without a
    /// place in the store.
    fn stamps(&self) -> Stamps {
        match self.id {
            Some(_) => Stamps::Wanted,
            None => Stamps::Unwanted,
        }
    }
}

impl<'a, T: Directory> Walk<'a, T> {
    /// Begins a walk.
    ///
    /// # Errors
    /// The error of the disk if the start cannot be listed.
    pub fn begin(
        store: &'a mut Store,
        start: WalkStart<T>,
        options: WalkOptions<'a>,
    ) -> Result<Self, Failure> {
        let start_depth = start.path.segments().count();
        let mut walk = Self {
            store,
            skips: Skips::default(),
            options,
            root: start.root,
            start_depth,
            frames: Vec::new(),
            path: start.path,
            descends: false,
            foreign_count: 0,
            has_reported_replaced: false,
            without_members: String::new(),
        };
        // A walk from the beginning does not continue the last page, and the listing that was kept
        // for that may be large.
        if walk.options.after.is_none() {
            walk.store.forget_end();
        }
        walk.enter(start.directory, start.chain)?;
        Ok(walk)
    }

    /// Returns the path of the current entry, relative to the root.
    pub fn path(&self) -> &str {
        self.path.as_str()
    }

    /// Returns the same path as a [`RelPathRef`].
    pub fn rel_path(&self) -> RelPathRef<'_> {
        self.path.as_borrowed()
    }

    /// Returns the name of the current entry.
    pub fn name(&self) -> &str {
        let start = self.frames.last().map_or(0, |frame| frame.path_length);
        let name = &self.path.as_str()[start..];
        name.strip_prefix('/').unwrap_or(name)
    }

    /// Returns the depth of the current entry below the start: 1 for the start's own entries.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Moves to the next document or directory; returns `None` at the end.
    pub fn advance(&mut self) -> Option<WalkStep> {
        self.has_reported_replaced = false;
        // The directory is entered in the next step and not in the one that reports it. Between the
        // two the parent is the current directory, in which the caller may still read the entry's
        // metadata; and a caller that ends a page here never lists the directory at all.
        if std::mem::take(&mut self.descends) {
            self.descend();
        }
        loop {
            let frame = self.frames.last_mut()?;
            self.path.truncate(frame.path_length);
            // The stack of directories is kept in frames: the walk returns to its caller after each
            // entry, which a recursion cannot.
            let Some(item) = frame.listing.items.get(frame.next) else {
                self.frames.pop();
                continue;
            };
            let is_left_out = item.is_hidden && !self.options.included.hidden
                || item
                    .container
                    .is_some_and(|kind| !self.options.containers.contain(kind));
            if is_left_out {
                frame.next += 1;
                continue;
            }
            let kind = item.kind;
            // The kind of a file is decided first. In a tree of code most entries end here, before
            // their path is composed and before any rule is evaluated.
            if kind == Kind::File && !(self.options.is_document)(&item.name) {
                frame.next += 1;
                let left_out = &mut self.skips.left_out;
                left_out.other_kinds = left_out.other_kinds.saturating_add(1);
                continue;
            }
            let holds_after = kind == Kind::Directory
                && self.options.after.is_some_and(|after| {
                    let inside = below(after, self.path.as_str());
                    inside.is_some_and(|after| item.holds(after))
                });
            self.path.push(&item.name);
            frame.next += 1;
            if self.is_ignored(kind == Kind::Directory) {
                let left_out = &mut self.skips.left_out;
                left_out.ignored = left_out.ignored.saturating_add(1);
                continue;
            }
            // The limits are tested after the rules, so that an excluded entry is not reported as
            // skipped. The path is measured as JSON, because it must fit into a cursor: a page that
            // ended at a longer path could not be continued.
            if self.start_depth + self.frames.len() > WALK_DEPTH
                || json_bytes(self.path.as_str()) > CURSOR_PATH_BYTES
            {
                self.skips.add(self.path.as_str(), SkipReason::TooDeep);
                continue;
            }
            match kind {
                Kind::File => return Some(WalkStep::Document),
                Kind::Directory => {
                    let goes_deeper = self.frames.len() < self.options.depth;
                    // The page before has reported this directory and ended somewhere in it. It is
                    // entered without being reported again.
                    if holds_after {
                        if goes_deeper {
                            self.descend();
                        }
                        continue;
                    }
                    self.descends = goes_deeper;
                    return Some(WalkStep::Directory);
                }
                Kind::Symlink => self.skip_special(SkipReason::Symlink),
                Kind::Other => self.skip_special(SkipReason::NotRegular),
            }
        }
    }

    /// Reports a link or device whose name could be that of a document or directory.
    fn skip_special(&mut self, reason: SkipReason) {
        // A link is only reported if its name could be that of a document or a directory: `notes`
        // may lead to a directory and `notes.md` to a document, but `lib.so` to neither. Trees of
        // code have many links of the last kind.
        let name = self.name();
        if (self.options.is_document)(name) || !name.contains('.') {
            self.skips.add(self.path.as_str(), reason);
        }
    }

    fn is_ignored(&mut self, is_directory: bool) -> bool {
        let Some(frame) = self.frames.last() else {
            return false;
        };
        if self.options.included.ignored {
            return self
                .options
                .exclude
                .ignores(self.path.as_str(), is_directory);
        }
        if frame.chain.is_none() && self.options.exclude.is_empty() {
            return false;
        }
        let decide = || {
            let path = self.path.as_str();
            self.options.exclude.ignores(path, is_directory)
                || frame
                    .chain
                    .as_ref()
                    .is_some_and(|chain| chain.ignores(path, is_directory))
        };
        // The decision is cached beside the listing, under the id of the chain of rules. A warm
        // walk then matches no pattern against any path, which would otherwise be done for each
        // entry of the tree.
        match (frame.id, frame.current()) {
            (Some(id), Some(item)) => {
                let chain = frame.chain.as_ref().map(|chain| chain.id);
                self.store.is_ignored(id, item, chain, decide)
            }
            _ => decide(),
        }
    }

    /// Enters the directory at the current path; one that cannot be listed is skipped.
    fn descend(&mut self) {
        let Some(parent) = self.frames.last() else {
            return;
        };
        let container = parent.container();
        if container.is_some() && !self.admit_container() {
            return;
        }
        let Some(parent) = self.frames.last() else {
            return;
        };
        let opened = parent.directory.directory(self.name());
        let chain = parent.chain.clone();
        let start_ms = self.store.reading_ms();
        let entered = match opened {
            Ok(directory) => self.enter(directory, chain),
            Err(Denied::Failed(failure)) => Err(failure),
            // A listing contains no sensitive directory, so that this is not expected. If one
            // occurs, it must not be reported: the report would reveal its name.
            Err(Denied::Sensitive) => return,
        };
        if container.is_some() {
            self.store.note_reading_since(start_ms);
        }
        if let Err(failure) = entered
            && self.is_new_directory()
            && !self.is_reported_as_document(failure)
        {
            self.skips.add(self.path.as_str(), reason(failure));
        }
    }

    /// Returns true if no earlier page has reported the directory at the current path.
    fn is_new_directory(&self) -> bool {
        self.options
            .after
            .and_then(|after| below(after, self.path.as_str()))
            .is_none_or(str::is_empty)
    }

    fn enter(&mut self, directory: Vetted<T>, chain: Option<Rc<RuleChain>>) -> Result<(), Failure> {
        // The stamp is taken before the directory is listed, so that the listing is at least as new
        // as the stamp under which it is stored. In the other order, a file created between the two
        // would be missing from a listing that counts as current until the next change.
        let stamp = directory.stamp();
        let path = self.path.as_str();
        let known = stamp.and_then(|stamp| self.store.listing(self.root, path, stamp));
        let (id, listing) = match known {
            Some(known) => known,
            None => {
                let listing = Rc::new(directory.listing()?);
                let id = stamp
                    .filter(|_| self.store.is_on())
                    .and_then(|stamp| self.store.insert_listing(self.root, path, stamp, &listing));
                (id, listing)
            }
        };
        if listing.unnamed > 0 && self.is_new_directory() {
            self.skips
                .add_many(self.path.as_str(), SkipReason::NameNotUtf8, listing.unnamed);
        }
        let (reason, omitted) = listing.omitted;
        if omitted > 0 && self.is_new_directory() {
            self.skips.add_many(self.path.as_str(), reason, omitted);
        }
        let left_out = &mut self.skips.left_out;
        if !self.options.included.hidden {
            left_out.hidden = left_out.hidden.saturating_add(listing.hidden);
        }
        left_out.sensitive = left_out.sensitive.saturating_add(listing.sensitive);
        let chain = self.extend_chain(&directory, id, &listing, chain);
        // A page continues after a path, not after a number of entries. Entries created or removed
        // between two pages then neither repeat nor hide any of those after the path; with a
        // number, each new file before it would make the page repeat one.
        let next = self
            .options
            .after
            .and_then(|after| below(after, self.path.as_str()))
            .map_or(0, |after| listing.index_after(after));
        let path_length = self.path.as_str().len();
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

    /// Returns the chain of a directory: its own ignore files before the chain of its parent.
    fn extend_chain(
        &mut self,
        directory: &Vetted<T>,
        id: Option<DirectoryId>,
        listing: &Listing,
        parent: Option<Rc<RuleChain>>,
    ) -> Option<Rc<RuleChain>> {
        let has_rules = listing.ignore_files != [false; IGNORE_FILES.len()];
        if !has_rules || self.is_without_wanted(directory) {
            return parent;
        }
        let parent_id = parent.as_ref().map(|chain| chain.id);
        // No ignore file is read again if each is certain to be unchanged: every one that the
        // listing names must have a stamp now, and all stamps must be those of the cached chain.
        if let Some(id) = id {
            let mut stamps = [None; IGNORE_FILES.len()];
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
        let is_new = self.is_new_directory();
        let wanted = match id {
            Some(_) => Stamps::Wanted,
            None => Stamps::Unwanted,
        };
        let above = parent.as_deref();
        let presence = listing.ignore_files;
        let files = IgnoreFiles::read(directory, presence, above, wanted, |name, failure| {
            if is_new {
                let mut path = self.path.clone();
                path.push(name);
                self.skips.add(path.as_str(), reason(failure));
            }
        });
        // The chain is stored even if it contains no rules: a missing entry would mean that the
        // files are unknown, and they would be read again by each walk.
        let chain = Rc::new(RuleChain::new(parent, files.rules, self.path.as_str()));
        if let Some(id) = id
            && files.is_complete
        {
            self.store.insert_chain(id, parent_id, files.stamps, &chain);
        }
        Some(chain)
    }

    /// Ends a page; the next one will begin in the same directory.
    pub fn end_page(&mut self) {
        if let Some(frame) = self.frames.last()
            && let Some(stamp) = frame.stamp
        {
            let path = &self.path.as_str()[..frame.path_length];
            self.store
                .set_end(self.root, path, stamp, frame.listing.clone());
        }
    }
}

/// Returns the part of `path` below the directory `above`, or `None` if it is not below.
fn below<'p>(path: &'p str, above: &str) -> Option<&'p str> {
    if above.is_empty() {
        return Some(path);
    }
    path.strip_prefix(above)?.strip_prefix('/')
}

/// Returns an upper bound of the bytes of a path as JSON. A `"` or `\` takes two bytes and a
/// control character at most six (RFC 8259, section 7); all others are written as they are.
fn json_bytes(path: &str) -> usize {
    // A control character takes the most bytes, six as in `\u0001`. Nearly every path is short
    // enough even if all of its bytes were such, and is not examined further.
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
