//! Calls of every tool, generated from the tool table, so that a new tool is covered as well.

use docent_host::tools::{Tool, table};
use docent_host::{CallError, Session};
use serde_json::{Map, Value, json};

/// The value of text arguments other than paths: it occurs in every document of the tests' trees.
pub const WORD: &str = "harbour";

/// Maximum pages of one call before it counts as endless.
const MOST_PAGES: usize = 200;

/// A call of the sweep and its result.
#[derive(Debug)]
pub struct Outcome {
    /// Name of the exported function.
    pub function: String,
    /// Arguments of the call.
    pub arguments: Map<String, Value>,
    /// Answer of one page, or the error.
    pub result: Result<Value, CallError>,
}

/// Calls every tool with each of `paths` in every path argument, in every mode of the tool, through
/// all pages, and passes each outcome to `look`.
///
/// # Panics
/// If pages never end.
pub fn with_paths(session: &mut Session, paths: &[&str], mut look: impl FnMut(Outcome)) {
    for tool in &table().tools {
        for argument in path_arguments(tool) {
            for path in paths {
                for mut arguments in variants(tool) {
                    let is_list = tool
                        .argument(&argument)
                        .is_some_and(|a| a["type"] == "array");
                    let given = if is_list { json!([path]) } else { json!(path) };
                    arguments.insert(argument.clone(), given);
                    all_pages(session, tool, arguments, &mut look);
                }
            }
        }
    }
}

/// Calls every tool with its necessary arguments, in every mode, through all pages.
///
/// # Panics
/// If pages never end.
pub fn without_paths(session: &mut Session, mut look: impl FnMut(Outcome)) {
    for tool in &table().tools {
        for arguments in variants(tool) {
            all_pages(session, tool, arguments, &mut look);
        }
    }
}

/// Returns the names of a tool's arguments that take a path.
#[must_use]
pub fn path_arguments(tool: &Tool) -> Vec<String> {
    tool.argument_names()
        .filter(|name| ["path", "paths"].contains(name) || name.ends_with("Path"))
        .map(str::to_owned)
        .collect()
}

/// Returns the necessary arguments of a tool.
#[must_use]
pub fn necessary(tool: &Tool) -> Map<String, Value> {
    let mut arguments: Map<String, Value> = tool
        .required()
        .filter_map(|name| Some((name.to_owned(), given(tool.argument(name)?))))
        .collect();
    // One of a tool's criteria is sufficient.
    for name in ["content", "query"] {
        if tool.argument(name).is_some() {
            arguments.insert(name.to_owned(), WORD.into());
        }
    }
    arguments
}

/// Returns a value that an argument with this schema accepts.
fn given(schema: &Value) -> Value {
    if let Some(cases) = schema["enum"].as_array() {
        return cases[0].clone();
    }
    match schema["type"].as_str() {
        // Edits have many forms; this is the simplest.
        Some("array") => json!([{ "oldText": WORD, "newText": "quay" }]),
        _ => WORD.into(),
    }
}

/// Returns a tool's necessary arguments, once for each combination of options that shows other
/// content.
#[must_use]
pub fn variants(tool: &Tool) -> Vec<Map<String, Value>> {
    let commands = |name: &str| tool.argument(name)?["enum"].as_array();
    let chosen = tool
        .required()
        .find_map(|name| Some((name, commands(name)?)));
    let Some((name, commands)) = chosen else {
        return variants_of_one(tool);
    };
    let with = |command: &Value| {
        let mut arguments = necessary(tool);
        arguments.insert(name.to_owned(), command.clone());
        arguments
    };
    commands.iter().map(with).collect()
}

fn variants_of_one(tool: &Tool) -> Vec<Map<String, Value>> {
    let mut plain = necessary(tool);
    if tool.argument("contextChars").is_some() {
        plain.insert("contextChars".to_owned(), json!(500));
    }
    if tool.argument("maxDepth").is_some() {
        plain.insert("maxDepth".to_owned(), json!(64));
    }
    let mut all = vec![plain.clone()];
    let modes = tool
        .argument("mode")
        .and_then(|schema| schema["enum"].as_array());
    // This mode is always refused without an embedder.
    let is_offered = |mode: &&Value| *mode != "semantic";
    for mode in modes.into_iter().flatten().filter(is_offered) {
        let mut arguments = plain.clone();
        arguments.insert("mode".to_owned(), mode.clone());
        all.push(arguments);
    }
    if tool.argument("includeDirectories").is_some() {
        let mut arguments = plain.clone();
        arguments.insert("includeHidden".to_owned(), json!(true));
        arguments.insert("includeDirectories".to_owned(), json!(true));
        all.push(arguments);
    }
    if tool.argument("pattern").is_some() {
        // Replaces the query, and reads everything readable.
        let mut arguments = plain.clone();
        arguments.remove("query");
        arguments.insert("pattern".to_owned(), json!(".*"));
        all.push(arguments.clone());
        arguments.insert("output".to_owned(), json!("values"));
        arguments.insert("multiline".to_owned(), json!(true));
        all.push(arguments);
    }
    let views = tool
        .argument("view")
        .and_then(|schema| schema["enum"].as_array());
    for view in views.into_iter().flatten() {
        // With every permission that a caller can set.
        let mut arguments = plain.clone();
        arguments.insert("view".to_owned(), view.clone());
        for name in ["allowSensitive", "allowBinary", "allowGlobs"] {
            arguments.insert(name.to_owned(), json!(true));
        }
        all.push(arguments.clone());
        if view == "section" {
            // The section is selected by the query.
            continue;
        }
        arguments.remove("query");
        all.push(arguments.clone());
        arguments.insert("intent".to_owned(), json!("evidence"));
        all.push(arguments);
    }
    if tool.argument("extensions").is_some() {
        let mut arguments = plain;
        arguments.insert("extensions".to_owned(), json!(EXTENSIONS));
        all.push(arguments);
    }
    all
}

/// Extensions by which a caller may try to reach more files.
const EXTENSIONS: [&str; 18] = [
    "md",
    "txt",
    "pem",
    "p12",
    "pfx",
    "key",
    "kdbx",
    "jks",
    "keystore",
    "ppk",
    "tfstate",
    "env",
    "local",
    "netrc",
    "pypirc",
    "git-credentials",
    "pub",
    "PEM",
];

/// Returns the cursor of an answer's next page, as an argument.
fn next_cursor(answer: &Value) -> Option<Value> {
    let simple = answer.get("nextCursor").cloned();
    let next = |name: &str| answer.get("next")?.get(name).cloned();
    let items = || next("itemsCursor").map(|items| json!({"items": items}));
    let content = || next("contentCursor").map(|content| json!({"content": content}));
    simple.or_else(items).or_else(content)
}

fn all_pages(
    session: &mut Session,
    tool: &Tool,
    mut arguments: Map<String, Value>,
    look: &mut impl FnMut(Outcome),
) {
    for _ in 0..MOST_PAGES {
        let result = session.call(&tool.function, arguments.clone());
        let next = result.as_ref().ok().and_then(next_cursor);
        look(Outcome {
            function: tool.function.clone(),
            arguments: arguments.clone(),
            result,
        });
        match next {
            Some(next) => arguments.insert("cursor".to_owned(), next),
            None => return,
        };
    }
    panic!(
        "{} {arguments:?} has more than {MOST_PAGES} pages",
        tool.function
    );
}
