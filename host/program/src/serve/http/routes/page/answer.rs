//! Calls from the page, and their answers in both forms: as people see them, and as an agent would
//! receive them.

use std::sync::Arc;
use std::time::Duration;

use docent_host::tools::{self, Tool};
use docent_host::{CallControl, CallError};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::response::{aside, refusal};
use crate::explain;
use crate::serve::http::call_report;
use crate::serve::http::reply::{self, Reply};
use crate::serve::http::routes::request::AuthenticatedRequest;
use crate::serve::http::scheduling::fair_queue::Rejected;
use crate::serve::http::tenants::TenantService;
use crate::serve::recorder::RecordedBytes;
use crate::serve::tool_service::{Answer, ToolService};

/// Client name of the page in the records of calls.
pub const CLIENT: &str = "page";

/// The body of a request.
#[derive(Deserialize)]
struct AnswerBody {
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

/// A call and its outcome.
pub struct Answered {
    /// Service that ran the call.
    pub service: Arc<TenantService>,
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

impl RecordedBytes for Formed {
    fn content(&self) -> Vec<u8> {
        self.answer.content()
    }
}

/// Calls the tool that the body of a request names.
pub async fn call(mut asked: AuthenticatedRequest<'_>) -> Reply {
    let AnswerBody { tool, arguments } = match read(&mut asked).await {
        Ok(wanted) => wanted,
        Err(refused) => return refused,
    };
    let answered = match run_call(&asked, &tool, arguments).await {
        Ok(answered) => answered,
        Err(refused) => return refused,
    };
    aside(move || {
        let mut told = describe(&answered);
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
pub async fn read<T: for<'a> Deserialize<'a>>(
    asked: &mut AuthenticatedRequest<'_>,
) -> Result<T, Reply> {
    let text = asked.json_text().await?;
    serde_json::from_slice(&text).map_err(|error| {
        let problem = format!("the request is malformed: {error}");
        refusal(StatusCode::BAD_REQUEST, "invalid-request", &problem, "")
    })
}

/// Calls a tool, in the fair queue of all calls.
///
/// # Errors
/// Returns the reply if the call was not made.
pub async fn run_call(
    asked: &AuthenticatedRequest<'_>,
    name: &str,
    arguments: Map<String, Value>,
) -> Result<Answered, Reply> {
    let rights = &asked.principal.roots;
    if rights.is_empty() {
        let problem = "this token opens no root";
        return Err(refusal(StatusCode::FORBIDDEN, "no-right", problem, ""));
    }
    let service = asked.service(rights).map_err(|refused| *refused)?;
    let tool = find(&service, name)
        .map_err(|problem| refusal(StatusCode::BAD_REQUEST, "invalid-request", &problem, ""))?;
    let request = tool.arguments(arguments).map_err(|error| {
        let (problem, usage) = (error.to_string(), tool.usage());
        refusal(StatusCode::BAD_REQUEST, "invalid-request", &problem, &usage)
    })?;
    let _turn = asked
        .state
        .permit(&asked.principal)
        .await
        .map_err(no_turn)?;
    let control = CallControl {
        cancel: asked.state.over.child_token(),
        progress: None,
        openings: None,
    };
    let caller = asked.principal.caller(Some(CLIENT));
    let start = Instant::now();
    // A person who leaves the view or cancels closes the connection. This future is dropped
    // then, and the call stops.
    let form = |_: &ToolService, _: &Map<String, Value>, called: Answer<'_>| Formed {
        files: call_report::describe_opened(called.openings),
        answer: called.answer,
    };
    let called = service.tools.call(&caller, tool, &request, control, form);
    let (outcome, files) = match called.await {
        Ok(Formed { answer, files }) => (Ok(answer), files),
        Err(error) => (Err(error), Value::Null),
    };
    Ok(Answered {
        time: start.elapsed(),
        service,
        tool,
        request,
        outcome,
        files,
    })
}

/// Returns the tool with this name. All read-only tools are available to people, whatever the
/// selection for agents: they show nothing that the others do not.
fn find(service: &TenantService, name: &str) -> Result<&'static Tool, String> {
    let known = tools::table().find(name).filter(|tool| tool.read_only);
    known.map_or_else(|| service.tools.find(name), Ok)
}

fn no_turn(reason: Rejected) -> Reply {
    let (status, problem, seconds) = match reason {
        Rejected::RateLimited(seconds) => (
            StatusCode::TOO_MANY_REQUESTS,
            "too many calls with this token",
            seconds,
        ),
        Rejected::Busy(seconds) => (
            StatusCode::SERVICE_UNAVAILABLE,
            "too many calls are waiting",
            seconds,
        ),
    };
    reply::retry_after(refusal(status, "limit-reached", problem, ""), seconds)
}

/// Describes a call without its structured answer.
pub fn describe(answered: &Answered) -> Value {
    let (outcome, error) = call_report::outcome_keyword(&answered.outcome);
    let answers = answered.service.tools.offer.answers;
    let renderer = &answered.service.tools.renderer;
    let text = match &answered.outcome {
        Ok(answer) => {
            call_report::sent_text(renderer, answers, answered.tool, &answered.request, answer)
        }
        Err(error) => explain::call(error),
    };
    let mut told = json!({
        "outcome": outcome,
        "sent": call_report::measure_text(&text),
        "ms": call_report::milliseconds(answered.time),
        "files": answered.files,
    });
    told["sent"]["text"] = text.into();
    if let Some(error) = error {
        told["error"] = error;
    }
    told
}
