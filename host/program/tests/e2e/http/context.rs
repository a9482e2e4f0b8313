//! `/context`: the tools for scripts.

use serde_json::{Map, Value, json};

use super::server::{Answer, Server, call};
use crate::program::tree;

/// Converts an answer of the tool to the form for scripts.
fn expected(structured: &Value) -> Value {
    fn renamed(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let name = |name: &str| {
                    let upper = |c: char| format!("_{}", c.to_ascii_lowercase());
                    let letter = |c: char| {
                        if c.is_uppercase() {
                            upper(c)
                        } else {
                            c.to_string()
                        }
                    };
                    name.chars().map(letter).collect::<String>()
                };
                fields
                    .iter()
                    .map(|(key, it)| (name(key), renamed(it)))
                    .collect()
            }
            Value::Array(items) => items.iter().map(renamed).collect(),
            other => other.clone(),
        }
    }
    let mut all = Map::from_iter([("success".to_owned(), json!(true))]);
    all.extend(renamed(structured).as_object().unwrap().clone());
    without_time(all.into())
}

fn without_time(mut answer: Value) -> Value {
    if let Some(stats) = answer.get_mut("stats").and_then(Value::as_object_mut) {
        stats.remove("elapsed_ms");
    }
    answer
}

fn documents() -> tempfile::TempDir {
    tree(&[
        (
            "guide/a.md",
            "---\ntitle: The Guide\n---\n# A\n\nA fox & a Fox.\n",
        ),
        ("b.md", "# 여우\n\nfox 여우\n"),
    ])
}

#[test]
fn an_answer_is_the_tools_field_by_field() {
    let directory = documents();
    let server = Server::for_directory(directory.path(), &["--tools", "all", "--structured"]);
    for (query, tool, arguments) in [
        (
            "action=search&query=fox",
            "search_documents",
            json!({"query": "fox"}),
        ),
        (
            "action=search&query=Fox&case_sensitive=true&context_chars=10&max_results=1&path=guide",
            "search_documents",
            json!({"query": "Fox", "caseSensitive": true, "contextChars": 10, "maxResults": 1,
                   "path": "guide"}),
        ),
        (
            "action=search&query=%EC%97%AC%EC%9A%B0&extensions=md,txt",
            "search_documents",
            json!({"query": "여우", "extensions": ["md", "txt"]}),
        ),
        (
            "action=search&query=a+fox+%26",
            "search_documents",
            json!({"query": "a fox &"}),
        ),
        (
            "action=search&query=nothing",
            "search_documents",
            json!({"query": "nothing"}),
        ),
        ("action=list&path=", "list_documents", json!({"path": ""})),
        (
            "action=list&path=guide",
            "list_documents",
            json!({"path": "guide"}),
        ),
        (
            "action=read&path=guide/a.md",
            "read_document",
            json!({"path": "guide/a.md"}),
        ),
    ] {
        let result = server.call("/mcp", &[], tool, arguments.clone());
        let expected = expected(&result["structuredContent"]);
        let got = server.get(&format!("/context?{query}"), &[]);
        assert_eq!(got.status, 200, "{got:?}");
        assert_eq!(without_time(got.json()), expected, "{query}");
        let posted = server
            .post("/context", &[], &call(7, tool, arguments))
            .json();
        assert_eq!(posted["id"], 7);
        let result = &posted["result"];
        assert_eq!(result["isError"], false, "{query}");
        assert_eq!(result["content"][0]["type"], "text", "{query}");
        let structured = result["structuredContent"].clone();
        assert_eq!(without_time(structured), expected, "{query}");
    }
}

#[test]
fn a_search_has_the_names_that_scripts_know() {
    let directory = documents();
    let server = Server::for_directory(directory.path(), &[]);
    let answer = server
        .get("/context?action=search&query=title&path=/", &[])
        .json();
    assert_eq!(answer["total_matches"], 0);
    let answer = server.get("/context?action=search&query=fox", &[]).json();
    assert_eq!(answer["success"], true);
    assert_eq!(answer["query"], "fox");
    assert_eq!(
        (&answer["total_matches"], &answer["total_files"]),
        (&json!(3), &json!(2))
    );
    assert_eq!(answer["truncated"], false);
    let first = &answer["results"][0];
    assert_eq!(first["path"], "/guide/a.md");
    assert_eq!(first["name"], "The Guide");
    assert_eq!(first["match_count"], 2);
    assert_eq!(first["matches"][0]["line"], 6);
    assert_eq!(first["matches"][0]["excerpt"], "# A  A **fox** & a Fox. ");
}

#[test]
fn without_an_action_it_says_how_it_is_used() {
    let directory = documents();
    let server = Server::for_directory(directory.path(), &[]);
    let usage = server.get("/context", &[]);
    assert_eq!(usage.status, 200);
    assert!(
        usage.json()["actions"]["search"]["arguments"]["query"].is_string(),
        "{usage:?}"
    );
}

