//! The files and the API of the page; `tests/outside/page` tests the page in a browser.

use serde_json::{Value, json};

use super::server::Server;
use crate::program::{ran, tree};

fn post(server: &Server, path: &str, headers: &[(&str, &str)], body: &Value) -> Value {
    let answer = server.post(path, headers, body);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

#[test]
fn people_and_agents_are_given_the_same() {
    let directory = tree(&[("a.md", "# A\n\nA fox.\n")]);
    let server = Server::for_directory(directory.path(), &["--tools", "all"]);
    let arguments = json!({"query": "fox"});
    let sent = server.call("/mcp", &[], "search_documents", arguments.clone());
    let body = json!({"tool": "search_documents", "arguments": arguments});
    let shown = post(&server, "/api/call", &[], &body);
    let text = sent["content"][0]["text"].as_str().unwrap();
    assert_eq!(shown["outcome"], "answered");
    assert_eq!(shown["sent"]["text"], text);
    assert_eq!(shown["sent"]["bytes"], text.len());
    assert!(shown["sent"]["tokens"].as_u64().unwrap() > 10);
    assert_eq!(shown["structured"]["results"][0]["path"], "/a.md");

    // The list has both calls, with the answers that were sent.
    let calls = server.get("/api/calls?after=0", &[]).json();
    let calls = calls["calls"].as_array().unwrap();
    let clients: Vec<_> = calls.iter().map(|call| &call["client"]).collect();
    assert_eq!(clients, [&Value::Null, &json!("page")]);
    for id in [1, 2] {
        let call = server.get(&format!("/api/calls/{id}"), &[]).json();
        assert_eq!(call["sent"]["text"], text);
        assert_eq!(call["arguments"], arguments);
    }
    assert_eq!(server.get("/api/calls/3", &[]).status, 404);
}

#[test]
fn a_refusal_is_told_as_an_agent_is_told() {
    let directory = tree(&[("a.md", "# A\n"), (".env", "KEY=1\n")]);
    let server = Server::for_directory(directory.path(), &["--tools", "all"]);
    let arguments = json!({"path": ".env"});
    let sent = server.call("/mcp", &[], "read_document", arguments.clone());
    let body = json!({"tool": "read_document", "arguments": arguments});
    let shown = post(&server, "/api/call", &[], &body);
    assert_eq!(shown["outcome"], "refused");
    assert_eq!(shown["error"]["code"], "sensitive");
    assert_eq!(shown["sent"]["text"], sent["content"][0]["text"]);
    for body in [
        json!({"tool": "nothing"}),
        json!({"tool": "read_document", "arguments": {"path": "a.md", "nonsense": 1}}),
        json!({"tool": "write", "arguments": {"path": "b.md", "content": "x"}}),
        json!([]),
    ] {
        let answer = server.post("/api/call", &[], &body);
        assert_eq!(answer.status, 400, "{answer:?}");
        assert_eq!(answer.json()["error"]["code"], "invalid-request");
    }
    assert!(!directory.path().join("b.md").exists());
}

#[test]
fn a_document_is_rendered_and_nothing_in_it_runs() {
    let text = "---\ntitle: T\n---\n# A <script>alert(1)</script>\n\n[x](javascript:alert(1))\n";
    let directory = tree(&[("a.md", text), ("b.py", "# <b>\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    let body = json!({"root": "docs", "path": "a.md"});
    let shown = post(&server, "/api/render", &[], &body)["document"].clone();
    let html = shown["html"].as_str().unwrap();
    assert!(html.contains("&lt;script&gt;") && !html.contains("<script") && !html.contains("href"));
    assert_eq!(shown["outline"][0]["line"], 4);
    assert_eq!(shown["text"], text);
    let body = json!({"root": "docs", "path": "b.py"});
    let shown = post(&server, "/api/render", &[], &body);
    assert_eq!(shown["document"]["html"], Value::Null);
}

#[test]
fn the_page_is_for_everybody_and_its_data_for_those_with_the_right() {
    let directory = tree(&[("a/note.md", "fox\n"), ("b/note.md", "fox\n")]);
    let token = |name: &str, rights: &[&str]| {
        let file = ["--root", "a", "--tokens", "conf/tokens.json"];
        let (code, token, errors) = ran(
            directory.path(),
            &[&["token", "new", name], rights, &file].concat(),
        );
        assert_eq!(code, 0, "{errors}");
        format!("Bearer {}", token.trim_end())
    };
    let (ann, ben, cid) = (
        token("ann", &["--right", "page"]),
        token("ben", &[]),
        token("cid", &["--root", "b", "--right", "page", "--right", "log"]),
    );
    let dot = token("dot", &["--right", "page", "--right", "log"]);
    let root = |name: &str| format!("{name}={}", directory.path().join(name).display());
    let file = directory
        .path()
        .join("conf/tokens.json")
        .display()
        .to_string();
    let server = Server::start(&[
        "--root",
        &root("a"),
        "--root",
        &root("b"),
        "--tokens",
        &file,
    ]);

    let page = server.get("/", &[]);
    assert_eq!(page.status, 200);
    assert!(
        page.header("content-security-policy")
            .starts_with("default-src 'none'")
    );
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    assert_eq!(
        server.get("/assets/main.js", &[]).header("cache-control"),
        "no-cache"
    );
    for path in [
        "/changes",
        "/read",
        "/assets/x.js",
        "/.well-known/oauth-protected-resource",
    ] {
        assert_eq!(server.get(path, &[]).status, 404, "{path}");
    }

    let about = |token: &str| server.get("/api/about", &[("Authorization", token)]);
    assert_eq!(server.get("/api/about", &[]).status, 401);
    assert_eq!(about(&ben).status, 403);
    let roots = about(&ann).json()["roots"].clone();
    assert_eq!(
        roots,
        json!([{"name": "a", "right": "read-only", "isDefault": true}])
    );
    let body = json!({"tool": "search_documents", "arguments": {"query": "fox", "root": "b"}});
    let other = post(&server, "/api/call", &[("Authorization", &ann)], &body);
    assert_eq!(other["outcome"], "refused");

    // Calls of others are visible only with the right to the log, and to every root that they used.
    server.call(
        "/mcp",
        &[("Authorization", &ben)],
        "explore",
        json!({"query": "fox"}),
    );
    let seen = |token: &str| {
        let calls = server.get("/api/calls", &[("Authorization", token)]).json();
        let names = calls["calls"].as_array().unwrap().iter();
        let names = names.map(|call| call["principal"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(seen(&ann), ["ann"]);
    assert_eq!(seen(&cid), ["ann", "ben"]);
    assert_eq!(seen(&dot), [""; 0]);
    let one = server.get("/api/calls/2", &[("Authorization", &ann)]);
    assert_eq!(one.status, 404);
}

#[test]
fn other_sites_and_forms_get_nothing() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    for headers in [
        [("Sec-Fetch-Site", "cross-site")],
        [("Origin", "http://evil.example")],
        [("Host", "evil.example")],
    ] {
        assert_eq!(
            server.get("/api/about", &headers).status,
            403,
            "{headers:?}"
        );
    }
    let body = json!({"tool": "get_config"});
    let plain = [("Content-Type", "text/plain")];
    assert_eq!(server.post("/api/call", &plain, &body).status, 415);
    assert_eq!(server.get("/api/call", &[]).status, 405);
    assert_eq!(server.post("/api/about", &[], &body).status, 405);
    assert_eq!(server.post("/", &[], &body).status, 405);
}
