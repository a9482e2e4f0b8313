//! Tests of all bytes of a text.

/// Number of bytes that are tested together.
const CHUNK: usize = 128;

/// Returns true if every byte passes, tested as by [`skip_passing`].
#[inline]
pub fn all(bytes: &[u8], passes: impl Fn(u8) -> bool) -> bool {
    skip_passing(bytes, passes).is_empty()
}

/// Returns the bytes from the first chunk on that has a byte which does not pass; none if all pass.
///
/// The bytes are tested 128 at a time, without a branch for each, so that a branchless test
/// vectorizes; an exit at the first failing byte would need a branch at every byte. At most 127
/// bytes are tested in vain.
#[inline]
pub fn skip_passing(bytes: &[u8], passes: impl Fn(u8) -> bool) -> &[u8] {
    let (chunks, rest) = bytes.as_chunks::<CHUNK>();
    let pass = |bytes: &[u8]| bytes.iter().fold(true, |all, &byte| all & passes(byte));
    match chunks.iter().position(|chunk| !pass(chunk)) {
        Some(index) => &bytes[index * CHUNK..],
        None if pass(rest) => &[],
        None => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_from_the_first_failing_chunk_are_left() {
        for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 5] {
            let mut bytes = vec![b'a'; length];
            assert_eq!(skip_passing(&bytes, |byte| byte == b'a'), b"");
            for failing in 0..length {
                bytes[failing] = b'b';
                let left = skip_passing(&bytes, |byte| byte == b'a');
                assert_eq!(left, &bytes[failing / CHUNK * CHUNK..]);
                bytes[failing] = b'a';
            }
        }
    }
}
