//! The index of a vector file: its records by key, and in the order of the file.
//!
//! A record is dead if its text was written again later, or another text was written for its place,
//! so that it is no longer there. Both can be derived from the file alone.

use std::collections::HashMap;
use std::hash::BuildHasher as _;

use foldhash::quality::RandomState;

use super::key::Key;

/// Maximum number of records of one file: each costs some 60 bytes of memory, so 27 MB at most. The
/// number fills hash tables of a power of two.
pub(super) const RECORDS: usize = (1 << 19) / 8 * 7;

/// A record's entry in the index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// Offset of the record.
    pub(super) offset: u32,
    /// Position of its passage in the order of becoming known, from 1.
    pub(super) number: u64,
    /// True if its text may still be at its place.
    pub(super) is_alive: bool,
    /// True if this program asked for it, or wrote it.
    pub(super) is_asked: bool,
}

/// The index of a file.
#[derive(Default)]
pub(super) struct Index {
    slots: Vec<Slot>,
    keys: HashMap<Key, u32, RandomState>,
    /// Record at each place, keyed by a randomly seeded digest of the place.
    owners: HashMap<u64, u32, RandomState>,
    hasher: RandomState,
    alive: usize,
}

impl Index {
    /// Adds the next record of the file.
    pub(super) fn push(&mut self, key: Key, place: &str, slot: Slot) {
        let index = self.slots.len() as u32;
        let same_text = self.keys.insert(key, index);
        let is_told = !place.is_empty();
        let digest = self.hasher.hash_one(place);
        let same_place = is_told.then(|| self.owners.insert(digest, index)).flatten();
        for dead in [same_text, same_place].into_iter().flatten() {
            self.bury(dead);
        }
        self.alive += usize::from(slot.is_alive);
        self.slots.push(slot);
    }

    /// Forgets the record of a text.
    pub(super) fn forget(&mut self, key: Key) {
        if let Some(index) = self.keys.remove(&key) {
            self.bury(index);
        }
    }

    fn bury(&mut self, index: u32) {
        let slot = &mut self.slots[index as usize];
        self.alive -= usize::from(slot.is_alive);
        slot.is_alive = false;
    }

    /// Returns the index of a text's record.
    pub(super) fn find(&self, key: Key) -> Option<usize> {
        self.keys.get(&key).map(|index| *index as usize)
    }

    /// Marks a record as asked for.
    pub(super) fn ask(&mut self, index: usize) {
        self.slots[index].is_asked = true;
    }

    /// Returns the records in the order of the file.
    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Returns the number of live records.
    pub(super) fn alive(&self) -> usize {
        self.alive
    }

    /// Returns the live records, in the order in which they became known.
    pub(super) fn survivors(&self) -> Vec<usize> {
        let all = 0..self.slots.len();
        let mut alive: Vec<usize> = all.filter(|index| self.slots[*index].is_alive).collect();
        alive.sort_by_key(|index| self.slots[*index].number);
        alive
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::KEY_BYTES;
    use super::*;

    fn push(index: &mut Index, key: u8, place: &str) {
        let number = index.slots().len() as u64 + 1;
        let slot = Slot {
            offset: number as u32 * 10,
            number,
            is_alive: true,
            is_asked: false,
        };
        index.push(Key([key; KEY_BYTES]), place, slot);
    }

    #[test]
    fn a_text_is_dead_where_it_was_written_again_or_another_took_its_place() {
        let mut index = Index::default();
        for (key, place) in [(1, "a"), (2, "b"), (3, ""), (4, "")] {
            push(&mut index, key, place);
        }
        assert_eq!(index.survivors(), [0, 1, 2, 3]);
        // The text has moved, and may move again, and back.
        push(&mut index, 1, "c");
        push(&mut index, 1, "a");
        assert_eq!(index.survivors(), [1, 2, 3, 5]);
        // Another text has its place; it is still known.
        push(&mut index, 5, "b");
        assert_eq!((index.survivors(), index.alive()), (vec![2, 3, 5, 6], 4));
        assert_eq!(index.find(Key([2; KEY_BYTES])), Some(1));
        // Both at once.
        push(&mut index, 1, "b");
        assert_eq!(index.survivors(), [2, 3, 7]);
        index.forget(Key([1; KEY_BYTES]));
        index.forget(Key([1; KEY_BYTES]));
        assert_eq!((index.survivors(), index.alive()), (vec![2, 3], 2));
        assert_eq!(index.find(Key([1; KEY_BYTES])), None);
    }
}
