//! Makes a case's calls through the types of the contract.

use docent_tools::{Docent, Settings};
use docent_tree::disk::Disk;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::case::Case;
use crate::outcome::kebab_case;

/// Options whose values are enumerations.
const ENUMERATED: [&str; 9] = [
    "mode",
    "sort",
    "time_field",
    "relevance",
    "category",
    "date_field",
    "operator",
    "intent",
    "view",
];

/// Returns a docent for a case, configured by its variables and with `cache` bytes of cache.
pub fn docent<D: Disk>(disk: D, case: &Case, cache: &str) -> Docent<D> {
    let settings = Settings::from_lookup(|name| match name {
        "DOCENT_CACHE_BYTES" => Some(cache.to_owned()),
        name => case.env.get(name).cloned(),
    });
    Docent::new(disk, settings)
}

/// Calls a tool with flat arguments in camelCase.
///
/// # Errors
/// The tool's own.
pub fn call<D: Disk>(
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

/// Returns the record of a tool's options; none where there are no arguments.
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

/// Returns fields as the types name them.
fn renamed(fields: Map<String, Value>) -> Map<String, Value> {
    let name = |(key, value): (String, Value)| match (kebab_case(&key).replace('-', "_"), value) {
        (key, Value::String(text)) if ENUMERATED.contains(&key.as_str()) => {
            (key, Value::String(pascal_case(&text)))
        }
        (key, Value::Object(fields)) => (key, Value::Object(renamed(fields))),
        other => other,
    };
    fields.into_iter().map(name).collect()
}

/// Returns `full-context` as `FullContext`.
fn pascal_case(name: &str) -> String {
    let words = name.split('-').map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    });
    words.collect()
}
