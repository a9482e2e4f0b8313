//! Pages that programs for mail put into RTF (MS-OXRTFEX): the marks of the page are in groups of
//! their own, and what RTF needs besides is between `\htmlrtf` and `\htmlrtf0`.

use super::charset::{ByteRun, CodePage, FontTable, WESTERN};
use super::token::{ControlWord, RtfToken, RtfTokens};
use super::words::{FALLBACK_BYTES, character, is_ignored};
use crate::failure::EarlyStop;
use crate::limits::RTF_DEPTH;

/// Tokens at the beginning of a document, one of which says that it holds a page. The specification
/// has it among the first ten.
const HEAD_TOKENS: usize = 100;

/// A reader of a page.
struct PageUnwrapper {
    page: String,
    /// Maximum bytes of the page.
    most: usize,
    state: UnwrapState,
    /// States around the current group, the outermost first.
    outer: Vec<UnwrapState>,
    /// Open groups beyond the limit, which share one state.
    excess: usize,
    fonts: FontTable,
    code_page: CodePage,
    default_font: Option<i32>,
    /// Bytes that are not decoded yet, all in the current state.
    run: ByteRun,
    /// Bytes or characters that repeat the last `\u` for other programs.
    fallback: u32,
    /// First half of a character beyond 16 bits.
    surrogate: Option<u16>,
    /// True after `\*`, before the name of a destination.
    is_optional: bool,
}

/// The state of a group, which its end restores.
#[derive(Clone, Copy, Debug)]
struct UnwrapState {
    part: HtmlPart,
    /// True for what only RTF needs.
    is_hidden: bool,
    font: Option<i32>,
    fallback: u32,
}

/// The meaning of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HtmlPart {
    /// Text of the page.
    Text,
    /// Marks of the page, as they are.
    Marks,
    Fonts,
    Ignored,
}

/// Returns the page in a document, of at most `most` bytes, or `None` if it holds none.
///
/// # Errors
/// [`EarlyStop::Full`] if it is larger.
pub fn encapsulated_page(content: &[u8], most: u64) -> Result<Option<String>, EarlyStop> {
    let is_mark = |token| matches!(token, RtfToken::Word(ControlWord { name: "fromhtml", parameter }) if parameter != Some(0));
    if !RtfTokens::new(content).take(HEAD_TOKENS).any(is_mark) {
        return Ok(None);
    }
    let mut reader = PageUnwrapper {
        page: String::new(),
        most: usize::try_from(most).unwrap_or(usize::MAX),
        state: UnwrapState {
            part: HtmlPart::Text,
            is_hidden: false,
            font: None,
            fallback: 1,
        },
        outer: Vec::new(),
        excess: 0,
        fonts: FontTable::default(),
        code_page: WESTERN,
        default_font: None,
        run: ByteRun::default(),
        fallback: 0,
        surrogate: None,
        is_optional: false,
    };
    for token in RtfTokens::new(content) {
        reader.token(token)?;
    }
    reader.flush()?;
    Ok(Some(reader.page))
}

impl PageUnwrapper {
    fn token(&mut self, token: RtfToken<'_>) -> Result<(), EarlyStop> {
        let is_optional = std::mem::take(&mut self.is_optional);
        match token {
            RtfToken::GroupStart => self.begin_group(),
            RtfToken::GroupEnd => self.end_group(),
            RtfToken::Text(bytes) => {
                let skipped = bytes.len().min(self.fallback as usize);
                self.fallback -= u32::try_from(skipped).unwrap_or_default();
                self.push_bytes(&bytes[skipped..], false)
            }
            _ if self.take_fallback() => Ok(()),
            RtfToken::Symbol(b'*') => {
                self.is_optional = true;
                Ok(())
            }
            RtfToken::Symbol(symbol @ (b'\\' | b'{' | b'}')) => self.push_bytes(&[symbol], false),
            RtfToken::Symbol(b'~') => self.push_char('\u{A0}'),
            RtfToken::Symbol(b'_') => self.push_char('-'),
            RtfToken::Symbol(_) => Ok(()),
            RtfToken::Hex(byte) => self.push_bytes(&[byte], true),
            RtfToken::Word(word) => self.word(word, is_optional),
        }
    }

