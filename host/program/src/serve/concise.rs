//! Schemas of arguments as models are shown them, who pay for each word in every session: without
//! what the rest says already. What is taken and what is refused goes by the whole schema.

use serde_json::{Map, Value};

/// Words that say nothing by themselves.
const ARTICLES: [&str; 3] = ["the", "a", "its"];

/// Returns a schema without
///
/// * the description of an argument with choices, or one that only repeats its name;
/// * the default `false`, which truth values have otherwise too;
/// * the least number 0, and an empty list of what is required.
pub fn schema(whole: &Map<String, Value>) -> Map<String, Value> {
    let parts = whole.iter().filter_map(|(key, value)| {
        let part = match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                let described =
                    |(name, field): (&String, &Value)| (name.clone(), argument(name, field));
                Value::Object(properties.iter().map(described).collect())
            }
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
        && (fields.contains_key("enum") || repeats(name, description))
        && let Some(fields) = field.as_object_mut()
    {
        fields.shift_remove("description");
    }
    field
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
        let whole = json!({"type": "object", "required": [], "properties": {
            "newText": {"type": "string", "description": "The new text."},
            "text": {"type": "string", "description": "The new text."},
            "mode": {"type": "string", "enum": ["a", "b"], "description": "What.", "default": "a"},
            "limits": {"type": "object", "required": ["description"], "properties": {
                "least": {"type": "integer", "minimum": 0, "description": "1 to 5.", "default": 1},
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
                "least": {"type": "integer", "description": "1 to 5.", "default": 1},
                "description": {"type": "boolean", "description": "Describe."},
            }},
            "lines": {"type": "array", "items": {"type": "object", "properties": {
                "first": {"type": "integer", "minimum": 1},
            }}},
        }});
        assert_eq!(nested(&whole), concise);
    }
}
