//! Literals: strings in every form, characters, quoted names. The first byte and the language
//! select the form; most bytes begin no literal.

use crate::language::Language;
use crate::lexer::quote::{Escape, Interpolation, Quote};
use crate::lexer::state::Lexer;
use crate::lexer::token::TokenKind;
use crate::lexer::token::is_word;
use crate::limits::{RAW_DELIMITER_BYTES, STRING_SIGNS};

impl Lexer<'_> {
    /// Consumes a literal, if one begins here.
    pub(super) fn literal(&mut self) -> bool {
        use Language as L;
        let byte = self.bytes[self.offset];
        match byte {
            b'"' => self.double_quoted_literal(),
            b'\'' => self.single_quoted_literal(),
            b'`' => self.backtick_quoted_literal(),
            b'r' | b'b' | b'c' if self.language == L::Rust => self.rust_prefixed_literal(),
            b'R' | b'L' | b'u' | b'U' if self.language == L::Cpp => self.cpp_raw(),
            b'@' | b'$' if self.language == L::CSharp => self.csharp_prefixed_literal(),
            b'#' if self.language == L::Swift => self.swift_raw(),
            b'$' if self.language == L::Shell => self.shell_dollar(),
            // `$'`, `$"` and the like are variables, and so is `$/`. If their second sign began
            // a string or a regular expression, the code after it would be lost up to the next
            // such sign.
            b'$' if self.language == L::Ruby && b"'`\"/<;?".contains(&self.peek(1)) => {
                self.push(TokenKind::Word, 0, self.offset + 2);
                true
            }
            b'<' if matches!(self.language, L::Php | L::Ruby | L::Shell) => self.heredoc(),
            b'%' if self.language == L::Ruby => self.ruby_percent(),
            b'?' if self.language == L::Ruby => self.ruby_character(),
            b'/' if matches!(self.language, L::JavaScript | L::TypeScript | L::Ruby) => {
                self.regular_expression()
            }
            // A blank after the sign makes it an operator.
            b'/' if self.language == L::Swift && !self.peek(1).is_ascii_whitespace() => {
                self.regular_expression()
            }
            _ if self.language == L::Python && byte.is_ascii_alphabetic() => {
                self.python_prefixed_literal()
            }
            _ => false,
        }
    }

    fn double_quoted_literal(&mut self) -> bool {
        use Language as L;
        let double = Quote::DOUBLE;
        let is_triple = self.looking_at("\"\"\"");
        match self.language {
            L::Rust | L::Php => self.begin(1, double.multiline()),
            L::Ruby => self.begin(
                1,
                double
                    .multiline()
                    .with_interpolation(Interpolation::HashBrace),
            ),
            L::Shell => self.begin(
                1,
                double.multiline().with_interpolation(Interpolation::Shell),
            ),
            L::Kotlin if is_triple => {
                let raw = double.triple().with_escape(Escape::None);
                self.begin(3, raw.with_interpolation(Interpolation::DollarBrace))
            }
            L::Kotlin => self.begin(1, double.with_interpolation(Interpolation::DollarBrace)),
            L::Swift if is_triple => self.begin(
                3,
                double
                    .triple()
                    .with_interpolation(Interpolation::BackslashParen),
            ),
            L::Swift => self.begin(1, double.with_interpolation(Interpolation::BackslashParen)),
            L::CSharp if is_triple => self.csharp_raw(0, 0),
            L::Java | L::Python if is_triple => self.begin(3, double.triple()),
            _ => self.begin(1, double),
        }
    }

    fn single_quoted_literal(&mut self) -> bool {
        use Language as L;
        let single = Quote::SINGLE;
        match self.language {
            L::Rust => self.is_rust_character() && self.begin(1, single),
            L::Swift => false,
            L::Shell => self.begin(1, single.multiline().with_escape(Escape::None)),
            L::Ruby | L::Php => self.begin(1, single.multiline()),
            L::Python if self.looking_at("'''") => self.begin(3, single.triple()),
            _ => self.begin(1, single),
        }
    }

    /// Returns true if a quote begins a character, `'a'` or `'\n'`, instead of a lifetime, `'a`.
    fn is_rust_character(&self) -> bool {
        match self.text[self.offset + 1..].chars().next() {
            Some('\\') => true,
            Some('\'') | None => false,
            Some(letter) => self.peek(1 + letter.len_utf8()) == b'\'',
        }
    }

    fn backtick_quoted_literal(&mut self) -> bool {
        use Language as L;
        let quote = Quote::new(b'`').multiline();
        match self.language {
            L::JavaScript | L::TypeScript => {
                self.begin(1, quote.with_interpolation(Interpolation::DollarBrace))
            }
            L::Go => self.begin(1, quote.with_escape(Escape::None)),
            L::Kotlin | L::Swift => self.quoted_name(),
            L::Ruby if self.names_ruby_method() => {
                self.push(TokenKind::Punct, b'`', self.offset + 1);
                true
            }
            L::Ruby | L::Shell | L::Php => self.begin(1, quote),
            _ => false,
        }
    }

    /// Consumes a name in backticks, including them.
    fn quoted_name(&mut self) -> bool {
        if self.offset < self.unclosed_before {
            return false;
        }
        let rest = &self.bytes[self.offset + 1..];
        let stop = rest
            .iter()
            .position(|byte| matches!(byte, b'`' | b'\n' | b'\r'));
        let length = stop.unwrap_or(rest.len());
        if rest.get(length) != Some(&b'`') {
            // No name is closed on the rest of this line. That is remembered: in a line of many
            // backticks that are not closed, each would otherwise search the rest of the line
            // again.
            self.unclosed_before = self.offset + 1 + length;
            return false;
        }
        self.push(TokenKind::Word, 0, self.offset + length + 2);
        true
    }

    /// Returns true if a Ruby method name comes next: ``def `(command)``.
    fn names_ruby_method(&self) -> bool {
        let last = self.output.tokens.last();
        last.is_some_and(|last| self.token_text(*last) == "def")
    }

    /// Consumes `b"a"`, `b'a'`, `br##"a"##` and the like, and names such as `r#fn`.
    fn rust_prefixed_literal(&mut self) -> bool {
        // The longest first, because it contains the others.
        let prefix = ["br", "cr", "r", "b", "c"].into_iter().find(|prefix| {
            self.looking_at(prefix) && matches!(self.peek(prefix.len()), b'"' | b'#' | b'\'')
        });
        let Some(prefix) = prefix else { return false };
        let after = self.offset + prefix.len();
        let hashes = self.run_of(b'#', after);
        if prefix.ends_with('r') && self.bytes.get(after + hashes) == Some(&b'"') {
            let Ok(count) = u16::try_from(hashes) else {
                return false;
            };
            let raw = Quote::DOUBLE.multiline().with_escape(Escape::None);
            return self.begin(prefix.len() + hashes + 1, raw.with_hashes(count));
        }
        match (prefix, self.bytes[after]) {
            ("b" | "c", b'"') => self.begin(2, Quote::DOUBLE.multiline()),
            ("b", b'\'') => self.begin(2, Quote::SINGLE),
            ("r", b'#') if self.bytes.get(after + 1).is_some_and(|byte| is_word(*byte)) => {
                let end = (after + 1..self.bytes.len())
                    .find(|offset| !is_word(self.bytes[*offset]))
                    .unwrap_or(self.bytes.len());
                self.push(TokenKind::Word, 0, end);
                true
            }
            _ => false,
        }
    }

    /// Consumes `R"delimiter(...)delimiter"`.
    fn cpp_raw(&mut self) -> bool {
        let prefix = ["R\"", "LR\"", "u8R\"", "uR\"", "UR\""]
            .into_iter()
            .find(|prefix| self.looking_at(prefix));
        let Some(prefix) = prefix else { return false };
        let rest = &self.text[self.offset + prefix.len()..];
        let mut start = rest.bytes().take(RAW_DELIMITER_BYTES);
        let Some(length) = start.position(|byte| byte == b'(') else {
            return false;
        };
        let end = format!("){}\"", &rest[..length]);
        let length = rest
            .find(&end)
            .map_or(rest.len(), |start| start + end.len());
        self.push(TokenKind::Text, 0, self.offset + prefix.len() + length);
        true
    }

    /// Consumes `@"a""b"`, `$"a {b}"`, `$@"a"` and the raw ones among them.
    fn csharp_prefixed_literal(&mut self) -> bool {
        // At most `STRING_SIGNS` signs are counted. A text that consists of `$` or `@` has no
        // string at all, and each of them would count all signs after it.
        let signs = self.bytes[self.offset..].iter().take(STRING_SIGNS);
        let signs = signs.take_while(|byte| matches!(byte, b'@' | b'$')).count();
        if self.bytes.get(self.offset + signs) != Some(&b'"') {
            return false;
        }
        let prefix = &self.bytes[self.offset..self.offset + signs];
        let dollars = prefix.iter().filter(|byte| **byte == b'$').count();
        let is_verbatim = dollars < signs;
        if !is_verbatim && self.run_of(b'"', self.offset + signs) >= 3 {
            return self.csharp_raw(signs, dollars);
        }
        let mut quote = Quote::DOUBLE;
        if is_verbatim {
            quote = quote.multiline().with_escape(Escape::Doubled);
        }
        if dollars > 0 {
            quote = quote.with_interpolation(Interpolation::Brace);
        }
        self.begin(signs + 1, quote)
    }

    /// Consumes a string between three or more quotes. With more than one dollar sign, single
    /// braces are text; expressions are then not distinguished from text.
    fn csharp_raw(&mut self, signs: usize, dollars: usize) -> bool {
        let count = self.run_of(b'"', self.offset + signs);
        let Ok(repeated) = u16::try_from(count) else {
            return false;
        };
        let raw = Quote::DOUBLE.multiline().with_escape(Escape::None);
        let mut quote = raw.with_count(repeated);
        if dollars == 1 {
            quote = quote.with_interpolation(Interpolation::Brace);
        }
        self.begin(signs + count, quote)
    }

    /// Consumes `#"a"#`, `##"""a"""##` and the regular expression `#/a/#`.
    fn swift_raw(&mut self) -> bool {
        let count = self.run_of(b'#', self.offset);
        let Ok(hashes) = u16::try_from(count) else {
            return false;
        };
        if self.bytes.get(self.offset + count) == Some(&b'/') {
            let next = self.bytes.get(self.offset + count + 1);
            let is_multiline = matches!(next, Some(b'\n' | b'\r'));
            let expression = Quote::new(b'/').with_hashes(hashes);
            return self.begin(count + 1, expression.multiline_if(is_multiline));
        }
        let quote = match self.run_of(b'"', self.offset + count) {
            0 => return false,
            1 | 2 => Quote::DOUBLE,
            _ => Quote::DOUBLE.triple(),
        };
        let quote = quote.with_hashes(hashes);
        self.begin(
            count + quote.opening_length(),
            quote.with_interpolation(Interpolation::BackslashParen),
        )
    }

    /// Consumes `$'a'`, `$"a"`, `${`, `$(` and variables of one sign.
    fn shell_dollar(&mut self) -> bool {
        match self.peek(1) {
            b'\'' => self.begin(2, Quote::SINGLE.multiline()),
            b'"' => {
                let quote = Quote::DOUBLE.multiline();
                self.begin(2, quote.with_interpolation(Interpolation::Shell))
            }
            b'{' => {
                self.open(b'{', 2, None);
                true
            }
            b'(' => {
                self.open(b'(', 2, None);
                true
            }
            // `$#` and `$'` are variables here: the sign begins neither a comment nor a string.
            byte if byte.is_ascii_punctuation() => {
                self.push(TokenKind::Word, 0, self.offset + 2);
                true
            }
            _ => false,
        }
    }

    /// Consumes `f"a {b}"`, `rb'a'` and the like.
    fn python_prefixed_literal(&mut self) -> bool {
        let letters = self.bytes[self.offset..]
            .iter()
            .take(3)
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        let prefix = &self.text[self.offset..self.offset + letters];
        let close = self.peek(letters);
        let is_prefix = letters <= 2 && prefix.bytes().all(|byte| b"rRbBuUfFtT".contains(&byte));
        if !is_prefix || !matches!(close, b'"' | b'\'') {
            return false;
        }
        let mut quote = Quote::new(close);
        if self.run_of(close, self.offset + letters) >= 3 {
            quote = quote.triple();
        }
        if prefix.bytes().any(|byte| b"fFtT".contains(&byte)) {
            quote = quote.with_interpolation(Interpolation::Brace);
        }
        self.begin(letters + quote.opening_length(), quote)
    }
}
