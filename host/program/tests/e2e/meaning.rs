//! `smart_search` with an endpoint on loopback that tells what texts mean, or anything else.

#[cfg(unix)]
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
#[cfg(unix)]
use std::time::SystemTime;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::http::server::Server as Http;
use crate::program::{Session, ran, tree};

/// What an endpoint does when it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Answers,
    /// In chunks, without a length.
    AnswersInChunks,
    /// Only questions of one text; others are refused.
    AnswersOne,
    /// What describes the model, and nothing after that.
    SaysNothing,
    Dribbles,
    OtherLength,
    OneTooFew,
    NotANumber,
    Huge,
    Endless,
    NotJson,
    Base64,
    TooMany,
    ClosesEarly,
    ClosesAtOnce,
    Redirects(u16),
}

/// An endpoint, with what it was sent.
struct Server {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
    texts: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(deed: Deed) -> Self {
        Self::start_with(deed, |_| ())
    }

    /// Starts one that does something with the texts of a request before it answers.
    fn start_with(deed: Deed, before: impl Fn(&[String]) + Send + Sync + 'static) -> Self {
        let before = Arc::new(before);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            port: listener.local_addr().unwrap().port(),
            heads: Arc::default(),
            texts: Arc::default(),
        };
        let (heads, texts) = (Arc::clone(&server.heads), Arc::clone(&server.texts));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let (heads, texts) = (Arc::clone(&heads), Arc::clone(&texts));
                let before = Arc::clone(&before);
                thread::spawn(move || {
                    let Some((head, body)) = request(&mut stream) else {
                        return;
                    };
                    heads.lock().unwrap().push(head);
                    let body: Value = serde_json::from_slice(&body).unwrap();
                    assert_eq!(body["encoding_format"], "float");
                    let input = body["input"].as_array().unwrap();
                    let input: Vec<String> = input
                        .iter()
                        .map(|text| text.as_str().unwrap().to_owned())
                        .collect();
                    let is_first = {
                        let mut texts = texts.lock().unwrap();
                        texts.extend(input.iter().cloned());
                        texts.len() == input.len()
                    };
                    // A description, so that what comes next is asked at all.
                    let deed = if is_first { Deed::Answers } else { deed };
                    before(&input);
                    answer(&mut stream, deed, &input);
                });
            }
        });
        server
    }

    fn flag(&self) -> String {
        format!("http://127.0.0.1:{}/v1#fake", self.port)
    }

    fn texts(&self) -> Vec<String> {
        self.texts.lock().unwrap().clone()
    }
}

fn request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("Content-Length: "))?;
        let length: usize = length.parse().ok()?;
        if body.len() >= length {
            return Some((head.to_owned(), body.as_bytes().to_vec()));
        }
    }
}

/// A vector by the words of a text, `automobile` being a `car`.
fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; 32];
    let words = text.split(|c: char| !c.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        let word = if word == "automobile" { "car" } else { &word };
        let hash = word.bytes().fold(7usize, |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(usize::from(byte))
        });
        vector[hash % 32] += 1.0;
    }
    vector[0] += 0.01;
    vector
}

