//! What callers may write for the arguments of a tool.

use std::collections::BTreeMap;
use std::fmt;

use docent_build::spelling::camel_case;
use serde_json::{Map, Number, Value};

use super::tool_table::{Tool, nearest};

/// Characters of a wrong value that an error quotes.
const QUOTED_CHARS: usize = 40;

impl Tool {
    /// Returns the arguments under their own names and in their own order, checked by type.
    ///
    /// `max_results` and `max-results` are taken for `maxResults`; `null` is the same as leaving
    /// an argument out; a number without a fraction is a whole number, however it is written.
    ///
    /// # Errors
    /// [`ArgumentError`] for the first argument that is unknown, given twice, of another type, or
    /// missing.
    pub fn arguments(
        &self,
        arguments: Map<String, Value>,
    ) -> Result<Map<String, Value>, ArgumentError> {
        let mut taken = BTreeMap::new();
        for (name, value) in arguments {
            let argument = self
                .argument_names()
                .find(|argument| *argument == camel_case(&name))
                .ok_or_else(|| self.unknown(&name))?;
            // Many clients send every argument there is, those that are not set as `null`.
            if value.is_null() {
                continue;
            }
            let value = checked(argument, &self.properties()[argument], value)?;
            // `maxResults` and `max_results` in one object: whichever was taken would be a guess.
            if taken.insert(argument, value).is_some() {
                return Err(ArgumentError::Twice {
                    name: argument.to_owned(),
                });
            }
        }
        // After the unknown ones: who misspells a required argument wants to hear of the spelling.
        if let Some(name) = self.required().find(|name| !taken.contains_key(name)) {
            return Err(ArgumentError::Missing {
                name: name.to_owned(),
                expected: expectation(&self.properties()[name]),
            });
        }
        Ok(self
            .argument_names()
            .filter_map(|name| Some((name.to_owned(), taken.remove(name)?)))
            .collect())
    }

    /// Returns one `name=value` of a command line as an argument; lists are separated by commas.
    ///
    /// # Errors
    /// [`ArgumentError::Unknown`] when there is no such argument. A value of another type is given
    /// as text, for [`Tool::arguments`] to refuse.
    pub fn assignment(&self, name: &str, text: &str) -> Result<(String, Value), ArgumentError> {
        let argument = self
            .argument_names()
            .find(|argument| *argument == camel_case(name))
            .ok_or_else(|| self.unknown(name))?;
        let as_text = || Value::String(text.to_owned());
        let value = match kind(&self.properties()[argument]) {
            "string" => as_text(),
            // `extensions=md,txt` for people, `extensions=["a,b"]` for what holds commas itself.
            "array" if !text.starts_with('[') => text
                .split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .map(Value::from)
                .collect(),
            // `limit=x` stays text: the check of all arguments says what was expected.
            _ => serde_json::from_str(text).unwrap_or_else(|_| as_text()),
        };
        Ok((argument.to_owned(), value))
    }

    fn unknown(&self, name: &str) -> ArgumentError {
        let camel = camel_case(name);
        ArgumentError::Unknown {
            name: quoted(name),
            nearest: nearest(&camel, self.argument_names()).map(str::to_owned),
            names: self.argument_names().map(str::to_owned).collect(),
        }
    }
}

/// What is wrong with an argument; displayed as what was wrong, then what was expected.
#[derive(Debug, PartialEq, Eq)]
pub enum ArgumentError {
    /// The tool has no such argument.
    Unknown {
        /// As it was given.
        name: String,
        /// The argument that was probably meant.
        nearest: Option<String>,
        /// All that there are.
        names: Vec<String>,
    },
    /// It was given under two spellings.
    Twice {
        /// Its own name.
        name: String,
    },
    /// It is required and was not given.
    Missing {
        /// Its own name.
        name: String,
        /// What it takes.
        expected: String,
    },
    /// It is of another type.
    Mismatch {
        /// Its own name.
        name: String,
        /// The value, cut.
        value: String,
        /// What it takes.
        expected: String,
    },
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown {
                name,
                nearest: Some(nearest),
                ..
            } => {
                write!(
                    f,
                    "unknown argument `{name}`; expected `{nearest}`, which is the nearest"
                )
            }
            Self::Unknown { name, names, .. } if names.is_empty() => {
                write!(f, "unknown argument `{name}`; expected none")
            }
            Self::Unknown { name, names, .. } => {
                write!(
                    f,
                    "unknown argument `{name}`; expected one of `{}`",
                    names.join("`, `")
                )
            }
            Self::Twice { name } => {
                write!(f, "`{name}` is given twice; expected one spelling of it")
            }
            Self::Missing { name, expected } => {
                write!(f, "`{name}` is missing; expected {expected}")
            }
            Self::Mismatch {
                name,
                value,
                expected,
            } => {
                write!(f, "`{name}` is {value}; expected {expected}")
            }
        }
    }
}

