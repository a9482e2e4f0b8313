//! Schemas of arguments as models are shown them, who pay for each word in every session: without
//! what the rest says already. What is taken and what is refused goes by the whole schema.

use serde_json::{Map, Value};

/// Words that say nothing by themselves.
const ARTICLES: [&str; 3] = ["the", "a", "its"];

/// Bounds of the work of a call. An answer that one of them cut names it; before that nobody needs
/// them.
const BOUNDS: [&str; 5] = [
    "timeoutMs",
    "maxBytes",
    "maxFiles",
    "maxFilesScanned",
    "maxDirectoriesScanned",
];

/// Returns a schema without
///
/// * bounds of the work, which answers name where they matter;
/// * the description of an argument with choices, and one that only repeats its name;
/// * the range of a number in words, which its bounds tell;
/// * the default `false`, which truth values have otherwise too;
/// * the least number 0, an empty list of what is required, and that nothing else is taken.
pub fn schema(whole: &Map<String, Value>) -> Map<String, Value> {
    let parts = whole.iter().filter_map(|(key, value)| {
        let part = match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                let shown = properties
                    .iter()
                    .filter(|(name, _)| !BOUNDS.contains(&name.as_str()));
                let described = shown.map(|(name, field)| (name.clone(), argument(name, field)));
                Value::Object(described.collect())
            }
            ("additionalProperties", Value::Bool(false)) => return None,
            ("items", items) => nested(items),
            ("default", Value::Bool(false)) => return None,
            ("required", Value::Array(names)) if names.is_empty() => return None,
            ("minimum", least) if least.as_u64() == Some(0) => return None,
            (_, value) => value.clone(),
        };
        Some((key.clone(), part))
    });
    parts.collect()
}

fn nested(value: &Value) -> Value {
    match value {
        Value::Object(whole) => schema(whole).into(),
        other => other.clone(),
    }
}

fn argument(name: &str, field: &Value) -> Value {
    let mut field = nested(field);
    if field["type"] == "integer"
        && let Some(text) = field["description"].as_str()
    {
        field["description"] = without_range(text).into();
    }
    let description = field["description"].as_str().unwrap_or_default();
    if let Some(fields) = field.as_object()
        && (fields.contains_key("enum") || repeats(name, description))
        && let Some(fields) = field.as_object_mut()
    {
        fields.shift_remove("description");
    }
    field
}

/// Returns a description without the range in it, which the bounds beside it tell: `Items, 1 to 200; else 20.` as `Items; else 20.`,
/// and nothing where it is no more than that.
fn without_range(text: &str) -> String {
    let range = text.split_once(" to ").and_then(|(before, behind_to)| {
        let start = before.trim_end_matches(|c: char| c.is_ascii_digit());
        let rest = behind_to.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_range = start.len() < before.len() && rest.len() < behind_to.len();
        (is_range && rest.starts_with(['.', ',', ';', ' '])).then_some((start, rest))
    });
    match range {
        Some(("", ".")) => String::new(),
        Some((start, rest)) => format!("{}{rest}", start.trim_end_matches([',', ' '])),
        None => text.to_owned(),
    }
}

/// Whether `text` has no word but articles and those of `name`.
fn repeats(name: &str, text: &str) -> bool {
    let mut spaced = String::with_capacity(2 * name.len());
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            spaced.push(' ');
        }
        spaced.push(letter.to_ascii_lowercase());
    }
    let text = text.to_lowercase();
    let mut words = text.trim_end_matches('.').split_whitespace();
    words.all(|word| ARTICLES.contains(&word) || spaced.split(' ').any(|other| other == word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_left_out_is_said_by_the_rest() {
        let whole = json!({"type": "object", "required": [], "additionalProperties": false,
            "properties": {
            "timeoutMs": {"type": "integer", "description": "1 to 60000.", "default": 10000},
            "newText": {"type": "string", "description": "The new text."},
            "text": {"type": "string", "description": "The new text."},
            "mode": {"type": "string", "enum": ["a", "b"], "description": "What.", "default": "a"},
            "limits": {"type": "object", "required": ["description"], "properties": {
                "least": {"type": "integer", "minimum": 0, "description": "1 to 5.", "default": 1},
                "most": {"type": "integer", "description": "Bytes, 1 to 5; else 3."},
                "description": {"type": "boolean", "description": "Describe.", "default": false},
            }},
            "lines": {"type": "array", "items": {"type": "object", "properties": {
                "first": {"type": "integer", "minimum": 1, "description": "The first."},
            }}},
        }});
        let concise = json!({"type": "object", "properties": {
            "newText": {"type": "string"},
            "text": {"type": "string", "description": "The new text."},
            "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
            "limits": {"type": "object", "required": ["description"], "properties": {
                "least": {"type": "integer", "default": 1},
                "most": {"type": "integer", "description": "Bytes; else 3."},
                "description": {"type": "boolean", "description": "Describe."},
            }},
            "lines": {"type": "array", "items": {"type": "object", "properties": {
                "first": {"type": "integer", "minimum": 1},
            }}},
        }});
        assert_eq!(nested(&whole), concise);
    }
}