    /// Returns true for a token that repeats the last `\u` for other programs.
    fn take_fallback(&mut self) -> bool {
        let is_fallback = self.fallback > 0;
        self.fallback = self.fallback.saturating_sub(1);
        is_fallback
    }

    fn begin_group(&mut self) -> Result<(), EarlyStop> {
        self.flush()?;
        self.fallback = 0;
        if self.outer.len() >= RTF_DEPTH {
            self.excess += 1;
        } else {
            self.outer.push(self.state);
        }
        Ok(())
    }

    fn end_group(&mut self) -> Result<(), EarlyStop> {
        self.flush()?;
        self.fallback = 0;
        if self.excess > 0 {
            self.excess -= 1;
        } else if let Some(state) = self.outer.pop() {
            self.state = state;
        }
        Ok(())
    }

    fn word(&mut self, word: ControlWord<'_>, is_optional: bool) -> Result<(), EarlyStop> {
        if let Some(part) = self.part(word.name, is_optional) {
            self.flush()?;
            self.state.part = part;
            return Ok(());
        }
        let number = word.parameter;
        match (self.state.part, word.name) {
            (HtmlPart::Fonts, "f") => self.fonts.begin(number.unwrap_or_default()),
            (HtmlPart::Fonts, "fcharset") => self.fonts.set_charset(number),
            (HtmlPart::Fonts, "cpg") => self.fonts.set_code_page(number),
            (HtmlPart::Fonts | HtmlPart::Ignored, _) => {}
            (_, "htmlrtf") => {
                self.flush()?;
                self.state.is_hidden = word.is_on();
            }
            (_, "f") => {
                self.flush()?;
                self.state.font = number;
            }
            (_, "plain") => {
                self.flush()?;
                self.state.font = None;
            }
            (_, "deff") => self.default_font = number,
            (_, "ansicpg") => {
                self.code_page = number
                    .and_then(CodePage::from_number)
                    .unwrap_or(self.code_page);
            }
            (_, "uc") => {
                let count = number.filter(|it| (0..=FALLBACK_BYTES).contains(it));
                self.state.fallback = count.and_then(|it| u32::try_from(it).ok()).unwrap_or(1);
            }
            (_, "u") => return self.push_unit(number.unwrap_or_default()),
            (_, "par") => return self.push_char('\n'),
            (_, name) => {
                if let Some(c) = character(name) {
                    return self.push_char(c);
                }
            }
        }
        Ok(())
    }

    /// Returns the part that a control word begins, if it begins one.
    fn part(&self, name: &str, is_optional: bool) -> Option<HtmlPart> {
        if self.state.part == HtmlPart::Ignored {
            return None;
        }
        match name {
            "htmltag" if is_optional => Some(HtmlPart::Marks),
            "fonttbl" => Some(HtmlPart::Fonts),
            "stylesheet" | "listtable" | "listoverridetable" | "listtext" | "pntext" | "object"
            | "fldinst" => Some(HtmlPart::Ignored),
            name if is_optional || is_ignored(name) => Some(HtmlPart::Ignored),
            _ => None,
        }
    }

    /// Adds a unit of UTF-16, written as a number that may be negative.
    fn push_unit(&mut self, number: i32) -> Result<(), EarlyStop> {
        self.fallback = self.state.fallback;
        let number = if number < 0 { number & 0xFFFF } else { number };
        let number = u32::try_from(number).unwrap_or_default();
        let unit = u16::try_from(number).ok();
        let c = match (self.surrogate.take(), unit) {
            (None, Some(first @ 0xD800..=0xDBFF)) => {
                self.surrogate = Some(first);
                return Ok(());
            }
            (Some(first), Some(second)) => char::decode_utf16([first, second])
                .next()
                .and_then(Result::ok),
            _ => char::from_u32(number),
        };
        self.push_char(c.unwrap_or('\u{FFFD}'))
    }

    fn is_shown(&self) -> bool {
        let is_page = matches!(self.state.part, HtmlPart::Text | HtmlPart::Marks);
        is_page && !self.state.is_hidden
    }

