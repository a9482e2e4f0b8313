//! Tokens: created, listed and revoked, and their rights.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::server::{Server, call};
use crate::program::{ran, tree};

/// Two roots, and a token file beside them.
struct Place {
    directory: TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            directory: tree(&[("a/note.md", "fox of a\n"), ("b/note.md", "fox of b\n")]),
        }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Runs `docent token` with the token file.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let file = ["--tokens", "conf/tokens.json"];
        ran(self.path(), &[&["token"], arguments, &file].concat())
    }

    /// Creates a token and returns the `Authorization` header of a client.
    fn new_token(&self, arguments: &[&str]) -> String {
        let (code, token, errors) = self.run(&[&["new"], arguments].concat());
        assert_eq!(code, 0, "{errors}");
        assert!(
            token.starts_with("dct_") && token.trim_end().len() == 47,
            "{token}"
        );
        assert!(!errors.contains(token.trim_end()), "{errors}");
        format!("Bearer {}", token.trim_end())
    }

    fn serve(&self, arguments: &[&str]) -> Server {
        let root = |name: &str| format!("{name}={}", self.path().join(name).display());
        let (a, b) = (root("a"), format!("{}:rw", root("b")));
        let file = self.path().join("conf/tokens.json").display().to_string();
        let roots = ["--root", &a, "--root", &b, "--no-state", "--tokens", &file];
        Server::start(&[&roots, arguments].concat())
    }
}

fn text(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_token_opens_its_roots_and_nothing_else_is_there() {
    let place = Place::new();
    let only_a = place.new_token(&["ann", "--root", "a:rw"]);
    let both = place.new_token(&["ben", "--root", "a", "--root", "b:rw", "--right", "metrics"]);
    let reads_b = place.new_token(&["cid", "--root", "b", "--root", "c"]);
    let nothing = place.new_token(&["dot", "--right", "metrics"]);
    let server = place.serve(&["--tools", "all"]);
    assert!(
        server
            .errors()
            .iter()
            .any(|line| line.contains("token `cid` names root `c`")),
        "{:?}",
        server.errors()
    );
    let with = |token: &str, path: &str, tool: &str, arguments: Value| {
        let headers = [("Authorization", token)];
        server.call(path, &headers, tool, arguments)
    };
    let found = |token: &str, path: &str| {
        let found = with(token, path, "search_documents", json!({"query": "fox"}));
        let other = json!({"query": "fox", "root": "b"});
        let other = with(token, path, "search_documents", other);
        (text(&found).contains("Found 1"), other["isError"] == false)
    };
    assert_eq!(found(&only_a, "/mcp"), (true, false));
    assert_eq!(found(&both, "/mcp"), (true, true));
    assert_eq!(found(&reads_b, "/mcp"), (true, true));
    assert_eq!(found(&both, "/mcp/b"), (true, true));

    let get = |token: &str, path: &str| server.get(path, &[("Authorization", token)]).status;
    for (token, root, status) in [
        (&only_a, "a", 405),
        (&only_a, "b", 404),
        (&only_a, "no", 404),
        (&reads_b, "a", 404),
        (&reads_b, "c", 404),
        (&both, "b", 405),
    ] {
        assert_eq!(get(token, &format!("/mcp/{root}")), status, "{root}");
    }
    for path in ["/mcp", "/mcp/a", "/context"] {
        let answer = server.get(path, &[("Authorization", &nothing)]);
        assert_eq!(answer.status, 403, "{path}");
        assert_eq!(answer.body, "the token opens no root of this server\n");
    }
    assert_eq!(
        [&only_a, &both, &nothing].map(|it| get(it, "/metrics")),
        [404, 200, 200]
    );

    // A write requires the right of the token and that of the root.
    let write = json!({"root": "b", "path": "new.md", "content": "x"});
    for token in [&only_a, &reads_b] {
        let headers = [("Authorization", &**token)];
        let answer = server.post("/mcp", &headers, &call(1, "write", write.clone()));
        assert_eq!(answer.json()["error"]["code"], -32602, "{answer:?}");
    }
    let in_a = json!({"root": "a", "path": "new.md", "content": "x"});
    assert_eq!(with(&both, "/mcp", "write", in_a)["isError"], true);
    assert!(!place.path().join("b/new.md").exists() && !place.path().join("a/new.md").exists());
    let written = with(&both, "/mcp", "write", write);
    assert_eq!(written["isError"], false, "{written}");
    assert!(place.path().join("b/new.md").exists());
}

#[test]
fn who_has_no_good_token_is_told_so_and_nothing_else() {
    let place = Place::new();
    let good = place.new_token(&["ann", "--root", "a"]);
    let server = place.serve(&[]);
    let bare = good.strip_prefix("Bearer ").unwrap();
    for path in [
        "/mcp",
        "/mcp/a",
        "/mcp/no",
        "/context?action=list",
        "/metrics",
    ] {
        for wrong in [
            None,
            Some("Bearer "),
            Some("Bearer dct_x"),
            Some(bare),
            Some("Basic YTpi"),
        ] {
            let headers: Vec<_> = wrong.map(|it| ("Authorization", it)).into_iter().collect();
            let answer = server.get(path, &headers);
            if answer.status == 429 {
                assert_ne!(answer.header("retry-after"), "");
                continue;
            }
            assert_eq!(answer.status, 401, "{path} {wrong:?}");
            assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"docent\"");
        }
        // A token in a URL would appear in logs.
        let query = format!(
            "{path}{}access_token={bare}",
            if path.contains('?') { '&' } else { '?' }
        );
        assert_eq!(server.get(&query, &[]).status, 401);
    }
    assert_eq!(
        server
            .get("/.well-known/oauth-protected-resource", &[])
            .status,
        404
    );
    assert_eq!(server.get("/healthz", &[]).status, 200);
    assert_eq!(
        server
            .get("/context?action=list", &[("Authorization", &good)])
            .status,
        200
    );
    assert!(
        server.errors().iter().all(|line| !line.contains(bare)),
        "{:?}",
        server.errors()
    );
}