impl std::error::Error for ArgumentError {}

fn checked(name: &str, schema: &Value, value: Value) -> Result<Value, ArgumentError> {
    let mismatch = |value: &Value| ArgumentError::Mismatch {
        name: name.to_owned(),
        value: quoted(&value.to_string()),
        expected: expectation(schema),
    };
    let fits = match kind(schema) {
        "string" => value.as_str().is_some_and(|text| {
            choices(schema).is_none_or(|choices| choices.iter().any(|choice| choice == text))
        }),
        "boolean" => value.is_boolean(),
        "integer" => {
            let Some(whole) = whole_number(&value) else {
                return Err(mismatch(&value));
            };
            if !within(schema, whole.0) {
                return Err(mismatch(&value));
            }
            return Ok(Value::Number(whole.1));
        }
        "number" => value.is_number(),
        "array" => {
            let Value::Array(items) = value else {
                return Err(mismatch(&value));
            };
            let item = &schema["items"];
            let items = items
                .into_iter()
                .enumerate()
                .map(|(index, value)| checked(&format!("{name}[{index}]"), item, value))
                .collect::<Result<_, _>>()?;
            return Ok(Value::Array(items));
        }
        "object" => value.is_object(),
        _ => true,
    };
    if fits {
        Ok(value)
    } else {
        Err(mismatch(&value))
    }
}

/// The value of a whole number, and how it is written without a fraction.
type Whole = (i128, Number);

fn whole_number(value: &Value) -> Option<Whole> {
    let number = value.as_number()?;
    if let Some(whole) = number.as_i64() {
        return Some((whole.into(), number.clone()));
    }
    if let Some(whole) = number.as_u64() {
        return Some((whole.into(), number.clone()));
    }
    let float = number.as_f64()?;
    // `5.0` is a whole number to JSON Schema, and some languages write it so. Through text, for a
    // cast would saturate: 1e300 is refused.
    let whole = format!("{float:.0}").parse::<i64>().ok()?;
    (float.fract() == 0.0).then(|| (whole.into(), whole.into()))
}

fn within(schema: &Value, whole: i128) -> bool {
    let bound = |key: &str| schema.get(key).and_then(whole_number).map(|bound| bound.0);
    bound("minimum").is_none_or(|minimum| whole >= minimum)
        && bound("maximum").is_none_or(|maximum| whole <= maximum)
}

fn expectation(schema: &Value) -> String {
    match kind(schema) {
        "string" => match choices(schema) {
            Some(choices) => {
                let choices: Vec<_> = choices.iter().filter_map(Value::as_str).collect();
                format!("one of `{}`", choices.join("`, `"))
            }
            None => "a string".to_owned(),
        },
        "boolean" => "true or false".to_owned(),
        "integer" => match (schema.get("minimum"), schema.get("maximum")) {
            (Some(minimum), Some(maximum)) => format!("a whole number from {minimum} to {maximum}"),
            (Some(minimum), None) => format!("a whole number of {minimum} or more"),
            (None, Some(maximum)) => format!("a whole number up to {maximum}"),
            (None, None) => "a whole number".to_owned(),
        },
        "number" => "a number".to_owned(),
        "array" => match kind(&schema["items"]) {
            "string" => "a list of strings".to_owned(),
            _ => "a list".to_owned(),
        },
        "object" => "an object".to_owned(),
        _ => "a value".to_owned(),
    }
}

