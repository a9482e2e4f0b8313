//! Escapes of the form `_xHHHH_` in strings of workbooks, for characters that XML cannot contain: a
//! carriage return, for example, and the `_` of a text that merely looks like an escape.

use std::borrow::Cow;

/// Length of an escape in bytes.
const LENGTH: usize = "_xHHHH_".len();

/// Decodes the escapes of a string. Two surrogates become one character, a single one U+FFFD. A
/// carriage return ends a line, with or without a following line feed.
pub fn unescape(text: &str) -> Cow<'_, str> {
    let Some(first) = (0..text.len()).find(|&at| escaped_unit(text, at).is_some()) else {
        return text.into();
    };
    let mut all = String::with_capacity(text.len());
    all.push_str(&text[..first]);
    let mut rest = &text[first..];
    while let Some(c) = rest.chars().next() {
        let Some(unit) = escaped_unit(rest, 0) else {
            all.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        rest = &rest[LENGTH..];
        let units = [Some(unit), escaped_unit(rest, 0)].into_iter().flatten();
        match char::decode_utf16(units).next() {
            Some(Ok(c)) => {
                if c.len_utf16() == 2 {
                    rest = &rest[LENGTH..];
                }
                all.push(c);
            }
            _ => all.push(char::REPLACEMENT_CHARACTER),
        }
    }
    if all.contains('\r') {
        all = all.replace("\r\n", "\n").replace('\r', "\n");
    }
    all.into()
}

/// Returns the UTF-16 unit escaped at a position of `text`.
fn escaped_unit(text: &str, at: usize) -> Option<u16> {
    let escape = text.as_bytes().get(at..at + LENGTH)?;
    let digits = escape.strip_prefix(b"_x")?.strip_suffix(b"_")?;
    let value = |digit: &u8| char::from(*digit).to_digit(16);
    let unit = digits
        .iter()
        .map(value)
        .try_fold(0, |all, digit| Some(all * 16 + digit?))?;
    u16::try_from(unit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        for (text, expected) in [
            ("", ""),
            ("_x_xAC00", "_x_xAC00"),
            ("a_x0009_b", "a\tb"),
            ("_xAC00__xac01_", "가각"),
            (
                "one_x000D_two_x000d__x000A_three_x000D_\nfour",
                "one\ntwo\nthree\nfour",
            ),
            ("_x005F_x000D_", "_x000D_"),
            ("_x005F_x005F_x000D_", "_x005F\n"),
            ("__x005F_", "__"),
            ("_xD83D__xDE00_!", "😀!"),
            ("_xD83D_x", "\u{FFFD}x"),
            ("_xDE00__xD83D_", "\u{FFFD}\u{FFFD}"),
            ("_xD83D__x0041_", "\u{FFFD}A"),
            (
                "_X0041_ _x041_ _x00G1_ _x0041",
                "_X0041_ _x041_ _x00G1_ _x0041",
            ),
            ("한_x0041_글", "한A글"),
        ] {
            assert_eq!(unescape(text), expected, "{text}");
        }
    }
}
