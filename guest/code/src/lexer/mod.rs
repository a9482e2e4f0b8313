//! The lexer: words, numbers, strings, brackets and comments, for every language.
//!
//! Interpolated strings become pieces and brackets, so that later stages see only tokens that nest.
//! Lexing never fails: an unclosed string ends with its line or the file, and an unmatched bracket
//! has no partner.
//!
//! One pass over the bytes, each examined a bounded number of times. If a bracket closes that was
//! opened within a string, the lexer resumes the string: `"a ${b} c"` is the text `"a `, the
//! bracket `${`, the word, the bracket `}` and the text ` c"`. This uses no recursion, so that the
//! stack does not depend on the text. Within the lexer all positions are plain byte offsets; tokens
//! and comments leave it with positions of their own types.

mod comments;
mod heredoc;
mod literals;
mod operands;
mod preprocessor;
mod quote;
mod state;
mod strings;
pub(crate) mod token;

use crate::language::Language;
use crate::lexer::quote::Quote;
use crate::lexer::state::{Lexer, OpenBracket};
use crate::lexer::token::is_word;
use crate::lexer::token::{LexerOutput, Token, TokenKind};
use crate::limits::{BYTES_BETWEEN_QUESTIONS, BYTES_OF_TOKEN};
use crate::position::{ByteOffset, TokenIndex};
pub(crate) use preprocessor::directive_word;

/// Returns the tokens and comments of `text`, or `None` if `go_on`, which is called with the number
/// of bytes processed, returns false.
pub(crate) fn lex(
    language: Language,
    text: &str,
    go_on: &mut dyn FnMut(usize) -> bool,
) -> Option<LexerOutput> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        language,
        // A byte order mark is not part of the text.
        offset: if text.starts_with('\u{feff}') { 3 } else { 0 },
        is_line_start: true,
        unclosed_before: 0,
        open_brackets: Vec::new(),
        parens: 0,
        squares: 0,
        braces: 0,
        open_conditions: Vec::new(),
        heredocs: Vec::new(),
        output: LexerOutput {
            tokens: Vec::with_capacity(text.len() / BYTES_OF_TOKEN),
            comments: Vec::new(),
        },
    };
    lexer.run(go_on).then_some(lexer.output)
}

