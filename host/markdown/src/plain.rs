//! A generic Markdown form of any answer, for tools without a template.

use serde_json::Value;

use super::{fence, line};

/// Maximum nesting; deeper values are written as JSON.
const DEEPEST: usize = 6;

/// Returns the answer under a heading: fields and items as nested bullets, text of several lines
/// fenced.
pub(super) fn answer(title: &str, answer: &Value) -> String {
    let mut markdown = format!("# {title}\n");
    if children(answer).is_some() {
        markdown.push('\n');
        write_nested(&mut markdown, answer, 0);
    } else {
        markdown.push_str(&format!("\n{}\n", scalar(answer)));
    }
    markdown.truncate(markdown.trim_end().len());
    markdown
}

fn write_nested(markdown: &mut String, value: &Value, depth: usize) {
    for (label, child) in children(value).into_iter().flatten() {
        let indent = "  ".repeat(depth);
        let label = label.map(|label| format!("{}:", words(&label)));
        let bullet = label.as_deref().unwrap_or("-");
        let lead = if label.is_some() {
            format!("{indent}- {bullet}")
        } else {
            format!("{indent}-")
        };
        match child {
            Value::String(text) if text.contains('\n') => {
                markdown.push_str(&format!("{lead}\n\n{}\n\n", fence(text)));
            }
            child
                if depth < DEEPEST
                    && children(child).is_some_and(|mut all| all.next().is_some()) =>
            {
                if label.is_some() || !child.is_object() {
                    markdown.push_str(&format!("{lead}\n"));
                    write_nested(markdown, child, depth + 1);
                } else {
                    item(markdown, child, depth);
                }
            }
            child => markdown.push_str(&format!("{lead} {}\n", scalar(child))),
        }
    }
}

/// Writes an object in a list: its first field on the bullet's own line.
fn item(markdown: &mut String, object: &Value, depth: usize) {
    let start = markdown.len();
    write_nested(markdown, object, depth + 1);
    let bullet = "  ".repeat(depth) + "- ";
    let first = "  ".repeat(depth + 1) + "- ";
    if markdown[start..].starts_with(&first) {
        markdown.replace_range(start..start + first.len(), &bullet);
    }
}

type Child<'a> = (Option<String>, &'a Value);

fn children(value: &Value) -> Option<Box<dyn Iterator<Item = Child<'_>> + '_>> {
    match value {
        Value::Array(items) => Some(Box::new(items.iter().map(|item| (None, item)))),
        Value::Object(fields) => Some(Box::new(
            fields
                .iter()
                .map(|(name, field)| (Some(name.clone()), field)),
        )),
        _ => None,
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => line(text),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Object(fields) if fields.is_empty() => "none".to_owned(),
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => line(&other.to_string()),
    }
}

/// Splits a name into words: `match count` for `matchCount`.
fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_uppercase() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    line(&words)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_items_and_text() {
        let markdown = answer(
            "Some tool",
            &json!({
                "path": "a.md",
                "matchCount": 2,
                "done": true,
                "entries": [{"path": "b.md", "size": 3}, {"path": "c.md", "size": 4}],
                "tags": ["x", "y"],
                "none": [],
                "text": "one\n# two",
            }),
        );
        assert_eq!(
            markdown,
            "# Some tool\n\n- path: a.md\n- match count: 2\n- done: yes\n- entries:\n  \
             - path: b.md\n    - size: 3\n  - path: c.md\n    - size: 4\n- tags:\n  - x\n  - y\n\
             - none: none\n- text:\n\n\
             ```\none\n# two\n```"
        );
    }

    #[test]
    fn a_single_value_and_deep_nesting() {
        assert_eq!(answer("T", &json!(5)), "# T\n\n5");
        let mut deep = json!("end");
        for _ in 0..100 {
            deep = json!([deep]);
        }
        assert!(answer("T", &deep).len() < 2_000);
    }
}
