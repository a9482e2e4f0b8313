//! Positions in a text, of tokens and of bytes: two types, so that they cannot be confused.

use std::ops::{Add, AddAssign, Range, Sub};

/// The index of a token. The number of tokens, and any greater index, is the end of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TokenIndex(u32);

impl TokenIndex {
    pub(crate) const FIRST: Self = Self(0);

    pub(crate) fn new(index: usize) -> Self {
        Self(index as u32)
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the index `count` tokens before, or the first one.
    pub(crate) fn saturating_sub(self, count: u32) -> Self {
        Self(self.0.saturating_sub(count))
    }

    /// Returns the index of the token before, or `None` before the first.
    pub(crate) fn previous(self) -> Option<Self> {
        self.0.checked_sub(1).map(Self)
    }
}

impl Add<u32> for TokenIndex {
    type Output = Self;

    fn add(self, count: u32) -> Self {
        Self(self.0 + count)
    }
}

impl AddAssign<u32> for TokenIndex {
    fn add_assign(&mut self, count: u32) {
        self.0 += count;
    }
}

impl Sub<u32> for TokenIndex {
    type Output = Self;

    fn sub(self, count: u32) -> Self {
        Self(self.0 - count)
    }
}

/// Returns each index of `range` in order; empty if it ends before it begins.
pub(crate) fn token_indices(
    range: Range<TokenIndex>,
) -> impl DoubleEndedIterator<Item = TokenIndex> + Clone {
    (range.start.0..range.end.0).map(TokenIndex)
}

/// A byte offset in the text. Half the size of a `usize` on a 64-bit machine, because every token
/// stores two of them; no text here has four gigabytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ByteOffset(u32);

/// A byte range of the text.
pub(crate) type ByteRange = Range<ByteOffset>;

impl ByteOffset {
    pub(crate) const START: Self = Self(0);

    pub(crate) fn new(offset: usize) -> Self {
        Self(offset as u32)
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn saturating_sub(self, bytes: u32) -> Self {
        Self(self.0.saturating_sub(bytes))
    }
}

/// For parsers whose positions are numbers of this size.
impl From<u32> for ByteOffset {
    fn from(offset: u32) -> Self {
        Self(offset)
    }
}

impl Add<usize> for ByteOffset {
    type Output = Self;

    fn add(self, bytes: usize) -> Self {
        Self(self.0 + bytes as u32)
    }
}

/// The distance between two offsets in bytes.
impl Sub for ByteOffset {
    type Output = usize;

    fn sub(self, start: Self) -> usize {
        (self.0 - start.0) as usize
    }
}

/// Creates the range from `start` to `end`, given as plain numbers.
pub(crate) fn byte_range(start: usize, end: usize) -> ByteRange {
    ByteOffset::new(start)..ByteOffset::new(end)
}

/// Converts `range` to plain numbers, for slicing strings.
pub(crate) fn plain_range(range: &ByteRange) -> Range<usize> {
    range.start.index()..range.end.index()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_comes_before_the_first_token() {
        assert_eq!(TokenIndex::FIRST.previous(), None);
        assert_eq!(TokenIndex::FIRST.saturating_sub(3), TokenIndex::FIRST);
        assert_eq!((TokenIndex::FIRST + 1).previous(), Some(TokenIndex::FIRST));
    }

    #[test]
    fn a_range_that_ends_before_it_begins_has_no_tokens() {
        let (first, third) = (TokenIndex::FIRST, TokenIndex::FIRST + 2);
        assert_eq!(token_indices(third..first).count(), 0);
        assert_eq!(token_indices(first..third).last(), Some(first + 1));
    }
}
