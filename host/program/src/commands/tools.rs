//! `docent tools`: lists the tools.

use std::process::ExitCode;

use clap::Args;
use docent_host::tools::{self, Tool};
use serde_json::{Value, json};

use crate::app::App;
use crate::terminal::error::CommandError;

/// The arguments of `docent tools`.
#[derive(Debug, Args)]
pub struct ToolsArgs {
    /// Print names, descriptions and schemas as JSON
    #[arg(long)]
    json: bool,
}

/// Lists the tools.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn run(app: &App, args: &ToolsArgs) -> Result<ExitCode, CommandError> {
    app.print(&list(args.json))
}

/// Returns a description of all tools, as text or as JSON.
fn list(as_json: bool) -> String {
    let tools = &tools::table().tools;
    if !as_json {
        return tools.iter().map(describe).collect::<Vec<_>>().join("\n");
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

fn describe(tool: &Tool) -> String {
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
        let required = if tool.required_arguments().any(|required| required == name) {
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
