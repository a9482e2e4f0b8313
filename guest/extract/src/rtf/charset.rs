//! Encodings of the bytes of text: the code page of the document, and those of its fonts.

use std::borrow::Cow;
use std::collections::BTreeMap;

use encoding_rs::Encoding;

use crate::docx::symbols::SymbolFont;
use crate::limits::RTF_DEFINITIONS;

/// A code page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodePage {
    /// One that the Web uses as well.
    Web(&'static Encoding),
    /// One of DOS: the characters from byte 80 (hexadecimal) on.
    Dos(&'static str),
}

/// Code page of Western Europe, which is that of documents and fonts without one.
pub const WESTERN: CodePage = CodePage::Web(encoding_rs::WINDOWS_1252);

/// Code page of DOS in the United States.
pub const DOS_437: CodePage = CodePage::Dos(
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
    αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}",
);

/// Code page of DOS in Western Europe.
pub const DOS_850: CodePage = CodePage::Dos(
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀\
    ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}",
);

/// Character set of fonts for Western Europe.
const ANSI_CHARSET: i32 = 0;

impl CodePage {
    /// Returns the code page of a number, as Windows counts them.
    pub fn from_number(number: i32) -> Option<Self> {
        Some(Self::Web(match number {
            437 => return Some(DOS_437),
            850 => return Some(DOS_850),
            866 => encoding_rs::IBM866,
            874 => encoding_rs::WINDOWS_874,
            932 | 10_001 => encoding_rs::SHIFT_JIS,
            936 | 10_008 => encoding_rs::GBK,
            949 | 1361 | 10_003 | 51_949 => encoding_rs::EUC_KR,
            950 | 10_002 => encoding_rs::BIG5,
            1250 | 10_029 => encoding_rs::WINDOWS_1250,
            1251 => encoding_rs::WINDOWS_1251,
            1252 => encoding_rs::WINDOWS_1252,
            1253 | 10_006 => encoding_rs::WINDOWS_1253,
            1254 | 10_081 => encoding_rs::WINDOWS_1254,
            1255 | 10_005 => encoding_rs::WINDOWS_1255,
            1256 | 10_004 => encoding_rs::WINDOWS_1256,
            1257 => encoding_rs::WINDOWS_1257,
            1258 => encoding_rs::WINDOWS_1258,
            10_000 => encoding_rs::MACINTOSH,
            10_007 => encoding_rs::X_MAC_CYRILLIC,
            20_866 => encoding_rs::KOI8_R,
            21_866 => encoding_rs::KOI8_U,
            54_936 => encoding_rs::GB18030,
            65_001 => encoding_rs::UTF_8,
            _ => return None,
        }))
    }

    /// Returns the code page of a character set of fonts.
    fn from_charset(charset: i32) -> Option<Self> {
        Self::from_number(match charset {
            ANSI_CHARSET => 1252,
            77 => 10_000,
            78 | 128 => 932,
            79 | 129 | 130 => 949,
            80 | 134 => 936,
            81 | 136 => 950,
            83 | 177 => 1255,
            84 | 178 => 1256,
            85 | 161 => 1253,
            86 | 162 => 1254,
            87 | 222 => 874,
            88 | 238 => 1250,
            89 => 10_007,
            163 => 1258,
            186 => 1257,
            204 => 1251,
            254 => 437,
            255 => 850,
            _ => return None,
        })
    }

    /// Returns true if the second byte of a character may be a sign of RTF.
    pub fn has_signs_in_pairs(self) -> bool {
        self.has_pairs() && self != Self::Web(encoding_rs::EUC_KR)
    }

    /// Returns true if characters take two bytes.
    fn has_pairs(self) -> bool {
        [
            encoding_rs::SHIFT_JIS,
            encoding_rs::GBK,
            encoding_rs::BIG5,
            encoding_rs::EUC_KR,
        ]
        .into_iter()
        .any(|encoding| self == Self::Web(encoding))
    }

