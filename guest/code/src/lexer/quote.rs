//! The kinds of strings.

/// The opening of an expression within a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interpolation {
    None,
    /// `${`, closed by `}`.
    DollarBrace,
    /// `${` and `$(`.
    Shell,
    /// `#{`.
    HashBrace,
    /// `\(`, with as many number signs in between as the string has.
    BackslashParen,
    /// `{`, which is escaped by doubling.
    Brace,
}

/// The escape of the quote within a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    None,
    Backslash,
    Doubled,
}

/// A kind of string: its end and the constructs within it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quote {
    pub(super) close: u8,
    /// Bracket that nests within, as in `%w[a [b]]`.
    pub(super) nested: Option<u8>,
    /// Number of closing bytes that end the string, and of number signs after them.
    pub(super) count: u16,
    pub(super) hashes: u16,
    pub(super) escape: Escape,
    pub(super) interpolation: Interpolation,
    pub(super) is_multiline: bool,
}

impl Quote {
    /// `"a \" b"` on one line. The methods below derive every other kind from it.
    pub(super) const DOUBLE: Self = Self::new(b'"');
    /// `'a'` on one line.
    pub(super) const SINGLE: Self = Self::new(b'\'');

    /// Creates a string that ends with its line or an unescaped `close`.
    pub(super) const fn new(close: u8) -> Self {
        Self {
            close,
            nested: None,
            count: 1,
            hashes: 0,
            escape: Escape::Backslash,
            interpolation: Interpolation::None,
            is_multiline: false,
        }
    }

    pub(super) const fn multiline(self) -> Self {
        self.multiline_if(true)
    }

    pub(super) const fn multiline_if(mut self, is_multiline: bool) -> Self {
        self.is_multiline = is_multiline;
        self
    }

    /// `"""a"""`, over several lines.
    pub(super) const fn triple(self) -> Self {
        self.multiline().with_count(3)
    }

    pub(super) const fn with_count(mut self, count: u16) -> Self {
        self.count = count;
        self
    }

    /// `"a"##`.
    pub(super) const fn with_hashes(mut self, hashes: u16) -> Self {
        self.hashes = hashes;
        self
    }

    pub(super) const fn with_nested(mut self, bracket: Option<u8>) -> Self {
        self.nested = bracket;
        self
    }

    pub(super) const fn with_escape(mut self, escape: Escape) -> Self {
        self.escape = escape;
        self
    }

    pub(super) const fn with_interpolation(mut self, interpolation: Interpolation) -> Self {
        self.interpolation = interpolation;
        self
    }

    /// Returns the number of opening bytes, without number signs.
    pub(super) fn opening_length(self) -> usize {
        usize::from(self.count)
    }
}
