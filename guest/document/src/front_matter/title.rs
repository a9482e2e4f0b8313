//! The title in front matter, read line by line: a title that a YAML parser would reject, such as
//! one with a colon, is accepted.
//!
//! A listing reads the titles of a whole tree and no other fields. A JSON object is not line-based
//! and is parsed.

use crate::front_matter::field::Field;
use crate::front_matter::json::read_json;
use crate::front_matter::yaml::is_null_word;
use docent_text::lines::{with_ends, without_end};

/// Returns the `title`, else the `name`, in `front_matter`, on one line, or `None` if both are
/// missing or empty.
pub fn title(front_matter: &str) -> Option<String> {
    if front_matter.starts_with('{') {
        return json_title(front_matter);
    }
    value(front_matter, "title").or_else(|| value(front_matter, "name"))
}

fn json_title(front_matter: &str) -> Option<String> {
    let fields = read_json(front_matter)?.fields?;
    ["title", "name"].iter().find_map(|name| {
        let value = fields.iter().find_map(|(key, field)| match field {
            Field::Text(text) if key == name => Some(on_one_line(text)),
            _ => None,
        });
        value.filter(|text| !text.is_empty())
    })
}

/// Returns the value of a top-level key.
fn value(front_matter: &str, key: &str) -> Option<String> {
    let mut lines = with_ends(front_matter).map(without_end);
    while let Some(line) = lines.next() {
        let Some(rest) = value_after_key(line, key) else {
            continue;
        };
        // The key must end here: `titles: x` and `title page: x` have other keys. Both `:` of YAML
        // and `=` of TOML are accepted.
        let Some(rest) = rest.trim_start().strip_prefix([':', '=']) else {
            continue;
        };
        let rest = rest.trim();
        let text = if let Some(quoted) = rest.strip_prefix('"') {
            unquote_double(quoted)
        } else if let Some(quoted) = rest.strip_prefix('\'') {
            unquote_single(quoted)
        } else if rest.starts_with(['|', '>']) {
            block(lines)
        } else if rest.starts_with(['[', '{', '&', '*']) {
            // A list, a mapping, an anchor or an alias is not a title.
            return None;
        } else {
            // A `#` begins a comment only after a blank, as in YAML: `title: A # remark` has the
            // title `A`, and `title: C# in depth` is kept whole.
            let text = rest.split(" #").next().unwrap_or(rest).trim_end();
            if is_null_word(text) { "" } else { text }.to_owned()
        };
        let text = on_one_line(&text);
        // `title: # remark` has a comment and no value.
        return (!text.is_empty() && !text.starts_with('#')).then_some(text);
    }
    None
}

/// Returns the rest of a line after this key, which may be quoted, or `None` if the line has
/// another key.
fn value_after_key<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    ["", "'", "\""].iter().find_map(|quote| {
        let inside = line.strip_prefix(quote)?;
        inside.strip_prefix(key)?.strip_prefix(quote)
    })
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn unquote_double(quoted: &str) -> String {
    let mut text = String::new();
    let mut characters = quoted.chars();
    while let Some(c) = characters.next() {
        match c {
            '"' => break,
            '\\' => match characters.next() {
                // A title is one line, so that an escaped line break becomes a blank.
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

fn unquote_single(quoted: &str) -> String {
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

/// Joins the indented lines that follow.
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
        null: "title: null\nname: x" => Some("x");
        tilde: "title: ~ # none yet\n" => None;
        null_in_quotes: "title: \"null\"" => Some("null");
        null_as_a_word: "title: null and void" => Some("null and void");
        quoted_key: "'title': A" => Some("A");
        key_in_double_quotes: "\"title\" : 'A'" => Some("A");
        half_quoted_key: "'title: A" => None;
        json: "{\"name\": \"n\", \"title\": \"Two\\nlines\"}\n" => Some("Two lines");
        json_name: "{\"title\": null, \"name\": \"n\"}" => Some("n");
        json_of_other_fields: "{\"tags\": [\"title\"]}" => None;
    }
}
