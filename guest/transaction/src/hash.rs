//! What a content is known by.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// The SHA-256 of a content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Returns the hash of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Returns the hash that is written as 64 lower-case hexadecimal digits; none for other texts.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 64 || !text.bytes().all(is_digit) {
            return None;
        }
        let mut hash = [0; 32];
        for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        }
        Some(Self(hash))
    }
}

impl fmt::Display for ContentHash {
    /// 64 lower-case hexadecimal digits, or as many of them as the precision says.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = f.precision().unwrap_or(64);
        for digit in 0..shown.min(64) {
            let byte = self.0[digit / 2];
            let half = if digit % 2 == 0 { byte >> 4 } else { byte & 15 };
            write!(f, "{half:x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:.12}")
    }
}

#[cfg(test)]
mod tests {
    use super::ContentHash;

    #[test]
    fn written_and_read_back() {
        // FIPS 180-4, example.
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let hash = ContentHash::of(b"abc");
        assert_eq!(hash.to_string(), text);
        assert_eq!(format!("{hash:.12}"), "ba7816bf8f01");
        assert_eq!(ContentHash::parse(text), Some(hash));
        for other in ["", "abc", &text.to_uppercase(), &text.replace('b', "+")] {
            assert_eq!(ContentHash::parse(other), None);
        }
    }
}
