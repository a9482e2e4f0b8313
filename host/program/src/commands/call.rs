//! `docent call` and `docent tools`: the tools at the command line.

use docent_host::render::Renderer;
use docent_host::tools::{self, Tool};
use docent_host::{CallError, Session};
use serde_json::{Map, Value, json};

use crate::explain;

/// A set of tools: its name, and whether it holds a tool.
type Set = (&'static str, fn(&Tool) -> bool);

/// The few tools that do most, the others, and all of them.
const SETS: [Set; 3] = [
    ("pillars", |tool| tool.pillar),
    ("documents", |tool| !tool.pillar),
    ("all", |_| true),
];

/// Returns the tool with this name; `search-documents` is taken for `search_documents`.
///
/// # Errors
/// Names the tools there are.
pub fn find(name: &str) -> Result<&'static Tool, String> {
    let table = tools::table();
    table
        .find(&name.replace('-', "_"))
        .ok_or_else(|| match table.nearest(name) {
            Some(nearest) => {
                format!("unknown tool `{name}`; expected `{nearest}`, which is the nearest")
            }
            None => {
                let names: Vec<_> = table.tools.iter().map(|tool| tool.name.as_str()).collect();
                format!(
                    "unknown tool `{name}`; expected one of `{}`",
                    names.join("`, `")
                )
            }
        })
}

/// Returns the tools with these names or in the sets of these names, in the order of the contract.
///
/// # Errors
/// Names the tools there are.
pub fn chosen(names: &[String]) -> Result<Vec<&'static Tool>, String> {
    let (mut wanted, mut sets) = (Vec::new(), Vec::new());
    for name in names.iter().map(|name| name.trim()) {
        match SETS.iter().find(|(set, _)| *set == name) {
            Some((_, holds)) => sets.push(holds),
            None => wanted.push(find(name)?.name.as_str()),
        }
    }
    let is_chosen =
        |tool: &&Tool| wanted.contains(&tool.name.as_str()) || sets.iter().any(|holds| holds(tool));
    Ok(tools::table().tools.iter().filter(is_chosen).collect())
}

/// Returns the arguments of a call: one JSON object, or assignments.
///
/// # Errors
/// What is wrong, and on a second line which arguments there are.
pub fn request(tool: &Tool, words: &[String]) -> Result<Map<String, Value>, String> {
    let given = match words {
        [json] if json.trim_start().starts_with('{') => {
            serde_json::from_str(json).map_err(|error| {
                format!(
                    "the arguments are no JSON object: {error}\n{}",
                    tool.usage()
                )
            })?
        }
        words => assignments(tool, words)?,
    };
    tool.arguments(given)
        .map_err(|error| explain::argument(tool, &error))
}

fn assignments(tool: &Tool, words: &[String]) -> Result<Map<String, Value>, String> {
    let mut given = Map::new();
    for word in words {
        let Some((name, text)) = word.split_once('=') else {
            return Err(format!(
                "`{word}` is no argument; expected NAME=VALUE\n{}",
                tool.usage()
            ));
        };
        let (name, value) = tool
            .assignment(name, text)
            .map_err(|error| explain::argument(tool, &error))?;
        if given.insert(name.clone(), value).is_some() {
            return Err(format!(
                "`{name}` is given twice; expected it once\n{}",
                tool.usage()
            ));
        }
    }
    Ok(given)
}

/// Calls a tool and returns its answer as Markdown, or as JSON.
///
/// # Errors
/// What the component or the engine says.
pub fn run(
    session: &mut Session,
    tool: &Tool,
    request: Map<String, Value>,
    as_json: bool,
) -> Result<String, CallError> {
    let answer = session.call(&tool.function, request.clone())?;
    Ok(if as_json {
        format!("{answer:#}")
    } else {
        Renderer::new().answer(tool, &request, &answer)
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
        text.push_str(&format!("    {name} ({kind}{required}): {description}\n"));
    }
    text
}
