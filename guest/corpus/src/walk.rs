//! The walk: every document and directory below a start, in ascending order of their paths, from
//! any point of that order on.

use std::rc::Rc;

use docent_api::types::SkipReason;

use crate::extensions::is_of_known_kind;
use crate::foreign;
use crate::limits::{CURSOR_PATH_BYTES, FOREIGN_PER_CALL, WALK_DEPTH};
use crate::store::{DirectoryId, DocumentId, Store};
use docent_text::decode::DecodedText;
use docent_tree::disk::{Directory, Failure, Kind, Metadata, Stamp};
use docent_tree::door::{Content, Denied, Extent, Stamps, Vetted};
use docent_tree::ignore::excluded::Excluded;
use docent_tree::ignore::files::IgnoreFiles;
use docent_tree::ignore::rules::{Chain, IGNORE_FILES};
use docent_tree::included::Included;
use docent_tree::listing::Listing;
use docent_tree::locate::Start;
use docent_tree::path::{RelPath, RelPathRef};
use docent_tree::skips::{Skips, reason};

/// What a step of the walk came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkStep {
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
    pub exclude: &'a Excluded,
    /// Levels below the start.
    pub depth: usize,
    /// Entries that are visited although names or rules leave them out.
    pub included: Included,
    /// The path, a directory's with `/` behind it, that everything found comes after.
    pub after: Option<&'a str>,
}

impl<'a> Reach<'a> {
    /// Returns the reach of a walk to files of every kind, however deep they lie.
    pub fn all_files(exclude: &'a Excluded) -> Self {
        Self {
            is_document: &|_| true,
            exclude,
            depth: usize::MAX,
            included: Included::default(),
            after: None,
        }
    }
}

/// A walk under way. What [`Walk::advance`] went to last is the *current* entry, and whatever tells
/// of an entry or reads one means that; before the first step there is none.
///
/// It is a state and no value that `advance` returns: such a value would borrow the walk, and with
/// it the store and the skips, which whoever looks at an entry writes to.
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
    /// Of the current entry.
    path: RelPath,
    /// Whether the next step goes into the current directory.
    descends: bool,
    /// Documents that are not text met so far.
    foreign_count: u32,
    /// Whether it was told of the current document that bytes of it are no text.
    has_told_replaced: bool,
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
    /// Bytes of the directory's own path.
    path_length: usize,
}

impl<T> Frame<T> {
    /// Returns the index of the current item; none before the first.
    fn current(&self) -> Option<usize> {
        self.next.checked_sub(1)
    }

    /// A stamp costs a call of the disk, and without a place in the store nobody asks for it.
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
    /// What the disk says when the start cannot be listed.
    pub fn begin(store: &'a mut Store, start: Start<T>, reach: Reach<'a>) -> Result<Self, Failure> {
        let start_depth = start.path.segments().count();
        let mut walk = Self {
            store,
            skips: Skips::default(),
            reach,
            root: start.root,
            start_depth,
            frames: Vec::new(),
            path: start.path,
            descends: false,
            foreign_count: 0,
            has_told_replaced: false,
        };
        // Whoever begins anew does not go on from there, and the listing may be a large one.
        if walk.reach.after.is_none() {
            walk.store.forget_end();
        }
        walk.enter(start.directory, start.chain)?;
        Ok(walk)
    }

    /// Returns the path of the current entry, relative to the root.
    pub fn path(&self) -> &str {
        self.path.as_str()
    }