fn answer(stream: &mut TcpStream, deed: Deed, input: &[String]) {
    let embedded = |vector: fn(&str) -> Value, texts: &[String]| {
        let data: Vec<Value> = texts
            .iter()
            .enumerate()
            .map(|(index, text)| json!({"index": index, "embedding": vector(text)}))
            .collect();
        json!({"object": "list", "data": data, "model": "fake"}).to_string()
    };
    let good = || embedded(|text| json!(vector(text)), input);
    let mut send = |status: &str, body: &str| {
        let length = body.len();
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n");
        let _ = stream.write_all((head + body).as_bytes());
    };
    match deed {
        Deed::Answers => send("200 OK", &good()),
        Deed::AnswersInChunks => {
            let body = good();
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            for chunk in body.as_bytes().chunks(100) {
                let _ = stream.write_all(format!("{:x}\r\n", chunk.len()).as_bytes());
                let _ = stream.write_all(chunk);
                let _ = stream.write_all(b"\r\n");
            }
            let _ = stream.write_all(b"0\r\n\r\n");
        }
        Deed::AnswersOne if input.len() > 1 => send("400 Bad Request", "too long"),
        Deed::AnswersOne => send("200 OK", &good()),
        Deed::SaysNothing => thread::sleep(Duration::from_secs(30)),
        Deed::Dribbles => {
            for _ in 0..300 {
                if stream.write_all(b"H").is_err() {
                    return;
                }
                thread::sleep(Duration::from_millis(100));
            }
        }
        Deed::OtherLength => send("200 OK", &embedded(|_| json!([1.0, 2.0]), input)),
        Deed::OneTooFew => send("200 OK", &embedded(|text| json!(vector(text)), &input[1..])),
        Deed::NotANumber => send("200 OK", &good().replace("0.0", "NaN")),
        Deed::Huge => send("200 OK", &good().replace("0.0", "1e300")),
        Deed::Endless => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            while stream.write_all(&[b'['; 65_536]).is_ok() {}
        }
        Deed::NotJson => send("200 OK", "<html>Welcome</html>"),
        Deed::Base64 => send("200 OK", &embedded(|_| json!("AACAPwAAAAA="), input)),
        Deed::TooMany => send("429 Too Many Requests", "{\"error\":\"slow down\"}"),
        Deed::ClosesEarly => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{\"data");
        }
        Deed::ClosesAtOnce => {}
        Deed::Redirects(port) => {
            let location = format!("http://127.0.0.1:{port}/v1/embeddings");
            let _ = stream.write_all(
                format!("HTTP/1.1 307 Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n")
                    .as_bytes(),
            );
        }
    }
}

fn garage() -> TempDir {
    tree(&[
        (
            "docs/a.md",
            "# Garage\n\nHow to repair a car that does not start in winter.\n",
        ),
        (
            "docs/b.md",
            "# Notes\n\nRepair of clocks and of many other things.\n",
        ),
        (
            "docs/c.md",
            "# Workshop\n\nOne automobile stands still in a workshop.\n",
        ),
        ("docs/.ssh/d.md", "canary: repair the car\n"),
        ("docs/credentials", "canary: repair the car\n"),
    ])
}

/// Asks in a process of its own.
fn ask(directory: &Path, embedder: &str, query: &str, mode: &str) -> Value {
    let (query, mode) = (format!("query={query}"), format!("mode={mode}"));
    let call = [
        "call",
        "smart_search",
        &query,
        &mode,
        "--root",
        "docs",
        "--embedder",
        embedder,
        "--json",
    ];
    let (code, output, errors) = ran(directory, &call);
    assert_eq!((code, errors.as_str()), (0, ""));
    serde_json::from_str(&output).unwrap()
}

const QUERY: &str = "repair the car";

#[test]
fn meaning_joins_words() {
    for deed in [Deed::Answers, Deed::AnswersInChunks, Deed::AnswersOne] {
        let (directory, server) = (garage(), Server::start(deed));
        let answer = ask(directory.path(), &server.flag(), QUERY, "auto");
        assert_eq!(answer["mode"], "semantic", "{deed:?}: {answer}");
        assert_eq!(answer["modelInfo"], "fake");
        assert_eq!(answer["degraded"], false, "{answer}");
        assert_eq!(answer["documents"][0]["path"], "a.md");
        let texts = server.texts();
        assert!(texts.contains(&QUERY.to_owned()), "{texts:?}");
        assert!(
            texts
                .iter()
                .any(|text| text.contains("does not start in winter"))
        );
        assert!(
            texts.iter().all(|text| !text.contains("canary")),
            "{texts:?}"
        );
        let heads = server.heads.lock().unwrap().clone();
        assert!(
            heads
                .iter()
                .all(|head| head.starts_with("POST /v1/embeddings HTTP/1.1\r\n"))
        );
        assert!(heads.iter().all(|head| !head.contains("Authorization")));
    }
}

