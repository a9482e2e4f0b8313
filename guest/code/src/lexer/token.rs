//! Tokens, and the result of lexing.

use crate::position::{ByteOffset, ByteRange, TokenIndex};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    Number,
    /// A character or string literal, or a piece of one.
    Text,
    Open,
    Close,
    Punct,
    /// A line of the C preprocessor and similar ones.
    Directive,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// Character of a `Punct`, plain bracket of an `Open` or `Close`, else 0.
    pub(crate) byte: u8,
    pub(crate) is_first_on_line: bool,
    pub(crate) start: ByteOffset,
    pub(crate) end: ByteOffset,
    /// Matching bracket; the token itself if there is none.
    pub(crate) partner: TokenIndex,
}

/// The tokens and comments of a text, in order.
#[derive(Debug, Default)]
pub(crate) struct LexerOutput {
    pub(crate) tokens: Vec<Token>,
    pub(crate) comments: Vec<ByteRange>,
}

/// Returns true if a byte may be part of a name. Every non-ASCII byte may, so that names in other
/// scripts are whole.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}
