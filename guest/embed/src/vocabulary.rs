//! The tokens of a vocabulary, looked up by their bytes.

/// Tokens and their numbers: all bytes in one allocation, and a hash table of indices. A vocabulary
/// of 250 000 tokens takes 7 MB, and is built while its file is parsed.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    bytes: Vec<u8>,
    /// End of each token; it begins at the end of the one before.
    ends: Vec<u32>,
    ids: Vec<u32>,
    /// Index of a token plus one, 0 for a free slot. The length is a power of two.
    table: Vec<u32>,
    /// Characters of the longest token.
    longest: usize,
}

/// An incremental hash (FNV-1a).
#[derive(Clone, Copy)]
pub(crate) struct FnvHash(u64);

impl FnvHash {
    /// Hash of the empty string.
    pub(crate) const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    /// Returns the hash extended by these bytes.
    pub(crate) fn with(self, bytes: &[u8]) -> Self {
        let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(bytes.iter().fold(self.0, step))
    }

    fn slot(self, mask: usize) -> usize {
        // A multiplication carries bits upwards only, so the lowest bits of the hash depend on
        // nothing but the lowest bits of the bytes. The high half, in which all are mixed, is
        // added to them.
        (self.0 ^ (self.0 >> 32)) as usize & mask
    }
}

impl Vocabulary {
    /// Adds a token. Of two equal ones, the first is found.
    pub(crate) fn push(&mut self, piece: &str, id: u32) {
        self.bytes.extend_from_slice(piece.as_bytes());
        self.ends.push(self.bytes.len() as u32);
        self.ids.push(id);
        self.longest = self.longest.max(piece.chars().count());
        let place = self.ends.len() - 1;
        if self.ends.len() * 2 > self.table.len() {
            let size = (self.table.len() * 2).max(64);
            self.table.clear();
            self.table.resize(size, 0);
            for place in 0..=place {
                self.enter(place);
            }
        } else {
            self.enter(place);
        }
    }

    fn enter(&mut self, place: usize) {
        let mask = self.table.len() - 1;
        let mut slot = FnvHash::EMPTY.with(self.piece(place)).slot(mask);
        while self.table[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.table[slot] = place as u32 + 1;
    }

    fn piece(&self, place: usize) -> &[u8] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[place] as usize]
    }

    /// Returns the number of a token whose hash is known.
    pub(crate) fn find(&self, hash: FnvHash, piece: &[u8]) -> Option<u32> {
        let mask = self.table.len().checked_sub(1)?;
        // At most half of the slots are used, so that the search for a token that is not there
        // ends at a free one.
        let mut slot = hash.slot(mask);
        loop {
            let place = self.table[slot].checked_sub(1)? as usize;
            if self.piece(place) == piece {
                return Some(self.ids[place]);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Returns the number of a token.
    pub(crate) fn id(&self, piece: &str) -> Option<u32> {
        self.find(FnvHash::EMPTY.with(piece.as_bytes()), piece.as_bytes())
    }

    /// Returns the number of characters of the longest token.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// Returns the largest token number, or `None` if the vocabulary is empty.
    pub(crate) fn last_id(&self) -> Option<u32> {
        self.ids.iter().max().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_found_and_no_other() {
        let mut vocabulary = Vocabulary::default();
        assert_eq!(vocabulary.id("a"), None);
        for id in 0..5000 {
            vocabulary.push(&format!("p{id}"), id);
        }
        for id in 0..5000 {
            assert_eq!(vocabulary.id(&format!("p{id}")), Some(id));
        }
        assert_eq!(vocabulary.id("p5000"), None);
        assert_eq!(vocabulary.id(""), None);
        assert_eq!(vocabulary.longest(), 5);
        assert_eq!(vocabulary.last_id(), Some(4999));
    }
}