#[test]
fn whatever_an_endpoint_does_words_answer() {
    let elsewhere = Server::start(Deed::Answers);
    let unreachable = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1#fake", listener.local_addr().unwrap())
    };
    let directory = garage();
    let words = ask(directory.path(), "none", QUERY, "keyword");
    let told = |embedder: &str, reason: &str| {
        let start = Instant::now();
        let answer = ask(directory.path(), embedder, QUERY, "auto");
        assert!(start.elapsed() < Duration::from_secs(25), "{reason}");
        assert_eq!(answer["reasons"], json!([reason]), "{answer}");
        assert_eq!(answer["degraded"], true);
        assert!(answer.get("modelInfo").is_none_or(Value::is_null));
        for key in ["mode", "documents", "documentsFound"] {
            assert_eq!(answer[key], words[key], "{reason}");
        }
    };
    told(&unreachable, "the embedder cannot be reached");
    told("none", "no embedder is configured");
    for (deed, reason) in [
        (Deed::SaysNothing, "the embedder took too long"),
        (Deed::Dribbles, "the embedder took too long"),
        (
            Deed::OtherLength,
            "what the embedder answers makes no sense",
        ),
        (Deed::OneTooFew, "what the embedder answers makes no sense"),
        (Deed::NotANumber, "what the embedder answers makes no sense"),
        (Deed::Huge, "what the embedder answers makes no sense"),
        (Deed::Endless, "what the embedder answers makes no sense"),
        (Deed::NotJson, "what the embedder answers makes no sense"),
        (Deed::Base64, "what the embedder answers makes no sense"),
        (Deed::TooMany, "the embedder refuses"),
        (Deed::ClosesEarly, "the embedder cannot be reached"),
        (Deed::ClosesAtOnce, "the embedder cannot be reached"),
        (Deed::Redirects(elsewhere.port), "the embedder refuses"),
    ] {
        let server = Server::start(deed);
        told(&server.flag(), reason);
        assert!(server.texts().len() >= 2, "{deed:?}");
    }
    assert_eq!(elsewhere.texts(), [""; 0]);
}

#[test]
fn a_server_keeps_what_it_was_told() {
    let (directory, server) = (garage(), Server::start(Deed::Answers));
    let docs = directory.path().join("docs").display().to_string();
    let arguments = [
        "--root",
        &docs,
        "--embedder",
        &server.flag(),
        "--structured",
    ];
    let mut session = Session::initialized("2025-11-25", &arguments);
    let mut asked = |query: &str| {
        let result = session.call("smart_search", json!({"query": query}));
        result["structuredContent"].clone()
    };
    let paths = |answer: &Value| -> Vec<String> {
        let documents = answer["documents"].as_array().unwrap().iter();
        documents
            .map(|one| one["path"].as_str().unwrap().to_owned())
            .collect()
    };
    let first = asked(QUERY);
    assert!(!paths(&first).contains(&"c.md".to_owned()), "{first}");
    let before = server.texts().len();
    assert_eq!(asked(QUERY), first);
    assert_eq!(server.texts().len(), before);
    asked("what stands in the workshop");
    assert!(paths(&asked(QUERY)).contains(&"c.md".to_owned()));
    // A changed text has no vector yet.
    fs::write(
        directory.path().join("docs/c.md"),
        "# Workshop\n\nNothing.\n",
    )
    .unwrap();
    assert!(!paths(&asked(QUERY)).contains(&"c.md".to_owned()));
    let config = session.call("get_config", json!({}));
    assert_eq!(config["structuredContent"]["embedder"], "fake");
}

#[test]
fn what_was_told_is_kept_with_the_state() {
    let (directory, server) = (garage(), Server::start(Deed::Answers));
    let asked = |state: &[&str]| {
        let call = [
            "call",
            "smart_search",
            "query=repair the car",
            "--root",
            "docs",
            "--json",
        ];
        let flag = server.flag();
        let line = [&call[..], &["--embedder", &flag], state].concat();
        let before = server.texts().len();
        let (code, output, errors) = ran(directory.path(), &line);
        assert_eq!((code, errors.as_str()), (0, ""));
        (output, server.texts().len() - before)
    };
    let (first, sent) = asked(&["--state", "state"]);
    let (again, less) = asked(&["--state", "state"]);
    assert_eq!(again, first);
    // What kind of model it is, and the question.
    assert_eq!(less, 2);
    assert!(sent > 2);
    // Nothing but what was sent is believed of a file.
    let vectors = directory.path().join("state/vectors");
    for entry in fs::read_dir(&vectors).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        if let Some(byte) = bytes.last_mut() {
            *byte ^= 1;
        }
        fs::write(path, bytes).unwrap();
    }
    assert_eq!(asked(&["--state", "state"]), (first.clone(), 3));
    assert_eq!(asked(&["--no-state"]), (first.clone(), sent));
    // Nothing of docent's is put into a root.
    assert_eq!(asked(&["--state", "docs/state"]), (first, sent));
    assert!(!directory.path().join("docs/state").exists());
}

