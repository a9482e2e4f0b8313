//! The vocabulary of o200k_base as a filter over its 199 998 tokens, instead of a table of 3.6 MB.
//! It accepts every token, and 1 of 256 other strings.
//!
//! An xor filter (Graf and Lemire, "Xor Filters: Faster and Smaller Than Bloom and Cuckoo Filters",
//! 2020) with 8-bit fingerprints, generated from the table by the example `vocabulary`.

/// The fingerprints, in three blocks of equal length.
static FINGERPRINTS: &[u8] = include_bytes!("vocabulary.bin");

/// An incremental hash of a string: 64-bit FNV-1a.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StringHash(u64);

impl StringHash {
    /// Hash of the empty string.
    pub const EMPTY: Self = Self(0xCBF2_9CE4_8422_2325);

    /// Returns the hash of the string extended by a byte.
    #[must_use]
    #[inline]
    pub fn with(self, byte: u8) -> Self {
        Self((self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
    }

    /// Returns the hash of a string.
    #[must_use]
    pub fn new(string: &[u8]) -> Self {
        string
            .iter()
            .fold(Self::EMPTY, |hash, &byte| hash.with(byte))
    }

    /// Returns the hash as a number.
    pub fn key(self) -> u64 {
        self.0
    }

    /// Returns true if the string is a token.
    pub fn is_token(self) -> bool {
        // Three bytes are read at positions that depend on the hash alone, without a search and
        // without a branch. That is the reason for an xor filter: up to two dozen strings are
        // tested for each part of a piece.
        let key = FilterKey::new(self, FINGERPRINTS.len() / 3);
        let [a, b, c] = key.slots.map(|slot| FINGERPRINTS[slot]);
        a ^ b ^ c == key.fingerprint
    }
}

/// The location of a string's fingerprint: the xor of three slots.
#[derive(Clone, Copy)]
struct FilterKey {
    slots: [usize; 3],
    fingerprint: u8,
}

impl FilterKey {
    fn new(string: StringHash, block: usize) -> Self {
        // The hash is finished as in MurmurHash3: FNV alone leaves its upper bits too regular, and
        // the slots, which are taken from these bits, would not be independent.
        let mut hash = string.0;
        for factor in [0xFF51_AFD7_ED55_8CCD, 0xC4CE_B9FE_1A85_EC53] {
            hash = (hash ^ (hash >> 33)).wrapping_mul(factor);
        }
        hash ^= hash >> 33;
        let slot = |turn: u32| {
            let part = hash.rotate_left(turn) & 0xFFFF_FFFF;
            // Below `block`, since `part` is below 2^32.
            usize::try_from((part * block as u64) >> 32).unwrap_or(0)
        };
        Self {
            slots: [slot(0), slot(21) + block, slot(42) + 2 * block],
            fingerprint: hash.to_le_bytes()[0] ^ hash.to_le_bytes()[4],
        }
    }
}

/// Returns the fingerprints of `tokens`, which must be distinct, or `None` in the rare case that no
/// order of filling the slots exists.
pub fn fingerprints<'a>(tokens: impl Iterator<Item = &'a [u8]>) -> Option<Vec<u8>> {
    let hashes: Vec<StringHash> = tokens.map(StringHash::new).collect();
    // 1.23 slots per token, with some more for few tokens: by the paper, this succeeds nearly
    // always.
    let block = (hashes.len() * 41 / 100) + 11;
    let keys: Vec<FilterKey> = hashes.iter().map(|&s| FilterKey::new(s, block)).collect();
    // For each slot: the number of its keys, and the xor of their indices.
    let mut slots = vec![(0u32, 0usize); 3 * block];
    for (index, key) in keys.iter().enumerate() {
        for slot in key.slots {
            slots[slot].0 += 1;
            slots[slot].1 ^= index;
        }
    }
    // A key that is alone in a slot can be assigned last, whatever the others need, because no
    // other key reads that slot. Removing it leaves other keys alone in their slots, until none is
    // left. If keys remain that share all of their slots, the construction fails.
    let mut alone: Vec<usize> = (0..slots.len())
        .filter(|&slot| slots[slot].0 == 1)
        .collect();
    let mut order = Vec::with_capacity(keys.len());
    while let Some(slot) = alone.pop() {
        // The key of the slot may have been removed via another slot.
        let (1, index) = slots[slot] else { continue };
        order.push((slot, index));
        for other in keys[index].slots {
            slots[other].0 -= 1;
            slots[other].1 ^= index;
            if slots[other].0 == 1 {
                alone.push(other);
            }
        }
    }
    if order.len() < keys.len() {
        return None;
    }
    let mut bytes = vec![0; 3 * block];
    // The keys are assigned in reverse. The other slots of a key are then filled before its own,
    // and are not changed afterwards, so that the xor of the three is its fingerprint in the end.
    for (slot, index) in order.into_iter().rev() {
        let FilterKey { slots, fingerprint } = keys[index];
        bytes[slot] = slots
            .iter()
            .fold(fingerprint, |sum, &slot| sum ^ bytes[slot]);
    }
    Some(bytes)
}
