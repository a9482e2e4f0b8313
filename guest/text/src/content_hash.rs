//! The hash by which an edit says which text it was made for: the SHA-256 of a file's bytes.

use std::fmt;
use std::rc::Rc;

use sha2::{Digest as _, Sha256};

use crate::equal::{are_equal, equal_bytes};

/// Hexadecimal digits of the short form: enough to notice a change, and few enough to stand in
/// every answer.
pub const SHORT_DIGITS: usize = 12;

/// Hexadecimal digits of a whole hash.
const DIGITS: usize = 64;

/// Bytes of a content between places from which the hash of another one can go on: some hundred
/// bytes are kept at each. Whole blocks of SHA-256.
const STRETCH: usize = 256 << 10;

/// The SHA-256 of some bytes. It is shown as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Returns the hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        #[cfg(feature = "counted")]
        counted::add(bytes.len());
        Self(Sha256::digest(bytes).into())
    }

    /// Returns the hash that is written as 64 lower-case hexadecimal digits; none for other texts.
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

    /// Returns its first 12 hexadecimal digits, as answers show them.
    pub fn short(&self) -> String {
        let mut digits = self.to_string();
        digits.truncate(SHORT_DIGITS);
        digits
    }

    /// Whether `written` names this hash: its first 12 hexadecimal digits or more, in any case.
    pub fn is_written(&self, written: &str) -> bool {
        let own = self.to_string();
        let begins = own.get(..written.len());
        written.len() >= SHORT_DIGITS && begins.is_some_and(|own| own.eq_ignore_ascii_case(written))
    }
}

/// Bytes with their hash, which is worked out once: of a long file it costs more than to read or to
/// compare it. Clones share the bytes.
#[derive(Clone)]
pub struct Content {
    bytes: Rc<Vec<u8>>,
    hash: ContentHash,
    /// What the hash was before each stretch.
    begun: Rc<[Sha256]>,
}

impl Content {
    /// Returns `bytes` with their hash.
    pub fn of(bytes: Vec<u8>) -> Self {
        Self::hashed(bytes, &[])
    }

    /// Returns `bytes` with their hash, which is that of the one of `known` that they are, if any.
    pub fn recognised<'k>(bytes: Vec<u8>, known: impl IntoIterator<Item = &'k Self>) -> Self {
        let mut known = known.into_iter();
        let same = known.find(|known| are_equal(&known.bytes, &bytes));
        same.cloned().unwrap_or_else(|| Self::of(bytes))
    }

    /// Returns other bytes with their hash, which goes on where they begin to differ from these.
    pub fn changed_to(&self, bytes: Vec<u8>) -> Self {
        let equal = equal_bytes(&self.bytes, &bytes);
        let begun = self.begun.len().min(equal / STRETCH + 1);
        Self::hashed(bytes, &self.begun[..begun])
    }

    /// Returns `bytes` with their hash, where `begun` is what that was before the first stretches.
    fn hashed(bytes: Vec<u8>, begun: &[Sha256]) -> Self {
        let mut begun = begun.to_vec();
        let mut hash = begun.pop().unwrap_or_default();
        let from = begun.len() * STRETCH;
        #[cfg(feature = "counted")]
        counted::add(bytes.len() - from);
        for stretch in bytes[from..].chunks(STRETCH) {
            begun.push(hash.clone());
            hash.update(stretch);
        }
        Self {
            bytes: Rc::new(bytes),
            hash: ContentHash(hash.finalize().into()),
            begun: begun.into(),
        }
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns their hash.
    pub fn hash(&self) -> ContentHash {
        self.hash
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of {:?}", self.bytes.len(), self.hash)
    }
}

/// For tests: how much was hashed.
#[cfg(feature = "counted")]
pub mod counted {
    use std::cell::Cell;

    thread_local! {
        static BYTES: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn add(bytes: usize) {
        BYTES.set(BYTES.get() + bytes);
    }

    /// Returns how many bytes were hashed in this thread.
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
        let hash = ContentHash::of(b"abc");
        let text = hash.to_string();
        assert_eq!(ContentHash::parse(&text), Some(hash));
        assert_eq!(format!("{hash:?}"), "ba7816bf8f01");
        for other in ["", "abc", &text.to_uppercase(), &text.replace('b', "+")] {
            assert_eq!(ContentHash::parse(other), None);
        }
    }

    #[test]
    fn of_nothing_and_of_abc() {
        // FIPS 180-4, examples.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(ContentHash::of(b"abc").to_string(), abc);
        assert_eq!(ContentHash::of(b"").short(), "e3b0c44298fc");
    }

    #[test]
    fn what_is_known_has_its_own_hash() {
        let known = Content::of(b"abc".to_vec());
        for (bytes, is_known) in [(&b"abc"[..], true), (b"abd", false), (b"", false)] {
            let content = Content::recognised(bytes.to_vec(), [&known]);
            assert_eq!(content.bytes(), bytes);
            assert_eq!(content.hash(), ContentHash::of(bytes));
            assert_eq!(Rc::ptr_eq(&content.bytes, &known.bytes), is_known);
        }
    }

    #[test]
    fn a_hash_goes_on_where_bytes_begin_to_differ() {
        let old = vec![b'o'; 3 * STRETCH + 10];
        let content = Content::of(old.clone());
        assert_eq!(content.hash(), ContentHash::of(&old));
        for at in [
            0,
            1,
            STRETCH - 1,
            STRETCH,
            STRETCH + 1,
            3 * STRETCH,
            old.len(),
        ] {
            for more in [0, 1, STRETCH] {
                let new = [&old[..at], &vec![b'n'; more]].concat();
                let changed = content.changed_to(new.clone());
                assert_eq!(changed.hash(), ContentHash::of(&new), "{at} {more}");
                // Also where what it goes on from went on itself.
                let again = changed.changed_to(old.clone());
                assert_eq!(again.hash(), content.hash(), "{at} {more}");
            }
        }
    }

    #[test]
    fn as_it_is_written() {
        let hash = ContentHash::of(b"abc");
        for (written, expected) in [
            ("ba7816bf8f01", true),
            ("BA7816BF8F01CF", true),
            ("ba7816bf8f0", false),
            ("ba7816bf8f02", false),
            ("", false),
            ("ba7816bf8f0é", false),
        ] {
            assert_eq!(hash.is_written(written), expected, "{written}");
        }
        assert!(hash.is_written(&hash.to_string()));
        assert!(!hash.is_written(&format!("{hash}0")));
    }
}
