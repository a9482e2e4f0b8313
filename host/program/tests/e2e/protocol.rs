//! The protocol itself: lifecycles, lists, errors, and malformed input.

use serde_json::{Value, json};

use crate::program::{Session, tree};

const LEGACY: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];
const MODERN: &str = "2026-07-28";

fn root(directory: &tempfile::TempDir) -> String {
    format!("docs={}", directory.path().display())
}

/// Adds to `params` the metadata of every request in the modern lifecycle.
fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

#[test]
fn every_legacy_revision_is_spoken() {
    let directory = tree(&[("a.md", "# A\n\nword\n")]);
    for version in LEGACY {
        let mut session = Session::start(&["--root", &root(&directory)]);
        let answer = session.initialize(version);
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "docent");
        assert!(result["capabilities"]["tools"].is_object());
        let instructions = result["instructions"].as_str().unwrap();
        assert!(instructions.len() < 2048);
        assert!(
            instructions.contains("docs (read-only, default)"),
            "{instructions}"
        );
        assert!(
            !instructions.contains(directory.path().to_str().unwrap()),
            "{instructions}"
        );

        let text = session.text("search_documents", json!({"query": "word"}));
        assert!(
            text.starts_with("# Search Results for 'word'\n\nFound 1 match in 1 file"),
            "{text}"
        );
        let (status, rest) = session.close();
        assert!(
            status.success() && rest.is_empty(),
            "{version}: {status} {rest:?}"
        );
    }
}

#[test]
fn directories_are_granted_with_and_without_options() {
    let [first, second] = [tree(&[("a.md", "word\n")]), tree(&[])];
    let named = format!("more={}", second.path().display());
    let mut session = Session::start(&[&named, "--root", &root(&first)]);
    let answer = session.initialize("2025-11-25");
    let instructions = answer["result"]["instructions"].as_str().unwrap();
    for name in ["docs (read-only, default)", "more (read-only)"] {
        assert!(instructions.contains(name), "{instructions}");
    }
}

#[test]
fn an_unknown_revision_is_answered_with_the_newest_that_has_a_handshake() {
    let directory = tree(&[]);
    for version in [MODERN, "2099-01-01", "1999-01-01"] {
        let mut session = Session::start(&["--root", &root(&directory)]);
        assert_eq!(
            session.initialize(version)["result"]["protocolVersion"],
            "2025-11-25"
        );
    }
}

#[test]
fn the_modern_lifecycle_needs_no_handshake() {
    let directory = tree(&[("a.md", "word\n")]);
    let mut session = Session::start(&["--root", &root(&directory)]);
    let discovered = session.request("server/discover", modern(json!({})));
    let result = &discovered["result"];
    assert_eq!(result["resultType"], "complete");
    for version in LEGACY.iter().chain([&MODERN]) {
        assert!(
            result["supportedVersions"]
                .as_array()
                .unwrap()
                .contains(&json!(version))
        );
    }
    assert!(result["instructions"].is_string());

    // In this lifecycle, a client may send one at any time.
    session.notify("notifications/cancelled", json!({"requestId": 99}));

    let listed = session.request("tools/list", modern(json!({})));
    assert_eq!(listed["result"]["resultType"], "complete");
    assert!(listed["result"]["ttlMs"].is_number());

    let call = json!({"name": "search_documents", "arguments": {"query": "word"}});
    let called = session.request("tools/call", modern(call.clone()));
    assert_eq!(called["result"]["resultType"], "complete");
    assert_eq!(called["result"]["isError"], false);

    let bare = session.request("tools/call", call);
    assert_eq!(bare["error"]["code"], -32602, "{bare}");
    let malformed = session.request("tools/call", modern(json!({"name": 5})));
    assert_eq!(malformed["error"]["code"], -32602, "{malformed}");
    let uri = modern(json!({"uri": 5}));
    let malformed = session.request("resources/directory/read", uri);
    assert_eq!(malformed["error"]["code"], -32602, "{malformed}");
    let (status, _) = session.close();
    assert!(status.success());
}

#[test]
fn tools_are_described_whole() {
    let directory = tree(&[]);
    let mut session = Session::initialized("2025-11-25", &["--root", &root(&directory)]);
    let listed = session.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    for name in [
        "search_documents",
        "grep",
        "find_files",
        "understand",
        "list_documents",
        "list_full_tree",
        "read_document",
        "query_document",
        "summarize_document",
        "smart_search",
        "context_search",
        "get_config",
    ] {
        assert!(names.contains(&name), "{names:?}");
    }
    for tool in tools {
        let name = &tool["name"];
        assert!(
            tool["annotations"]["title"]
                .as_str()
                .is_some_and(|title| !title.is_empty()),
            "{name}"
        );
        assert!(
            tool["description"]
                .as_str()
                .is_some_and(|text| text.len() > 40),
            "{name}"
        );
        assert_eq!(
            tool["annotations"],
            json!({"title": tool["annotations"]["title"], "readOnlyHint": true,
                   "openWorldHint": false}),
        );
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert!(tool.get("outputSchema").is_none(), "{name}");
        for argument in tool["inputSchema"]["properties"]
            .as_object()
            .unwrap()
            .keys()
        {
            assert!(!argument.contains(['-', '_']), "{name}: {argument}");
        }
    }
}

#[test]
fn tools_on_offer_can_be_chosen() {
    let directory = tree(&[("a.md", "word")]);
    let arguments = [
        "--root",
        &root(&directory),
        "--tools",
        "get_config,search-documents",
    ];
    let mut session = Session::initialized("2025-06-18", &arguments);
    let listed = session.request("tools/list", json!({}));
    let names: Vec<_> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(names, ["search_documents", "get_config"]);
    let answer = session.request(
        "tools/call",
        json!({"name": "read_document", "arguments": {"path": "a.md"}}),
    );
    assert_eq!(answer["error"]["code"], -32602);
}

