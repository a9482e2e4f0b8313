//! The regular files that listings have shown, so that a guest that reads all files of a directory
//! can open each of them in one step.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

/// Maximum number of regular files remembered per listing; further files are opened the careful
/// way.
const REMEMBERED: usize = 100_000;

/// Maximum bytes of all remembered listings of an instance: two of the longest, with names of
/// ordinary length. A guest may hold a thousand listings, and this memory is the host's.
const BYTES: usize = 8 << 20;

/// The regular files shown by the listings of this call, keyed by the opening of the directory.
#[derive(Default)]
pub(crate) struct Listings {
    directories: HashMap<u64, RegularFiles, RandomState>,
    /// Bytes in use, including those of incomplete listings.
    bytes: usize,
}

/// The regular files of one directory.
#[derive(Default)]
pub(crate) struct RegularFiles {
    /// All names, concatenated.
    text: String,
    /// Byte range of each name in `text`; sorted bytewise by name once the listing is complete.
    sorted: Vec<Range<usize>>,
    /// Index of the name that a guest that opens them in order needs next.
    next: usize,
}

impl RegularFiles {
    fn contains(&mut self, name: &str) -> bool {
        let found = match self.sorted.get(self.next) {
            // A guest that reads a whole directory opens its files in the order of their names,
            // so the expected name is compared first. Only an open out of that order costs a
            // binary search.
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

    fn bytes(&self) -> usize {
        self.text.len() + self.sorted.len() * size_of::<Range<usize>>()
    }
}

impl Listings {
    /// Forgets all complete listings.
    pub(crate) fn clear(&mut self) {
        let bytes: usize = self.directories.values().map(RegularFiles::bytes).sum();
        self.bytes -= bytes;
        self.directories.clear();
    }

    /// Adds a name that a listing shows, if there is room.
    pub(crate) fn show(&mut self, shown: &mut RegularFiles, name: &str) {
        let bytes = name.len() + size_of::<Range<usize>>();
        // A name beyond the limits is not an error: its file is opened the careful way, with
        // one more system call. The limit is for the memory of the host, which a guest does not
        // pay for. It may keep hundreds of directories open and list each of them.
        if shown.sorted.len() < REMEMBERED && self.bytes + bytes <= BYTES {
            self.bytes += bytes;
            let start = shown.text.len();
            shown.text.push_str(name);
            shown.sorted.push(start..shown.text.len());
        }
    }

    /// Stores the names of a complete listing of `directory`, replacing those of an earlier one.
    pub(crate) fn insert(&mut self, directory: u64, mut names: RegularFiles) {
        let RegularFiles { text, sorted, .. } = &mut names;
        // Sorted once per listing. A directory may have 100 000 files; searching an unsorted
        // list for each open would make reading them all quadratic.
        sorted.sort_unstable_by(|a, b| text[a.clone()].cmp(&text[b.clone()]));
        if let Some(before) = self.directories.insert(directory, names) {
            self.forget(&before);
        }
    }

    /// Forgets a directory that the guest closes.
    pub(crate) fn remove(&mut self, directory: u64) {
        if let Some(names) = self.directories.remove(&directory) {
            self.forget(&names);
        }
    }

    /// Releases the bytes of a listing that is not kept.
    pub(crate) fn forget(&mut self, names: &RegularFiles) {
        self.bytes -= names.bytes();
    }

    /// Returns true if a listing of `directory` has shown `name` to be a regular file.
    pub(crate) fn contains(&mut self, directory: u64, name: &str) -> bool {
        self.directories
            .get_mut(&directory)
            .is_some_and(|names| names.contains(name))
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES, Listings, RegularFiles};

    fn listings(names: &[&str]) -> Listings {
        let mut listings = Listings::default();
        let mut shown = RegularFiles::default();
        for name in names {
            listings.show(&mut shown, name);
        }
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
        let mut names = RegularFiles::default();
        listings.show(&mut names, "a");
        listings.insert(7, names);
        assert!(listings.contains(7, "a"));
        listings.remove(7);
        assert!(!listings.contains(7, "a"));
        assert_eq!(listings.bytes, 0);
    }

    #[test]
    fn all_listings_together_have_an_end() {
        let mut listings = Listings::default();
        let name = "n".repeat(255);
        let mut open = Vec::new();
        for directory in 0..10 {
            let mut shown = RegularFiles::default();
            for _ in 0..BYTES / 1000 {
                listings.show(&mut shown, &name);
            }
            if directory % 2 == 0 {
                listings.insert(directory, shown);
            } else {
                open.push(shown);
            }
        }
        assert!(listings.bytes <= BYTES, "{}", listings.bytes);
        let held: usize = open.iter().map(RegularFiles::bytes).sum();
        listings.clear();
        assert_eq!(listings.bytes, held);
        for shown in &open {
            listings.forget(shown);
        }
        assert_eq!(listings.bytes, 0);
    }
}
