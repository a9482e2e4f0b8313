//! Front matter: the block of metadata at the beginning of a Markdown file.
//!
//! Only a title is wanted of it, so it is read line by line: what a YAML parser would refuse, such
//! as a title with a colon, is a title here.

pub mod field;
pub mod toml;
pub mod yaml;

use crate::limits::FRONT_MATTER_BYTES;
use docent_text::lines::{with_ends, without_end};

/// Returns the length in bytes of the front matter at the beginning of `text`, its fences
/// included; 0 where there is none.
///
/// It stands between two lines `---` (the second may be `...`) or `+++`, and no blank line follows
/// the first, which would be a thematic break.
pub fn length(text: &str) -> usize {
    let mut lines = with_ends(text);
    let Some(first) = lines.next() else { return 0 };
    let fences: &[&str] = match first.trim_end() {
        "---" => &["---", "..."],
        "+++" => &["+++"],
        _ => return 0,
    };
    let mut end = first.len();
    for (i, line) in lines.enumerate() {
        end += line.len();
        if end > FRONT_MATTER_BYTES || (i == 0 && line.trim().is_empty()) {
            return 0;
        }
        if fences.contains(&line.trim_end()) {
            return end;
        }
    }
    0
}

/// Returns the title, else the name, that `front_matter` gives, on one line; none where there is
/// neither or it is empty.
pub fn title(front_matter: &str) -> Option<String> {
    value(front_matter, "title").or_else(|| value(front_matter, "name"))
}

/// Returns the value of a key at the outermost level.
fn value(front_matter: &str, key: &str) -> Option<String> {
    let mut lines = with_ends(front_matter).map(without_end);
    while let Some(line) = lines.next() {
        let Some(rest) = line.strip_prefix(key) else {
            continue;
        };
        let Some(rest) = rest.trim_start().strip_prefix([':', '=']) else {
            continue;
        };
        let rest = rest.trim();
        let text = if let Some(quoted) = rest.strip_prefix('"') {
            double_quoted(quoted)
        } else if let Some(quoted) = rest.strip_prefix('\'') {
            single_quoted(quoted)
        } else if rest.starts_with(['|', '>']) {
            block(lines)
        } else if rest.starts_with(['[', '{', '&', '*']) {
            return None;
        } else {
            rest.split(" #").next().unwrap_or(rest).to_owned()
        };
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        return (!text.is_empty() && !text.starts_with('#')).then_some(text);
    }
    None
}

fn double_quoted(quoted: &str) -> String {
    let mut text = String::new();
    let mut characters = quoted.chars();
    while let Some(c) = characters.next() {
        match c {
            '"' => break,
            '\\' => match characters.next() {
                Some('n' | 't' | 'r') => text.push(' '),
                Some('u') => {
                    let digits: String = characters.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&digits, 16).ok();
                    text.push(
                        code.and_then(char::from_u32)
                            .unwrap_or(char::REPLACEMENT_CHARACTER),
                    );
                }
                Some(escaped) => text.push(escaped),
                None => break,
            },
            c => text.push(c),
        }
    }
    text
}

fn single_quoted(quoted: &str) -> String {
    let mut text = String::new();
    let mut characters = quoted.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\'' if characters.next_if_eq(&'\'').is_none() => break,
            c => text.push(c),
        }
    }
    text
}

/// Returns the indented lines that follow, joined.
fn block<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let inside = lines.take_while(|line| line.starts_with([' ', '\t']) || line.is_empty());
    inside.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! titles {
        ($($name:ident: $text:expr => $title:expr;)*) => {$(
            #[test]
            fn $name() {
                assert_eq!(title($text).as_deref(), $title);
            }
        )*};
    }

    titles! {
        plain: "---\ntitle: Getting Started\n---\n" => Some("Getting Started");
        colon: "title: Foo: bar" => Some("Foo: bar");
        double_quotes: "title: \"A \\\"b\\\" \\u00e9\" # c" => Some("A \"b\" é");
        single_quotes: "title: 'It''s'" => Some("It's");
        comment: "title: A # b" => Some("A");
        sharp: "title: C# in depth" => Some("C# in depth");
        name: "name: my-skill\ndescription: x" => Some("my-skill");
        title_before_name: "name: a\ntitle: b" => Some("b");
        block: "title: >\n  Two\n  lines\nname: x" => Some("Two lines");
        toml: "+++\ntitle = \"T\"\n+++" => Some("T");
        nested: "author:\n  title: Dr\n" => None;
        empty: "title:\nname:" => None;
        list: "title: [a, b]" => None;
        other_key: "titles: x" => None;
        crlf: "---\r\ntitle: A\r\n---\r\n" => Some("A");
    }

    #[test]
    fn where_it_ends() {
        for (text, expected) in [
            ("---\na: b\n---\nx", 13),
            ("---\na: b\n...\nx", 13),
            ("---\r\na: b\r\n---\r\nx", 16),
            ("---\na: b\n---", 12),
            ("+++\na = 1\n+++\n", 14),
            ("---  \na: b\n--- \nx", 16),
            ("---\n\na\n---\n", 0),
            ("---\na: b\n", 0),
            ("x\n---\na\n---\n", 0),
            (" ---\na\n---\n", 0),
            ("----\na\n---\n", 0),
            ("---\n---\n", 8),
            ("", 0),
        ] {
            assert_eq!(length(text), expected, "{text:?}");
        }
        let long = format!("---\n{}---\n", "a: b\n".repeat(20_000));
        assert_eq!(length(&long), 0);
    }
}
