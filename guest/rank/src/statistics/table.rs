//! Counts the terms of a text in a hash table by their digests, passage by passage where it has
//! several.

use crate::statistics::CompactCount;
use crate::statistics::spread::{Occurrences, PassageTerms};

/// Counts terms: open addressing, by the digest's high bits, so that the slots are almost in order.
pub(super) struct TermTable {
    /// A digest, and what it counts in the present passage.
    slots: Vec<(u32, u32)>,
    /// By how many bits a digest is larger than a slot's index.
    shift: u32,
    used: usize,
    /// Of each slot, what stands in the passages before; empty where the text is one passage.
    before: Vec<Before>,
    /// The slots that count something in the present passage, where there are others.
    touched: Vec<u32>,
    /// What the passages before hold.
    entries: Vec<Entry>,
    /// Passages that have ended.
    passages: u8,
}

/// What a term has in the passages before.
#[derive(Clone, Copy, Default)]
struct Before {
    total: u32,
    /// The last of its entries, from 1; 0 where it has none.
    last: u32,
}

/// What a term counts in a passage.
struct Entry {
    occurrences: Occurrences,
    /// The term's entry before this one, from 1; 0 where it is the first.
    previous: u32,
}

/// The terms of a text, ascending.
pub(super) struct Counted {
    pub(super) keys: Box<[u32]>,
    pub(super) counts: Box<[CompactCount]>,
    /// Which passages hold them, where there are several.
    pub(super) passages: Option<PassageTerms>,
}

/// Bytes of text for which the table has a slot at the beginning: most texts bring a new term in
/// twice as many.
const BYTES_PER_SLOT: usize = 8;

/// The most slots at the beginning: a longer text brings fewer new terms.
const MOST_FIRST_SLOTS: usize = 1 << 14;

impl TermTable {
    /// Returns a table for the terms of a text of so many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let slots = (bytes / BYTES_PER_SLOT).clamp(64, MOST_FIRST_SLOTS);
        let slots = slots.next_power_of_two();
        Self {
            slots: vec![(0, 0); slots],
            shift: u32::BITS - slots.trailing_zeros(),
            used: 0,
            before: Vec::new(),
            touched: Vec::new(),
            entries: Vec::new(),
            passages: 0,
        }
    }

    /// Returns the same for a text of several passages, each of which is ended.
    pub(super) fn of_passages(bytes: usize) -> Self {
        let table = Self::new(bytes);
        Self {
            before: vec![Before::default(); table.slots.len()],
            ..table
        }
    }

    /// Counts one occurrence. Most are of a term that stands in its own slot already; the others
    /// are left to a function of their own, so that this one is small enough to stand in a loop.
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
        let is_new = self.is_free(slot);
        let (own, count) = &mut self.slots[slot];
        let is_first = *count == 0;
        *own = key;
        *count = count.saturating_add(weight);
        if is_first && !self.before.is_empty() {
            // Tables have far fewer slots than a `u32` tells.
            self.touched.push(slot as u32);
        }
        self.used += usize::from(is_new);
        if self.used * 2 > self.slots.len() {
            self.grow();
        }
    }

    /// Returns the slot of `key`, or the free one where it belongs.
    fn slot(&self, key: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.home(key);
        loop {
            if self.slots[slot & mask].0 == key || self.is_free(slot & mask) {
                return slot & mask;
            }
            slot += 1;
        }
    }

    fn is_free(&self, slot: usize) -> bool {
        let is_known = self.before.get(slot).is_some_and(|before| before.last > 0);
        self.slots[slot].1 == 0 && !is_known
    }

    /// Returns the slot that `key` has unless others are there.
    fn home(&self, key: u32) -> usize {
        (key >> self.shift) as usize
    }

    fn grow(&mut self) {
        let doubled = self.slots.len() * 2;
        let slots = std::mem::replace(&mut self.slots, vec![(0, 0); doubled]);
        let before = std::mem::take(&mut self.before);
        self.shift -= 1;
        self.touched.clear();
        if !before.is_empty() {
            self.before = vec![Before::default(); doubled];
        }
        for (at, (key, count)) in slots.into_iter().enumerate() {
            let before = before.get(at).copied().unwrap_or_default();
            if count == 0 && before.last == 0 {
                continue;
            }
            let slot = self.slot(key);
            self.slots[slot] = (key, count);
            if let Some(own) = self.before.get_mut(slot) {
                *own = before;
                if count > 0 {
                    self.touched.push(slot as u32);
                }
            }
        }
    }

    /// Ends a passage: what is counted from here on stands in the next one.
    pub(super) fn end_passage(&mut self) {
        for slot in self.touched.drain(..) {
            let slot = slot as usize;
            let count = std::mem::take(&mut self.slots[slot].1);
            let before = &mut self.before[slot];
            self.entries.push(Entry {
                occurrences: Occurrences {
                    passage: self.passages,
                    count: CompactCount::new(count),
                },
                previous: before.last,
            });
            before.total = before.total.saturating_add(count);
            before.last = self.entries.len() as u32;
        }
        self.passages += 1;
    }

    /// Returns the terms. Of a text of several passages the last one has ended.
    pub(super) fn finish(mut self) -> Counted {
        if self.before.is_empty() {
            let slots = std::mem::take(&mut self.slots);
            let count = |(key, count): (u32, u32)| (key, CompactCount::new(count));
            let (keys, counts): (Vec<u32>, Vec<CompactCount>) =
                self.in_order(slots).into_iter().map(count).unzip();
            return Counted {
                keys: keys.into(),
                counts: counts.into(),
                passages: None,
            };
        }
        let known = self.slots.iter().zip(&self.before).zip(1..);
        let known = known.map(|((slot, before), number)| match before.last {
            0 => (0, 0),
            _ => (slot.0, number),
        });
        let order = self.in_order(known.collect());
        let mut counts = Vec::with_capacity(order.len());
        let mut passages = PassageTerms::with_capacity(order.len(), self.entries.len());
        for (_, number) in &order {
            let Before { total, mut last } = self.before[*number as usize - 1];
            counts.push(CompactCount::new(total));
            passages.begin_term();
            while last > 0 {
                let entry = &self.entries[last as usize - 1];
                passages.add(entry.occurrences);
                last = entry.previous;
            }
        }
        Counted {
            keys: order.into_iter().map(|(key, _)| key).collect(),
            counts: counts.into(),
            passages: Some(passages),
        }
    }

    /// Returns the slots that hold something, which is not 0, in the order of their digests.
    fn in_order(&self, mut slots: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
        // What found no room at the end went to the beginning, and belongs behind all others.
        let wrapped = slots
            .iter()
            .enumerate()
            .take_while(|(at, (key, held))| *held > 0 && self.home(*key) > *at);
        let wrapped = wrapped.count();
        slots.rotate_left(wrapped);
        // Each is written and only those that hold something stay: to ask first would take longer.
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

/// Sorts by insertion: linear where each is only a few places from where it belongs.
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
            let mut table = TermTable::of_passages(0);
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
                    terms.of(at).iter().map(|one| (one.passage, one.count)).collect();
                let held: BTreeMap<u8, CompactCount> =
                    held.iter().map(|(passage, count)| (*passage, CompactCount::new(*count))).collect();
                prop_assert_eq!(told, held);
            }
        }
    }
}
