//! Conversion of a file's bytes to editable text and back, such that text which is not edited keeps
//! its bytes.
//!
//! Decoding and encoding again is not the identity in every encoding: in Shift_JIS and Big5 several
//! byte sequences represent the same character, and invalid bytes are decoded as U+FFFD. Bytes that
//! nobody edited would change, and a diff would show them. So only inserted text is encoded; the
//! rest is copied.

use std::borrow::Cow;
use std::ops::Range;

use docent_text::content_hash::{ContentHash, HashedContent};
use docent_text::decode::{DecodeError, Replaced, WITH_ERRORS, decode};
use docent_text::lines::{LineCounter, with_ends, without_end};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use unicode_normalization::UnicodeNormalization;

use crate::error::{Reason, Unfit, UnfitKind};

/// U+FEFF, which at the start of a text is not part of it.
pub const MARK: char = '\u{FEFF}';

/// The text of a file and its mapping to the bytes.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    bytes: &'a [u8],
    text: Cow<'a, str>,
    coding: Coding,
    /// Name of the encoding, with a note if it has errors.
    encoding: &'static str,
    /// Invalid bytes, each sequence of which is decoded as U+FFFD. A U+FFFD that the file contains
    /// as a character is not among them.
    replaced: Vec<Replaced>,
    /// Length of the byte order mark in bytes.
    mark: usize,
    /// Hash of the bytes, if known.
    hash: Option<ContentHash>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Utf8,
    Utf16(Endian),
    /// An encoding that contains ASCII, and in which no character depends on those before it, so
    /// that a part can be decoded and replaced by itself. ISO-2022-JP, in which an escape sequence
    /// changes the meaning of all bytes up to the next one, is never detected.
    Legacy(&'static Encoding),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Endian {
    Little,
    Big,
}

/// A range of a text in bytes, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// Range that is replaced; empty for an insertion.
    pub range: Range<usize>,
    /// Replacement.
    pub text: String,
}

impl<'a> Source<'a> {
    /// Decodes a file whose hash is known.
    ///
    /// # Errors
    /// Fails if the content is not text; see [`DecodeError`].
    pub fn from_content(content: &'a HashedContent) -> Result<Self, DecodeError> {
        let hash = Some(content.hash());
        Ok(Self {
            hash,
            ..Self::decode(content.bytes())?
        })
    }

    /// Creates the source of a text as a file in UTF-8.
    pub(crate) fn from_text(text: &'a str) -> Self {
        Self {
            bytes: text.as_bytes(),
            text: Cow::Borrowed(text),
            coding: Coding::Utf8,
            encoding: UTF_8.name(),
            replaced: Vec::new(),
            mark: 0,
            hash: None,
        }
    }

    /// Decodes a file.
    ///
    /// # Errors
    /// Fails if the bytes are not text; see [`DecodeError`].
    pub fn decode(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let decoded = decode(bytes)?;
        let has_mark = bytes.starts_with(b"\xEF\xBB\xBF");
        let name = decoded.origin.strip_suffix(WITH_ERRORS);
        let encoding = Encoding::for_label(name.unwrap_or(decoded.origin).as_bytes());
        let (coding, mark) = match encoding {
            Some(encoding) if encoding == UTF_16LE => (Coding::Utf16(Endian::Little), 2),
            Some(encoding) if encoding == UTF_16BE => (Coding::Utf16(Endian::Big), 2),
            Some(encoding) if encoding != UTF_8 => (Coding::Legacy(encoding), 0),
            _ => (Coding::Utf8, if has_mark { 3 } else { 0 }),
        };
        Ok(Self {
            bytes,
            text: decoded.text,
            coding,
            encoding: decoded.origin,
            replaced: decoded.replaced,
            mark,
            hash: None,
        })
    }