    fn push_bytes(&mut self, bytes: &[u8], is_hex: bool) -> Result<(), EarlyStop> {
        if self.state.part == HtmlPart::Fonts {
            self.fonts.push_name(bytes);
        } else if self.is_shown() {
            self.run.bytes.extend(bytes);
            self.run.has_hex |= is_hex;
            // The decoded text takes at least half of its bytes.
            if self.run.bytes.len() / 2 > self.most {
                return Err(EarlyStop::Full);
            }
        }
        Ok(())
    }

    fn push_char(&mut self, c: char) -> Result<(), EarlyStop> {
        self.flush()?;
        if self.is_shown() {
            self.push(c.encode_utf8(&mut [0; 4]))?;
        }
        Ok(())
    }

    /// Decodes the bytes read so far. Marks are in the code page of the document, whatever the
    /// font.
    fn flush(&mut self) -> Result<(), EarlyStop> {
        if self.run.bytes.is_empty() {
            return Ok(());
        }
        let run = std::mem::take(&mut self.run);
        let font = match self.state.part {
            HtmlPart::Marks => None,
            _ => self.state.font.or(self.default_font),
        };
        let words = self.fonts.decode(font, self.code_page, &run);
        self.push(&words)
    }

    /// Adds to the page. Text that is no mark has no marks in it.
    fn push(&mut self, words: &str) -> Result<(), EarlyStop> {
        match self.state.part {
            HtmlPart::Marks => self.page.push_str(words),
            _ => {
                for piece in words.split_inclusive(['<', '&']) {
                    let (plain, mark) = match piece.as_bytes().last() {
                        Some(b'<') => (&piece[..piece.len() - 1], "&lt;"),
                        Some(b'&') => (&piece[..piece.len() - 1], "&amp;"),
                        _ => (piece, ""),
                    };
                    self.page.push_str(plain);
                    self.page.push_str(mark);
                }
            }
        }
        match self.page.len() > self.most {
            true => Err(EarlyStop::Full),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(content: &[u8]) -> Option<String> {
        encapsulated_page(content, 1 << 20).expect("it is small")
    }

    #[test]
    fn the_marks_and_the_text_of_a_page() {
        for (content, expected) in [
            (
                &b"{\\rtf1\\ansi\\ansicpg949\\fromhtml1 \\deff0{\\fonttbl{\\f0\\fcharset129 Gulim;}}\
                {\\*\\htmltag64 <p title=\"\\'b0\\'a2\">}\\htmlrtf {\\htmlrtf0 a < b & \\'b0\\'a2\
                {\\*\\htmltag84 &nbsp;}\\htmlrtf \\'a0\\htmlrtf0 \\u44033 ?\\par\\htmlrtf }\\htmlrtf0 \
                {\\*\\mhtmltag64 <no>}{\\*\\htmltag72 </p>}}"[..],
                "<p title=\"각\">a &lt; b &amp; 각&nbsp;각\n</p>",
            ),
            (
                b"{\\rtf1\\fromhtml{\\*\\htmltag \\{\\}\\tab x}{\\*\\unknown y}\\uc0\\u-10179\\u-8704 {\\pntext z}",
                "{}\tx\u{1F600}",
            ),
        ] {
            assert_eq!(page(content).as_deref(), Some(expected));
        }
        for content in [
            &b"{\\rtf1 <p>}"[..],
            b"{\\rtf1\\fromhtml0 x}",
            b"{\\rtf1\\fromtext x}",
            b"",
        ] {
            assert_eq!(page(content), None);
        }
    }

    #[test]
    fn a_page_beyond_the_limit_is_refused() {
        let content = format!("{{\\rtf1\\fromhtml1 {}}}", "&".repeat(1000));
        assert_eq!(
            encapsulated_page(content.as_bytes(), 999),
            Err(EarlyStop::Full)
        );
        let nested = format!("{{\\rtf1\\fromhtml1 {}x", "{".repeat(RTF_DEPTH + 9));
        assert_eq!(page(nested.as_bytes()).as_deref(), Some("x"));
    }
}
