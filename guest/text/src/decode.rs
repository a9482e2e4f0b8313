//! From bytes to text: which encoding, and whether it is text at all.

use std::borrow::Cow;
use std::fmt;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{EUC_KR, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::limits::{
    BINARY_PROBE_BYTES, CERTAIN_CHARACTERS, DAMAGE_EVERY_BYTES, DAMAGED_BYTES,
    LEGACY_EVIDENCE_BYTES, LEGACY_PROBE_BYTES,
};

/// The text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedText<'a> {
    /// The text, without a byte order mark; borrowed where the bytes are UTF-8.
    pub text: Cow<'a, str>,
    /// What it was decoded from: the name of an encoding, or the format that it was extracted
    /// from.
    pub origin: &'static str,
}

/// Why bytes are no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// A NUL stands in the first 8 KiB, which do not begin with the byte order mark of UTF-16.
    Binary,
    /// No encoding is certain.
    NotText,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Binary => "a NUL byte stands near the beginning, expected text",
            Self::NotText => "no encoding fits the bytes for certain, expected text",
        })
    }
}

impl std::error::Error for DecodeError {}

/// Whether a file is nothing but ASCII without a NUL, and so surely text. One pass without a
/// branch, which compiles to vector instructions: faster than finding out all that [`decode`]
/// does.
pub fn is_plain_ascii(bytes: &[u8]) -> bool {
    all(bytes, |byte| byte.wrapping_sub(1) < 0x7F)
}

/// Whether every byte passes, decided 128 bytes at a time.
#[inline]
fn all(bytes: &[u8], passes: impl Fn(u8) -> bool) -> bool {
    let (chunks, rest) = bytes.as_chunks::<128>();
    let pass = |bytes: &[u8]| bytes.iter().fold(true, |all, &byte| all & passes(byte));
    chunks.iter().all(|chunk| pass(chunk)) && pass(rest)
}

/// Returns the text of a file.
///
/// # Errors
/// See [`DecodeError`].
pub fn decode(bytes: &[u8]) -> Result<DecodedText<'_>, DecodeError> {
    // Before the look for a NUL, which half of all bytes are in UTF-16 of ASCII.
    if let Some((encoding, _)) = Encoding::for_bom(bytes)
        && (encoding == UTF_16LE || encoding == UTF_16BE)
    {
        let (text, _, has_errors) = encoding.decode(bytes);
        return if has_errors {
            Err(DecodeError::NotText)
        } else {
            Ok(DecodedText {
                text,
                origin: encoding.name(),
            })
        };
    }
    if !all(&bytes[..bytes.len().min(BINARY_PROBE_BYTES)], |byte| {
        byte != 0
    }) {
        return Err(DecodeError::Binary);
    }
    let plain = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if let Ok(text) = simdutf8::basic::from_utf8(plain) {
        return Ok(DecodedText {
            text: Cow::Borrowed(text),
            origin: UTF_8.name(),
        });
    }
    match Damage::of(plain) {
        Some(damage) if damage.is_certain() => decode_damaged(plain),
        // A few bytes beyond ASCII are damage only where they are no word of another encoding.
        Some(_) => decode_legacy(bytes).or_else(|_| decode_damaged(plain)),
        None => decode_legacy(bytes),
    }
}

/// The origin of a text that is UTF-8 but for some bytes, each run of which reads as one U+FFFD.
pub const DAMAGED_UTF_8: &str = "UTF-8 with errors";

/// How much of a text in UTF-8 is damaged, where it is little.
struct Damage {
    /// Places that are no UTF-8.
    places: usize,
    /// Characters beyond ASCII in what is.
    characters: usize,
}

impl Damage {
    fn of(bytes: &[u8]) -> Option<Self> {
        let most = (bytes.len() / DAMAGE_EVERY_BYTES).max(1);
        let mut damage = Self {
            places: 0,
            characters: 0,
        };
        for chunk in bytes.utf8_chunks() {
            damage.places += usize::from(!chunk.invalid().is_empty());
            if damage.places > most {
                return None;
            }
            let valid = chunk.valid().bytes();
            // The first byte of each character.
            damage.characters += valid.filter(|&byte| byte >= 0xC0).count();
        }
        (bytes.len() >= DAMAGED_BYTES).then_some(damage)
    }

