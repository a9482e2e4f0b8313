//! Comparison of byte slices in vector instructions. `==` of slices calls `memcmp`, which the C
//! library for WebAssembly implements byte by byte; long files are compared at every edit.

use std::cmp::Ordering;

/// Bytes compared in one step.
const BLOCK: usize = 64;

/// Returns true if two slices are equal.
pub fn are_equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && common_prefix(one, other) == one.len()
}

/// Compares two slices lexicographically; a prefix of the other comes first. Eight bytes are
/// compared as one number with the first byte as the most significant, whose order is that of the
/// bytes.
pub fn order(one: &[u8], other: &[u8]) -> Ordering {
    let (words, other_words) = (one.as_chunks::<8>().0, other.as_chunks::<8>().0);
    for (one, other) in words.iter().zip(other_words) {
        let (one, other) = (u64::from_be_bytes(*one), u64::from_be_bytes(*other));
        if one != other {
            return one.cmp(&other);
        }
    }
    let rest = 8 * words.len().min(other_words.len());
    for (one, other) in one[rest..].iter().zip(&other[rest..]) {
        if one != other {
            return one.cmp(other);
        }
    }
    one.len().cmp(&other.len())
}

/// Returns the length of the common prefix.
pub fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.as_chunks::<BLOCK>().0.iter();
    let pairs = blocks.zip(other.as_chunks::<BLOCK>().0);
    let equal = BLOCK * pairs.take_while(|(one, other)| is_same(one, other)).count();
    let rest = one[equal..].iter().zip(&other[equal..]);
    equal + rest.take_while(|(one, other)| one == other).count()
}

/// Returns the length of the common suffix.
pub fn common_suffix(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.as_rchunks::<BLOCK>().1.iter().rev();
    let pairs = blocks.zip(other.as_rchunks::<BLOCK>().1.iter().rev());
    let equal = BLOCK * pairs.take_while(|(one, other)| is_same(one, other)).count();
    let (one, other) = (&one[..one.len() - equal], &other[..other.len() - equal]);
    let rest = one.iter().rev().zip(other.iter().rev());
    equal + rest.take_while(|(one, other)| one == other).count()
}

/// Compares two blocks without a branch per byte, which would prevent vectorization. The first
/// different byte of a block is searched for afterwards, in the single block that contains it.
fn is_same(one: &[u8; BLOCK], other: &[u8; BLOCK]) -> bool {
    let pairs = one.iter().zip(other);
    pairs.fold(true, |all, (one, other)| all & (one == other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_byte_by_byte() {
        let long: Vec<u8> = (0..200u8).collect();
        for length in [0, 1, 63, 64, 65, 127, 128, 130, 200] {
            let one = &long[..length];
            // A copy at another address.
            let copy = one.to_vec();
            assert!(are_equal(one, &copy));
            for at in 0..length {
                let mut other = one.to_vec();
                other[at] = 255;
                assert!(!are_equal(one, &other), "{length} {at}");
                assert_eq!(common_prefix(one, &other), at, "{length}");
                assert_eq!(common_suffix(one, &other), length - at - 1, "{length}");
                assert_eq!(common_prefix(one, &one[..at]), at);
                assert_eq!(common_suffix(one, &one[at..]), length - at);
                assert!(!are_equal(one, &one[at..]) || at == 0);
                for (one, other) in [(one, &other[..]), (one, &one[..at]), (&one[at..], one)] {
                    assert_eq!(order(one, other), one.cmp(other), "{length} {at}");
                    assert_eq!(order(other, one), other.cmp(one), "{length} {at}");
                }
            }
        }
    }
}
