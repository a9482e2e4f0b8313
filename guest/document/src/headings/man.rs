//! Headings of manual pages, in the macros man and mdoc of roff.

use crate::headings::heading::{Heading, one_line, with_headings};
use crate::limits::{MAN_HEAD_BYTES, SECTIONS, TITLE_BYTES};
use docent_text::lines::{with_ends, without_end};

/// Returns the headings of a manual page: `.SH` and `.SS` of man, `.Sh` and `.Ss` of mdoc.
///
/// ```text
/// .SH "SEE ALSO"
/// ```
pub fn man_headings(text: &str) -> Vec<Heading> {
    let text = with_headings(text);
    let mut headings = Vec::new();
    // The macro that ends a definition or ignored text.
    let mut end_macro: Option<&str> = None;
    // Level and start of a heading whose title is on the next line.
    let mut open: Option<(u8, usize)> = None;
    let mut start = 0;
    for line in with_ends(text) {
        let plain = without_end(line);
        let end = start + line.len();
        let (name, arguments) = request(plain).unwrap_or_default();
        if let Some(own) = end_macro {
            if name == own {
                end_macro = None;
            }
        } else if let Some((level, begin)) = open.take_if(|_| name.is_empty()) {
            let title = plain_title(plain);
            if !title.is_empty() {
                headings.push(Heading::new(level, &title, begin..end));
            } else if plain.starts_with(['.', '\'']) {
                // A comment between a macro and its text.
                open = Some((level, begin));
            }
        } else if let Some(level) = level(name) {
            let title = plain_title(&words(arguments));
            if !title.is_empty() {
                headings.push(Heading::new(level, &title, start..end));
            } else if name.ends_with(['H', 'S']) {
                open = Some((level, start));
            }
        } else {
            end_macro = match name {
                "de" | "de1" | "am" => Some(word_at(arguments, 1).unwrap_or(".")),
                "ig" => Some(word_at(arguments, 0).unwrap_or(".")),
                _ => None,
            };
            let is_font = matches!(name, "B" | "I" | "BR" | "IR" | "RB" | "SM");
            if let Some((level, begin)) = open.take_if(|_| is_font) {
                let title = plain_title(&words(arguments));
                headings.push(Heading::new(level, &title, begin..end));
            }
            // Another macro after `.SH` leaves it without a title.
            open = open.filter(|_| name.is_empty());
        }
        start = end;
    }
    headings.truncate(SECTIONS);
    headings
}

/// Returns the title of a manual page, `LS(1)`: name and section, by its `.TH` or `.Dt`.
pub fn man_title(text: &str) -> Option<String> {
    let head = &text[..text.floor_char_boundary(MAN_HEAD_BYTES)];
    let mut requests = with_ends(head).filter_map(|line| request(without_end(line)));
    let (_, arguments) = requests.find(|(name, _)| matches!(*name, "TH" | "Dt"))?;
    let arguments = arguments_of(arguments);
    let name = plain_title(arguments.first()?);
    let section = arguments.get(1).map(|section| plain_title(section));
    let title = match section.filter(|section| !section.is_empty()) {
        Some(section) => format!("{name}({section})"),
        None => name,
    };
    let title = one_line(&title);
    (!title.is_empty()).then_some(title)
}

/// Returns true if a text begins like a manual page: with a request or a comment of roff, and a
/// title or a heading near the beginning.
pub fn is_man(text: &str) -> bool {
    let head = &text[..text.floor_char_boundary(MAN_HEAD_BYTES)];
    let mut lines = with_ends(head).map(without_end);
    let first = lines.find(|line| !line.trim().is_empty());
    let is_roff = first.is_some_and(|line| line.starts_with(['.', '\'', '\\']));
    is_roff
        && with_ends(head)
            .filter_map(|line| request(without_end(line)))
            .any(|(name, _)| matches!(name, "TH" | "Dd" | "Dt" | "SH" | "Sh"))
}

/// Returns name and arguments of a line with a request or a macro; the name of a comment is empty.
fn request(line: &str) -> Option<(&str, &str)> {
    let rest = line
        .strip_prefix(['.', '\''])?
        .trim_start_matches([' ', '\t']);
    let end = rest.find([' ', '\t', '\\']).unwrap_or(rest.len());
    Some((&rest[..end], rest[end..].trim()))
}

