//! How a file of cases is laid out.

use serde_json::Value;

/// Characters of a line, where lines are filled.
const WIDTH: usize = 100;

/// How a file is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Blanks by which what is inside stands further right.
    step: usize,
    fill: Fill,
}

/// What stands on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fill {
    /// Lists and objects for which the line has room.
    Lines,
    /// One value.
    Values,
}

impl Style {
    /// Returns the style of a file.
    pub fn of(text: &str) -> Self {
        let second = text.lines().nth(1).unwrap_or_default();
        Self {
            step: (second.len() - second.trim_start().len()).max(1),
            fill: match text.contains("{\"") {
                true => Fill::Lines,
                false => Fill::Values,
            },
        }
    }

    /// Returns a value as it is written in a line that is indented by `indent` and has `taken`
    /// characters beside it.
    pub fn written(self, value: &Value, indent: usize, taken: usize) -> String {
        let line = on_one_line(value);
        if self.fill == Fill::Lines && taken + line.chars().count() <= WIDTH {
            return line;
        }
        let inner = indent + self.step;
        let (open, lines, close): (_, Vec<String>, _) = match value {
            Value::Array(items) if !items.is_empty() => {
                // The comma behind an item needs room as well.
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

/// Returns a value with a blank behind each comma and colon, and no line break.
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