    /// Converts into the text, without a byte order mark, which may outlive the source.
    pub fn into_text(self) -> Cow<'a, str> {
        self.text
    }

    /// Returns the text with its byte order mark, if it has one.
    pub fn text_with_mark(&self) -> Cow<'_, str> {
        self.with_mark(&self.text)
    }

    /// Returns another text with that byte order mark.
    pub fn with_mark<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.has_mark() {
            true => Cow::Owned(format!("{MARK}{text}")),
            false => Cow::Borrowed(text),
        }
    }

    /// Returns the text, without a byte order mark, with its line endings.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the name of the encoding, as [`decode`] reports it.
    pub fn encoding(&self) -> &'static str {
        self.encoding
    }

    /// Returns true if the text begins with a byte order mark.
    pub fn has_mark(&self) -> bool {
        self.mark > 0
    }

    /// Returns the hash of the file.
    pub fn hash(&self) -> ContentHash {
        self.hash.unwrap_or_else(|| ContentHash::new(self.bytes))
    }

    /// Returns the hash of the bytes that encode `range` of the text.
    pub fn hash_of(&self, range: Range<usize>) -> ContentHash {
        let offsets = self.offsets(&[range.start, range.end]);
        ContentHash::new(self.bytes.get(offsets[0]..offsets[1]).unwrap_or_default())
    }

    /// Converts a text that was sent to one that this file can contain: unchanged, or composed if
    /// the encoding has only composed letters.
    ///
    /// # Errors
    /// Fails if the encoding lacks a character, or if there is a NUL, which would make the file
    /// binary.
    pub fn fit<'s>(&self, sent: &'s str) -> Result<Cow<'s, str>, Reason> {
        if let Some(at) = sent.find('\0') {
            return Err(unfit(sent, at, '\0', UnfitKind::Nul));
        }
        let Coding::Legacy(encoding) = self.coding else {
            return Ok(Cow::Borrowed(sent));
        };
        if sent.is_ascii() || holds(encoding, sent) {
            return Ok(Cow::Borrowed(sent));
        }
        let composed: String = sent.nfc().collect();
        if holds(encoding, &composed) {
            return Ok(Cow::Owned(composed));
        }
        let mut chars = sent.char_indices();
        let lacking = chars.find(|(_, c)| !holds(encoding, c.encode_utf8(&mut [0; 4])));
        let (at, c) = lacking.unwrap_or((0, char::REPLACEMENT_CHARACTER));
        Err(unfit(sent, at, c, UnfitKind::Lacking(encoding.name())))
    }

    /// Applies splices to the text. They must be in order and not overlap.
    pub fn splice_text(&self, splices: &[Splice]) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut at = 0;
        for splice in splices {
            out.push_str(&self.text[at..splice.range.start]);
            out.push_str(&splice.text);
            at = splice.range.end;
        }
        out.push_str(&self.text[at..]);
        out
    }

    /// Applies splices to the bytes. They must be in order, not overlap, and contain nothing that
    /// [`Source::fit`] refuses.
    pub fn splice_bytes(&self, splices: &[Splice]) -> Vec<u8> {
        let bounds = splices.iter().flat_map(|s| [s.range.start, s.range.end]);
        let offsets = self.offsets(&bounds.collect::<Vec<_>>());
        let mut out = Vec::with_capacity(self.bytes.len());
        let mut at = 0;
        for (splice, offset) in splices.iter().zip(offsets.chunks_exact(2)) {
            out.extend_from_slice(&self.bytes[at..offset[0]]);
            self.encode(&splice.text, &mut out);
            at = offset[1];
        }
        out.extend_from_slice(&self.bytes[at..]);
        out
    }

    /// Returns the first position in `range` of the text at which bytes are invalid.
    pub fn damage_in(&self, range: Range<usize>) -> Option<usize> {
        let first = self
            .replaced
            .partition_point(|place| place.at < range.start);
        let place = self.replaced.get(first)?;
        (place.at < range.end).then_some(place.at)
    }

    fn encode(&self, text: &str, out: &mut Vec<u8>) {
        match self.coding {
            Coding::Utf8 => out.extend_from_slice(text.as_bytes()),
            Coding::Utf16(Endian::Little) => {
                out.extend(text.encode_utf16().flat_map(u16::to_le_bytes))
            }
            Coding::Utf16(Endian::Big) => {
                out.extend(text.encode_utf16().flat_map(u16::to_be_bytes))
            }
            Coding::Legacy(encoding) => out.extend_from_slice(&encoding.encode(text).0),
        }
    }

    /// Returns the byte offsets of `positions` in the text, which must ascend.
    fn offsets(&self, positions: &[usize]) -> Vec<usize> {
        let mut replaced = self.replaced.iter().peekable();
        let (mut at, mut offset) = (0, self.mark);
        let offset_of = |position: &usize| {
            // The text between two invalid sequences is decoded on its own, since `length` expects
            // valid bytes. An invalid sequence is skipped: its bytes are known, and its text is one
            // U+FFFD.
            while let Some(place) = replaced.next_if(|place| place.at < *position) {
                at = place.at + char::REPLACEMENT_CHARACTER.len_utf8();
                offset = place.bytes.end;
            }
            offset += self.length(at..*position, offset);
            at = *position;
            offset
        };
        positions.iter().map(offset_of).collect()
    }

    /// Returns the number of bytes that encode `range` of the text, which must be valid, from
    /// `offset`.
    fn length(&self, range: Range<usize>, offset: usize) -> usize {
        match self.coding {
            Coding::Utf8 => range.len(),
            Coding::Utf16(_) => 2 * self.text[range].chars().map(char::len_utf16).sum::<usize>(),
            Coding::Legacy(encoding) => legacy_length(encoding, &self.bytes[offset..], range.len()),
        }
    }
}

