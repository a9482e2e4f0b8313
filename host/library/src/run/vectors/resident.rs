//! The part of a vector file, from its beginning, that is kept in memory once it was read: copying
//! it from the system's cache for each query takes three times as long as comparing it.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::limits::RESIDENT_VECTOR_BYTES;

/// Remaining bytes for the open files of this program, shared by all sets of rights that have one.
static LEFT: AtomicUsize = AtomicUsize::new(RESIDENT_VECTOR_BYTES);

/// The first records of one file, in blocks.
#[derive(Debug, Default)]
pub(super) struct Resident {
    blocks: Vec<Block>,
}

#[derive(Debug)]
struct Block {
    /// Index of the record after its last one.
    end: usize,
    bytes: Box<[u8]>,
}

impl Resident {
    /// Returns the number of records kept.
    pub(super) fn records(&self) -> usize {
        self.blocks.last().map_or(0, |block| block.end)
    }

    /// Returns the blocks with the ranges of their records.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (Range<usize>, &[u8])> {
        let begins = std::iter::once(0).chain(self.blocks.iter().map(|block| block.end));
        let blocks = begins.zip(&self.blocks);
        blocks.map(|(begin, block)| (begin..block.end, &*block.bytes))
    }

    /// Keeps the next block, up to record `end`, if there is room.
    pub(super) fn keep(&mut self, end: usize, bytes: &[u8]) {
        let taken = LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(bytes.len())
        });
        if taken.is_ok() {
            let bytes = bytes.into();
            self.blocks.push(Block { end, bytes });
        }
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        let bytes: usize = self.blocks.iter().map(|block| block.bytes.len()).sum();
        LEFT.fetch_add(bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_follow_each_other_and_give_their_room_back() {
        let mut resident = Resident::default();
        assert_eq!((resident.records(), resident.blocks().count()), (0, 0));
        resident.keep(3, b"abc");
        resident.keep(5, b"de");
        assert_eq!(resident.records(), 5);
        let blocks: Vec<_> = resident.blocks().collect();
        assert_eq!(blocks, [(0..3, &b"abc"[..]), (3..5, b"de")]);
        // More than there is room for.
        let much = vec![0; RESIDENT_VECTOR_BYTES];
        resident.keep(6, &much);
        assert_eq!(resident.records(), 5);
        // Room that is not released would be used up after three of these.
        for _ in 0..100 {
            let mut other = Resident::default();
            other.keep(1, &much[..RESIDENT_VECTOR_BYTES / 3]);
            assert_eq!(other.records(), 1);
        }
    }
}
