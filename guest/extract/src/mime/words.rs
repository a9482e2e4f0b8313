//! Words of fields: folded lines and encoded words (RFC 2047).

use encoding_rs::UTF_8;

use crate::encoding;

use super::decode_text;
use super::transfer::{TransferEncoding, escaped_byte};

/// Maximum bytes of the name of a character encoding.
const LABEL_BYTES: usize = 64;

/// Maximum texts of a field whose encoding is guessed. A guess takes as long as reading a kilobyte,
/// and a field may have a word with an unknown label every few bytes.
const GUESSES: usize = 8;

/// The sequence of ISO-2022-JP that returns to ASCII, and the beginning of any sequence.
const TO_ASCII: &[u8] = b"\x1B(B";
const ESCAPE: &[u8] = b"\x1B";

/// A run of encoded words that follow each other, whose bytes are one text.
#[derive(Debug, Default)]
struct EncodedRun {
    label: String,
    bytes: Vec<u8>,
    /// Number of guesses so far.
    guesses: usize,
}

/// Returns the text of a field on one line, with its encoded words decoded; `label` names the
/// encoding of bytes that are not encoded.
///
/// The encoded words of one encoding that follow each other are decoded together. Each has to be
/// complete by itself, but many programs cut the bytes of a text every so often, also within a
/// character.
pub fn decode_words(value: &[u8], label: Option<&str>) -> String {
    let value = unfold(value);
    // Encoded words are ASCII, which most encodings leave as it is; those of all others are
    // labelled. The whole value says more about its encoding than each piece between the words.
    let raw = encoding::decode(&value, label);
    let value = raw.as_bytes();
    let mut text = String::with_capacity(raw.len());
    let mut run = EncodedRun::default();
    let (mut at, mut plain) = (0, 0);
    while let Some(found) = find(&value[at..], b"=?") {
        let start = at + found;
        let Some(word) = EncodedWord::read(&value[start..]) else {
            at = start + 1;
            continue;
        };
        let between = &raw[plain..start];
        // Blanks between encoded words only separate them.
        if run.label.is_empty() || !between.trim().is_empty() {
            run.finish(&mut text);
            text.push_str(between);
        }
        if !run.label.eq_ignore_ascii_case(&word.label) {
            run.finish(&mut text);
            run.label = word.label;
        }
        // Each word of ISO-2022-JP returns to ASCII. Two changes in a row are an error to browsers.
        if run.bytes.ends_with(TO_ASCII) && word.bytes.starts_with(ESCAPE) {
            run.bytes.truncate(run.bytes.len() - TO_ASCII.len());
        }
        run.bytes.extend(word.bytes);
        at = start + word.length;
        plain = at;
    }
    run.finish(&mut text);
    text.push_str(&raw[plain..]);
    text
}

impl EncodedRun {
    /// Adds the text of the run, which is empty afterwards.
    fn finish(&mut self, text: &mut String) {
        let is_known = encoding::from_label(&self.label).is_some_and(|found| found != UTF_8);
        if !is_known && std::str::from_utf8(&self.bytes).is_err() {
            self.guesses += 1;
        }
        if self.guesses > GUESSES && !is_known {
            text.push_str(&String::from_utf8_lossy(&self.bytes));
        } else {
            text.push_str(&decode_text(&self.bytes, Some(&self.label)));
        }
        self.label.clear();
        self.bytes.clear();
    }
}

/// An encoded word, such as `=?euc-kr?B?yLjAx7fP?=`.
struct EncodedWord {
    label: String,
    bytes: Vec<u8>,
    /// Bytes that the word takes.
    length: usize,
}

impl EncodedWord {
    /// Reads the word at the beginning of `value`.
    fn read(value: &[u8]) -> Option<Self> {
        let rest = value.strip_prefix(b"=?")?;
        let label = rest
            .iter()
            .take(LABEL_BYTES)
            .position(|byte| *byte == b'?')?;
        let is_label = |byte: &u8| byte.is_ascii_graphic();
        if label == 0 || !rest[..label].iter().all(is_label) {
            return None;
        }
        let [encoding, b'?', words @ ..] = &rest[label + 1..] else {
            return None;
        };
        // A language may follow the name: `utf-8*ko`.
        let name = rest[..label].split(|byte| *byte == b'*').next()?;
        let (end, bytes) = match encoding {
            b'B' | b'b' => {
                let end = words.iter().position(|byte| *byte == b'?')?;
                let (bytes, _) = TransferEncoding::Base64.decode(&words[..end], usize::MAX);
                (end, bytes.into_owned())
            }
            b'Q' | b'q' => {
                let end = quoted_end(words)?;
                (end, quoted_bytes(&words[..end]))
            }
            _ => return None,
        };
        if words.get(end + 1) != Some(&b'=') {
            return None;
        }
        Some(Self {
            label: String::from_utf8_lossy(name).into_owned(),
            bytes,
            length: "=?".len() + label + "?B?".len() + end + "?=".len(),
        })
    }
}

