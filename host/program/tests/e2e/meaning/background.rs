//! Notes in answers on passages without vectors, and background embedding between calls.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::endpoint::{Deed, Server};
use crate::http::server::Server as Http;
use crate::program::{Session, ran, tree, wait_until};

const QUESTION: &str = "automobile repair";

const LACKING: &str =
    "not embedded yet, so results that share no word with the question may be missing";

/// Creates documents without any word of the question, one of which matches it semantically.
fn home() -> TempDir {
    tree(&[
        ("docs/car.md", "# How to fix a car\n\nA car, a car.\n"),
        ("docs/soup.md", "# Soup\n\nSalt and water.\n"),
        ("docs/.ssh/d.md", "canary: the car\n"),
    ])
}

fn place(directory: &TempDir, name: &str) -> String {
    directory.path().join(name).display().to_string()
}

fn session(directory: &TempDir, embedder: &[&str]) -> Session {
    let (docs, state) = (place(directory, "docs"), place(directory, "state"));
    let roots = ["--root", &docs, "--state", &state, "--structured"];
    Session::initialized("2025-11-25", &[&roots[..], embedder].concat())
}

fn asked(session: &mut Session) -> Value {
    let result = session.call("smart_search", json!({"query": QUESTION}));
    result["structuredContent"].clone()
}

fn paths(answer: &Value) -> Vec<&str> {
    let documents = answer["documents"].as_array().unwrap().iter();
    documents.map(|one| one["path"].as_str().unwrap()).collect()
}

/// Returns the file with the number of passages in a folder of vectors, if it exists.
fn counts(folder: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten();
    let mut files = files.map(|entry| entry.unwrap().path());
    files.find(|path| path.extension().is_some_and(|it| it == "counts"))
}

/// Waits until the number of passages changes.
fn wait_for_counts(folder: &Path, before: &[u8]) -> Vec<u8> {
    let now = || counts(folder).and_then(|path| fs::read(path).ok());
    let is_other = |bytes: &Vec<u8>| bytes != before;
    wait_until(|| now().as_ref().is_some_and(is_other));
    now().unwrap()
}

#[test]
fn what_shares_no_word_is_said_to_be_missing_and_found_later() {
    let (directory, server) = (home(), Server::start(Deed::Answers));
    let folder = directory.path().join("state/vectors");
    let flag = server.flag();
    let mut session = session(&directory, &["--embedder", &flag]);
    let first = asked(&mut session);
    assert_eq!(paths(&first), [""; 0], "{first}");
    assert_eq!(first["degraded"], true, "{first}");
    assert_eq!(first["reasons"], json!([format!("2 documents {LACKING}")]));
    let counted = wait_for_counts(&folder, &[]);
    let second = asked(&mut session);
    assert_eq!(paths(&second)[0], "car.md", "{second}");
    assert_eq!(second["degraded"], false, "{second}");
    assert_eq!(second["reasons"], json!([]), "{second}");
    // All passages have vectors: the same question returns the same bytes, and no text is sent.
    let sent = server.texts().len();
    assert_eq!(asked(&mut session), second);
    assert_eq!(server.texts().len(), sent);
    // A changed text needs another vector.
    let soup = directory.path().join("docs/soup.md");
    fs::write(soup, "# Garage\n\nThe car stands still.\n").unwrap();
    let third = asked(&mut session);
    assert_eq!(third["reasons"], json!([format!("1 document {LACKING}")]));
    assert!(!paths(&third).contains(&"soup.md"), "{third}");
    wait_for_counts(&folder, &counted);
    let fourth = asked(&mut session);
    assert!(paths(&fourth).contains(&"soup.md"), "{fourth}");
    assert_eq!(fourth["degraded"], false, "{fourth}");
    let texts = server.texts();
    assert!(texts.iter().all(|text| !text.contains("canary")));
    // `explore` reports it too.
    fs::write(directory.path().join("docs/new.md"), "# New\n\nThing.\n").unwrap();
    let result = session.call("explore", json!({"query": QUESTION}));
    let explored = &result["structuredContent"];
    let reasons = explored["reasons"].to_string();
    assert!(reasons.contains("semantic-unknown"), "{explored}");
    let hint = explored["hint"].as_str().unwrap();
    assert!(hint.contains(&format!("1 document {LACKING}")), "{hint}");
}

#[test]
fn as_many_are_embedded_as_a_question_may_cost_newest_first() {
    let (directory, server) = (home(), Server::start(Deed::Answers));
    for (name, age) in [("soup.md", 0), ("car.md", 1), ("old.md", 2)] {
        let path = directory.path().join("docs").join(name);
        if !path.exists() {
            fs::write(&path, "# Old\n\nBread and butter.\n").unwrap();
        }
        let file = fs::File::options().write(true).open(path).unwrap();
        let modified = SystemTime::now() - Duration::from_secs(age * 3600);
        file.set_modified(modified).unwrap();
    }
    let config = directory.path().join("docent.toml");
    let port = server.port;
    let text = format!(
        "[embedder]\nurl = \"http://127.0.0.1:{port}/v1\"\nmodel = \"fake\"\npassages = 1\n"
    );
    fs::write(&config, &text).unwrap();
    let folder = directory.path().join("state/vectors");
    let path = config.display().to_string();
    let mut asking = session(&directory, &["--config", &path]);
    asked(&mut asking);
    wait_for_counts(&folder, &[]);
    let passages = || -> Vec<String> {
        let texts = server.texts().into_iter();
        texts.filter(|text| text.contains("# ")).collect()
    };
    assert_eq!(passages().len(), 1);
    assert!(passages()[0].contains("Soup"), "{:?}", passages());
    let second = asked(&mut asking);
    let reason = format!("2 of 3 passages {LACKING}");
    assert_eq!(second["reasons"], json!([reason]), "{second}");
    drop(asking);
    // With `background = false`, no more passages are embedded.
    fs::write(&config, text + "background = false\n").unwrap();
    let mut resting = session(&directory, &["--config", &path]);
    let before = asked(&mut resting);
    assert_eq!(asked(&mut resting), before);
    assert_eq!(before["degraded"], true, "{before}");
}

