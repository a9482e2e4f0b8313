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
/// * the description of an argument with choices, one that only repeats its name, and the range of
///   a number that has a default: a number outside is refused with its range;
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
    let description = field["description"].as_str().unwrap_or_default();
    if let Some(fields) = field.as_object()
        && (fields.contains_key("enum")
            || repeats(name, description)
            || fields.contains_key("default") && is_range(description))
        && let Some(fields) = field.as_object_mut()
    {
        fields.shift_remove("description");
    }
    field
}

/// Whether a text is nothing but a range: `1 to 1000.`
fn is_range(text: &str) -> bool {
    let bounds = text.trim_end_matches('.').split_once(" to ");
    bounds.is_some_and(|(least, most)| {
        [least, most]
            .iter()
            .all(|bound| !bound.is_empty() && bound.bytes().all(|byte| byte.is_ascii_digit()))
    })
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
                "most": {"type": "integer", "description": "1 to 5."},
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
                "most": {"type": "integer", "description": "1 to 5."},
                "description": {"type": "boolean", "description": "Describe."},
            }},
            "lines": {"type": "array", "items": {"type": "object", "properties": {
                "first": {"type": "integer", "minimum": 1},
            }}},
        }});
        assert_eq!(nested(&whole), concise);
    }
}
