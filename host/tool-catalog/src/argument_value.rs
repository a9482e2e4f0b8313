//! The value of an argument: converted from the forms in which callers write it, or refused.

use std::collections::BTreeMap;

use docent_spelling::camel_case;
use serde_json::{Map, Number, Value};

use super::aliases::{self, find_alias, in_list};
use super::argument_error::{ArgumentError, quote};
use super::object_schema::ObjectSchema;

/// Returns the members of an object under their own names and in the order of the contract, checked
/// by type; `path` is the prefix of their names in errors.
///
/// # Errors
/// [`ArgumentError`] for the first member that is unknown, given twice, of another type, or
/// missing.
pub(super) fn members(
    object: ObjectSchema<'_>,
    path: &str,
    given: Map<String, Value>,
) -> Result<Map<String, Value>, ArgumentError> {
    // The value of each member, with the name under which it was given, for the message about
    // two spellings.
    let mut taken: BTreeMap<&str, (Value, String)> = BTreeMap::new();
    for (name, value) in given {
        let (member, schema) = object
            .member(&camel_case(&name))
            .or_else(|| find_alias(object, &name))
            .ok_or_else(|| unknown(object, path, &name))?;
        let value = aliases::in_form(&name, member, value);
        // Many clients send every argument of the schema, the unset ones as `null` or as an
        // empty text. An empty text for a required argument, or for one whose documentation
        // gives it a meaning, is a value.
        let is_unset =
            value.is_null() || value == "" && object.is_optional(member) && !takes_empty(schema);
        if is_unset {
            continue;
        }
        let own = format!("{path}{member}");
        let value = accept(&own, schema, value)?;
        // `maxResults` and `max_results` in one object are refused even if they are equal: one
        // of them is a mistake, and choosing one would be a guess. Two different names for one
        // member, such as `path` and its alias `file`, are accepted if their values are equal.
        match taken.get(member) {
            Some((_, other)) if camel_case(other) == camel_case(&name) => {
                return Err(ArgumentError::Twice { name: own });
            }
            Some((before, other)) if *before != value => {
                return Err(ArgumentError::Differing {
                    names: [other, &name].map(|name| format!("{path}{}", quote(name))),
                });
            }
            _ => taken.insert(member, (value, name)),
        };
    }
    // Missing arguments are reported after unknown ones. A caller that sends `querry` needs to
    // read that it is unknown and that `query` is nearest, and not that `query` is missing.
    if let Some(name) = object
        .required_members()
        .find(|name| !taken.contains_key(name))
    {
        let schema = object
            .member(name)
            .map_or(&Value::Null, |(_, schema)| schema);
        return Err(ArgumentError::Missing {
            name: format!("{path}{name}"),
            expected: expectation(schema),
        });
    }
    Ok(object
        .names()
        .filter_map(|name| Some((name.to_owned(), taken.remove(name)?.0)))
        .collect())
}

/// Returns the error for an unknown member; `path` is the prefix of names in errors.
pub(super) fn unknown(object: ObjectSchema<'_>, path: &str, name: &str) -> ArgumentError {
    let nearest = object.nearest(&camel_case(name));
    ArgumentError::Unknown {
        name: format!("{path}{}", quote(name)),
        nearest: nearest.map(|name| format!("{path}{name}")),
        names: object.names().map(|name| format!("{path}{name}")).collect(),
    }
}

/// Converts `value` to the type of `schema`; `name` is its name in errors.
///
/// # Errors
/// [`ArgumentError`] for a value of another type, or for an error within a list or an object.
pub(super) fn accept(name: &str, schema: &Value, value: Value) -> Result<Value, ArgumentError> {
    let mismatch = |value: &Value| ArgumentError::Mismatch {
        name: name.to_owned(),
        value: quote(&value.to_string()),
        expected: expectation(schema),
    };
    match (kind(schema), in_form(schema, value)) {
        ("array", Value::Array(items)) => items
            .into_iter()
            .enumerate()
            .map(|(index, value)| accept(&format!("{name}[{index}]"), &schema["items"], value))
            .collect(),
        ("object", Value::Object(given)) => match ObjectSchema::from_value(schema) {
            Some(object) => members(object, &format!("{name}."), given).map(Value::Object),
            None => Ok(Value::Object(given)),
        },
        (_, value) => scalar(schema, &value).ok_or_else(|| mismatch(&value)),
    }
}

