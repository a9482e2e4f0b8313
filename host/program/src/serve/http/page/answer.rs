//! Calls from the page, and their answers in both forms: as people see them, and as an agent would
//! receive them.

use std::sync::Arc;
use std::time::Duration;

use docent_host::render::Renderer;
use docent_host::tools::{self, Tool};
use docent_host::{CallControl, CallError, FileUsage, OpenedFile, Openings, Refusal};
use docent_text::tokens::estimate::estimate;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::super::desks::HttpDesk;
use super::super::reply::{self, Reply};
use super::super::routes::Asked;
use super::super::turns::NoTurn;
use super::{aside, refused};
use crate::explain;
use crate::serve::desk::{Answers, Called, Desk};
use crate::serve::recorder::Sent;

/// Client name of the page in the records of calls.
pub const CLIENT: &str = "page";

/// Maximum files of a call that are named: more than a person reads.
const MOST_NAMES: usize = 200;

/// The body of a request.
#[derive(Deserialize)]
struct Wanted {
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

/// A call and its outcome.
pub struct Answered {
    /// Service that ran the call.
    pub desk: Arc<HttpDesk>,
    /// Tool.
    pub tool: &'static Tool,
    /// Arguments.
    pub request: Map<String, Value>,
    /// Outcome.
    pub outcome: Result<Value, CallError>,
    /// Duration.
    pub time: Duration,
    /// Files that it opened, in the format of the page.
    pub files: Value,
}

/// An answer in the format of the page.
struct Formed {
    answer: Value,
    files: Value,
}

impl Sent for Formed {
    fn content(&self) -> Vec<u8> {
        self.answer.content()
    }
}

/// Calls the tool that the body of a request names.
pub async fn call(mut asked: Asked<'_>) -> Reply {
    let Wanted { tool, arguments } = match read(&mut asked).await {
        Ok(wanted) => wanted,
        Err(refused) => return refused,
    };
    let answered = match made(&asked, &tool, arguments).await {
        Ok(answered) => answered,
        Err(refused) => return refused,
    };
    aside(move || {
        let mut told = told(&answered);
        if let Ok(answer) = answered.outcome {
            told["structured"] = answer;
        }
        told
    })
    .await
}

/// Parses the body of a request.
///
/// # Errors
/// Returns the reply that refuses it.
pub async fn read<T: for<'a> Deserialize<'a>>(asked: &mut Asked<'_>) -> Result<T, Reply> {
    let text = asked.json_text().await?;
    serde_json::from_slice(&text).map_err(|error| {
        let problem = format!("the request is malformed: {error}");
        refused(StatusCode::BAD_REQUEST, "invalid-request", &problem, "")
    })
}

/// Calls a tool, in the fair queue of all calls.
///
/// # Errors
/// Returns the reply if the call was not made.
pub async fn made(
    asked: &Asked<'_>,
    name: &str,
    arguments: Map<String, Value>,
) -> Result<Answered, Reply> {
    let rights = &asked.principal.roots;
    if rights.is_empty() {
        let problem = "this token opens no root";
        return Err(refused(StatusCode::FORBIDDEN, "no-right", problem, ""));
    }
    let desk = asked.desk(rights).map_err(|refused| *refused)?;
    let tool = find(&desk, name)
        .map_err(|problem| refused(StatusCode::BAD_REQUEST, "invalid-request", &problem, ""))?;
    let request = tool.arguments(arguments).map_err(|error| {
        let (problem, usage) = (error.to_string(), tool.usage());
        refused(StatusCode::BAD_REQUEST, "invalid-request", &problem, &usage)
    })?;
    let _turn = asked.site.turn(&asked.principal).await.map_err(no_turn)?;
    let control = CallControl {
        cancel: asked.site.over.child_token(),
        progress: None,
        openings: None,
    };
    let caller = asked.principal.caller(Some(CLIENT));
    let start = Instant::now();
    // A person who leaves or cancels closes the connection: this future is dropped, and the call
    // stops.
    let form = |_: &Desk, _: &Map<String, Value>, called: Called<'_>| Formed {
        files: opened(called.openings),
        answer: called.answer,
    };
    let called = desk.desk.call(&caller, tool, &request, control, form);
    let (outcome, files) = match called.await {
        Ok(Formed { answer, files }) => (Ok(answer), files),
        Err(error) => (Err(error), Value::Null),
    };
    Ok(Answered {
        time: start.elapsed(),
        desk,
        tool,
        request,
        outcome,
        files,
    })
}

/// Returns the tool with this name. All read-only tools are available to people, whatever the
/// selection for agents: they show nothing that the others do not.
fn find(desk: &HttpDesk, name: &str) -> Result<&'static Tool, String> {
    let known = tools::table().find(name).filter(|tool| tool.read_only);
    known.map_or_else(|| desk.desk.find(name), Ok)
}

fn no_turn(reason: NoTurn) -> Reply {
    let (status, problem, seconds) = match reason {
        NoTurn::TooOften(seconds) => (
            StatusCode::TOO_MANY_REQUESTS,
            "too many calls with this token",
            seconds,
        ),
        NoTurn::Busy(seconds) => (
            StatusCode::SERVICE_UNAVAILABLE,
            "too many calls are waiting",
            seconds,
        ),
    };
    reply::retry_after(refused(status, "limit-reached", problem, ""), seconds)
}

/// Describes a call without its structured answer.
pub fn told(answered: &Answered) -> Value {
    let (outcome, error) = ended(&answered.outcome);
    let answers = answered.desk.desk.offer.answers;
    let renderer = &answered.desk.desk.renderer;
    let text = match &answered.outcome {
        Ok(answer) => sent(renderer, answers, answered.tool, &answered.request, answer),
        Err(error) => explain::call(error),
    };
    let mut told = json!({
        "outcome": outcome,
        "sent": weighed(&text),
        "ms": milliseconds(answered.time),
        "files": answered.files,
    });
    told["sent"]["text"] = text.into();
    if let Some(error) = error {
        told["error"] = error;
    }
    told
}

/// Describes the files that a call opened, in the format of the page: all are counted, the first
/// are named.
pub fn opened(openings: &Openings) -> Value {
    let is_opened = |file: &&OpenedFile| !matches!(file.usage, FileUsage::Refused(_));
    let files = || openings.files.iter().filter(is_opened);
    let names = files().take(MOST_NAMES);
    let names: Vec<_> = names
        .map(|file| json!({"root": &*file.root, "path": file.path}))
        .collect();
    json!({"opened": files().count() as u64 + openings.left_out, "names": names})
}

/// Returns the outcome of a call as a keyword, and the error if there is no answer.
pub fn ended(outcome: &Result<Value, CallError>) -> (&'static str, Option<Value>) {
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
pub fn sent(
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
pub fn weighed(text: &str) -> Value {
    json!({"bytes": text.len(), "tokens": estimate(text)})
}

/// Converts a duration to milliseconds with three decimals.
pub fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