#[test]
fn guesses_are_counted_and_keep_no_good_token_out() {
    let place = Place::new();
    let good = place.new_token(&["ann", "--root", "a"]);
    let server = place.serve(&[]);
    let guess = || server.get("/mcp", &[("Authorization", "Bearer dct_x")]);
    let statuses: Vec<_> = (0..12).map(|_| guess().status).collect();
    assert_eq!(statuses[..10], [401; 10]);
    assert_eq!(statuses[11], 429);
    assert_ne!(guess().header("retry-after"), "");
    assert_eq!(
        server
            .get("/context?action=list", &[("Authorization", &good)])
            .status,
        200
    );
}

#[test]
fn who_is_refused_stands_in_the_log() {
    let place = Place::new();
    place.new_token(&["ann", "--root", "a"]);
    let log = place.path().join("log").display().to_string();
    let mut server = place.serve(&["--log", &log]);
    for _ in 0..3 {
        assert_eq!(server.get("/mcp", &[]).status, 401);
    }
    for _ in 0..12 {
        server.get("/mcp", &[("Authorization", "Bearer dct_guess")]);
    }
    server.terminate();
    assert!(server.ended().success());
    let (code, shown, errors) = ran(place.path(), &["log", "show", "--log", &log]);
    assert_eq!(code, 0, "{errors}");
    // One entry per minute, and one at the end: the first may come between the requests.
    let (mut missing, mut wrong, mut entries) = (0, 0, 0);
    for line in shown.lines().filter(|line| line.contains("  refused  ")) {
        let words: Vec<_> = line.split_whitespace().collect();
        missing += words[3].parse::<u32>().unwrap();
        wrong += words[7].parse::<u32>().unwrap();
        entries += 1;
        assert!(
            line.ends_with("with a wrong one, from 127.0.0.1"),
            "{shown}"
        );
    }
    assert_eq!((missing, wrong), (3, 12), "{shown}");
    assert!(entries <= 2, "{shown}");
    assert_eq!(shown.lines().count(), 2 + entries, "{shown}");
    let kept = std::fs::read_to_string(place.path().join("log/000001.jsonl")).unwrap();
    assert!(!kept.contains("dct_"), "{kept}");
    assert_eq!(ran(place.path(), &["log", "verify", "--log", &log]).0, 0);
}

