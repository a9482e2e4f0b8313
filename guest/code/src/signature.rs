//! A head of a definition as one line.

use std::borrow::Cow;

use crate::code::Code;
use crate::language::Language;
use crate::lexer::{TokenKind, directive_word};
use crate::limits::{CHARS_BEFORE_NAME, SIGNATURE_CHARS};
use crate::position::{ByteOffset, ByteRange, token_indices};

/// Bytes after which nothing more is read of a signature: a character has four at most, so that a
/// cut to `SIGNATURE_CHARS` characters still finds them all.
const SIGNATURE_BYTES: usize = 4 * SIGNATURE_CHARS;

impl Code<'_> {
    /// Returns the text at `span` on one line, without comments, lines of the preprocessor, body
    /// and final punctuation.
    pub(crate) fn signature(&self, span: ByteRange) -> String {
        cut(&self.head_line(span), SIGNATURE_CHARS)
    }

    /// Returns the signature of what is called `name`, which is in it whatever stands before.
    pub(crate) fn signature_of(&self, head: ByteRange, name: &str) -> String {
        cut_behind(&self.head_line(head), name, SIGNATURE_CHARS)
    }

    fn head_line(&self, span: ByteRange) -> String {
        let mut line = String::new();
        let mut start = span.start;
        // What is left out is known by its place, so the text is taken in the pieces between.
        let gaps = self.gaps_in(&span).into_iter();
        let ends = gaps.map(|gap| (gap.start, gap.end));
        for (stop, behind) in ends.chain([(span.end, span.end)]) {
            if start < stop {
                append(&mut line, self.slice(start..stop));
            }
            start = behind.max(start);
            if line.len() > SIGNATURE_BYTES {
                break;
            }
        }
        // What came before the body or value that is left out.
        let line = line.trim_end_matches([' ', '{', ';', ',']);
        let line = line.strip_suffix('=').unwrap_or(line).trim_end();
        line.to_owned()
    }

    /// Returns what of a head is no part of a signature, in order.
    fn gaps_in(&self, span: &ByteRange) -> Vec<ByteRange> {
        let first = self
            .comments
            .partition_point(|comment| comment.end <= span.start);
        let comments = self.comments[first..].iter();
        let comments = comments.take_while(|comment| comment.start < span.end);
        let mut gaps: Vec<ByteRange> = comments.cloned().collect();
        // In the other languages they are passed like comments.
        if matches!(self.language, Language::C | Language::Cpp) {
            gaps.extend(self.directives_in(span));
            gaps.sort_unstable_by_key(|gap| gap.start);
        }
        gaps
    }

    /// Returns the lines of the preprocessor in a head, each with the branches behind it of which
    /// none is compiled where the first one is:
    /// `int f(int a)⏎#else⏎int f(long a)⏎#endif⏎{`.
    fn directives_in(&self, span: &ByteRange) -> Vec<ByteRange> {
        let mut gaps = Vec::new();
        // Where the other branches begin, and how many conditions are open in them.
        let mut other: Option<(ByteOffset, usize)> = None;
        // The head of a macro begins with its own line.
        let first = self.token_from(span.start + 1);
        let tokens = token_indices(first..self.end_token());
        for token in tokens.take_while(|token| self.start(*token) < span.end) {
            if self.kind(token) != Some(TokenKind::Directive) {
                continue;
            }
            let (start, end) = (self.start(token), self.end(token));
            other = match (directive_word(self.word(token)), other) {
                ("if" | "ifdef" | "ifndef", Some((from, depth))) => Some((from, depth + 1)),
                ("endif", Some((from, 0))) => {
                    gaps.push(from..end);
                    None
                }
                ("endif", Some((from, depth))) => Some((from, depth - 1)),
                (_, Some(other)) => Some(other),
                ("else" | "elif" | "elifdef" | "elifndef", None) => Some((start, 0)),
                (_, None) => {
                    gaps.push(start..end);
                    None
                }
            };
        }
        gaps.extend(other.map(|(from, _)| from..span.end));
        gaps
    }
}