/// Returns the end of the words of a Q encoding. Some programs leave question marks in them as they
/// are.
fn quoted_end(words: &[u8]) -> Option<usize> {
    // Looking further would take quadratic time on a field of words without an end.
    const WITHIN: usize = 1024;
    const MARKS: usize = 8;
    let head = &words[..words.len().min(WITHIN)];
    let mut marks = head.iter().enumerate().filter(|(_, byte)| **byte == b'?');
    let end = marks
        .by_ref()
        .take(MARKS)
        .find(|(at, _)| head.get(at + 1) == Some(&b'='));
    match end {
        Some((at, _)) => Some(at),
        None => words.iter().position(|byte| *byte == b'?'),
    }
}

fn quoted_bytes(words: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(&byte) = words.get(at) {
        at += 1;
        match (byte, escaped_byte(&words[at..])) {
            (b'_', _) => bytes.push(b' '),
            (b'=', Some(escaped)) => {
                bytes.push(escaped);
                at += 2;
            }
            _ => bytes.push(byte),
        }
    }
    bytes
}

/// Returns the value of a field on one line.
pub fn unfold(value: &[u8]) -> Vec<u8> {
    let value = value.trim_ascii();
    let is_kept = |byte: &u8| !matches!(byte, b'\r' | b'\n');
    value.iter().copied().filter(is_kept).collect()
}

fn find(bytes: &[u8], sought: &[u8; 2]) -> Option<usize> {
    bytes.windows(2).position(|window| window == sought)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_words() {
        for (value, expected) in [
            ("plain\r\n words", "plain words"),
            ("=?utf-8?q?a=62_c?= d", "ab c d"),
            ("=?UTF-8*ko?B?7ZWc?=\r\n =?utf-8?b?6riA?=", "한글"),
            ("a =?euc-kr?B?x9E=?= b", "a 한 b"),
            // A character that is cut, in either encoding.
            ("=?utf-8?B?7Q==?= =?utf-8?Q?=95=9C?=", "한"),
            ("=?ks_c_5601-1987?Q?=94?= =?KS_C_5601-1987?Q?=EE?=", "뷁"),
            ("=?iso-2022-kr?B?GyQpQw5HUQ8=?=", "한"),
            (
                "=?ISO-2022-JP?B?GyRCJUYlOSVIGyhC?= =?iso-2022-jp?B?GyRCJUYlOSVIGyhC?=",
                "テストテスト",
            ),
            // Words of several encodings, and without blanks between them.
            ("=?utf-8?q?a?= =?euc-kr?q?=c7=d1?=", "a한"),
            ("(=?utf-8?q?a?=)=?utf-8?q?b?=", "(a)b"),
            // What is no encoded word.
            ("=?utf-8?q?a", "=?utf-8?q?a"),
            ("=?utf-8?x?a?=", "=?utf-8?x?a?="),
            ("=??q?a?= =?", "=??q?a?= =?"),
            ("=?utf-8?Q?Really?_yes?=", "Really? yes"),
            ("", ""),
        ] {
            assert_eq!(decode_words(value.as_bytes(), None), expected, "{value}");
        }
    }

    #[test]
    fn unknown_encodings_are_guessed_a_few_times() {
        let value = "=?x?q?=c7=d1=b1=db?= a ".repeat(GUESSES + 1);
        let expected = "한글 a ".repeat(GUESSES);
        let text = decode_words(value.as_bytes(), None);
        assert!(text.starts_with(&expected) && text.contains('\u{FFFD}'));
    }

    #[test]
    fn raw_words() {
        let value = b"\x94\xEE =?utf-8?q?a?= \xC7\xD1";
        assert_eq!(decode_words(value, Some("euc-kr")), "뷁 a 한");
    }

    #[test]
    fn words_without_an_end_take_linear_time() {
        for word in ["=?a?q?x", "=?", "=?a?b?x"] {
            let value = word.repeat(200_000);
            assert!(decode_words(value.as_bytes(), None) == value, "{word}");
        }
    }
}
