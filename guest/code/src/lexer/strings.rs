//! What kinds of strings there are, and where one ends.

use super::{Lexer, TokenKind};
use crate::limits::STRING_SIGNS;

/// What an expression within a string begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interpolation {
    None,
    /// `${`, closed by `}`.
    DollarBrace,
    /// `${` and `$(`.
    Shell,
    /// `#{`.
    HashBrace,
    /// `\(`, with as many number signs between as the string has.
    BackslashParen,
    /// `{`, which stands for itself when doubled.
    Brace,
}

/// How the quote itself is written within a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    None,
    Backslash,
    Doubled,
}

/// A kind of string: how it ends and what can stand in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quote {
    close: u8,
    /// The bracket that nests within, as in `%w[a [b]]`.
    nested: Option<u8>,
    /// How many closing bytes it takes to end the string, and number signs behind them.
    count: u16,
    hashes: u16,
    escape: Escape,
    interpolation: Interpolation,
    is_multiline: bool,
}

impl Quote {
    /// `"a \" b"` on one line. The methods below make every other kind of it.
    pub(super) const DOUBLE: Self = Self::new(b'"');
    /// `'a'` on one line.
    pub(super) const SINGLE: Self = Self::new(b'\'');

    /// Returns a string that ends with `close`, before which a backslash may stand, or its line.
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
        self.multiline().repeated(3)
    }

    pub(super) const fn repeated(mut self, count: u16) -> Self {
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

    /// Returns how many bytes open the string, number signs aside.
    pub(super) fn opening_length(self) -> usize {
        usize::from(self.count)
    }
}

impl Lexer<'_> {
    /// Takes `skip` bytes and the string that follows; true, since a literal is taken.
    pub(super) fn begin(&mut self, skip: usize, quote: Quote) -> bool {
        self.string(skip, quote);
        true
    }

    /// Goes on with a string behind an expression in it.
    pub(super) fn rest_of_string(&mut self, quote: Quote) {
        self.string(0, quote);
    }

    /// Takes a string up to its end or to the next expression in it, whose bracket then is open.
    fn string(&mut self, skip: usize, quote: Quote) {
        let mut end = self.offset + skip;
        let mut depth = 0usize;
        while let Some(byte) = self.bytes.get(end).copied() {
            if matches!(byte, b'\n' | b'\r') && !quote.is_multiline {
                break;
            }
            // An expression comes before an escape: `\(` is one in Swift.
            if let Some((bracket, length)) = self.interpolation(end, quote) {
                self.push(TokenKind::Text, 0, end);
                return self.open(bracket, length, Some(quote));
            }
            if quote.interpolation == Interpolation::Brace && byte == b'{' {
                // Doubled, or the other brace of a longer run.
                end += 2;
            } else if byte == b'\\' && quote.escape == Escape::Backslash && quote.hashes == 0 {
                let next = self.bytes.get(end + 1);
                // The line goes on, but the string's own end is not looked for behind it.
                end += if next == Some(&b'\r') && !quote.is_multiline {
                    3
                } else {
                    2
                };
            } else if byte == quote.close && depth > 0 {
                depth -= 1;
                end += 1;
            } else if byte == quote.close && self.closes(end, quote) {
                if quote.escape == Escape::Doubled && self.bytes.get(end + 1) == Some(&byte) {
                    end += 2;
                    continue;
                }
                end += usize::from(quote.count) + usize::from(quote.hashes);
                return self.push(TokenKind::Text, 0, end);
            } else {
                depth += usize::from(quote.nested == Some(byte));
                end += 1;
            }
        }
        // An escape may have stepped over the end, or into a character.
        let mut end = end.min(self.bytes.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        self.push(TokenKind::Text, 0, end);
    }

    /// Whether the string ends with what stands at `offset`.
    fn closes(&self, offset: usize, quote: Quote) -> bool {
        let count = usize::from(quote.count);
        let rest = &self.bytes[offset..];
        rest.len() >= count + usize::from(quote.hashes)
            && rest[..count].iter().all(|byte| *byte == quote.close)
            && rest[count..count + usize::from(quote.hashes)]
                .iter()
                .all(|byte| *byte == b'#')
    }

    /// Returns the bracket and the length of what begins an expression at `offset`.
    fn interpolation(&self, offset: usize, quote: Quote) -> Option<(u8, usize)> {
        let rest = &self.bytes[offset..];
        let next = rest.get(1).copied();
        match (quote.interpolation, rest[0]) {
            (Interpolation::DollarBrace | Interpolation::Shell, b'$') if next == Some(b'{') => {
                Some((b'{', 2))
            }
            (Interpolation::Shell, b'$') if next == Some(b'(') => Some((b'(', 2)),
            (Interpolation::HashBrace, b'#') if next == Some(b'{') => Some((b'{', 2)),
            (Interpolation::BackslashParen, b'\\') => {
                let hashes = usize::from(quote.hashes);
                let signs = rest.get(1..=hashes)?;
                let is_open = rest.get(hashes + 1) == Some(&b'(');
                (is_open && signs.iter().all(|byte| *byte == b'#')).then_some((b'(', hashes + 2))
            }
            (Interpolation::Brace, b'{') if next != Some(b'{') => Some((b'{', 1)),
            _ => None,
        }
    }

    /// Counts `byte` from `from` on, up to the most that a string can begin with.
    pub(super) fn run_of(&self, byte: u8, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let run = rest.iter().take(STRING_SIGNS);
        run.take_while(|other| **other == byte).count()
    }
}