    /// Returns true if the last of these bytes is the first one of a pair, as far as the last
    /// `most` bytes show it.
    pub fn ends_within_pair(self, bytes: &[u8], most: usize) -> bool {
        if !self.has_pairs() {
            return false;
        }
        let high = |byte: &&u8| self.is_lead(**byte);
        bytes.iter().rev().take(most).take_while(high).count() % 2 == 1
    }

    /// Returns true if a byte may begin a pair.
    fn is_lead(self, byte: u8) -> bool {
        // Half-width Katakana are single bytes in Shift JIS.
        let is_single = self == Self::Web(encoding_rs::SHIFT_JIS) && (0xA0..0xE0).contains(&byte);
        byte > 0x80 && !is_single
    }

    /// Decodes bytes.
    fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Web(encoding) => encoding.decode_without_bom_handling(bytes).0,
            Self::Dos(high) => {
                let decode = |byte: &u8| match byte.checked_sub(0x80) {
                    Some(index) => high.chars().nth(index.into()).unwrap_or('\u{FFFD}'),
                    None => char::from(*byte),
                };
                bytes.iter().map(decode).collect()
            }
        }
    }
}

/// Bytes of text in one font.
#[derive(Debug, Default)]
pub struct ByteRun {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// True if one of them was written in hexadecimal digits.
    pub has_hex: bool,
}

/// A font.
#[derive(Debug, Default)]
struct RtfFont {
    name: String,
    charset: Option<i32>,
    /// Its code page, if the font names one besides its character set.
    code_page: Option<i32>,
}

/// The fonts of a document by number.
#[derive(Debug, Default)]
pub struct FontTable {
    fonts: BTreeMap<i32, RtfFont>,
    /// Number of the font that is being defined.
    current: i32,
}

impl FontTable {
    /// Begins the definition of a font.
    pub fn begin(&mut self, number: i32) {
        self.current = number;
        if self.fonts.len() < RTF_DEFINITIONS {
            self.fonts.insert(number, RtfFont::default());
        }
    }

    /// Sets the character set of the current font.
    pub fn set_charset(&mut self, charset: Option<i32>) {
        if let Some(font) = self.fonts.get_mut(&self.current) {
            font.charset = charset;
        }
    }

    /// Sets the code page of the current font.
    pub fn set_code_page(&mut self, number: Option<i32>) {
        if let Some(font) = self.fonts.get_mut(&self.current) {
            font.code_page = number;
        }
    }

    /// Adds to the name of the current font, which ends with a semicolon.
    pub fn push_name(&mut self, bytes: &[u8]) {
        if let Some(font) = self.fonts.get_mut(&self.current) {
            let letters = bytes.iter().filter(|byte| **byte != b';');
            // The names of the symbol fonts, which alone matter, are short.
            let room = 64usize.saturating_sub(font.name.len());
            font.name
                .extend(letters.take(room).map(|byte| char::from(*byte)));
        }
    }

    /// Returns the code page of a font in a document with the code page `default`.
    pub fn code_page(&self, font: Option<i32>, default: CodePage) -> CodePage {
        let Some(font) = font.and_then(|number| self.fonts.get(&number)) else {
            return default;
        };
        let by_number = font.code_page.and_then(CodePage::from_number);
        by_number
            .or_else(|| font.charset.and_then(CodePage::from_charset))
            .unwrap_or(default)
    }

    /// Returns the name of a font; empty if it is not known.
    pub fn name(&self, font: i32) -> &str {
        self.fonts.get(&font).map_or("", |font| font.name.trim())
    }

    /// Returns the symbol font with this number.
    pub fn symbols(&self, font: Option<i32>) -> Option<SymbolFont> {
        SymbolFont::from_name(self.fonts.get(&font?)?.name.trim())
    }