#[test]
fn structured_answers_are_whole_and_sent_once() {
    let directory = tree(&[("a.md", "# A\n\nword\n")]);
    let mut session =
        Session::initialized("2025-06-18", &["--root", &root(&directory), "--structured"]);
    let listed = session.request("tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
    }
    let result = session.call("search_documents", json!({"query": "word"}));
    assert_eq!(result["content"], json!([]));
    let answer = &result["structuredContent"];
    assert_eq!(answer["totalMatches"], 1);
    assert_eq!(
        answer["results"][0]["matches"][0]["excerpt"],
        "# A  **word** "
    );
    let refused = session.refusal("search_documents", json!({"query": " "}));
    assert!(refused.starts_with('['), "{refused}");
}

#[test]
fn errors_have_the_codes_of_the_protocol() {
    let directory = tree(&[]);
    let mut session = Session::initialized("2025-11-25", &["--root", &root(&directory)]);
    let mut code =
        |method: &str, params: Value| session.request(method, params)["error"]["code"].clone();
    assert_eq!(code("tools/call", json!({"name": "no_such_tool"})), -32602);
    assert_eq!(code("tools/call", json!({"name": 5})), -32602);
    assert_eq!(
        code(
            "tools/call",
            json!({"name": "get_config", "arguments": "x"})
        ),
        -32602
    );
    assert_eq!(code("tools/call", json!({})), -32602);
    assert_eq!(code("tools/list", json!({"cursor": "x"})), -32602);
    assert_eq!(code("tools/list", json!({"cursor": 5})), -32602);
    assert_eq!(code("no/such/method", json!({})), -32601);
}

#[test]
fn what_is_no_protocol_is_answered_and_survived() {
    let directory = tree(&[("a.md", "word")]);
    let mut session = Session::start(&["--root", &root(&directory)]);
    // Before the session has begun as well.
    session.notify("notifications/initialized", json!({}));
    session.write("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
    session.write("not json");
    assert_eq!(session.message()["error"]["code"], -32700);
    session.initialize("2025-06-18");

    session.write("");
    session.write("{");
    assert_eq!(session.message()["error"]["code"], -32700);
    session.write(&format!("{}{}", "[".repeat(1000), "]".repeat(1000)));
    assert_eq!(session.message()["error"]["code"], -32700);
    let deep = format!("{}1{}", "{\"a\":".repeat(1000), "}".repeat(1000));
    session.write(&format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{deep}}}"
    ));
    assert_eq!(session.message()["error"]["code"], -32700);
    session.write("{\"jsonrpc\":\"1.0\",\"id\":\"x\",\"method\":\"ping\"}");
    let refused = session.message();
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!("x"), &json!(-32600))
    );
    session.write("5");
    assert_eq!(session.message()["error"]["code"], -32600);
    session.write("{\"jsonrpc\":\"2.0\",\"method\":\"no/such/notification\"}");
    session.notify("notifications/cancelled", json!({"requestId": 12345}));

    let long = session.refusal("search_documents", json!({"query": "x".repeat(1_000_000)}));
    assert!(long.starts_with("[ERR_MCP_100]"), "{long}");
    assert!(long.len() < 500, "{}", long.len());
    let name = "x".repeat(1_000_000);
    let unknown = session.request("tools/call", json!({"name": name, "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602);
    assert!(unknown.to_string().len() < 500);
    let unknown = session.refusal("search_documents", json!({"query": "word", name: 1}));
    assert!(unknown.len() < 500, "{}", unknown.len());
    session.write(&"x".repeat(20_000_000));
    assert_eq!(session.message()["error"]["code"], -32600);

    assert!(
        session
            .text("search_documents", json!({"query": "word"}))
            .contains("Found 1 match")
    );
}

#[test]
fn a_batch_is_answered_as_one() {
    let directory = tree(&[]);
    let mut session = Session::initialized("2025-03-26", &["--root", &root(&directory)]);
    session.write(
        "[{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"},\
          {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"},\
          {\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"tools/list\"},\
          {\"jsonrpc\":\"2.0\",\"id\":\"c\"}]",
    );
    let answers = session.message();
    let mut ids: Vec<_> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| answer["id"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, ["a", "b", "c"]);
    session.write("[]");
    assert_eq!(session.message()["error"]["code"], -32600);
    // Too many messages, too many values, and too long a line.
    for length in [1_500, 300_000, 5_000_000] {
        session.write(&format!("[{}0]", "0,".repeat(length)));
        assert_eq!(session.message()["error"]["code"], -32600, "{length}");
    }
    assert!(session.request("ping", json!({}))["result"].is_object());
}

#[test]
fn requests_written_before_the_input_ends_are_answered() {
    let directory = tree(&[("a.md", "word")]);
    let mut session = Session::initialized("2025-06-18", &["--root", &root(&directory)]);
    for _ in 0..20 {
        session.send(
            "tools/call",
            json!({"name": "search_documents", "arguments": {"query": "word"}}),
        );
    }
    let (status, rest) = session.close();
    assert!(status.success());
    assert_eq!(rest.len(), 20);
}

#[test]
fn an_end_before_the_session_has_begun_is_clean() {
    let directory = tree(&[]);
    let (status, rest) = Session::start(&["--root", &root(&directory)]).close();
    assert!(status.success() && rest.is_empty());
}
