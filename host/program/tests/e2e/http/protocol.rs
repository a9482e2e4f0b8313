//! MCP over HTTP: revisions, batches, progress, cancelling, errors.

use serde_json::{Value, json};

use super::server::{ACCEPT, Answer, Server, call};
use crate::limits::{ONE_THREAD, long_work};
use crate::program::{Session, tree};

const MODERN: &str = "2026-07-28";

fn modern(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

#[test]
fn every_revision_is_spoken_without_a_session() {
    let directory = tree(&[("a.md", "# A\n\nword\n")]);
    let server = Server::for_directory(directory.path(), &["--tools", "all"]);
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }});
        let answer = server.post("/mcp", &[], &initialize);
        assert_eq!(answer.header("mcp-session-id"), "");
        assert_eq!(answer.header("content-type"), "application/json");
        let result = &answer.json()["result"];
        assert_eq!(result["protocolVersion"], version);
        let instructions = result["instructions"].as_str().unwrap();
        assert!(
            instructions.contains("docs (read-only, default)"),
            "{instructions}"
        );

        let header = [("MCP-Protocol-Version", version)];
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let answer = server.post("/mcp", &header, &initialized);
        assert_eq!((answer.status, &*answer.body), (202, ""));
        let found = server.call(
            "/mcp",
            &header,
            "search_documents",
            json!({"query": "word"}),
        );
        let text = found["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("# Search Results for 'word'"), "{text}");
    }
}

#[test]
fn the_modern_revision_needs_no_handshake() {
    let directory = tree(&[("a.md", "# A\n\nword\n")]);
    let server = Server::for_directory(directory.path(), &["--tools", "all"]);
    let headers = |method, name| {
        [
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", method),
            ("Mcp-Name", name),
        ]
    };
    let listed = server.post(
        "/mcp",
        &headers("tools/list", "")[..2],
        &modern("tools/list", json!({})),
    );
    assert_eq!(listed.status, 200, "{listed:?}");
    assert_eq!(listed.json()["result"]["resultType"], "complete");
    let params = json!({"name": "search_documents", "arguments": {"query": "word"}});
    let request = modern("tools/call", params);
    let called = server.post("/mcp", &headers("tools/call", "search_documents"), &request);
    assert_eq!(called.json()["result"]["isError"], false, "{called:?}");
    let mismatched = server.post("/mcp", &headers("tools/call", "read_document"), &request);
    assert_eq!(mismatched.status, 400);
    assert_eq!(mismatched.json()["error"]["code"], -32020, "{mismatched:?}");
    // Methods of older revisions do not exist.
    for method in [
        "initialize",
        "logging/setLevel",
        "resources/subscribe",
        "no/such",
    ] {
        let removed = server.post(
            "/mcp",
            &headers(method, "")[..2],
            &modern(method, json!({})),
        );
        assert_eq!(removed.status, 404, "{method}: {removed:?}");
        assert_eq!(
            removed.json()["error"]["code"],
            -32601,
            "{method}: {removed:?}"
        );
    }
}

#[test]
fn answers_are_those_of_stdio() {
    let directory = tree(&[("a.md", "# A\n\nfox\n"), ("b.md", "fox and fox\n")]);
    let server = Server::for_directory(directory.path(), &["--tools", "all"]);
    let root = format!("docs={}", directory.path().display());
    let mut session = Session::initialized("2025-11-25", &["--root", &root]);
    for (tool, arguments) in [
        ("explore", json!({"query": "fox"})),
        ("search_documents", json!({"query": "fox"})),
        ("read_document", json!({"path": "../x"})),
        ("list_documents", json!({"wrong": 1})),
    ] {
        let over_http = server.call("/mcp", &[], tool, arguments.clone());
        assert_eq!(over_http, session.call(tool, arguments), "{tool}");
    }
}

