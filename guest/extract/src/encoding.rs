//! Decoding of bytes to text: by a label, by a mark or declaration in the bytes, or by the
//! likelihood of the decoded text.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, IBM866, ISO_2022_JP, KOI8_R, KOI8_U, MACINTOSH,
    REPLACEMENT, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_874, WINDOWS_1250, WINDOWS_1251,
    WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257,
    WINDOWS_1258, X_MAC_CYRILLIC,
};

use crate::limits::{DECLARATION_BYTES, DECODED_BYTES, GUESSED_BYTES};

/// Maximum letters beyond ASCII of a text that is valid UTF-8 by chance. Each tenth syllable of
/// Korean is.
const CHANCE_LETTERS: usize = 4;

/// Returns the text of bytes. A byte order mark decides first, then UTF-8 that cannot be anything
/// else, then the label, for example of a mail. Without any of them the encoding is guessed.
pub fn decode<'a>(bytes: &'a [u8], label: Option<&str>) -> Cow<'a, str> {
    if label.is_some_and(|label| label.trim().eq_ignore_ascii_case("iso-2022-kr")) {
        return Cow::Owned(decode_as(EUC_KR, &from_iso_2022_kr(bytes)).into_owned());
    }
    decode_declared(bytes, label.and_then(from_label), None)
}

/// Returns the encoding of bytes that nothing else tells: UTF-8, or else the likeliest one.
pub fn guess_encoding(bytes: &[u8]) -> &'static Encoding {
    match std::str::from_utf8(bytes) {
        Ok(_) => UTF_8,
        Err(_) => guess(bytes, None),
    }
}

/// Returns the text of a page, with the encoding that it declares in a `meta` element or an XML
/// declaration.
pub fn decode_page(bytes: &[u8]) -> Cow<'_, str> {
    let head = &bytes[..bytes.len().min(DECLARATION_BYTES)];
    let declared = declared_label(head).and_then(|label| from_label(&label));
    decode_declared(bytes, declared, language(head).as_deref())
}

/// Returns the label of an encoding that a page declares, for example in a mail that does not name
/// one. A declaration that can be read as ASCII is not in UTF-16, whatever it says.
pub fn page_label(bytes: &[u8]) -> Option<String> {
    let label = declared_label(&bytes[..bytes.len().min(DECLARATION_BYTES)])?;
    let found = from_label(&label)?;
    Some(label).filter(|_| found != UTF_16LE && found != UTF_16BE)
}

/// Returns the encoding with this label. Besides the labels of the web it knows those of Windows
/// and Java for East Asian code pages, which mail programs write. Labels that promise nothing but
/// ASCII or unknown bytes name no encoding.
pub fn from_label(label: &str) -> Option<&'static Encoding> {
    let label = label.trim_matches(|c: char| c.is_whitespace() || c == '"' || c == '\'');
    let lower = label.to_ascii_lowercase();
    Some(match lower.as_str() {
        // A mail program that labels its mail as ASCII and then writes 8-bit characters knows as
        // little about them as one that writes no label.
        "us-ascii" | "ascii" | "unknown-8bit" | "x-unknown" | "unknown" | "8bit" | "binary" => {
            return None;
        }
        "cp949" | "ms949" | "949" | "uhc" | "x-windows-949" | "euckr" | "ks_c_5601"
        | "ksc5601-1987" | "ks_x_1001" | "ksx1001" => EUC_KR,
        "cp932" | "ms932" | "windows-932" | "sjis-win" | "x-ms-cp932" => SHIFT_JIS,
        "cp936" | "ms936" | "windows-936" => GBK,
        "cp950" | "ms950" | "windows-950" => BIG5,
        "utf16" => UTF_16LE,
        _ => Encoding::for_label(lower.as_bytes()).filter(|found| *found != REPLACEMENT)?,
    })
}

