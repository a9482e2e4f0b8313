//! An LRU cache of vectors in memory: those of queries, and those of passages that are in no file.

use std::collections::HashMap;

use super::key::Key;
use super::nearest::NearestVectors;
use super::record::VectorRecord;
use crate::limits::VECTOR_ENTRY_BYTES;

/// A cached vector.
pub(super) struct CachedVector {
    /// Key of the model: the digest of its fingerprint.
    pub(super) model: Key,
    pub(super) record: VectorRecord,
    /// Position of the passage in the order of becoming known, from 1; 0 for a query.
    pub(super) number: u64,
}

impl CachedVector {
    fn bytes(&self) -> usize {
        VECTOR_ENTRY_BYTES + self.record.vector.len() + self.record.place.len()
    }
}

/// A cache of vectors within a budget of bytes.
pub(super) struct Memory {
    /// Vectors, each with the time of its last use.
    kept: Vec<(u64, CachedVector)>,
    places: HashMap<Key, usize>,
    budget: usize,
    bytes: usize,
    clock: u64,
    /// Number of times that passages were evicted.
    losses: u64,
}

impl Memory {
    /// Returns an empty cache with a budget in bytes.
    pub(super) fn new(budget: usize) -> Self {
        Self {
            kept: Vec::new(),
            places: HashMap::new(),
            budget,
            bytes: 0,
            clock: 0,
            losses: 0,
        }
    }

    /// Returns a vector that was known at `moment`, and records the current place of its text.
    pub(super) fn get(&mut self, key: Key, place: &str, moment: Option<u64>) -> Option<&[i8]> {
        let index = *self.places.get(&key)?;
        let (used, kept) = &mut self.kept[index];
        if !is_known_at(kept.number, moment) {
            return None;
        }
        self.clock += 1;
        *used = self.clock;
        let record = &mut kept.record;
        let bytes = self.bytes - record.place.len() + place.len();
        if !place.is_empty() && *record.place != *place && bytes <= self.budget {
            self.bytes = bytes;
            record.place = place.into();
        }
        Some(&record.vector)
    }

    /// Returns true if the vector of a text is cached.
    pub(super) fn has(&self, key: Key) -> bool {
        self.places.contains_key(&key)
    }

    /// Returns the number of times that passages were evicted.
    pub(super) fn losses(&self) -> u64 {
        self.losses
    }

    /// Caches a vector that is not cached yet, if there is room for it.
    pub(super) fn insert(&mut self, kept: CachedVector) {
        if kept.bytes() > self.budget {
            self.losses += u64::from(kept.number > 0);
        } else {
            self.make_room(kept.bytes());
            self.clock += 1;
            self.bytes += kept.bytes();
            self.places.insert(kept.record.key, self.kept.len());
            self.kept.push((self.clock, kept));
        }
    }

    /// Removes the vectors that are stored elsewhere.
    pub(super) fn forget(&mut self, is_elsewhere: impl Fn(Key) -> bool) {
        self.kept.retain(|(_, kept)| !is_elsewhere(kept.record.key));
        self.bytes = self.kept.iter().map(|(_, kept)| kept.bytes()).sum();
        self.find_places();
    }

    /// Evicts the least recently used vectors until there is room for `bytes`.
    fn make_room(&mut self, bytes: usize) {
        if self.bytes + bytes <= self.budget {
            return;
        }
        // A tenth of the budget is freed at once. Finding the least recently used vectors sorts
        // all of them; freeing room for one vector at a time would sort them for each
        // insertion.
        let least = self.budget - bytes;
        let target = least.min(self.budget / 10 * 9);
        self.kept.sort_by_key(|(used, _)| std::cmp::Reverse(*used));
        while self.bytes > target
            && let Some((_, kept)) = self.kept.pop()
        {
            self.bytes -= kept.bytes();
            self.losses += u64::from(kept.number > 0);
        }
        self.find_places();
    }

    fn find_places(&mut self) {
        let kept = self.kept.iter().enumerate();
        self.places = kept
            .map(|(index, (_, kept))| (kept.record.key, index))
            .collect();
    }

    /// Offers the passages of a model that were known at `moment`.
    pub(super) fn offer(&self, model: Key, moment: u64, nearest: &mut NearestVectors<'_>) {
        let kept = self.kept.iter().map(|(_, kept)| kept);
        for kept in kept.filter(|kept| kept.model == model) {
            if (1..=moment).contains(&kept.number) {
                let record = &kept.record;
                nearest.offer(record.place.as_bytes(), &record.vector, |number| number);
            }
        }
    }
}

/// Returns true if the passage with this number was known at a moment.
pub(super) fn is_known_at(number: u64, moment: Option<u64>) -> bool {
    moment.is_none_or(|moment| number <= moment)
}

#[cfg(test)]
mod tests {
    use super::super::key::KEY_BYTES;
    use super::*;

    fn key(number: u16) -> Key {
        let mut key = [0; KEY_BYTES];
        key[..2].copy_from_slice(&number.to_le_bytes());
        Key(key)
    }

    fn insert(memory: &mut Memory, number: u16, numbers: usize) {
        memory.insert(CachedVector {
            model: key(0),
            record: VectorRecord {
                key: key(number),
                place: "docs\na".into(),
                vector: vec![1; numbers].into(),
            },
            number: u64::from(number) + 1,
        });
    }

    #[test]
    fn the_oldest_goes_first_and_the_budget_is_kept() {
        let mut memory = Memory::new(100 * VECTOR_ENTRY_BYTES);
        for number in 0..1000 {
            insert(&mut memory, number, 40);
            memory.get(key(0), "", None);
            assert!(memory.bytes <= memory.budget);
            let bytes: usize = memory.kept.iter().map(|(_, kept)| kept.bytes()).sum();
            assert_eq!(bytes, memory.bytes);
        }
        assert!(memory.get(key(0), "", None).is_some());
        assert!(memory.get(key(999), "", None).is_some());
        assert!(memory.get(key(1), "", None).is_none());
        assert!(memory.kept.len() > 40);
        insert(&mut memory, 1000, 200 * VECTOR_ENTRY_BYTES);
        assert!(!memory.has(key(1000)));
        memory.get(key(999), &"x".repeat(200 * VECTOR_ENTRY_BYTES), None);
        assert!(memory.bytes <= memory.budget);
        assert!(memory.get(key(999), "", None).is_some());
    }

    #[test]
    fn what_is_elsewhere_is_forgotten() {
        let mut memory = Memory::new(10_000);
        for number in 0..9 {
            insert(&mut memory, number, 4);
        }
        memory.forget(|one| one != key(5));
        let has: Vec<u16> = (0..9).filter(|number| memory.has(key(*number))).collect();
        assert_eq!(has, [5]);
        assert_eq!(memory.bytes, memory.kept[0].1.bytes());
        insert(&mut memory, 6, 4);
        assert_eq!(memory.get(key(5), "", Some(6)), Some(&[1; 4][..]));
        assert_eq!(memory.get(key(5), "", Some(5)), None);
    }
}
