//! Where a guest's descriptors come from.
//!
//! A descriptor is a number that is given again once it is closed. What is remembered of an open
//! directory goes by a number of its own, which is not.

use std::collections::HashMap;

use foldhash::fast::RandomState;

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
    next: u64,
}

impl Origins {
    /// Notes that the guest is given a root.
    pub(crate) fn note_root(&mut self, descriptor: u32, root: usize) {
        let opening = self.next;
        self.next += 1;
        self.known.insert(descriptor, Origin { root, opening });
    }

    /// Notes that the guest is given what it opened through `parent`.
    pub(crate) fn note_open(&mut self, parent: u32, descriptor: u32) {
        if let Some(parent) = self.of(parent) {
            self.note_root(descriptor, parent.root);
        }
    }

    /// Forgets what the guest closes, and returns where it came from.
    pub(crate) fn note_close(&mut self, descriptor: u32) -> Option<Origin> {
        self.known.remove(&descriptor)
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
        origins.note_root(1, 7);
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
