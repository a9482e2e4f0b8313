//! Conversion between JSON and the component model's values.
//!
//! Records become objects with camelCase keys, enums and flags become their names, and absent
//! options are omitted.

use serde_json::{Map, Number, Value};
use wasmtime::component::Val;
use wasmtime::component::types::{self, Type};

use crate::fault::{CallError, Fault, Refusal};
use docent_spelling::camel_case;
use docent_tool_catalog::quote;

/// The parameter whose fields callers pass as top-level arguments.
const OPTIONS: &str = "options";

/// Converts a call's flat arguments into the parameters of `function`.
///
/// # Errors
/// [`Fault::Arguments`] if a required argument is missing, one does not fit its type, or one is
/// unknown.
pub(crate) fn parameters(
    function: &types::ComponentFunc,
    mut arguments: Map<String, Value>,
) -> Result<Vec<Val>, Fault> {
    let mut values = Vec::new();
    for (name, ty) in function.params() {
        let value = match (&ty, name) {
            // The contract has the optional arguments of a tool in one record. Callers do not
            // see that record: `{"query": "x", "limit": 5}` is the parameter `query` and the
            // field `limit` of `options`.
            (Type::Option(inner), OPTIONS) if matches!(inner.ty(), Type::Record(_)) => {
                options(&inner.ty(), &mut arguments)?
            }
            _ => {
                let key = camel_case(name);
                match arguments.remove(&key) {
                    Some(value) => from_json(&ty, &value, &key)?,
                    None if matches!(ty, Type::Option(_)) => Val::Option(None),
                    None => return Err(Fault::Arguments(format!("`{key}` is missing"))),
                }
            }
        };
        values.push(value);
    }
    // Each parameter has removed its own arguments from the map, so the remaining ones are
    // unknown. They are refused and not ignored: a caller that misspells `limit` would take an
    // answer without a limit for the one that it asked for.
    refuse_any("", &arguments)?;
    Ok(values)
}

/// Refuses the members of an object that remain after all known ones were taken out.
fn refuse_any(path: &str, object: &Map<String, Value>) -> Result<(), Fault> {
    match object.keys().next() {
        None => Ok(()),
        Some(unknown) => Err(Fault::Arguments(format!(
            "`{path}{}` is not an argument of this tool",
            quote(unknown)
        ))),
    }
}

/// Collects the fields of an options record; none if no field is given.
fn options(record: &Type, arguments: &mut Map<String, Value>) -> Result<Val, Fault> {
    let before = arguments.len();
    let fields = fields("", record.unwrap_record(), arguments)?;
    let is_any_set = arguments.len() < before;
    Ok(Val::Option(
        is_any_set.then(|| Box::new(Val::Record(fields))),
    ))
}

/// Takes the fields of `record` out of `object`; `path` is the prefix of their names in errors.
fn fields(
    path: &str,
    record: &types::Record,
    object: &mut Map<String, Value>,
) -> Result<Vec<(String, Val)>, Fault> {
    let mut fields = Vec::new();
    for field in record.fields() {
        let key = camel_case(field.name);
        let name = format!("{path}{key}");
        let value = match object.remove(&key) {
            Some(value) => from_json(&field.ty, &value, &name)?,
            None if matches!(field.ty, Type::Option(_)) => Val::Option(None),
            None => return Err(Fault::Arguments(format!("`{name}` is missing"))),
        };
        fields.push((field.name.to_owned(), value));
    }
    Ok(fields)
}

