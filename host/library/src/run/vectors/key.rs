//! The key of a vector.

use sha2::{Digest as _, Sha256};

use crate::embedder::Role;

/// Bytes of a key.
pub(super) const KEY_BYTES: usize = 16;

/// The key of a vector: the first half of a SHA-256. With a weaker digest an author of documents
/// could construct two texts with the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(pub(super) [u8; KEY_BYTES]);

impl Key {
    /// Returns the key of a text's vector.
    pub(crate) fn new(fingerprint: &str, role: Role, text: &str) -> Self {
        let role: &[u8] = match role {
            Role::Query => b"query",
            Role::Passage => b"passage",
        };
        let mut hash = Sha256::new();
        for part in [fingerprint.as_bytes(), role, text.as_bytes()] {
            // Each part is preceded by its length, so that no part runs into the next: the
            // fingerprint `m` with the text `pa` must not have the key of the fingerprint `mp`
            // with the text `a`.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let mut key = [0; KEY_BYTES];
        key.copy_from_slice(&hash.finalize()[..KEY_BYTES]);
        Self(key)
    }

    /// Returns the key of a model.
    pub(super) fn for_model(fingerprint: &str) -> Self {
        Self::new(fingerprint, Role::Passage, "")
    }
}
