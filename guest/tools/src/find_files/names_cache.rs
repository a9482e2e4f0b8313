//! Cache of directories in a warm instance: all names in each, valid as long as its stamp is
//! unchanged. Times are never cached: a file's time can change while its directory's stamp does
//! not.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::find_files::names::{DirectoryNames, Visits};
use docent_corpus::limits::CACHE_KEEP_CALLS;
use docent_tree::disk::Stamp;

/// The names of directories, by root and path, within a budget of bytes; and, regardless of the
/// budget, those of the directories in which the last page ended, since otherwise a directory that
/// spans many pages would be listed and sorted for each of them.
#[derive(Debug, Default)]
pub struct NamesCache {
    /// Bytes.
    budget: usize,
    /// Bytes.
    used: usize,
    /// Number of the current scan.
    scan: u64,
    /// True if something did not fit since the scan began.
    is_full: bool,
    roots: Vec<BTreeMap<Box<str>, CachedNames>>,
    ends: Vec<NamesPageEnd>,
}

/// A directory in which a page ended.
#[derive(Debug)]
pub struct NamesPageEnd {
    /// Index of its root.
    pub root: usize,
    /// Its path.
    pub path: String,
    /// From before it was listed.
    pub stamp: Stamp,
    /// Its names.
    pub names: Rc<DirectoryNames>,
    /// Visits of the directory.
    pub visits: Rc<Visits>,
}

#[derive(Debug)]
struct CachedNames {
    stamp: Stamp,
    names: Rc<DirectoryNames>,
    /// The scan that used it last.
    used: u64,
}

impl NamesCache {
    /// Creates a cache of at most `budget` bytes; 0 disables it.
    pub fn new(budget: usize) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }

    /// Returns true if the cache is enabled.
    pub fn is_on(&self) -> bool {
        self.budget > 0
    }

    /// Begins a scan. If the cache is full, entries that no scan has used for a long time are
    /// evicted; recent ones are kept, since otherwise a tree slightly larger than the budget would
    /// never be found in it.
    pub fn begin_scan(&mut self) {
        self.scan += 1;
        if !std::mem::take(&mut self.is_full) {
            return;
        }
        let oldest = self.scan.saturating_sub(CACHE_KEEP_CALLS);
        for directories in &mut self.roots {
            directories.retain(|path, cached| {
                let is_kept = cached.used >= oldest;
                if !is_kept {
                    self.used -= size(path, &cached.names);
                }
                is_kept
            });
        }
    }

    /// Stores the directories in which a page ended, in place of those of the previous page.
    pub fn set_page_ends(&mut self, ends: Vec<NamesPageEnd>) {
        self.ends = ends;
    }

    /// Returns the cached names of the directory in which the last page ended, if its stamp is
    /// unchanged.
    pub fn page_end(
        &self,
        root: usize,
        path: &str,
        stamp: Stamp,
    ) -> Option<(Rc<DirectoryNames>, Rc<Visits>)> {
        let end = self
            .ends
            .iter()
            .find(|end| end.root == root && end.path == path && end.stamp == stamp)?;
        Some((end.names.clone(), end.visits.clone()))
    }

    /// Returns the names in a directory as listed under `stamp`.
    pub fn get(&mut self, root: usize, path: &str, stamp: Stamp) -> Option<Rc<DirectoryNames>> {
        let cached = self.roots.get_mut(root)?.get_mut(path)?;
        if cached.stamp != stamp {
            return None;
        }
        cached.used = self.scan;
        Some(cached.names.clone())
    }

    /// Stores the names in a directory if there is room.
    pub fn insert(&mut self, root: usize, path: &str, stamp: Stamp, names: &Rc<DirectoryNames>) {
        while self.roots.len() <= root {
            self.roots.push(BTreeMap::new());
        }
        if let Some(old) = self.roots[root].remove(path) {
            self.used -= size(path, &old.names);
        }
        let size = size(path, names);
        // If the cache is full, the new directory is not stored and the old ones stay. Scans
        // visit a tree in the same order each time. In a tree slightly larger than the budget,
        // evicting the oldest entry would remove each one just before its next use, and the
        // cache would never have a hit.
        if self.used + size > self.budget {
            self.is_full = true;
            return;
        }
        self.used += size;
        let cached = CachedNames {
            stamp,
            names: names.clone(),
            used: self.scan,
        };
        self.roots[root].insert(path.into(), cached);
    }
}

fn size(path: &str, names: &DirectoryNames) -> usize {
    path.len() + names.bytes() + size_of::<CachedNames>() + size_of::<DirectoryNames>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use docent_tree::disk::Kind;

    fn names(count: usize) -> Rc<DirectoryNames> {
        let mut names = DirectoryNames::default();
        for i in 0..count {
            names.push(&format!("{i:04}"), Kind::File);
        }
        names.shrink();
        Rc::new(names)
    }

    #[test]
    fn believed_under_the_same_stamp_only() {
        let mut cache = NamesCache::new(1 << 20);
        cache.insert(0, "a", Stamp(1), &names(3));
        assert!(cache.get(0, "a", Stamp(1)).is_some());
        assert!(cache.get(0, "a", Stamp(2)).is_none());
        assert!(cache.get(1, "a", Stamp(1)).is_none());
        assert!(cache.get(0, "b", Stamp(1)).is_none());
    }

    #[test]
    fn never_over_budget_and_the_first_stay() {
        let mut cache = NamesCache::new(4000);
        for _ in 0..3 {
            cache.begin_scan();
            for i in 0..100 {
                cache.insert(0, &format!("{i}"), Stamp(1), &names(10));
                assert!(cache.used <= 4000, "{}", cache.used);
            }
            assert!(cache.get(0, "0", Stamp(1)).is_some());
            assert!(cache.get(0, "99", Stamp(1)).is_none());
        }
    }

    #[test]
    fn what_is_unused_for_long_makes_room() {
        let mut cache = NamesCache::new(4000);
        cache.begin_scan();
        cache.insert(0, "old", Stamp(1), &names(200));
        for _ in 0..=CACHE_KEEP_CALLS + 1 {
            cache.begin_scan();
            cache.insert(0, "new", Stamp(1), &names(200));
        }
        assert!(cache.get(0, "old", Stamp(1)).is_none());
        assert!(cache.get(0, "new", Stamp(1)).is_some());
    }
}