/// Returns the encoding with this number among the code pages of Windows.
pub fn from_code_page(number: u32) -> Option<&'static Encoding> {
    Some(match number {
        866 => IBM866,
        874 => WINDOWS_874,
        932 => SHIFT_JIS,
        936 => GBK,
        949 | 51949 => EUC_KR,
        950 => BIG5,
        1200 => UTF_16LE,
        1201 => UTF_16BE,
        1250 => WINDOWS_1250,
        1251 => WINDOWS_1251,
        1252 | 28591 | 20127 => WINDOWS_1252,
        1253 => WINDOWS_1253,
        1254 | 28599 => WINDOWS_1254,
        1255 => WINDOWS_1255,
        1256 => WINDOWS_1256,
        1257 => WINDOWS_1257,
        1258 => WINDOWS_1258,
        10000 => MACINTOSH,
        10007 => X_MAC_CYRILLIC,
        20866 => KOI8_R,
        21866 => KOI8_U,
        20932 | 51932 => EUC_JP,
        50220..=50222 => ISO_2022_JP,
        54936 => GB18030,
        65001 => UTF_8,
        28592..=28605 => Encoding::for_label(format!("iso-8859-{}", number - 28590).as_bytes())?,
        _ => return None,
    })
}

/// Returns the code page of Windows in a locale.
pub fn locale_code_page(locale: u32) -> u32 {
    match (locale & 0x3FF, locale) {
        (0x12, _) => 949,
        (0x11, _) => 932,
        (0x04, 0x0404 | 0x0C04 | 0x1404) => 950,
        (0x04, _) => 936,
        (0x02 | 0x19 | 0x22 | 0x23 | 0x2F, _) => 1251,
        (0x05 | 0x0E | 0x15 | 0x18 | 0x1A | 0x1B | 0x1C | 0x24, _) => 1250,
        (0x08, _) => 1253,
        (0x1F, _) => 1254,
        (0x0D, _) => 1255,
        (0x01 | 0x20 | 0x29, _) => 1256,
        (0x25..=0x27, _) => 1257,
        (0x2A, _) => 1258,
        (0x1E, _) => 874,
        _ => 1252,
    }
}

/// Decodes bytes in an encoding, with U+FFFD for what is invalid in it.
pub fn decode_as<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Cow<'a, str> {
    if encoding == UTF_8
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return Cow::Borrowed(text);
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::new();
    let mut chunks = bytes.chunks(DECODED_BYTES).peekable();
    while let Some(mut rest) = chunks.next() {
        let is_last = chunks.peek().is_none();
        // Room is reserved for the worst case of a chunk. That of a file of 64 MiB would be
        // several times its size.
        loop {
            let room = decoder.max_utf8_buffer_length(rest.len());
            text.reserve(room.unwrap_or(DECODED_BYTES));
            let (result, read, _) = decoder.decode_to_string(rest, &mut text, is_last);
            rest = &rest[read..];
            if result == encoding_rs::CoderResult::InputEmpty {
                break;
            }
        }
    }
    Cow::Owned(text)
}

/// Decodes bytes whose declaration names `declared`, in a language if it is known.
fn decode_declared<'a>(
    bytes: &'a [u8],
    declared: Option<&'static Encoding>,
    language: Option<&str>,
) -> Cow<'a, str> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return decode_as(encoding, &bytes[length..]);
    }
    if let Some(encoding) = unmarked_utf16(bytes) {
        return decode_as(encoding, bytes);
    }
    // Bytes that could be read as a declaration in ASCII are not in UTF-16.
    let declared = declared.map(|encoding| {
        let is_wide = encoding == UTF_16LE || encoding == UTF_16BE;
        if is_wide { UTF_8 } else { encoding }
    });
    if let Ok(text) = std::str::from_utf8(bytes) {
        match declared {
            Some(encoding) if encoding != UTF_8 && obeys_label(encoding, text) => {}
            _ => return Cow::Borrowed(text),
        }
    }
    let encoding = match declared {
        Some(encoding) if encoding != UTF_8 => encoding,
        // A label of UTF-8 above another encoding is a frequent mistake of servers and templates,
        // and is believed as little as none. Some of the few syllables of a name are valid UTF-8 by
        // chance.
        _ if is_nearly_utf8(bytes) && !is_korean(bytes) => UTF_8,
        _ => guess(bytes, language),
    };
    decode_as(encoding, bytes)
}

