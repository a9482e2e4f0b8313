//! A hash table of term counts, by passage if the text has several.

use crate::statistics::compact_count::CompactCount;
use crate::statistics::spread::{Occurrences, PassageTerms};

/// A term counter: open addressing by the high bits of the digest, so that the slots are almost in
/// order.
pub(super) struct TermTable {
    /// Digest, and count in the current passage.
    slots: Vec<(u32, u32)>,
    /// Right shift that turns a digest into a slot index.
    shift: u32,
    used: usize,
    /// Passages that have ended; `None` if the text is one passage.
    before: Option<EndedPassages>,
}

/// The terms of the passages that have ended.
#[derive(Default)]
struct EndedPassages {
    /// Number of the term of each slot, from 1; 0 if it has none.
    numbers: Vec<u32>,
    /// Slots with a count in the current passage.
    touched: Vec<u32>,
    /// Terms by number.
    terms: Vec<PassageTerm>,
    /// Terms of each passage with their counts, passage after passage.
    entries: Vec<(u32, CompactCount)>,
    /// Ends of the entries of each passage.
    ends: Vec<usize>,
}

/// A term in the passages that have ended.
#[derive(Clone, Copy, Default)]
struct PassageTerm {
    total: u32,
    /// Number of passages that contain it.
    passages: u8,
}

/// The terms of a text, ascending.
pub(super) struct TermList {
    pub(super) keys: Box<[u32]>,
    pub(super) counts: Box<[CompactCount]>,
    /// Passages that contain them, if there are several.
    pub(super) passages: Option<PassageTerms>,
}

/// Bytes of text per initial slot: in most texts, there is a new term in every sixteen bytes.
const BYTES_PER_SLOT: usize = 8;

/// Maximum initial slots: a longer text has fewer new terms.
const MOST_FIRST_SLOTS: usize = 1 << 14;

impl TermTable {
    /// Creates a table for a text of `bytes` bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let slots = (bytes / BYTES_PER_SLOT).clamp(64, MOST_FIRST_SLOTS);
        let slots = slots.next_power_of_two();
        Self {
            slots: vec![(0, 0); slots],
            shift: u32::BITS - slots.trailing_zeros(),
            used: 0,
            before: None,
        }
    }

    /// Creates a table for a text of several passages, each of which is ended explicitly.
    pub(super) fn with_passages(bytes: usize) -> Self {
        let table = Self::new(bytes);
        let before = EndedPassages {
            numbers: vec![0; table.slots.len()],
            ..EndedPassages::default()
        };
        Self {
            before: Some(before),
            ..table
        }
    }

    /// Counts one occurrence. The fast path is a term in its home slot; other cases are in a
    /// separate function, so that this one is small enough to be inlined into a loop.
    #[inline]
    pub(super) fn add(&mut self, key: u32, weight: u32) {
        let home = self.home(key);
        if let Some((own, count)) = self.slots.get_mut(home)
            && *own == key
            && *count > 0
        {
            *count = count.saturating_add(weight);
        } else {
            self.add_elsewhere(key, weight);
        }
    }

    #[inline(never)]
    fn add_elsewhere(&mut self, key: u32, weight: u32) {
        let slot = self.slot(key);
        let (own, count) = &mut self.slots[slot];
        let is_first = *count == 0;
        *own = key;
        *count = count.saturating_add(weight);
        let is_new = match &mut self.before {
            Some(before) if is_first => before.touch(slot),
            _ => is_first,
        };
        self.used += usize::from(is_new);
        if self.used * 2 > self.slots.len() {
            self.grow();
        }
    }

    /// Returns the slot of `key`, or the free one for it.
    fn slot(&self, key: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.home(key);
        loop {
            let at = slot & mask;
            if self.slots[at].0 == key || self.is_free(at) {
                return at;
            }
            slot += 1;
        }
    }

    fn is_free(&self, slot: usize) -> bool {
        let is_known = |before: &EndedPassages| before.numbers[slot] > 0;
        self.slots[slot].1 == 0 && !self.before.as_ref().is_some_and(is_known)
    }

    /// Returns the home slot of `key`.
    fn home(&self, key: u32) -> usize {
        (key >> self.shift) as usize
    }

    fn grow(&mut self) {
        let doubled = self.slots.len() * 2;
        let slots = std::mem::replace(&mut self.slots, vec![(0, 0); doubled]);
        self.shift -= 1;
        let Some(mut before) = self.before.take() else {
            for (key, count) in slots.into_iter().filter(|(_, count)| *count > 0) {
                let slot = self.slot(key);
                self.slots[slot] = (key, count);
            }
            return;
        };
        let numbers = std::mem::replace(&mut before.numbers, vec![0; doubled]);
        before.touched.clear();
        self.before = Some(before);
        let known = slots.into_iter().zip(numbers);
        for ((key, count), number) in known.filter(|(_, number)| *number > 0) {
            let slot = self.slot(key);
            self.slots[slot] = (key, count);
            if let Some(before) = &mut self.before {
                before.numbers[slot] = number;
                if count > 0 {
                    before.touched.push(slot as u32);
                }
            }
        }
    }

    /// Ends a passage: later occurrences belong to the next one.
    pub(super) fn end_passage(&mut self) {
        let Some(before) = &mut self.before else {
            return;
        };
        before.entries.reserve(before.touched.len());
        for slot in before.touched.drain(..) {
            let slot = slot as usize;
            let count = std::mem::take(&mut self.slots[slot].1);
            let number = before.numbers[slot];
            let term = &mut before.terms[number as usize - 1];
            term.total = term.total.saturating_add(count);
            term.passages += 1;
            before.entries.push((number, CompactCount::new(count)));
        }
        before.ends.push(before.entries.len());
    }

    /// Returns the terms. If the text has several passages, the last one has ended.
    pub(super) fn finish(mut self) -> TermList {
        let mut slots = std::mem::take(&mut self.slots);
        let Some(before) = self.before.take() else {
            let count = |(key, count): (u32, u32)| (key, CompactCount::new(count));
            let (keys, counts): (Vec<u32>, Vec<CompactCount>) =
                self.in_order(slots).into_iter().map(count).unzip();
            return TermList {
                keys: keys.into(),
                counts: counts.into(),
                passages: None,
            };
        };
        for (slot, number) in slots.iter_mut().zip(&before.numbers) {
            slot.1 = *number;
        }
        let order = self.in_order(slots);
        let total = |number: u32| CompactCount::new(before.terms[number as usize - 1].total);
        TermList {
            keys: order.iter().map(|(key, _)| *key).collect(),
            counts: order.iter().map(|(_, number)| total(*number)).collect(),
            passages: Some(before.finish(order.iter().map(|(_, number)| *number))),
        }
    }

    /// Returns the used slots in the order of their digests.
    fn in_order(&self, mut slots: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
        // The home slot of a key is given by its high bits, and a collision moves it a few slots
        // further. So the slots are in the order of the digests, apart from neighbours in a
        // cluster and from those that were moved past the end of the table to its beginning. The
        // latter are rotated back, and an insertion sort then moves each key by a few places.
        let wrapped = slots
            .iter()
            .enumerate()
            .take_while(|(at, (key, held))| *held > 0 && self.home(*key) > *at);
        let wrapped = wrapped.count();
        slots.rotate_left(wrapped);
        // Written unconditionally and kept if used: a branch would take longer.
        let mut kept = 0;
        for at in 0..slots.len() {
            let slot = slots[at];
            slots[kept] = slot;
            kept += usize::from(slot.1 > 0);
        }
        slots.truncate(kept);
        sort_nearly_sorted(&mut slots);
        slots
    }
}