/// Converts a value to the form that `schema` requires, if its own form means the same: the JSON
/// text of a list or an object becomes that list or object, a single value becomes a list of it,
/// and a list of one value becomes that value.
fn in_form(schema: &Value, value: Value) -> Value {
    let parsed = |value: Value, is_meant: fn(&Value) -> bool| match value.as_str() {
        Some(text) => serde_json::from_str(text)
            .ok()
            .filter(is_meant)
            .unwrap_or(value),
        None => value,
    };
    match kind(schema) {
        "object" => match (parsed(value, Value::is_object), first_of_texts(schema)) {
            (Value::String(text), Some(name)) => {
                Value::Object([(name.to_owned(), text.into())].into_iter().collect())
            }
            (value, _) => value,
        },
        "array" => {
            let item = &schema["items"];
            let value = match kind(item) {
                "object" => parsed(value, |it| it.is_array() || it.is_object()),
                _ => parsed(value, Value::is_array),
            };
            match in_list(schema, value) {
                Value::Array(items) => Value::Array(items),
                // A single object for a list of objects is always taken as its only item, so
                // that an error within it is reported for the item: `edits[0].oldText` is
                // missing. Of other values, only one that fits as an item is taken; `5` for a
                // list of strings is reported for the list.
                one if kind(item) == "object" && one.is_object() => Value::Array(vec![one]),
                one if scalar(item, &one).is_some() => Value::Array(vec![one]),
                other => other,
            }
        }
        // A list of one value is that value: other tools have a list where this one has a
        // single value, as `["docs"]` for a path. A nested list or object is not unpacked.
        _ => match value {
            Value::Array(mut items) if items.len() == 1 && !is_nested(&items[0]) => items.remove(0),
            value => value,
        },
    }
}

/// Returns the first member of an object for which a bare text may be written: all of its members
/// are texts, and none is required.
fn first_of_texts(schema: &Value) -> Option<&str> {
    let object = ObjectSchema::from_value(schema)?;
    let is_text = |name: &str| {
        let member = object.member(name);
        object.is_optional(name) && member.is_some_and(|(_, schema)| kind(schema) == "string")
    };
    object.names().all(is_text).then(|| object.names().next())?
}

fn is_nested(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

/// Returns true if an empty text has a meaning for the optional argument of `schema`: its
/// documentation mentions one. Otherwise an empty text counts as absent.
pub(super) fn takes_empty(schema: &Value) -> bool {
    let description = schema.get("description").and_then(Value::as_str);
    let mut words = description
        .unwrap_or_default()
        .split(|c: char| !c.is_alphabetic());
    kind(schema) == "string" && words.any(|word| word.eq_ignore_ascii_case("empty"))
}

/// Returns true if `0` lifts the limit that a number sets, according to its description.
pub(super) fn zero_lifts(schema: &Value) -> bool {
    let description = schema["description"].as_str();
    description.is_some_and(|text| text.contains("`0` is no budget"))
}

/// Converts a value other than a list or an object to the type of `schema`; none if it does not
/// fit.
fn scalar(schema: &Value, value: &Value) -> Option<Value> {
    match kind(schema) {
        "string" => {
            let text = value.as_str()?;
            match choices(schema) {
                Some(choices) => choice(choices, text).cloned(),
                None => Some(value.clone()),
            }
        }
        "boolean" => truth(value).map(Value::Bool),
        "integer" => {
            let whole = whole_number(&number(value)?)?;
            exact_number(schema, whole).map(Value::Number)
        }
        "number" => number(value).map(Value::Number),
        "array" | "object" => None,
        _ => Some(value.clone()),
    }
}

/// Returns the choice denoted by a text: in any style, it has the same letters.
fn choice<'a>(choices: &'a [Value], text: &str) -> Option<&'a Value> {
    // An exact match counts first, in case two choices ever differ only in style.
    let exact = choices.iter().find(|choice| choice.as_str() == Some(text));
    exact.or_else(|| {
        let letters = plain(text);
        let is_meant = |choice: &&Value| choice.as_str().is_some_and(|one| plain(one) == letters);
        choices.iter().find(is_meant)
    })
}

/// Removes the style of a name: `timedesc` for `time-desc`, `time_desc`, `timeDesc` and
/// `TIME_DESC`.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_'));
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns a boolean, which may be written as text: some models quote everything.
fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// Returns a number, which may be written as text.
fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// The value of an integer, and its form without a fraction.
type Whole = (i128, Number);