#[test]
fn a_key_is_sent_and_no_other_machine_is_named() {
    let (directory, server) = (garage(), Server::start(Deed::Answers));
    let config = directory.path().join("docent.toml");
    fs::write(directory.path().join("key"), "canary-key\n").unwrap();
    let port = server.port;
    let text = format!(
        "roots = [{{ path = \"docs\" }}]\n[embedder]\nurl = \"http://localhost:{port}/v1\"\n\
         model = \"fake\"\nkey-file = \"key\"\nquery-prefix = \"query: \"\n"
    );
    fs::write(&config, &text).unwrap();
    let call = [
        "call",
        "smart_search",
        "query=repair the car",
        "--config",
        "docent.toml",
    ];
    let (code, _, errors) = ran(directory.path(), &call);
    assert_eq!((code, errors.as_str()), (0, ""));
    let heads = server.heads.lock().unwrap().clone();
    let authorized = |head: &String| head.contains("\r\nAuthorization: Bearer canary-key");
    assert!(
        !heads.is_empty() && heads.iter().all(authorized),
        "{heads:?}"
    );
    assert!(server.texts().contains(&"query: repair the car".to_owned()));
    let (_, report, _) = ran(directory.path(), &["doctor", "--config", "docent.toml"]);
    assert!(
        report.contains(&format!("go to http://localhost:{port}/v1\n")),
        "{report}"
    );
    assert!(!report.contains("canary-key"));
    fs::write(&config, text.replace("localhost", "example.com")).unwrap();
    let (code, _, errors) = ran(directory.path(), &call);
    assert_eq!(code, 2);
    assert!(errors.contains("it is not of this machine"), "{errors}");
}

#[test]
fn served_callers_share_an_endpoint_and_no_vectors() {
    let note = "# Garage\n\nHow to repair a car that does not start in winter.\n";
    let (directory, endpoint) = (
        tree(&[("a/note.md", note), ("b/note.md", note)]),
        Server::start(Deed::Answers),
    );
    let token = |name: &str, root: &str| {
        let line = [
            "token",
            "new",
            name,
            "--root",
            root,
            "--tokens",
            "tokens.json",
        ];
        let (code, token, errors) = ran(directory.path(), &line);
        assert_eq!(code, 0, "{errors}");
        format!("Bearer {}", token.trim_end())
    };
    let (ann, ben) = (token("ann", "a"), token("ben", "b"));
    let place = |name: &str| directory.path().join(name).display().to_string();
    let serve = |state: &str| {
        let (a, b) = (format!("a={}", place("a")), format!("b={}", place("b")));
        let (tokens, flag) = (place("tokens.json"), endpoint.flag());
        let roots = ["--root", &a, "--root", &b, "--tokens", &tokens];
        let more = ["--state", state, "--embedder", &flag, "--structured"];
        Http::start(&[&roots[..], &more, &["--tools", "all"]].concat())
    };
    let asked = |server: &Http, token: &str| {
        let headers = [("Authorization", token)];
        let arguments = json!({"query": QUERY});
        let result = server.call("/mcp", &headers, "smart_search", arguments);
        let answer = result["structuredContent"].clone();
        assert_eq!(answer["modelInfo"], "fake", "{answer}");
        assert_eq!(answer["documents"][0]["path"], "note.md", "{answer}");
    };
    let passages = || {
        let texts = endpoint.texts();
        texts.iter().filter(|text| text.contains("winter")).count()
    };
    let server = serve(&place("state"));
    let told = "questions and passages of documents go to";
    let errors = server.errors();
    assert!(errors.iter().any(|line| line.contains(told)), "{errors:?}");
    asked(&server, &ann);
    asked(&server, &ann);
    assert_eq!(passages(), 1);
    // The same text, of a root that the other one cannot read.
    asked(&server, &ben);
    assert_eq!(passages(), 2);
    drop(server);
    let served = directory.path().join("state/vectors/served");
    assert_eq!(fs::read_dir(served).unwrap().count(), 2);
    let server = serve(&place("state"));
    asked(&server, &ann);
    asked(&server, &ben);
    assert_eq!(passages(), 2);
    drop(server);
    // Nothing of docent's is put into a root, nor into one that others may read.
    let server = serve(&place("b/state"));
    asked(&server, &ann);
    assert_eq!(passages(), 3);
    assert!(!directory.path().join("b/state").exists());
}

