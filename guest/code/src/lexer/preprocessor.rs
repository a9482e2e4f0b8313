//! Preprocessor lines of C, and of C# and Swift, which share its directives.

use crate::language::Language;
use crate::lexer::state::Lexer;
use crate::lexer::token::TokenKind;
use crate::position::{ByteOffset, byte_range};

impl Lexer<'_> {
    /// Consumes a preprocessor line with its continuation lines.
    pub(super) fn directive(&mut self) {
        let end = self.end_of_directive();
        let word = directive_word(&self.text[self.offset..end]);
        let is_condition = matches!(word, "if" | "ifdef" | "ifndef" | "else" | "elif" | "endif");
        match word {
            "if" | "ifdef" | "ifndef" => self.open_conditions.push(self.open_brackets.len()),
            "else" | "elif" | "elseif" => self.forget_branch(),
            "endif" => drop(self.open_conditions.pop()),
            _ => {}
        }
        // Such a line is not part of the declaration around it, as in
        // `int f(int a,⏎#ifdef B⏎int b,⏎#endif⏎int c)`. As a token it would be among the
        // parameters; as a comment it is left out of signatures. Outside of brackets a line of C
        // is a token, because `#define` is a definition.
        let is_trivia = matches!(self.language, Language::CSharp | Language::Swift)
            || self.parens > 0 && is_condition;
        if is_trivia {
            self.pass_directive(end);
        } else {
            self.push(TokenKind::Directive, b'#', end);
        }
    }

    /// Drops the brackets that the last branch left open, because only one branch is compiled: `#if
    /// A⏎void f(int a) {⏎#else⏎void f(void) {⏎#endif⏎}`.
    fn forget_branch(&mut self) {
        if let Some(open) = self.open_conditions.last().copied() {
            while self.open_brackets.len() > open {
                self.pop_bracket();
            }
        }
    }

    /// Passes a preprocessor line like a comment, including the comments on it.
    fn pass_directive(&mut self, end: usize) {
        // The comments on the line were recorded when its end was searched for, since a comment
        // may hide the end. The line as a whole replaces them: comments are in order and never
        // overlap, and later stages search them by position.
        let start = ByteOffset::new(self.offset);
        let comments = &mut self.output.comments;
        while comments.pop_if(|comment| comment.start >= start).is_some() {}
        self.pass_comment(end);
    }

    /// Returns the end of the directive that begins here, including continuation lines.
    fn end_of_directive(&mut self) -> usize {
        let mut end = self.offset;
        loop {
            end = self.end_of_directive_line(end);
            let line = &self.bytes[self.offset..end];
            let continues = line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\");
            if !continues || end == self.bytes.len() {
                return end;
            }
            end += 1;
        }
    }

    /// Returns the end of the line that continues at `from`, after the comments that begin on it:
    /// `#define SIZE 326 /* for⏎lines */`.
    fn end_of_directive_line(&mut self, from: usize) -> usize {
        let is_c = matches!(self.language, Language::C | Language::Cpp);
        let mut end = from;
        let mut quote = None;
        while let Some(byte) = self.bytes.get(end).copied() {
            let next = self.bytes.get(end + 1).copied();
            match (byte, next) {
                (b'\n', _) => break,
                (b'\\', Some(b'\\' | b'"' | b'\'')) => end += 1,
                (b'"' | b'\'', _) if quote == Some(byte) => quote = None,
                (b'"' | b'\'', _) if quote.is_none() => quote = Some(byte),
                (b'/', Some(b'*' | b'/')) if is_c && quote.is_none() => {
                    let rest = &self.text[end..];
                    let length = if next == Some(b'*') {
                        rest[2..].find("*/").map(|length| length + 4)
                    } else {
                        rest.find(['\n', '\r'])
                    };
                    let after = end + length.unwrap_or(rest.len());
                    self.output.comments.push(byte_range(end, after));
                    end = after;
                    continue;
                }
                _ => {}
            }
            end += 1;
        }
        end.min(self.bytes.len())
    }
}

/// Returns the word after the number sign of a preprocessor line.
pub(crate) fn directive_word(line: &str) -> &str {
    let text = line.strip_prefix('#').unwrap_or(line).trim_start();
    let mut words = text.split(|letter: char| !letter.is_ascii_alphabetic());
    words.next().unwrap_or_default()
}
