//! The value of an argument: taken in the forms in which callers write it, or refused.

use serde_json::{Number, Value};

use super::arguments::{ArgumentError, members, quoted};
use super::habits::in_list;
use super::object_schema::ObjectSchema;

/// Returns `value` as `schema` has it; `name` is what errors call it.
///
/// # Errors
/// [`ArgumentError`] for a value of another type, or what is wrong within a list or an object.
pub(super) fn accepted(name: &str, schema: &Value, value: Value) -> Result<Value, ArgumentError> {
    let mismatch = |value: &Value| ArgumentError::Mismatch {
        name: name.to_owned(),
        value: quoted(&value.to_string()),
        expected: expectation(schema),
    };
    match (kind(schema), in_form(schema, value)) {
        ("array", Value::Array(items)) => items
            .into_iter()
            .enumerate()
            .map(|(index, value)| accepted(&format!("{name}[{index}]"), &schema["items"], value))
            .collect(),
        ("object", Value::Object(given)) => match ObjectSchema::of(schema) {
            Some(object) => members(object, &format!("{name}."), given).map(Value::Object),
            None => Ok(Value::Object(given)),
        },
        (_, value) => scalar(schema, &value).ok_or_else(|| mismatch(&value)),
    }
}

/// Returns a value in the form that `schema` asks for, where it has another one that says the same: the
/// text of a list or an object in JSON is that list or object, one value is a list of it, and a list of
/// one value is that value.
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
                // What is wrong within an object is told of that one; what is no item at all is told
                // of the list.
                one if kind(item) == "object" && one.is_object() => Value::Array(vec![one]),
                one if scalar(item, &one).is_some() => Value::Array(vec![one]),
                other => other,
            }
        }
        // What is a list elsewhere holds just one here.
        _ => match value {
            Value::Array(mut items) if items.len() == 1 && !is_nested(&items[0]) => items.remove(0),
            value => value,
        },
    }
}

/// Returns the first member of an object of which a text alone may be meant: all are texts, and none
/// is required.
fn first_of_texts(schema: &Value) -> Option<&str> {
    let object = ObjectSchema::of(schema)?;
    let is_text = |name: &str| {
        let member = object.member(name);
        object.is_optional(name) && member.is_some_and(|(_, schema)| kind(schema) == "string")
    };
    object.names().all(is_text).then(|| object.names().next())?
}

fn is_nested(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

/// Whether an empty text says something where `schema` is of an argument that can be left out: the
/// documentation tells what it does. Elsewhere it says that nothing is meant.
pub(super) fn takes_empty(schema: &Value) -> bool {
    let description = schema.get("description").and_then(Value::as_str);
    let mut words = description
        .unwrap_or_default()
        .split(|c: char| !c.is_alphabetic());
    kind(schema) == "string" && words.any(|word| word.eq_ignore_ascii_case("empty"))
}

/// Returns whether `0` lifts the bound that a number sets, as its description says.
pub(super) fn zero_lifts(schema: &Value) -> bool {
    let description = schema["description"].as_str();
    description.is_some_and(|text| text.contains("`0` is no budget"))
}

/// Returns what is neither a list nor an object as `schema` has it; none where it does not fit.
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
            held(schema, whole).map(Value::Number)
        }
        "number" => number(value).map(Value::Number),
        "array" | "object" => None,
        _ => Some(value.clone()),
    }
}

/// Returns the choice that is meant: in whatever style it is written, it has the same letters.
fn choice<'a>(choices: &'a [Value], text: &str) -> Option<&'a Value> {
    // Exactly first, should two choices ever differ in nothing but their style.
    let exact = choices.iter().find(|choice| choice.as_str() == Some(text));
    exact.or_else(|| {
        let letters = plain(text);
        let is_meant = |choice: &&Value| choice.as_str().is_some_and(|one| plain(one) == letters);
        choices.iter().find(is_meant)
    })
}

/// Returns `timedesc` for `time-desc`, `time_desc`, `timeDesc` and `TIME_DESC`.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_'));
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns a truth value, also one that is written as text: some models quote everything.
fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// Returns a number, also one that is written as text.
fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// The value of a whole number, and how it is written without a fraction.
type Whole = (i128, Number);

fn whole_number(number: &Number) -> Option<Whole> {
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

/// Returns a whole number as an argument of this schema can hold it; none where its type cannot. What
/// is outside the range alone is left to the component, which knows what to do instead.
fn held(schema: &Value, (whole, number): Whole) -> Option<Number> {
    let bound = |key: &str| {
        let bound = schema.get(key)?.as_number()?;
        whole_number(bound).map(|bound| bound.0)
    };
    // Whole numbers are counts, none of which is less than nothing; of those whose range is told,
    // no type of the contract is smaller than this one.
    let least = bound("minimum").map_or(i128::MIN, |least| least.min(0));
    let most = bound("maximum").map_or(i128::MAX, |most| most.max(u32::MAX.into()));
    if (least..=most).contains(&whole) {
        return Some(number);
    }
    let nearest = u64::try_from(whole.clamp(least, most)).ok()?;
    is_clamped(schema).then(|| nearest.into())
}

/// Whether a number outside its range is taken as the nearest one within, as its description says.
fn is_clamped(schema: &Value) -> bool {
    let description = schema.get("description").and_then(Value::as_str);
    description.is_some_and(|text| text.contains("clamped to "))
}

/// Returns what `schema` takes, for the end of a sentence.
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
        "object" => match ObjectSchema::of(schema) {
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

/// Returns the name of the type that `schema` has; empty where it has none.
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
        assert_eq!(accepted("it", &schema, given), Ok(expected));
    }

    #[track_caller]
    fn refuses(schema: Value, given: Value, message: &str) {
        let error = accepted("it", &schema, given).unwrap_err();
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
        // A text stays one.
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
            // No list, so a text.
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
        // The component refuses these, and knows what to do instead.
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