/// Has everything in a folder of vectors look as if it was last used two days ago.
#[cfg(unix)]
fn age(folder: &Path) {
    let long_ago = SystemTime::now() - Duration::from_secs(2 * 24 * 60 * 60);
    let files = fs::read_dir(folder).unwrap();
    let files = files.map(|entry| entry.unwrap().path());
    for path in files.chain([folder.to_owned()]) {
        fs::File::open(path)
            .unwrap()
            .set_modified(long_ago)
            .unwrap();
    }
}

#[cfg(unix)]
#[test]
fn what_is_known_for_rights_that_nobody_has_is_forgotten() {
    let (directory, endpoint) = (
        tree(&[
            ("a/note.md", "# Garage\n\nHow to repair a car.\n"),
            ("b/note.md", "# Garage\n\nHow to repair a car.\n"),
        ]),
        Server::start(Deed::Answers),
    );
    let token = |line: &[&str]| {
        let line = [&["token"], line, &["--tokens", "tokens.json"]].concat();
        let (code, token, errors) = ran(directory.path(), &line);
        assert_eq!(code, 0, "{errors}");
        format!("Bearer {}", token.trim_end())
    };
    let [ann, ben, eve] = [("ann", "a"), ("ben", "b"), ("eve", "a:rw")]
        .map(|(name, root)| token(&["new", name, "--root", root]));
    let place = |name: &str| directory.path().join(name).display().to_string();
    let serve = || {
        let (a, b) = (format!("a={}:rw", place("a")), format!("b={}", place("b")));
        let (tokens, state, flag) = (place("tokens.json"), place("state"), endpoint.flag());
        let roots = ["--root", &a, "--root", &b, "--tokens", &tokens];
        let more = ["--state", &state, "--embedder", &flag, "--tools", "all"];
        Http::start(&[&roots[..], &more].concat())
    };
    let served = directory.path().join("state/vectors/served");
    let folders = || -> BTreeSet<PathBuf> {
        let entries = fs::read_dir(&served).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let ask = |server: &Http, token: &str| {
        let before = folders();
        let headers = [("Authorization", token)];
        server.call("/mcp", &headers, "smart_search", json!({"query": QUERY}));
        folders().difference(&before).next().cloned()
    };
    let server = serve();
    let [of_ann, of_ben, of_eve] = [&ann, &ben, &eve].map(|token| ask(&server, token).unwrap());
    drop(server);
    token(&["revoke", "eve"]);
    for folder in [&of_ann, &of_ben, &of_eve] {
        age(folder);
    }
    // What holds anything but vectors is not touched, whatever it is called.
    let others = served.join("0".repeat(32));
    fs::create_dir(&others).unwrap();
    fs::write(others.join("notes.md"), "mine").unwrap();
    age(&others);
    // At the start.
    let said = "removed what was known by meaning for rights that nobody has any more: 1";
    let server = serve();
    assert_eq!(server.wait_for(said, 1).len(), 1);
    assert_eq!(
        folders(),
        [&of_ann, &of_ben, &others].map(PathBuf::clone).into()
    );
    // When tokens change, as the next request finds.
    ask(&server, &ann);
    token(&["revoke", "ben"]);
    ask(&server, &ann);
    server.wait_for(said, 2);
    assert_eq!(folders(), [&of_ann, &others].map(PathBuf::clone).into());
    drop(server);
    // What was used within a day may be of use to another server.
    token(&["revoke", "ann"]);
    token(&["new", "joe", "--root", "b"]);
    drop(serve());
    assert_eq!(folders(), [&of_ann, &others].map(PathBuf::clone).into());
    age(&of_ann);
    drop(serve());
    assert_eq!(folders(), [others].into());
}

#[test]
fn markdown_says_what_an_answer_went_by() {
    let (directory, server) = (garage(), Server::start(Deed::Answers));
    let unreachable = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1#fake", listener.local_addr().unwrap())
    };
    let answered = |embedder: &str| {
        let query = format!("query={QUERY}");
        let call = ["call", "smart_search", &query, "--root", "docs"];
        let (code, output, errors) = ran(
            directory.path(),
            &[&call[..], &["--embedder", embedder]].concat(),
        );
        assert_eq!((code, errors.as_str()), (0, ""));
        output
    };
    let words = answered("none");
    assert!(!words.contains("Meaning by") && !words.contains("Less than asked"));
    let both = answered(&server.flag());
    assert!(both.contains("\n\nMeaning by fake.\n"), "{both}");
    let failed = answered(&unreachable);
    let reason = "\n\nLess than asked: the embedder cannot be reached.\n";
    assert_eq!(failed.replace(reason, "\n"), words);
    assert_ne!(failed, words);
}

