//! SentencePiece normalization: character replacements stored in a double array.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A compiled map of character replacements.
pub(super) struct Charsmap {
    units: Vec<u32>,
    replacements: Vec<u8>,
}

impl Charsmap {
    /// Parses a map as stored in `tokenizer.json`.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let damaged = || "its `precompiled_charsmap` is damaged".to_owned();
        let bytes = STANDARD.decode(text).map_err(|_| damaged())?;
        let (length, rest) = bytes.split_first_chunk::<4>().ok_or_else(damaged)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (units, replacements) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let (units, []) = units.as_chunks::<4>() else {
            return Err(damaged());
        };
        Ok(Self {
            units: units.iter().map(|unit| u32::from_le_bytes(*unit)).collect(),
            replacements: replacements.to_vec(),
        })
    }

    /// Replaces the longest match at each position.
    pub(super) fn apply(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let found = self.longest(rest.as_bytes());
            let found = found.filter(|&(length, _)| length > 0 && rest.is_char_boundary(length));
            match found.and_then(|(length, at)| Some((length, self.replacement(at)?))) {
                Some((length, by)) => {
                    out.push_str(by);
                    rest = &rest[length..];
                }
                None => {
                    out.push(first);
                    rest = &rest[first.len_utf8()..];
                }
            }
        }
        out
    }

    /// Returns the length of the longest match at the start of `text`, and the offset of its
    /// replacement.
    fn longest(&self, text: &[u8]) -> Option<(usize, usize)> {
        // Units of a double array, as SentencePiece compiles it:
        //
        // ```text
        // bits 0-7    byte that leads to this node (bit 31 is set in a value instead)
        // bit 8       a match ends here, and the unit at the offset is its value
        // bit 9       the offset is shifted by 8 bits
        // bits 10-30  offset from this node to its children
        // ```
        //
        // The file is not trusted, so every index is looked up with `get`, and the walk ends
        // with the text.
        let offset = |unit: u32| ((unit >> 10) << ((unit & (1 << 9)) >> 6)) as usize;
        let mut node = offset(*self.units.first()?);
        let mut longest = None;
        for (index, &byte) in text.iter().enumerate() {
            node ^= usize::from(byte);
            let Some(&unit) = self.units.get(node) else {
                break;
            };
            if byte == 0 || unit & (1 << 31 | 0xff) != u32::from(byte) {
                break;
            }
            node ^= offset(unit);
            if unit >> 8 & 1 == 1 {
                let value = self.units.get(node).map(|unit| unit & !(1 << 31));
                longest = value.map(|value| (index + 1, value as usize)).or(longest);
            }
        }
        longest
    }

    fn replacement(&self, at: usize) -> Option<&str> {
        let rest = self.replacements.get(at..)?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        std::str::from_utf8(&rest[..end]).ok()
    }
}