#[test]
fn an_error_says_what_was_expected() {
    let directory = documents();
    let server = Server::for_directory(directory.path(), &[]);
    for (query, code, part) in [
        (
            "action=find",
            "INVALID_PARAMS",
            "expected one of `search`, `list`, `read`",
        ),
        (
            "action=",
            "INVALID_PARAMS",
            "expected one of `search`, `list`, `read`",
        ),
        ("action=search", "INVALID_PARAMS", "`query`"),
        ("action=search&query=", "INVALID_PARAMS", "`query`"),
        ("action=search&query=a&query=b", "INVALID_PARAMS", "twice"),
        (
            "action=search&query=a&context_char=5",
            "INVALID_PARAMS",
            "`contextChars`",
        ),
        (
            "action=search&query=a&context_chars=x",
            "INVALID_PARAMS",
            "contextChars",
        ),
        ("action=read&path=../x", "INVALID_PARAMS", "../x"),
        (
            "action=read&path=absent.md",
            "DOCUMENT_NOT_FOUND",
            "absent.md",
        ),
        (
            "action=search&query=%ff",
            "INVALID_PARAMS",
            "cannot be read",
        ),
    ] {
        let answer = server.get(&format!("/context?{query}"), &[]);
        assert_eq!(answer.status, 400, "{query}");
        let error = &answer.json()["error"];
        assert_eq!(error["code"], code, "{query}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(part), "{query}: {message}");
        assert!(!answer.body.contains(directory.path().to_str().unwrap()));
    }
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for (body, code) in [
        (call(1, "no_such_tool", json!({})), -32602),
        (ping, -32601),
        (json!([]), -32600),
        (json!({"jsonrpc": "2.0", "method": "tools/call"}), -32600),
    ] {
        let answer: Answer = server.post("/context", &[], &body);
        assert_eq!(answer.status, 400, "{body}");
        assert_eq!(answer.json()["error"]["code"], code, "{body}");
    }
    // A tool's refusal is its result, as over MCP.
    for (tool, arguments, code) in [
        ("search_documents", json!({}), "INVALID_PARAMS"),
        ("read_document", json!({"path": "../x"}), "INVALID_PARAMS"),
        (
            "read_document",
            json!({"path": "no.md"}),
            "DOCUMENT_NOT_FOUND",
        ),
    ] {
        let answer: Answer = server.post("/context", &[], &call(1, tool, arguments));
        assert_eq!(answer.status, 200, "{tool}");
        let result = &answer.json()["result"];
        assert_eq!(result["isError"], true, "{result}");
        assert_eq!(result["structuredContent"]["success"], false, "{result}");
        assert_eq!(result["structuredContent"]["error"]["code"], code);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(code), "{text}");
    }
}

#[test]
fn a_search_gives_every_match_within_the_limits_of_the_tool() {
    let text = "a fox in a long line of words that are there for their length alone\n".repeat(40);
    let files: Vec<(String, &str)> = (0..10).map(|n| (format!("{n}.md"), &*text)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
    let directory = tree(&files);
    let server = Server::for_directory(directory.path(), &[]);
    let shown = |answer: &Value| {
        let results = answer["results"].as_array().unwrap().iter();
        let matches = results.map(|one| one["matches"].as_array().unwrap().len());
        matches.sum::<usize>()
    };
    let query = "/context?action=search&query=fox&max_results=40";
    let answer = server.get(query, &[]).json();
    assert_eq!((shown(&answer), &answer["truncated"]), (400, &json!(false)));
    // A part of each file, which the answer reports.
    let answer = server.get("/context?action=search&query=fox", &[]).json();
    assert_eq!((shown(&answer), &answer["truncated"]), (100, &json!(true)));
    // Numbers out of range are clamped.
    let query = "/context?action=search&query=fox&max_results=-3&context_chars=-1";
    let answer = server.get(query, &[]).json();
    assert_eq!(shown(&answer), 10, "{answer}");
    // An explicit budget applies.
    let query = "/context?action=search&query=fox&max_results=40&max_tokens=1000";
    let answer = server.get(query, &[]).json();
    assert!(shown(&answer) < 100, "{answer}");
    assert_eq!(answer["truncated"], true);
}

#[test]
fn a_refused_read_is_an_error_for_clients() {
    let directory = tree(&[(".env", "SECRET=canary\n"), ("a.md", "# A\n")]);
    let server = Server::for_directory(directory.path(), &["--tools", "all"]);
    for (path, is_error) in [(".env", true), ("a.md", false)] {
        let result = server.call("/mcp", &[], "explore", json!({"paths": [path]}));
        assert_eq!(result["isError"] == json!(true), is_error, "{result}");
        assert!(!result.to_string().contains("canary"));
    }
}

#[test]
fn only_tools_on_offer_are_called_and_those_of_get() {
    let directory = documents();
    let server = Server::for_directory(directory.path(), &["--tools", "explore"]);
    let status = |tool, arguments| {
        server
            .post("/context", &[], &call(1, tool, arguments))
            .status
    };
    assert_eq!(status("explore", json!({"query": "fox"})), 200);
    assert_eq!(status("search_documents", json!({"query": "fox"})), 200);
    assert_eq!(status("find_files", json!({})), 400);
    assert_eq!(
        status("write", json!({"path": "x.md", "content": "x"})),
        400
    );
    assert!(!directory.path().join("x.md").exists());
}
