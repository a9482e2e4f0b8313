//! Glyph names that contain a number: that of a character or of a code. Fonts made of bitmaps, and
//! subset fonts, have such names.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use hayro_syntax::object::{Array, Dict, Object};

/// Number of consecutive glyphs, from the first code on, whose names are counted rather than
/// chosen.
const COUNTED_GLYPHS: u8 = 12;

/// A glyph name: its prefix, and the number after it.
struct NumberedName<'n> {
    prefix: &'n str,
    digits: &'n str,
}

/// Returns the characters of a font's codes, by the numbers in the glyph names of its encoding. All
/// names of the font together decide, since a single one may contain a number by chance. `programs`
/// contains the names of the glyphs that a font draws, which are fewer than it names.
pub fn texts(differences: &Array<'_>, programs: Option<&Dict<'_>>) -> HashMap<u8, String> {
    let mut names: Vec<(u8, String)> = Vec::new();
    let mut code = 0i64;
    for entry in differences.iter::<Object<'_>>() {
        match entry {
            Object::Number(number) => code = number.as_i64(),
            Object::Name(name) => {
                if let Ok(code) = u8::try_from(code)
                    && name.as_ref() != b".notdef"
                    && programs.is_none_or(|programs| programs.contains_key(name.as_ref()))
                {
                    names.push((code, name.as_str().to_owned()));
                }
                code += 1;
            }
            _ => {}
        }
    }
    let mut texts: HashMap<u8, String> = names
        .iter()
        .filter_map(|(code, name)| Some((*code, hexadecimal(name)?.to_string())))
        .collect();
    let numbered: Vec<(u8, NumberedName<'_>)> = names
        .iter()
        .filter_map(|(code, name)| Some((*code, NumberedName::parse(name)?)))
        .collect();
    // A name without a number describes its glyph, as `space` does, or says nothing. If at
    // least half of the names are of that kind, the numbers in the others are accidental.
    if numbered.len() * 2 <= names.len() {
        return texts;
    }
    let are_codes = |base: u32| {
        let mut all = numbered.iter();
        all.all(|(code, name)| name.number(base) == Some(u32::from(*code)))
    };
    if is_count(&numbered) {
        return texts;
    }
    if are_codes(10) || are_codes(16) {
        for (code, _) in &numbered {
            texts.extend(tex_text(*code).map(|text| (*code, text)));
        }
        return texts;
    }
    // A number that is not the code is that of a character, unless it counts the glyphs of
    // another font: `g36` in a subset is the 36th glyph, not `$`. Hence only prefixes that
    // stand for characters are accepted, and only if all numbers are printable.
    let are_characters = numbered.iter().all(|(_, name)| {
        let character = name.number(10).and_then(char::from_u32);
        matches!(name.prefix, "" | "a" | "c" | "C" | "char")
            && character.is_some_and(|c| !c.is_control())
    });
    if are_characters {
        for (code, name) in &numbered {
            let character = name.number(10).and_then(char::from_u32);
            texts.extend(character.map(|c| (*code, c.to_string())));
        }
    }
    texts
}

impl<'n> NumberedName<'n> {
    fn parse(name: &'n str) -> Option<Self> {
        let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
        let (prefix, _) = name.split_at(name.len() - digits.len());
        // In `A1` the letter may be a digit: with base 16, it is the code 161.
        let (prefix, digits) = match prefix.char_indices().last() {
            Some((at, c)) if at > 0 && matches!(c, 'A'..='F') => (&name[..at], &name[at..]),
            _ => (prefix, digits),
        };
        let is_number = !digits.is_empty()
            && digits.len() <= 6
            && digits.bytes().all(|c| c.is_ascii_hexdigit());
        (is_number && prefix.len() <= 4).then_some(Self { prefix, digits })
    }

    fn number(&self, base: u32) -> Option<u32> {
        u32::from_str_radix(self.digits, base).ok()
    }
}

/// Returns true if the names merely count glyphs from the first code on. A text font uses hardly
/// any of the codes below that of the blank, and never all of them, unless it is complete and has
/// all letters as well.
fn is_count(names: &[(u8, NumberedName<'_>)]) -> bool {
    let codes: HashSet<u8> = names.iter().map(|(code, _)| *code).collect();
    let first = codes.iter().min().copied().unwrap_or(b' ');
    let has_all = |mut range: Range<u8>| range.all(|code| codes.contains(&code));
    first <= 1 && has_all(first..first + COUNTED_GLYPHS) && !has_all(b' '..b'z')
}

/// Returns the character of a name such as `uni20ac`. Those in capitals are recognised without
/// this.
fn hexadecimal(name: &str) -> Option<char> {
    let digits = name
        .strip_prefix("uni")
        .filter(|digits| digits.len() == 4)
        .or_else(|| name.strip_prefix('u').filter(|digits| digits.len() >= 4))?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    char::from_u32(number).filter(|c| !c.is_control())
}

/// Returns the text of a code in the fonts of TeX: ASCII, and ligatures below it.
fn tex_text(code: u8) -> Option<String> {
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
    code.is_ascii_graphic()
        .then(|| char::from(code).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names() {
        for (name, expected) in [
            ("a65", Some(("a", Some(65)))),
            ("g7", Some(("g", Some(7)))),
            ("65", Some(("", Some(65)))),
            ("cid_12", Some(("cid_", Some(12)))),
            ("A", None),
            ("", None),
            ("quarter12of", None),
        ] {
            let found = NumberedName::parse(name);
            let found = found.map(|found| (found.prefix, found.number(10)));
            assert_eq!(found, expected, "{name}");
        }
        assert_eq!(hexadecimal("uni20ac"), Some('€'));
        assert_eq!(hexadecimal("u1f600"), Some('😀'));
        assert_eq!(hexadecimal("union"), None);
    }
}
