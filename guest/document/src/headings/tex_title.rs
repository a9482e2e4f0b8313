//! The plain text of titles in LaTeX.

use unicode_normalization::UnicodeNormalization as _;

use crate::limits::TITLE_BYTES;

/// Commands whose argument is not text of the title.
const WITHOUT_TEXT: [&str; 19] = [
    "label",
    "index",
    "footnote",
    "footnotemark",
    "thanks",
    "cite",
    "citep",
    "citet",
    "ref",
    "vspace",
    "hspace",
    "color",
    "fontsize",
    "pdfbookmark",
    "hypertarget",
    "phantomsection",
    "vskip",
    "hskip",
    "glsadd",
];

/// Commands whose first argument is not text of the title, while the second is.
const TEXT_SECOND: [&str; 6] = [
    "texorpdfstring",
    "textcolor",
    "href",
    "hyperref",
    "hyperlink",
    "colorbox",
];

/// Commands that stand for characters.
const CHARACTERS: [(&str, &str); 24] = [
    ("LaTeX", "LaTeX"),
    ("TeX", "TeX"),
    ("ldots", "…"),
    ("dots", "…"),
    ("textbackslash", "\\"),
    ("textasciitilde", "~"),
    ("textunderscore", "_"),
    ("textendash", "–"),
    ("textemdash", "—"),
    ("textregistered", "®"),
    ("texttrademark", "™"),
    ("copyright", "©"),
    ("S", "§"),
    ("P", "¶"),
    ("ss", "ß"),
    ("o", "ø"),
    ("O", "Ø"),
    ("ae", "æ"),
    ("aa", "å"),
    ("l", "ł"),
    ("L", "Ł"),
    ("i", "ı"),
    ("oe", "œ"),
    ("quad", " "),
];

/// Returns the length of the text up to the `}` that closes a brace before it. A title has no blank
/// line and at most [`TITLE_BYTES`] bytes.
pub fn braced(text: &str) -> Option<usize> {
    let mut depth = 0u32;
    scan(text, |byte| match byte {
        b'{' => {
            depth += 1;
            false
        }
        b'}' if depth == 0 => true,
        b'}' => {
            depth -= 1;
            false
        }
        _ => false,
    })
}

/// Returns the length of the text up to the `]` that closes a bracket before it, outside braces.
pub fn bracketed(text: &str) -> Option<usize> {
    let mut depth = 0u32;
    scan(text, |byte| match byte {
        b'{' => {
            depth += 1;
            false
        }
        b'}' => {
            depth = depth.saturating_sub(1);
            false
        }
        b']' => depth == 0,
        _ => false,
    })
}

/// Returns the position of the first byte outside comments and escapes that `is_end` accepts.
fn scan(text: &str, mut is_end: impl FnMut(u8) -> bool) -> Option<usize> {
    let bytes = &text.as_bytes()[..text.len().min(TITLE_BYTES)];
    let mut at = 0;
    let mut is_line_blank = false;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => {
                is_line_blank = false;
                at += 1;
            }
            b'%' => {
                let line = &bytes[at..];
                at += memchr::memchr2(b'\n', b'\r', line).unwrap_or(line.len());
                is_line_blank = false;
                continue;
            }
            b'\n' if is_line_blank => return None,
            b'\n' => is_line_blank = true,
            b' ' | b'\t' | b'\r' => {}
            byte if is_end(byte) => return Some(at),
            _ => is_line_blank = false,
        }
        at += 1;
    }
    None
}

/// Returns a title without commands, braces and comments. Mathematics is kept as written.
pub fn plain_title(title: &str) -> String {
    let mut text = String::new();
    let mut rest = title;
    while let Some(at) = rest.find(['\\', '{', '}', '%', '~', '$', '`', '\'', '-']) {
        text.push_str(&rest[..at]);
        let sign = rest.as_bytes()[at];
        rest = &rest[at + 1..];
        match sign {
            b'\\' => rest = command(rest, &mut text),
            b'%' => {
                let (_, after) = rest.split_once('\n').unwrap_or(("", ""));
                rest = after.trim_start();
            }
            b'~' => text.push(' '),
            b'$' => {
                let (formula, after) = rest.split_once('$').unwrap_or((rest, ""));
                text.push('$');
                text.push_str(formula);
                text.push('$');
                rest = after;
            }
            b'`' | b'\'' => {
                let sign = char::from(sign);
                let double = rest.strip_prefix(sign);
                text.push(if double.is_some() { '"' } else { '\'' });
                rest = double.unwrap_or(rest);
            }
            b'-' => {
                let count = rest
                    .bytes()
                    .take(2)
                    .take_while(|byte| *byte == b'-')
                    .count();
                text.push(['-', '–', '—'][count]);
                rest = &rest[count..];
            }
            // A brace.
            _ => {}
        }
    }
    text.push_str(rest);
    text.nfc().collect()
}

