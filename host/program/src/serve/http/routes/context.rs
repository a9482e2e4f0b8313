//! `/context`: the tools for scripts, without MCP. The answer to GET is the tool's own, with names
//! in snake case; to POST it is an MCP result with that answer in `structuredContent`.

use docent_host::tools::{self, ArgumentError, Tool};
use docent_host::{CallControl, CallError, Fault};
use http::header::USER_AGENT;
use http::{Method, StatusCode};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::serve::http::query;
use crate::serve::http::reply::{self, Reply};
use crate::serve::http::routes::request::AuthenticatedRequest;
use crate::serve::http::scheduling::fair_queue::Rejected;
use crate::serve::message::{self, INVALID_PARAMS, INVALID_REQUEST, Parsed, refusal};
use crate::serve::tool_service::{Answer, ToolService};

/// Actions of GET, and the tools that they call.
const ACTIONS: [(&str, &str); 3] = [
    ("search", "search_documents"),
    ("list", "list_documents"),
    ("read", "read_document"),
];

/// Code of a malformed request.
const INVALID: &str = "INVALID_PARAMS";

const METHOD_NOT_FOUND: i64 = -32601;

/// A failed call, as reported to scripts.
struct Failure {
    status: StatusCode,
    code: String,
    message: String,
    hint: String,
    /// Seconds after which a retry may succeed.
    again: Option<u64>,
    /// True if the tool was called, or refused its arguments: that is an MCP result, while a
    /// malformed request is a JSON-RPC error.
    is_of_the_call: bool,
}

/// Answers a request to `/context`.
pub async fn answer(asked: AuthenticatedRequest<'_>) -> Reply {
    match asked.parts.method {
        Method::GET => get(&asked).await,
        Method::POST => post(asked).await,
        _ => reply::not_allowed("GET, POST"),
    }
}

async fn get(asked: &AuthenticatedRequest<'_>) -> Reply {
    let Some(mut pairs) = query::pairs(asked.parts.uri.query().unwrap_or_default()) else {
        return Failure::invalid("the query cannot be read; expected names and values").reply();
    };
    let Some(at) = pairs.iter().position(|(name, _)| name == "action") else {
        return reply::json(StatusCode::OK, &usage());
    };
    let (_, action) = pairs.remove(at);
    match parse_request(&action, &pairs) {
        Ok((tool, request)) => match call(asked, tool, request, script_form).await {
            Ok(answer) => reply::json(StatusCode::OK, &answer),
            Err(failure) => failure.reply(),
        },
        Err(failure) => failure.reply(),
    }
}

/// Returns the tool of an action, and its arguments.
fn parse_request(
    action: &str,
    pairs: &[(String, String)],
) -> Result<(&'static Tool, Map<String, Value>), Failure> {
    let tool = tool_of(action).ok_or_else(|| {
        let names = ACTIONS.map(|(name, _)| name).join("`, `");
        let action = tools::quote(action);
        Failure::invalid(format!(
            "unknown action `{action}`; expected one of `{names}`"
        ))
    })?;
    let mut request = Map::new();
    for (name, value) in pairs {
        let (name, value) = tool.assignment(name, value).map_err(Failure::argument)?;
        if request.insert(name.clone(), value).is_some() {
            let problem = format!("`{name}` is given twice; expected it once");
            return Err(Failure::invalid(problem));
        }
    }
    Ok((tool, tool.arguments(request).map_err(Failure::argument)?))
}

fn tool_of(action: &str) -> Option<&'static Tool> {
    let (_, tool) = ACTIONS.iter().find(|(name, _)| *name == action)?;
    tools::table().find(tool)
}

/// Returns the description of the actions.
fn usage() -> Value {
    let actions = ACTIONS.iter().filter_map(|(action, name)| {
        let tool = tools::table().find(name)?;
        let arguments = tool.argument_names().map(|name| {
            let schema = tool.argument(name).unwrap_or(&Value::Null);
            (snake_case(name), schema["description"].clone())
        });
        let described = json!({
            "tool": name,
            "description": tool.description.split("\n\n").next(),
            "arguments": Value::Object(arguments.collect()),
        });
        Some(((*action).to_owned(), described))
    });
    json!({
        "usage": "GET /context?action=ACTION&NAME=VALUE..., or POST a JSON-RPC 2.0 `tools/call`",
        "actions": Value::Object(actions.collect()),
    })
}