#[test]
fn explore_goes_by_meaning_too() {
    let (directory, server) = (garage(), Server::start(Deed::Answers));
    let explored = |embedder: &str, query: &str, more: &[&str]| {
        let query = format!("query={query}");
        let call = ["call", "explore", &query, "--root", "docs", "--state", "s"];
        let call = [&call[..], &["--embedder", embedder], more].concat();
        let (code, output, errors) = ran(directory.path(), &call);
        assert_eq!((code, errors.as_str()), (0, ""));
        output
    };
    let words = explored("none", QUERY, &[]);
    assert!(!words.contains("c.md"), "{words}");
    explored(&server.flag(), "what stands still", &[]);
    let both = explored(&server.flag(), QUERY, &["--json"]);
    let both: Value = serde_json::from_str(&both).unwrap();
    let docs = both["data"]["docs"].as_array().unwrap();
    let near = docs.iter().find(|item| item["filePath"] == "c.md").unwrap();
    assert_eq!(near["why"], json!(["near in meaning"]), "{near}");
    assert_eq!(docs[0]["filePath"], "a.md");
    assert!(server.texts().iter().all(|text| !text.contains("canary")));
    let unreachable = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1#fake", listener.local_addr().unwrap())
    };
    let failed = explored(&unreachable, QUERY, &[]);
    let reason = "\n\nFound by words alone: the embedder gave no answer.\n";
    assert_eq!(failed.replace(reason, "\n"), words);
    assert_ne!(failed, words);
}

#[test]
fn all_passages_are_embedded_before_anybody_asks() {
    let (directory, server) = (garage(), Server::start(Deed::Answers));
    let embed = |more: &[&str]| {
        let line = ["embed", "--state", "s", "--embedder", &server.flag()];
        ran(directory.path(), &[&line[..], more].concat())
    };
    let line = |made: u32| format!("docs: 3 passages of 3 documents, {made} of them new to fake\n");
    assert_eq!(embed(&["docs"]), (0, line(3), String::new()));
    let before = server.texts().len();
    assert_eq!(embed(&["--root", "docs"]), (0, line(0), String::new()));
    let one = "docs: 1 passage of 1 document, 0 of them new to fake\n".to_owned();
    let part = embed(&["--root", "docs", "docs/a.md"]);
    assert_eq!(part, (0, one, String::new()));
    // The first question finds what holds no word of it.
    let call = ["call", "smart_search", "query=repair the car", "--json"];
    let place = ["--root", "docs", "--state", "s", "--embedder"];
    let (code, output, errors) = ran(
        directory.path(),
        &[&call[..], &place, &[&server.flag()]].concat(),
    );
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(output.contains("\"c.md\""), "{output}");
    let texts = server.texts();
    let later = &texts[before..];
    // What describes the model, and the question: no passage.
    assert!(
        later.iter().all(|text| !text.contains("winter")),
        "{later:?}"
    );
    assert!(texts.iter().all(|text| !text.contains("canary")));
    let (_, status, _) = ran(
        directory.path(),
        &[
            &["call", "manage", "command=status"][..],
            &place,
            &[&server.flag()],
        ]
        .concat(),
    );
    assert!(status.contains("3 passages known by meaning"), "{status}");
    assert!(status.contains("Meaning by fake."), "{status}");
}

