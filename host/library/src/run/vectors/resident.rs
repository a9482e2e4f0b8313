//! The beginning of a file of vectors, as it is kept in memory once it was read: to copy it out of the
//! system's cache for each question takes three times as long as to compare it.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::limits::RESIDENT_VECTOR_BYTES;

/// Bytes that there is room for: of all files that this program has open, however many sets of rights
/// have one.
static LEFT: AtomicUsize = AtomicUsize::new(RESIDENT_VECTOR_BYTES);

/// Records of one file, from the first on, in blocks.
#[derive(Debug, Default)]
pub(super) struct Resident {
    blocks: Vec<Block>,
}

#[derive(Debug)]
struct Block {
    /// Before which record it ends.
    end: usize,
    bytes: Box<[u8]>,
}

impl Resident {
    /// Returns how many records are kept.
    pub(super) fn records(&self) -> usize {
        self.blocks.last().map_or(0, |block| block.end)
    }

    /// Returns the blocks with their records.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (Range<usize>, &[u8])> {
        let begins = std::iter::once(0).chain(self.blocks.iter().map(|block| block.end));
        let blocks = begins.zip(&self.blocks);
        blocks.map(|(begin, block)| (begin..block.end, &*block.bytes))
    }

    /// Keeps the block that follows, up to record `end`, if there is room.
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
        // Room that was not given back would be gone after three of these.
        for _ in 0..100 {
            let mut other = Resident::default();
            other.keep(1, &much[..RESIDENT_VECTOR_BYTES / 3]);
            assert_eq!(other.records(), 1);
        }
    }
}
