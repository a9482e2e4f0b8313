//! The outcome of a call, in the format of cases.

use serde_json::{Map, Value};

/// The answer of a call, or its error.
pub type Outcome = Result<Value, Value>;

/// Fields whose values are enumerations.
const ENUMERATIONS: [&str; 21] = [
    "mode",
    "kind",
    "reason",
    "right",
    "code",
    "stoppedBy",
    "relevance",
    "category",
    "dateField",
    "operator",
    "status",
    "reasons",
    "match",
    "command",
    "action",
    "scope",
    "aspect",
    "knownBy",
    "end",
    "class",
    "output",
];

/// Fields that depend on the time.
const OF_THE_TIME: [&str; 3] = ["elapsedMs", "pack", "writtenAt"];

/// The extent of an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The whole answer.
    Whole,
    /// The listed fields only.
    Part,
}

/// Returns true if an outcome is as expected: `"*"` matches any value, null an absent field.
pub(crate) fn matches(expected: &Value, actual: &Value, extent: Extent) -> bool {
    match (expected, actual) {
        (Value::String(any), _) if any == "*" => true,
        (Value::Object(expected), Value::Object(actual)) => {
            let is_named = |key: &String| expected.contains_key(key);
            expected.iter().all(|(key, value)| match actual.get(key) {
                Some(actual) => matches(value, actual, extent),
                None => value.is_null(),
            }) && (extent == Extent::Part || actual.keys().all(is_named))
        }
        (Value::Array(expected), Value::Array(actual)) => {
            let mut pairs = expected.iter().zip(actual);
            expected.len() == actual.len() && pairs.all(|(e, a)| matches(e, a, extent))
        }
        _ => expected == actual,
    }
}

/// Merges an outcome into an expectation: parts that still match are kept, and the others are
/// replaced with the actual values. Fields keep their order; new ones come last.
pub(crate) fn merged(expected: &Value, actual: &Value, extent: Extent) -> Value {
    match (expected, actual) {
        _ if matches(expected, actual, extent) => expected.clone(),
        (Value::Object(expected), Value::Object(actual)) => {
            let mut fields = Map::new();
            for (key, value) in expected {
                match actual.get(key) {
                    Some(actual) => fields.insert(key.clone(), merged(value, actual, extent)),
                    None if value.is_null() => fields.insert(key.clone(), Value::Null),
                    None => None,
                };
            }
            for (key, value) in actual.iter().filter(|_| extent == Extent::Whole) {
                fields.entry(key.clone()).or_insert_with(|| value.clone());
            }
            Value::Object(fields)
        }
        (Value::Array(expected), Value::Array(actual)) => {
            let items = actual.iter().enumerate();
            let item = |(index, actual)| match expected.get(index) {
                Some(expected) => merged(expected, actual, extent),
                None => Value::clone(actual),
            };
            Value::Array(items.map(item).collect())
        }
        _ => actual.clone(),
    }
}

/// Converts an answer to the format of cases: camelCase and kebab-case, without absent fields and
/// fields that depend on the time.
pub fn tidy(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| (camel_case(&key), value))
            .filter(|(key, value)| !value.is_null() && !OF_THE_TIME.contains(&key.as_str()))
            .map(|(key, value)| {
                let value = match value {
                    Value::String(text) if ENUMERATIONS.contains(&key.as_str()) => {
                        Value::String(kebab_case(&text))
                    }
                    Value::Array(texts) if ENUMERATIONS.contains(&key.as_str()) => texts
                        .into_iter()
                        .map(|text| match text {
                            Value::String(text) => Value::String(kebab_case(&text)),
                            other => tidy(other),
                        })
                        .collect(),
                    other => tidy(other),
                };
                (key, value)
            })
            .collect(),
        Value::Array(values) => values.into_iter().map(tidy).collect(),
        other => other,
    }
}

/// Converts a name to camelCase: `maxResults` for `max_results` and `max-results`.
pub fn camel_case(name: &str) -> String {
    let mut out = String::new();
    let mut is_start = false;
    for c in name.chars() {
        match c {
            '_' | '-' => is_start = true,
            c if std::mem::take(&mut is_start) => out.push(c.to_ascii_uppercase()),
            c => out.push(c),
        }
    }
    out
}

/// Converts a name to kebab-case: `not-text` for `NotText`, `not_text` and `not-text`.
pub fn kebab_case(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.push(if c == '_' {
            '-'
        } else {
            c.to_ascii_lowercase()
        });
    }
    out
}

/// Returns an outcome as text, its fields sorted by name, for comparisons.
pub fn bytes(outcome: &Outcome) -> String {
    let (word, value) = match outcome {
        Ok(value) => ("answer", value),
        Err(value) => ("error", value),
    };
    let mut value = value.clone();
    value.sort_all_objects();
    format!("{word} {value}")
}
