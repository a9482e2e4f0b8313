//! Comments, and lines that are not code.

use crate::language::Language;
use crate::lexer::state::Lexer;
use crate::lexer::token::TokenKind;
use crate::position::byte_range;

impl Lexer<'_> {
    /// Consumes a comment or a directive, if one begins here.
    pub(super) fn comment(&mut self) -> bool {
        use Language as L;
        let byte = self.bytes[self.offset];
        // `//` divides in Python, is an empty regular expression in Ruby, and part of a path or
        // of an address in the shell.
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
            // `#[` begins an attribute.
            (L::Php, b'#') if self.peek(1) != b'[' => self.line_comment(),
            (L::Shell, b'#') if self.begins_shell_word() => self.line_comment(),
            // The first line of a script; `#![` is an attribute of Rust.
            (L::Rust | L::JavaScript | L::TypeScript | L::Php, b'#')
                if self.offset == 0 && self.peek(1) == b'!' && self.peek(2) != b'[' =>
            {
                self.line_comment()
            }
            (L::C | L::Cpp | L::CSharp, b'#') if self.is_line_start => {
                self.directive();
                true
            }
            // Other words after the sign are expressions in Swift: `#selector(a)`.
            (L::Swift, b'#') if self.is_line_start && self.is_swift_condition() => {
                self.directive();
                true
            }
            (L::Ruby, b'=') if self.begins_line() && self.looking_at("=begin") => {
                self.block_up_to_line("=end");
                true
            }
            // The rest of the file after `__END__` is data, which the program may read.
            (L::Ruby, b'_') if self.begins_line() && self.looking_at("__END__") => {
                self.offset = self.bytes.len();
                true
            }
            // `?>` ends a statement as a semicolon does, and then markup follows up to the next
            // `<?`. Without the semicolon the code before and after the markup would be one
            // statement.
            (L::Php, b'?') if self.peek(1) == b'>' => {
                self.push(TokenKind::Punct, b';', self.offset + 2);
                self.skip_markup();
                true
            }
            _ => false,
        }
    }

    fn begins_line(&self) -> bool {
        self.offset == 0 || matches!(self.bytes[self.offset - 1], b'\n' | b'\r')
    }

    /// Returns true if a word could begin here, where a number sign begins a comment.
    fn begins_shell_word(&self) -> bool {
        self.offset == 0
            || matches!(
                self.bytes[self.offset - 1],
                b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'('
            )
    }

    fn is_swift_condition(&self) -> bool {
        ["#if", "#else", "#elseif", "#endif"]
            .iter()
            .any(|word| self.looking_at(word))
    }

    /// Consumes the bytes up to `end` as a comment.
    pub(super) fn pass_comment(&mut self, end: usize) {
        self.output.comments.push(byte_range(self.offset, end));
        self.offset = end;
    }

    fn line_comment(&mut self) -> bool {
        let end = match self.language {
            Language::Php => self.end_of_php_comment(),
            _ => self.end_of_line(),
        };
        self.pass_comment(end);
        true
    }

    /// Returns the end of the line, or of the code on it, which ends within a comment too. Both are
    /// searched for at once, because a line may contain many comments.
    fn end_of_php_comment(&self) -> usize {
        let rest = &self.bytes[self.offset..];
        let is_end = |index: &usize| {
            matches!(rest[*index], b'\n' | b'\r') || rest[*index..].starts_with(b"?>")
        };
        let length = (0..rest.len()).find(is_end).unwrap_or(rest.len());
        self.offset + length
    }

    fn block_comment(&mut self) -> bool {
        use Language as L;
        // In these languages comments nest: `/* /* */ */` is one comment. In the others the
        // first `*/` ends it, and a lexer that counted would take the rest of the file for a
        // comment.
        let nests = matches!(self.language, L::Rust | L::Kotlin | L::Swift);
        let mut depth = 0usize;
        let mut end = self.offset;
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
        self.pass_comment(end);
        true
    }

    /// Consumes all lines up to the one that begins with `last`, as a comment.
    fn block_up_to_line(&mut self, last: &str) {
        let mut end = self.offset;
        loop {
            let rest = &self.text[end..];
            let length = rest.find('\n').map_or(rest.len(), |length| length + 1);
            // The line that ends it is part of it.
            let is_last = rest.starts_with(last);
            end += length;
            if is_last || end == self.bytes.len() {
                break;
            }
        }
        let text = self.text[..end].trim_end_matches(['\n', '\r']);
        self.pass_comment(text.len().max(self.offset));
    }

    /// Skips the text outside of `<?php` and `?>`.
    pub(super) fn skip_markup(&mut self) {
        let rest = &self.text[self.offset..];
        // `<?` alone and `<?=` begin code as well.
        let Some(length) = rest.find("<?") else {
            self.offset = self.bytes.len();
            return;
        };
        self.offset += length + 2;
        for word in ["php", "PHP", "="] {
            if self.looking_at(word) {
                self.offset += word.len();
                break;
            }
        }
        self.is_line_start = true;
    }
}
