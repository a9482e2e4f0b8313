//! Decoding in one encoding, with replacement of what is invalid in it.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::{
    BIG5, DecoderResult, EUC_JP, EUC_KR, Encoding, GBK, SHIFT_JIS, UTF_16BE, UTF_16LE,
};

use crate::limits::{CONTROL_SHARE, REPLACED_SHARE};

/// The decoded text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedText<'a> {
    /// The text, without a byte order mark; borrowed where the bytes are UTF-8.
    pub text: Cow<'a, str>,
    /// Name of the source: an encoding, followed by [`WITH_ERRORS`] if bytes were replaced, or the
    /// document format that the text was extracted from.
    pub origin: &'static str,
    /// Byte sequences that are invalid in the encoding, in order. Each is decoded as one U+FFFD.
    pub replaced: Vec<Replaced>,
}

/// A byte sequence that is invalid in the encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// Byte offset of its U+FFFD in the decoded text.
    pub at: usize,
    /// Byte range in the file.
    pub bytes: Range<usize>,
}

/// Suffix of the name of an encoding if bytes were replaced.
pub const WITH_ERRORS: &str = " with errors";

impl DecodedText<'_> {
    /// Returns the number of bytes of the file that were replaced.
    pub fn replaced_bytes(&self) -> usize {
        self.replaced.iter().map(|place| place.bytes.len()).sum()
    }
}

/// Decodes the bytes after a byte order mark, with U+FFFD for invalid sequences. Returns `None` if
/// more of them are invalid than a text may contain: binary data that happens to begin with a mark
/// would otherwise be shown as a text of replacement characters.
pub(super) fn decode_as<'a>(
    encoding: &'static Encoding,
    bytes: &'a [u8],
    mark: usize,
) -> Option<DecodedText<'a>> {
    let decoded = replace_errors(encoding, bytes, mark);
    let is_whole = decoded.replaced.is_empty();
    let is_text = decoded.replaced_bytes() * REPLACED_SHARE <= bytes.len();
    (is_whole || is_text && has_few_controls(&decoded.text)).then_some(decoded)
}

/// Decodes `bytes` from `start` on, replacing each invalid sequence by U+FFFD.
pub(super) fn replace_errors<'a>(
    encoding: &'static Encoding,
    bytes: &[u8],
    start: usize,
) -> DecodedText<'a> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let (mut text, mut replaced, mut at) = (String::new(), Vec::new(), start);
    loop {
        let rest = &bytes[at..];
        // Only a part of the input determines the room that is reserved; the decoder stops when it
        // is full. With room for the worst case of the whole input, a file of 64 MiB could reserve
        // several times its size at once.
        let length = rest.len().min(DECODED_BYTES);
        let room = decoder.max_utf8_buffer_length_without_replacement(length);
        text.reserve(room.unwrap_or(DECODED_BYTES));
        let (result, read) = decoder.decode_to_string_without_replacement(rest, &mut text, true);
        at += read;
        match result {
            DecoderResult::InputEmpty => break,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(length, behind) => {
                // The decoder may have read bytes after the invalid sequence to recognize it, and
                // reports their number. The sequence is before these bytes: without the
                // subtraction, the position in the file would be too far to the right, and an edit
                // would replace the wrong bytes.
                let end = at - usize::from(behind);
                let bytes = end - usize::from(length)..end;
                let at = text.len();
                replaced.push(Replaced { at, bytes });
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
    }
    DecodedText {
        text: text.into(),
        origin: if replaced.is_empty() {
            encoding.name()
        } else {
            with_errors(encoding)
        },
        replaced,
    }
}

/// Bytes decoded before the buffer of the text grows.
const DECODED_BYTES: usize = 64 << 10;

/// Returns the name of an encoding followed by [`WITH_ERRORS`]. Single-byte encodings either accept
/// every byte or are not decoded with replacement.
pub(super) fn with_errors(encoding: &'static Encoding) -> &'static str {
    let all = [
        (UTF_16LE, "UTF-16LE with errors"),
        (UTF_16BE, "UTF-16BE with errors"),
        (EUC_KR, "EUC-KR with errors"),
        (SHIFT_JIS, "Shift_JIS with errors"),
        (EUC_JP, "EUC-JP with errors"),
        (GBK, "GBK with errors"),
        (BIG5, "Big5 with errors"),
    ];
    let found = all.into_iter().find(|(other, _)| *other == encoding);
    found.map_or("UTF-8 with errors", |(_, name)| name)
}

/// Returns true if control characters are rare enough for a text with some damage. Compressed data
/// and images consist of control characters to a tenth, while a log with a few damaged bytes has
/// none.
pub(super) fn has_few_controls(text: &str) -> bool {
    let controls = text.chars().filter(|c| is_control(*c)).count();
    controls * CONTROL_SHARE <= text.len()
}

/// Returns true if `c` is a control character that does not occur in text. Form feeds separate
/// pages of plain text, and escapes colour the output of programs, so that neither is evidence of
/// binary data.
pub(super) fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{C}' | '\u{1B}')
}
