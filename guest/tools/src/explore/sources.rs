//! Digests of sources: by them a cursor or a pack notices that what it was made from has changed.

use std::num::{NonZeroU32, ParseIntError};

/// A digest of the files that items were made from: 32 bits, for it goes through the context of
/// models, and guards against mistakes alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcesDigest(NonZeroU32);

impl SourcesDigest {
    /// Returns the digest of this hash; none of 0, which is how cursors and packs write that there
    /// is none.
    pub fn new(hash: u64) -> Option<Self> {
        let folded = u32::try_from((hash ^ (hash >> 32)) & u64::from(u32::MAX)).unwrap_or(0);
        let digest = NonZeroU32::new(folded).unwrap_or(NonZeroU32::MIN);
        (hash != 0).then_some(Self(digest))
    }

    /// Returns the digest that a number of [`SourcesDigest::number`] stands for, or none.
    pub fn from_number(number: u32) -> Option<Self> {
        NonZeroU32::new(number).map(Self)
    }

    /// Returns the number that stands for a digest, or for none.
    pub fn number(digest: Option<Self>) -> u32 {
        digest.map_or(0, |digest| digest.0.get())
    }

    /// Returns the text that stands for a digest, or for none, in packs.
    pub fn to_hex(digest: Option<Self>) -> String {
        format!("{:x}", Self::number(digest))
    }

    /// Returns the digest that a text of [`SourcesDigest::to_hex`] stands for, or none.
    ///
    /// # Errors
    /// For what is no such text.
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