#[test]
fn a_token_is_made_once_listed_and_revoked_at_once() {
    let place = Place::new();
    let ann = place.new_token(&["ann", "--root", "a"]);
    let server = place.serve(&[]);
    let status = |token: &str| {
        server
            .get("/context?action=list", &[("Authorization", token)])
            .status
    };
    assert_eq!(status(&ann), 200);
    let (code, _, error) = place.run(&["new", "ann", "--root", "b"]);
    assert_eq!(code, 2);
    assert_eq!(
        error,
        "docent: there is a token `ann`; revoke it first: `docent token revoke ann`\n"
    );
    // While the server runs.
    let ben = place.new_token(&["ben@example.org", "--root", "b:rw", "--expires", "never"]);
    assert_eq!(status(&ben), 200);
    let (_, list, _) = place.run(&["list"]);
    let lines: Vec<_> = list.lines().collect();
    assert!(lines[0].starts_with("ann  a  expires 20"), "{list}");
    assert_eq!(lines[1], "ben@example.org  b:rw  never expires");
    assert!(!list.contains("dct_"), "{list}");
    let kept = std::fs::read_to_string(place.path().join("conf/tokens.json")).unwrap();
    assert!(!kept.contains("dct_"), "{kept}");

    assert_eq!(
        place.run(&["revoke", "ann"]),
        (0, String::new(), String::new())
    );
    assert_eq!((status(&ann), status(&ben)), (401, 200));
    let (code, _, error) = place.run(&["revoke", "ann"]);
    assert_eq!(
        (code, &*error),
        (
            2,
            "docent: no token `ann`; expected one of `ben@example.org`\n"
        )
    );
    place.run(&["revoke", "ben@example.org"]);
    assert_eq!(
        status(&ben),
        401,
        "without a token nobody may ask, not everybody"
    );
    let again = place.serve(&[]);
    assert_eq!(
        again.get("/mcp", &[]).status,
        401,
        "nor after the next start"
    );
}

#[test]
fn what_others_can_reach_needs_tokens() {
    let place = Place::new();
    let (code, _, error) = ran(
        place.path(),
        &["serve", "--root", "a", "--listen", "0.0.0.0:0"],
    );
    assert_eq!(code, 2);
    let (start, end) = (
        "docent: others can reach http://0.0.0.0:",
        ", and there are no tokens; create one: `docent token new NAME --root ROOT`\n",
    );
    assert!(error.starts_with(start) && error.ends_with(end), "{error}");
    let (code, _, error) = ran(
        place.path(),
        &[
            "serve",
            "--root",
            "a",
            "--listen",
            "127.0.0.1:0",
            "--tokens",
            "absent.json",
        ],
    );
    assert_eq!(code, 2);
    assert!(
        error.starts_with("docent: token file `absent.json` does not exist"),
        "{error}"
    );
}

#[test]
fn a_token_file_that_a_call_could_change_is_refused() {
    let place = Place::new();
    place.new_token(&["ann", "--root", "a"]);
    let (code, _, error) = ran(
        place.path(),
        &[
            "serve",
            "--root",
            "all=.",
            "--listen",
            "127.0.0.1:0",
            "--tokens",
            "conf/tokens.json",
        ],
    );
    assert_eq!(code, 2);
    assert!(error.contains("is in root `all`"), "{error}");
}

