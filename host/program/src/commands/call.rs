//! `docent call`: calls a tool.

use std::process::ExitCode;

use clap::Args;
use docent_host::render::Renderer;
use docent_host::tools::{self, ArgumentError, Tool};
use docent_host::{CallError, Session};
use serde_json::{Map, Value};

use crate::app::App;
use crate::args::Roots;
use crate::explain;
use crate::terminal::error::CommandError;
use crate::terminal::notes::say;
use crate::terminal::outcome::{NOTHING, TROUBLE};
use crate::terminal::style::{visible, visible_lines};
use crate::terminal::tools::find;
use crate::terminal::trace::Trace;

/// The arguments of `docent call`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent call search_documents query=budget max-results=3 --root ~/notes

Exit status: 0 with an answer, 1 when the tool refuses or fails, 2 on an error.")]
pub struct CallArgs {
    /// The tool, as `docent tools` lists it
    tool: String,
    /// Arguments: one JSON object, or NAME=VALUE for each
    #[arg(value_name = "JSON | NAME=VALUE")]
    arguments: Vec<String>,
    #[command(flatten)]
    roots: Roots,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

/// Calls a tool and prints its answer.
///
/// # Errors
/// Returns an error if the tool is unknown, if no directory can be granted, or if the output cannot
/// be written.
pub fn run(app: &App, args: CallArgs) -> Result<ExitCode, CommandError> {
    let tool = find(&args.tool)?;
    let request = match request(tool, &args.arguments) {
        Ok(request) => request,
        Err(error) => {
            let error = error.to_string();
            say(format_args!("{}\n{}", visible(&error), tool.usage()));
            return Ok(ExitCode::from(TROUBLE));
        }
    };
    let (setup, grants) = app.grant(&args.roots.into())?;
    let form = if args.json {
        AnswerForm::Json
    } else {
        AnswerForm::Markdown
    };
    let mut session = app.session(&setup, grants)?;
    match answer(&mut session, tool, request, form, app.trace()) {
        // Piped output is unchanged, since a program reads it. On a terminal, control
        // characters of documents would take effect: an escape sequence could retitle the
        // window or hide lines.
        Ok(text) if app.stdout_is_terminal() => app.print(&visible_lines(&text)),
        Ok(text) => app.print(&text),
        Err(error) => {
            say(explain::call(&error));
            Ok(ExitCode::from(NOTHING))
        }
    }
}

/// A reason for which words of the command line are not valid arguments of a tool.
#[derive(Debug, thiserror::Error)]
enum ArgumentsError {
    /// A word starts like a JSON object but is not valid JSON.
    #[error("the arguments are not a JSON object: {0}")]
    Json(#[from] serde_json::Error),
    /// A word without `=`.
    #[error("`{0}` is not an argument; expected NAME=VALUE")]
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
fn request(tool: &Tool, words: &[String]) -> Result<Map<String, Value>, ArgumentsError> {
    let arguments = match words {
        // Argument names never start with a brace.
        [json] if json.trim_start().starts_with('{') => serde_json::from_str(json)?,
        words => assignments(tool, words)?,
    };
    Ok(tool.arguments(arguments)?)
}

fn assignments(tool: &Tool, words: &[String]) -> Result<Map<String, Value>, ArgumentsError> {
    let mut arguments = Map::new();
    for word in words {
        let (name, text) = word
            .split_once('=')
            .ok_or_else(|| ArgumentsError::NoAssignment(word.clone()))?;
        let (name, value) = tool.assignment(name, text)?;
        if arguments.insert(name.clone(), value).is_some() {
            return Err(ArgumentsError::Twice(name));
        }
    }
    Ok(arguments)
}

/// The form in which an answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerForm {
    /// Markdown, as models read it.
    Markdown,
    /// JSON, as the component returned it.
    Json,
}

/// Calls a tool and returns its answer in printed form.
///
/// # Errors
/// Returns an error if the component refuses the call or fails.
fn answer(
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
        AnswerForm::Markdown => trace.time("answer rendered", || {
            Renderer::new().answer(tool.names(), &request, &answer)
        }),
    })
}
