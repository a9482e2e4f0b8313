//! The unit in which the room for texts is counted.

/// Unit in which the room for texts is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// In characters.
    Chars,
    /// In bytes of UTF-8: a syllable of Hangul costs a reader as much as three letters.
    Bytes,
}

impl Unit {
    /// Returns the size of a text.
    pub fn measure(self, text: &str) -> usize {
        match self {
            Self::Chars => text.chars().count(),
            Self::Bytes => text.len(),
        }
    }

    /// Returns the number of bytes of a text that fit into `room`.
    pub fn fit(self, text: &str, room: usize) -> usize {
        self.cut(text, room).unwrap_or(text.len())
    }

    /// Returns the position at which to cut a text larger than `room`, or `None` if it fits.
    pub fn cut(self, text: &str, room: usize) -> Option<usize> {
        match self {
            Self::Chars => text.char_indices().nth(room).map(|(at, _)| at),
            Self::Bytes => (text.len() > room).then(|| text.floor_char_boundary(room)),
        }
    }
}