#[test]
fn two_sets_of_rights_never_share_an_instance() {
    let place = Place::new();
    let only_a = place.new_token(&["ann", "--root", "a"]);
    let both = place.new_token(&["ben", "--root", "a", "--root", "b"]);
    let also_a = place.new_token(&["cid", "--root", "a"]);
    let writes = place.new_token(&["dot", "--root", "a", "--root", "b:rw"]);
    let server = place.serve(&["--trace"]);
    let mut origins = Vec::new();
    for token in [&only_a, &both, &also_a, &writes, &both, &only_a] {
        let headers = [("Authorization", &**token)];
        server.call("/mcp", &headers, "explore", json!({"query": "fox"}));
        let lines = server.wait_for("   instance ", origins.len() + 1);
        let is_new = lines[origins.len()].contains(" new,");
        origins.push(if is_new { "new" } else { "warm" });
    }
    assert_eq!(origins, ["new", "new", "warm", "new", "warm", "warm"]);
    // The endpoint of one root has another set of rights for every client.
    let headers = [("Authorization", &*both)];
    server.call("/mcp/b", &headers, "explore", json!({"query": "fox"}));
    let lines = server.wait_for("   instance ", 7);
    assert!(lines[6].contains(" new,"), "{lines:?}");
}

#[test]
fn a_token_for_a_root_that_is_not_there_is_told_why_nothing_opens() {
    let place = Place::new();
    let wrong = place.new_token(&["bob", "--root", "aa", "--root", "c:rw"]);
    let server = place.serve(&[]);
    let told = "token `bob` names roots `aa`, `c`, which are not granted here; it opens none";
    let errors = server.errors();
    assert!(errors.iter().any(|line| line.ends_with(told)), "{errors:?}");
    for path in ["/mcp", "/context?action=list"] {
        let answer = server.get(path, &[("Authorization", &wrong)]);
        let problem = "it names roots `aa`, `c`, which are not granted here\n";
        assert!(
            answer.status == 403 && answer.body.ends_with(problem),
            "{answer:?}"
        );
    }
    // Including a token that is created while the server runs.
    place.new_token(&["dan", "--root", "bb"]);
    server.get("/mcp", &[("Authorization", &wrong)]);
    server.wait_for("token `dan` names root `bb`, which is not granted here", 1);
}

#[test]
fn a_token_is_made_for_a_root_of_the_server_that_runs() {
    let place = Place::new();
    let home = place.path().join("home").display().to_string();
    let (root, tokens) = (
        format!("notes={}", place.path().join("a").display()),
        place.path(),
    );
    let tokens = tokens.join("conf/tokens.json").display().to_string();
    let token = |arguments: &[&str]| {
        let mut command = crate::program::docent();
        command
            .args(["token", "new"])
            .args(arguments)
            .args(["--tokens", &tokens]);
        let output = command.env("XDG_STATE_HOME", &home).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stderr))
    };
    let (code, warned) = token(&["early", "--root", "note"]);
    assert!(
        code == Some(0) && warned.contains("could not be checked"),
        "{warned}"
    );
    let log = format!("{home}/docent/log");
    let server = Server::start(&["--root", &root, "--log", &log, "--tokens", &tokens]);
    let (code, refused) = token(&["ann", "--root", "note"]);
    assert_eq!(code, Some(2), "{refused}");
    assert!(
        refused.contains("expected `notes`, which is the nearest"),
        "{refused}"
    );
    assert_eq!(token(&["ann", "--root", "notes"]).0, Some(0));
    assert_eq!(token(&["cid", "--root", "note", "--unchecked"]).0, Some(0));
    drop(server);
}

#[test]
fn a_token_file_that_comes_later_closes_an_open_server_at_once() {
    let place = Place::new();
    let home = place.path().join("home").display().to_string();
    let root = format!("a={}", place.path().join("a").display());
    let open = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--no-log",
        "--no-state",
        "--tools",
        "all",
    ];
    let mut command = crate::program::docent();
    command
        .args(open)
        .args(["--root", &root])
        .env("XDG_CONFIG_HOME", &home);
    let server = Server::spawn(command);
    let status = |headers: &[(&str, &str)]| server.get("/context?action=list", headers).status;
    assert_eq!(status(&[]), 200);
    let file = format!("{home}/docent/tokens.json");
    let made = ran(
        place.path(),
        &["token", "new", "ann", "--root", "a", "--tokens", &file],
    );
    let ann = format!("Bearer {}", made.1.trim_end());
    assert_eq!(status(&[]), 401);
    assert_eq!(status(&[("Authorization", &ann)]), 200);
    assert_eq!(server.get("/api/calls", &[]).status, 401);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(status(&[]), 401, "it is never open again");
    assert_eq!(status(&[("Authorization", &ann)]), 401);
    server.wait_for("there is a token file now: every request needs a token", 1);
}

