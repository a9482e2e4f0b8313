//! Splits of a text into pieces, as the tokenizer makes them.

use unicode_normalization::char::is_combining_mark;

/// A character class of the tokenizer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Upper,
    Lower,
    /// A letter without case, or a mark.
    Caseless,
    Number,
    LineBreak,
    Space,
    Sign,
}

impl CharClass {
    fn from_char(c: char) -> Self {
        // The frequent classes come first: the look-ups in Unicode's tables below are slow.
        match c {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Number,
            '\n' | '\r' => Self::LineBreak,
            '\t' | '\u{B}' | '\u{C}' | ' ' => Self::Space,
            '\0'..='\x7F' => Self::Sign,
            '가'..='힣' => Self::Caseless,
            c if c.is_lowercase() => Self::Lower,
            c if c.is_uppercase() => Self::Upper,
            c if c.is_alphabetic() || is_combining_mark(c) => Self::Caseless,
            c if c.is_numeric() => Self::Number,
            c if c.is_whitespace() => Self::Space,
            _ => Self::Sign,
        }
    }

    fn is_letter(self) -> bool {
        matches!(self, Self::Upper | Self::Lower | Self::Caseless)
    }

    fn is_white(self) -> bool {
        matches!(self, Self::LineBreak | Self::Space)
    }
}

/// Returns the length of the first piece of `text`, which must not be empty.
pub fn first_length(text: &str) -> usize {
    common_piece(text.as_bytes()).unwrap_or_else(|| piece_length(text))
}

/// A byte class of the tokenizer: the class of an ASCII character, or non-ASCII.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    Upper,
    Lower,
    Number,
    LineBreak,
    Space,
    Sign,
    NonAscii,
}

/// Class of each byte: one look-up instead of half a dozen comparisons.
static BYTE_CLASSES: [ByteClass; 256] = {
    let mut classes = [ByteClass::NonAscii; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => ByteClass::Lower,
            b'A'..=b'Z' => ByteClass::Upper,
            b'0'..=b'9' => ByteClass::Number,
            b'\n' | b'\r' => ByteClass::LineBreak,
            b'\t' | 0x0B | 0x0C | b' ' => ByteClass::Space,
            _ => ByteClass::Sign,
        };
        byte += 1;
    }
    classes
};

/// Returns the class of the byte at `index`, or `None` past the end.
fn class_at(text: &[u8], index: usize) -> Option<ByteClass> {
    text.get(index).map(|&byte| BYTE_CLASSES[usize::from(byte)])
}

/// Returns the end of the run of matching bytes that begins at `start`.
fn run_end(text: &[u8], start: usize, is_part: impl Fn(ByteClass) -> bool) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let run = rest
        .iter()
        .position(|&byte| !is_part(BYTE_CLASSES[usize::from(byte)]));
    start + run.unwrap_or(rest.len())
}

/// Returns the length of the first piece of `text`, which must not be empty, if it is ASCII or
/// Hangul and certainly ends there. Most pieces do, and bytes are faster to examine than
/// characters. Returns `None` whenever a non-ASCII character could change the result.
pub(super) fn common_piece(text: &[u8]) -> Option<usize> {
    use ByteClass::{LineBreak, Lower, NonAscii, Number, Sign, Space, Upper};
    let first = BYTE_CLASSES[usize::from(*text.first()?)];
    match first {
        Upper | Lower | NonAscii => return common_word(text, 0),
        Number => {
            // Numbers are split into groups of up to three digits, as in o200k_base. After fewer
            // than three, a digit beyond ASCII may follow and belong to the group, which this
            // function cannot decide.
            let end = run_end(&text[..text.len().min(3)], 0, |class| class == Number);
            return (end == 3 || class_at(text, end) != Some(NonAscii)).then_some(end);
        }
        LineBreak | Space | Sign => {}
    }
    let second = class_at(text, 1);
    match second {
        // One space or sign belongs to the next word: ` word`, `(word`, `_word`.
        Some(Upper | Lower | NonAscii) if first != LineBreak => return common_word(text, 1),
        Some(NonAscii) => return None,
        _ => {}
    }
    // A run of signs includes the space before it and the line breaks after it: ` {\n`.
    if first == Sign || (text[0] == b' ' && second == Some(Sign)) {
        let signs = run_end(text, 1, |class| class == Sign);
        if class_at(text, signs) == Some(NonAscii) {
            return None;
        }
        return Some(run_end(text, signs, |class| class == LineBreak));
    }
    let white = run_end(text, 0, |class| matches!(class, LineBreak | Space));
    if class_at(text, white) == Some(NonAscii) {
        return None;
    }
    let line_break = text[..white]
        .iter()
        .rposition(|byte| matches!(byte, b'\r' | b'\n'));
    Some(match line_break {
        // Indentation is a piece of its own, separate from the empty lines before it.
        Some(end) => end + 1,
        // The last space belongs to the next piece.
        None if white > 1 && white < text.len() => white - 1,
        None => white,
    })
}