impl EndedPassages {
    /// Records that a slot has a count in the current passage, and returns true if its term is new.
    fn touch(&mut self, slot: usize) -> bool {
        // Tables have far fewer slots than `u32::MAX`.
        self.touched.push(slot as u32);
        let number = &mut self.numbers[slot];
        let is_new = *number == 0;
        if is_new {
            self.terms.push(PassageTerm::default());
            *number = self.terms.len() as u32;
        }
        is_new
    }

    /// Returns the passages of the terms with these numbers, a permutation of all.
    fn finish(&self, order: impl Iterator<Item = u32>) -> PassageTerms {
        let mut passages = PassageTerms::with_capacity(self.terms.len(), self.entries.len());
        // For each term, the index of its next entry.
        let mut places = vec![0; self.terms.len()];
        for number in order {
            let at = number as usize - 1;
            places[at] = passages.add_term(self.terms[at].passages);
        }
        let mut start = 0;
        for (passage, end) in (0..).zip(&self.ends) {
            for (number, count) in &self.entries[start..*end] {
                let place = &mut places[*number as usize - 1];
                passages.set(
                    *place,
                    Occurrences {
                        passage,
                        count: *count,
                    },
                );
                *place += 1;
            }
            start = *end;
        }
        passages
    }
}

/// Sorts by insertion: linear if each element is only a few places off.
fn sort_nearly_sorted(all: &mut [(u32, u32)]) {
    for end in 1..all.len() {
        let moved = all[end];
        let mut at = end;
        while at > 0 && all[at - 1].0 > moved.0 {
            all[at] = all[at - 1];
            at -= 1;
        }
        all[at] = moved;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn passages_hold_what_they_hold_alone(
            passages in proptest::collection::vec(
                proptest::collection::vec(
                    prop_oneof![any::<u32>(), 0u32..200, u32::MAX - 100..=u32::MAX],
                    0..400,
                ),
                1..6,
            ),
        ) {
            let mut table = TermTable::with_passages(0);
            let mut expected: BTreeMap<u32, BTreeMap<u8, u32>> = BTreeMap::new();
            for (passage, keys) in (0..).zip(&passages) {
                for key in keys {
                    table.add(*key, 1);
                    *expected.entry(*key).or_default().entry(passage).or_default() += 1;
                }
                table.end_passage();
            }
            let counted = table.finish();
            prop_assert!(counted.keys.iter().eq(expected.keys()));
            let terms = counted.passages.expect("it was made for passages");
            for (at, held) in expected.values().enumerate() {
                prop_assert_eq!(counted.counts[at], CompactCount::new(held.values().sum()));
                let told: BTreeMap<u8, CompactCount> =
                    terms.occurrences(at).iter().map(|one| (one.passage, one.count)).collect();
                let held: BTreeMap<u8, CompactCount> =
                    held.iter().map(|(passage, count)| (*passage, CompactCount::new(*count))).collect();
                prop_assert_eq!(told, held);
            }
        }
    }
}