/// Returns the number of `bytes` that decode to `length` bytes of text.
///
/// The bytes are decoded instead of encoding the text, since encoding may yield other bytes than
/// those of the file. A character may have up to four bytes, and one sequence may be two
/// characters: `0x8862` in Big5 is Ê with a macron.
fn legacy_length(encoding: &'static Encoding, bytes: &[u8], length: usize) -> usize {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let (mut at, mut offset) = (0, 0);
    while at < length && offset < bytes.len() {
        if bytes[offset].is_ascii() {
            (at, offset) = (at + 1, offset + 1);
            continue;
        }
        // One character is decoded byte after byte, until the decoder returns text.
        let before = at;
        while at == before && offset < bytes.len() {
            let mut out = [0; 16];
            let is_last = offset + 1 == bytes.len();
            at += decoder
                .decode_to_utf8(&bytes[offset..=offset], &mut out, is_last)
                .2;
            offset += 1;
        }
    }
    offset
}

/// Returns true if an encoding preserves `text`. An encoder that reports no error is not enough:
/// some replace characters silently, and `¥` is encoded as the backslash in Shift_JIS. So the bytes
/// are decoded again and compared.
fn holds(encoding: &'static Encoding, text: &str) -> bool {
    let (bytes, _, has_errors) = encoding.encode(text);
    !has_errors && encoding.decode_without_bom_handling(&bytes).0 == text
}