/// Returns the end of the word that begins at `start`, of ASCII letters or of Hangul syllables.
fn common_word(text: &[u8], start: usize) -> Option<usize> {
    use ByteClass::{Lower, NonAscii, Upper};
    let hangul = hangul_end(text, start);
    if hangul > start {
        let is_end = !matches!(class_at(text, hangul), Some(Upper | Lower | NonAscii));
        return is_end.then(|| hangul + contraction_length(&text[hangul..]));
    }
    let capitals = run_end(text, start, |class| class == Upper);
    let end = run_end(text, capitals, |class| class == Lower);
    let is_end = end > start && class_at(text, end) != Some(NonAscii);
    is_end.then(|| end + contraction_length(&text[end..]))
}

/// Returns the end of the run of Hangul syllables that begins at `start`.
fn hangul_end(text: &[u8], start: usize) -> usize {
    let mut end = start;
    // 가 is EA B0 80, 힣 is ED 9E A3. The first byte alone rejects most others.
    while let Some(&[a, b, c]) = text.get(end..end + 3)
        && (0xEA..=0xED).contains(&a)
        && ([0xEA, 0xB0, 0x80]..=[0xED, 0x9E, 0xA3]).contains(&[a, b, c])
    {
        end += 3;
    }
    end
}

/// Returns the length of the first piece of `text`, which must not be empty, for any characters:
/// the reference for [`common_piece`].
pub(super) fn piece_length(text: &str) -> usize {
    let mut characters = text.chars();
    let Some(first) = characters.next() else {
        return 0;
    };
    let class = CharClass::from_char(first);
    if class.is_letter() {
        return word_length(text);
    }
    if class == CharClass::Number {
        return length_while(text, 3, |next| next == CharClass::Number);
    }
    let after = characters.as_str();
    let second = characters.next().map(CharClass::from_char);
    if class != CharClass::LineBreak && second.is_some_and(CharClass::is_letter) {
        return first.len_utf8() + word_length(after);
    }
    if class == CharClass::Sign || (first == ' ' && second == Some(CharClass::Sign)) {
        let signs = length_while(after, usize::MAX, |next| next == CharClass::Sign);
        let signs = first.len_utf8() + signs;
        // A run of signs may be followed by slashes and line breaks, as in o200k_base. Unlike
        // there, slashes after a line break begin another piece: a piece ends with its line, so
        // that the counts of lines add up to that of the text.
        let ends = text[signs..].trim_start_matches('/');
        return text.len() - ends.trim_start_matches(['\r', '\n']).len();
    }
    let white = length_while(text, usize::MAX, CharClass::is_white);
    if let Some(end) = text[..white].rfind(['\r', '\n']) {
        return end + 1;
    }
    // The last space belongs to the next piece.
    match text[..white].char_indices().next_back() {
        Some((last, _)) if last > 0 && white < text.len() => last,
        _ => white,
    }
}

/// Returns the length of a word: capitals, then small letters, then a contraction. `HTTPServer` is
/// one word, `camelCase` two; letters without case, and marks, continue either part.
fn word_length(text: &str) -> usize {
    let capitals = length_while(text, usize::MAX, |class| {
        matches!(class, CharClass::Upper | CharClass::Caseless)
    });
    let word = capitals
        + length_while(&text[capitals..], usize::MAX, |class| {
            matches!(class, CharClass::Lower | CharClass::Caseless)
        });
    word + contraction_length(&text.as_bytes()[word..])
}

/// Returns the length of `'s`, `'t`, `'m`, `'d`, `'re`, `'ve` or `'ll` at the start of `rest`, in
/// any case.
fn contraction_length(rest: &[u8]) -> usize {
    let [b'\'', rest @ ..] = rest else { return 0 };
    let lower = |index: usize| rest.get(index).map(u8::to_ascii_lowercase);
    match (lower(0), lower(1)) {
        (Some(b's' | b't' | b'm' | b'd'), _) => 2,
        (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => 3,
        _ => 0,
    }
}

/// Returns the byte length of the longest prefix of `text` whose characters satisfy `is_part`, at
/// most `most` characters.
fn length_while(text: &str, most: usize, is_part: impl Fn(CharClass) -> bool) -> usize {
    text.char_indices()
        .take(most.saturating_add(1))
        .enumerate()
        .find(|&(number, (_, c))| number == most || !is_part(CharClass::from_char(c)))
        .map_or(text.len(), |(_, (end, _))| end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_as_the_tokenizer_splits() {
        let text = "Don't  indent\n\n  camelCase HTTPServer 12345 (x)\n한국어를 é1…";
        let mut pieces = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(piece_length(rest));
            pieces.push(piece);
            rest = after;
        }
        let expected = [
            "Don't",
            " ",
            " indent",
            "\n\n",
            " ",
            " camel",
            "Case",
            " HTTPServer",
            " ",
            "123",
            "45",
            " (",
            "x",
            ")\n",
            "한국어를",
            " é",
            "1",
            "…",
        ];
        assert_eq!(pieces, expected);
    }
}
