//! String syntax: the kinds of strings, and their ends.

use crate::lexer::quote::{Escape, Interpolation, Quote};
use crate::lexer::state::Lexer;
use crate::lexer::token::TokenKind;
use crate::limits::STRING_SIGNS;

impl Lexer<'_> {
    /// Consumes `skip` bytes and the string that follows. Returns true, because a literal was
    /// consumed.
    pub(super) fn begin(&mut self, skip: usize, quote: Quote) -> bool {
        self.string(skip, quote);
        true
    }

    /// Resumes a string after an expression in it.
    pub(super) fn rest_of_string(&mut self, quote: Quote) {
        self.string(0, quote);
    }

    /// Consumes a string up to its end or to the next expression in it, whose bracket is then open.
    fn string(&mut self, skip: usize, quote: Quote) {
        let mut end = self.offset + skip;
        let mut depth = 0usize;
        while let Some(byte) = self.bytes.get(end).copied() {
            if matches!(byte, b'\n' | b'\r') && !quote.is_multiline {
                break;
            }
            // Expressions are tested before escapes, because `\(` begins one in Swift.
            if let Some((bracket, length)) = self.interpolation(end, quote) {
                self.push(TokenKind::Text, 0, end);
                return self.open(bracket, length, Some(quote));
            }
            if quote.interpolation == Interpolation::Brace && byte == b'{' {
                // Doubled, or the other brace of a longer run.
                end += 2;
            } else if byte == b'\\' && quote.escape == Escape::Backslash && quote.hashes == 0 {
                let next = self.bytes.get(end + 1);
                // A backslash before a line end is skipped with it, CR LF as a whole. A string
                // that may not contain line ends then continues on the next line.
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
        // An escape may have skipped past the end, or into a character.
        let mut end = end.min(self.bytes.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        self.push(TokenKind::Text, 0, end);
    }

    /// Returns true if the string ends at `offset`.
    fn closes(&self, offset: usize, quote: Quote) -> bool {
        let count = usize::from(quote.count);
        let rest = &self.bytes[offset..];
        rest.len() >= count + usize::from(quote.hashes)
            && rest[..count].iter().all(|byte| *byte == quote.close)
            && rest[count..count + usize::from(quote.hashes)]
                .iter()
                .all(|byte| *byte == b'#')
    }

    /// Returns the bracket and the length of the opening of an expression at `offset`.
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

    /// Counts `byte` from `from` on, up to the maximum with which a string can begin.
    pub(super) fn run_of(&self, byte: u8, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let run = rest.iter().take(STRING_SIGNS);
        run.take_while(|other| **other == byte).count()
    }
}
