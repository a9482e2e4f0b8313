//! The hashes of RFC 6962, section 2.1.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// A SHA-256 hash. Its text form is 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash(pub(crate) [u8; 32]);

impl Hash {
    /// Returns the SHA-256 of `bytes`.
    #[must_use]
    pub fn digest(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Wraps a SHA-256 that was computed elsewhere.
    #[must_use]
    pub const fn from_sha256(sha256: [u8; 32]) -> Self {
        Self(sha256)
    }

    /// Returns the hash of a leaf of the tree.
    pub(crate) fn leaf(content: &[u8]) -> Self {
        // A leaf is hashed behind a zero byte and an inner node behind a one byte (RFC 6962,
        // section 2.1). Without the prefixes, 64 bytes that are the two child hashes of a node
        // would, taken as the text of a line, have the hash of that node: a forger could
        // present an inner node as an entry.
        let mut hash = Sha256::new_with_prefix([0]);
        hash.update(content);
        Self(hash.finalize().into())
    }

    /// Returns the hash of an inner node of the tree.
    pub(crate) fn node(left: Self, right: Self) -> Self {
        let mut hash = Sha256::new_with_prefix([1]);
        hash.update(left.0);
        hash.update(right.0);
        Self(hash.finalize().into())
    }

    pub(crate) fn base64(self) -> String {
        STANDARD.encode(self.0)
    }

    pub(crate) fn from_base64(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text).ok()?;
        bytes.try_into().ok().map(Self)
    }

    /// Parses 64 lower-case hexadecimal digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 64 || !text.bytes().all(is_digit) {
            return None;
        }
        let mut hash = [0; 32];
        for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        }
        Some(Self(hash))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let expected = || serde::de::Error::custom("expected 64 lower-case hexadecimal digits");
        Self::parse(&text).ok_or_else(expected)
    }
}