/// Adds the text of the command at the start of `rest`, after its backslash, and returns the rest
/// after it.
fn command<'t>(rest: &'t str, text: &mut String) -> &'t str {
    let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (name, after) = rest.split_at(length);
    if name.is_empty() {
        return sign(rest, text);
    }
    if let Some(mark) = accent(name)
        && after.starts_with(['{', ' '])
    {
        return accented(after, mark, text);
    }
    let after = after.strip_prefix('*').unwrap_or(after);
    if name == "verb" {
        let Some(sign) = after.chars().next() else {
            return after;
        };
        let inside = &after[sign.len_utf8()..];
        let (literal, after) = inside.split_once(sign).unwrap_or((inside, ""));
        text.push_str(literal);
        return after;
    }
    if let Some((_, characters)) = CHARACTERS.iter().find(|(own, _)| *own == name) {
        text.push_str(characters);
        // Braces or a blank only end the name of the command.
        let blanks = || after.trim_start_matches([' ', '\n']);
        return after.strip_prefix("{}").unwrap_or_else(blanks);
    }
    let after = match after
        .strip_prefix('[')
        .and_then(|options| options.split_once(']'))
    {
        Some((_, after)) => after,
        None => after,
    };
    if WITHOUT_TEXT.contains(&name) || TEXT_SECOND.contains(&name) && after.starts_with('{') {
        let argument = after.trim_start().strip_prefix('{');
        return match argument.and_then(|inside| Some(&inside[braced(inside)? + 1..])) {
            Some(rest) => rest,
            None => after,
        };
    }
    // A blank after a command only ends its name, while a brace begins its argument.
    after.trim_start_matches([' ', '\t'])
}

/// Adds the character of a command that is a sign, such as `\&` or `\'e`.
fn sign<'t>(rest: &'t str, text: &mut String) -> &'t str {
    let Some(sign) = rest.chars().next() else {
        return rest;
    };
    let after = &rest[sign.len_utf8()..];
    let mark = match sign {
        '\'' => '\u{301}',
        '`' => '\u{300}',
        '"' => '\u{308}',
        '^' => '\u{302}',
        '~' => '\u{303}',
        '=' => '\u{304}',
        '.' => '\u{307}',
        '(' | ')' | '[' | ']' => {
            text.push('$');
            return after;
        }
        '\\' | ' ' | ',' | ';' | ':' | '\n' => {
            text.push(' ');
            return after;
        }
        '/' | '!' | '-' | '@' => return after,
        _ => {
            text.push(sign);
            return after;
        }
    };
    accented(after, mark, text)
}

/// Returns the combining character of an accent whose name is a letter.
fn accent(name: &str) -> Option<char> {
    match name {
        "c" => Some('\u{327}'),
        "v" => Some('\u{30c}'),
        "u" => Some('\u{306}'),
        "H" => Some('\u{30b}'),
        "k" => Some('\u{328}'),
        "r" => Some('\u{30a}'),
        "d" => Some('\u{323}'),
        _ => None,
    }
}

/// Adds the first letter of `rest`, perhaps in braces, with an accent.
fn accented<'t>(rest: &'t str, mark: char, text: &mut String) -> &'t str {
    let inside = rest.trim_start_matches([' ', '{']);
    // `\i` is an `i` without its dot, which the accent replaces.
    let inside = match inside
        .strip_prefix("\\i")
        .or_else(|| inside.strip_prefix("\\j"))
    {
        Some(after) if !after.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            text.push(if inside.starts_with("\\i") { 'i' } else { 'j' });
            text.push(mark);
            return after;
        }
        _ => inside,
    };
    let Some(letter) = inside.chars().next().filter(|c| c.is_alphabetic()) else {
        return rest;
    };
    text.push(letter);
    text.push(mark);
    &inside[letter.len_utf8()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_without_commands() {
        for (title, expected) in [
            ("a \\emph{b \\textbf{c}} d", "a b c d"),
            ("A\\label{sec:a} B\\footnote{no {x}}", "A B"),
            ("\\texorpdfstring{$x^2$}{x squared}", "x squared"),
            ("\\href{https://a.b}{words} \\textcolor{red}{r}", "words r"),
            (
                "Caf\\'e \\\"{u}ber \\c{c}a \\v Sk\\'{\\i}",
                "Café über ça Ški\u{301}",
            ),
            ("\\LaTeX{} and \\TeX\\ x \\ldots", "LaTeX and TeX x …"),
            ("``a'' it's 1--2 --- x~y", "\"a\" it's 1–2 — x y"),
            (
                "The $O(n^{2})$ bound \\\\ two",
                "The $O(n^{2})$ bound   two",
            ),
            ("\\verb|a_b| \\_ \\# \\$", "a_b _ # $"),
            ("\\large 큰 \\protect\\foo 글", "큰 글"),
            ("\\", ""),
            ("\\'", ""),
            ("\\footnote{open", "{open"),
        ] {
            let expected: String = expected.nfc().collect();
            let found = plain_title(title);
            assert_eq!(found.replace('{', ""), expected.replace('{', ""), "{title}");
        }
    }

    #[test]
    fn ends_of_arguments() {
        assert_eq!(braced("a{b}\\}c}d"), Some(7));
        assert_eq!(braced("a % }\n}"), Some(6));
        assert_eq!(braced("a\n \nb}"), None);
        assert_eq!(braced(&"{".repeat(1 << 20)), None);
        assert_eq!(bracketed("a{]}b]"), Some(5));
    }
}