    /// Returns the same path in its valid form.
    pub fn rel_path(&self) -> RelPathRef<'_> {
        self.path.borrowed()
    }

    /// Returns the name of the current entry.
    pub fn name(&self) -> &str {
        let start = self.frames.last().map_or(0, |frame| frame.path_length);
        let name = &self.path.as_str()[start..];
        name.strip_prefix('/').unwrap_or(name)
    }

    /// Levels of the current entry below the start: 1 for the start's own entries.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Goes to the next document or directory; none at the end.
    pub fn advance(&mut self) -> Option<WalkStep> {
        self.has_told_replaced = false;
        // Only now, for between two steps a caller may want to read in the directory's parent.
        if std::mem::take(&mut self.descends) {
            self.descend();
        }
        loop {
            let frame = self.frames.last_mut()?;
            self.path.truncate(frame.path_length);
            // Frames instead of recursion, for a caller takes one step at a time.
            let Some(item) = frame.listing.items.get(frame.next) else {
                self.frames.pop();
                continue;
            };
            if item.is_hidden && !self.reach.included.hidden {
                frame.next += 1;
                continue;
            }
            let kind = item.kind;
            // First, for in a tree of code most entries end here: before their path is put together
            // and any rule is looked at.
            if kind == Kind::File && !(self.reach.is_document)(&item.name) {
                frame.next += 1;
                let left_out = &mut self.skips.left_out;
                left_out.other_kinds = left_out.other_kinds.saturating_add(1);
                continue;
            }
            let holds_after = kind == Kind::Directory
                && self.reach.after.is_some_and(|after| {
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
            // After the rules: what they leave out is no loss that would have to be told.
            if self.start_depth + self.frames.len() > WALK_DEPTH
                || json_bytes(self.path.as_str()) > CURSOR_PATH_BYTES
            {
                self.skips.add(self.path.as_str(), SkipReason::TooDeep);
                continue;
            }
            match kind {
                Kind::File => return Some(WalkStep::Document),
                Kind::Directory => {
                    let goes_deeper = self.frames.len() < self.reach.depth;
                    // An earlier page has told of this directory, and ended somewhere in it.
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

    /// A link or device is named where a document or directory could have been meant by it.
    fn skip_special(&mut self, reason: SkipReason) {
        // `notes` may link to a directory and `notes.md` to a document; `lib.so` to neither.
        let name = self.name();
        if (self.reach.is_document)(name) || !name.contains('.') {
            self.skips.add(self.path.as_str(), reason);
        }
    }

    fn is_ignored(&mut self, is_directory: bool) -> bool {
        let Some(frame) = self.frames.last() else {
            return false;
        };
        if self.reach.included.ignored {
            return self.reach.exclude.ignores(self.path.as_str(), is_directory);
        }
        if frame.chain.is_none() && self.reach.exclude.is_empty() {
            return false;
        }
        let decide = || {
            let path = self.path.as_str();
            self.reach.exclude.ignores(path, is_directory)
                || frame
                    .chain
                    .as_ref()
                    .is_some_and(|chain| chain.ignores(path, is_directory))
        };
        // Kept beside the listing, so that a warm walk matches no pattern against any path.
        match (frame.id, frame.current()) {
            (Some(id), Some(item)) => {
                let chain = frame.chain.as_ref().map(|chain| chain.id);
                self.store.ignored(id, item, chain, decide)
            }
            _ => decide(),
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
            // A listing holds none of these; and if one did, it would not be told.
            Err(Denied::Sensitive) => return,
        };
        if let Err(failure) = entered
            && self.is_new_directory()
        {
            self.skips.add(self.path.as_str(), reason(failure));
        }
    }

    /// Whether no earlier page has told about the directory at the present path.
    fn is_new_directory(&self) -> bool {
        self.reach
            .after
            .and_then(|after| below(after, self.path.as_str()))
            .is_none_or(str::is_empty)
    }

    fn enter(&mut self, directory: Vetted<T>, chain: Option<Rc<Chain>>) -> Result<(), Failure> {
        // Before it is listed, so that a listing is at least as new as the stamp it is kept under.
        let stamp = directory.stamp();
        let path = self.path.as_str();
        let known = stamp.and_then(|stamp| self.store.listing(self.root, path, stamp));
        let (id, listing) = match known {
            Some(known) => known,
            None => {
                let listing = Rc::new(Listing::new(directory.entries()?));
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
        let left_out = &mut self.skips.left_out;
        if !self.reach.included.hidden {
            left_out.hidden = left_out.hidden.saturating_add(listing.hidden);
        }
        left_out.sensitive = left_out.sensitive.saturating_add(listing.sensitive);
        let chain = self.extend_chain(&directory, id, &listing, chain);
        // A page goes on by position, not by what was seen: entries that were made or removed in
        // between change nothing for those behind them.
        let next = self
            .reach
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
        // Where it is certain that each ignore file is the one that was read, none is read again.
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
        // Also where there are no rules in them: that they were read is worth remembering.
        let chain = Rc::new(Chain::new(parent, files.rules, self.path.as_str()));
        if let Some(id) = id
            && files.is_complete
        {
            self.store.insert_chain(id, parent_id, files.stamps, &chain);
        }
        Some(chain)
    }

    /// Says that the page ends here, and the next one will begin in the same directory.
    pub fn end_page(&mut self) {
        if let Some(frame) = self.frames.last()
            && let Some(stamp) = frame.stamp
        {
            let path = &self.path.as_str()[..frame.path_length];
            self.store
                .set_end(self.root, path, stamp, frame.listing.clone());
        }
    }

    /// Says that the current entry could not be examined.
    pub fn skip(&mut self, reason: SkipReason) {
        self.skips.add(self.path.as_str(), reason);
    }

    /// Says that the current file could not be examined: one that its name says to be text is told,
    /// any other is counted where it turned out to be none. Pictures are no loss.
    pub fn leave_out(&mut self, reason: SkipReason) {
        let is_none = matches!(
            reason,
            SkipReason::Binary | SkipReason::NotText | SkipReason::TooLarge
        );
        if is_none && !is_of_known_kind(self.name()) {
            self.skips.left_out.add(reason);
        } else {
            self.skip(reason);
        }
    }

    /// Returns the metadata of the current entry.
    ///
    /// # Errors
    /// What the disk says.
    pub fn metadata(&self) -> Result<Metadata, Failure> {
        let frame = self.frames.last().ok_or(Failure::NotFound)?;
        frame.directory.metadata(self.name())
    }

    /// Reads the current document.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn read(&self, extent: Extent) -> Result<Content, Denied> {
        let frame = self
            .frames
            .last()
            .ok_or(Denied::Failed(Failure::NotFound))?;
        frame.directory.read(self.name(), extent, frame.stamps())
    }

    /// Returns the text of the current document, of which these are all bytes, kept under `id`. Some
    /// that are no text are told among what was skipped.
    ///
    /// # Errors
    /// Why there is none.
    pub fn decode<'b>(
        &mut self,
        id: Option<DocumentId>,
        bytes: &'b [u8],
    ) -> Result<DecodedText<'b>, SkipReason> {
        let start = self.frames.last().map_or(0, |frame| frame.path_length);
        let name = self.path.as_str()[start..].trim_start_matches('/');
        let decoded = self.store.decode(name, bytes)?;
        if !decoded.replaced.is_empty() {
            if let Some(id) = id {
                self.store.note_replaced_bytes(id);
            }
            self.tell_replaced();
        }
        Ok(decoded)
    }

    /// Whether the current document may be opened: of those that are not text a call
    /// opens so many, whatever is known of them, and none when these have taken too long.
    pub fn admit(&mut self) -> bool {
        if foreign::format(self.name()).is_none() {
            return true;
        }
        self.foreign_count += 1;
        self.foreign_count <= FOREIGN_PER_CALL && !self.store.has_read_enough()
    }

    /// Returns the current document if what the store knows of it still holds. Bytes of it that are
    /// no text are told among what was skipped.
    pub fn current_document(&mut self) -> Option<DocumentId> {
        let (id, stamp) = self.stored_document()?;
        if !self.store.is_current(id, stamp) {
            return None;
        }
        if self.store.has_replaced_bytes(id) {
            self.tell_replaced();
        }
        Some(id)
    }

    /// Tells that bytes of the current document are no text: once, though it may be asked what is
    /// known of it and then be read.
    fn tell_replaced(&mut self) {
        if !std::mem::replace(&mut self.has_told_replaced, true) {
            self.skip(SkipReason::ReplacedBytes);
        }
    }

    /// Returns the current document, as far as the store knows it, and its present stamp.
    pub fn stored_document(&mut self) -> Option<(DocumentId, Stamp)> {
        let frame = self.frames.last_mut()?;
        let id = frame.id?;
        let document = self.store.document_id(id, frame.current()?)?;
        // One call for the whole directory, at the first document that is asked for in it: if the
        // sum of the stamps that were handed out is what it was, each of them is.
        let store = &self.store;
        let is_unchanged = *frame.is_unchanged.get_or_insert_with(|| {
            let sum = store.sum_of_stamps(id);
            sum.is_some() && sum == frame.directory.sum_of_stamps()
        });
        if is_unchanged && let Some(stamp) = self.store.handed_out_stamp(document) {
            return Some((document, stamp));
        }
        let stamp = self.frames.last()?.directory.stamp_of(self.name())?;
        self.store.note_stamp_handed_out(document);
        Some((document, stamp))
    }

    /// Begins to remember the current document, where that is possible.
    pub fn remember(&mut self, stamp: Option<Stamp>) -> Option<DocumentId> {
        let frame = self.frames.last()?;
        let (directory, item) = (frame.id?, frame.current()?);
        Some(self.store.insert_document(directory, item, stamp?))
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
    // The worst letter takes six bytes, `\u0001`; nearly every path is short enough even so.
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
