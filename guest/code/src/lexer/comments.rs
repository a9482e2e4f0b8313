//! Comments, and lines that are no code.

use super::{Kind, Lexer};
use crate::language::Language;

impl Lexer<'_> {
    /// Takes a comment or a directive, if one begins here.
    pub(super) fn comment(&mut self) -> bool {
        use Language as L;
        let byte = self.bytes[self.at];
        let slashes = !matches!(self.language, L::Python | L::Ruby | L::Shell);
        if byte == b'/' && slashes {
            match self.peek(1) {
                b'/' => return self.line_comment(),
                b'*' => return self.block_comment(),
                _ => return false,
            }
        }
        match (self.language, byte) {
            (L::Python | L::Ruby, b'#') => self.line_comment(),
            (L::Php, b'#') if self.peek(1) != b'[' => self.line_comment(),
            (L::Shell, b'#') if self.begins_shell_word() => self.line_comment(),
            (L::Rust | L::JavaScript | L::TypeScript | L::Php, b'#')
                if self.at == 0 && self.peek(1) == b'!' && self.peek(2) != b'[' =>
            {
                self.line_comment()
            }
            (L::C | L::Cpp | L::CSharp, b'#') if self.fresh => {
                self.directive();
                true
            }
            (L::Swift, b'#') if self.fresh && self.is_swift_condition() => {
                self.directive();
                true
            }
            (L::Ruby, b'=') if self.at_line_start() && self.looking_at("=begin") => {
                self.until_line("=end");
                true
            }
            (L::Ruby, b'_') if self.at_line_start() && self.looking_at("__END__") => {
                self.at = self.bytes.len();
                true
            }
            (L::Php, b'?') if self.peek(1) == b'>' => {
                self.push(Kind::Punct, b';', self.at + 2);
                self.skip_markup();
                true
            }
            _ => false,
        }
    }

    fn at_line_start(&self) -> bool {
        self.at == 0 || matches!(self.bytes[self.at - 1], b'\n' | b'\r')
    }

    /// A number sign begins a comment only where a word could begin.
    fn begins_shell_word(&self) -> bool {
        self.at == 0
            || matches!(
                self.bytes[self.at - 1],
                b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'('
            )
    }

    fn is_swift_condition(&self) -> bool {
        ["#if", "#else", "#elseif", "#endif"]
            .iter()
            .any(|word| self.looking_at(word))
    }

    fn remember(&mut self, end: usize) {
        self.lexed.comments.push(self.at..end);
        self.at = end;
    }

    fn line_comment(&mut self) -> bool {
        let mut end = self.end_of_line();
        if self.language == Language::Php
            && let Some(length) = self.text[self.at..end].find("?>")
        {
            end = self.at + length;
        }
        self.remember(end);
        true
    }

    fn block_comment(&mut self) -> bool {
        use Language as L;
        let nests = matches!(self.language, L::Rust | L::Kotlin | L::Swift);
        let mut depth = 0usize;
        let mut end = self.at;
        while end < self.bytes.len() {
            let rest = &self.bytes[end..];
            if rest.starts_with(b"/*") && (nests || depth == 0) {
                depth += 1;
                end += 2;
            } else if rest.starts_with(b"*/") {
                depth -= 1;
                end += 2;
                if depth == 0 {
                    break;
                }
            } else {
                end += 1;
            }
        }
        self.remember(end);
        true
    }

    /// Takes all lines up to the one that begins with `last`, as a comment.
    fn until_line(&mut self, last: &str) {
        let mut end = self.at;
        loop {
            let rest = &self.text[end..];
            let length = rest.find('\n').map_or(rest.len(), |length| length + 1);
            let is_last = rest.starts_with(last);
            end += length;
            if is_last || end == self.bytes.len() {
                break;
            }
        }
        let text = self.text[..end].trim_end_matches(['\n', '\r']);
        self.remember(text.len().max(self.at));
    }

    /// Skips what stands outside of `<?php` and `?>`.
    pub(super) fn skip_markup(&mut self) {
        let rest = &self.text[self.at..];
        let Some(length) = rest.find("<?") else {
            self.at = self.bytes.len();
            return;
        };
        self.at += length + 2;
        for word in ["php", "PHP", "="] {
            if self.looking_at(word) {
                self.at += word.len();
                break;
            }
        }
        self.fresh = true;
    }
}
