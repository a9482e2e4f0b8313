//! A ledger of the stamps that a guest has been given, so that it can check all stamps of a
//! directory with one request.
//!
//! A guest that caches its files would otherwise request each file's stamp at each call, and
//! crossing into the host costs as much as the answer.

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::RandomState;

use super::stamp::StatFields;

/// Maximum number of names in the ledger, over all directories; about 20 MB. Beyond it the sums
/// differ, and the guest requests each file's stamp.
const NAMES: usize = 200_000;

/// The identity of a directory, whatever its path.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct DirectoryIdentity {
    device: u64,
    inode: u64,
}

impl From<&StatFields> for DirectoryIdentity {
    fn from(stat_fields: &StatFields) -> Self {
        Self {
            device: stat_fields.device,
            inode: stat_fields.inode,
        }
    }
}

/// The ledger of one instance: the names of the entries whose stamps its guest holds.
#[derive(Default)]
pub(crate) struct StampLedger {
    names: HashMap<DirectoryIdentity, NotedNames, RandomState>,
    count: usize,
    /// Number of names that were ever added.
    added: u64,
    /// Identities of the guest's open directories whose own stamp it requested.
    directories: HashMap<u32, DirectoryIdentity, RandomState>,
    /// Descriptor of the file that was opened last, with its directory and its name.
    last_open: Option<(u32, DirectoryIdentity, String)>,
}

/// The names of the entries of one directory whose stamps a guest holds.
#[derive(Default)]
pub(crate) struct NotedNames {
    names: BTreeSet<Box<str>>,
    generation: u64,
}

impl NotedNames {
    /// Returns the names.
    pub(crate) fn names(&self) -> &BTreeSet<Box<str>> {
        &self.names
    }

    /// Returns a number that is different for any other set of names that the directory had.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }
}

impl StampLedger {
    /// Records that the guest requested the stamp of a directory. The ledger only tracks such
    /// directories.
    pub(crate) fn note_directory(&mut self, descriptor: u32, stat_fields: &StatFields) {
        self.directories.insert(descriptor, stat_fields.into());
    }

    /// Clears the names of a directory, because the guest lists it and starts over.
    pub(crate) fn reset(&mut self, directory: u32) {
        if let Some(object) = self.directories.get(&directory)
            && let Some(names) = self.names.remove(object)
        {
            self.count -= names.names.len();
        }
    }

    /// Forgets a directory that the guest closes: its descriptor may be reused for another.
    pub(crate) fn note_close(&mut self, directory: u32) {
        self.directories.remove(&directory);
    }

    /// Records that the guest opened the file `name` in a directory.
    pub(crate) fn note_open(&mut self, directory: u32, name: String, file: u32) {
        self.last_open = match self.directories.get(&directory) {
            // Only direct entries of the directory are part of its sum. The stamp of `a/b.md`
            // depends on `a` as well, which has its own listing and its own sum.
            Some(object) if !name.contains('/') => Some((file, *object, name)),
            _ => None,
        };
    }

    /// Records that the guest was given the stamp of an open file.
    pub(crate) fn note_file(&mut self, descriptor: u32) {
        // Guests request the stamp of a file right after opening it, before reading.
        // Remembering more than the last file would cost memory for each file whose stamp is
        // never requested. A guest that opens two files first only gets a sum without the first
        // one, and then requests each stamp.
        if let Some((file, object, name)) = self.last_open.take()
            && file == descriptor
        {
            self.add(object, &name);
        }
    }

    /// Records that the guest was given the stamp of the entry `name` of a directory.
    pub(crate) fn note_entry(&mut self, directory: u32, name: &str) {
        if let Some(object) = self.directories.get(&directory)
            && !name.contains('/')
        {
            self.add(*object, name);
        }
    }

    fn add(&mut self, directory: DirectoryIdentity, name: &str) {
        let names = self.names.entry(directory).or_default();
        // A name beyond the cap is not recorded. The guest then knows a stamp that is not in
        // the host's sum, so the two sums differ and the guest requests each stamp. That costs
        // time and is never wrong.
        if self.count < NAMES && !names.names.contains(name) {
            names.names.insert(name.into());
            self.count += 1;
            self.added += 1;
            names.generation = self.added;
        }
    }

    /// Returns the identity of a directory and the names in it whose stamps the guest was given
    /// since it last listed it; none if there are no such names.
    pub(crate) fn noted(&self, directory: u32) -> Option<(DirectoryIdentity, &NotedNames)> {
        let object = self.directories.get(&directory)?;
        Some((*object, self.names.get(object)?))
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMES, StampLedger};
    use crate::guard::stamp::StatFields;

    fn stat_fields(inode: u64) -> StatFields {
        StatFields {
            device: 1,
            inode,
            size: 0,
            modified: (0, 0),
            changed: (0, 0),
        }
    }

    fn names(ledger: &StampLedger, directory: u32) -> Vec<&str> {
        let noted = ledger.noted(directory);
        let names = noted.map(|(_, noted)| noted.names().iter().map(|name| &**name));
        names.into_iter().flatten().collect()
    }

    #[test]
    fn what_was_noted_is_told_through_any_descriptor_of_the_directory() {
        let mut ledger = StampLedger::default();
        ledger.note_directory(3, &stat_fields(7));
        ledger.note_entry(3, "b");
        ledger.note_open(3, "a".to_owned(), 9);
        ledger.note_file(9);
        ledger.note_entry(3, "b");
        ledger.note_close(3);
        assert!(names(&ledger, 3).is_empty());
        ledger.note_directory(5, &stat_fields(7));
        assert_eq!(names(&ledger, 5), ["a", "b"]);
        ledger.note_directory(6, &stat_fields(8));
        assert!(names(&ledger, 6).is_empty());
    }

    #[test]
    fn listing_begins_anew() {
        let mut ledger = StampLedger::default();
        ledger.note_directory(3, &stat_fields(7));
        ledger.note_entry(3, "a");
        let before = ledger.noted(3).map(|(_, noted)| noted.generation());
        ledger.reset(3);
        assert!(names(&ledger, 3).is_empty());
        assert_eq!(ledger.count, 0);
        ledger.note_entry(3, "a");
        let after = ledger.noted(3).map(|(_, noted)| noted.generation());
        assert!(before.is_some() && before < after);
    }

    #[test]
    fn only_what_the_guest_was_given_counts() {
        let mut ledger = StampLedger::default();
        ledger.note_entry(3, "no stamp of the directory");
        ledger.note_directory(3, &stat_fields(7));
        ledger.note_open(3, "opened only".to_owned(), 9);
        ledger.note_file(8);
        ledger.note_open(3, "below/another".to_owned(), 9);
        ledger.note_file(9);
        ledger.note_entry(3, "below/another");
        assert!(names(&ledger, 3).is_empty());
    }

    #[test]
    fn the_account_has_an_end() {
        let mut ledger = StampLedger::default();
        ledger.note_directory(3, &stat_fields(7));
        for i in 0..NAMES + 10 {
            ledger.note_entry(3, &i.to_string());
        }
        assert_eq!(names(&ledger, 3).len(), NAMES);
    }
}
