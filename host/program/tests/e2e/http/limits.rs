//! Limits of clients: size, rate and speed of requests, and malformed requests.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use super::server::{ACCEPT, Answer, Server, call};
use crate::program::{ran, tree};

/// Delay before the reply to a client that calls too often.
const TOO_OFTEN_WAIT: Duration = Duration::from_millis(50);

/// Letters, at one per 200 ms, for which the timeout of a request's head is too short.
const MOST_LETTERS: usize = 300;

#[track_caller]
fn is_well(server: &Server) {
    let answer = server.post("/mcp", &[], &call(1, "explore", json!({"query": "fox"})));
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[test]
fn a_body_that_is_too_large_is_refused() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    let head = |length: &str| {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: {}\r\n{length}\r\n\r\n",
            server.host(),
            ACCEPT.1
        )
    };
    // By its declared length, before the body is sent.
    let told = server
        .raw(head("Content-Length: 1000000000").as_bytes())
        .unwrap();
    assert_eq!(told.status, 413);
    let mut sent = head("Transfer-Encoding: chunked").into_bytes();
    for _ in 0..40 {
        sent.extend_from_slice(b"2000\r\n");
        sent.extend_from_slice(&[b' '; 0x2000]);
        sent.extend_from_slice(b"\r\n");
    }
    // The connection may be closed before the reply is read, because the rest is refused.
    let counted = server.raw(&sent);
    assert!(counted.is_none_or(|it| it.status == 413));
    let mut padded = call(1, "explore", json!({"query": "fox"})).to_string();
    padded.push_str(&" ".repeat(200 << 10));
    let mut stream = server.send("POST", "/mcp", &[ACCEPT], Some(&padded));
    assert_eq!(Answer::read(&mut stream).unwrap().status, 200);
    is_well(&server);
}

#[test]
fn a_head_that_does_not_end_is_not_waited_for() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    let mut slow = server.connect();
    let mut idle = server.connect();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nX-A: ").unwrap();
    slow.set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    // A letter now and then does not extend the timeout.
    let mut bytes = [0; 16];
    let mut letters = 0;
    loop {
        match slow.read(&mut bytes) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => break,
        }
        let _ = slow.write_all(b"b");
        letters += 1;
        assert!(letters < MOST_LETTERS, "it is still open");
    }
    assert!(letters > 1, "it was closed at once");
    // A connection that waits for its first request has a longer timeout.
    let request = format!(
        "GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        server.host()
    );
    idle.write_all(request.as_bytes()).unwrap();
    assert_eq!(Answer::read(&mut idle).unwrap().status, 200);
}

/// Sends a request on an open connection, and returns the answer; none if the connection is closed
/// instead.
fn asked(stream: &mut TcpStream, server: &Server, path: &str) -> Option<Answer> {
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        server.host()
    );
    // The connection may be closed before the write.
    let _ = stream.write_all(request.as_bytes());
    Answer::read(stream)
}

#[test]
fn who_is_idle_for_longest_gives_way_and_nobody_is_shut_out() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    let mut idle: Vec<TcpStream> = (0..256).map(|_| server.connect()).collect();
    // Once the last connection is answered, all have been accepted.
    let mut last = idle.pop().unwrap();
    assert_eq!(asked(&mut last, &server, "/healthz").unwrap().status, 200);
    idle.push(server.connect());
    for path in ["/healthz", "/readyz", "/context?action=list"] {
        assert_eq!(server.get(path, &[]).status, 200, "{path}");
    }
    is_well(&server);
    // Of the idle connections, the oldest were closed, and only as many as new ones came.
    let answers: Vec<bool> = idle
        .iter_mut()
        .map(|stream| asked(stream, &server, "/healthz").is_some())
        .collect();
    assert!(!answers[0], "the oldest is still there");
    assert!(answers[8..].iter().all(|it| *it), "{answers:?}");
}

#[test]
fn a_token_has_so_many_calls_a_minute() {
    let directory = tree(&[("docs/a.md", "fox\n")]);
    let tokens = directory.path().join("tokens.json").display().to_string();
    let token = |name| {
        let arguments = ["token", "new", name, "--root", "docs", "--tokens", &tokens];
        let (code, token, errors) = ran(directory.path(), &arguments);
        assert_eq!(code, 0, "{errors}");
        format!("Bearer {}", token.trim_end())
    };
    let (ann, ben) = (token("ann"), token("ben"));
    let server = Server::for_directory(&directory.path().join("docs"), &["--tokens", &tokens]);
    let explore = call(5, "explore", json!({"query": "fox"}));
    let status = |token: &str| server.post("/mcp", &[("Authorization", token)], &explore);
    let (waited, refused) = (0..200)
        .map(|_| {
            let begun = Instant::now();
            let answer = status(&ann);
            (begun.elapsed(), answer)
        })
        .find(|(_, answer)| answer.status != 200)
        .unwrap();
    assert_eq!(refused.status, 429);
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    let error = refused.json();
    assert_eq!(
        (&error["id"], &error["error"]["code"]),
        (&json!(5), &json!(429))
    );
    // That reply is delayed.
    assert!(waited >= TOO_OFTEN_WAIT);
    let batch = serde_json::Value::Array(vec![explore.clone(); 400]);
    let answer = server.post("/mcp", &[("Authorization", &ann)], &batch);
    let answers = answer.json();
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), 400);
    assert_eq!(answers.last().unwrap()["error"]["code"], 429);
    // Another token, and requests that are not calls, are unaffected.
    assert_eq!(status(&ben).status, 200);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    assert_eq!(
        server
            .post("/mcp", &[("Authorization", &ann)], &list)
            .status,
        200
    );
}

/// A generator of pseudorandom numbers with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }
}

/// Returns a valid request with bytes changed, removed, doubled and truncated.
fn broken(good: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(5) {
            0 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, b"\r\n\0:%[{\" "[random.below(9)]),
            3 => {
                let end = (at + random.below(40)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            _ => bytes.truncate(at.max(1)),
        }
    }
    bytes
}

#[test]
fn nonsense_ends_nothing_but_its_own_connection() {
    let directory = tree(&[("a.md", "fox\n")]);
    let server = Server::for_directory(directory.path(), &[]);
    let body = call(1, "explore", json!({"query": "fox"})).to_string();
    let posted = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: {}\r\nContent-Length: {}\r\n\r\n{body}",
        server.host(),
        ACCEPT.1,
        body.len()
    );
    let got = format!(
        "GET /context?action=search&query=fox&path=%2F HTTP/1.1\r\nHost: {}\r\n\
         Connection: close\r\nOrigin: http://{}\r\n\r\n",
        server.host(),
        server.host()
    );
    let mut random = Random(7);
    let mut seen = std::collections::BTreeMap::<u16, usize>::new();
    for number in 0..3000 {
        let good = if number % 2 == 0 { &posted } else { &got };
        let mut stream = server.connect();
        let _ = stream.write_all(&broken(good.as_bytes(), &mut random));
        // No more bytes follow, so the server does not wait for the rest of a truncated request.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let status = Answer::read(&mut stream).map_or(0, |answer| answer.status);
        *seen.entry(status).or_default() += 1;
        assert!(status < 500 || status == 501 || status == 505, "{status}");
    }
    assert!(seen.len() > 3, "{seen:?}");
    is_well(&server);
    assert_eq!(server.errors(), [""; 0]);
}
