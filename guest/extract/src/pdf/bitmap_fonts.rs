//! Fonts that are drawn, as TeX made them of its bitmaps: nothing says which characters their glyphs
//! are, but their names say the codes, `a65`.

use hayro_syntax::object::{Array, Dict, Name, Object};

/// Whether a page has such fonts, and no other font that is drawn. Its glyphs tell their codes, but
/// not which font they are of.
pub fn are_named_by_code(fonts: &Dict<'_>) -> bool {
    let mut drawn = fonts
        .keys()
        .filter_map(|name| fonts.get::<Dict<'_>>(name.as_ref()))
        .filter(|font| {
            let kind = font.get::<Name<'_>>(b"Subtype");
            kind.is_some_and(|kind| kind.as_ref() == b"Type3")
        })
        .peekable();
    drawn.peek().is_some() && drawn.all(|font| has_names_of_codes(&font))
}

fn has_names_of_codes(font: &Dict<'_>) -> bool {
    let encoding = font.get::<Dict<'_>>(b"Encoding");
    let Some(differences) = encoding.and_then(|dict| dict.get::<Array<'_>>(b"Differences")) else {
        return false;
    };
    let mut code = 0i64;
    let mut names = 0;
    for entry in differences.iter::<Object<'_>>() {
        match entry {
            Object::Number(number) => code = number.as_i64(),
            Object::Name(name) => {
                let is_code = number_in(name.as_ref()) == Some(code);
                if !is_code && name.as_ref() != b".notdef" {
                    return false;
                }
                names += usize::from(is_code);
                code += 1;
            }
            _ => {}
        }
    }
    names > 0
}

/// Returns the number behind the letter of a name such as `a65`.
fn number_in(name: &[u8]) -> Option<i64> {
    let (letter, digits) = name.split_first()?;
    let is_number = letter.is_ascii_alphabetic() && digits.iter().all(u8::is_ascii_digit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_number)?;
    digits.parse().ok()
}

/// Returns what the fonts of TeX show for a code: ASCII, and ligatures below it.
pub fn text_of(code: u32) -> Option<String> {
    let ligature = match code {
        0x0B => "ff",
        0x0C => "fi",
        0x0D => "fl",
        0x0E => "ffi",
        0x0F => "ffl",
        _ => "",
    };
    if !ligature.is_empty() {
        return Some(ligature.to_owned());
    }
    let c = char::from_u32(code).filter(char::is_ascii_graphic)?;
    Some(c.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names() {
        for (name, expected) in [
            ("a65", Some(65)),
            ("g7", Some(7)),
            ("A", None),
            ("65", None),
            ("uni0041x", None),
            ("", None),
        ] {
            assert_eq!(number_in(name.as_bytes()), expected, "{name}");
        }
    }
}
