//! The checks that every request passes, on every route.

use serde_json::json;

use super::server::{Server, call};
use crate::program::tree;

const ROUTES: [&str; 8] = [
    "/",
    "/mcp",
    "/mcp/docs",
    "/context?action=list",
    "/healthz",
    "/readyz",
    "/metrics",
    "/no/such/route",
];

#[test]
fn a_foreign_host_or_origin_passes_nowhere() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    let own = format!("http://{}", server.address);
    for route in ROUTES {
        for host in [
            "evil.example",
            "evil.example:80",
            "localhost",
            "127.0.0.1:1",
        ] {
            let answer = server.get(route, &[("Host", host)]);
            assert_eq!(answer.status, 403, "{route} {host}");
            let flag = format!("`--allow-host {host}`");
            assert!(answer.body.contains(&flag), "{}", answer.body);
        }
        for origin in [
            "http://evil.example",
            "null",
            "http://localhost",
            "https://localhost",
        ] {
            let answer = server.get(route, &[("Origin", origin)]);
            assert_eq!(answer.status, 403, "{route} {origin}");
        }
        let twice = [("Host", &*server.host()), ("Host", &*server.host())];
        assert!(
            [400, 403].contains(&server.get(route, &twice).status),
            "{route}"
        );
        assert_ne!(
            server.get(route, &[("Origin", &own)]).status,
            403,
            "{route}"
        );
        assert_ne!(server.get(route, &[]).status, 403, "{route}");
    }
    let none = server.raw(b"GET /healthz HTTP/1.0\r\n\r\n").unwrap();
    assert_eq!(none.status, 403);
}

#[test]
fn the_names_of_the_loopback_are_good_with_the_port() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    let port = server.address.port();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for name in ["localhost", "127.0.0.1", "[::1]"] {
        let host = format!("{name}:{port}");
        let origin = format!("http://{host}");
        let answer = server.post("/mcp", &[("Host", &host), ("Origin", &origin)], &ping);
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

#[test]
fn a_host_that_is_allowed_passes() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &["--allow-host", "docs.example"]);
    let explore = call(1, "explore", json!({"query": "fox"}));
    for headers in [
        &[("Host", "docs.example")][..],
        &[("Host", "docs.example"), ("Origin", "https://docs.example")],
    ] {
        let answer = server.post("/mcp", headers, &explore);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(server.get("/context?action=list", headers).status, 200);
    }
    let other = [
        ("Host", "docs.example"),
        ("Origin", "https://other.example"),
    ];
    assert_eq!(server.post("/mcp", &other, &explore).status, 403);
}

#[test]
fn data_is_not_for_pages_of_other_sites() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    let site = |site| {
        server
            .get("/context?action=list", &[("Sec-Fetch-Site", site)])
            .status
    };
    assert_eq!(["same-origin", "none"].map(site), [200, 200]);
    assert_eq!(["same-site", "cross-site"].map(site), [403, 403]);
}

#[test]
fn what_has_no_route_is_a_plain_404() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
        "/register",
        "/mcp//",
        "/mcp/other",
        "/mcp/docs//",
        "/healthz/",
        "/../mcp",
        "/context/",
    ] {
        let answer = server.get(path, &[]);
        assert_eq!(
            (answer.status, &*answer.body),
            (404, "not found\n"),
            "{path}"
        );
        assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    }
    for (path, allowed) in [("/mcp", "POST"), ("/context", "GET, POST")] {
        let mut stream = server.send("DELETE", path, &[], None);
        let answer = super::server::Answer::read(&mut stream).unwrap();
        assert_eq!((answer.status, answer.header("allow")), (405, allowed));
    }
}

#[test]
fn no_answer_is_kept_or_taken_for_something_else() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    for route in ROUTES {
        let answer = server.get(route, &[]);
        assert_eq!(
            answer.header("x-content-type-options"),
            "nosniff",
            "{route}"
        );
        // The page contains no private data; browsers revalidate their copy of it.
        let kept = if route == "/" { "no-cache" } else { "no-store" };
        assert_eq!(answer.header("cache-control"), kept, "{route}");
        assert_eq!(answer.header("access-control-allow-origin"), "", "{route}");
    }
}
