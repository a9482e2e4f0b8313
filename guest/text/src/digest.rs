//! A digest of content, to notice that it changed: 64 bits, the same everywhere.

/// An odd number whose bits look random, from the fraction of the golden ratio.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Returns the digest of `bytes`. Eight bytes at a time, for it is taken of every document. It
/// guards against overlooking a change, not against forgery.
pub fn digest(bytes: &[u8]) -> u64 {
    let (chunks, rest) = bytes.as_chunks::<8>();
    // The length, for the last chunk is filled up with zeros.
    let mut hash = mix(0, bytes.len() as u64);
    for chunk in chunks {
        hash = mix(hash, u64::from_le_bytes(*chunk));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    finish(mix(hash, u64::from_le_bytes(last)))
}

/// Returns the digest of what `hash` is the digest of and `next` together.
#[inline]
pub fn combine(hash: u64, next: u64) -> u64 {
    finish(mix(hash, next))
}

#[inline]
fn mix(hash: u64, next: u64) -> u64 {
    // A product carries upwards only: rotated, its upper bits meet the lower ones of what is next.
    (hash.rotate_left(23) ^ next).wrapping_mul(FACTOR)
}

/// Spreads the last bytes over all bits: shifts bring the upper ones down, the product the lower
/// ones up.
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