fn whole_number(number: &Number) -> Option<Whole> {
    if let Some(whole) = number.as_i64() {
        return Some((whole.into(), number.clone()));
    }
    if let Some(whole) = number.as_u64() {
        return Some((whole.into(), number.clone()));
    }
    let float = number.as_f64()?;
    // `5.0` is an integer in JSON Schema, and some languages write integers so. It is converted
    // through text, because a cast from float to integer saturates: `1e300` would silently
    // become the largest integer.
    let whole = format!("{float:.0}").parse::<i64>().ok()?;
    (float.fract() == 0.0).then(|| (whole.into(), whole.into()))
}

/// Returns an integer in a form that an argument of this schema can hold; none if its type cannot.
/// A value that is only outside the range is left to the component, whose error has a hint.
fn exact_number(schema: &Value, (whole, number): Whole) -> Option<Number> {
    let bound = |key: &str| {
        let bound = schema.get(key)?.as_number()?;
        whole_number(bound).map(|bound| bound.0)
    };
    // Only values that the type cannot hold are refused here. A documented range is narrower
    // than its type, and a value outside the range is left to the component, whose error
    // explains it. Integers of the contract are counts, so the types with a range hold at least
    // 0 to `u32::MAX`.
    let least = bound("minimum").map_or(i128::MIN, |least| least.min(0));
    let most = bound("maximum").map_or(i128::MAX, |most| most.max(u32::MAX.into()));
    if (least..=most).contains(&whole) {
        return Some(number);
    }
    let nearest = u64::try_from(whole.clamp(least, most)).ok()?;
    // A number that the component would clamp is clamped here if its type cannot hold it:
    // `limit: 99999999999`, by which a model means "all", becomes the largest value instead of
    // an error about a type.
    is_clamped(schema).then(|| nearest.into())
}

/// Returns true if a number outside its range is clamped to it, according to its description.
fn is_clamped(schema: &Value) -> bool {
    let description = schema.get("description").and_then(Value::as_str);
    description.is_some_and(|text| text.contains("clamped to "))
}

/// Describes the values that `schema` accepts, for the end of a sentence.
pub(super) fn expectation(schema: &Value) -> String {
    match kind(schema) {
        "string" => match choices(schema) {
            Some(choices) => {
                let choices: Vec<_> = choices.iter().filter_map(Value::as_str).collect();
                format!("one of `{}`", choices.join("`, `"))
            }
            None => "a string".to_owned(),
        },
        "boolean" => "true or false".to_owned(),
        "integer" => expected_integer(schema),
        "number" => "a number".to_owned(),
        "array" => match kind(&schema["items"]) {
            "string" => "a list of strings".to_owned(),
            _ => "a list".to_owned(),
        },
        "object" => match ObjectSchema::from_value(schema) {
            Some(object) => {
                let names: Vec<&str> = object.names().collect();
                format!("an object of `{}`", names.join("`, `"))
            }
            None => "an object".to_owned(),
        },
        _ => "a value".to_owned(),
    }
}

fn expected_integer(schema: &Value) -> String {
    match (schema.get("minimum"), schema.get("maximum")) {
        (Some(minimum), Some(maximum)) => format!("a whole number from {minimum} to {maximum}"),
        (Some(minimum), None) => format!("a whole number of {minimum} or more"),
        (None, Some(maximum)) => format!("a whole number up to {maximum}"),
        (None, None) => "a whole number".to_owned(),
    }
}

