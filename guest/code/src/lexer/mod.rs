//! Text into tokens: words, numbers, strings, brackets and comments, for every language here.
//!
//! Strings with expressions in them become pieces and brackets, so that what follows sees nothing
//! but tokens that nest. Nothing fails: an open string ends with its line or the file, a bracket
//! without a partner is a bracket without a partner.

mod comments;
mod heredoc;
mod quotes;

use std::ops::Range;

use crate::language::Language;
use heredoc::Heredoc;
use quotes::Quote;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Word,
    Number,
    /// A literal of characters, or a piece of one.
    Text,
    Open,
    Close,
    Punct,
    /// A line of the C preprocessor and its likes.
    Directive,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// The character of a `Punct`, the plain bracket of an `Open` or `Close`, else 0.
    pub(crate) byte: u8,
    /// Whether it is the first on its line.
    pub(crate) first: bool,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The index of the other bracket; its own where there is none.
    pub(crate) partner: u32,
}

/// A text's tokens and comments, in order.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) comments: Vec<Range<usize>>,
}

/// Returns the tokens and comments of `text`.
pub(crate) fn lex(language: Language, text: &str) -> Lexed {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        language,
        at: if text.starts_with('\u{feff}') { 3 } else { 0 },
        fresh: true,
        unclosed_before: 0,
        frames: Vec::new(),
        parens: 0,
        squares: 0,
        braces: 0,
        conditions: Vec::new(),
        heredocs: Vec::new(),
        lexed: Lexed::default(),
    };
    lexer.run();
    lexer.lexed
}

/// An open bracket.
#[derive(Debug)]
struct Frame {
    token: u32,
    byte: u8,
    /// The string that goes on behind the closing bracket.
    resume: Option<Quote>,
    /// The round and square brackets that were open before, since the last brace.
    outer: (u32, u32),
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    language: Language,
    at: usize,
    fresh: bool,
    /// Up to where it is known that no literal which must end on its line does.
    unclosed_before: usize,
    frames: Vec<Frame>,
    /// Open brackets of each kind since the last open brace, and open braces in all.
    parens: u32,
    squares: u32,
    braces: u32,
    /// How many brackets were open at each `#if` that is not ended.
    conditions: Vec<usize>,
    heredocs: Vec<Heredoc>,
    lexed: Lexed,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn looking_at(&self, what: &str) -> bool {
        self.bytes[self.at..].starts_with(what.as_bytes())
    }

    fn push(&mut self, kind: Kind, byte: u8, end: usize) {
        let partner = self.lexed.tokens.len() as u32;
        self.lexed.tokens.push(Token {
            kind,
            byte,
            first: self.fresh,
            start: self.at as u32,
            end: end as u32,
            partner,
        });
        self.fresh = false;
        self.at = end;
    }

    fn run(&mut self) {
        if self.language == Language::Php {
            self.skip_markup();
        }
        while self.at < self.bytes.len() {
            let byte = self.bytes[self.at];
            match byte {
                b'\n' | b'\r' => self.newline(),
                _ if byte.is_ascii_whitespace() || byte == 0x0b => self.at += 1,
                _ if byte >= 0x80 && self.blank_at(self.at) > 0 => {
                    self.at += self.blank_at(self.at);
                }
                b'\\' if matches!(self.peek(1), b'\n' | b'\r') => self.at += 2,
                b'\\' if self.language == Language::Shell => {
                    let escaped = self.text[self.at + 1..].chars().next();
                    let end = self.at + 1 + escaped.map_or(0, char::len_utf8);
                    self.push(Kind::Punct, b'\\', end);
                }
                _ if self.comment() || self.literal() => {}
                _ if is_word(byte) && !byte.is_ascii_digit() => self.word(),
                _ if byte.is_ascii_digit() => self.number(),
                b'(' | b'[' | b'{' => self.open(byte, 1, None),
                b')' | b']' | b'}' => self.close(byte),
                _ => self.push(Kind::Punct, byte, self.at + 1),
            }
        }
    }

    fn newline(&mut self) {
        self.at += if self.looking_at("\r\n") { 2 } else { 1 };
        self.fresh = true;
        if !self.heredocs.is_empty() {
            self.skip_heredocs();
        }
    }

    fn end_of_line(&self) -> usize {
        self.bytes[self.at..]
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r'))
            .map_or(self.bytes.len(), |length| self.at + length)
    }

    /// Returns the length of the blank at `at` that is not ASCII; 0 where there is none.
    fn blank_at(&self, at: usize) -> usize {
        let letter = match self.bytes.get(at) {
            Some(0x80..) => self.text.get(at..).and_then(|rest| rest.chars().next()),
            _ => None,
        };
        letter
            .filter(|letter| letter.is_whitespace())
            .map_or(0, char::len_utf8)
    }

