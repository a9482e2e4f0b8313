//! Literals that begin with the sign of an operator, disambiguated by the token before: `/a/` and
//! `a / b`, `%w[a]` and `a % b`, `?a` and `a ? b : c`.

use crate::language::Language;
use crate::lexer::quote::Quote;
use crate::lexer::state::Lexer;
use crate::lexer::token::TokenKind;
use crate::lexer::token::is_word;
use crate::position::TokenIndex;

/// Words followed by a value, in JavaScript or Ruby.
const BEFORE_OPERAND: &[&str] = &[
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "delete",
    "void",
    "throw",
    "new",
    "else",
    "do",
    "instanceof",
    "yield",
    "await",
    "if",
    "elsif",
    "unless",
    "when",
    "while",
    "until",
    "and",
    "or",
    "not",
    "then",
    "puts",
];

impl Lexer<'_> {
    /// Returns true if an operand comes next, judged by the token before it.
    fn is_operand_next(&self) -> bool {
        let Some(last) = self.output.tokens.last() else {
            return true;
        };
        match last.kind {
            TokenKind::Open | TokenKind::Directive | TokenKind::Punct => true,
            TokenKind::Number | TokenKind::Text => false,
            TokenKind::Word => BEFORE_OPERAND.contains(&self.token_text(*last)),
            // After `}` a slash divides the value of an object, `{} / 2`, or begins a regular
            // expression after a block, `{}⏎/a/.test(b)`. A block usually ends its line, so the
            // line decides. After `)` it divides, unless the brackets are those of a condition.
            TokenKind::Close if last.byte == b'}' => self.is_line_start,
            TokenKind::Close if last.byte == b')' && self.language != Language::Ruby => last
                .partner
                .previous()
                .is_some_and(|word| self.is_condition(word)),
            TokenKind::Close => false,
        }
    }

    /// Returns true if the brackets after this word are a condition: `if (a) /b/.test(c)`.
    fn is_condition(&self, word: TokenIndex) -> bool {
        let word = self.token_text(self.token(word));
        matches!(word, "if" | "while" | "for" | "with")
    }

    /// Consumes `/a[/]b/`, unless the sign is an operator.
    pub(super) fn regular_expression(&mut self) -> bool {
        if self.offset < self.unclosed_before
            || !(self.is_operand_next() || self.is_ruby_argument())
        {
            return false;
        }
        let mut in_class = false;
        let mut end = self.offset + 1;
        while let Some(byte) = self.bytes.get(end) {
            match byte {
                b'\n' | b'\r' => break,
                b'\\' if !matches!(self.bytes.get(end + 1), Some(b'\n' | b'\r')) => end += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    self.push(TokenKind::Text, 0, end + 1);
                    return true;
                }
                _ => {}
            }
            end += 1;
        }
        // No expression is closed on the rest of this line. That is remembered, so that a line
        // with many divisions is searched only once.
        self.unclosed_before = end;
        false
    }

    /// Returns true if a sign begins the argument of a call without brackets: `match /a/`, not `a /
    /// b`.
    fn is_ruby_argument(&self) -> bool {
        self.language == Language::Ruby
            && self.follows_space()
            && !self.peek(1).is_ascii_whitespace()
            && self
                .output
                .tokens
                .last()
                .is_some_and(|last| last.kind == TokenKind::Word)
    }

    /// Consumes `%w[...]` and the like; without a letter only if an operator is impossible.
    pub(super) fn ruby_percent(&mut self) -> bool {
        let letter = self.peek(1);
        let has_letter = b"wWiIqQrsx".contains(&letter);
        let open = self.peek(1 + usize::from(has_letter));
        let close = match open {
            b'(' => b')',
            b'[' => b']',
            b'{' => b'}',
            b'<' => b'>',
            b'|' | b'!' | b'/' if has_letter => open,
            _ => return false,
        };
        if !(self.is_operand_next() || has_letter && self.follows_space()) {
            return false;
        }
        let nested = (close != open).then_some(open);
        let quote = Quote::new(close).multiline().with_nested(nested);
        self.begin(2 + usize::from(has_letter), quote)
    }

    /// Consumes `?a`, a character.
    pub(super) fn ruby_character(&mut self) -> bool {
        let is_character =
            self.is_operand_next() && self.peek(1).is_ascii_graphic() && !is_word(self.peek(2));
        if is_character {
            self.push(TokenKind::Text, 0, self.offset + 2);
        }
        is_character
    }

    fn follows_space(&self) -> bool {
        self.offset > 0 && self.bytes[self.offset - 1].is_ascii_whitespace()
    }
}