#[test]
fn one_root_has_an_endpoint_of_its_own() {
    let [first, second] = ["fox one\n", "fox two\n"].map(|text| tree(&[("a.md", text)]));
    let roots = [("first", &first), ("the second", &second)]
        .map(|(name, root)| format!("{name}={}", root.path().display()));
    let server = Server::start(&["--root", &roots[0], "--root", &roots[1], "--tools", "all"]);
    let read = |path, arguments| server.call(path, &[], "read_document", arguments);
    let text = |result: Value| result["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text(read("/mcp/first", json!({"path": "a.md"}))).contains("fox one"));
    assert!(text(read("/mcp/the%20second", json!({"path": "a.md"}))).contains("fox two"));
    let other = json!({"path": "a.md", "root": "the second"});
    assert!(text(read("/mcp", other.clone())).contains("fox two"));
    let refused = read("/mcp/first", other);
    assert_eq!(refused["isError"], true);
    assert!(!refused.to_string().contains("two"), "{refused}");
    let config = text(server.call("/mcp/first", &[], "get_config", json!({})));
    assert!(!config.contains("the second"), "{config}");
}

#[test]
fn a_batch_of_the_oldest_revision_is_answered_as_one() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    let batch = json!([
        {"jsonrpc": "2.0", "id": "a", "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        call(2, "explore", json!({"query": "fox"})),
        {"jsonrpc": "2.0", "id": "c"},
        {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {
            "name": "explore", "arguments": {"query": "fox"}, "_meta": {"progressToken": 1}}},
    ]);
    for headers in [&[][..], &[("MCP-Protocol-Version", "2025-03-26")]] {
        let answer = server.post("/mcp", headers, &batch);
        assert_eq!(answer.status, 200, "{answer:?}");
        let answers = answer.json();
        let ids: Vec<_> = answers
            .as_array()
            .unwrap()
            .iter()
            .map(|it| &it["id"])
            .collect();
        assert_eq!(ids, [&json!("a"), &json!(2), &json!("c"), &json!(4)]);
        assert_eq!(answers[1]["result"], answers[3]["result"]);
        assert_eq!(answers[2]["error"]["code"], -32600);
    }
    let silent = json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]);
    assert_eq!(server.post("/mcp", &[], &silent).status, 202);
    for (headers, wrong) in [
        (&[][..], json!([])),
        (&[], Value::Array(vec![json!({}); 1001])),
        (&[("MCP-Protocol-Version", "2025-06-18")], batch),
    ] {
        let answer = server.post("/mcp", headers, &wrong);
        assert_eq!(answer.status, 400);
        assert_eq!(answer.json()["error"]["code"], -32600, "{answer:?}");
    }
}

#[test]
fn what_is_no_message_is_refused_in_json() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    let posted = |headers: &[(&str, &str)], body: &str| {
        let headers = [&[ACCEPT], headers].concat();
        Answer::read(&mut server.send("POST", "/mcp", &headers, Some(body))).unwrap()
    };
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("nonsense", -32700),
        (&"[".repeat(100_000), -32600),
        (&"[".repeat(10_000), -32700),
        ("5", -32600),
        ("{}", -32600),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", -32600),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":[]}",
            -32602,
        ),
    ] {
        let answer = posted(&[], body);
        let shown = &body[..body.len().min(80)];
        assert_eq!(answer.status, 400, "{shown}");
        assert_eq!(answer.json()["error"]["code"], code, "{shown}: {answer:?}");
    }
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    let unknown = posted(&[("MCP-Protocol-Version", "1999-01-01")], ping);
    assert_eq!(unknown.status, 400);
    assert_eq!(unknown.json()["error"]["code"], -32600, "{unknown:?}");
    assert_eq!(posted(&[("Content-Type", "text/plain")], ping).status, 415);
    let mut stream = server.send("POST", "/mcp", &[("Accept", "text/html")], Some(ping));
    assert_eq!(Answer::read(&mut stream).unwrap().status, 406);
    let missing = json!({"jsonrpc": "2.0", "id": 1, "method": "no/such"});
    assert_eq!(
        server.post("/mcp", &[], &missing).json()["error"]["code"],
        -32601
    );
}

