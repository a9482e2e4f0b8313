//! Texts that begin behind the line which announces them, and those of PHP.

use super::{Kind, Lexer, is_word};
use crate::language::Language;
use crate::limits::NESTED_SYMBOLS;

/// A text that was announced and begins with the next line.
#[derive(Debug)]
pub(super) struct Heredoc {
    /// The line that ends it.
    word: String,
    /// Whether that line may be indented.
    indented: bool,
}

impl Lexer<'_> {
    /// Takes the announcement of a text, `<<WORD`, if it is one.
    pub(super) fn heredoc(&mut self) -> bool {
        let is_php = self.language == Language::Php;
        let signs = if is_php { "<<<" } else { "<<" };
        if !self.looking_at(signs)
            || (self.language == Language::Shell && (self.peek(2) == b'<' || self.is_arithmetic()))
        {
            return false;
        }
        let mut at = self.at + signs.len();
        let mut indented = is_php;
        while let Some(byte) = self.bytes.get(at) {
            match byte {
                b'-' | b'~' if !is_php => indented = true,
                b' ' | b'\t' if self.language != Language::Ruby => {}
                _ => break,
            }
            at += 1;
        }
        let quote = self
            .bytes
            .get(at)
            .copied()
            .filter(|byte| matches!(byte, b'"' | b'\''));
        at += usize::from(quote.is_some());
        let start = at;
        while self.bytes.get(at).is_some_and(|byte| is_word(*byte)) {
            at += 1;
        }
        let word = &self.text[start..at];
        // `a << b` is an operator: only upper case or a sign tells a text in Ruby.
        let is_named = word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
        let is_sure = self.language != Language::Ruby
            || indented
            || quote.is_some()
            || word.starts_with(char::is_uppercase);
        if !is_named || !is_sure || (quote.is_some() && self.bytes.get(at) != quote.as_ref()) {
            return false;
        }
        self.heredocs.push(Heredoc {
            word: word.to_owned(),
            indented,
        });
        self.push(Kind::Text, 0, at + usize::from(quote.is_some()));
        true
    }

    /// Whether this stands in `((...))` or in an index, where the shell reckons. What surrounds it is
    /// looked at so far only, since brackets may nest without end.
    fn is_arithmetic(&self) -> bool {
        let token = |at: u32| self.lexed.tokens[at as usize];
        let mut inner: Option<u32> = None;
        for frame in self.frames.iter().rev().take(NESTED_SYMBOLS) {
            match frame.byte {
                b'[' => {
                    let before = frame.token.checked_sub(1).map(token);
                    return before.is_some_and(|before| {
                        before.kind == Kind::Word && before.end == token(frame.token).start
                    });
                }
                b'(' => {
                    let end = token(frame.token).end;
                    if inner.is_some_and(|inner| token(inner).start == end) {
                        return true;
                    }
                    inner = Some(frame.token);
                }
                _ => return false,
            }
        }
        false
    }

    /// Skips the announced texts, of which the first begins here.
    pub(super) fn skip_heredocs(&mut self) {
        for heredoc in std::mem::take(&mut self.heredocs) {
            while self.at < self.bytes.len() {
                let end = self.end_of_line();
                let mut line = &self.text[self.at..end];
                if heredoc.indented {
                    line = line.trim_start();
                }
                let is_last = if self.language == Language::Php {
                    // The last line may go on with `;` or `)`.
                    line.strip_prefix(heredoc.word.as_str())
                        .is_some_and(|rest| !rest.bytes().next().is_some_and(is_word))
                } else {
                    line == heredoc.word
                };
                if is_last && self.language == Language::Php {
                    let indent = end - self.at - line.len();
                    self.at += indent + heredoc.word.len();
                    break;
                }
                self.at = end;
                if self.at < self.bytes.len() {
                    self.at += if self.looking_at("\r\n") { 2 } else { 1 };
                }
                if is_last {
                    break;
                }
            }
        }
    }
}
