//! The layout of a file of cases.

use serde_json::Value;

/// Maximum characters of a line in files whose lines are filled.
const WIDTH: usize = 100;

/// The layout of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Number of spaces per level of indentation.
    step: usize,
    fill: Fill,
}

/// The values that are put on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fill {
    /// Lists and objects that fit into the line.
    Lines,
    /// Single values.
    Values,
}

impl Style {
    /// Detects the style of a file.
    pub fn detect(text: &str) -> Self {
        let second = text.lines().nth(1).unwrap_or_default();
        Self {
            step: (second.len() - second.trim_start().len()).max(1),
            fill: match text.contains("{\"") {
                true => Fill::Lines,
                false => Fill::Values,
            },
        }
    }

    /// Formats a value for a line with an indentation of `indent`, of which `taken` characters are
    /// in use.
    pub fn written(self, value: &Value, indent: usize, taken: usize) -> String {
        let line = on_one_line(value);
        if self.fill == Fill::Lines && taken + line.chars().count() <= WIDTH {
            return line;
        }
        let inner = indent + self.step;
        let (open, lines, close): (_, Vec<String>, _) = match value {
            Value::Array(items) if !items.is_empty() => {
                // The comma after an item needs room as well.
                let items = items
                    .iter()
                    .map(|item| self.written(item, inner, inner + 1));
                ('[', items.collect(), ']')
            }
            Value::Object(fields) if !fields.is_empty() => {
                let fields = fields.iter().map(|(key, value)| {
                    let key = format!("{}: ", Value::from(key.as_str()));
                    let taken = inner + key.chars().count() + 1;
                    key + &self.written(value, inner, taken)
                });
                ('{', fields.collect(), '}')
            }
            _ => return line,
        };
        let lines = lines.join(&format!(",\n{}", " ".repeat(inner)));
        let (inner, indent) = (" ".repeat(inner), " ".repeat(indent));
        format!("{open}\n{inner}{lines}\n{indent}{close}")
    }
}

/// Formats a value on one line, with a space after each comma and colon.
fn on_one_line(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(on_one_line).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(key, value)| {
                    format!("{}: {}", Value::from(key.as_str()), on_one_line(value))
                })
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        scalar => scalar.to_string(),
    }
}
