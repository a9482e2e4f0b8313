//! Cached directories: their listings, the ignore rules in effect, and their documents.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::limits::CACHE_ENTRY_BYTES;
use crate::store::Store;
use crate::store::ids::{DirectoryId, DocumentId, index_u32};
use crate::store::known_directory::{KnownDirectory, KnownRules, PageEnd};
use docent_tree::disk::{Kind, Stamp};
use docent_tree::ignore::rules::{ChainId, IGNORE_FILES, RuleChain};
use docent_tree::listing::Listing;

impl Store {
    /// Returns the listing of the directory at `path` if it was made under `stamp`, and the id of
    /// the directory if it is cached.
    pub fn listing(
        &mut self,
        root: usize,
        path: &str,
        stamp: Stamp,
    ) -> Option<(Option<DirectoryId>, Rc<Listing>)> {
        let Some(&id) = self.paths.get(root).and_then(|paths| paths.get(path)) else {
            // Without a budget, the directory in which the last page ended is all that is kept. The
            // next page begins in it, and a directory of many pages would otherwise be listed for
            // each of them.
            let end = self.end.as_ref()?;
            let is_same = end.root == root && end.path == path && end.stamp == stamp;
            return is_same.then(|| (None, end.listing.clone()));
        };
        let call = self.call;
        let known = self.directory(id)?;
        known.used = call;
        // A stale listing is not returned, but stays in the store until the directory is listed
        // again: `insert_listing` finds in it the documents that are still there.
        (known.stamp == stamp).then(|| (Some(id), known.listing.clone()))
    }

    /// Stores the directory in which a page ended.
    pub fn set_end(&mut self, root: usize, path: &str, stamp: Stamp, listing: Rc<Listing>) {
        let path = path.to_owned();
        self.end = Some(PageEnd {
            root,
            path,
            stamp,
            listing,
        });
    }

    /// Clears the end of the last page.
    pub fn forget_end(&mut self) {
        self.end = None;
    }

    /// Stores the listing of the directory at `path`, and keeps the cached documents that are still
    /// in it. Returns `None` if there is no room.
    pub fn insert_listing(
        &mut self,
        root: usize,
        path: &str,
        stamp: Stamp,
        listing: &Rc<Listing>,
    ) -> Option<DirectoryId> {
        // Each root has paths of its own. Roots are visited in any order, so that those before this
        // one may be missing.
        while self.paths.len() <= root {
            self.paths.push(BTreeMap::new());
        }
        // The old listing is removed before room is made for the new one. With both counted, the
        // listing of a large directory would not fit into a nearly full cache, although it replaces
        // one of the same size.
        let old = self.paths[root].remove(path);
        let old = old.and_then(|id| self.take_directory(id));
        let size = listing_bytes(listing);
        if !self.make_room(size) {
            if let Some(old) = old {
                // The documents are only found by their listing, and would occupy memory without
                // ever being used again.
                self.free_all(old.documents);
            }
            return None;
        }
        let mut documents = vec![None; listing.items.len()];
        if let Some(old) = old {
            self.keep_known(root, path, old, listing, &mut documents);
        }
        // The disk has just listed the directory and begins its sum of stamps again. A document
        // whose stamp it has not handed out since then is missing from that sum, so that it must be
        // missing from ours: otherwise the two sums would differ until the next listing, and each
        // stamp would be requested on its own.
        for id in documents.iter().flatten() {
            if let Some(document) = self.documents[id.0 as usize].as_mut() {
                document.is_stamp_handed_out = false;
            }
        }
        self.used += size;
        let known = KnownDirectory {
            stamp,
            listing: listing.clone(),
            documents,
            // The rules are dropped with the old listing. The disk handed out the stamps of their
            // files before this listing, so that its sum no longer includes them.
            rules: None,
            ignored: (None, Vec::new()),
            used: self.call,
        };
        let id = self.free_directories.pop().unwrap_or_else(|| {
            self.directories.push(None);
            DirectoryId(index_u32(self.directories.len() - 1))
        });
        self.directories[id.0 as usize] = Some(known);
        self.paths[root].insert(path.to_owned(), id);
        Some(id)
    }

    /// Moves the documents of `old` that `listing` still contains to `documents`, and drops the
    /// others, with all removed directories.
    fn keep_known(
        &mut self,
        root: usize,
        path: &str,
        old: KnownDirectory,
        listing: &Listing,
        documents: &mut [Option<DocumentId>],
    ) {
        let names: BTreeMap<&str, usize> = listing
            .items
            .iter()
            .enumerate()
            .filter(|(_, item)| item.kind == Kind::File)
            .map(|(i, item)| (&*item.name, i))
            .collect();
        for (item, document) in old.listing.items.iter().zip(&old.documents) {
            match names.get(&*item.name) {
                Some(&i) if item.kind == Kind::File => documents[i] = *document,
                _ => self.free_all(document.iter().copied().map(Some)),
            }
        }
        let present: BTreeSet<&str> = listing
            .items
            .iter()
            .filter(|item| item.kind == Kind::Directory)
            .map(|item| &*item.name)
            .collect();
        let gone = old
            .listing
            .items
            .iter()
            .filter(|item| item.kind == Kind::Directory && !present.contains(&*item.name));
        // The directories below a removed one are removed as well. A directory that is created
        // under its name later would otherwise find the listings of the old one under its paths.
        for item in gone {
            let mut inside = path.to_owned();
            docent_tree::path::push_segment(&mut inside, &item.name);
            self.forget_below(root, &inside);
        }
    }