fn kind(schema: &Value) -> &str {
    schema
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn choices(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("enum").and_then(Value::as_array)
}

/// Returns what a caller wrote in a form that an error can quote: cut to 40 characters, without
/// control characters.
pub fn quoted(text: &str) -> String {
    let visible = text
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let mut quoted: String = visible.clone().take(QUOTED_CHARS).collect();
    if visible.count() > QUOTED_CHARS {
        quoted.push_str("...");
    }
    quoted
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::adapter::tool_table::tests::tool;

    #[track_caller]
    fn accepts(arguments: Value, expected: Value) {
        let Value::Object(arguments) = arguments else {
            panic!("not an object")
        };
        assert_eq!(tool().arguments(arguments).map(Value::Object), Ok(expected));
    }

    #[track_caller]
    fn refuses(arguments: Value, message: &str) {
        let Value::Object(arguments) = arguments else {
            panic!("not an object")
        };
        assert_eq!(
            tool().arguments(arguments).unwrap_err().to_string(),
            message
        );
    }

    #[test]
    fn every_spelling_of_an_argument_is_the_same() {
        for name in ["maxResults", "max_results", "max-results"] {
            accepts(
                json!({"query": "a", name: 5}),
                json!({"query": "a", "maxResults": 5}),
            );
        }
    }

    #[test]
    fn null_is_left_out_and_whole_floats_are_whole() {
        accepts(
            json!({"query": "a", "mode": null, "maxResults": 5.0}),
            json!({"query": "a", "maxResults": 5}),
        );
        accepts(
            json!({"query": "a", "extensions": ["md"], "caseSensitive": true, "mode": "snippets"}),
            json!({"query": "a", "caseSensitive": true, "extensions": ["md"], "mode": "snippets"}),
        );
    }

    #[test]
    fn an_unknown_argument_names_the_nearest() {
        refuses(
            json!({"query": "a", "max_result": 5}),
            "unknown argument `max_result`; expected `maxResults`, which is the nearest",
        );
        refuses(
            json!({"query": "a", "Query": "b"}),
            "unknown argument `Query`; expected `query`, which is the nearest",
        );
        refuses(
            json!({"query": "a", "zzz": 5}),
            "unknown argument `zzz`; expected one of `query`, `maxResults`, `caseSensitive`, \
             `mode`, `extensions`",
        );
    }

    #[test]
    fn a_wrong_type_says_what_was_expected() {
        let whole = "a whole number from 0 to 4294967295";
        refuses(
            json!({"query": "a", "maxResults": "x"}),
            &format!("`maxResults` is \"x\"; expected {whole}"),
        );
        refuses(
            json!({"query": "a", "maxResults": -1}),
            &format!("`maxResults` is -1; expected {whole}"),
        );
        refuses(
            json!({"query": "a", "maxResults": 1.5}),
            &format!("`maxResults` is 1.5; expected {whole}"),
        );
        refuses(
            json!({"query": "a", "maxResults": 1e300}),
            &format!("`maxResults` is 1e+300; expected {whole}"),
        );
        refuses(
            json!({"query": "a", "maxResults": 4_294_967_296_u64}),
            &format!("`maxResults` is 4294967296; expected {whole}"),
        );
        refuses(json!({"query": 5}), "`query` is 5; expected a string");
        refuses(
            json!({"query": "a", "caseSensitive": "yes"}),
            "`caseSensitive` is \"yes\"; expected true or false",
        );
        refuses(
            json!({"query": "a", "mode": "all"}),
            "`mode` is \"all\"; expected one of `titles-only`, `snippets`",
        );
        refuses(
            json!({"query": "a", "extensions": "md"}),
            "`extensions` is \"md\"; expected a list of strings",
        );
        refuses(
            json!({"query": "a", "extensions": ["md", 1]}),
            "`extensions[1]` is 1; expected a string",
        );
    }

    #[test]
    fn missing_and_doubled_arguments_are_refused() {
        refuses(json!({}), "`query` is missing; expected a string");
        refuses(
            json!({"query": null}),
            "`query` is missing; expected a string",
        );
        refuses(
            json!({"query": "a", "max_results": 1, "maxResults": 2}),
            "`maxResults` is given twice; expected one spelling of it",
        );
    }

    #[test]
    fn a_long_wrong_value_is_cut_and_has_no_control_characters() {
        let value = format!("\u{1b}[31m{}", "x".repeat(1000));
        let Value::Object(arguments) = json!({ value: 1 }) else {
            unreachable!()
        };
        let message = tool().arguments(arguments).unwrap_err().to_string();
        assert!(
            message.len() < 200 && !message.contains('\u{1b}'),
            "{message}"
        );
    }

    #[test]
    fn assignments_follow_the_schema() {
        let tool = tool();
        let check = |name, text, key: &str, value: Value| {
            assert_eq!(tool.assignment(name, text), Ok((key.to_owned(), value)));
        };
        check("query", "5", "query", json!("5"));
        check("max-results", "5", "maxResults", json!(5));
        check("max_results", "x", "maxResults", json!("x"));
        check("caseSensitive", "true", "caseSensitive", json!(true));
        check("extensions", "md, txt", "extensions", json!(["md", "txt"]));
        check("extensions", "[\"md\"]", "extensions", json!(["md"]));
        assert!(tool.assignment("nope", "1").is_err());
    }
}
