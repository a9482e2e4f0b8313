//! The values of a TOML table, with the errors of those that are not as expected.

use docent_host::tools;
use toml::{Table, Value};

pub fn refuse_unknown(table: &Table, prefix: &str, keys: &[&str]) -> Result<(), String> {
    // An unknown key is refused and not ignored: with a misspelt `exlude`, the files that it
    // should hide would be exposed without a sign.
    let Some(unknown) = table.keys().find(|key| !keys.contains(&key.as_str())) else {
        return Ok(());
    };
    Err(match tools::nearest(unknown, keys.iter().copied()) {
        Some(nearest) => {
            format!("unknown key `{prefix}{unknown}`; expected `{nearest}`, which is the nearest")
        }
        None => format!(
            "unknown key `{prefix}{unknown}`; expected one of `{}`",
            keys.join("`, `")
        ),
    })
}

pub fn list<'a>(table: &'a Table, key: &str) -> Result<&'a [Value], String> {
    match table.get(key) {
        None => Ok(&[]),
        Some(Value::Array(items)) => Ok(items),
        Some(other) => Err(mismatch(key, other, "a list")),
    }
}

pub fn string(table: &Table, prefix: &str, key: &str) -> Result<Option<String>, String> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(mismatch(&format!("{prefix}{key}"), other, "a string")),
    }
}

pub fn number(table: &Table, key: &str, least: u64) -> Result<Option<u64>, String> {
    let Some(value) = table.get(key) else {
        return Ok(None);
    };
    value
        .as_integer()
        .and_then(|number| u64::try_from(number).ok())
        .filter(|number| *number >= least)
        .map(Some)
        .ok_or_else(|| {
            mismatch(
                &format!("limits.{key}"),
                value,
                &format!("a whole number of {least} or more"),
            )
        })
}

pub fn mismatch(name: &str, value: &Value, expected: &str) -> String {
    let value = match value {
        Value::Table(_) => "a table".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) => format!("\"{text}\""),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        Value::Datetime(time) => time.to_string(),
    };
    format!("`{name}` is {value}; expected {expected}")
}
