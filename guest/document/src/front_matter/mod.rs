//! Front matter: the block of metadata at the start of a Markdown file, in YAML between `---`, in
//! TOML between `+++`, or as a JSON object.
//!
//! There are two readers: [`title()`] looks for a single line, in YAML and TOML alike; [`read`]
//! reads all fields, with a parser per language.

pub mod field;
mod json;
mod title;
mod toml;
mod yaml;

pub use field::FrontMatter;
pub use title::title;
pub use yaml::read_yaml as yaml_fields;

use crate::format::Format;
use crate::front_matter::field::Fields;
use crate::limits::FRONT_MATTER_BYTES;
use docent_text::lines::with_ends;

/// Returns the length in bytes of the front matter of a document of this format; see [`length`].
pub fn length_in(format: Format, text: &str) -> usize {
    if format.has_front_matter() {
        length(text)
    } else {
        0
    }
}

/// Reads the front matter of a text with all its fields.
pub fn read(text: &str) -> FrontMatter {
    if text.starts_with('{') {
        return json::read_json(text).unwrap_or_else(|| {
            // A text that begins with a brace and a quote, such as `{"title": "T", }`, is reported
            // as broken front matter, which its author wants to know. `{{ template }}` and `{
            // brace` are text.
            let looks_like_json = text[1..].trim_start().starts_with('"');
            FrontMatter {
                fields: (!looks_like_json).then(Fields::new),
                body: 0,
            }
        });
    }
    let body = length(text);
    let front = &text[..body];
    let inside = front
        .split_once(['\n', '\r'])
        .map_or("", |(_, rest)| rest)
        .trim_end();
    // The fence at the end is removed by its signs, whichever of `---`, `...` and `+++` it is. The
    // line end before it stops the trimming, so that a value such as `a--` on the last line is
    // kept.
    let inside = inside.trim_end_matches(['-', '+', '.']);
    let fields = if front.starts_with('+') {
        toml::read_toml(inside)
    } else if front.is_empty() {
        Some(Fields::new())
    } else {
        yaml::read_yaml(inside)
    };
    FrontMatter { fields, body }
}

/// Returns the length in bytes of the front matter at the start of `text`, including its fences, or
/// 0 if there is none.
///
/// Front matter is the text between two lines `---` (the second may be `...`) or `+++`, where no
/// blank line follows the first, which would be a thematic break; or a JSON object:
///
/// ```text
/// ---
/// title: Setup
/// tags: [guide, install]
/// ---
/// ```
pub fn length(text: &str) -> usize {
    if text.starts_with('{') {
        return json::read_json(text).map_or(0, |front| front.body);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_of_front_matter() {
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
            ("{\"a\": {\"b\": 1}}\nx", 16),
            ("{\n \"a\": 1\n} \r\nx", 14),
            ("{\"a\": 1}", 8),
            ("{\"a\": 1} is an object\n", 0),
            ("{\"a\": 1,}\n", 0),
            (" {\"a\": 1}\n", 0),
            ("{{ template }}\n", 0),
            ("", 0),
        ] {
            assert_eq!(length(text), expected, "{text:?}");
        }
        let long = format!("---\n{}---\n", "a: b\n".repeat(20_000));
        assert_eq!(length(&long), 0);
        let long = format!("{{\"a\": \"{}\"}}\n", "x".repeat(FRONT_MATTER_BYTES));
        assert_eq!(length(&long), 0);
    }
}
