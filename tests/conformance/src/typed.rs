//! Calls of a case through the types of the contract.

use docent_tools::{Docent, ToolSettings};
use docent_tree::disk::{Disk, WriteDisk};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::case::Case;
use crate::outcome::kebab_case;

/// Options whose values are enumerations.
const ENUMERATED: [&str; 17] = [
    "mode",
    "sort",
    "time_field",
    "relevance",
    "category",
    "date_field",
    "operator",
    "intent",
    "view",
    "match",
    "at",
    "op",
    "if_exists",
    "scope",
    "aspects",
    "depth",
    "output",
];

/// Fields that are keywords of Rust, to which an underscore is appended.
const RUST_WORDS: [&str; 2] = ["match", "move"];

/// The tools that write.
const WRITING: [&str; 5] = [
    "change",
    "write",
    "manage",
    "create-document",
    "delete-document",
];

/// Returns true if a case writes, so that its calls cannot be repeated with the same answers.
pub fn writes(case: &Case) -> bool {
    let mut tools = case.calls.iter().map(|call| call.tool.as_str());
    tools.any(|tool| WRITING.contains(&tool))
}

/// Returns a docent for a case, configured by its variables, with a cache of `cache` bytes.
pub fn docent<D: Disk>(disk: D, case: &Case, cache: &str) -> Docent<D> {
    let settings = ToolSettings::from_lookup(|name| match name {
        "DOCENT_CACHE_BYTES" => Some(cache.to_owned()),
        name => case.env.get(name).cloned(),
    });
    Docent::new(disk, settings)
}

/// Calls a tool with flat arguments in camelCase.
///
/// # Errors
/// The tool's own error.
pub fn call<D: WriteDisk>(
    docent: &mut Docent<D>,
    tool: &str,
    mut args: Map<String, Value>,
) -> Result<Value, Value> {
    let mut required = |name: &str| match args.remove(name) {
        Some(Value::String(text)) => text,
        other => panic!("`{name}` is {other:?}; expected a text"),
    };
    match tool {
        "search-documents" => {
            let query = required("query");
            outcome(docent.search_documents(query, options(args)))
        }
        "read-document" => {
            let path = required("path");
            outcome(docent.read_document(path, options(args)))
        }
        "explore" => outcome(docent.explore(options(args))),
        "understand" => outcome(docent.understand(options(args))),
        "grep" => {
            let pattern = required("pattern");
            outcome(docent.grep(pattern, options(args)))
        }
        "find-files" => outcome(docent.find_files(options(args))),
        "query-document" => {
            let (path, query) = (required("path"), required("query"));
            outcome(docent.query_document(path, query, options(args)))
        }
        "summarize-document" => {
            let path = required("path");
            outcome(docent.summarize_document(path, options(args)))
        }
        "smart-search" => {
            let query = required("query");
            outcome(docent.smart_search(query, options(args)))
        }
        "context-search" => outcome(docent.context_search(options(args))),
        "list-documents" => outcome(docent.list_documents(options(args))),
        "list-full-tree" => outcome(docent.list_full_tree(options(args))),
        "change" => {
            let edits = args.remove("edits").unwrap_or_default();
            outcome(docent.change(edits_of(edits), options(args)))
        }
        "write" => {
            let path = required("path");
            outcome(docent.write(path, options(args)))
        }
        "manage" => {
            let command = Value::String(pascal_case(&required("command")));
            let Ok(command) = serde_json::from_value(command) else {
                panic!("no such command")
            };
            outcome(docent.manage(command, options(args)))
        }
        "create-document" => {
            let (path, content) = (required("path"), required("content"));
            outcome(docent.create_document(path, content, options(args)))
        }
        "delete-document" => {
            let path = required("path");
            outcome(docent.delete_document(path, options(args)))
        }
        "get-config" => outcome(docent.get_config()),
        other => panic!("`{other}` is no tool"),
    }
}

fn outcome<T: Serialize, E: Serialize>(result: Result<T, E>) -> Result<Value, Value> {
    match result {
        Ok(answer) => Ok(json!(answer)),
        Err(error) => Err(json!(error)),
    }
}

/// Returns the options record of a tool; none without arguments.
fn options<T: DeserializeOwned>(args: Map<String, Value>) -> Option<T> {
    if args.is_empty() {
        return None;
    }
    let fields = renamed(args);
    match serde_json::from_value(Value::Object(fields)) {
        Ok(options) => Some(options),
        Err(error) => panic!("these are no options: {error}"),
    }
}

/// Returns the edits of a request.
fn edits_of(edits: Value) -> Vec<docent_api::writing::Edit> {
    let Value::Array(edits) = edits else {
        panic!("`edits` is {edits}; expected a list")
    };
    let edits = edits.into_iter().map(renamed_value);
    match serde_json::from_value(edits.collect()) {
        Ok(edits) => edits,
        Err(error) => panic!("these are no edits: {error}"),
    }
}

/// Renames fields to the names of the Rust types.
fn renamed(fields: Map<String, Value>) -> Map<String, Value> {
    let name = |(key, value): (String, Value)| {
        let mut key = kebab_case(&key).replace('-', "_");
        let value = match value {
            Value::String(text) if ENUMERATED.contains(&key.as_str()) => {
                Value::String(pascal_case(&text))
            }
            Value::Array(texts) if ENUMERATED.contains(&key.as_str()) => {
                let named =
                    |text: Value| text.as_str().map(pascal_case).map_or(text, Value::String);
                Value::Array(texts.into_iter().map(named).collect())
            }
            other => renamed_value(other),
        };
        if RUST_WORDS.contains(&key.as_str()) {
            key.push('_');
        }
        (key, value)
    };
    fields.into_iter().map(name).collect()
}

fn renamed_value(value: Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(renamed(fields)),
        Value::Array(values) => values.into_iter().map(renamed_value).collect(),
        other => other,
    }
}

/// Converts a name to PascalCase: `FullContext` for `full-context`.
fn pascal_case(name: &str) -> String {
    let words = name.split('-').map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    });
    words.collect()
}
