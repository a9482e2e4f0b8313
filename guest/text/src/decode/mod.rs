//! Decoding of bytes to text: encoding detection, and the test for binary files.

mod encoded;
mod legacy;
mod runs;

pub use encoded::{DecodedText, Replaced, WITH_ERRORS};

use std::borrow::Cow;
use std::fmt;

use crate::bytes::all;
use crate::decode::encoded::{decode_as, has_few_controls, replace_errors};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::limits::BINARY_PROBE_BYTES;
use runs::Runs;

/// The reason that bytes cannot be decoded as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The first 8 KiB contain a NUL and do not begin with a UTF-16 byte order mark.
    Binary,
    /// No encoding is certain, and too many bytes are invalid to decode the rest.
    NotText,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Binary => "a NUL byte is near the beginning, expected text",
            Self::NotText => "the encoding is unknown, expected text",
        })
    }
}

impl std::error::Error for DecodeError {}

/// Returns true if the file is ASCII without a NUL, and so surely text. One branch-free pass that
/// compiles to vector instructions, which is much cheaper than [`decode`]: a byte from 1 to 127 is
/// below 127 after 1 is subtracted, and 0 wraps around to 255.
pub fn is_plain_ascii(bytes: &[u8]) -> bool {
    all(bytes, |byte| byte.wrapping_sub(1) < 0x7F)
}

/// Returns true if the first bytes of a file show that it is binary, as [`decode`] of the whole
/// file would report.
pub fn is_binary(head: &[u8]) -> bool {
    let is_utf16 = Encoding::for_bom(head)
        .is_some_and(|(encoding, _)| encoding == UTF_16LE || encoding == UTF_16BE);
    !is_utf16 && has_nul(head)
}

fn has_nul(bytes: &[u8]) -> bool {
    let probe = &bytes[..bytes.len().min(BINARY_PROBE_BYTES)];
    !all(probe, |byte| byte != 0)
}

/// Decodes the text of a file.
/// # Errors
/// See [`DecodeError`].
pub fn decode(bytes: &[u8]) -> Result<DecodedText<'_>, DecodeError> {
    // The mark of UTF-16 is searched for before a NUL: half of the bytes of ASCII text in UTF-16
    // are NUL, so that the text would count as binary. Without a mark, UTF-16 is not recognized.
    if let Some((encoding, mark)) = Encoding::for_bom(bytes)
        && (encoding == UTF_16LE || encoding == UTF_16BE)
    {
        return decode_as(encoding, bytes, mark).ok_or(DecodeError::NotText);
    }
    if has_nul(bytes) {
        return Err(DecodeError::Binary);
    }
    let mark = if bytes.starts_with(b"\xEF\xBB\xBF") {
        3
    } else {
        0
    };
    if let Ok(text) = simdutf8::basic::from_utf8(&bytes[mark..]) {
        return Ok(DecodedText {
            text: Cow::Borrowed(text),
            origin: UTF_8.name(),
            replaced: Vec::new(),
        });
    }
    let runs = Runs::new(&bytes[mark..]);
    if mark > 0 || runs.are_utf8() {
        let decoded = replace_errors(UTF_8, bytes, mark);
        return Some(decoded)
            .filter(|decoded| has_few_controls(&decoded.text))
            .ok_or(DecodeError::NotText);
    }
    // If no encoding is certain, the text is read as UTF-8 with replacements: whatever the invalid
    // bytes mean, the others are text. A log with a few foreign lines can still be searched, while
    // the number of replacements shows that something is missing.
    legacy::decode(bytes, &runs)
        .or_else(|| decode_as(UTF_8, bytes, mark))
        .ok_or(DecodeError::NotText)
}

#[cfg(test)]
mod tests {
    use encoding_rs::{EUC_JP, EUC_KR, GBK, SHIFT_JIS};

    use encoding_rs::{KOI8_R, WINDOWS_1252};

    use super::*;
    use crate::decode::encoded::with_errors;

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
        // A single word is the only evidence.
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

    /// Decodes damaged bytes: the text without the replacements, its encoding, and the number of
    /// replaced bytes.
    fn decode_damaged(bytes: &[u8]) -> (String, &'static str, usize) {
        let decoded = decode(bytes).expect("it is text");
        // The reported positions match the text.
        for place in &decoded.replaced {
            assert!(decoded.text[place.at..].starts_with('\u{FFFD}'));
            assert!(!bytes[place.bytes.clone()].is_empty());
        }
        let signs = decoded.text.matches('\u{FFFD}').count();
        assert_eq!(decoded.replaced.len(), signs);
        assert_eq!(
            !decoded.replaced.is_empty(),
            decoded.origin.ends_with(WITH_ERRORS)
        );
        let count = decoded.replaced_bytes();
        (decoded.text.into_owned(), decoded.origin, count)
    }

    const KOREAN: &str = "문서를 검색합니다. 설정을 바꾸려면 관리자에게 문의하세요.\n";

    fn euc_kr(text: &str) -> Vec<u8> {
        EUC_KR.encode(text).0.into_owned()
    }