    fn word(&mut self) {
        let mut end = self.at;
        while end < self.bytes.len() && is_word(self.bytes[end]) && self.blank_at(end) == 0 {
            end += 1;
        }
        if self.language == Language::Ruby
            && matches!(self.bytes.get(end), Some(b'?' | b'!'))
            && self.bytes.get(end + 1) != Some(&b'=')
        {
            end += 1;
        }
        self.push(Kind::Word, 0, end);
    }

    fn number(&mut self) {
        let mut end = self.at;
        let separators = self.language == Language::Cpp;
        while let Some(byte) = self.bytes.get(end) {
            let after = self.bytes.get(end + 1).copied().unwrap_or(0);
            let goes_on = is_word(*byte)
                || (*byte == b'.' && after.is_ascii_digit())
                || (separators && *byte == b'\'' && after.is_ascii_alphanumeric());
            if !goes_on {
                break;
            }
            end += 1;
        }
        self.push(Kind::Number, 0, end);
    }

    /// Takes an opening bracket of `length` bytes.
    fn open(&mut self, byte: u8, length: usize, resume: Option<Quote>) {
        let token = self.lexed.tokens.len() as u32;
        let outer = (self.parens, self.squares);
        match byte {
            b'(' => self.parens += 1,
            b'[' => self.squares += 1,
            _ => (self.parens, self.squares, self.braces) = (0, 0, self.braces + 1),
        }
        self.frames.push(Frame {
            token,
            byte,
            resume,
            outer,
        });
        self.push(Kind::Open, byte, self.at + length);
    }

    /// Takes a closing bracket. What was opened within and not closed has no partner; what closes
    /// nothing has none either.
    fn close(&mut self, byte: u8) {
        let (opening, open) = match byte {
            b')' => (b'(', self.parens),
            b']' => (b'[', self.squares),
            _ => (b'{', self.braces),
        };
        let token = self.lexed.tokens.len() as u32;
        self.push(Kind::Close, byte, self.at + 1);
        if open == 0 {
            return;
        }
        while let Some(frame) = self.drop_frame() {
            if frame.byte != opening {
                continue;
            }
            self.lexed.tokens[token as usize].partner = frame.token;
            self.lexed.tokens[frame.token as usize].partner = token;
            if let Some(quote) = frame.resume {
                self.rest_of_string(quote);
            }
            break;
        }
    }

    fn drop_frame(&mut self) -> Option<Frame> {
        let frame = self.frames.pop()?;
        if frame.byte == b'{' {
            self.braces -= 1;
        }
        (self.parens, self.squares) = frame.outer;
        Some(frame)
    }

    /// Returns where the line ends that goes on at `from`, behind the comments that begin on it.
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
                    let behind = end + length.unwrap_or(rest.len());
                    self.lexed.comments.push(end..behind);
                    end = behind;
                    continue;
                }
                _ => {}
            }
            end += 1;
        }
        end.min(self.bytes.len())
    }

    /// Takes a line of the preprocessor with those that it goes on in. What a branch left open is
    /// forgotten in the next one, since only one of them is compiled.
    fn directive(&mut self) {
        let mut end = self.at;
        loop {
            end = self.end_of_directive_line(end);
            let before = self.bytes[self.at..end].strip_suffix(b"\r");
            let goes_on = before.unwrap_or(&self.bytes[self.at..end]).ends_with(b"\\");
            if !goes_on || end == self.bytes.len() {
                break;
            }
            end += 1;
        }
        let text = self.text[self.at + 1..end].trim_start();
        let word = text
            .split(|letter: char| !letter.is_ascii_alphabetic())
            .next()
            .unwrap_or_default();
        match word {
            "if" | "ifdef" | "ifndef" => self.conditions.push(self.frames.len()),
            "else" | "elif" | "elseif" => {
                if let Some(open) = self.conditions.last().copied() {
                    while self.frames.len() > open {
                        self.drop_frame();
                    }
                }
            }
            "endif" => drop(self.conditions.pop()),
            _ => {}
        }
        // It says nothing of a declaration that it stands next to or within.
        let is_trivia = matches!(self.language, Language::CSharp | Language::Swift)
            || self.parens > 0
                && matches!(word, "if" | "ifdef" | "ifndef" | "else" | "elif" | "endif");
        if is_trivia {
            // The comments on it are passed with it.
            let comments = &mut self.lexed.comments;
            while comments
                .pop_if(|comment| comment.start >= self.at)
                .is_some()
            {}
            self.lexed.comments.push(self.at..end);
            self.at = end;
        } else {
            self.push(Kind::Directive, b'#', end);
        }
    }
}

/// Whether a byte can stand in a name. All that is not ASCII can: names in other scripts are whole.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

#[cfg(test)]
mod tests;
