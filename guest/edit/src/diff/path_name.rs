//! File names in diffs, quoted as git does (`core.quotePath` in git-config(1)):
//!
//! ```text
//! a b.md                   blanks are not quoted
//! "a\tb\"c.md"             a tab and a quote
//! "\355\225\234.md"        한.md, with `core.quotePath`, the default of git
//! ```
//!
//! Both forms of a name beyond ASCII are read. The plain one is written, which git reads as well.

use std::fmt::Write as _;

/// Returns a name as written in a diff: quoted if it contains a quote, a backslash or a control
/// character.
pub fn quote(name: &str) -> String {
    let is_odd = |c: char| c.is_control() || matches!(c, '"' | '\\');
    if !name.contains(is_odd) {
        return name.to_owned();
    }
    let mut out = String::from("\"");
    for c in name.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    // Writing to a string cannot fail.
                    let _ = write!(out, "\\{byte:03o}");
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Parses the name at the beginning of `text`, and returns it with the rest. `None` if a quote is
/// not closed or the name is not UTF-8.
pub fn unquote(text: &str) -> Option<(String, &str)> {
    let Some(inside) = text.strip_prefix('"') else {
        let end = text.find('\t').unwrap_or(text.len());
        return Some((text[..end].to_owned(), &text[end..]));
    };
    let bytes = inside.as_bytes();
    let mut name = Vec::new();
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'"' => break,
            b'\\' => {
                let (byte, length) = escape(bytes.get(at + 1..)?)?;
                name.push(byte);
                at += 1 + length;
            }
            byte => {
                name.push(*byte);
                at += 1;
            }
        }
    }
    Some((String::from_utf8(name).ok()?, &inside[at + 1..]))
}

/// Returns the byte of an escape, and the length of the escape after the backslash.
fn escape(text: &[u8]) -> Option<(u8, usize)> {
    let byte = match text.first()? {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        b'"' => b'"',
        b'\\' => b'\\',
        b'0'..=b'3' => {
            let digits = text.get(..3)?;
            let value = digits.iter().try_fold(0u8, |value, digit| match digit {
                b'0'..=b'7' => Some((value << 3) | (digit - b'0')),
                _ => None,
            })?;
            return Some((value, 3));
        }
        _ => return None,
    };
    Some((byte, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names() {
        for (name, expected) in [
            ("a b.md", "a b.md"),
            ("한글.md", "한글.md"),
            ("a\"b", "\"a\\\"b\""),
            ("a\tb\n", "\"a\\tb\\n\""),
            ("a\u{1}\u{85}\\", "\"a\\001\\302\\205\\\\\""),
        ] {
            assert_eq!(quote(name), expected);
            assert_eq!(unquote(expected), Some((name.to_owned(), "")));
        }
        let korean = ("한".to_owned(), " b/x");
        assert_eq!(unquote("\"\\355\\225\\234\" b/x"), Some(korean));
        assert_eq!(unquote("a b\t2020"), Some(("a b".to_owned(), "\t2020")));
        for broken in ["\"a", "\"\\x\"", "\"\\377\"", "\"\\4", "\""] {
            assert_eq!(unquote(broken), None, "{broken}");
        }
    }
}