fn level(name: &str) -> Option<u8> {
    match name {
        "SH" | "Sh" => Some(1),
        "SS" | "Ss" => Some(2),
        _ => None,
    }
}

fn word_at(arguments: &str, index: usize) -> Option<&str> {
    let word = arguments.split_whitespace().nth(index)?;
    (!word.starts_with('\\')).then_some(word)
}

/// Returns arguments with one blank between them.
fn words(arguments: &str) -> String {
    arguments_of(arguments).join(" ")
}

/// Splits arguments at blanks outside quotes. Two quotes within quotes are one.
fn arguments_of(line: &str) -> Vec<String> {
    let line = &line[..line.floor_char_boundary(TITLE_BYTES)];
    let mut all = Vec::new();
    let mut own = String::new();
    let (mut is_open, mut is_quoted) = (false, false);
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if is_quoted && characters.next_if_eq(&'"').is_some() => own.push('"'),
            '"' if is_quoted => is_quoted = false,
            '"' if !is_open => (is_open, is_quoted) = (true, true),
            // An escape is kept with its sign, so that `\ ` separates no arguments and the text
            // after `\"` is a comment.
            '\\' => {
                if characters.next_if_eq(&'"').is_some() {
                    break;
                }
                is_open = true;
                own.push('\\');
                own.extend(characters.next());
            }
            ' ' | '\t' if !is_quoted => {
                if is_open {
                    all.push(std::mem::take(&mut own));
                }
                is_open = false;
            }
            c => {
                is_open = true;
                own.push(c);
            }
        }
    }
    if is_open {
        all.push(own);
    }
    all
}

/// Returns a title without escapes: `\fBls\fP \- list` becomes `ls - list`.
fn plain_title(title: &str) -> String {
    let title = &title[..title.floor_char_boundary(TITLE_BYTES)];
    if title.starts_with(['.', '\'']) {
        return String::new();
    }
    let mut text = String::new();
    let mut rest = title;
    while let Some((before, escape)) = rest.split_once('\\') {
        text.push_str(before);
        let mut after = escape.chars();
        let sign = after.next();
        rest = after.as_str();
        match sign {
            Some('-') => text.push('-'),
            Some('e' | '\\') => text.push('\\'),
            Some(' ' | '~' | '0' | 't') => text.push(' '),
            Some('\'') => text.push('\''),
            Some('`') => text.push('`'),
            Some('.') => text.push('.'),
            Some('"' | '#') | None => return text.trim().to_owned(),
            Some('(') => text.push_str(special(take(&mut rest, 2))),
            Some('[') => text.push_str(&unicode_or_special(take_until(&mut rest, ']'))),
            Some('f' | '*' | 'F' | 'm' | 'M' | 'n' | 'k' | 'g') => {
                let name = name(&mut rest);
                if sign == Some('*') {
                    text.push_str(special(name));
                }
            }
            Some('s') => skip_size(&mut rest),
            Some('h' | 'v' | 'w' | 'N' | 'o' | 'z' | 'l' | 'L' | 'D' | 'X' | 'Y' | 'Z') => {
                if rest.starts_with('\'') {
                    rest = &rest[1..];
                    take_until(&mut rest, '\'');
                }
            }
            // `\&`, `\|`, `\^`, `\%`, `\:`, `\/`, `\,`, `\c` print nothing.
            Some(_) => {}
        }
    }
    text.push_str(rest);
    text.trim().to_owned()
}

/// Takes a name of one character, of two after `(`, or in brackets.
fn name<'t>(rest: &mut &'t str) -> &'t str {
    if let Some(after) = rest.strip_prefix('(') {
        *rest = after;
        return take(rest, 2);
    }
    if let Some(after) = rest.strip_prefix('[') {
        *rest = after;
        return take_until(rest, ']');
    }
    take(rest, 1)
}

/// Skips a size: `+1`, `-1`, `12`, `[+1]`, `(12`.
fn skip_size(rest: &mut &str) {
    if let Some(after) = rest.strip_prefix('[') {
        *rest = after;
        take_until(rest, ']');
        return;
    }
    *rest = rest.trim_start_matches(['+', '-']);
    let is_two = rest.starts_with(['(', '1', '2', '3']);
    *rest = rest.strip_prefix('(').unwrap_or(rest);
    for _ in 0..1 + usize::from(is_two) {
        *rest = rest
            .strip_prefix(|c: char| c.is_ascii_digit())
            .unwrap_or(rest);
    }
}

