//! `smart_search` with an endpoint on loopback that tells what texts mean, or anything else.

mod encrypted;
mod endpoint;

#[cfg(unix)]
use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;
use std::sync::{Mutex, mpsc};
#[cfg(unix)]
use std::time::SystemTime;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use encrypted::Front;
use endpoint::{Deed, Server};

use crate::http::server::Server as Http;
use crate::program::{Session, docent, ran, tree};

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
        let heads = server.heads();
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
    let heads = server.heads();
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

#[test]
fn an_encrypted_endpoint_is_asked_where_its_certificate_is_trusted() {
    let (directory, server) = (garage(), Server::start(Deed::Answers));
    let front = Front::start(server.port, "localhost", directory.path());
    let other = Front::start(server.port, "other.example", directory.path());
    let ask = |front: &Front, trusted: &Path| -> Value {
        let output = docent()
            .current_dir(directory.path())
            .args(["call", "smart_search", &format!("query={QUERY}")])
            .args(["--root", "docs", "--json", "--embedder", &front.flag()])
            .env("SSL_CERT_FILE", trusted)
            .output()
            .unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let answer = ask(&front, &front.certificate);
    assert_eq!(answer["modelInfo"], "fake", "{answer}");
    assert!(server.texts().contains(&QUERY.to_owned()));
    // Nothing is said to who is not trusted, or is trusted under another name.
    let before = server.texts().len();
    for (front, trusted) in [(&front, &other), (&other, &other)] {
        let answer = ask(front, &trusted.certificate);
        assert_eq!(
            answer["reasons"],
            json!(["the embedder cannot be reached"]),
            "{answer}"
        );
        let output = docent()
            .current_dir(directory.path())
            .args(["doctor", "--root", "docs", "--embedder", &front.flag()])
            .env("SSL_CERT_FILE", &trusted.certificate)
            .output()
            .unwrap();
        let report = String::from_utf8(output.stdout).unwrap();
        assert!(
            report.contains("problem: it cannot be trusted: "),
            "{report}"
        );
    }
    assert_eq!(server.texts().len(), before);
}

#[test]
fn another_machine_is_named_as_one() {
    let directory = garage();
    let config = "[embedder]\nurl = \"https://embedder.invalid/v1\"\nmodel = \"m\"\n\
                  allow-remote = true\n[[roots]]\npath = \"docs\"\n";
    fs::write(directory.path().join("docent.toml"), config).unwrap();
    let (_, report, _) = ran(directory.path(), &["doctor", "--config", "docent.toml"]);
    let line = "m: questions and passages of documents go to https://embedder.invalid/v1, another \
                machine\n  problem: it cannot be reached\n";
    assert!(report.contains(line), "{report}");
    fs::write(
        directory.path().join("docent.toml"),
        config.replace("allow-remote = true\n", ""),
    )
    .unwrap();
    let (code, _, errors) = ran(directory.path(), &["mcp", "--config", "docent.toml"]);
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains("it is not of this machine"), "{errors}");
}
