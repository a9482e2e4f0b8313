//! Signatures: the head of a definition on one line.

use std::borrow::Cow;

use crate::code::Code;
use crate::language::Language;
use crate::lexer::directive_word;
use crate::lexer::token::TokenKind;
use crate::limits::{CHARS_BEFORE_NAME, SIGNATURE_CHARS};
use crate::position::{ByteOffset, ByteRange, token_indices};
use crate::truncate::cut;

/// Bytes after which a signature is no longer read: a character has at most four, so that
/// truncation to `SIGNATURE_CHARS` characters still has enough.
const SIGNATURE_BYTES: usize = 4 * SIGNATURE_CHARS;

impl Code<'_> {
    /// Returns the text at `span` on one line, without comments, preprocessor lines, body and final
    /// punctuation.
    pub(crate) fn signature(&self, span: ByteRange) -> String {
        cut(&self.head_line(span), SIGNATURE_CHARS)
    }

    /// Returns the signature of the definition `name`, always including the name.
    pub(crate) fn signature_of(&self, head: ByteRange, name: &str) -> String {
        cut_after(&self.head_line(head), name, SIGNATURE_CHARS)
    }

    fn head_line(&self, span: ByteRange) -> String {
        let mut line = String::new();
        let mut start = span.start;
        // The omitted parts are known by position, so the pieces between them are appended.
        let gaps = self.gaps_in(&span).into_iter();
        let ends = gaps.map(|gap| (gap.start, gap.end));
        for (stop, after) in ends.chain([(span.end, span.end)]) {
            if start < stop {
                append(&mut line, self.slice(start..stop));
            }
            start = after.max(start);
            if line.len() > SIGNATURE_BYTES {
                break;
            }
        }
        // Strips the sign before the omitted body or value.
        let line = line.trim_end_matches([' ', '{', ';', ',']);
        let line = line.strip_suffix('=').unwrap_or(line).trim_end();
        line.to_owned()
    }

    /// Returns the parts of a head that do not belong to the signature, in order.
    fn gaps_in(&self, span: &ByteRange) -> Vec<ByteRange> {
        let first = self
            .comments
            .partition_point(|comment| comment.end <= span.start);
        let comments = self.comments[first..].iter();
        let comments = comments.take_while(|comment| comment.start < span.end);
        let mut gaps: Vec<ByteRange> = comments.cloned().collect();
        // In the other languages preprocessor lines are among the comments.
        if matches!(self.language, Language::C | Language::Cpp) {
            gaps.extend(self.directives_in(span));
            gaps.sort_unstable_by_key(|gap| gap.start);
        }
        gaps
    }

    /// Returns the preprocessor lines in a head, each with the alternative branches after it, which
    /// are not compiled together with the first: `int f(int a)⏎#else⏎int f(long a)⏎#endif⏎{`.
    fn directives_in(&self, span: &ByteRange) -> Vec<ByteRange> {
        let mut gaps = Vec::new();
        // Start of the alternative branches, and the number of open conditions in them.
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
/// at the end of a multi-line list; on a single line, such a comma may make a tuple.
fn append(line: &mut String, text: &str) {
    // Pieces around a comment are separated by a blank, except before a comma.
    let trimmed = text.trim_start();
    let begins_with_comma = trimmed.starts_with(',');
    let text = if begins_with_comma { trimmed } else { text };
    let mut blank = !begins_with_comma && !line.is_empty() && !line.ends_with([' ', '(', '[']);
    let mut breaks = false;
    for letter in text.chars() {
        if line.len() > SIGNATURE_BYTES {
            return;
        }
        // A byte order mark may precede a head on the first line.
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

/// Truncates `signature` to `most` characters. If that would cut off `name`, bracketed lists before
/// it are omitted, and as a last resort all text before it.
pub(crate) fn cut_after(signature: &str, name: &str, most: usize) -> String {
    let mut line = signature.to_owned();
    let mut from = 0;
    // The head of a C++ template may be longer than a row:
    // `template <typename A, typename B, …> auto f()` would be cut before the name, and a
    // skeleton would show a definition that nobody can identify. So the lists before the name
    // are shortened, one per iteration, until it fits.
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
        // A list that is not longer than its replacement is kept, and the search continues after
        // it.
        if close < open + "<...>".len() {
            from = close + 1;
            continue;
        }
        // A name after another list is not affected by this one.
        let is_before = find_word(&line[from..open], name).is_some();
        let Some(start) = find_name(&line[close + 1..], name).filter(|_| !is_before) else {
            break;
        };
        let end = close + 1 + start + name.len();
        // The name fits before the ellipsis, so that nothing need be omitted.
        if line[..end].chars().count() + 3 <= most {
            break;
        }
        // `template <...> auto f()`
        line.replace_range(open + 1..close, "...");
        from = open + "<...>".len();
    }
    cut(&from_near(&line, name, most), most)
}

/// Omits the beginning of `line` if truncation to `most` characters would cut off `name`.
fn from_near<'l>(line: &'l str, name: &str, most: usize) -> Cow<'l, str> {
    let Some(start) = find_name(line, name) else {
        return Cow::Borrowed(line);
    };
    let before = line[..start].chars().count();
    let length = name.chars().count();
    let is_cut_off = line.chars().nth(most).is_some() && before + length + 3 > most;
    // Room for `... ` before the name and `...` after it.
    if !is_cut_off || length + CHARS_BEFORE_NAME + 7 > most {
        return Cow::Borrowed(line);
    }
    let near = line.floor_char_boundary(start.saturating_sub(CHARS_BEFORE_NAME));
    let blank = line[near..start].find(' ');
    let from = blank.map_or(start, |blank| near + blank + 1);
    Cow::Owned(format!("... {}", &line[from..]))
}

/// Returns the position of the `>` that closes the `<` at the start of `text`.
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

/// Returns the position of the bracket that closes the round one at the start of `text`.
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

/// Returns the first occurrence of `name` in `text` as a whole word.
fn find_word(text: &str, name: &str) -> Option<usize> {
    words(text, name).next()
}

/// Returns the position of the declaration of `name` in `text`: the first occurrence outside of
/// round brackets, because a macro may take it as an argument, `DEPRECATED(1, f(a)) int f(a)`; else
/// the first one, `int (*f)(a)`.
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

/// Returns the occurrences of `name` in `text` as a whole word.
fn words<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let starts = text.match_indices(name).map(|(start, _)| start);
    starts.filter(move |start| {
        !text[..*start].ends_with(is_part) && !text[start + name.len()..].starts_with(is_part)
    })
}
