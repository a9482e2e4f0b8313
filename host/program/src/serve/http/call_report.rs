//! Calls as the page describes them: their outcome, the files that they opened, and the answer as
//! an agent receives it.

use std::time::Duration;

use docent_host::render::Renderer;
use docent_host::tools::Tool;
use docent_host::{CallError, FileUsage, OpenedFile, Openings, Refusal};
use docent_text::tokens::estimate::estimate;
use serde_json::{Map, Value, json};

use crate::explain;
use crate::serve::tool_service::Answers;

/// Maximum files of a call that are named: more than a person reads.
const MOST_NAMES: usize = 200;

/// Describes the files that a call opened, in the format of the page: all are counted, the first
/// are named.
pub fn describe_opened(openings: &Openings) -> Value {
    let is_opened = |file: &&OpenedFile| !matches!(file.usage, FileUsage::Refused(_));
    let files = || openings.files.iter().filter(is_opened);
    let names = files().take(MOST_NAMES);
    let names: Vec<_> = names
        .map(|file| json!({"root": &*file.root, "path": file.path}))
        .collect();
    json!({"opened": files().count() as u64 + openings.left_out, "names": names})
}

/// Returns the outcome of a call as a keyword, and the error if there is no answer.
pub fn outcome_keyword(outcome: &Result<Value, CallError>) -> (&'static str, Option<Value>) {
    match outcome {
        Ok(_) => ("answered", None),
        Err(CallError::Refused(Refusal {
            code,
            message,
            hint,
        })) => (
            "refused",
            Some(json!({"code": code, "message": message, "hint": hint})),
        ),
        Err(error @ CallError::Fault(_)) => {
            let text = explain::call(error);
            let (message, hint) = text.split_once('\n').unwrap_or((&text, ""));
            (
                "failed",
                Some(json!({"code": "", "message": message, "hint": hint})),
            )
        }
    }
}

/// Returns an answer exactly as an agent receives it.
pub fn sent_text(
    renderer: &Renderer,
    answers: Answers,
    tool: &Tool,
    request: &Map<String, Value>,
    answer: &Value,
) -> String {
    match answers {
        Answers::Markdown => renderer.answer(tool.names(), request, answer),
        Answers::Structured => answer.to_string(),
    }
}

/// Returns the size of a text, with its estimated tokens.
pub fn measure_text(text: &str) -> Value {
    json!({"bytes": text.len(), "tokens": estimate(text)})
}

/// Converts a duration to milliseconds with three decimals.
pub fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