    /// Decodes bytes in a font, in a document with the code page `default`.
    pub fn decode(&self, font: Option<i32>, default: CodePage, run: &ByteRun) -> String {
        if let Some(symbols) = self.symbols(font) {
            let codes: String = run.bytes.iter().copied().map(char::from).collect();
            return symbols.translate(&codes);
        }
        let page = self.code_page(font, default);
        let bytes = &run.bytes;
        if bytes.is_ascii() {
            return bytes.iter().copied().map(char::from).collect();
        }
        // Some programs write UTF-8, which RTF does not know, and name another encoding or none.
        // Text in other encodings is hardly ever UTF-8 by chance.
        if !run.has_hex
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            return text.to_owned();
        }
        // Editors of East Asia that do not know the character set of a font take that of Western
        // Europe for it, which would make two wrong letters of each character.
        let page = if page == WESTERN && default.has_pairs() && is_in_pairs(bytes, default) {
            default
        } else {
            page
        };
        page.decode(bytes).into_owned()
    }
}

/// Returns true if bytes are text in an encoding with pairs: there is a pair of high bytes, and
/// everything can be decoded. A single quotation mark of Western Europe is no pair.
fn is_in_pairs(bytes: &[u8], page: CodePage) -> bool {
    let is_high = |byte: &u8| *byte > 0x80;
    let mut pairs = bytes.windows(2);
    let has_pair = pairs.any(|pair| pair.iter().all(is_high));
    has_pair && !page.decode(bytes).contains('\u{FFFD}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const KOREAN: CodePage = CodePage::Web(encoding_rs::EUC_KR);

    fn decoded(charset: Option<i32>, default: CodePage, bytes: &[u8]) -> String {
        let mut fonts = FontTable::default();
        fonts.begin(3);
        fonts.set_charset(charset);
        let run = ByteRun {
            bytes: bytes.to_vec(),
            has_hex: true,
        };
        fonts.decode(Some(3), default, &run)
    }

    #[test]
    fn bytes_by_font_and_document() {
        for (charset, default, bytes, expected) in [
            (
                Some(129),
                WESTERN,
                &b"\x8c\x63\xb9\xe6\xb0\xa2"[..],
                "똠방각",
            ),
            (Some(128), WESTERN, b"\x93\xfa\x96\x7b\x8c\xea", "日本語"),
            (Some(204), WESTERN, b"\xcc\xe8\xf0", "Мир"),
            (Some(77), WESTERN, b"\x8e", "é"),
            (Some(255), WESTERN, b"\x82", "é"),
            (Some(254), WESTERN, b"a\xe0", "aα"),
            (None, KOREAN, b"\xb0\xa2", "각"),
            (Some(1), KOREAN, b"\xb0\xa2", "각"),
            (Some(0), KOREAN, b"\xb0\xa2", "각"),
            (Some(0), KOREAN, b"it\x92s", "it’s"),
            (Some(0), WESTERN, b"\xb0\xa2", "°¢"),
        ] {
            assert_eq!(decoded(charset, default, bytes), expected);
        }
    }

    #[test]
    fn symbols_and_utf8() {
        let mut fonts = FontTable::default();
        fonts.begin(1);
        fonts.push_name(b"Wingdings;");
        let run = |bytes: &[u8]| ByteRun {
            bytes: bytes.to_vec(),
            has_hex: false,
        };
        assert_eq!(fonts.decode(Some(1), WESTERN, &run(b"\xFC")), "✓");
        let text = "각 é";
        assert_eq!(fonts.decode(None, WESTERN, &run(text.as_bytes())), text);
    }

    #[test]
    fn the_first_byte_of_a_pair() {
        let japanese = CodePage::Web(encoding_rs::SHIFT_JIS);
        for (page, bytes, expected) in [
            (japanese, &b"\x83"[..], true),
            (japanese, b"a\x93\xfa", false),
            (japanese, b"\xb1", false),
            (KOREAN, b"\xb0\xa2\xb0", true),
            (WESTERN, b"\x83", false),
            (KOREAN, b"", false),
        ] {
            assert_eq!(page.ends_within_pair(bytes, 9), expected, "{bytes:?}");
        }
    }
}