/// Returns true if a label is believed although the bytes are also valid UTF-8.
fn obeys_label(encoding: &'static Encoding, text: &str) -> bool {
    // All of its bytes are ASCII.
    if encoding == ISO_2022_JP {
        return true;
    }
    // Text saved anew as UTF-8 often keeps its old declaration. In a single-byte encoding, valid
    // UTF-8 would be a text of signs such as `Ã©`. A syllable in EUC-KR may be a letter of two
    // bytes in UTF-8, `큰` is `ū`, but hardly one of three, hardly each of several, and hardly one
    // within a word.
    let others = text.chars().filter(|c| !c.is_ascii());
    !encoding.is_single_byte()
        && text.bytes().all(|byte| byte < 0xE0)
        && (1..=CHANCE_LETTERS).contains(&others.take(CHANCE_LETTERS + 1).count())
        && !has_accented_word(text)
}

/// Returns true if a single letter beyond ASCII stands between two letters of ASCII.
fn has_accented_word(text: &str) -> bool {
    let mut is_after_letter = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_between = is_after_letter && chars.peek().is_some_and(char::is_ascii_alphabetic);
        if is_between && !c.is_ascii() && c.is_alphabetic() {
            return true;
        }
        is_after_letter = c.is_ascii_alphabetic();
    }
    false
}

/// Returns UTF-16 if the first two characters of bytes without a mark are ASCII in it, as in a page
/// that begins with a tag.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let is_text = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    match *bytes.first_chunk::<4>()? {
        [first, 0, second, 0] if is_text(first) && is_text(second) => Some(UTF_16LE),
        [0, first, 0, second] if is_text(first) && is_text(second) => Some(UTF_16BE),
        _ => None,
    }
}

/// Returns true if bytes are UTF-8 with little damage, such as a last character that is cut.
fn is_nearly_utf8(bytes: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        valid += chunk
            .valid()
            .bytes()
            .filter(|byte| !byte.is_ascii())
            .count();
        invalid += chunk.invalid().len();
    }
    invalid * 4 <= valid
}

/// Returns the likely encoding of bytes that are not UTF-8.
fn guess(bytes: &[u8], language: Option<&str>) -> &'static Encoding {
    let beyond_ascii = |byte: &u8| !byte.is_ascii();
    let start = bytes.iter().position(beyond_ascii).unwrap_or(0);
    let probe = &bytes[start..bytes.len().min(start.saturating_add(GUESSED_BYTES))];
    // The detector takes a few syllables for Arabic or Greek, whose encodings accept nearly every
    // byte.
    if is_korean(probe) {
        return EUC_KR;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(probe, start + probe.len() == bytes.len());
    let domain: Option<&[u8]> = match language.map(|language| language.split(['-', '_'])) {
        Some(mut parts) => match (parts.next(), parts.next()) {
            (Some("ko"), _) => Some(b"kr"),
            (Some("ja"), _) => Some(b"jp"),
            (Some("zh"), Some("tw" | "hk" | "hant")) => Some(b"tw"),
            (Some("zh"), _) => Some(b"cn"),
            (Some(other), _) if other.len() == 2 => Some(other.as_bytes()),
            _ => None,
        },
        None => None,
    };
    // The domain has to be in lower case letters.
    let domain = domain.filter(|domain| domain.iter().all(u8::is_ascii_lowercase));
    detector.guess(domain, Utf8Detection::Deny)
}