    fn is_certain(&self) -> bool {
        self.characters >= CERTAIN_CHARACTERS * self.places
    }
}

/// Decodes a text in UTF-8 with U+FFFD for each place that is damaged.
fn decode_damaged(bytes: &[u8]) -> Result<DecodedText<'_>, DecodeError> {
    let text = String::from_utf8_lossy(bytes);
    if text.chars().any(is_control) {
        return Err(DecodeError::NotText);
    }
    Ok(DecodedText {
        text,
        origin: DAMAGED_UTF_8,
    })
}

/// Decodes a legacy encoding when the detector's favourite fits without an error and gives
/// letters, no control characters, and there was enough to go by.
fn decode_legacy(bytes: &[u8]) -> Result<DecodedText<'_>, DecodeError> {
    // A long beginning in ASCII, as of a program with one comment, says nothing of the encoding.
    let start = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let probe = &bytes[start..bytes.len().min(start + LEGACY_PROBE_BYTES)];
    let evidence = probe.iter().filter(|byte| !byte.is_ascii()).count();
    if evidence < LEGACY_EVIDENCE_BYTES {
        return Err(DecodeError::NotText);
    }
    // ISO-2022-JP and UTF-8 are denied: the one is written in ASCII with escapes, which is decoded
    // before, and of the other it is known here that the bytes are none.
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(probe, start + probe.len() == bytes.len());
    let guess = detector.guess(None, Utf8Detection::Deny);
    // So little Korean says nothing to the detector, and reads as Arabic or Greek.
    let encoding = if guess.is_single_byte() && is_korean(probe) {
        EUC_KR
    } else {
        guess
    };
    let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
    if has_errors || text.chars().any(is_control) || !is_mostly_letters(&text) {
        return Err(DecodeError::NotText);
    }
    Ok(DecodedText {
        text,
        origin: encoding.name(),
    })
}

/// Whether all that is beyond ASCII are Korean syllables in EUC-KR, two bytes each.
fn is_korean(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some((&first, behind)) = rest.split_first() {
        rest = match behind.split_first() {
            _ if first.is_ascii() => behind,
            Some((0xA1..=0xFE, behind)) if (0xB0..=0xC8).contains(&first) => behind,
            _ => return false,
        };
    }
    true
}

/// Whether at least two of three characters outside ASCII are letters, as in every language.
fn is_mostly_letters(text: &str) -> bool {
    let (mut letters, mut others) = (0usize, 0usize);
    for c in text.chars().filter(|c| !c.is_ascii()) {
        if c.is_alphabetic() {
            letters += 1;
        } else {
            others += 1;
        }
    }
    letters >= 2 * others
}

/// Whether `c` is a control character that text does not hold. Form feeds divide pages of plain
/// text, and escapes colour what programs print.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{C}' | '\u{1B}')
}

#[cfg(test)]
mod tests {
    use encoding_rs::{KOI8_R, SHIFT_JIS, WINDOWS_1252};

    use super::*;

    fn read(bytes: &[u8]) -> Result<(String, &'static str), DecodeError> {
        decode(bytes).map(|decoded| (decoded.text.into_owned(), decoded.origin))
    }

    fn text(text: &str, encoding: &'static str) -> Result<(String, &'static str), DecodeError> {
        Ok((text.to_owned(), encoding))
    }

    #[test]
    fn utf8_is_borrowed() {
        let decoded = decode("한글 é".as_bytes());
        assert!(matches!(
            decoded,
            Ok(DecodedText {
                text: Cow::Borrowed("한글 é"),
                ..
            })
        ));
        assert_eq!(read(b"\xEF\xBB\xBFabc"), text("abc", "UTF-8"));
        assert_eq!(read(b""), text("", "UTF-8"));
    }

