//! Runs the conformance cases on the tree in memory.

#[expect(clippy::disallowed_methods, reason = "the cases are files")]
#[path = "../../../tests/conformance/case.rs"]
mod case;

use std::path::Path;

use case::{Case, MODIFIED, kebab_case};
use docent_core::memory::MemoryDisk;
use docent_core::{Docent, Settings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

#[test]
fn conformance() {
    let cases =
        case::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/cases"));
    assert!(cases.len() >= 60, "{} cases were found", cases.len());
    let mut complaints = Vec::new();
    for (file, case) in &cases {
        // A warm instance with a cache and one without answer alike, and twice the same.
        for cache in ["0", "1000000"] {
            let mut docent = docent(case, cache);
            for _ in 0..2 {
                let found = case.run(|tool, args| call(&mut docent, tool, args));
                complaints.extend(
                    found
                        .into_iter()
                        .map(|c| format!("{file}: {} (cache {cache}): {c}", case.name)),
                );
            }
        }
        let fresh = case.run(|tool, args| call(&mut docent(case, "0"), tool, args));
        complaints.extend(
            fresh
                .into_iter()
                .map(|c| format!("{file}: {} (fresh): {c}", case.name)),
        );
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}

fn docent(case: &Case, cache: &str) -> Docent<MemoryDisk> {
    let names: Vec<&str> = case
        .roots
        .iter()
        .map(|r| r.strip_suffix(":rw").unwrap_or(r))
        .collect();
    let disk = MemoryDisk::with_roots(&names);
    for root in &case.roots {
        if let Some(name) = root.strip_suffix(":rw") {
            disk.set_writable(name);
        }
    }
    for entry in &case.tree {
        let root = entry.root.as_deref().unwrap_or(names[0]);
        let path = entry.path.as_str();
        if entry.dir {
            disk.make_directory(root, path);
        } else if entry.symlink.is_some() {
            disk.link(root, path);
        } else if entry.fifo {
            disk.make_fifo(root, path);
        } else {
            disk.write(root, path, &entry.content());
        }
        let seconds = i128::from(entry.mtime.unwrap_or(MODIFIED));
        disk.set_modified(root, path, Some(seconds * 1_000_000_000));
    }
    let settings = Settings::from_lookup(|name| match name {
        "DOCENT_CACHE_BYTES" => Some(cache.to_owned()),
        name => case.env.get(name).cloned(),
    });
    Docent::new(disk, settings)
}

fn call(
    docent: &mut Docent<MemoryDisk>,
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
    let fields: Map<String, Value> = args
        .into_iter()
        .map(
            |(key, value)| match (kebab_case(&key).replace('-', "_"), value) {
                (key, Value::String(text)) if key == "mode" => {
                    (key, Value::String(pascal_case(&text)))
                }
                other => other,
            },
        )
        .collect();
    match serde_json::from_value(Value::Object(fields)) {
        Ok(options) => Some(options),
        Err(error) => panic!("these are no options: {error}"),
    }
}

/// Returns `full-context` as `FullContext`.
fn pascal_case(name: &str) -> String {
    let words = name.split('-').map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    });
    words.collect()
}
