//! Tests of all bytes of a text.

/// Returns true if every byte passes; tested 128 at a time, so that a branchless test vectorizes.
#[inline]
pub fn all(bytes: &[u8], passes: impl Fn(u8) -> bool) -> bool {
    let (chunks, rest) = bytes.as_chunks::<128>();
    let pass = |bytes: &[u8]| bytes.iter().fold(true, |all, &byte| all & passes(byte));
    chunks.iter().all(|chunk| pass(chunk)) && pass(rest)
}
