//! Literals of characters: strings in every form, characters, regular expressions.

use super::{Kind, Lexer, is_word};
use crate::language::Language;
use crate::limits::STRING_SIGNS;

/// What an expression within a string begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Embedded {
    None,
    /// `${`, closed by `}`.
    DollarBrace,
    /// `${` and `$(`.
    Shell,
    /// `#{`.
    HashBrace,
    /// `\(`, with as many number signs between as the string has.
    BackslashParen,
    /// `{`, which stands for itself when doubled.
    Brace,
}

/// How the quote itself is written within a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    None,
    Backslash,
    Doubled,
}

/// A kind of string: how it ends and what can stand in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quote {
    close: u8,
    /// The bracket that nests within, as in `%w[a [b]]`; 0 for none.
    nested: u8,
    /// How many closing bytes it takes to end the string, and number signs behind them.
    count: u16,
    hashes: u16,
    escape: Escape,
    embedded: Embedded,
    /// Whether the string may go over several lines.
    lines: bool,
}

const PLAIN: Quote = Quote {
    close: b'"',
    nested: 0,
    count: 1,
    hashes: 0,
    escape: Escape::Backslash,
    embedded: Embedded::None,
    lines: false,
};

impl Lexer<'_> {
    /// Takes a literal, if one begins here.
    pub(super) fn literal(&mut self) -> bool {
        use Language as L;
        let byte = self.bytes[self.at];
        match byte {
            b'"' => self.double_quoted(),
            b'\'' => self.single_quoted(),
            b'`' => match self.language {
                L::JavaScript | L::TypeScript => self.begin(
                    1,
                    Quote {
                        close: b'`',
                        lines: true,
                        embedded: Embedded::DollarBrace,
                        ..PLAIN
                    },
                ),
                L::Go => self.begin(
                    1,
                    Quote {
                        close: b'`',
                        lines: true,
                        escape: Escape::None,
                        ..PLAIN
                    },
                ),
                L::Kotlin | L::Swift => self.quoted_name(),
                L::Ruby if self.names_method() => {
                    self.push(Kind::Punct, b'`', self.at + 1);
                    true
                }
                L::Ruby | L::Shell | L::Php => self.begin(
                    1,
                    Quote {
                        close: b'`',
                        lines: true,
                        ..PLAIN
                    },
                ),
                _ => false,
            },
            b'r' | b'b' | b'c' if self.language == L::Rust => self.rust_prefixed(),
            b'R' | b'L' | b'u' | b'U' if self.language == L::Cpp => self.cpp_raw(),
            b'@' | b'$' if self.language == L::CSharp => self.csharp_prefixed(),
            b'#' if self.language == L::Swift => self.swift_raw(),
            b'$' if self.language == L::Shell => self.shell_dollar(),
            // Variables, which begin no string.
            b'$' if self.language == L::Ruby && b"'`\"/<;?".contains(&self.peek(1)) => {
                self.push(Kind::Word, 0, self.at + 2);
                true
            }
            b'<' if matches!(self.language, L::Php | L::Ruby | L::Shell) => self.heredoc(),
            b'%' if self.language == L::Ruby => self.ruby_percent(),
            b'?' if self.language == L::Ruby => self.ruby_character(),
            b'/' if matches!(self.language, L::JavaScript | L::TypeScript | L::Ruby) => {
                self.regular_expression()
            }
            // A blank behind the sign makes it an operator.
            b'/' if self.language == L::Swift && !self.peek(1).is_ascii_whitespace() => {
                self.regular_expression()
            }
            _ if self.language == L::Python && byte.is_ascii_alphabetic() => self.python_prefixed(),
            _ => false,
        }
    }

    /// Takes `skip` bytes and the string that follows.
    fn begin(&mut self, skip: usize, quote: Quote) -> bool {
        self.string(skip, quote);
        true
    }

    /// Goes on with a string behind an expression in it.
    pub(super) fn rest_of_string(&mut self, quote: Quote) {
        self.string(0, quote);
    }

    fn string(&mut self, skip: usize, quote: Quote) {
        let mut end = self.at + skip;
        let mut depth = 0usize;
        while let Some(byte) = self.bytes.get(end).copied() {
            if matches!(byte, b'\n' | b'\r') && !quote.lines {
                break;
            }
            if let Some((bracket, length)) = self.embedded(end, quote) {
                self.push(Kind::Text, 0, end);
                return self.open(bracket, length, Some(quote));
            }
            if quote.embedded == Embedded::Brace && byte == b'{' {
                // Doubled, or the other brace of a longer run.
                end += 2;
            } else if byte == b'\\' && quote.escape == Escape::Backslash && quote.hashes == 0 {
                let next = self.bytes.get(end + 1);
                // The line goes on, but the string's own end is not looked for behind it.
                end += if next == Some(&b'\r') && !quote.lines {
                    3
                } else {
                    2
                };
            } else if byte == quote.close && depth > 0 {
                depth -= 1;
                end += 1;
            } else if byte == quote.close && self.closes(end, quote) {
                if quote.escape == Escape::Doubled && self.bytes.get(end + 1) == Some(&byte) {
                    end += 2;
                    continue;
                }
                end += usize::from(quote.count) + usize::from(quote.hashes);
                return self.push(Kind::Text, 0, end);
            } else {
                depth += usize::from(quote.nested != 0 && byte == quote.nested);
                end += 1;
            }
        }
        // An escape may have stepped over the end, or into a character.
        let mut end = end.min(self.bytes.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        self.push(Kind::Text, 0, end);
    }

    fn closes(&self, at: usize, quote: Quote) -> bool {
        let count = usize::from(quote.count);
        let rest = &self.bytes[at..];
        rest.len() >= count + usize::from(quote.hashes)
            && rest[..count].iter().all(|byte| *byte == quote.close)
            && rest[count..count + usize::from(quote.hashes)]
                .iter()
                .all(|byte| *byte == b'#')
    }

    /// Returns the bracket and the length of what begins an expression at `at`.
    fn embedded(&self, at: usize, quote: Quote) -> Option<(u8, usize)> {
        let rest = &self.bytes[at..];
        let next = rest.get(1).copied();
        match (quote.embedded, rest[0]) {
            (Embedded::DollarBrace | Embedded::Shell, b'$') if next == Some(b'{') => {
                Some((b'{', 2))
            }
            (Embedded::Shell, b'$') if next == Some(b'(') => Some((b'(', 2)),
            (Embedded::HashBrace, b'#') if next == Some(b'{') => Some((b'{', 2)),
            (Embedded::BackslashParen, b'\\') => {
                let hashes = usize::from(quote.hashes);
                let signs = rest.get(1..=hashes)?;
                let is_open = rest.get(hashes + 1) == Some(&b'(');
                (is_open && signs.iter().all(|byte| *byte == b'#')).then_some((b'(', hashes + 2))
            }
            (Embedded::Brace, b'{') if next != Some(b'{') => Some((b'{', 1)),
            _ => None,
        }
    }

    /// Counts `byte` from `from` on, up to the most that a string can begin with.
    fn run_of(&self, byte: u8, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let run = rest.iter().take(STRING_SIGNS);
        run.take_while(|other| **other == byte).count()
    }

    fn double_quoted(&mut self) -> bool {
        use Language as L;
        let is_triple = self.looking_at("\"\"\"");
        let triple = Quote {
            count: 3,
            lines: true,
            ..PLAIN
        };
        match self.language {
            L::Rust | L::Ruby | L::Php => {
                let embedded = if self.language == L::Ruby {
                    Embedded::HashBrace
                } else {
                    Embedded::None
                };
                self.begin(
                    1,
                    Quote {
                        lines: true,
                        embedded,
                        ..PLAIN
                    },
                )
            }
            L::Shell => self.begin(
                1,
                Quote {
                    lines: true,
                    embedded: Embedded::Shell,
                    ..PLAIN
                },
            ),
            L::Kotlin if is_triple => self.begin(
                3,
                Quote {
                    escape: Escape::None,
                    embedded: Embedded::DollarBrace,
                    ..triple
                },
            ),
            L::Kotlin => self.begin(
                1,
                Quote {
                    embedded: Embedded::DollarBrace,
                    ..PLAIN
                },
            ),
            L::Swift if is_triple => self.begin(
                3,
                Quote {
                    embedded: Embedded::BackslashParen,
                    ..triple
                },
            ),
            L::Swift => self.begin(
                1,
                Quote {
                    embedded: Embedded::BackslashParen,
                    ..PLAIN
                },
            ),
            L::CSharp if is_triple => self.csharp_raw(0, 0),
            L::Java | L::Python if is_triple => self.begin(3, triple),
            _ => self.begin(1, PLAIN),
        }
    }

    fn single_quoted(&mut self) -> bool {
        use Language as L;
        let single = Quote {
            close: b'\'',
            ..PLAIN
        };
        match self.language {
            L::Rust => {
                let next = self.text[self.at + 1..].chars().next();
                let is_character = match next {
                    Some('\\') => true,
                    Some('\'') | None => false,
                    Some(letter) => self.peek(1 + letter.len_utf8()) == b'\'',
                };
                is_character && self.begin(1, single)
            }
            L::Swift => false,
            L::Shell => self.begin(
                1,
                Quote {
                    escape: Escape::None,
                    lines: true,
                    ..single
                },
            ),
            L::Ruby | L::Php => self.begin(
                1,
                Quote {
                    lines: true,
                    ..single
                },
            ),
            L::Python if self.looking_at("'''") => self.begin(
                3,
                Quote {
                    count: 3,
                    lines: true,
                    ..single
                },
            ),
            _ => self.begin(1, single),
        }
    }

    /// Takes a name in backticks, with them.
    fn quoted_name(&mut self) -> bool {
        if self.at < self.unclosed_before {
            return false;
        }
        let rest = &self.bytes[self.at + 1..];
        let stop = rest
            .iter()
            .position(|byte| matches!(byte, b'`' | b'\n' | b'\r'));
        let length = stop.unwrap_or(rest.len());
        if rest.get(length) != Some(&b'`') {
            // None ends on this line, so the rest of it is looked at once only.
            self.unclosed_before = self.at + 1 + length;
            return false;
        }
        self.push(Kind::Word, 0, self.at + length + 2);
        true
    }

    fn rust_prefixed(&mut self) -> bool {
        let prefix = ["br", "cr", "r", "b", "c"].into_iter().find(|prefix| {
            self.looking_at(prefix) && matches!(self.peek(prefix.len()), b'"' | b'#' | b'\'')
        });
        let Some(prefix) = prefix else { return false };
        let after = self.at + prefix.len();
        let hashes = self.run_of(b'#', after);
        if prefix.ends_with('r') && self.bytes.get(after + hashes) == Some(&b'"') {
            let Ok(hashes) = u16::try_from(hashes) else {
                return false;
            };
            let raw = Quote {
                hashes,
                escape: Escape::None,
                lines: true,
                ..PLAIN
            };
            return self.begin(prefix.len() + usize::from(hashes) + 1, raw);
        }
        match (prefix, self.bytes[after]) {
            ("b" | "c", b'"') => self.begin(
                2,
                Quote {
                    lines: true,
                    ..PLAIN
                },
            ),
            ("b", b'\'') => self.begin(
                2,
                Quote {
                    close: b'\'',
                    ..PLAIN
                },
            ),
            ("r", b'#') if self.bytes.get(after + 1).is_some_and(|byte| is_word(*byte)) => {
                let end = (after + 1..self.bytes.len())
                    .find(|at| !is_word(self.bytes[*at]))
                    .unwrap_or(self.bytes.len());
                self.push(Kind::Word, 0, end);
                true
            }
            _ => false,
        }
    }

    /// Takes `R"delimiter(...)delimiter"`.
    fn cpp_raw(&mut self) -> bool {
        let prefix = ["R\"", "LR\"", "u8R\"", "uR\"", "UR\""]
            .into_iter()
            .find(|prefix| self.looking_at(prefix));
        let Some(prefix) = prefix else { return false };
        let rest = &self.text[self.at + prefix.len()..];
        // The standard allows sixteen characters.
        let Some(length) = rest.bytes().take(17).position(|byte| byte == b'(') else {
            return false;
        };
        let end = format!("){}\"", &rest[..length]);
        let length = rest.find(&end).map_or(rest.len(), |at| at + end.len());
        self.push(Kind::Text, 0, self.at + prefix.len() + length);
        true
    }

    fn csharp_prefixed(&mut self) -> bool {
        let signs = self.bytes[self.at..]
            .iter()
            .take_while(|byte| matches!(byte, b'@' | b'$'))
            .count();
        if self.bytes.get(self.at + signs) != Some(&b'"') {
            return false;
        }
        let prefix = &self.bytes[self.at..self.at + signs];
        let dollars = prefix.iter().filter(|byte| **byte == b'$').count();
        let is_verbatim = dollars < signs;
        if !is_verbatim && self.run_of(b'"', self.at + signs) >= 3 {
            return self.csharp_raw(signs, dollars);
        }
        let quote = Quote {
            escape: if is_verbatim {
                Escape::Doubled
            } else {
                Escape::Backslash
            },
            lines: is_verbatim,
            embedded: if dollars > 0 {
                Embedded::Brace
            } else {
                Embedded::None
            },
            ..PLAIN
        };
        self.begin(signs + 1, quote)
    }

    /// Takes a string between three or more quotes. With more than one dollar sign single braces
    /// stand for themselves; expressions are then not told from text.
    fn csharp_raw(&mut self, signs: usize, dollars: usize) -> bool {
        let count = self.run_of(b'"', self.at + signs);
        let Ok(short) = u16::try_from(count) else {
            return false;
        };
        let quote = Quote {
            count: short,
            escape: Escape::None,
            lines: true,
            embedded: if dollars == 1 {
                Embedded::Brace
            } else {
                Embedded::None
            },
            ..PLAIN
        };
        self.begin(signs + count, quote)
    }

    fn swift_raw(&mut self) -> bool {
        let count = self.run_of(b'#', self.at);
        let Ok(hashes) = u16::try_from(count) else {
            return false;
        };
        if self.bytes.get(self.at + count) == Some(&b'/') {
            let lines = matches!(self.bytes.get(self.at + count + 1), Some(b'\n' | b'\r'));
            let expression = Quote {
                close: b'/',
                hashes,
                lines,
                ..PLAIN
            };
            return self.begin(count + 1, expression);
        }
        let quotes = self.run_of(b'"', self.at + count);
        if quotes == 0 {
            return false;
        }
        let is_triple = quotes >= 3;
        let quote = Quote {
            hashes,
            count: if is_triple { 3 } else { 1 },
            lines: is_triple,
            embedded: Embedded::BackslashParen,
            ..PLAIN
        };
        self.begin(count + if is_triple { 3 } else { 1 }, quote)
    }

    fn shell_dollar(&mut self) -> bool {
        match self.peek(1) {
            b'\'' => self.begin(
                2,
                Quote {
                    close: b'\'',
                    lines: true,
                    ..PLAIN
                },
            ),
            b'"' => self.begin(
                2,
                Quote {
                    lines: true,
                    embedded: Embedded::Shell,
                    ..PLAIN
                },
            ),
            b'{' => {
                self.open(b'{', 2, None);
                true
            }
            b'(' => {
                self.open(b'(', 2, None);
                true
            }
            // `$#` and `$'` are variables here, no comment and no string.
            byte if byte.is_ascii_punctuation() => {
                self.push(Kind::Word, 0, self.at + 2);
                true
            }
            _ => false,
        }
    }

    fn python_prefixed(&mut self) -> bool {
        let letters = self.bytes[self.at..]
            .iter()
            .take(3)
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        let prefix = &self.text[self.at..self.at + letters];
        let close = self.peek(letters);
        let is_prefix = letters <= 2 && prefix.bytes().all(|byte| b"rRbBuUfFtT".contains(&byte));
        if !is_prefix || !matches!(close, b'"' | b'\'') {
            return false;
        }
        let is_triple = self.run_of(close, self.at + letters) >= 3;
        let has_expressions = prefix.bytes().any(|byte| b"fFtT".contains(&byte));
        let quote = Quote {
            close,
            count: if is_triple { 3 } else { 1 },
            lines: is_triple,
            embedded: if has_expressions {
                Embedded::Brace
            } else {
                Embedded::None
            },
            ..PLAIN
        };
        self.begin(letters + usize::from(quote.count), quote)
    }

    /// Takes `%w[...]` and its likes; without a letter only where no operator can stand.
    fn ruby_percent(&mut self) -> bool {
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
        let quote = Quote {
            close,
            nested: if close == open { 0 } else { open },
            lines: true,
            ..PLAIN
        };
        self.begin(2 + usize::from(has_letter), quote)
    }

    /// Whether a method of Ruby is named by what comes next: ``def `(command)``.
    fn names_method(&self) -> bool {
        self.lexed
            .tokens
            .last()
            .is_some_and(|last| &self.text[last.start as usize..last.end as usize] == "def")
    }

    fn follows_space(&self) -> bool {
        self.at > 0 && self.bytes[self.at - 1].is_ascii_whitespace()
    }

    fn ruby_character(&mut self) -> bool {
        let is_character =
            self.is_operand_next() && self.peek(1).is_ascii_graphic() && !is_word(self.peek(2));
        if is_character {
            self.push(Kind::Text, 0, self.at + 2);
        }
        is_character
    }

    /// Whether what comes next begins an operand, by the token before it.
    fn is_operand_next(&self) -> bool {
        let Some(last) = self.lexed.tokens.last() else {
            return true;
        };
        let word = &self.text[last.start as usize..last.end as usize];
        match last.kind {
            Kind::Open | Kind::Directive | Kind::Punct => true,
            Kind::Number | Kind::Text => false,
            Kind::Word => matches!(
                word,
                "return"
                    | "typeof"
                    | "case"
                    | "in"
                    | "of"
                    | "delete"
                    | "void"
                    | "throw"
                    | "new"
                    | "else"
                    | "do"
                    | "instanceof"
                    | "yield"
                    | "await"
                    | "if"
                    | "elsif"
                    | "unless"
                    | "when"
                    | "while"
                    | "until"
                    | "and"
                    | "or"
                    | "not"
                    | "then"
                    | "puts"
            ),
            Kind::Close if last.byte == b'}' => self.fresh,
            Kind::Close if last.byte == b')' && self.language != Language::Ruby => {
                let before = (last.partner as usize).checked_sub(1);
                before.is_some_and(|at| {
                    let token = self.lexed.tokens[at];
                    let word = &self.text[token.start as usize..token.end as usize];
                    matches!(word, "if" | "while" | "for" | "with")
                })
            }
            Kind::Close => false,
        }
    }

    fn regular_expression(&mut self) -> bool {
        let is_ruby_argument = self.language == Language::Ruby
            && self.follows_space()
            && !self.peek(1).is_ascii_whitespace()
            && self
                .lexed
                .tokens
                .last()
                .is_some_and(|last| last.kind == Kind::Word);
        if self.at < self.unclosed_before || !(self.is_operand_next() || is_ruby_argument) {
            return false;
        }
        let mut in_class = false;
        let mut end = self.at + 1;
        while let Some(byte) = self.bytes.get(end) {
            match byte {
                b'\n' | b'\r' => break,
                b'\\' if !matches!(self.bytes.get(end + 1), Some(b'\n' | b'\r')) => end += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    self.push(Kind::Text, 0, end + 1);
                    return true;
                }
                _ => {}
            }
            end += 1;
        }
        // None ends on this line, so the rest of it is looked at once only.
        self.unclosed_before = end;
        false
    }
}
