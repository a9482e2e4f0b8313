//! Digests of sources: by them a cursor or a pack notices that what it was made from has changed.

use std::num::{NonZeroU64, ParseIntError};

/// A digest of the files that items were made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcesDigest(NonZeroU64);

impl SourcesDigest {
    /// Returns the digest of this hash; none of 0, which is how cursors and packs write that there
    /// is none.
    pub fn new(hash: u64) -> Option<Self> {
        NonZeroU64::new(hash).map(Self)
    }

    /// Returns the number that stands for a digest, or for none.
    pub fn number(digest: Option<Self>) -> u64 {
        digest.map_or(0, |digest| digest.0.get())
    }

    /// Returns the text that stands for a digest, or for none, in cursors and packs.
    pub fn to_hex(digest: Option<Self>) -> String {
        format!("{:x}", Self::number(digest))
    }

    /// Returns the digest that a text of [`SourcesDigest::to_hex`] stands for, or none.
    ///
    /// # Errors
    /// For what is no such text.
    pub fn from_hex(text: &str) -> Result<Option<Self>, ParseIntError> {
        u64::from_str_radix(text, 16).map(Self::new)
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
    }
}
