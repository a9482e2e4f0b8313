//! The content hash: SHA-256 of a file's bytes, the precondition of an edit.

use std::fmt;
use std::rc::Rc;

use sha2::{Digest as _, Sha256};

use crate::equal::{are_equal, common_prefix};

/// Hexadecimal digits of the short form: enough to notice a change, and few enough to repeat in
/// every answer. 48 bits do not protect against a file that was made to collide; the full hash
/// does.
pub const SHORT_DIGITS: usize = 12;

/// Hexadecimal digits of a full hash.
const DIGITS: usize = 64;

/// Bytes between checkpoints of the hash state, in whole SHA-256 blocks. Each checkpoint keeps some
/// hundred bytes, from which the hash of a changed content can resume: an edit at the end of a long
/// file then hashes only the last stretch.
const CHECKPOINT_BYTES: usize = 256 << 10;

/// The SHA-256 of some bytes, displayed as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Returns the hash of `bytes`.
    pub fn new(bytes: &[u8]) -> Self {
        #[cfg(feature = "counted")]
        counted::add(bytes.len());
        Self(Sha256::digest(bytes).into())
    }

    /// Parses a hash of 64 lower-case hexadecimal digits. Returns `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != DIGITS || !text.bytes().all(is_digit) {
            return None;
        }
        let mut hash = [0; DIGITS / 2];
        for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        }
        Some(Self(hash))
    }

    /// Returns the first 12 hexadecimal digits, as answers show them.
    pub fn short(&self) -> String {
        let mut digits = self.to_string();
        digits.truncate(SHORT_DIGITS);
        digits
    }

    /// Returns true if `written` is a prefix of this hash: at least its first 12 hexadecimal
    /// digits, in any case. Callers repeat the short form that an answer shows, or the whole hash
    /// that another program has printed.
    pub fn matches_prefix(&self, written: &str) -> bool {
        let own = self.to_string();
        let begins = own.get(..written.len());
        written.len() >= SHORT_DIGITS && begins.is_some_and(|own| own.eq_ignore_ascii_case(written))
    }
}

/// Bytes and their hash, which is computed once: for a long file, hashing costs more than reading
/// or comparing. Clones share the bytes.
#[derive(Clone)]
pub struct HashedContent {
    bytes: Rc<Vec<u8>>,
    hash: ContentHash,
    /// Hash states before each [`CHECKPOINT_BYTES`].
    checkpoints: Rc<[Sha256]>,
}

impl HashedContent {
    /// Hashes `bytes`.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self::resume(bytes, &[])
    }

    /// Returns `bytes` with their hash, reusing the hash of the element of `known` that is equal to
    /// them, if any. Comparing costs a fraction of hashing, and a file that is read again before it
    /// is written is nearly always unchanged.
    pub fn new_with_known<'k>(bytes: Vec<u8>, known: impl IntoIterator<Item = &'k Self>) -> Self {
        let mut known = known.into_iter();
        let same = known.find(|known| are_equal(&known.bytes, &bytes));
        same.cloned().unwrap_or_else(|| Self::new(bytes))
    }

    /// Returns the changed content, resuming the hash at the last checkpoint before the first
    /// difference. SHA-256 reads from the start to the end (FIPS 180-4), so that its state before a
    /// byte only depends on the bytes before it.
    pub fn update(&self, bytes: Vec<u8>) -> Self {
        let equal = common_prefix(&self.bytes, &bytes);
        let checkpoints = self.checkpoints.len().min(equal / CHECKPOINT_BYTES + 1);
        Self::resume(bytes, &self.checkpoints[..checkpoints])
    }

    /// Hashes `bytes`, resuming from `checkpoints`, the hash states before their first stretches.
    fn resume(bytes: Vec<u8>, checkpoints: &[Sha256]) -> Self {
        let mut checkpoints = checkpoints.to_vec();
        let mut hash = checkpoints.pop().unwrap_or_default();
        let from = checkpoints.len() * CHECKPOINT_BYTES;
        #[cfg(feature = "counted")]
        counted::add(bytes.len() - from);
        for stretch in bytes[from..].chunks(CHECKPOINT_BYTES) {
            checkpoints.push(hash.clone());
            hash.update(stretch);
        }
        Self {
            bytes: Rc::new(bytes),
            hash: ContentHash(hash.finalize().into()),
            checkpoints: checkpoints.into(),
        }
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the hash of the bytes.
    pub fn hash(&self) -> ContentHash {
        self.hash
    }
}

impl fmt::Debug for HashedContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of {:?}", self.bytes.len(), self.hash)
    }
}

/// Counters of hashed bytes, for tests.
#[cfg(feature = "counted")]
pub mod counted {
    use std::cell::Cell;

    thread_local! {
        static BYTES: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn add(bytes: usize) {
        BYTES.set(BYTES.get() + bytes);
    }

    /// Returns the number of bytes hashed in this thread.
    pub fn bytes() -> usize {
        BYTES.get()
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.short())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_back() {
        let hash = ContentHash::new(b"abc");
        let text = hash.to_string();
        assert_eq!(ContentHash::parse(&text), Some(hash));
        assert_eq!(format!("{hash:?}"), "ba7816bf8f01");
        for other in ["", "abc", &text.to_uppercase(), &text.replace('b', "+")] {
            assert_eq!(ContentHash::parse(other), None);
        }
    }

    #[test]
    fn hashes_of_empty_input_and_abc() {
        // Examples of FIPS 180-4.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(ContentHash::new(b"abc").to_string(), abc);
        assert_eq!(ContentHash::new(b"").short(), "e3b0c44298fc");
    }

    #[test]
    fn known_content_keeps_its_hash() {
        let known = HashedContent::new(b"abc".to_vec());
        for (bytes, is_known) in [(&b"abc"[..], true), (b"abd", false), (b"", false)] {
            let content = HashedContent::new_with_known(bytes.to_vec(), [&known]);
            assert_eq!(content.bytes(), bytes);
            assert_eq!(content.hash(), ContentHash::new(bytes));
            assert_eq!(Rc::ptr_eq(&content.bytes, &known.bytes), is_known);
        }
    }

    #[test]
    fn a_hash_goes_on_where_bytes_begin_to_differ() {
        let old = vec![b'o'; 3 * CHECKPOINT_BYTES + 10];
        let content = HashedContent::new(old.clone());
        assert_eq!(content.hash(), ContentHash::new(&old));
        for at in [
            0,
            1,
            CHECKPOINT_BYTES - 1,
            CHECKPOINT_BYTES,
            CHECKPOINT_BYTES + 1,
            3 * CHECKPOINT_BYTES,
            old.len(),
        ] {
            for more in [0, 1, CHECKPOINT_BYTES] {
                let new = [&old[..at], &vec![b'n'; more]].concat();
                let changed = content.update(new.clone());
                assert_eq!(changed.hash(), ContentHash::new(&new), "{at} {more}");
                // A content that was itself resumed can be resumed from as well.
                let again = changed.update(old.clone());
                assert_eq!(again.hash(), content.hash(), "{at} {more}");
            }
        }
    }

    #[test]
    fn as_it_is_written() {
        let hash = ContentHash::new(b"abc");
        for (written, expected) in [
            ("ba7816bf8f01", true),
            ("BA7816BF8F01CF", true),
            ("ba7816bf8f0", false),
            ("ba7816bf8f02", false),
            ("", false),
            ("ba7816bf8f0é", false),
        ] {
            assert_eq!(hash.matches_prefix(written), expected, "{written}");
        }
        assert!(hash.matches_prefix(&hash.to_string()));
        assert!(!hash.matches_prefix(&format!("{hash}0")));
    }
}