async fn post(mut asked: AuthenticatedRequest<'_>) -> Reply {
    let text = match asked.json_text().await {
        Ok(text) => text,
        Err(refused) => return refused,
    };
    let bad = |answer: &Value| reply::json(StatusCode::BAD_REQUEST, answer);
    let request = match message::parse(&text) {
        Ok(Parsed::One(request)) => request,
        Ok(Parsed::Batch(_)) => Value::Null,
        Err(refusal) => return bad(&refusal),
    };
    let id = request
        .get("id")
        .filter(|id| id.is_string() || id.is_number());
    let id = id.cloned();
    if request["jsonrpc"] != "2.0" || id.is_none() || !request["method"].is_string() {
        let problem = "invalid request; expected one JSON-RPC 2.0 request";
        return bad(&refusal(INVALID_REQUEST, problem, id));
    }
    if request["method"] != "tools/call" {
        let problem = "unknown method; expected `tools/call`";
        return bad(&refusal(METHOD_NOT_FOUND, problem, id));
    }
    let result = match parse_call(&asked, &request) {
        Ok((tool, arguments)) => call(&asked, tool, arguments, result_form(tool)).await,
        Err(failure) => Err(failure),
    };
    let result = match result {
        Ok(result) => result,
        Err(failure) if failure.is_of_the_call => failure.result(),
        Err(failure) => return failure.rpc_reply(id),
    };
    reply::json(
        StatusCode::OK,
        &json!({"jsonrpc": "2.0", "id": id, "result": result}),
    )
}

/// Converts an answer to the form of GET.
fn script_form(_: &ToolService, _: &Map<String, Value>, called: Answer<'_>) -> Value {
    format_success(called.answer)
}

