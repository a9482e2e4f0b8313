//! A 64-bit digest of content for change detection, equal on every platform.

/// An odd number whose bits look random, from the fraction of the golden ratio. A product with an
/// odd number can be reversed, so that no two inputs of a step become equal in it.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Returns the digest of `bytes`, computed eight bytes at a time because every document is
/// digested. It detects accidental changes, and does not protect against forgery: whoever knows the
/// algorithm can construct two contents with one digest, for which `content_hash` is the right one.
pub fn digest(bytes: &[u8]) -> u64 {
    let (chunks, rest) = bytes.as_chunks::<8>();
    // The length distinguishes zero bytes at the end from the padding of the last chunk: without
    // it, `a` and `a\0` would have the same digest.
    let mut hash = mix(0, bytes.len() as u64);
    for chunk in chunks {
        hash = mix(hash, u64::from_le_bytes(*chunk));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    finish(mix(hash, u64::from_le_bytes(last)))
}

/// Combines the digest `hash` with `next`.
#[inline]
pub fn combine(hash: u64, next: u64) -> u64 {
    finish(mix(hash, next))
}

#[inline]
fn mix(hash: u64, next: u64) -> u64 {
    // A product only carries upwards: its low bits depend on the low bits of the factors alone. The
    // rotation brings the upper bits down before the next eight bytes are added, so that these meet
    // bits that depend on all earlier ones.
    (hash.rotate_left(23) ^ next).wrapping_mul(FACTOR)
}

/// Spreads the last bytes over all bits: the shifts move upper bits down, the product moves lower
/// bits up. Without this step, the last byte of a chunk would affect the upper eight bits only.
#[inline]
fn finish(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(FACTOR);
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_counts() {
        for length in 0..40 {
            let mut bytes = vec![7; length];
            let before = digest(&bytes);
            for index in 0..length {
                bytes[index] ^= 1;
                assert_ne!(digest(&bytes), before);
                bytes[index] ^= 1;
            }
            bytes.push(0);
            assert_ne!(digest(&bytes), before);
        }
    }

    #[test]
    fn order_counts() {
        assert_ne!(combine(combine(0, 1), 2), combine(combine(0, 2), 1));
        assert_ne!(digest(b"aaaaaaaabbbbbbbb"), digest(b"bbbbbbbbaaaaaaaa"));
    }
}
