//! The state of the lexer.

use crate::language::Language;
use crate::lexer::quote::Quote;
use crate::lexer::token::LexerOutput;
use crate::position::TokenIndex;

pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) language: Language,
    /// Current byte: everything before it is in `output`.
    pub(super) offset: usize,
    /// True if this line has no token yet.
    pub(super) is_line_start: bool,
    /// Offset up to which it is known that no single-line literal is closed.
    pub(super) unclosed_before: usize,
    pub(super) open_brackets: Vec<OpenBracket>,
    /// Numbers of open brackets of each kind since the last open brace, and of open braces in
    /// total. They show if a bracket closes anything, without a search through all open ones.
    pub(super) parens: u32,
    pub(super) squares: u32,
    pub(super) braces: u32,
    /// Number of open brackets at each unended `#if`.
    pub(super) open_conditions: Vec<usize>,
    pub(super) heredocs: Vec<Heredoc>,
    pub(super) output: LexerOutput,
}

/// An open bracket whose partner has not been found yet.
#[derive(Debug)]
pub(super) struct OpenBracket {
    pub(super) token: TokenIndex,
    pub(super) byte: u8,
    /// String to resume after the closing bracket.
    pub(super) resume: Option<Quote>,
    /// Numbers of round and square brackets open before it, since the last brace.
    pub(super) outer: (u32, u32),
}

/// An announced here-document, which begins on the next line.
#[derive(Debug)]
pub(super) struct Heredoc {
    /// Terminator line.
    pub(super) word: String,
    /// True if that line may be indented.
    pub(super) is_indented: bool,
}
