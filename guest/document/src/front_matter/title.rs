//! The title that front matter gives, read line by line: what a YAML parser would refuse, such as a
//! title with a colon, is a title here.
//!
//! A listing reads the titles of a whole tree, and wants nothing else of front matter.

use docent_text::lines::{with_ends, without_end};

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
        // `titles: x` is another key.
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
            // A list, a mapping, an anchor, an alias: no title.
            return None;
        } else {
            // `title: A # remark`, but `title: C# in depth`
            rest.split(" #").next().unwrap_or(rest).to_owned()
        };
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        // `title: # remark` gives none.
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
                // A title is one line.
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
}