#[test]
fn reindex_tells_how_far_it_is() {
    let directory = tree(&[
        ("docs/a.md", "# One\n\nA car.\n"),
        ("docs/b.md", "# Two\n\nWait here.\n"),
        ("docs/c.md", "# Three\n\nA clock.\n"),
        ("docs/d.md", "# Four\n\nWait here as well.\n"),
    ]);
    // What it waits for is the report of what was done before.
    let (go_on, waiting) = mpsc::channel::<()>();
    let waiting = Mutex::new(waiting);
    let server = Server::start_with(Deed::Answers, move |texts| {
        if texts.iter().any(|text| text.contains("Wait")) {
            let _ = waiting.lock().unwrap().recv();
        }
    });
    let place = |name: &str| directory.path().join(name).display().to_string();
    let root = format!("{}:rw", place("docs"));
    let (state, flag) = (place("state"), server.flag());
    let arguments = ["--root", &root, "--state", &state, "--embedder", &flag];
    let arguments = [&arguments[..], &["--tools", "all"]].concat();
    let mut session = Session::initialized("2025-11-25", &arguments);
    let id = session.send(
        "tools/call",
        json!({"name": "manage", "arguments": {"command": "reindex"},
               "_meta": {"progressToken": "token"}}),
    );
    for (number, said) in [
        (3, "2 files, 0 MB read, 1 passages known by meaning"),
        (7, "4 files, 0 MB read, 3 passages known by meaning"),
    ] {
        let report = session.message();
        assert_eq!(report["method"], "notifications/progress", "{report}");
        let told = &report["params"];
        assert_eq!(told["progressToken"], "token", "{report}");
        assert_eq!(
            told["progress"].as_f64(),
            Some(f64::from(number)),
            "{report}"
        );
        assert_eq!(told["message"], said, "{report}");
        go_on.send(()).unwrap();
    }
    let answer = session.message();
    assert_eq!(answer["id"], id, "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("4 passages"), "{text}");
}

#[test]
fn embedding_says_what_it_lacks() {
    let (directory, server) = (garage(), Server::start(Deed::Answers));
    let flag = server.flag();
    let refused = |line: &[&str], reason: &str| {
        let (code, output, errors) = ran(directory.path(), &[&["embed"], line].concat());
        assert_eq!((code, output.as_str()), (2, ""), "{line:?}");
        assert!(errors.contains(reason), "{line:?}: {errors}");
    };
    refused(&["docs", "--state", "s"], "no embedder is named");
    let named = ["docs", "--embedder", &flag];
    refused(&[&named[..], &["--no-state"]].concat(), "no place to keep");
    refused(
        &[&named[..], &["--state", "docs/s"]].concat(),
        "no place to keep",
    );
    let rooted = ["--root", "docs", "--state", "s", "--embedder", &flag];
    refused(&[&rooted[..], &["."]].concat(), "lies in no granted root");
    refused(&[&rooted[..], &["no"]].concat(), "cannot be embedded");
    refused(
        &["--state", "s", "--embedder", &flag],
        "no directory is granted",
    );
    let unreachable = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1#fake", listener.local_addr().unwrap())
    };
    refused(
        &["docs", "--state", "s", "--embedder", &unreachable],
        "cannot be reached",
    );
    // Another one adds to the file of this model.
    let path = |name: &str| directory.path().join(name).display().to_string();
    let (docs, state) = (path("docs"), path("s"));
    let server = ["--root", &docs, "--state", &state, "--embedder", &flag];
    let mut session = Session::initialized("2025-11-25", &server);
    session.call("smart_search", json!({"query": QUERY}));
    refused(
        &["docs", "--state", "s", "--embedder", &flag],
        "would not be kept",
    );
    drop(session);
}

#[test]
fn an_endpoint_that_is_not_there_is_named_before_the_first_question() {
    let directory = garage();
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    };
    let flag = format!("{address}#fake");
    let doctor = ["doctor", "--root", "docs", "--embedder", &flag];
    let (code, output, errors) = ran(directory.path(), &doctor);
    assert_eq!((code, errors.as_str()), (1, ""));
    assert!(
        output.contains("  problem: it cannot be reached\n"),
        "{output}"
    );
    let root = format!("docs={}", directory.path().join("docs").display());
    let server = Http::start(&["--root", &root, "--embedder", &flag, "--no-state"]);
    server.wait_for(&format!("no meaning by {address}: it cannot be reached"), 1);
    // One that is there is asked for its model, and sent no text of a person's.
    let endpoint = Server::start(Deed::Answers);
    let flag = endpoint.flag();
    let doctor = ["doctor", "--root", "docs", "--embedder", &flag];
    let (code, output, _) = ran(directory.path(), &doctor);
    assert_eq!(code, 0, "{output}");
    assert_eq!(endpoint.texts(), ["What is this?"]);
}
