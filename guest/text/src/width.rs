//! Half- and full-width forms: the same characters in another width.

/// Usual forms of the half-width characters from U+FF61 on.
const HALF_WIDTH: [char; 63] = [
    '。', '「', '」', '、', '・', 'ヲ', 'ァ', 'ィ', 'ゥ', 'ェ', 'ォ', 'ャ', 'ュ', 'ョ', 'ッ', 'ー',
    'ア', 'イ', 'ウ', 'エ', 'オ', 'カ', 'キ', 'ク', 'ケ', 'コ', 'サ', 'シ', 'ス', 'セ', 'ソ', 'タ',
    'チ', 'ツ', 'テ', 'ト', 'ナ', 'ニ', 'ヌ', 'ネ', 'ノ', 'ハ', 'ヒ', 'フ', 'ヘ', 'ホ', 'マ', 'ミ',
    'ム', 'メ', 'モ', 'ヤ', 'ユ', 'ヨ', 'ラ', 'リ', 'ル', 'レ', 'ロ', 'ワ', 'ン',
    // The voicing marks.
    '\u{3099}', '\u{309A}',
];

/// Returns the usual character of a half- or full-width form, else `c`: the Unicode decompositions
/// `<narrow>` and `<wide>`, including the ideographic space.
#[inline]
pub fn usual_width(c: char) -> char {
    // Nearly every character ends here, including Korean and ideographs. The table is only
    // consulted for the block of forms from U+FF01 on and for the ideographic space.
    if c < '\u{FF01}' && c != '\u{3000}' {
        return c;
    }
    usual_form(c).unwrap_or(c)
}

fn usual_form(c: char) -> Option<char> {
    let number = u32::from(c);
    let usual = match c {
        '\u{3000}' => 0x20,
        '\u{FF01}'..='\u{FF5E}' => number - 0xFEE0,
        '\u{FF5F}' | '\u{FF60}' => number - 0xFF5F + 0x2985,
        '\u{FF61}'..='\u{FF9F}' => return HALF_WIDTH.get(number as usize - 0xFF61).copied(),
        // The half-width Hangul letters are in groups of up to 30 or six, whose order is that of
        // the usual letters. The gaps between the groups are not assigned.
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

/// The character widths of a text, worth caching: finding forms takes a tenth of the time of
/// reading the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Widths {
    /// ASCII: no other width, and no marks.
    Ascii,
    /// No half- or full-width form.
    Usual,
    /// Possibly some half- or full-width forms.
    Mixed,
}

impl Widths {
    /// Classifies a text.
    pub fn from_text(text: &str) -> Self {
        // Many texts are ASCII, which is the fastest test.
        let Some(first) = first_beyond_ascii(text.as_bytes()) else {
            return Self::Ascii;
        };
        let bytes = &text.as_bytes()[first..];
        // Most other texts contain neither of the bytes with which forms begin in UTF-8, EF for the
        // block of forms and E3 for the ideographic space. One vectorized search for both shows
        // that.
        let Some(first) = memchr::memchr2(0xEF, 0xE3, bytes) else {
            return Self::Usual;
        };
        let bytes = &bytes[first..];
        // The block of forms begins with EF BC to EF BF. Most other characters with EF have another
        // second byte, such as those of the private use area. Of the few that share both bytes,
        // U+FFFD is the most frequent; a text with it is only searched in the slower way.
        let is_form = |at: usize| matches!(bytes.get(at + 1), Some(0xBC..=0xBF));
        let has_forms = memchr::memchr_iter(0xEF, bytes).any(is_form)
            || memchr::memmem::find(bytes, "\u{3000}".as_bytes()).is_some();
        if has_forms { Self::Mixed } else { Self::Usual }
    }
}

/// Bytes tested together for ASCII.
const CHUNK_BYTES: usize = 256;

/// Returns the start of the first chunk that is not ASCII, or `None` if all are. The loop has no
/// branch within a chunk, so that it vectorizes; the position within the chunk is not needed.
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
            assert_eq!(
                Widths::from_text(&format!("가{form}")),
                Widths::Mixed,
                "{form:?}"
            );
        }
        assert_eq!(
            Widths::from_text("plain, 한글, カナ\u{F8FF}"),
            Widths::Usual
        );
        for before in [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, 3 * CHUNK_BYTES + 7] {
            for (after, expected) in [
                ("", Widths::Ascii),
                ("\u{7F}", Widths::Ascii),
                ("é", Widths::Usual),
                ("é！", Widths::Mixed),
                ("\u{3000}", Widths::Mixed),
            ] {
                let text = format!("{}{after}", "a".repeat(before));
                assert_eq!(Widths::from_text(&text), expected, "{before} {after}");
                let text = format!("{text}{}", "b".repeat(before));
                assert_eq!(Widths::from_text(&text), expected, "{before} {after}");
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
        // Any other decomposition in these blocks would be a missing form.
        for c in '\u{FF00}'..='\u{FFEF}' {
            assert_eq!(usual_width(c) == c, compatible(c) == c.to_string(), "{c:?}");
        }
    }
}
