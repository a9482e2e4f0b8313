//! The hash by which an edit says which text it was made for.

use sha2::{Digest as _, Sha256};

/// Returns the first 12 hexadecimal digits of the SHA-256 of a file: enough to notice a change, and
/// short enough to stand in every answer.
pub fn short_hash(bytes: &[u8]) -> String {
    let hash: [u8; 32] = Sha256::digest(bytes).into();
    hash[..6].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_nothing_and_of_abc() {
        // FIPS 180-4, examples.
        assert_eq!(short_hash(b""), "e3b0c44298fc");
        assert_eq!(short_hash(b"abc"), "ba7816bf8f01");
    }
}