    #[test]
    fn a_damaged_byte_does_not_hide_the_rest() {
        for (bytes, expected, count) in [
            (
                &b"one stray byte \xFF here"[..],
                "one stray byte \u{FFFD} here",
                1,
            ),
            (b"cut off \xED\x95", "cut off \u{FFFD}", 2),
            (b"caf\xE9 \xFF and more", "caf\u{FFFD} \u{FFFD} and more", 2),
            (
                "한글 문서의 끝에서 잘린 글\u{AE00}"
                    .as_bytes()
                    .split_last()
                    .unwrap()
                    .1,
                "한글 문서의 끝에서 잘린 글\u{FFFD}",
                2,
            ),
            (b"\xEF\xBB\xBFmark \xFF", "mark \u{FFFD}", 1),
        ] {
            let expected = (expected.to_owned(), "UTF-8 with errors", count);
            assert_eq!(decode_damaged(bytes), expected);
        }
        let other = "Наши документы лежат здесь, а настройки в другом файле. ".repeat(3);
        assert_eq!(read(&KOI8_R.encode(&other).0), text(&other, "KOI8-U"));
    }

    #[test]
    fn half_a_pair_of_utf16() {
        // In UTF-8, each of the three bytes by itself.
        let bytes = [KOREAN.as_bytes(), b"\xED\xA0\xBD"].concat();
        assert_eq!(
            decode_damaged(&bytes),
            (
                format!("{KOREAN}\u{FFFD}\u{FFFD}\u{FFFD}"),
                "UTF-8 with errors",
                3
            )
        );
        let mut bytes = vec![0xFF, 0xFE];
        bytes.extend(
            "a text of some length "
                .encode_utf16()
                .flat_map(u16::to_le_bytes),
        );
        bytes.extend([0x3D, 0xD8, b'b', 0]);
        let expected = "a text of some length \u{FFFD}b".to_owned();
        assert_eq!(
            decode_damaged(&bytes),
            (expected, "UTF-16LE with errors", 2)
        );
    }

    #[test]
    fn lines_of_another_encoding() {
        for (before, lines, after) in [(1, 1, 0), (3, 1, 3), (1, 4, 1), (0, 3, 2), (0, 1, 12)] {
            let bytes = [
                KOREAN.repeat(before).into_bytes(),
                euc_kr(KOREAN).repeat(lines),
                KOREAN.repeat(after).into_bytes(),
            ]
            .concat();
            let (text, origin, count) = decode_damaged(&bytes);
            assert_eq!(origin, "UTF-8 with errors");
            assert!(
                text.starts_with(&KOREAN.repeat(before)) && text.ends_with(&KOREAN.repeat(after))
            );
            assert!(count > lines * 20);
        }
        let small = ["port 한글\n".as_bytes(), &euc_kr("오류 기록\n")].concat();
        let small = [&small, "값 utf8\n".as_bytes()].concat();
        let (text, origin, _) = decode_damaged(&small);
        assert!(
            text.starts_with("port 한글\n") && text.ends_with("값 utf8\n"),
            "{text}"
        );
        assert_eq!(origin, "UTF-8 with errors");
    }

    #[test]
    fn damaged_korean_stays_korean() {
        let whole = euc_kr(&KOREAN.repeat(8));
        for at in (0..whole.len()).step_by(7) {
            for stray in [0xFF, 0x80, 0x9D] {
                let mut bytes = whole.clone();
                bytes[at] = stray;
                let decoded = decode(&bytes).unwrap();
                assert!(
                    decoded.origin.starts_with("EUC-KR"),
                    "{at}: {}",
                    decoded.origin
                );
                let kept = decoded.text.matches("관리자").count();
                assert!(kept >= 7, "{at}");
            }
            // Cut within a character, at both ends.
            let (head, tail) = whole.split_at(at);
            for part in [head, tail].into_iter().filter(|part| part.len() > 60) {
                let decoded = decode(part).unwrap();
                assert!(
                    decoded.origin.starts_with("EUC-KR"),
                    "{at}: {}",
                    decoded.origin
                );
            }
        }
    }

    #[test]
    fn damaged_text_of_other_encodings() {
        let japanese =
            "これは日本語の文書です。設定を変更してください。東京の天気は晴れです。\n".repeat(4);
        let chinese =
            "这是一份关于设置的中文文件，请修改您的设置。我们的网站可以搜索。\n".repeat(4);
        for (encoding, text) in [(SHIFT_JIS, &japanese), (EUC_JP, &japanese), (GBK, &chinese)] {
            let mut bytes = encoding.encode(text).0.into_owned();
            bytes.extend(b"\xFF\n");
            let (read, origin, count) = decode_damaged(&bytes);
            assert_eq!((origin, count), (with_errors(encoding), 1));
            assert_eq!(read, format!("{text}\u{FFFD}\n"));
        }
    }

    #[test]
    fn typography_of_windows() {
        for (bytes, expected) in [
            (
                &b"It\x92s \x93quoted\x94 \x96 once."[..],
                "It’s “quoted” – once.",
            ),
            (b"And so on\x85", "And so on…"),
            (
                b"\x95 item\n\x95 item\n\x95 caf\xE9, cr\xE8me, \x93th\xE9\x94",
                "• item\n• item\n• café, crème, “thé”",
            ),
        ] {
            assert_eq!(read(bytes), text(expected, "windows-1252"));
        }
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
        for length in 16..200 {
            let start = length * 17;
            let noise = &noise[start..start + length];
            assert_eq!(read(noise), Err(DecodeError::NotText), "{noise:x?}");
        }
    }
}
