//! YAML front matter. Input that a strict parser rejects, such as a title with a colon, is read
//! line by line:
//!
//! ```text
//! title: Setup: first steps
//! tags: [guide, install]
//! date: 2025-12-15
//! ```

use saphyr::{LoadableYamlNode as _, Scalar, Yaml};

use crate::front_matter::field::{Field, Fields};
use docent_text::lines::{with_ends, without_end};

/// Reads the top-level fields, or returns `None` if the text cannot be parsed.
pub fn read_yaml(text: &str) -> Option<Fields> {
    match Yaml::load_from_str(text) {
        Ok(documents) => match documents.first() {
            Some(Yaml::Mapping(mapping)) => Some(
                mapping
                    .iter()
                    .filter_map(|(key, value)| Some((scalar(key)?, field(value)?)))
                    .collect(),
            ),
            Some(other) if !is_null(other) => None,
            // Empty front matter, or only comments, is valid and has no fields.
            _ => Some(Fields::new()),
        },
        // A text that YAML rejects is read line by line. `title: Foo: bar` is common and invalid,
        // because a plain scalar must not contain `: ` (YAML 1.2.2, section 7.3.3). A strict reader
        // would lose the tags and dates of the document for a colon in its title.
        Err(_) => read_lines(text),
    }
}

/// Returns true if an unquote value means null.
pub fn is_null_word(value: &str) -> bool {
    matches!(value, "~" | "null" | "Null" | "NULL")
}

fn is_null(value: &Yaml<'_>) -> bool {
    matches!(value, Yaml::Value(Scalar::Null))
}

fn scalar(value: &Yaml<'_>) -> Option<String> {
    match value {
        Yaml::Value(Scalar::String(text)) => Some(text.as_ref().to_owned()),
        // A value that YAML reads as a number or a boolean is meant as text here: `tags: [2024,
        // on-call, true]` is a list of three tags. A number keeps its value and not its spelling,
        // so that `1.10` is `1.1`; in quotes it is kept as written.
        Yaml::Value(Scalar::Integer(number)) => Some(number.to_string()),
        Yaml::Value(Scalar::FloatingPoint(number)) => Some(number.to_string()),
        Yaml::Value(Scalar::Boolean(value)) => Some(value.to_string()),
        _ => None,
    }
}

fn field(value: &Yaml<'_>) -> Option<Field> {
    match value {
        Yaml::Sequence(items) => Some(Field::List(items.iter().filter_map(scalar).collect())),
        value => scalar(value).map(Field::Text),
    }
}

/// Reads `key: value` lines and lists, on one line or one item per line, and skips other indented
/// lines. Returns `None` if any other line occurs, or if a bracket or quote is not closed.
fn read_lines(text: &str) -> Option<Fields> {
    let mut fields = Fields::new();
    for line in with_ends(text).map(without_end) {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if let Some(item) = trimmed.strip_prefix("- ") {
            let (_, field) = fields.last_mut()?;
            let item = unquote(item.trim())?;
            match field {
                Field::List(list) => list.push(item),
                Field::Text(text) if text.is_empty() => *field = Field::List(vec![item]),
                Field::Text(_) => return None,
            }
            continue;
        }
        if line.starts_with([' ', '\t']) {
            fields.last()?;
            continue;
        }
        let (key, value) = line.split_once(':')?;
        let key = match key.chars().next() {
            Some('"' | '\'') => unquote(key.trim_end())?,
            _ => key.trim_end().to_owned(),
        };
        // Keys such as `"quoted: colon": x`, `[a]: x` and `# remark: x` are split at the wrong
        // colon or are not keys at all. The text is refused, because fields that are read wrongly
        // are worse than a report of broken front matter.
        let is_key = !key.is_empty() && !key.contains(['"', '\'', '[', '{', '#', '&', '*']);
        if !is_key || !(value.is_empty() || value.starts_with([' ', '\t'])) {
            return None;
        }
        let value = value.split(" #").next().unwrap_or(value).trim();
        let field = match value.strip_prefix('[') {
            Some(inside) => Field::List(list(inside.strip_suffix(']')?)?),
            None if is_null_word(value) => Field::Text(String::new()),
            None => Field::Text(unquote(value)?),
        };
        fields.push((key, field));
    }
    Some(fields)
}

/// Returns the items between the brackets of a list, or `None` if a quote is not closed.
pub fn list(inside: &str) -> Option<Vec<String>> {
    let mut items = Vec::new();
    let mut rest = inside.trim();
    while !rest.is_empty() {
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let length = match quote {
            Some(quote) => rest[1..].find(quote)? + 2,
            None => rest.find(',').unwrap_or(rest.len()),
        };
        let item = unquote(rest[..length].trim())?;
        if !item.is_empty() {
            items.push(item);
        }
        let after = rest[length..].trim_start();
        rest = match after.strip_prefix(',') {
            Some(after) => after.trim_start(),
            None if after.is_empty() => after,
            None => return None,
        };
    }
    Some(items)
}

/// Strips the quotes of a scalar. Returns `None` if a quote is not closed, or if the value is not a
/// scalar.
pub fn unquote(value: &str) -> Option<String> {
    for quote in ['"', '\''] {
        if let Some(inside) = value.strip_prefix(quote) {
            return inside.strip_suffix(quote).map(str::to_owned);
        }
    }
    (!value.starts_with(['[', '{', '&', '*', '!', '|', '>', '%', '@', '`']))
        .then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(key: &str, value: &str) -> (String, Field) {
        (key.to_owned(), Field::Text(value.to_owned()))
    }

    #[test]
    fn a_title_with_a_colon() {
        let expected = [text("title", "Foo: bar"), text("date", "2025-01-02")];
        assert_eq!(
            read_yaml("title: Foo: bar\ndate: 2025-01-02\n").as_deref(),
            Some(&expected[..])
        );
        let with_list =
            read_yaml("title: a: b\ntags:\n  - x\n- 'y z'\nmore: [p, \"q, r\"] # remark\n");
        let list = |items: &[&str]| Field::List(items.iter().map(|&i| i.to_owned()).collect());
        let expected = [
            text("title", "a: b"),
            ("tags".to_owned(), list(&["x", "y z"])),
            ("more".to_owned(), list(&["p", "q, r"])),
        ];
        assert_eq!(with_list.as_deref(), Some(&expected[..]));
        let expected = [text("title", "a: b"), text("tags", ""), text("name", "x")];
        assert_eq!(
            read_yaml("'title': a: b\ntags: ~\n\"name\": x\n").as_deref(),
            Some(&expected[..])
        );
    }

    #[test]
    fn broken_yaml() {
        for broken in [
            "title: a: b\nno key\n",
            "tags: [a\n",
            "x: 'y\n",
            "- a: b: c\n",
            "just text",
        ] {
            assert_eq!(read_yaml(broken), None, "{broken}");
        }
        assert_eq!(read_yaml("").as_deref(), Some(&[][..]));
    }

    #[test]
    fn an_alias_bomb_is_harmless() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for i in 1..30 {
            let before = format!("*a{}", i - 1);
            bomb.push_str(&format!(
                "a{i}: &a{i} [{}]\n",
                [before.as_str(); 9].join(", ")
            ));
        }
        assert_eq!(read_yaml(&bomb), None);
        let deep = format!("a: {}{}\n", "[".repeat(20_000), "]".repeat(20_000));
        read_yaml(&deep);
    }
}
