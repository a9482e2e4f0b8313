//! Everything that a call reveals, as one text.

use docent_host::CallError;
use serde_json::Value;

/// Returns all text of an answer or of an error, in the form in which it is read.
#[must_use]
pub fn everything(result: &Result<Value, CallError>) -> String {
    match result {
        Ok(answer) => {
            let mut text = String::new();
            collect(answer, &mut text);
            text
        }
        Err(CallError::Refused(refusal)) => {
            format!("{}\n{}\n{}", refusal.code, refusal.message, refusal.hint)
        }
        Err(fault) => fault.to_string(),
    }
}

fn collect(value: &Value, text: &mut String) {
    match value {
        Value::String(string) => {
            text.push_str(string);
            text.push('\n');
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, text)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the `path` of every item below `list` of these answers, in order.
#[must_use]
pub fn paths(answers: &[Value], list: &str) -> Vec<String> {
    answers
        .iter()
        .filter_map(|answer| answer[list].as_array())
        .flatten()
        .filter_map(|item| item["path"].as_str())
        .map(|path| path.trim_start_matches('/').to_owned())
        .collect()
}

/// Returns the code of a refusal; otherwise a description of the outcome.
#[must_use]
pub fn code(result: &Result<Value, CallError>) -> String {
    match result {
        Ok(answer) => format!("answer {answer}"),
        Err(CallError::Refused(refusal)) => refusal.code.clone(),
        Err(CallError::Fault(fault)) => format!("{fault:?}"),
    }
}