/// Returns the name of the type of `schema`; empty if it has none.
pub(super) fn kind(schema: &Value) -> &str {
    schema
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn choices(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("enum").and_then(Value::as_array)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn takes(schema: Value, given: Value, expected: Value) {
        assert_eq!(accept("it", &schema, given), Ok(expected));
    }

    #[track_caller]
    fn refuses(schema: Value, given: Value, message: &str) {
        let error = accept("it", &schema, given).unwrap_err();
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn a_choice_is_taken_in_every_style() {
        let sort = json!({"type": "string", "enum": ["time-desc", "time-asc", "and"]});
        for written in ["time-desc", "time_desc", "timeDesc", "TIME_DESC"] {
            takes(sort.clone(), json!(written), json!("time-desc"));
        }
        takes(sort.clone(), json!("AND"), json!("and"));
        let expected = "expected one of `time-desc`, `time-asc`, `and`";
        refuses(
            sort,
            json!("time"),
            &format!("`it` is \"time\"; {expected}"),
        );
    }

    #[test]
    fn numbers_and_truth_may_be_written_as_text() {
        let whole = json!({"type": "integer", "minimum": 0});
        for written in [json!(20), json!(20.0), json!("20"), json!("20.0")] {
            takes(whole.clone(), written, json!(20));
        }
        takes(json!({"type": "number"}), json!("0.5"), json!(0.5));
        for written in [json!(true), json!("true"), json!("True")] {
            takes(json!({"type": "boolean"}), written, json!(true));
        }
        takes(json!({"type": "boolean"}), json!("false"), json!(false));
        // A text stays a text.
        takes(json!({"type": "string"}), json!("20"), json!("20"));
        let expected = "expected a whole number of 0 or more";
        for (written, shown) in [
            (json!(""), "\"\""),
            (json!("2x"), "\"2x\""),
            (json!(-1), "-1"),
        ] {
            refuses(
                whole.clone(),
                written,
                &format!("`it` is {shown}; {expected}"),
            );
        }
        let wrong = "`it` is 1; expected true or false";
        refuses(json!({"type": "boolean"}), json!(1), wrong);
    }

    #[test]
    fn a_list_or_an_object_may_be_written_as_text_and_a_list_of_one_as_that_one() {
        let texts = json!({"type": "array", "items": {"type": "string"}});
        for (given, expected) in [
            (json!(r#"["a, b", "c"]"#), json!(["a, b", "c"])),
            (json!("a.md"), json!(["a.md"])),
            // Not a JSON list, so it is a text.
            (json!("[ab].md"), json!(["[ab].md"])),
            (json!("[]"), json!([])),
        ] {
            takes(texts.clone(), given, expected);
        }
        let numbers = json!({"type": "array", "items": {"type": "integer"}});
        takes(numbers.clone(), json!(3), json!([3]));
        takes(numbers.clone(), json!("3"), json!([3]));
        takes(numbers.clone(), json!(r#"["3", 4.0]"#), json!([3, 4]));
        refuses(numbers, json!("x"), "`it` is \"x\"; expected a list");
        let object = json!({"type": "object", "required": ["n"], "properties": {
            "n": {"type": "integer"}, "o": {"type": "object", "properties": {}},
        }});
        takes(
            object.clone(),
            json!(r#"{"n": "5", "o": "{}"}"#),
            json!({"n": 5, "o": {}}),
        );
        refuses(
            object.clone(),
            json!("[1]"),
            "`it` is \"[1]\"; expected an object of `n`, `o`",
        );
        let objects = json!({"type": "array", "items": object});
        for given in [
            json!(r#"[{"n": 1}]"#),
            json!(r#" {"n": 1} "#),
            json!({"n": 1}),
        ] {
            takes(objects.clone(), given, json!([{"n": 1}]));
        }
        takes(objects.clone(), json!([r#"{"n": 1}"#]), json!([{"n": 1}]));
        let missing = "`it[0].n` is missing; expected a whole number";
        refuses(objects.clone(), json!({"o": {}}), missing);
        refuses(objects, json!("n"), "`it` is \"n\"; expected a list");
    }

    #[test]
    fn an_error_tells_the_range() {
        let chars = json!({"type": "integer", "minimum": 1, "maximum": 200_000,
            "description": "Characters, 1 to 200000."});
        let expected = "expected a whole number from 1 to 200000";
        for (written, shown) in [
            (json!("x"), "\"x\""),
            (json!(-1), "-1"),
            (json!(4_294_967_296_u64), "4294967296"),
        ] {
            refuses(
                chars.clone(),
                written,
                &format!("`it` is {shown}; {expected}"),
            );
        }
        // The component refuses these, with a hint.
        takes(chars.clone(), json!(0), json!(0));
        takes(chars, json!(200_001), json!(200_001));
    }

    #[test]
    fn what_is_clamped_takes_any_number() {
        let context = json!({"type": "integer", "minimum": 10, "maximum": 500,
            "description": "Characters; clamped to 10 to 500."});
        let most = u32::MAX;
        for (given, expected) in [
            (json!(-5), json!(0)),
            (json!("-5.0"), json!(0)),
            (json!(i64::MIN), json!(0)),
            (json!(u64::MAX), json!(most)),
            (json!(3), json!(3)),
            (json!(501), json!(501)),
        ] {
            takes(context.clone(), given, expected);
        }
        let expected = "`it` is 0.5; expected a whole number from 10 to 500";
        refuses(context, json!(0.5), expected);
    }
}
