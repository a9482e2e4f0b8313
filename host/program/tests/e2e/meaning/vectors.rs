//! Stored vectors: their content, their directories by rights, and embedding in advance.

#[cfg(unix)]
use std::collections::BTreeSet;
use std::fs;
#[cfg(unix)]
use std::path::{Path, PathBuf};
use std::sync::{Mutex, mpsc};
#[cfg(unix)]
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::endpoint::{Deed, Server, nobody};
use super::{QUERY, garage};
use crate::http::server::Server as Http;
use crate::program::{Session, ran, tree};

#[test]
fn a_server_keeps_what_it_was_told() {
    let (directory, server) = (garage(), Server::start(Deed::Answers));
    let place = |name: &str| directory.path().join(name).display().to_string();
    let (docs, config) = (place("docs"), place("docent.toml"));
    let port = server.port;
    // Background embedding is outside the scope of this test.
    let embedder = format!(
        "[embedder]\nurl = \"http://127.0.0.1:{port}/v1\"\nmodel = \"fake\"\nbackground = false\n"
    );
    fs::write(&config, embedder).unwrap();
    let arguments = ["--root", &docs, "--config", &config, "--structured"];
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
    // The description of the model, and the query.
    assert_eq!(less, 2);
    assert!(sent > 2);
    // A damaged vector in a file is not trusted: its text is sent again.
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
    // docent stores nothing in a root.
    assert_eq!(asked(&["--state", "docs/state"]), (first, sent));
    assert!(!directory.path().join("docs/state").exists());
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
    let told = "queries and passages of documents are sent to";
    let errors = server.errors();
    assert!(errors.iter().any(|line| line.contains(told)), "{errors:?}");
    asked(&server, &ann);
    asked(&server, &ann);
    assert_eq!(passages(), 1);
    // The same text, in a root that the other principal cannot read.
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
    // docent stores nothing in a root, even in one that others may read.
    let server = serve(&place("b/state"));
    asked(&server, &ann);
    assert_eq!(passages(), 3);
    assert!(!directory.path().join("b/state").exists());
}

/// Sets the time of last use of everything in a folder of vectors to two days ago.
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
    // A folder with other files than vectors is never touched, whatever its name.
    let others = served.join("0".repeat(32));
    fs::create_dir(&others).unwrap();
    fs::write(others.join("notes.md"), "mine").unwrap();
    age(&others);
    // At the start of the server.
    let said = "removed vectors of rights that no token has now: 1";
    let server = serve();
    assert_eq!(server.wait_for(said, 1).len(), 1);
    assert_eq!(
        folders(),
        [&of_ann, &of_ben, &others].map(PathBuf::clone).into()
    );
    // After a change of the tokens, detected on the next request.
    ask(&server, &ann);
    token(&["revoke", "ben"]);
    ask(&server, &ann);
    server.wait_for(said, 2);
    assert_eq!(folders(), [&of_ann, &others].map(PathBuf::clone).into());
    drop(server);
    // Vectors used within a day may serve another server.
    token(&["revoke", "ann"]);
    token(&["new", "joe", "--root", "b"]);
    drop(serve());
    assert_eq!(folders(), [&of_ann, &others].map(PathBuf::clone).into());
    age(&of_ann);
    drop(serve());
    assert_eq!(folders(), [others].into());
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
    // The first query finds a document without any of its words.
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
    // The description of the model, and the query: no passage.
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
    assert!(status.contains("3 passages embedded"), "{status}");
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
    // The second batch waits for the report of the first.
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
        (3, "2 files, 0 MB read, 1 passages embedded"),
        (7, "4 files, 0 MB read, 3 passages embedded"),
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
    refused(&[&rooted[..], &["."]].concat(), "is not in a granted root");
    refused(&[&rooted[..], &["no"]].concat(), "cannot be embedded");
    refused(
        &["--state", "s", "--embedder", &flag],
        "no directory is granted",
    );
    let unreachable = nobody();
    refused(
        &["docs", "--state", "s", "--embedder", &unreachable],
        "cannot be reached",
    );
    // Another process appends to the file of this model.
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
