//! A head of a definition as one line.

use crate::code::Code;
use crate::limits::SIGNATURE_CHARS;
use crate::position::ByteRange;

/// Bytes after which nothing more is read of a signature: a character has four at most, so that a
/// cut to `SIGNATURE_CHARS` characters still finds them all.
const SIGNATURE_BYTES: usize = 4 * SIGNATURE_CHARS;

impl Code<'_> {
    /// Returns the text at `span` on one line, without comments, body and final punctuation.
    pub(crate) fn signature(&self, span: ByteRange) -> String {
        let mut line = String::new();
        let mut start = span.start;
        // Comments are left out, so the text is taken in the pieces between them.
        let first = self
            .comments
            .partition_point(|comment| comment.end <= start);
        let comments = self.comments[first..].iter();
        let gaps = comments.take_while(|comment| comment.start < span.end);
        let ends = gaps.map(|comment| (comment.start, comment.end));
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
        cut(line, SIGNATURE_CHARS)
    }
}

/// Appends `text` with its blanks collapsed, without those inside of brackets and without the comma
/// behind the last line of a list; one on the same line may make a tuple of it.
fn append(line: &mut String, text: &str) {
    // The pieces round a comment are apart, whatever stood between.
    let mut blank = !line.is_empty() && !line.ends_with(' ') && !line.ends_with(['(', '[']);
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

/// Returns `signature`, cut to `most` characters. Where that would cut off `name`, lists in angle
/// brackets before it are left out.
pub(crate) fn cut_behind(signature: &str, name: &str, most: usize) -> String {
    let mut line = signature.to_owned();
    let mut from = 0;
    while line.chars().nth(most).is_some() {
        let Some(open) = line[from..].find('<').map(|open| from + open) else {
            break;
        };
        let Some(close) = angle_end(&line[open..]).map(|end| open + end) else {
            break;
        };
        // A name behind another list is not in this one's way.
        let is_before = find_word(&line[from..open], name).is_some();
        let Some(start) = find_word(&line[close..], name).filter(|_| !is_before) else {
            break;
        };
        let end = close + start + name.len();
        // The name fits before the three dots, so that nothing need be left out.
        if line[..end].chars().count() + 3 <= most {
            break;
        }
        // `template <...> auto f()`
        line.replace_range(open + 1..close, "...");
        from = open + "<...>".len();
    }
    cut(&line, most)
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

/// Returns where `name` stands in `text` as a word of its own.
fn find_word(text: &str, name: &str) -> Option<usize> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut starts = text.match_indices(name).map(|(start, _)| start);
    starts.find(|start| {
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