fn take<'t>(rest: &mut &'t str, count: usize) -> &'t str {
    let end = rest
        .char_indices()
        .nth(count)
        .map_or(rest.len(), |(end, _)| end);
    let (taken, after) = rest.split_at(end);
    *rest = after;
    taken
}

fn take_until<'t>(rest: &mut &'t str, end: char) -> &'t str {
    let (taken, after) = rest.split_once(end).unwrap_or((rest, ""));
    *rest = after;
    taken
}

/// Returns the character of an escape in brackets: `u00E9`, or a name.
fn unicode_or_special(name: &str) -> String {
    let code = name
        .strip_prefix('u')
        .filter(|digits| (4..=6).contains(&digits.len()));
    let code = code.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    match code.and_then(char::from_u32) {
        Some(c) => c.to_string(),
        None => special(name).to_owned(),
    }
}

/// Returns the characters of a name that titles use; of another name nothing.
fn special(name: &str) -> &'static str {
    match name {
        "em" => "—",
        "en" => "–",
        "hy" | "mi" => "-",
        "aq" | "cq" | "oq" => "'",
        "dq" | "lq" | "rq" | "L\"" | "R\"" => "\"",
        "co" => "©",
        "rg" | "R" => "®",
        "Tm" | "tm" => "™",
        "bu" => "•",
        "rs" => "\\",
        "ha" => "^",
        "ti" => "~",
        "ga" => "`",
        "at" => "@",
        "sh" => "#",
        "->" => "→",
        "<-" => "←",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headings::heading::levels_and_texts;

    fn all(text: &str) -> Vec<(u8, String)> {
        levels_and_texts(man_headings(text))
    }

    #[test]
    fn titles() {
        for (line, level, title) in [
            (".SH NAME", 1, "NAME"),
            (".SH \"SEE ALSO\"", 1, "SEE ALSO"),
            (".SH SEE  ALSO \\\" comment", 1, "SEE ALSO"),
            (".SS \\fB\\-\\-all\\fP \\(em 모두", 2, "--all — 모두"),
            (".Sh 이름", 1, "이름"),
            (".Ss \"The \"\"x\"\" option\"", 2, "The \"x\" option"),
            ("'SH A\\ B", 1, "A B"),
            (
                ". SH \\s-1POD\\s0 \\f(CWx\\fR \\*(lqy\\*(rq",
                1,
                "POD x \"y\"",
            ),
            (
                ".SH\n.\\\" comment\nON THE NEXT LINE",
                1,
                "ON THE NEXT LINE",
            ),
            (".SS\n.B bold words", 2, "bold words"),
            (".SH caf\\[u00E9] \\s+2big\\s0", 1, "café big"),
        ] {
            assert_eq!(all(line), [(level, title.to_owned())], "{line}");
        }
        for line in [
            ".SHx",
            "SH NAME",
            " .SH x",
            ".\\\" .SH x",
            ".SH\n.PP\ntext",
            ".Sh",
        ] {
            assert!(all(line).is_empty(), "{line} {:?}", all(line));
        }
    }

    #[test]
    fn not_within_definitions() {
        let text = ".de SX\n.SH no\n..\n.SH A\n.ig\n.SH no\n..\n.de Y End\n.SH no\n.End\n.SS B\n";
        let expected = [(1, "A"), (2, "B")];
        assert_eq!(all(text), expected.map(|(l, t)| (l, t.to_owned())));
    }

    #[test]
    fn pages_by_their_beginning() {
        for (text, expected) in [
            (".TH LS 1\n", true),
            (".\\\" comment\n.Dd 2025-01-02\n.Dt LS 1\n", true),
            ("'\\\" t\n.SH NAME\n", true),
            (".x\n.y\n", false),
            ("LS(1)\n\n.SH NAME\n", false),
            ("1.0\n", false),
            ("", false),
        ] {
            assert_eq!(is_man(text), expected, "{text}");
        }
        assert_eq!(
            man_title(".TH \"git\\-add\" \"1\" x\n").as_deref(),
            Some("git-add(1)")
        );
        assert_eq!(man_title(".Dd x\n.Dt LS 1\n").as_deref(), Some("LS(1)"));
        assert_eq!(man_title(".SH NAME\n"), None);
    }
}
