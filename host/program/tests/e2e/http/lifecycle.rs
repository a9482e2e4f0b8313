//! The life of a server: health checks, sockets, and a shutdown that loses nothing.

use std::io::Read as _;
use std::process::Stdio;

use serde_json::json;

use super::server::{ACCEPT, Answer, Server, call};
use crate::program::{docent, ran, tree};

#[test]
fn it_lives_and_is_ready_while_its_roots_open() {
    let directory = tree(&[("docs/a.md", "fox\n")]);
    let root = directory.path().join("docs");
    let server = Server::for_directory(&root, &[]);
    let answer = |path| {
        let answer = server.get(path, &[]);
        (answer.status, answer.body)
    };
    assert_eq!(answer("/healthz"), (200, "ok\n".to_owned()));
    assert_eq!(answer("/readyz"), (200, "ready\n".to_owned()));
    std::fs::remove_dir_all(&root).unwrap();
    // An earlier result is cached for a second.
    let start = std::time::Instant::now();
    while answer("/readyz").0 == 200 {
        assert!(start.elapsed() < super::server::PATIENCE, "it stays ready");
    }
    assert_eq!(
        answer("/readyz"),
        (503, "not ready: a root cannot be opened\n".to_owned())
    );
    assert_eq!(answer("/healthz"), (200, "ok\n".to_owned()));
}

#[test]
fn figures_tell_of_calls() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    server.call("/mcp", &[], "explore", json!({"query": "fox"}));
    server.get("/context?action=read&path=absent.md", &[]);
    let metrics = server.get("/metrics", &[]);
    assert!(
        metrics
            .header("content-type")
            .starts_with("text/plain; version=0.0.4")
    );
    for (tool, error) in [
        ("explore", ""),
        ("read_document", ",error_type=\"tool_error\""),
    ] {
        let series = format!(
            "mcp_server_operation_duration_seconds_count{{mcp_method_name=\"tools/call\",\
             gen_ai_tool_name=\"{tool}\",gen_ai_operation_name=\"execute_tool\",\
             network_transport=\"tcp\"{error}}} 1"
        );
        assert!(metrics.body.contains(&series), "{}", metrics.body);
    }
    assert!(
        metrics.body.contains("\ndocent_pools 1\n"),
        "{}",
        metrics.body
    );
}

#[cfg(unix)]
#[test]
fn a_stop_loses_no_call() {
    // Smaller than for cancelling, because the call should complete.
    let line = "some text of a document\n";
    let directory = tree(&[("docs/000.md", &line.repeat(1_000_000))]);
    let docs = directory.path().join("docs");
    for number in 1..200 {
        std::fs::hard_link(docs.join("000.md"), docs.join(format!("{number:03}.md"))).unwrap();
    }
    let mut server = Server::for_directory(&docs, &["--tools", "all"]);
    let request = call(1, "search_documents", json!({"query": "absent"})).to_string();
    let mut running = server.send("POST", "/mcp", &[ACCEPT], Some(&request));
    let mut idle = server.connect();
    while !server
        .get("/metrics", &[])
        .body
        .contains("docent_calls_running 1")
    {}
    server.terminate();
    let answer = Answer::read(&mut running).expect("the call was lost");
    assert_eq!(answer.json()["result"]["isError"], false, "{answer:?}");
    assert!(server.ended().success());
    // A connection without a request is not awaited.
    assert_eq!(idle.read(&mut [0]).unwrap_or(0), 0);
}

#[cfg(unix)]
#[test]
fn a_server_that_is_about_to_end_still_serves_those_who_have_not_heard() {
    let directory = tree(&[("a.md", "fox\n")]);
    let mut server = Server::for_directory(directory.path(), &["--drain-delay", "3"]);
    assert_eq!(server.get("/readyz", &[]).status, 200);
    server.terminate();
    let start = std::time::Instant::now();
    while server.get("/readyz", &[]).status == 200 {
        assert!(start.elapsed() < super::server::PATIENCE, "it stays ready");
    }
    let ready = server.get("/readyz", &[]);
    assert_eq!(ready.body, "not ready: shutting down\n");
    let found = server.get("/context?action=search&query=fox", &[]);
    assert_eq!((found.status, found.header("connection")), (200, "close"));
    assert!(server.ended().success());
}

#[cfg(unix)]
#[test]
fn a_path_is_for_its_owner_alone() {
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::UnixStream;

    let directory = tree(&[("docs/a.md", "fox\n")]);
    let socket = directory.path().join("docent.sock");
    let listen = format!("unix:{}", socket.display());
    // The socket of a killed server does not prevent a start.
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    let mut child = docent()
        .args(["serve", "--no-log", "--root", "docs", "--listen", &listen])
        .current_dir(directory.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let expected = format!("docent: serving at {listen}\n");
    let mut line = vec![0; expected.len()];
    child
        .stderr
        .as_mut()
        .unwrap()
        .read_exact(&mut line)
        .unwrap();
    assert_eq!(String::from_utf8(line).unwrap(), expected);
    let mode = std::fs::metadata(&socket).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
    let mut stream = UnixStream::connect(&socket).unwrap();
    stream
        .write_all(
            b"GET /context?action=list HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        )
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("a.md"),
        "{answer}"
    );

    // A second server does not take over the socket of a running one.
    let (code, _, error) = ran(
        directory.path(),
        &["serve", "--root", "docs", "--listen", &listen],
    );
    assert_eq!(code, 2);
    assert!(
        error.starts_with(&format!("docent: cannot listen at `{listen}`: ")),
        "{error}"
    );

    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(!socket.exists());
}
