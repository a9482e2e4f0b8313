//! `docent call` and `docent tools`: the tools on the command line.

use docent_host::render::Renderer;
use docent_host::tools::{self, ArgumentError, Tool};
use docent_host::{CallError, Session};
use serde_json::{Map, Value, json};

use crate::terminal::error::CommandError;
use crate::terminal::trace::Trace;

/// A reason for which words of the command line are not valid arguments of a tool.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// A word starts like a JSON object but is not valid JSON.
    #[error("the arguments are no JSON object: {0}")]
    Json(#[from] serde_json::Error),
    /// A word without `=`.
    #[error("`{0}` is no argument; expected NAME=VALUE")]
    NoAssignment(String),
    /// Two words for one argument.
    #[error("`{0}` is given twice; expected it once")]
    Twice(String),
    /// The tool refuses the argument.
    #[error("{} {}", invalid_request(), .0)]
    Argument(#[from] ArgumentError),
}

/// Returns the displayed code of a malformed request.
fn invalid_request() -> String {
    tools::table().label("invalid-request")
}

/// Returns the arguments of a call: one JSON object, or assignments.
///
/// # Errors
/// Returns the fault of the first invalid argument.
pub fn request(tool: &Tool, words: &[String]) -> Result<Map<String, Value>, RequestError> {
    let arguments = match words {
        // Argument names never start with a brace.
        [json] if json.trim_start().starts_with('{') => serde_json::from_str(json)?,
        words => assignments(tool, words)?,
    };
    Ok(tool.arguments(arguments)?)
}

fn assignments(tool: &Tool, words: &[String]) -> Result<Map<String, Value>, RequestError> {
    let mut arguments = Map::new();
    for word in words {
        let (name, text) = word
            .split_once('=')
            .ok_or_else(|| RequestError::NoAssignment(word.clone()))?;
        let (name, value) = tool.assignment(name, text)?;
        if arguments.insert(name.clone(), value).is_some() {
            return Err(RequestError::Twice(name));
        }
    }
    Ok(arguments)
}

/// The form in which an answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// Markdown, as models read it.
    Markdown,
    /// JSON, as the component returned it.
    Json,
}

/// Calls a tool and returns its answer in printed form.
///
/// # Errors
/// Returns an error if the component refuses the call or fails.
pub fn run(
    session: &mut Session,
    tool: &Tool,
    request: Map<String, Value>,
    form: AnswerForm,
    trace: Trace,
) -> Result<String, CallError> {
    let mut request = request;
    if form == AnswerForm::Json {
        tool.lift_budget(&mut request);
    }
    // The request is kept to render the answer, whose last line names the next call.
    let answer = session.call(&tool.function, request.clone())?;
    Ok(match form {
        AnswerForm::Json => format!("{answer:#}"),
        AnswerForm::Markdown => trace.timed("answer rendered", || {
            Renderer::new().answer(tool.names(), &request, &answer)
        }),
    })
}

/// Returns a description of all tools, as text or as JSON.
pub fn list(as_json: bool) -> String {
    let tools = &tools::table().tools;
    if !as_json {
        return tools.iter().map(described).collect::<Vec<_>>().join("\n");
    }
    let tools: Vec<_> = tools
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name,
                "title": tool.title,
                "description": tool.description,
                "readOnly": tool.read_only,
                "destructive": tool.destructive,
                "idempotent": tool.idempotent,
                "inputSchema": tool.input_schema,
                "outputSchema": tool.output_schema,
            })
        })
        .collect();
    format!("{:#}", Value::Array(tools))
}

fn described(tool: &Tool) -> String {
    let effect = match (tool.read_only, tool.destructive) {
        (true, _) => "changes nothing",
        (false, false) => "creates",
        (false, true) => "may replace or delete",
    };
    let mut text = format!("{} ({effect})\n", tool.name);
    for paragraph in tool.description.split("\n\n") {
        text.push_str(&format!("  {paragraph}\n"));
    }
    for name in tool.argument_names() {
        let schema = tool.argument(name).unwrap_or(&Value::Null);
        let required = if tool.required().any(|required| required == name) {
            ", required"
        } else {
            ""
        };
        let kind = match (schema["enum"].as_array(), schema["type"].as_str()) {
            (Some(choices), _) => choices
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join("|"),
            (None, Some("array")) => "list".to_owned(),
            (None, kind) => kind.unwrap_or("value").to_owned(),
        };
        let description = schema["description"].as_str().unwrap_or_default();
        let default = match &schema["default"] {
            Value::Null => String::new(),
            Value::String(default) => format!(" Default: `{default}`."),
            default => format!(" Default: `{default}`."),
        };
        text.push_str(&format!(
            "    {name} ({kind}{required}): {description}{default}\n"
        ));
    }
    text
}
