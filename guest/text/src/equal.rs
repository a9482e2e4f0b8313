//! How far two stretches of bytes are equal, and which comes first. What the C library for
//! WebAssembly has for that goes byte by byte.

use std::cmp::Ordering;

/// Bytes that are compared at once.
const BLOCK: usize = 64;

/// Whether two stretches of bytes are equal.
pub fn are_equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && equal_bytes(one, other) == one.len()
}

/// Returns which of two stretches comes first, by their first bytes that differ; a beginning of the
/// other does.
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

/// Returns how many bytes are equal at the beginning.
pub fn equal_bytes(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.as_chunks::<BLOCK>().0.iter();
    let pairs = blocks.zip(other.as_chunks::<BLOCK>().0);
    let equal = BLOCK * pairs.take_while(|(one, other)| is_same(one, other)).count();
    let rest = one[equal..].iter().zip(&other[equal..]);
    equal + rest.take_while(|(one, other)| one == other).count()
}

/// Returns how many bytes are equal at the end.
pub fn equal_bytes_behind(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.as_rchunks::<BLOCK>().1.iter().rev();
    let pairs = blocks.zip(other.as_rchunks::<BLOCK>().1.iter().rev());
    let equal = BLOCK * pairs.take_while(|(one, other)| is_same(one, other)).count();
    let (one, other) = (&one[..one.len() - equal], &other[..other.len() - equal]);
    let rest = one.iter().rev().zip(other.iter().rev());
    equal + rest.take_while(|(one, other)| one == other).count()
}

/// Without a branch for each byte, which would keep it from being done by vectors.
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
            // A copy, which lies elsewhere.
            let copy = one.to_vec();
            assert!(are_equal(one, &copy));
            for at in 0..length {
                let mut other = one.to_vec();
                other[at] = 255;
                assert!(!are_equal(one, &other), "{length} {at}");
                assert_eq!(equal_bytes(one, &other), at, "{length}");
                assert_eq!(equal_bytes_behind(one, &other), length - at - 1, "{length}");
                assert_eq!(equal_bytes(one, &one[..at]), at);
                assert_eq!(equal_bytes_behind(one, &one[at..]), length - at);
                assert!(!are_equal(one, &one[at..]) || at == 0);
                for (one, other) in [(one, &other[..]), (one, &one[..at]), (&one[at..], one)] {
                    assert_eq!(order(one, other), one.cmp(other), "{length} {at}");
                    assert_eq!(order(other, one), other.cmp(one), "{length} {at}");
                }
            }
        }
    }
}