/// Returns true if every run of bytes beyond ASCII consists of syllables and signs of EUC-KR, at
/// least one of them a syllable. Syllables that only cp949 has may be among them; the second byte
/// of those may be a letter of ASCII.
fn is_korean(probe: &[u8]) -> bool {
    let mut syllables = 0;
    let mut rest = probe;
    while let Some(at) = rest.iter().position(|byte| !byte.is_ascii()) {
        match rest[at..] {
            [0xB0..=0xC8, 0xA1..=0xFE, ..] => syllables += 1,
            [0xA1..=0xA3, 0xA1..=0xFE, ..] => {}
            [0x81..=0xC6, b'A'..=b'Z' | b'a'..=b'z' | 0x81..=0xA0, ..] if syllables > 0 => {}
            // The end of the probe may cut a syllable.
            [_] => {}
            _ => return false,
        }
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    syllables > 0
}

/// Converts ISO-2022-KR, in which shift characters tell syllables of seven-bit bytes from ASCII, to
/// EUC-KR.
fn from_iso_2022_kr(bytes: &[u8]) -> Vec<u8> {
    const HEADER: &[u8] = b"\x1B$)C";
    let (mut all, mut is_korean) = (Vec::with_capacity(bytes.len()), false);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if bytes[at..].starts_with(HEADER) {
            at += HEADER.len();
            continue;
        }
        match byte {
            0x0E => is_korean = true,
            0x0F => is_korean = false,
            b'\r' | b'\n' => {
                is_korean = false;
                all.push(byte);
            }
            0x21..=0x7E if is_korean => all.push(byte | 0x80),
            _ => all.push(byte),
        }
        at += 1;
    }
    all
}

/// Returns the label that the beginning of a page declares.
fn declared_label(head: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    if let Some(declaration) = head.trim_start().strip_prefix("<?xml")
        && let Some((declaration, _)) = declaration.split_once("?>")
        && let Some(label) = value_after(declaration, "encoding")
    {
        return Some(label);
    }
    let mut rest = head.as_str();
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        // A declaration in a comment, as old editors leave them, declares nothing.
        let end = if rest.starts_with("<!--") { "-->" } else { ">" };
        let (tag, behind) = rest.split_once(end)?;
        rest = behind;
        if let Some(inside) = tag.strip_prefix("<meta")
            && let Some(label) = value_after(inside, "charset")
            && from_label(&label).is_some()
        {
            return Some(label);
        }
    }
    None
}

/// Returns the language that the root of a page declares, in lower case.
fn language(head: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let (_, root) = head.split_once("<html")?;
    let (root, _) = root.split_once('>')?;
    value_after(root, "lang")
}