fn unfit(sent: &str, at: usize, character: char, kind: UnfitKind) -> Reason {
    let line = LineCounter::new(sent).line(at);
    let text = with_ends(&sent[..at]).last().unwrap_or_default();
    // Directly after a line end the character is the first of its line, and the line before it does
    // not count for its column.
    let before = if without_end(text).len() < text.len() {
        ""
    } else {
        text
    };
    Reason::Unfit(Unfit {
        character,
        line,
        column: before.chars().count() + 1,
        kind,
    })
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, EUC_JP, EUC_KR, GB18030, SHIFT_JIS, WINDOWS_1252};

    use super::*;

    fn utf16(text: &str, endian: Endian) -> Vec<u8> {
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        match endian {
            Endian::Little => units.flat_map(u16::to_le_bytes).collect(),
            Endian::Big => units.flat_map(u16::to_be_bytes).collect(),
        }
    }

    /// Checks that the rest keeps its bytes and its text when any single character is replaced.
    fn check(bytes: &[u8], encoding: &str) {
        let source = Source::decode(bytes).unwrap();
        assert_eq!(source.encoding(), encoding);
        let damaged = source
            .replaced
            .iter()
            .map(|place| &bytes[place.bytes.clone()]);
        let damaged: Vec<&[u8]> = damaged.collect();
        let text = source.text().to_owned();
        assert_eq!(source.splice_bytes(&[]), bytes);
        for (start, c) in text.char_indices() {
            let range = start..start + c.len_utf8();
            let splice = Splice {
                range: range.clone(),
                text: "x".to_owned(),
            };
            let spliced = source.splice_bytes(std::slice::from_ref(&splice));
            let offsets = source.offsets(&[range.start, range.end]);
            assert_eq!(spliced[..offsets[0]], bytes[..offsets[0]]);
            assert!(spliced.ends_with(&bytes[offsets[1]..]));
            if source.damage_in(range.clone()).is_some() {
                assert_eq!(c, '\u{FFFD}');
                assert!(damaged.contains(&&bytes[offsets[0]..offsets[1]]));
            }
            let coding = source.coding;
            let again = match coding {
                Coding::Legacy(encoding) => encoding
                    .decode_without_bom_handling(&spliced)
                    .0
                    .into_owned(),
                _ => Source::decode(&spliced).unwrap().text().to_owned(),
            };
            assert_eq!(again, source.splice_text(&[splice]), "{encoding} {start}");
        }
    }

    #[test]
    fn bytes_of_every_encoding_are_kept() {
        let korean = "문서를 검색합니다.\r\n똠방각하와 펲시콜라\n설정 a\u{20ac}";
        check("가나 é\n𝄞".as_bytes(), "UTF-8");
        check("\u{FEFF}가나\r\n".as_bytes(), "UTF-8");
        check(&utf16("가나 é\n𝄞", Endian::Little), "UTF-16LE");
        check(&utf16("가나 é\n𝄞", Endian::Big), "UTF-16BE");
        check(&EUC_KR.encode(korean).0, "EUC-KR");
        check(
            &SHIFT_JIS
                .encode("これは日本語の文書です。ｱｲｳ 設定を変更してください。")
                .0,
            "Shift_JIS",
        );
        check(
            &EUC_JP
                .encode("これは日本語の文書です。設定を変更してください。")
                .0,
            "EUC-JP",
        );
        check(
            &WINDOWS_1252
                .encode("Le café est fermé; les élèves sont déjà là")
                .0,
            "windows-1252",
        );
        let chinese = "這是一個關於設定的中文文件，請修改您的設定。我們的網站可以搜尋。";
        check(&BIG5.encode(chinese).0, "Big5");
        let long = "A line of text that is long enough to be known for one in ASCII.\n";
        check(
            &[long.as_bytes(), b"caf\xE9 here\n"].concat()[..],
            "UTF-8 with errors",
        );
        let marked = [
            "\u{FEFF}설정 ".as_bytes(),
            b"\xED\x95 \xFF\xFE",
            "값 �\n".as_bytes(),
        ]
        .concat();
        check(&marked, "UTF-8 with errors");
        let euc = EUC_KR.encode(korean).0.repeat(2);
        check(
            &[&euc[..], b"\xFF a\xFF\xFF\n", &euc].concat(),
            "EUC-KR with errors",
        );
        let mut broken = utf16("가나다라마바사아자차카타파하", Endian::Little);
        broken.extend([0x3D, 0xD8, b'b', 0]);
        check(&broken, "UTF-16LE with errors");
    }

    #[test]
    fn two_characters_of_one_byte_sequence() {
        // 0x8862 in Big5 is Ê with a macron, which takes two characters.
        let source = Source {
            bytes: b"a\x88\x62b",
            text: Cow::Borrowed("a\u{CA}\u{304}b"),
            coding: Coding::Legacy(BIG5),
            ..Source::from_text("")
        };
        assert_eq!(source.offsets(&[1, 5, 6]), [1, 3, 4]);
        let gb = GB18030.encode("𝄞a").0.into_owned();
        let source = Source {
            bytes: &gb,
            text: Cow::Borrowed("𝄞a"),
            coding: Coding::Legacy(GB18030),
            ..Source::from_text("")
        };
        assert_eq!(source.offsets(&[0, 4, 5]), [0, 4, 5]);
    }

    #[test]
    fn what_a_file_cannot_hold() {
        let bytes = EUC_KR.encode("문서를 검색합니다. 설정").0.into_owned();
        let source = Source::decode(&bytes).unwrap();
        assert_eq!(source.fit("설정을").unwrap(), "설정을");
        let parts: String = "설정".nfd().collect();
        assert_eq!(source.fit(&parts).unwrap(), "설정");
        let reason = source.fit("a\n설 𝄞").unwrap_err();
        let Reason::Unfit(unfit) = reason else {
            panic!("{reason:?}")
        };
        assert_eq!((unfit.character, unfit.line, unfit.column), ('𝄞', 2, 3));
        let japanese = SHIFT_JIS
            .encode("これは日本語の文書です。設定を変更してください。")
            .0;
        let source = Source::decode(&japanese).unwrap();
        assert!(source.fit("¥").is_err());
        assert!(Source::decode(b"a").unwrap().fit("a\0").is_err());
    }
}
