//! Advice of refusals and answers can be followed with the available tools: the guest does not know
//! which ones a host offers, so no hint names another tool than the one that was called.

use docent_conformance::typed::{call, docent};
use docent_conformance::{Case, case_files, memory};
use serde_json::{Map, Value, json};

// `change`, `write` and `manage` are also ordinary words, which hints may contain.
const TOOLS: [&str; 14] = [
    "explore",
    "grep",
    "search-documents",
    "find-files",
    "list-documents",
    "list-full-tree",
    "read-document",
    "query-document",
    "summarize-document",
    "smart-search",
    "context-search",
    "get-config",
    "create-document",
    "delete-document",
];

/// Refused by many tools: paths, roots, cursors and numbers that cannot be.
const WRONG: [(&str, &str); 14] = [
    ("path", "../x"),
    ("path", "C:/x"),
    ("path", "absent/x.md"),
    ("path", "sub"),
    ("path", "a.md"),
    ("path", "picture.md"),
    ("path", "koi8.txt"),
    ("path", ".env"),
    ("root", "other"),
    ("cursor", "AAAA"),
    ("query", ""),
    ("query", "?!"),
    ("glob", "["),
    ("extensions", ""),
];

#[test]
fn hints_name_no_other_tool() {
    let mut complaints = Vec::new();
    let mut hints = 0;
    let mut look = |place: &str, tool: &str, outcome: &Result<Value, Value>| {
        let (Ok(value) | Err(value)) = outcome;
        each_hint(value, &mut |hint| {
            hints += 1;
            let named = TOOLS.iter().filter(|other| **other != tool);
            for other in named.filter(|other| names(hint, other)) {
                complaints.push(format!("{place}: {tool} tells of {other}: {hint}"));
            }
        });
    };
    for case in case_files().iter().flat_map(|file| &file.cases) {
        let mut docent = docent(memory::disk(case), case, "0");
        case.outcomes(|tool, args| {
            let outcome = call(&mut docent, tool, args);
            look(&case.name, tool, &outcome);
            outcome
        });
    }
    let case = wrong_case();
    let mut docent = docent(memory::disk(&case), &case, "0");
    for (tool, required) in [
        ("search-documents", &["query"][..]),
        ("grep", &["pattern"]),
        ("find-files", &[]),
        ("list-documents", &[]),
        ("list-full-tree", &[]),
        ("read-document", &["path"]),
        ("query-document", &["path", "query"]),
        ("summarize-document", &["path"]),
        ("smart-search", &["query"]),
        ("context-search", &[]),
    ] {
        for (argument, value) in WRONG.into_iter().filter(|(name, _)| takes(tool, name)) {
            let mut args: Map<String, Value> = required
                .iter()
                .map(|name| ((*name).to_owned(), json!("a.md")))
                .collect();
            if tool == "context-search" {
                args.insert("tags".to_owned(), json!(["a"]));
            }
            let value = match argument {
                "extensions" => json!([value]),
                _ => json!(value),
            };
            args.insert(argument.to_owned(), value);
            let outcome = call(&mut docent, tool, args);
            look(argument, tool, &outcome);
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(hints >= 150, "only {hints} hints were seen");
}

#[test]
fn a_tool_is_found_however_it_is_written() {
    assert!(names("Use list_documents.", "list-documents"));
    assert!(names("`search-documents` finds it", "search-documents"));
    assert!(names("call explore again", "explore"));
    assert!(!names("explored already", "explore"));
    assert!(!names("List the documents.", "list-documents"));
}

/// Returns true if a hint contains the name of a tool as a whole word.
fn names(hint: &str, tool: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    let hint = hint.replace('-', "_");
    let tool = tool.replace('-', "_");
    hint.split(|c| !is_inside(c)).any(|word| word == tool)
}

/// Shows each value of a field called `hint` to `see`.
fn each_hint(value: &Value, see: &mut impl FnMut(&str)) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(hint) if name == "hint" => see(hint),
                    other => each_hint(other, see),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| each_hint(value, see)),
        _ => {}
    }
}

/// Returns true if a tool has this argument.
fn takes(tool: &str, argument: &str) -> bool {
    match argument {
        "root" | "path" => true,
        "cursor" => !matches!(
            tool,
            "read-document" | "query-document" | "summarize-document" | "smart-search"
        ),
        "query" => matches!(tool, "search-documents" | "query-document" | "smart-search"),
        "glob" => tool == "find-files",
        "extensions" => tool == "search-documents",
        _ => false,
    }
}

/// Returns a tree for wrong requests.
fn wrong_case() -> Case {
    let entry = |path: &str, text: &str| json!({"path": path, "text": text});
    let case = json!({
        "name": "wrong",
        "tree": [
            entry("a.md", "# A\nword\n"),
            entry("sub/b.md", "word\n"),
            entry("picture.md", "a\u{0}b"),
            {"path": "koi8.txt", "bytes": "gYGBgf//"},
        ],
        "calls": [],
    });
    match serde_json::from_value(case) {
        Ok(case) => case,
        Err(error) => panic!("{error}"),
    }
}
