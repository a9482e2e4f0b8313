//! Tests of all bytes of a text.

/// Returns true if every byte passes. The bytes are tested 128 at a time, without a branch for
/// each, so that a branchless test vectorizes; an exit at the first failing byte would need a
/// branch at every byte. At most 127 bytes are tested in vain.
#[inline]
pub fn all(bytes: &[u8], passes: impl Fn(u8) -> bool) -> bool {
    let (chunks, rest) = bytes.as_chunks::<128>();
    let pass = |bytes: &[u8]| bytes.iter().fold(true, |all, &byte| all & passes(byte));
    chunks.iter().all(|chunk| pass(chunk)) && pass(rest)
}
