//! Half- and full-width forms, which are the same characters in another width.

/// What the half-width forms from U+FF61 on are, as they are written beside ideographs.
const HALF_WIDTH: [char; 63] = [
    '。', '「', '」', '、', '・', 'ヲ', 'ァ', 'ィ', 'ゥ', 'ェ', 'ォ', 'ャ', 'ュ', 'ョ', 'ッ', 'ー',
    'ア', 'イ', 'ウ', 'エ', 'オ', 'カ', 'キ', 'ク', 'ケ', 'コ', 'サ', 'シ', 'ス', 'セ', 'ソ', 'タ',
    'チ', 'ツ', 'テ', 'ト', 'ナ', 'ニ', 'ヌ', 'ネ', 'ノ', 'ハ', 'ヒ', 'フ', 'ヘ', 'ホ', 'マ', 'ミ',
    'ム', 'メ', 'モ', 'ヤ', 'ユ', 'ヨ', 'ラ', 'リ', 'ル', 'レ', 'ロ', 'ワ', 'ン',
    // The marks that voice what they stand behind.
    '\u{3099}', '\u{309A}',
];

/// Returns the character that `c` is a half- or full-width form of, else `c`: what Unicode
/// decomposes as `<narrow>` and `<wide>`, the blank between ideographs included.
#[inline]
pub fn usual_width(c: char) -> char {
    // Nearly every character ends here, those of Korean and ideographs too.
    if c < '\u{FF01}' && c != '\u{3000}' {
        return c;
    }
    of_form(c).unwrap_or(c)
}

fn of_form(c: char) -> Option<char> {
    let number = u32::from(c);
    let usual = match c {
        '\u{3000}' => 0x20,
        '\u{FF01}'..='\u{FF5E}' => number - 0xFEE0,
        '\u{FF5F}' | '\u{FF60}' => number - 0xFF5F + 0x2985,
        '\u{FF61}'..='\u{FF9F}' => return HALF_WIDTH.get(number as usize - 0xFF61).copied(),
        // Letters of Hangul, in groups as they are laid out on a keyboard.
        '\u{FFA0}' => 0x3164,
        '\u{FFA1}'..='\u{FFBE}' => number - 0xFFA1 + 0x3131,
        '\u{FFC2}'..='\u{FFC7}' => number - 0xFFC2 + 0x314F,
        '\u{FFCA}'..='\u{FFCF}' => number - 0xFFCA + 0x3155,
        '\u{FFD2}'..='\u{FFD7}' => number - 0xFFD2 + 0x315B,
        '\u{FFDA}'..='\u{FFDC}' => number - 0xFFDA + 0x3161,
        '\u{FFE0}' => 0xA2,
        '\u{FFE1}' => 0xA3,
        '\u{FFE2}' => 0xAC,
        '\u{FFE3}' => 0xAF,
        '\u{FFE4}' => 0xA6,
        '\u{FFE5}' => 0xA5,
        '\u{FFE6}' => 0x20A9,
        '\u{FFE8}' => 0x2502,
        '\u{FFE9}'..='\u{FFEC}' => number - 0xFFE9 + 0x2190,
        '\u{FFED}' => 0x25A0,
        '\u{FFEE}' => 0x25CB,
        _ => return None,
    };
    char::from_u32(usual)
}

/// What a text says of its width, which is worth remembering: to look for forms in it takes a tenth
/// as long as to read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Widths {
    /// It is ASCII, which is of one width and holds no mark.
    Ascii,
    /// It holds no half- or full-width form.
    Usual,
    /// It may hold some.
    Mixed,
}

impl Widths {
    /// Returns those of a text.
    pub fn of(text: &str) -> Self {
        // Many texts are ASCII, which is told sooner than anything else.
        let Some(first) = first_beyond_ascii(text.as_bytes()) else {
            return Self::Ascii;
        };
        let bytes = &text.as_bytes()[first..];
        // Most others hold neither byte by which forms begin, which one look tells.
        let Some(first) = memchr::memchr2(0xEF, 0xE3, bytes) else {
            return Self::Usual;
        };
        let bytes = &bytes[first..];
        // What begins the block of forms, and beside it the private use area and little else.
        let is_form = |at: usize| matches!(bytes.get(at + 1), Some(0xBC..=0xBF));
        let has_forms = memchr::memchr_iter(0xEF, bytes).any(is_form)
            || memchr::memmem::find(bytes, "\u{3000}".as_bytes()).is_some();
        if has_forms { Self::Mixed } else { Self::Usual }
    }
}

/// Bytes of which it is told together that they are ASCII.
const CHUNK_BYTES: usize = 256;

/// Returns where the first chunk begins that is not ASCII; none where all of it is. Within a chunk
/// there is no branch, so that it is gone through in vectors.
fn first_beyond_ascii(bytes: &[u8]) -> Option<usize> {
    let (chunks, rest) = bytes.as_chunks::<CHUNK_BYTES>();
    let is_ascii = |bytes: &[u8]| bytes.iter().fold(0, |all, byte| all | byte).is_ascii();
    let beyond = chunks.iter().position(|chunk| !is_ascii(chunk));
    beyond
        .or_else(|| (!is_ascii(rest)).then_some(chunks.len()))
        .map(|chunk| chunk * CHUNK_BYTES)
}

/// Returns every half- and full-width form.
pub fn forms() -> impl Iterator<Item = char> {
    let forms = ('\u{FF01}'..='\u{FFEE}').filter(|&c| usual_width(c) != c);
    std::iter::once('\u{3000}').chain(forms)
}

#[cfg(test)]
mod tests {
    use unicode_normalization::UnicodeNormalization as _;

    use super::*;

    #[test]
    fn widths_of_texts() {
        for form in forms() {
            assert_eq!(Widths::of(&format!("가{form}")), Widths::Mixed, "{form:?}");
        }
        assert_eq!(Widths::of("plain, 한글, カナ\u{F8FF}"), Widths::Usual);
        for before in [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, 3 * CHUNK_BYTES + 7] {
            for (behind, expected) in [
                ("", Widths::Ascii),
                ("\u{7F}", Widths::Ascii),
                ("é", Widths::Usual),
                ("é！", Widths::Mixed),
                ("\u{3000}", Widths::Mixed),
            ] {
                let text = format!("{}{behind}", "a".repeat(before));
                assert_eq!(Widths::of(&text), expected, "{before} {behind}");
                let text = format!("{text}{}", "b".repeat(before));
                assert_eq!(Widths::of(&text), expected, "{before} {behind}");
            }
        }
    }

    #[test]
    fn forms_are_compatible_with_what_they_are_forms_of() {
        let compatible = |c: char| std::iter::once(c).nfkd().collect::<String>();
        for c in forms() {
            assert_eq!(compatible(c), compatible(usual_width(c)), "{c:?}");
            assert_eq!(usual_width(usual_width(c)), usual_width(c));
        }
        assert_eq!(forms().count(), 226);
        // Whatever else of these blocks decomposes would be a form that is left out.
        for c in '\u{FF00}'..='\u{FFEF}' {
            assert_eq!(usual_width(c) == c, compatible(c) == c.to_string(), "{c:?}");
        }
    }
}