    fn forget_below(&mut self, root: usize, path: &str) {
        let prefix = format!("{path}/");
        // `a-b` sorts between `a` and `a/x`. A range that ends at the first path which is not below
        // `a` would therefore miss `a/x`: all paths that begin with `a` are visited, and only those
        // below it are taken.
        let gone: Vec<String> = self.paths[root]
            .range(path.to_owned()..)
            .map(|(known, _)| known)
            .take_while(|known| known.starts_with(path))
            .filter(|known| *known == path || known.starts_with(&prefix))
            .cloned()
            .collect();
        for path in gone {
            if let Some(id) = self.paths[root].remove(&path)
                && let Some(known) = self.take_directory(id)
            {
                self.free_all(known.documents);
            }
        }
    }

    pub(super) fn directory(&mut self, id: DirectoryId) -> Option<&mut KnownDirectory> {
        self.directories.get_mut(id.0 as usize)?.as_mut()
    }

    fn take_directory(&mut self, id: DirectoryId) -> Option<KnownDirectory> {
        let known = self.directories.get_mut(id.0 as usize)?.take()?;
        self.free_directories.push(id);
        let rules = known.rules.as_ref();
        self.used -= rules.map_or(0, |rules| rules.chain.bytes());
        self.used -= listing_bytes(&known.listing);
        Some(known)
    }

    /// Returns the chain of a directory if it was built from the same parent and the same files.
    pub fn chain(
        &mut self,
        id: DirectoryId,
        parent: Option<ChainId>,
        stamps: [Option<Stamp>; IGNORE_FILES.len()],
    ) -> Option<Rc<RuleChain>> {
        let rules = self.directory(id)?.rules.as_ref()?;
        (rules.parent == parent && rules.stamps == stamps).then(|| rules.chain.clone())
    }

    /// Stores the chain of a directory.
    pub fn insert_chain(
        &mut self,
        id: DirectoryId,
        parent: Option<ChainId>,
        stamps: [Option<Stamp>; IGNORE_FILES.len()],
        chain: &Rc<RuleChain>,
    ) {
        let bytes = chain.bytes();
        if self.make_room(bytes)
            && let Some(known) = self.directory(id)
        {
            let rules = KnownRules {
                parent,
                stamps,
                chain: chain.clone(),
            };
            let old = known.rules.replace(rules);
            self.used += bytes;
            self.used -= old.map_or(0, |old| old.chain.bytes());
        }
    }

    /// Returns true if an item is excluded under the chain with this id, calling `decide` if that
    /// is not cached.
    pub fn is_ignored(
        &mut self,
        id: DirectoryId,
        item: usize,
        chain: Option<ChainId>,
        decide: impl FnOnce() -> bool,
    ) -> bool {
        let Some(known) = self.directory(id) else {
            return decide();
        };
        // A rebuilt chain has a new id, even if its rules are the same, so that decisions under an
        // older chain are never used.
        if known.ignored.0 != chain || known.ignored.1.is_empty() {
            known.ignored = (chain, vec![None; known.documents.len()]);
        }
        *known.ignored.1[item].get_or_insert_with(decide)
    }

    /// Returns the wrapping sum of all stamps in a directory that the disk has handed out since it
    /// was last listed, as they were then, or `None` if there are none.
    pub fn sum_of_stamps(&self, id: DirectoryId) -> Option<Stamp> {
        let known = self.directories.get(id.0 as usize)?.as_ref()?;
        let rules = known.rules.iter().flat_map(|rules| &rules.stamps);
        let documents = known.documents.iter().flatten();
        rules
            .filter_map(|stamp| *stamp)
            .chain(documents.filter_map(|id| self.stamp_of_listing(*id)))
            .map(|stamp| stamp.0)
            .reduce(u128::wrapping_add)
            .map(Stamp)
    }

    /// Evicts the directories last used before the call `oldest`.
    pub(super) fn sweep_directories(&mut self, oldest: u64) {
        for root in 0..self.paths.len() {
            let old: Vec<String> = self.paths[root]
                .iter()
                .filter(|(_, id)| {
                    self.directories[id.0 as usize]
                        .as_ref()
                        .is_none_or(|d| d.used < oldest)
                })
                .map(|(path, _)| path.clone())
                .collect();
            for path in old {
                if let Some(id) = self.paths[root].remove(&path)
                    && let Some(known) = self.take_directory(id)
                {
                    self.free_all(known.documents);
                }
            }
        }
    }
}

fn listing_bytes(listing: &Listing) -> usize {
    listing
        .items
        .iter()
        .map(|item| item.name.len() + CACHE_ENTRY_BYTES)
        .sum()
}
