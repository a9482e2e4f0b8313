//! Digests of sources, by which a cursor or a pack detects that its sources have changed.

use std::num::{NonZeroU32, ParseIntError};

/// Digest of the files from which items were made: 32 bits, since it goes through the context of
/// models and only protects against mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcesDigest(NonZeroU32);

impl SourcesDigest {
    /// Returns the digest of this hash, or `None` for 0, by which cursors and packs denote its
    /// absence.
    pub fn new(hash: u64) -> Option<Self> {
        let folded = u32::try_from((hash ^ (hash >> 32)) & u64::from(u32::MAX)).unwrap_or(0);
        let digest = NonZeroU32::new(folded).unwrap_or(NonZeroU32::MIN);
        (hash != 0).then_some(Self(digest))
    }

    /// Returns the digest of a number from [`SourcesDigest::number`], or `None`.
    pub fn from_number(number: u32) -> Option<Self> {
        NonZeroU32::new(number).map(Self)
    }

    /// Returns the number of a digest, or of `None`.
    pub fn number(digest: Option<Self>) -> u32 {
        digest.map_or(0, |digest| digest.0.get())
    }

    /// Returns the text of a digest, or of `None`, in packs.
    pub fn to_hex(digest: Option<Self>) -> String {
        format!("{:x}", Self::number(digest))
    }

    /// Returns the digest of a text from [`SourcesDigest::to_hex`], or `None`.
    ///
    /// # Errors
    /// For any other text.
    pub fn from_hex(text: &str) -> Result<Option<Self>, ParseIntError> {
        u32::from_str_radix(text, 16).map(Self::from_number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_stands_for_none() {
        assert_eq!(SourcesDigest::to_hex(None), "0");
        assert_eq!(SourcesDigest::from_hex("0"), Ok(None));
        let digest = SourcesDigest::new(0x1234);
        assert_eq!(SourcesDigest::to_hex(digest), "1234");
        assert_eq!(SourcesDigest::from_hex("1234"), Ok(digest));
        assert!(SourcesDigest::from_hex("digest").is_err());
        assert_eq!(SourcesDigest::new(0), None);
        // Its halves are equal.
        assert!(SourcesDigest::new(0x0000_0005_0000_0005).is_some());
        assert_ne!(SourcesDigest::new(1 << 40), SourcesDigest::new(1 << 41));
    }
}