/// Converts an answer of `tool` to an MCP result.
fn result_form(
    tool: &'static Tool,
) -> impl FnOnce(&ToolService, &Map<String, Value>, Answer<'_>) -> Value + Send + 'static {
    move |service, request, called| {
        let text = service
            .renderer
            .answer(tool.names(), request, &called.answer);
        let is_error = tools::refusal::is_withheld(&called.answer);
        result(&text, format_success(called.answer), is_error)
    }
}

fn result(text: &str, structured: Value, is_error: bool) -> Value {
    json!({
        "content": [{"type": "text", "text": text}],
        "structuredContent": structured,
        "isError": is_error,
    })
}

/// Returns the tool that a POST request names, and its arguments.
fn parse_call(
    asked: &AuthenticatedRequest<'_>,
    request: &Value,
) -> Result<(&'static Tool, Map<String, Value>), Failure> {
    let name = request["params"]["name"].as_str().unwrap_or_default();
    let service = asked
        .service(&asked.principal.roots)
        .map_err(|_| Failure::busy(1))?;
    // The tools of GET are available to POST as well, even if they are not on offer over MCP.
    let of_get = ACTIONS.iter().find(|(_, tool)| *tool == name);
    let tool = match of_get.and_then(|(action, _)| tool_of(action)) {
        Some(tool) => tool,
        None => service.tools.find(name).map_err(Failure::invalid)?,
    };
    let arguments = match &request["params"]["arguments"] {
        Value::Null => Map::new(),
        Value::Object(arguments) => arguments.clone(),
        _ => {
            return Err(Failure::invalid(
                "malformed `arguments`; expected an object",
            ));
        }
    };
    Ok((tool, tool.arguments(arguments).map_err(Failure::argument)?))
}

/// Calls a tool for the principal. Returns its answer in that form.
async fn call(
    asked: &AuthenticatedRequest<'_>,
    tool: &'static Tool,
    mut request: Map<String, Value>,
    form: impl FnOnce(&ToolService, &Map<String, Value>, Answer<'_>) -> Value + Send + 'static,
) -> Result<Value, Failure> {
    tool.lift_budget(&mut request);
    let service = asked
        .service(&asked.principal.roots)
        .map_err(|_| Failure::busy(1))?;
    let client = asked.parts.headers.get(USER_AGENT);
    let client = client.and_then(|client| client.to_str().ok());
    let caller = asked.principal.caller(client);
    let permit = asked.state.permit(&asked.principal).await;
    let permit = permit.map_err(Failure::no_turn)?;
    let cancel = CancellationToken::new();
    // If the client disconnects, this future is dropped. The guard then cancels the call, and
    // the task, which is not dropped, records its outcome and returns its permit.
    let _gone = cancel.clone().drop_guard();
    let call = tokio::spawn(async move {
        let control = CallControl {
            cancel,
            progress: None,
            openings: None,
        };
        let answer = service
            .tools
            .call(&caller, tool, &request, control, form)
            .await;
        drop(permit);
        answer
    });
    let answer = call
        .await
        .map_err(|_| Failure::internal("the call has ended"))?;
    answer.map_err(Failure::call)
}

/// Returns an answer in snake case, with a field that marks it as a success.
fn format_success(answer: Value) -> Value {
    let mut shown = Map::new();
    shown.insert("success".to_owned(), true.into());
    if let Value::Object(fields) = snake_cased(answer) {
        shown.extend(fields);
    }
    shown.into()
}

/// Renames all fields. Fields of answers are names of the contract, never content of documents.
fn snake_cased(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter();
            fields
                .map(|(name, value)| (snake_case(&name), snake_cased(value)))
                .collect()
        }
        Value::Array(items) => items.into_iter().map(snake_cased).collect(),
        other => other,
    }
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

impl Failure {
    fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        Self {
            status,
            code: code.to_owned(),
            message: message.into(),
            hint: String::new(),
            again: None,
            is_of_the_call: false,
        }
    }

    fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, INVALID, message)
    }

    #[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
    fn argument(error: ArgumentError) -> Self {
        Self {
            is_of_the_call: true,
            ..Self::invalid(error.to_string())
        }
    }

    fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL_ERROR", message)
    }

    fn busy(seconds: u64) -> Self {
        let problem = "too many calls are waiting; try again in a moment";
        Self {
            again: Some(seconds),
            ..Self::new(StatusCode::SERVICE_UNAVAILABLE, "LIMIT_REACHED", problem)
        }
    }

    fn no_turn(reason: Rejected) -> Self {
        match reason {
            Rejected::Busy(seconds) => Self::busy(seconds),
            Rejected::RateLimited(seconds) => {
                let problem = "too many calls with this token; try again later";
                Self {
                    again: Some(seconds),
                    ..Self::new(StatusCode::TOO_MANY_REQUESTS, "LIMIT_REACHED", problem)
                }
            }
        }
    }

    fn call(error: CallError) -> Self {
        match error {
            CallError::Refused(refusal) => {
                // Codes such as `invalid-request` and `invalid-cursor` mean that the request
                // itself is wrong. Scripts get one code for all of them; codes about the
                // target, such as `not-found`, stay apart.
                let code = if refusal.code.starts_with("invalid-") {
                    INVALID.to_owned()
                } else {
                    refusal.code.replace('-', "_").to_ascii_uppercase()
                };
                Self {
                    hint: refusal.hint,
                    is_of_the_call: true,
                    ..Self::new(StatusCode::BAD_REQUEST, &code, refusal.message)
                }
            }
            CallError::Fault(fault) => match fault {
                Fault::Busy => Self::busy(1),
                Fault::Arguments(problem) => Self::invalid(problem),
                Fault::Timeout(_) | Fault::RootSilent(_) => {
                    Self::new(StatusCode::GATEWAY_TIMEOUT, "TIMEOUT", fault.to_string())
                }
                Fault::OutOfMemory(_) | Fault::ResultTooLarge(_) => {
                    Self::new(StatusCode::BAD_REQUEST, "LIMIT_REACHED", fault.to_string())
                }
                fault => Self::internal(fault.to_string()),
            },
        }
    }

    /// Returns the reply to GET.
    fn reply(self) -> Reply {
        let reply = reply::json(self.status, &json!({"error": self.error()}));
        again(reply, self.again)
    }

    /// Returns the failure as an MCP result.
    fn result(self) -> Value {
        let text = format!("{}: {}\n{}", self.code, self.message, self.hint);
        let structured = json!({"success": false, "error": self.error()});
        result(text.trim_end(), structured, true)
    }

    fn error(&self) -> Value {
        let mut error = json!({"code": self.code, "message": self.message});
        if !self.hint.is_empty() {
            error["hint"] = self.hint.as_str().into();
        }
        error
    }

    /// Returns the reply to a JSON-RPC request.
    fn rpc_reply(self, id: Option<Value>) -> Reply {
        let number = if self.code == INVALID {
            INVALID_PARAMS
        } else {
            // The HTTP status, because JSON-RPC defines no code for this case.
            i64::from(self.status.as_u16())
        };
        let mut answer = refusal(number, &self.message, id);
        let mut data = json!({"code": self.code});
        if !self.hint.is_empty() {
            data["hint"] = self.hint.into();
        }
        answer["error"]["data"] = data;
        again(reply::json(self.status, &answer), self.again)
    }
}

fn again(reply: Reply, seconds: Option<u64>) -> Reply {
    match seconds {
        Some(seconds) => reply::retry_after(reply, seconds),
        None => reply,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_fields_are_in_snake_case() {
        let answer = json!({"totalMatches": 1, "results": [{"matchCount": 2, "name": "aB"}]});
        assert_eq!(
            format_success(answer),
            json!({"success": true, "total_matches": 1, "results": [{"match_count": 2, "name": "aB"}]})
        );
    }

    #[test]
    fn the_usage_names_every_action_with_its_arguments() {
        let usage = usage();
        for (action, _) in ACTIONS {
            assert!(
                usage["actions"][action]["arguments"]["path"].is_string(),
                "{usage}"
            );
        }
        let search = &usage["actions"]["search"]["arguments"];
        assert!(
            search["context_chars"].is_string() && search["query"].is_string(),
            "{usage}"
        );
    }
}