/// Appends `text` with its blanks collapsed, without those inside of brackets and without the comma
/// behind the last line of a list; one on the same line may make a tuple of it.
fn append(line: &mut String, text: &str) {
    // The pieces round a comment are apart, whatever stood between, but for a comma.
    let trimmed = text.trim_start();
    let begins_with_comma = trimmed.starts_with(',');
    let text = if begins_with_comma { trimmed } else { text };
    let mut blank = !begins_with_comma && !line.is_empty() && !line.ends_with([' ', '(', '[']);
    let mut breaks = false;
    for letter in text.chars() {
        if line.len() > SIGNATURE_BYTES {
            return;
        }
        // A byte order mark may stand before a first line that is a head.
        if letter.is_whitespace() || letter == '\u{feff}' {
            blank = true;
            breaks |= matches!(letter, '\n' | '\r');
            continue;
        }
        if matches!(letter, ')' | ']') {
            // `f(⏎a,⏎)` is `f(a)`, but `(u8,)` is a tuple of one.
            while line.ends_with(' ') || (breaks && line.ends_with(',')) {
                line.pop();
            }
            blank = false;
        }
        breaks = false;
        if blank && !line.is_empty() && !line.ends_with(['(', '[', ' ']) {
            line.push(' ');
        }
        blank = false;
        line.push(letter);
    }
}

/// Returns `signature`, cut to `most` characters. Where that would cut off `name`, lists in brackets
/// before it are left out, and in the end all that stands before it.
pub(crate) fn cut_behind(signature: &str, name: &str, most: usize) -> String {
    let mut line = signature.to_owned();
    let mut from = 0;
    while line.chars().nth(most).is_some() {
        let Some(open) = line[from..].find(['<', '(']).map(|open| from + open) else {
            break;
        };
        let close = match line.as_bytes()[open] {
            b'<' => angle_end(&line[open..]),
            // A macro: `DEPRECATED(3.8.0, g(a)) int f(a)`.
            _ => round_end(&line[open..]),
        };
        let Some(close) = close.map(|end| open + end) else {
            break;
        };
        if close < open + "<...>".len() {
            from = close + 1;
            continue;
        }
        // A name behind another list is not in this one's way.
        let is_before = find_word(&line[from..open], name).is_some();
        let Some(start) = find_name(&line[close + 1..], name).filter(|_| !is_before) else {
            break;
        };
        let end = close + 1 + start + name.len();
        // The name fits before the three dots, so that nothing need be left out.
        if line[..end].chars().count() + 3 <= most {
            break;
        }
        // `template <...> auto f()`
        line.replace_range(open + 1..close, "...");
        from = open + "<...>".len();
    }
    cut(&from_near(&line, name, most), most)
}

/// Returns `line`, without its beginning where a cut to `most` characters would cut off `name`.
fn from_near<'l>(line: &'l str, name: &str, most: usize) -> Cow<'l, str> {
    let Some(start) = find_name(line, name) else {
        return Cow::Borrowed(line);
    };
    let before = line[..start].chars().count();
    let length = name.chars().count();
    let is_cut_off = line.chars().nth(most).is_some() && before + length + 3 > most;
    // Three dots before it, and three behind.
    if !is_cut_off || length + CHARS_BEFORE_NAME + 7 > most {
        return Cow::Borrowed(line);
    }
    let near = line.floor_char_boundary(start.saturating_sub(CHARS_BEFORE_NAME));
    let blank = line[near..start].find(' ');
    let from = blank.map_or(start, |blank| near + blank + 1);
    Cow::Owned(format!("... {}", &line[from..]))
}

/// Returns where the `>` stands that closes the `<` at the beginning of `text`.
fn angle_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' => depth += 1,
            // An arrow: `Fn(A) -> B`, `(a) => b`.
            b'>' if index > 0 && matches!(bytes[index - 1], b'-' | b'=') => {}
            b'>' if depth == 1 => return Some(index),
            b'>' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns where the bracket stands that closes the round one at the beginning of `text`.
fn round_end(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(index),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns where `name` stands in `text` as a word of its own.
fn find_word(text: &str, name: &str) -> Option<usize> {
    words(text, name).next()
}

/// Returns where `name` is declared in `text`: where it stands in no round brackets, since a macro
/// may be given it, `DEPRECATED(1, f(a)) int f(a)`; else where it stands first, `int (*f)(a)`.
fn find_name(text: &str, name: &str) -> Option<usize> {
    let (mut depth, mut counted) = (0i32, 0);
    let mut outside = words(text, name).filter(|start| {
        for byte in text[counted..*start].bytes() {
            depth += i32::from(byte == b'(') - i32::from(byte == b')');
        }
        counted = *start;
        depth <= 0
    });
    outside.next().or_else(|| find_word(text, name))
}

/// Returns the places in `text` at which `name` stands as a word of its own.
fn words<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let starts = text.match_indices(name).map(|(start, _)| start);
    starts.filter(move |start| {
        !text[..*start].ends_with(is_part) && !text[start + name.len()..].starts_with(is_part)
    })
}

/// Returns `text`, cut to `most` characters of which the last three then are dots.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => {
            let end = text.char_indices().nth(most.saturating_sub(3));
            let end = end.map_or(text.len(), |(end, _)| end);
            format!("{}...", text[..end].trim_end())
        }
    }
}
