//! Calls of the functions that are imported.

use std::mem;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{Component, WrapperRefusal};

/// The bindings generated from `wit/`, with docent's exports as imports.
#[allow(
    missing_docs,
    unsafe_code,
    dead_code,
    clippy::all,
    clippy::pedantic,
    reason = "generated from wit/, where the documentation stands"
)]
mod bindings {
    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}

/// The component that is plugged into the one that is compiled.
pub struct Imported;

impl Component for Imported {
    fn call(
        &mut self,
        function: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, WrapperRefusal> {
        call(function, arguments)
    }
}

include!(concat!(env!("OUT_DIR"), "/calls.rs"));

/// Takes a required argument.
fn take<T: DeserializeOwned>(
    arguments: &mut Map<String, Value>,
    name: &str,
) -> Result<T, WrapperRefusal> {
    let value = arguments.remove(name).unwrap_or_default();
    serde_json::from_value(value)
        .map_err(|error| WrapperRefusal::internal(format!("`{name}`: {error}")))
}

/// Takes the remaining arguments as a record of options; none if there are none left.
fn rest<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<Option<T>, WrapperRefusal> {
    if arguments.is_empty() {
        return Ok(None);
    }
    serde_json::from_value(Value::Object(arguments))
        .map(Some)
        .map_err(|error| WrapperRefusal::internal(error.to_string()))
}

fn outcome<T: Serialize>(
    result: Result<T, bindings::docent::docent::types::Error>,
) -> Result<Value, WrapperRefusal> {
    match result {
        Ok(answer) => serde_json::to_value(answer)
            .map(without_nulls)
            .map_err(|error| WrapperRefusal::internal(error.to_string())),
        Err(error) => Err(WrapperRefusal {
            code: serde_json::to_value(error.code)
                .ok()
                .and_then(|code| code.as_str().map(str::to_owned))
                .unwrap_or_default(),
            message: error.message,
            hint: error.hint,
        }),
    }
}

/// Returns an answer without null members.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name, without_nulls(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}