#[test]
fn nothing_of_the_roots_of_others_becomes_known() {
    let (directory, endpoint) = (
        tree(&[
            ("a/car.md", "# How to fix a car\n\nOf ann.\n"),
            ("b/car.md", "# How to fix a car\n\nOf ben.\n"),
        ]),
        Server::start(Deed::Answers),
    );
    let token = |name: &str, root: &str| {
        let tokens = ["--root", root, "--tokens", "tokens.json"];
        let (code, token, errors) = ran(
            directory.path(),
            &[&["token", "new", name][..], &tokens].concat(),
        );
        assert_eq!(code, 0, "{errors}");
        format!("Bearer {}", token.trim_end())
    };
    let (ann, ben) = (token("ann", "a"), token("ben", "b"));
    let roots = ["a", "b"].map(|name| format!("{name}={}", place(&directory, name)));
    let (tokens, state) = (place(&directory, "tokens.json"), place(&directory, "state"));
    let flag = endpoint.flag();
    let arguments = [
        "--root", &roots[0], "--root", &roots[1], "--tokens", &tokens,
    ];
    let more = ["--state", &state, "--embedder", &flag, "--structured"];
    let server = Http::start(&[&arguments[..], &more, &["--tools", "all"]].concat());
    let asked = |token: &str| {
        let headers = [("Authorization", token)];
        let arguments = json!({"query": QUESTION});
        let result = server.call("/mcp", &headers, "smart_search", arguments);
        result["structuredContent"].clone()
    };
    let served = directory.path().join("state/vectors/served");
    let folders = || -> Vec<PathBuf> {
        let folders = fs::read_dir(&served).into_iter().flatten();
        folders.map(|entry| entry.unwrap().path()).collect()
    };
    let reason = json!([format!("1 document {LACKING}")]);
    assert_eq!(asked(&ann)["reasons"], reason);
    let of_ann = folders();
    wait_for_counts(&of_ann[0], &[]);
    let known = asked(&ann);
    assert_eq!(
        (paths(&known), &known["degraded"]),
        (vec!["car.md"], &json!(false))
    );
    let texts = endpoint.texts();
    assert!(texts.iter().any(|text| text.contains("Of ann")));
    assert!(texts.iter().all(|text| !text.contains("Of ben")));
    assert_eq!(asked(&ben)["reasons"], reason);
    let of_ben = folders().into_iter().find(|one| !of_ann.contains(one));
    wait_for_counts(&of_ben.unwrap(), &[]);
    assert_eq!(paths(&asked(&ben)), ["car.md"]);
    // Only these calls are recorded: background embedding is not a call.
    drop(server);
    let (_, log, _) = ran(directory.path(), &["log", "show", "--state", "state"]);
    assert!(!log.contains("manage"), "{log}");
}

#[test]
fn an_embedder_that_hangs_between_calls_holds_up_nobody_and_no_end() {
    let directory = home();
    let (tell, told) = mpsc::channel();
    let (_keep, wait) = mpsc::channel::<()>();
    let (tell, wait) = (Mutex::new(tell), Mutex::new(wait));
    let server = Server::start_with(Deed::Answers, move |texts| {
        if texts.iter().any(|text| text.contains("# ")) {
            let _ = tell.lock().unwrap().send(());
            let _ = wait.lock().unwrap().recv();
        }
    });
    let flag = server.flag();
    let mut session = session(&directory, &["--embedder", &flag]);
    let first = asked(&mut session);
    told.recv().unwrap();
    // One passage is blocked; lexical and semantic queries are answered nevertheless.
    assert_eq!(asked(&mut session), first);
    let result = session.call("explore", json!({"paths": ["car.md"]}));
    assert!(result.to_string().contains("How to fix"), "{result}");
    let (status, _) = session.close();
    assert!(status.success());
}

#[test]
fn counts_that_are_damaged_are_made_again() {
    let (directory, server) = (home(), Server::start(Deed::Answers));
    let folder = directory.path().join("state/vectors");
    let flag = server.flag();
    let embedder = ["--embedder", flag.as_str()];
    let mut first = session(&directory, &embedder);
    asked(&mut first);
    wait_for_counts(&folder, &[]);
    drop(first);
    let passages = || {
        let texts = server.texts();
        texts.iter().filter(|text| text.contains("# ")).count()
    };
    let sent = passages();
    let path = counts(&folder).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[20] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let mut second = session(&directory, &embedder);
    let answer = asked(&mut second);
    assert_eq!(answer["reasons"], json!([format!("2 documents {LACKING}")]));
    wait_for_counts(&folder, &bytes);
    let answer = asked(&mut second);
    assert_eq!(answer["degraded"], false, "{answer}");
    assert_eq!(passages(), sent);
    drop(second);
    // The vectors outlive the program, and are shared with `docent embed`.
    let mut third = session(&directory, &embedder);
    assert_eq!(asked(&mut third), answer);
    drop(third);
    fs::remove_file(&path).unwrap();
    let embed = ["embed", "--root", "docs", "--state", "state"];
    let (code, _, errors) = ran(directory.path(), &[&embed[..], &embedder].concat());
    assert_eq!((code, errors.as_str()), (0, ""));
    let mut last = session(&directory, &embedder);
    assert_eq!(asked(&mut last), answer);
}
