//! Where a guest's descriptors come from.
//!
//! A descriptor is a number that is given again once it is closed. What is remembered of an open
//! directory goes by a number of its own, which is not.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::openings::Place;

/// Where an open descriptor comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The index of the root that it was opened through.
    pub(crate) root: usize,
    /// A number that no other descriptor of the instance has, before or after.
    pub(crate) opening: u64,
}

/// The origins of the guest's open descriptors.
#[derive(Default)]
pub(crate) struct Origins {
    known: HashMap<u32, Origin, RandomState>,
    /// Where those stand that are directories.
    places: HashMap<u32, Arc<Place>, RandomState>,
    next: u64,
}

impl Origins {
    /// Notes that the guest is given a root of this name.
    pub(crate) fn note_root(&mut self, descriptor: u32, root: usize, name: &str) {
        self.note(descriptor, root);
        self.places.insert(descriptor, Arc::new(Place::root(name)));
    }

    /// Notes that the guest is given what it opened through `parent`.
    pub(crate) fn note_open(&mut self, parent: u32, descriptor: u32) {
        if let Some(parent) = self.of(parent) {
            self.note(descriptor, parent.root);
        }
    }

    /// Notes that the guest is given the directory at `path` that it opened through `parent`.
    pub(crate) fn note_directory(&mut self, parent: u32, descriptor: u32, path: &str) {
        self.note_open(parent, descriptor);
        if let Some(parent) = self.place(parent) {
            let place = Arc::new(Place::below(parent, path));
            self.places.insert(descriptor, place);
        }
    }

    fn note(&mut self, descriptor: u32, root: usize) {
        let opening = self.next;
        self.next += 1;
        self.known.insert(descriptor, Origin { root, opening });
    }

    /// Forgets what the guest closes, and returns where it came from.
    pub(crate) fn note_close(&mut self, descriptor: u32) -> Option<Origin> {
        self.places.remove(&descriptor);
        self.known.remove(&descriptor)
    }

    /// Returns where an open directory stands.
    pub(crate) fn place(&self, directory: u32) -> Option<&Arc<Place>> {
        self.places.get(&directory)
    }

    /// Returns where an open descriptor comes from.
    pub(crate) fn of(&self, descriptor: u32) -> Option<Origin> {
        self.known.get(&descriptor).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::Origins;

    #[test]
    fn a_number_that_is_given_again_is_another_opening() {
        let mut origins = Origins::default();
        origins.note_root(1, 7, "notes");
        origins.note_open(1, 2);
        let first = origins.of(2).unwrap();
        assert_eq!(first.root, 7);
        assert_eq!(origins.note_close(2), Some(first));
        assert_eq!(origins.of(2), None);
        origins.note_open(1, 2);
        assert_ne!(origins.of(2).unwrap().opening, first.opening);
        // What was opened through nothing that is known comes from nowhere.
        origins.note_open(9, 3);
        assert_eq!(origins.of(3), None);
    }
}