/// Returns the value behind `name` and an equals sign, with or without quotes.
fn value_after(text: &str, name: &str) -> Option<String> {
    let mut rest = text;
    loop {
        let (_, behind) = rest.split_once(name)?;
        rest = behind;
        if let Some(value) = behind.trim_start().strip_prefix('=') {
            let value = value.trim_start().trim_start_matches(['"', '\'']);
            let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '>' | '/');
            let end = value.find(is_end).unwrap_or(value.len());
            return Some(value[..end].to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KOREAN: &str = "똠방각하와 펲시콜라, 뷁을 좋아하는 사람이 쓴 글입니다.";

    fn encoded(encoding: &'static Encoding, text: &str) -> Vec<u8> {
        encoding.encode(text).0.into_owned()
    }

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn labels() {
        for (label, expected) in [
            ("ks_c_5601-1987", Some(EUC_KR)),
            ("CP949", Some(EUC_KR)),
            (" \"utf-8\" ", Some(UTF_8)),
            ("ISO-8859-1", Some(WINDOWS_1252)),
            ("cp932", Some(SHIFT_JIS)),
            ("us-ascii", None),
            ("hz-gb-2312", None),
            ("", None),
        ] {
            assert_eq!(from_label(label), expected, "{label}");
        }
        assert_eq!(from_code_page(949), Some(EUC_KR));
        assert_eq!(
            from_code_page(28592).map(Encoding::name),
            Some("ISO-8859-2")
        );
        assert_eq!(from_code_page(1), None);
    }

    #[test]
    fn text_by_its_label() {
        let bytes = encoded(EUC_KR, KOREAN);
        for label in [
            Some("euc-kr"),
            Some("ms949"),
            Some("us-ascii"),
            Some("utf-8"),
            None,
        ] {
            assert_eq!(decode(&bytes, label), KOREAN, "{label:?}");
        }
        let name = encoded(EUC_KR, "홍길동");
        assert_eq!(decode(&name, None), "홍길동");
        let saved_anew = "한글 é";
        assert_eq!(decode(saved_anew.as_bytes(), Some("euc-kr")), saved_anew);
        assert_eq!(decode("é".as_bytes(), Some("windows-1252")), "é");
        assert_eq!(decode("áé".as_bytes(), Some("utf-8")), "áé");
        assert_eq!(decode(&encoded(EUC_KR, "큰"), Some("euc-kr")), "큰");
        assert_eq!(decode(&encoded(EUC_KR, "큰 a큰"), Some("euc-kr")), "큰 a큰");
        let letters = "ä ö ü é ñ";
        assert_eq!(decode(letters.as_bytes(), Some("big5")), letters);
        let address = "danglüe@example.com";
        assert_eq!(decode(address.as_bytes(), Some("gb2312")), address);
        let japanese = "日本語";
        let bytes = encoded(ISO_2022_JP, japanese);
        assert_eq!(decode(&bytes, Some("iso-2022-jp")), japanese);
        let bytes = b"\x1B$)C\x0EGQ1[\x0F mail";
        assert_eq!(decode(bytes, Some("ISO-2022-KR")), "한글 mail");
    }

    #[test]
    fn utf16_with_and_without_a_mark() {
        let page = "<p>한글</p>";
        for bytes in [utf16(page, u16::to_le_bytes), utf16(page, u16::to_be_bytes)] {
            assert_eq!(decode_page(&bytes), page);
        }
        let marked = format!("\u{FEFF}{page}");
        for bytes in [
            utf16(&marked, u16::to_le_bytes),
            utf16(&marked, u16::to_be_bytes),
        ] {
            assert_eq!(decode_page(&bytes), page);
        }
        assert_eq!(decode_page(marked.as_bytes()), page);
    }

    #[test]
    fn encodings_that_pages_declare() {
        for declaration in [
            "<meta charset=euc-kr>",
            "<META CharSet = 'EUC-KR'>",
            "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=ks_c_5601-1987\">",
            "<?xml version=\"1.0\" encoding=\"euc-kr\"?>",
            "<!-- <meta charset=utf-16> --><meta charset=x-none><meta charset=cp949>",
        ] {
            let page = format!("{declaration}<p>펲 é</p>");
            let bytes = encoded(EUC_KR, &page);
            assert_eq!(
                decode_page(&bytes),
                page.replace('é', "&#233;"),
                "{declaration}"
            );
        }
    }

    #[test]
    fn labels_of_pages() {
        for (page, expected) in [
            ("<meta charset=euc-kr>", Some("euc-kr")),
            ("<meta charset=utf-16>", None),
            ("<meta charset=x-none>", None),
            ("<p>charset=euc-kr", None),
        ] {
            assert_eq!(page_label(page.as_bytes()).as_deref(), expected);
        }
    }

    #[test]
    fn pages_that_declare_nothing() {
        let french = "<p>Le café est fermé; les élèves sont déjà partis à la fête.</p>";
        assert_eq!(decode_page(&encoded(WINDOWS_1252, french)), french);
        let quotes = "<p>It’s “quoted”</p>";
        assert_eq!(decode_page(&encoded(WINDOWS_1252, quotes)), quotes);
        for korean in [KOREAN, "설정", "<p>한글</p>", "port 값을 read"] {
            assert_eq!(decode_page(&encoded(EUC_KR, korean)), korean);
        }
        let short = "<html lang=ko><p>뷁</p>";
        assert_eq!(decode_page(&encoded(EUC_KR, short)), short);
        let japanese = "<p>これは日本語の文書です。設定を変更してください。</p>";
        assert_eq!(decode_page(&encoded(SHIFT_JIS, japanese)), japanese);
        let russian = "<p>Наши документы лежат здесь, а настройки в другом файле.</p>";
        assert_eq!(decode_page(&encoded(WINDOWS_1251, russian)), russian);
    }

    #[test]
    fn damage_does_not_change_the_encoding() {
        let mut bytes = "한글 문서".as_bytes().to_vec();
        bytes.pop();
        assert_eq!(decode_page(&bytes), "한글 문\u{FFFD}");
        assert_eq!(decode_page(b"one \xFF"), "one ÿ");
    }
}
