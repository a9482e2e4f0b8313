//! Form fields: the state of a check box, or the selected entry of a list, in the stream of data.

use crate::docx::field::check_mark;
use crate::ole::{u16_at, u32_at};

/// Offset of the length of the header before the data, and of the data in a form field.
const HEADER_AT: usize = 4;

/// Mark at the beginning of a form field.
const FORM_FIELD: u32 = 0xFFFF_FFFF;

/// Value of a form field that nobody has filled in.
const UNSET: u16 = 25;

/// Maximum entries of a list that are examined; Word allows 25.
const ENTRIES: usize = 64;

/// A reader of texts in sequence.
struct FormTexts<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl FormTexts<'_> {
    fn number(&mut self) -> u16 {
        self.at += 2;
        u16_at(self.bytes, self.at - 2)
    }

    /// Returns a text, which begins with its length and may end with a zero.
    fn text(&mut self, has_zero: bool) -> String {
        let length = usize::from(self.number());
        let end = self.at.saturating_add(2 * length);
        let bytes = self.bytes.get(self.at..end).unwrap_or_default();
        self.at = end + if has_zero { 2 } else { 0 };
        let (text, _) = encoding_rs::UTF_16LE.decode_without_bom_handling(bytes);
        text.into_owned()
    }
}

/// Returns the text of the form field at an offset of the stream of data, if it is a check box or a
/// list.
pub fn form_text(data: &[u8], at: u32) -> Option<String> {
    let picture = data.get(at as usize..)?;
    let field = picture.get(usize::from(u16_at(picture, HEADER_AT))..)?;
    if u32_at(field, 0) != FORM_FIELD {
        return None;
    }
    let bits = u16_at(field, 4);
    let (kind, chosen) = (bits & 3, (bits >> 2) & 0x1F);
    let mut texts = FormTexts {
        bytes: field,
        at: 10,
    };
    // Its name is followed by the default.
    texts.text(true);
    let default = texts.number();
    let value = if chosen == UNSET { default } else { chosen };
    match kind {
        1 => Some(check_mark(value != 0).to_owned()),
        2 => {
            // Five texts: the format, two that explain the field, and two names of macros.
            for _ in 0..5 {
                texts.text(true);
            }
            // The table of entries begins with a mark, their number, and the bytes of each besides
            // its text.
            texts.at += 2;
            let count = usize::from(texts.number()).min(ENTRIES);
            texts.at += 2;
            let mut entries = (0..count).map(|_| texts.text(false));
            entries.nth(value.into()).filter(|entry| !entry.is_empty())
        }
        _ => None,
    }
}
