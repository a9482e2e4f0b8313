//! The origins of a guest's descriptors.
//!
//! A descriptor is a number that is reused after it is closed. Data about an open directory is
//! therefore keyed by an opening number, which is never reused.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::openings::OpenedDirectory;

/// The origin of an open descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DescriptorOrigin {
    /// Index of the root through which it was opened.
    pub(crate) root: usize,
    /// Opening number, unique within the instance.
    pub(crate) opening: u64,
}

/// The origins of the guest's open descriptors.
#[derive(Default)]
pub(crate) struct Origins {
    known: HashMap<u32, DescriptorOrigin, RandomState>,
    /// Paths of the descriptors that are directories.
    places: HashMap<u32, Arc<OpenedDirectory>, RandomState>,
    next: u64,
}

impl Origins {
    /// Records that the guest was given a root with this name.
    pub(crate) fn note_root(&mut self, descriptor: u32, root: usize, name: &str) {
        self.note(descriptor, root);
        self.places
            .insert(descriptor, Arc::new(OpenedDirectory::root(name)));
    }

    /// Records that the guest was given a descriptor that it opened through `parent`.
    pub(crate) fn note_open(&mut self, parent: u32, descriptor: u32) {
        if let Some(parent) = self.get(parent) {
            self.note(descriptor, parent.root);
        }
    }

    /// Records that the guest was given the directory at `path` that it opened through `parent`.
    pub(crate) fn note_directory(&mut self, parent: u32, descriptor: u32, path: &str) {
        self.note_open(parent, descriptor);
        if let Some(parent) = self.place(parent) {
            let place = Arc::new(OpenedDirectory::below(parent, path));
            self.places.insert(descriptor, place);
        }
    }

    fn note(&mut self, descriptor: u32, root: usize) {
        let opening = self.next;
        self.next += 1;
        self.known
            .insert(descriptor, DescriptorOrigin { root, opening });
    }

    /// Forgets a descriptor that the guest closes, and returns its origin.
    pub(crate) fn note_close(&mut self, descriptor: u32) -> Option<DescriptorOrigin> {
        self.places.remove(&descriptor);
        self.known.remove(&descriptor)
    }

    /// Returns the place of an open directory.
    pub(crate) fn place(&self, directory: u32) -> Option<&Arc<OpenedDirectory>> {
        self.places.get(&directory)
    }

    /// Returns the origin of an open descriptor.
    pub(crate) fn get(&self, descriptor: u32) -> Option<DescriptorOrigin> {
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
        let first = origins.get(2).unwrap();
        assert_eq!(first.root, 7);
        assert_eq!(origins.note_close(2), Some(first));
        assert_eq!(origins.get(2), None);
        origins.note_open(1, 2);
        assert_ne!(origins.get(2).unwrap().opening, first.opening);
        // A descriptor opened through an unknown one has no origin.
        origins.note_open(9, 3);
        assert_eq!(origins.get(3), None);
    }
}
