//! Compact schemas of arguments for models, which pay for each word in every session: redundant
//! parts are left out. Arguments are still checked against the whole schema.

use serde_json::{Map, Value};

/// Words without a meaning of their own.
const ARTICLES: [&str; 3] = ["the", "a", "its"];

/// Limits on the work of a call. An answer that one of them truncated names it; until then callers
/// do not need them.
const BOUNDS: [&str; 5] = [
    "timeoutMs",
    "maxBytes",
    "maxFiles",
    "maxFilesScanned",
    "maxDirectoriesScanned",
];

/// Returns a schema without
///
/// * limits on the work, which answers name if they matter;
/// * the description of an argument with choices, and one that only repeats its name;
/// * the range of a number in words, which its bounds state;
/// * the default `false`, which is the usual default of booleans;
/// * the minimum 0, an empty list of required members, and `additionalProperties: false`.
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
            // These keys repeat what a model assumes anyway, and each one is paid for in every
            // session. Arguments are checked against the whole schema, so a shorter one cannot
            // let a wrong call through.
            ("additionalProperties", Value::Bool(false)) => return None,
            ("items", items) => compact_nested(items),
            ("default", Value::Bool(false)) => return None,
            ("required", Value::Array(names)) if names.is_empty() => return None,
            ("minimum", least) if least.as_u64() == Some(0) => return None,
            (_, value) => value.clone(),
        };
        Some((key.clone(), part))
    });
    parts.collect()
}

fn compact_nested(value: &Value) -> Value {
    match value {
        Value::Object(whole) => schema(whole).into(),
        other => other.clone(),
    }
}

fn argument(name: &str, field: &Value) -> Value {
    let mut field = compact_nested(field);
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

/// Returns a description without its range, which the bounds in the schema state: `Items, 1 to 200;
/// else 20.` becomes `Items; else 20.`, and a description that consists of its range becomes empty.
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

/// Returns true if `text` has no words but articles and those of `name`.
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
        assert_eq!(compact_nested(&whole), concise);
    }
}
