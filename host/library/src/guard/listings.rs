//! What listings have shown to be regular files, so that a guest which reads its way through a
//! directory has each of them opened in one step.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

/// RegularFiles that are remembered of one listing; more are opened the careful way.
const REMEMBERED: usize = 100_000;

/// The regular files that this call's listings have shown, by the guest's descriptor of the
/// directory.
#[derive(Default)]
pub(crate) struct Listings {
    directories: HashMap<u32, RegularFiles, RandomState>,
}

/// The regular files of one directory.
#[derive(Default)]
pub(crate) struct RegularFiles {
    /// All names, one behind the other.
    text: String,
    /// Where each stands; sorted bytewise by name once the listing is complete.
    sorted: Vec<Range<usize>>,
    /// Where a guest that goes through them in order is.
    next: usize,
}

impl RegularFiles {
    /// Adds a name that a listing shows.
    pub(crate) fn push(&mut self, name: &str) {
        if self.sorted.len() < REMEMBERED {
            let start = self.text.len();
            self.text.push_str(name);
            self.sorted.push(start..self.text.len());
        }
    }

    fn contains(&mut self, name: &str) -> bool {
        let found = match self.sorted.get(self.next) {
            // A guest that goes through a listing in order asks for the next one each time.
            Some(guess) if self.text[guess.clone()] == *name => Some(self.next),
            _ => self
                .sorted
                .binary_search_by(|known| self.text[known.clone()].cmp(name))
                .ok(),
        };
        if let Some(index) = found {
            self.next = index + 1;
        }
        found.is_some()
    }
}

impl Listings {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.directories.clear();
    }

    /// Remembers what a listing of `directory` has shown, in place of what an earlier one has.
    pub(crate) fn insert(&mut self, directory: u32, mut names: RegularFiles) {
        let RegularFiles { text, sorted, .. } = &mut names;
        // Once for each listing, so that asking out of order is no walk through all names.
        sorted.sort_unstable_by(|a, b| text[a.clone()].cmp(&text[b.clone()]));
        self.directories.insert(directory, names);
    }

    /// Forgets a directory that the guest closes.
    pub(crate) fn remove(&mut self, directory: u32) {
        self.directories.remove(&directory);
    }

    /// Whether a listing of `directory` has shown `name` to be a regular file.
    pub(crate) fn contains(&mut self, directory: u32, name: &str) -> bool {
        self.directories
            .get_mut(&directory)
            .is_some_and(|names| names.contains(name))
    }
}

#[cfg(test)]
mod tests {
    use super::{Listings, RegularFiles};

    fn listings(names: &[&str]) -> Listings {
        let mut shown = RegularFiles::default();
        for name in names {
            shown.push(name);
        }
        let mut listings = Listings::default();
        listings.insert(7, shown);
        listings
    }

    #[test]
    fn names_are_found_in_any_order_and_again() {
        let mut listings = listings(&["b", "a", "d"]);
        for name in ["a", "b", "d", "d", "a", "b"] {
            assert!(listings.contains(7, name), "{name}");
        }
        for name in ["", "c", "e", "a/b", "."] {
            assert!(!listings.contains(7, name), "{name}");
        }
    }

    #[test]
    fn what_was_not_listed_or_is_closed_is_not_known() {
        let mut listings = listings(&["a"]);
        assert!(!listings.contains(8, "a"));
        listings.insert(7, RegularFiles::default());
        assert!(!listings.contains(7, "a"), "a new listing replaces the old");
        listings.insert(7, {
            let mut names = RegularFiles::default();
            names.push("a");
            names
        });
        assert!(listings.contains(7, "a"));
        listings.remove(7);
        assert!(!listings.contains(7, "a"));
    }
}