    #[test]
    fn plain_ascii() {
        for length in 0..300 {
            let mut bytes = vec![b'a'; length];
            assert!(is_plain_ascii(&bytes));
            for index in 0..length {
                for (byte, expected) in [
                    (0, false),
                    (1, true),
                    (0x7F, true),
                    (0x80, false),
                    (0xFF, false),
                ] {
                    bytes[index] = byte;
                    assert_eq!(is_plain_ascii(&bytes), expected);
                }
                bytes[index] = b'a';
            }
        }
    }

    #[test]
    fn utf16_by_its_mark() {
        assert_eq!(read(b"\xFF\xFEa\0\n\0"), text("a\n", "UTF-16LE"));
        assert_eq!(read(b"\xFE\xFF\0a"), text("a", "UTF-16BE"));
        assert_eq!(read(b"\xFF\xFEa"), Err(DecodeError::NotText));
        assert_eq!(read(b"\xFF\xFE\x00\xD8a\0"), Err(DecodeError::NotText));
    }

    #[test]
    fn binary_by_a_nul_near_the_beginning() {
        assert_eq!(read(b"a\0b"), Err(DecodeError::Binary));
        let mut late = vec![b'a'; BINARY_PROBE_BYTES];
        late.push(0);
        assert!(read(&late).is_ok());
    }

    #[test]
    fn korean_in_its_legacy_encoding() {
        let korean = "문서를 검색합니다. 설정을 바꾸려면 관리자에게 문의하세요.";
        assert_eq!(read(&EUC_KR.encode(korean).0), text(korean, "EUC-KR"));
        assert_eq!(
            read(&EUC_KR.encode("한글 문서").0),
            text("한글 문서", "EUC-KR")
        );
        // One word, and no more.
        for short in ["needle 한글", "설정", "port 값을 read"] {
            assert_eq!(read(&EUC_KR.encode(short).0), text(short, "EUC-KR"));
        }
        let extended = "똠방각하와 펲시콜라를 좋아하는 사람이 쓴 글";
        assert_eq!(read(&EUC_KR.encode(extended).0), text(extended, "EUC-KR"));
    }

    #[test]
    fn other_legacy_encodings() {
        let japanese = "これは日本語の文書です。設定を変更してください。";
        assert_eq!(
            read(&SHIFT_JIS.encode(japanese).0),
            text(japanese, "Shift_JIS")
        );
        let french = "Le café est fermé; les élèves sont déjà partis à la fête.";
        assert_eq!(
            read(&WINDOWS_1252.encode(french).0),
            text(french, "windows-1252")
        );
    }

    #[test]
    fn a_damaged_byte_does_not_hide_the_rest() {
        let line = "A line of text that is long enough to be known for one in ASCII.\n";
        let damaged = [line.as_bytes(), b"caf\xE9 \xFF"].concat();
        assert_eq!(read(&damaged), Err(DecodeError::NotText));
        let damaged = [line.as_bytes(), b"caf\xE9 here"].concat();
        let expected = format!("{line}caf\u{FFFD} here");
        assert_eq!(read(&damaged), text(&expected, "UTF-8 with errors"));
        // Cut within its last character.
        let korean = "문서를 검색합니다. 설정을 바꾸려면 관리자에게 문의하세요.\n".repeat(3);
        let cut = [korean.as_bytes(), b"\xED\x95"].concat();
        let expected = format!("{korean}\u{FFFD}");
        assert_eq!(read(&cut), text(&expected, "UTF-8 with errors"));
        let other = "Наши документы лежат здесь, а настройки в другом файле. ".repeat(3);
        assert_eq!(read(&KOI8_R.encode(&other).0), text(&other, "KOI8-U"));
    }

    #[test]
    fn noise_is_no_text() {
        let mut state = 1u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8 | 1
        })
        .take(4000)
        .collect();
        assert_eq!(read(&noise), Err(DecodeError::NotText));
        assert_eq!(read(b"one stray byte \xFF here"), Err(DecodeError::NotText));
        assert_eq!(read(b"cut off \xED\x95"), Err(DecodeError::NotText));
    }
}