#[test]
fn progress_comes_as_events_and_closing_the_stream_stops_the_guest() {
    use std::io::Read as _;

    let (_directory, config) = long_work(ONE_THREAD);
    let server = Server::start(&["--config", &config, "--tools", "all"]);
    let mut request = call(1, "search_documents", json!({"query": "absent"}));
    for token in [Some("token"), None] {
        if let Some(token) = token {
            request["params"]["_meta"] = json!({"progressToken": token});
        } else {
            request["params"]["_meta"] = json!({});
        }
        let body = request.to_string();
        let mut stream = server.send("POST", "/mcp", &[ACCEPT], Some(&body));
        if token.is_some() {
            let mut seen = String::new();
            while seen.matches("notifications/progress").count() < 2 {
                let mut bytes = [0; 1024];
                let count = stream.read(&mut bytes).unwrap();
                assert_ne!(count, 0, "{seen}");
                seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
            assert!(seen.contains("text/event-stream"), "{seen}");
            assert!(seen.contains("x-accel-buffering: no"), "{seen}");
        } else {
            server.wait_for_call();
        }
        drop(stream);
        // The only thread is free again.
        server.call("/mcp", &[], "get_config", json!({}));
    }
    let metrics = server.get("/metrics", &[]).body;
    let cancelled = "error_type=\"cancelled\"} 2";
    assert!(metrics.contains(cancelled), "{metrics}");
}

#[test]
fn clients_are_answered_in_a_form_that_they_take() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let ask = |path: &str, headers: &[(&str, &str)], body: &str| {
        Answer::read(&mut server.send("POST", path, headers, Some(body))).unwrap()
    };
    for accept in [
        None,
        Some("*/*"),
        Some("application/json"),
        Some("application/json;q=0.9, */*;q=0.1"),
        Some("text/html, application/json"),
    ] {
        let headers: Vec<_> = accept.map(|it| ("Accept", it)).into_iter().collect();
        for path in ["/mcp", "/mcp/", "/mcp/docs", "/mcp/docs/"] {
            let answer = ask(path, &headers, &ping);
            assert_eq!(answer.status, 200, "{path} {accept:?} {answer:?}");
            assert_eq!(answer.header("content-type"), "application/json");
            assert_eq!(answer.json()["result"], json!({}));
        }
    }
    // The answer to a client that accepts only events is an event.
    let answer = ask("/mcp", &[("Accept", "text/event-stream")], &ping);
    assert_eq!(answer.header("content-type"), "text/event-stream");
    let data = answer.body.strip_prefix("event: message\ndata: ").unwrap();
    let message: Value = serde_json::from_str(data.trim_end()).unwrap();
    assert_eq!((answer.status, &message["id"]), (200, &json!(1)));
    let refused = ask("/mcp", &[("Accept", "text/html")], &ping);
    assert_eq!(
        (refused.status, &refused.json()["error"]["code"]),
        (406, &json!(-32600))
    );
    // A client that accepts only JSON receives no progress.
    let mut asked = call(2, "explore", json!({"query": "fox"}));
    asked["params"]["_meta"] = json!({"progressToken": 1});
    let answer = ask(
        "/mcp",
        &[("Accept", "application/json")],
        &asked.to_string(),
    );
    assert_eq!(answer.json()["result"]["isError"], false, "{answer:?}");
    for kind in [
        "application/json; charset=utf-8",
        "application/json, application/json",
    ] {
        assert_eq!(
            ask("/mcp", &[("Content-Type", kind)], &ping).status,
            200,
            "{kind}"
        );
    }
    let twice = [
        ("Content-Type", "application/json"),
        ("Content-Type", "application/json"),
    ];
    assert_eq!(ask("/mcp", &twice, &ping).status, 200);
    let mixed = [
        ("Content-Type", "application/json"),
        ("Content-Type", "text/plain"),
    ];
    assert_eq!(ask("/mcp", &mixed, &ping).status, 415);
}

#[test]
fn every_request_with_an_id_is_answered_with_it() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &["--tools", "all"]);
    let root = format!("docs={}", directory.path().display());
    let mut session = Session::initialized("2025-06-18", &["--root", &root]);
    let asked = |id: u64, method: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
    };
    let read = |arguments: &str| format!(r#"{{"name":"read_document","arguments":{arguments}}}"#);
    let search =
        |arguments: &str| format!(r#"{{"name":"search_documents","arguments":{arguments}}}"#);
    for (text, is_error) in [
        (asked(31, "tools/call", &read(r#"{"path":"\udfff"}"#)), true),
        (
            asked(
                32,
                "tools/call",
                &read(r#"{"path":"a.md","maxChars":1e400}"#),
            ),
            true,
        ),
        (asked(33, "tools/list", "null"), false),
        (asked(34, "prompts/list", "{}"), true),
        (asked(35, "prompts/list", "null"), true),
        (
            asked(36, "tools/call", &read(r#""{\"path\": \"a.md\"}""#)),
            false,
        ),
        (
            asked(
                37,
                "tools/call",
                &read(r#"{"path":"a.md","section":"","lines":"","root":""}"#),
            ),
            false,
        ),
        (
            asked(
                38,
                "tools/call",
                &search(r#"{"query":"fox","extensions":"[\"md\"]","cursor":""}"#),
            ),
            false,
        ),
        (
            asked(
                39,
                "tools/call",
                &search(r#"{"query":"fox","extensions":"md"}"#),
            ),
            false,
        ),
        (
            r#"{"jsonrpc":"2.0","id":40,"method":"x","method":"ping","more":{"id":1}}"#.to_owned(),
            false,
        ),
    ] {
        session.write(&text);
        let over_stdin = session.message();
        let over_http = Answer::read(&mut server.send("POST", "/mcp", &[ACCEPT], Some(&text)));
        let id: Value =
            serde_json::from_str::<Value>(&text.replace("\\udfff", "").replace("1e400", "1"))
                .unwrap()["id"]
                .clone();
        for answer in [over_stdin, over_http.unwrap().json()] {
            assert_eq!(answer["id"], id, "{text}: {answer}");
            assert_eq!(answer["error"].is_object(), is_error, "{text}: {answer}");
            assert_ne!(answer["result"]["isError"], true, "{text}: {answer}");
        }
    }
    for method in ["prompts/list", "prompts/get"] {
        session.write(&asked(50, method, r#"{"name":"x"}"#));
        assert_eq!(session.message()["error"]["code"], -32601, "{method}");
    }
}
