//! TOML front matter: the assignments before the first table, of strings, lists of strings, numbers
//! and dates.
//!
//! ```text
//! +++
//! title = "Setup"
//! tags = ["guide", "install"]
//! date = 2025-12-15
//! +++
//! ```

use crate::front_matter::field::{Field, Fields};
use crate::front_matter::yaml::{list, unquote};
use docent_text::lines::{with_ends, without_end};

/// Reads the top-level fields, or returns `None` if the text cannot be parsed.
pub fn read_toml(text: &str) -> Option<Fields> {
    let mut fields = Fields::new();
    let mut lines = with_ends(text).map(|line| without_end(line).trim());
    while let Some(line) = lines.next() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // A table ends the top level: keys after `[extra]`, which Zola uses for fields of themes,
        // would otherwise count as fields of the document, and a `title` in it could replace the
        // real one.
        if line.starts_with('[') {
            break;
        }
        let (key, value) = line.split_once('=')?;
        let mut value = without_comment(value.trim()).to_owned();
        // A list may span several lines. The comment of each line is removed on its own, because no
        // string of a list spans lines; on the joined line, the first `#` would remove all the
        // rest.
        if value.starts_with('[') {
            while !value.ends_with(']') {
                value.push(' ');
                value.push_str(without_comment(lines.next()?));
            }
        }
        let field = match value.strip_prefix('[') {
            Some(inside) => Field::List(list(inside.strip_suffix(']')?)?),
            None if value.is_empty() => return None,
            None => Field::Text(unquote(&value)?),
        };
        fields.push((key.trim().trim_matches(['"', '\'']).to_owned(), field));
    }
    Some(fields)
}

/// Strips the comment after a value; a `#` within quotes does not begin one.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (c, quote) {
            ('#', None) => return line[..at].trim_end(),
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
    }
    line.trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_over_many_lines() {
        let text = format!("tags = [\n{}'b]', # ]\n]\n", "'a',\n".repeat(20_000));
        let fields = read_toml(&text).unwrap_or_default();
        assert!(matches!(&fields[..], [(_, Field::List(tags))] if tags.len() == 20_001));
    }

    #[test]
    fn assignments() {
        let text = "title = \"A # b\" # remark\n# remark\ntags = [\n  \"a\", # one\n  'b',\n]\n\"date\" = 2025-01-02\ndraft = false\n[table]\ntitle = 1\n";
        let one = |key: &str, value: &str| (key.to_owned(), Field::Text(value.to_owned()));
        let expected = [
            one("title", "A # b"),
            (
                "tags".to_owned(),
                Field::List(vec!["a".to_owned(), "b".to_owned()]),
            ),
            one("date", "2025-01-02"),
            one("draft", "false"),
        ];
        assert_eq!(read_toml(text).as_deref(), Some(&expected[..]));
        for broken in ["title", "title =", "tags = [\"a\"", "x = \"y"] {
            assert_eq!(read_toml(broken), None, "{broken}");
        }
    }
}