/// Converts `value` to type `ty`; `name` is its name in an error.
fn from_json(ty: &Type, value: &Value, name: &str) -> Result<Val, Fault> {
    let mismatch = |expected: &str| {
        let given = quote(&value.to_string());
        Fault::Arguments(format!("`{name}` is {given}; expected {expected}"))
    };
    let unsigned = |most: u64| {
        value
            .as_u64()
            .filter(|number| *number <= most)
            .ok_or_else(|| mismatch(&format!("a whole number from 0 to {most}")))
    };
    let signed = |least: i64, most: i64| {
        value
            .as_i64()
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| mismatch(&format!("a whole number from {least} to {most}")))
    };
    Ok(match ty {
        Type::Bool => Val::Bool(value.as_bool().ok_or_else(|| mismatch("true or false"))?),
        // The bounds are those of the types, so no cast truncates.
        Type::U8 => Val::U8(unsigned(u8::MAX.into())? as u8),
        Type::U16 => Val::U16(unsigned(u16::MAX.into())? as u16),
        Type::U32 => Val::U32(unsigned(u32::MAX.into())? as u32),
        Type::U64 => Val::U64(unsigned(u64::MAX)?),
        Type::S8 => Val::S8(signed(i8::MIN.into(), i8::MAX.into())? as i8),
        Type::S16 => Val::S16(signed(i16::MIN.into(), i16::MAX.into())? as i16),
        Type::S32 => Val::S32(signed(i32::MIN.into(), i32::MAX.into())? as i32),
        Type::S64 => Val::S64(signed(i64::MIN, i64::MAX)?),
        Type::Float32 => Val::Float32(value.as_f64().ok_or_else(|| mismatch("a number"))? as f32),
        Type::Float64 => Val::Float64(value.as_f64().ok_or_else(|| mismatch("a number"))?),
        Type::String => Val::String(
            value
                .as_str()
                .ok_or_else(|| mismatch("a string"))?
                .to_owned(),
        ),
        Type::Char => {
            let mut letters = value.as_str().unwrap_or_default().chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) => Val::Char(letter),
                _ => return Err(mismatch("one character")),
            }
        }
        Type::List(list) => {
            let items = value.as_array().ok_or_else(|| mismatch("a list"))?;
            let item = list.ty();
            Val::List(
                items
                    .iter()
                    .map(|value| from_json(&item, value, name))
                    .collect::<Result<_, _>>()?,
            )
        }
        Type::Option(_) if value.is_null() => Val::Option(None),
        Type::Option(inner) => Val::Option(Some(Box::new(from_json(&inner.ty(), value, name)?))),
        Type::Enum(cases) => {
            let word = value.as_str().unwrap_or_default();
            if !cases.names().any(|known| known == word) {
                let known: Vec<_> = cases.names().collect();
                return Err(mismatch(&format!("one of {}", known.join(", "))));
            }
            Val::Enum(word.to_owned())
        }
        Type::Record(record) => {
            let mut object = value
                .as_object()
                .ok_or_else(|| mismatch("an object"))?
                .clone();
            let path = format!("{name}.");
            let fields = fields(&path, record, &mut object)?;
            refuse_any(&path, &object)?;
            Val::Record(fields)
        }
        other => {
            return Err(Fault::Arguments(format!(
                "`{name}` has a type that JSON cannot express: {other:?}"
            )));
        }
    })
}

/// Converts the result of a function into its answer.
///
/// # Errors
/// The guest's refusal, or [`Fault::ResultTooLarge`] if the answer contains more than `cap` bytes
/// of text.
pub(crate) fn answer(value: Val, cap: usize) -> Result<Value, CallError> {
    // One budget for the whole answer. With a limit for each text, an answer of a million texts
    // of one kilobyte each would pass.
    let mut left = cap;
    let too_large = || CallError::Fault(Fault::ResultTooLarge(cap));
    match value {
        Val::Result(Ok(Some(value))) => to_json(*value, &mut left).ok_or_else(too_large),
        Val::Result(Ok(None)) => Ok(Value::Null),
        Val::Result(Err(Some(value))) => {
            let refusal = to_json(*value, &mut left).ok_or_else(too_large)?;
            let text = |key: &str| refusal[key].as_str().unwrap_or_default().to_owned();
            Err(CallError::Refused(Refusal {
                code: text("code"),
                message: text("message"),
                hint: text("hint"),
            }))
        }
        Val::Result(Err(None)) => Err(CallError::Refused(Refusal {
            code: "internal-error".to_owned(),
            message: "the component gave no reason".to_owned(),
            hint: String::new(),
        })),
        other => to_json(other, &mut left).ok_or_else(too_large),
    }
}

/// Converts `value`, taking the bytes of its text from `left`; none if they run out.
fn to_json(value: Val, left: &mut usize) -> Option<Value> {
    let mut text = |text: String| {
        *left = left.checked_sub(text.len())?;
        Some(Value::String(text))
    };
    Some(match value {
        Val::Bool(value) => Value::Bool(value),
        Val::U8(value) => value.into(),
        Val::U16(value) => value.into(),
        Val::U32(value) => value.into(),
        Val::U64(value) => value.into(),
        Val::S8(value) => value.into(),
        Val::S16(value) => value.into(),
        Val::S32(value) => value.into(),
        Val::S64(value) => value.into(),
        Val::Float32(value) => float(value.into()),
        Val::Float64(value) => float(value),
        Val::String(value) => text(value)?,
        Val::Char(value) => text(value.to_string())?,
        Val::Enum(value) => text(value)?,
        Val::Flags(values) => values.into_iter().map(text).collect::<Option<_>>()?,
        Val::Option(None) => Value::Null,
        Val::Option(Some(value)) => to_json(*value, left)?,
        Val::List(values) | Val::Tuple(values) => values
            .into_iter()
            .map(|value| to_json(value, left))
            .collect::<Option<_>>()?,
        Val::Record(fields) => {
            let mut object = Map::new();
            for (name, value) in fields {
                if !matches!(value, Val::Option(None)) {
                    object.insert(camel_case(&name), to_json(value, left)?);
                }
            }
            Value::Object(object)
        }
        Val::Variant(name, value) => {
            let inner = value.map_or(Some(Value::Null), |value| to_json(*value, left))?;
            let mut object = Map::new();
            object.insert(camel_case(&name), inner);
            Value::Object(object)
        }
        // Resources, futures and streams are not part of docent's contract.
        _ => Value::Null,
    })
}

fn float(value: f64) -> Value {
    // JSON has neither infinities nor NaN; they become null.
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}
