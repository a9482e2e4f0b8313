//! Documents as resources over HTTP: headers, rights, limits.

use serde_json::{Value, json};

use super::server::Server;
use crate::program::{ran, tree};

const MODERN: &str = "2026-07-28";

fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn uris(answer: &Value) -> Vec<&str> {
    let listed = answer["result"]["resources"].as_array();
    let listed = listed.unwrap_or_else(|| panic!("{answer}"));
    listed
        .iter()
        .map(|it| it["uri"].as_str().unwrap())
        .collect()
}

#[test]
fn the_headers_name_the_resource_that_is_read() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    let read = |uri: &str, name: &str| {
        let mut read = request("resources/read", json!({"uri": uri}));
        read["params"]["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let headers = [
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "resources/read"),
            ("Mcp-Name", name),
        ];
        server.post("/mcp", &headers, &read)
    };
    let uri = "docent://docs/a.md";
    let answer = read(uri, uri).json();
    assert_eq!(answer["result"]["contents"][0]["text"], "fox\n", "{answer}");
    let mismatched = read(uri, "docent://docs/b.md");
    assert_eq!(mismatched.status, 400);
    assert_eq!(mismatched.json()["error"]["code"], -32020, "{mismatched:?}");
    let missing = "docent://docs/b.md";
    let missing = read(missing, missing).json();
    assert_eq!(missing["error"]["code"], -32602, "{missing}");
}

#[test]
fn a_token_and_an_address_show_the_resources_of_their_roots_alone() {
    let place = tree(&[("a/note.md", "fox of a\n"), ("b/note.md", "fox of b\n")]);
    let tokens = ["--tokens", "conf/tokens.json"];
    let new = |arguments: &[&str]| {
        let (code, token, errors) = ran(
            place.path(),
            &[&["token", "new"], arguments, &tokens].concat(),
        );
        assert_eq!(code, 0, "{errors}");
        format!("Bearer {}", token.trim_end())
    };
    let (of_a, of_both) = (
        new(&["x", "--root", "a"]),
        new(&["y", "--root", "a", "--root", "b"]),
    );
    let root = |name: &str| format!("{name}={}", place.path().join(name).display());
    let file = place.path().join("conf/tokens.json").display().to_string();
    let (a, b) = (root("a"), root("b"));
    let server = Server::start(&["--root", &a, "--root", &b, "--tokens", &file]);
    let ask = |token: &str, path: &str, method: &str, params: Value| {
        let headers = [("Authorization", token)];
        server.post(path, &headers, &request(method, params)).json()
    };
    let (in_a, in_b) = ("docent://a/note.md", "docent://b/note.md");
    for (token, path, seen) in [
        (&of_both, "/mcp", &[in_a, in_b][..]),
        (&of_both, "/mcp/b", &[in_b]),
        (&of_a, "/mcp", &[in_a]),
    ] {
        assert_eq!(uris(&ask(token, path, "resources/list", json!({}))), seen);
        for uri in [in_a, in_b] {
            let read = ask(token, path, "resources/read", json!({"uri": uri}));
            if seen.contains(&uri) {
                assert_eq!(read["result"]["contents"][0]["uri"], uri, "{read}");
            } else {
                assert_eq!(read["error"]["code"], -32002, "{read}");
                let none = ask(
                    token,
                    path,
                    "resources/read",
                    json!({"uri": "docent://c/d.md"}),
                );
                assert_eq!(read["error"]["message"], none["error"]["message"]);
            }
        }
        let complete = json!({
            "ref": {"type": "ref/resource", "uri": "docent://{root}/{+path}"},
            "argument": {"name": "root", "value": ""},
        });
        let roots = ask(token, path, "completion/complete", complete);
        let roots = roots["result"]["completion"]["values"].as_array().unwrap();
        assert_eq!(roots.len(), seen.len(), "{roots:?}");
    }
    // A cursor conveys no right.
    let of_b = ask(&of_a, "/mcp", "resources/list", json!({"cursor": "b:"}));
    assert_eq!(of_b["error"]["code"], -32602, "{of_b}");
}

#[test]
fn reading_resources_counts_as_calling() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    let read = request("resources/read", json!({"uri": "docent://docs/a.md"}));
    assert_eq!(server.post("/mcp", &[], &read).status, 200);
    let metrics = server.get("/metrics", &[]).body;
    let counted = metrics.lines().any(|line| line.contains("read_document"));
    assert!(counted, "{metrics}");
}