#[test]
fn a_new_token_of_an_old_name_sees_nothing_of_the_old_one() {
    let place = Place::new();
    let log = place.path().join("log").display().to_string();
    let both = place.new_token(&["xen", "--root", "a", "--root", "b", "--right", "page"]);
    let server = place.serve(&["--log", &log]);
    let get = |token: &str, path: &str| server.get(path, &[("Authorization", token)]);
    assert_eq!(
        get(&both, "/context?action=read&path=note.md&root=b").status,
        200
    );
    let seen = |token: &str| {
        let calls = get(token, "/api/calls").json()["calls"]
            .as_array()
            .unwrap()
            .len();
        let log = get(token, "/api/log").json()["entries"]
            .as_array()
            .unwrap()
            .len();
        (calls, get(token, "/api/calls/1").status, log)
    };
    assert_eq!(seen(&both), (1, 200, 1));
    // The same rights with another token; then fewer rights in the same file.
    place.run(&["revoke", "xen"]);
    let again = place.new_token(&["xen", "--root", "a", "--root", "b", "--right", "page"]);
    assert_eq!(seen(&again), (0, 404, 0));
    place.run(&["revoke", "xen"]);
    let fewer = place.new_token(&["xen", "--root", "a", "--right", "page"]);
    assert_eq!(seen(&fewer), (0, 404, 0));
    assert_eq!(get(&fewer, "/api/log?who=xen").json()["entries"], json!([]));
    assert_eq!(get(&fewer, "/context?action=read&path=note.md").status, 200);
    assert_eq!(seen(&fewer), (1, 404, 1));
    // A principal with the right to the log, and every root, sees all.
    let all = place.new_token(&[
        "op", "--root", "a", "--root", "b", "--right", "page", "--right", "log",
    ]);
    assert_eq!(seen(&all), (2, 200, 2));
    let some = place.new_token(&["op2", "--root", "a", "--right", "page", "--right", "log"]);
    assert_eq!(seen(&some), (0, 404, 0));
}

#[test]
fn a_call_of_a_revoked_token_ends() {
    let (_work, config) = crate::limits::long_work(crate::limits::ONE_THREAD);
    let place = Place::new();
    let tokens = place.path().join("conf/tokens.json").display().to_string();
    let ann = place.new_token(&["ann", "--root", "docs"]);
    let server = Server::start(&["--config", &config, "--tools", "all", "--tokens", &tokens]);
    let headers = [super::server::ACCEPT, ("Authorization", &*ann)];
    // Far longer than revoking a token takes.
    let long = json!({"query": "absent", "timeoutMs": 60_000});
    let mut asked = call(1, "search_documents", long.clone());
    asked["params"]["_meta"] = json!({"progressToken": "token"});
    let mut streamed = server.send("POST", "/mcp", &headers, Some(&asked.to_string()));
    let mut lines = String::new();
    while !lines.contains("notifications/progress") {
        let mut bytes = [0; 512];
        let read = std::io::Read::read(&mut streamed, &mut bytes).unwrap();
        lines.push_str(&String::from_utf8_lossy(&bytes[..read]));
        assert!(read > 0, "{lines}");
    }
    // Another call waits for its permit.
    let plain = call(2, "search_documents", long);
    let mut waiting = server.send("POST", "/mcp", &headers, Some(&plain.to_string()));
    place.run(&["revoke", "ann"]);
    // Without any request, the server checks the file by itself.
    let refused = super::server::Answer::read(&mut waiting).unwrap();
    assert_eq!(refused.status, 401, "{refused:?}");
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut streamed, &mut rest).unwrap();
    assert!(rest.contains("cancelled"), "{rest}");
}