impl Lexer<'_> {
    /// Returns the byte `ahead` positions further; 0 past the end, which is not a sign of any
    /// language.
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.offset + ahead).copied().unwrap_or(0)
    }

    fn looking_at(&self, what: &str) -> bool {
        self.bytes[self.offset..].starts_with(what.as_bytes())
    }

    /// Returns the index of the next token.
    fn next_token(&self) -> TokenIndex {
        TokenIndex::new(self.output.tokens.len())
    }

    fn token(&self, token: TokenIndex) -> Token {
        self.output.tokens[token.index()]
    }

    fn token_text(&self, token: Token) -> &str {
        &self.text[token.start.index()..token.end.index()]
    }

    /// Consumes the bytes up to `end` as a token.
    fn push(&mut self, kind: TokenKind, byte: u8, end: usize) {
        let partner = self.next_token();
        self.output.tokens.push(Token {
            kind,
            byte,
            is_first_on_line: self.is_line_start,
            start: ByteOffset::new(self.offset),
            end: ByteOffset::new(end),
            partner,
        });
        self.is_line_start = false;
        self.offset = end;
    }

    /// Lexes the text, and returns true if it reached the end.
    fn run(&mut self, go_on: &mut dyn FnMut(usize) -> bool) -> bool {
        let mut asked = self.offset;
        if self.language == Language::Php {
            self.skip_markup();
        }
        while self.offset < self.bytes.len() {
            if self.offset - asked >= BYTES_BETWEEN_QUESTIONS {
                if !go_on(self.offset - asked) {
                    return false;
                }
                asked = self.offset;
            }
            let byte = self.bytes[self.offset];
            // The order matters. Blanks are most of a text and are tested first. Comments and
            // literals come before words and signs, with which many of them begin: `//` with the
            // operator `/`, `r"a"` and `b'c'` with a word.
            match byte {
                b'\n' | b'\r' => self.newline(),
                // The vertical tab is not a blank in Rust, but is in C.
                _ if byte.is_ascii_whitespace() || byte == 0x0b => self.offset += 1,
                _ if byte >= 0x80 && self.blank_length(self.offset) > 0 => {
                    self.offset += self.blank_length(self.offset);
                }
                // The line continues, so that the next token is not the first on it.
                b'\\' if matches!(self.peek(1), b'\n' | b'\r') => self.offset += 2,
                // An escaped character neither begins a string nor closes a bracket:
                // `echo \" \)`.
                b'\\' if self.language == Language::Shell => {
                    let escaped = self.text[self.offset + 1..].chars().next();
                    let end = self.offset + 1 + escaped.map_or(0, char::len_utf8);
                    self.push(TokenKind::Punct, b'\\', end);
                }
                _ if self.comment() || self.literal() => {}
                _ if is_word(byte) && !byte.is_ascii_digit() => self.word(),
                _ if byte.is_ascii_digit() => self.number(),
                b'(' | b'[' | b'{' => self.open(byte, 1, None),
                b')' | b']' | b'}' => self.close(byte),
                _ => self.push(TokenKind::Punct, byte, self.offset + 1),
            }
        }
        true
    }

    fn newline(&mut self) {
        self.offset += if self.looking_at("\r\n") { 2 } else { 1 };
        self.is_line_start = true;
        // Here-documents begin after the line that announces them, whose rest is code:
        // `f(<<A, <<B, c)`. So they are only recorded where they are announced, and skipped
        // here, one after the other, before the next line is read.
        if !self.heredocs.is_empty() {
            self.skip_heredocs();
        }
    }

    fn end_of_line(&self) -> usize {
        self.bytes[self.offset..]
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r'))
            .map_or(self.bytes.len(), |length| self.offset + length)
    }

    /// Returns the length of the non-ASCII blank at `offset`; 0 if there is none.
    fn blank_length(&self, offset: usize) -> usize {
        // All other bytes beyond ASCII are parts of names, so that names in other scripts are
        // whole. A no-break space or an ideographic space pasted into code would otherwise join
        // the words around it: `let` and `x` would be one name.
        let letter = match self.bytes.get(offset) {
            Some(0x80..) => self.text.get(offset..).and_then(|rest| rest.chars().next()),
            _ => None,
        };
        letter
            .filter(|letter| letter.is_whitespace())
            .map_or(0, char::len_utf8)
    }

    fn word(&mut self) {
        let mut end = self.offset;
        while end < self.bytes.len() && is_word(self.bytes[end]) && self.blank_length(end) == 0 {
            end += 1;
        }
        // `empty?` and `save!` are names, `a != b` compares.
        if self.language == Language::Ruby
            && matches!(self.bytes.get(end), Some(b'?' | b'!'))
            && self.bytes.get(end + 1) != Some(&b'=')
        {
            end += 1;
        }
        self.push(TokenKind::Word, 0, end);
    }

    fn number(&mut self) {
        let mut end = self.offset;
        let separators = self.language == Language::Cpp;
        while let Some(byte) = self.bytes.get(end) {
            let after = self.bytes.get(end + 1).copied().unwrap_or(0);
            // `0xff`, `1.5` and `1'000` are one number, but the dots of `1..2` and `1.abs` are
            // not part of it.
            let continues = is_word(*byte)
                || (*byte == b'.' && after.is_ascii_digit())
                || (separators && *byte == b'\'' && after.is_ascii_alphanumeric());
            if !continues {
                break;
            }
            end += 1;
        }
        self.push(TokenKind::Number, 0, end);
    }

    /// Consumes an opening bracket of `length` bytes.
    fn open(&mut self, byte: u8, length: usize, resume: Option<Quote>) {
        let token = self.next_token();
        let outer = (self.parens, self.squares);
        // Within braces the counts of round and square brackets start from zero, because a body
        // never closes the brackets around it. In `f(a { ) }` the `)` is stray: if it closed the
        // `(`, the brace between them would lose its partner, and with it the body its end.
        match byte {
            b'(' => self.parens += 1,
            b'[' => self.squares += 1,
            _ => (self.parens, self.squares, self.braces) = (0, 0, self.braces + 1),
        }
        self.open_brackets.push(OpenBracket {
            token,
            byte,
            resume,
            outer,
        });
        self.push(TokenKind::Open, byte, self.offset + length);
    }

    /// Consumes a closing bracket. Unclosed brackets within it have no partner; neither has a
    /// bracket that closes nothing.
    fn close(&mut self, byte: u8) {
        let (opening, open) = match byte {
            b')' => (b'(', self.parens),
            b']' => (b'[', self.squares),
            _ => (b'{', self.braces),
        };
        let token = self.next_token();
        self.push(TokenKind::Close, byte, self.offset + 1);
        // A stray bracket closes nothing, which its count shows at once. Without counts, each
        // `)` of `[[[[…))))` would search all open brackets. A search that succeeds removes the
        // brackets that it passes, so all searches together take time in proportion to the text.
        if open == 0 {
            return;
        }
        while let Some(bracket) = self.pop_bracket() {
            // Opened within and not closed: an error, or a sign that is not a bracket here.
            if bracket.byte != opening {
                continue;
            }
            self.output.tokens[token.index()].partner = bracket.token;
            self.output.tokens[bracket.token.index()].partner = token;
            if let Some(quote) = bracket.resume {
                self.rest_of_string(quote);
            }
            break;
        }
    }

    fn pop_bracket(&mut self) -> Option<OpenBracket> {
        let bracket = self.open_brackets.pop()?;
        if bracket.byte == b'{' {
            self.braces -= 1;
        }
        (self.parens, self.squares) = bracket.outer;
        Some(bracket)
    }
}

#[cfg(test)]
mod tests;
