//! Detection of two kinds of damage to a whole text: line numbers copied from a reader's output,
//! and escapes intended for a string literal. The result serves to explain a refusal, and is never
//! applied: `\n` and `\"` are correct in patterns, in TeX and in JSON, which unescaping would
//! corrupt.

use crate::near_miss::Damage;

/// Returns the texts that this one may have been before it was damaged.
pub fn without_damage(text: &str) -> Vec<(Damage, String)> {
    let numbers = without_numbers(text).map(|text| (Damage::LineNumbers, text));
    let escapes = without_escapes(text).map(|text| (Damage::Escapes, text));
    numbers.into_iter().chain(escapes).collect()
}

/// Removes line numbers that ascend by one, or returns `None` if there are none. A blank line
/// counts as numbered even without a number, since a reader may print none there. Numbers that do
/// not ascend by one, as in `1: a` and `3: b`, are part of the text.
fn without_numbers(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut expected = None;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() && expected.is_some() {
            out.push_str(line);
            expected = expected.map(|number: u64| number + 1);
            continue;
        }
        let (number, rest) = split_number(line)?;
        if expected.is_some_and(|expected| number != expected) {
            return None;
        }
        expected = Some(number.checked_add(1)?);
        out.push_str(rest);
    }
    expected.map(|_| out)
}

/// Splits a line into its number and the rest: `42| a`, `42: a`, `42→a`, or `42` and a tab.
fn split_number(line: &str) -> Option<(u64, &str)> {
    let text = line.trim_start_matches(' ');
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = text[..text.len() - rest.len()].parse().ok()?;
    let mark = rest.trim_start_matches(' ');
    let behind = mark.strip_prefix(['|', ':', '→', '\t', '│'])?;
    let is_tab = mark.starts_with(['\t', '→']);
    Some((
        number,
        if is_tab {
            behind
        } else {
            behind.strip_prefix(' ').unwrap_or(behind)
        },
    ))
}

fn without_escapes(text: &str) -> Option<String> {
    let is_escaped = ["\\n", "\\t", "\\\"", "\\'", "\\r"]
        .iter()
        .any(|escape| text.contains(escape));
    if !is_escaped {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let plain = match (c, chars.as_str().chars().next()) {
            ('\\', Some('n')) => '\n',
            ('\\', Some('t')) => '\t',
            ('\\', Some('r')) => '\r',
            ('\\', Some(quote @ ('"' | '\'' | '\\'))) => quote,
            _ => {
                out.push(c);
                continue;
            }
        };
        out.push(plain);
        chars.next();
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant() {
        for (text, expected) in [
            ("40| a\n41| \n42|   b", Some("a\n\n  b")),
            ("  9→a\n 10→\tb\n", Some("a\n\tb\n")),
            ("9\ta\n10\tb", Some("a\nb")),
            ("1: a\n3: b", None),
            ("12 a", None),
            ("a\\n\\tb \\\"c\\\"", Some("a\n\tb \"c\"")),
            ("a\nb", None),
        ] {
            let found = without_damage(text)
                .into_iter()
                .next()
                .map(|(_, text)| text);
            assert_eq!(found.as_deref(), expected, "{text:?}");
        }
    }
}
