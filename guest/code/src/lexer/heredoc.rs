//! Here-documents, including those of PHP.

use crate::language::Language;
use crate::lexer::state::{Heredoc, Lexer};
use crate::lexer::token::TokenKind;
use crate::lexer::token::is_word;
use crate::limits::ARITHMETIC_BRACKETS;

impl Lexer<'_> {
    /// Consumes the announcement of a here-document, `<<WORD`, if it is one.
    pub(super) fn heredoc(&mut self) -> bool {
        let is_php = self.language == Language::Php;
        let signs = if is_php { "<<<" } else { "<<" };
        // `<<<` is a string on the same line in the shell.
        if !self.looking_at(signs)
            || (self.language == Language::Shell && (self.peek(2) == b'<' || self.is_arithmetic()))
        {
            return false;
        }
        let mut end = self.offset + signs.len();
        let mut is_indented = is_php;
        while let Some(byte) = self.bytes.get(end) {
            match byte {
                b'-' | b'~' if !is_php => is_indented = true,
                // In Ruby a blank after the signs makes them an operator: `a << b`. The shell
                // allows blanks before the word: `cat << EOF`.
                b' ' | b'\t' if self.language != Language::Ruby => {}
                _ => break,
            }
            end += 1;
        }
        let quote = self
            .bytes
            .get(end)
            .copied()
            .filter(|byte| matches!(byte, b'"' | b'\''));
        end += usize::from(quote.is_some());
        let start = end;
        while self.bytes.get(end).is_some_and(|byte| is_word(*byte)) {
            end += 1;
        }
        let word = &self.text[start..end];
        // In Ruby `a <<b` may be a shift. A shift that is taken for a here-document loses the
        // rest of the file, in which no line is `b`, so only a word in upper case, a quote or
        // one of the signs `-` and `~` begins one.
        let is_named = word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
        let is_sure = self.language != Language::Ruby
            || is_indented
            || quote.is_some()
            || word.starts_with(char::is_uppercase);
        if !is_named || !is_sure || (quote.is_some() && self.bytes.get(end) != quote.as_ref()) {
            return false;
        }
        self.heredocs.push(Heredoc {
            word: word.to_owned(),
            is_indented,
        });
        self.push(TokenKind::Text, 0, end + usize::from(quote.is_some()));
        true
    }

    /// Returns true if this is within `((...))` or an index, which are arithmetic in the shell.
    /// Only a bounded number of enclosing brackets is examined, because brackets may nest
    /// arbitrarily.
    fn is_arithmetic(&self) -> bool {
        let mut inner = None;
        for bracket in self.open_brackets.iter().rev().take(ARITHMETIC_BRACKETS) {
            match bracket.byte {
                // Within an index `<<` shifts: `a[1<<b]=2`. The bracket of an index touches the
                // name before it, while that of a test, `[ a << b ]`, is a command of its own.
                b'[' => {
                    let start = self.token(bracket.token).start;
                    return bracket.token.previous().is_some_and(|before| {
                        let before = self.token(before);
                        before.kind == TokenKind::Word && before.end == start
                    });
                }
                // `((`: two adjacent ones.
                b'(' => {
                    let token = self.token(bracket.token);
                    if inner == Some(token.end) {
                        return true;
                    }
                    inner = Some(token.start);
                }
                _ => return false,
            }
        }
        false
    }

    /// Skips the announced here-documents, of which the first begins here.
    pub(super) fn skip_heredocs(&mut self) {
        for heredoc in std::mem::take(&mut self.heredocs) {
            while self.offset < self.bytes.len() {
                let end = self.end_of_line();
                let mut line = &self.text[self.offset..end];
                if heredoc.is_indented {
                    line = line.trim_start();
                }
                let is_last = if self.language == Language::Php {
                    // The last line may continue with `;` or `)`.
                    line.strip_prefix(heredoc.word.as_str())
                        .is_some_and(|rest| !rest.bytes().next().is_some_and(is_word))
                } else {
                    line == heredoc.word
                };
                if is_last && self.language == Language::Php {
                    let indent = end - self.offset - line.len();
                    self.offset += indent + heredoc.word.len();
                    break;
                }
                self.offset = end;
                if self.offset < self.bytes.len() {
                    self.offset += if self.looking_at("\r\n") { 2 } else { 1 };
                }
                if is_last {
                    break;
                }
            }
        }
    }
}
