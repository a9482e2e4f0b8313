//! Detection of legacy encodings, which only the likelihood of the decoded text tells apart.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GBK, SHIFT_JIS, WINDOWS_1252};

use super::encoded::{DecodedText, decode_as, is_control, replace_errors};
use super::runs::Runs;
use crate::limits::{DAMAGED_SHARE, LEGACY_EVIDENCE_BYTES, LEGACY_PROBE_BYTES};

/// Multi-byte encodings, in which damage can be recognized: their pairs of bytes are valid or not.
/// Korean comes first, because nearly all EUC-KR is valid GBK as well, so that Korean with damage
/// would otherwise be shown as Chinese.
const MULTI_BYTE: [&Encoding; 5] = [EUC_KR, SHIFT_JIS, EUC_JP, GBK, BIG5];

/// Decodes text in the legacy encoding that it is certainly written in, allowing some damage.
/// Returns `None` if no encoding is certain.
pub fn decode<'a>(bytes: &'a [u8], runs: &Runs) -> Option<DecodedText<'a>> {
    if is_typography(bytes) {
        return decode_without_errors(WINDOWS_1252, bytes);
    }
    // The probe begins with the first byte beyond ASCII. A long ASCII prefix, such as a program
    // with one comment, is no evidence of the encoding, and would fill the probe before the comment
    // is reached.
    let start = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let probe = &bytes[start..bytes.len().min(start + LEGACY_PROBE_BYTES)];
    let evidence = probe.iter().filter(|byte| !byte.is_ascii()).count();
    if evidence < LEGACY_EVIDENCE_BYTES {
        return None;
    }
    let is_whole = start + probe.len() == bytes.len();
    let guess = guess([probe].into_iter(), is_whole);
    // The detector cannot recognize a few Korean syllables and takes them for Arabic or Greek,
    // whose encodings accept nearly every byte. If all runs are Korean syllables, they are read as
    // such.
    if guess.is_single_byte() && runs.are_all_korean() {
        return decode_without_errors(EUC_KR, bytes);
    }
    let is_likely = !guess.is_single_byte() && (guess == EUC_KR || !runs.are_korean());
    if is_likely && let Some(decoded) = decode_without_errors(guess, bytes) {
        return Some(decoded);
    }
    // The detector rejects an encoding for a single invalid byte and falls back to the next best,
    // which accepts every byte and is wrong. A text with a lost byte is therefore compared with
    // each multi-byte encoding without its invalid sequences.
    let mut others = MULTI_BYTE.into_iter();
    match others.find(|&encoding| is_damaged(encoding, probe, runs)) {
        Some(encoding) => decode_as(encoding, bytes, 0),
        None => decode_without_errors(guess, bytes),
    }
}

/// Returns the encoding that the detector guesses from the pieces of a text.
fn guess<'p>(pieces: impl Iterator<Item = &'p [u8]>, is_whole: bool) -> &'static Encoding {
    // ISO-2022-JP and UTF-8 are excluded: a text in ISO-2022-JP is ASCII with escapes, which was
    // decoded as UTF-8 before, and the bytes are known to be invalid UTF-8.
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    for piece in pieces {
        detector.feed(piece, false);
    }
    detector.feed(b"", is_whole);
    detector.guess(None, Utf8Detection::Deny)
}

/// Returns true if the text is written in `encoding` but for a few invalid sequences.
fn is_damaged(encoding: &'static Encoding, probe: &[u8], runs: &Runs) -> bool {
    if encoding == EUC_KR && !runs.are_korean() {
        return false;
    }
    let replaced = replace_errors(encoding, probe, 0).replaced;
    let beyond_ascii = probe.iter().filter(|byte| !byte.is_ascii()).count();
    let lost: usize = replaced.iter().map(|place| place.bytes.len()).sum();
    if lost * DAMAGED_SHARE > beyond_ascii {
        return false;
    }
    let starts = std::iter::once(0).chain(replaced.iter().map(|place| place.bytes.end));
    let ends = replaced.iter().map(|place| place.bytes.start);
    let pieces = starts
        .zip(ends.chain([probe.len()]))
        .map(|(start, end)| &probe[start..end]);
    let guess = guess(pieces, true);
    let is_korean = || guess.is_single_byte() || runs.are_surely_korean();
    guess == encoding || encoding == EUC_KR && is_korean()
}

/// Decodes the text if every byte is valid in the encoding and the result reads as text: letters,
/// and no control characters.
fn decode_without_errors<'a>(
    encoding: &'static Encoding,
    bytes: &'a [u8],
) -> Option<DecodedText<'a>> {
    let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
    let is_text = !has_errors && !text.chars().any(is_control) && is_mostly_letters(&text);
    is_text.then(|| DecodedText {
        text,
        origin: encoding.name(),
        replaced: Vec::new(),
    })
}

/// Returns true if every non-ASCII byte is punctuation that the Windows encodings share, in a range
/// that other encodings use for control characters: quotes, dashes, bullets, an ellipsis. An
/// English text with such quotes has no letters beyond ASCII, by which an encoding could be
/// detected.
fn is_typography(bytes: &[u8]) -> bool {
    let mut beyond = bytes.iter().filter(|byte| !byte.is_ascii());
    beyond.all(|byte| matches!(byte, 0x85 | 0x91..=0x97))
}

/// Returns true if at least two of three non-ASCII characters are letters, as in every language;
/// punctuation between words is not counted. A single-byte encoding accepts noise as well, and
/// would show it as signs.
fn is_mostly_letters(text: &str) -> bool {
    let (mut letters, mut others) = (0usize, 0usize);
    for c in text.chars().filter(|c| !c.is_ascii()) {
        match c {
            '\u{2013}'..='\u{2026}' | '\u{A0}' | '\u{AB}' | '\u{BB}' => {}
            c if c.is_alphabetic() => letters += 1,
            _ => others += 1,
        }
    }
    letters >= 2 * others
}
