//! The access log: every call on every transport is recorded, and every change of the log is
//! detected.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::http::server::{ACCEPT, Server, call};
use crate::limits::{ONE_THREAD, long_work};
use crate::program::{Session, ran, tree};

const FILES: [(&str, &str); 3] = [
    ("docs/a.md", "# One\n\nThe harbour.\n"),
    ("docs/b.md", "# Two\n\nThe quay.\n"),
    ("docs/.env", "KEY=1\n"),
];

/// A directory with documents, and a directory for a log beside them.
struct Place {
    home: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { home: tree(&FILES) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn shown(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn docs(&self) -> PathBuf {
        self.path("docs")
    }

    /// Starts a session over stdin and stdout whose calls are recorded.
    fn session(&self, more: &[&str]) -> Session {
        let (root, log) = (format!("docs={}", self.shown("docs")), self.shown("log"));
        let arguments = ["--root", &root, "--log", &log];
        Session::initialized("2025-06-18", &[&arguments, more].concat())
    }

    /// Starts a server whose calls are recorded.
    fn server(&self, more: &[&str]) -> Server {
        let log = self.shown("log");
        let arguments = ["--log", &log, "--tools", "all"];
        Server::for_directory(&self.docs(), &[&arguments, more].concat())
    }

    /// Runs `docent log`.
    fn log(&self, arguments: &[&str]) -> (i32, String, String) {
        let (command, rest) = arguments.split_first().unwrap();
        ran(
            self.home.path(),
            &[&["log", command, "--log", "log"], rest].concat(),
        )
    }

    /// Returns the recorded calls.
    fn calls(&self) -> Vec<Value> {
        let (_, text, _) = self.log(&["show", "--json"]);
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["kind"] == "call").collect()
    }

    fn segment(&self) -> PathBuf {
        self.path("log/000001.jsonl")
    }
}

/// Returns the line of a report with this name.
fn line<'t>(report: &'t str, name: &str) -> &'t str {
    let found = report.lines().find_map(|line| line.strip_prefix(name));
    found.unwrap_or_else(|| panic!("{name}: {report}")).trim()
}

#[test]
fn a_session_on_stdin_is_recorded_with_the_files_that_it_opened() {
    let place = Place::new();
    let mut session = place.session(&[]);
    let text = session.text("read_document", json!({"path": "a.md"}));
    session.call("read_document", json!({"path": "missing.md"}));
    session.close();
    let calls = place.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    let read = &calls[0];
    assert_eq!(
        (&read["who"], &read["client"]),
        (&json!("local"), &json!("test"))
    );
    assert_eq!(read["tool"], "read_document");
    assert_eq!(read["arguments"]["path"], "a.md");
    assert_eq!(read["outcome"], "answered");
    assert_eq!(read["files"], json!({"read": {"docs": ["a.md"]}}));
    assert_eq!(read["answer"]["bytes"], text.len());
    assert_eq!(read["answer"]["sha256"], sha256(&text));
    assert_eq!(calls[1]["outcome"], "document-not-found");
    assert_eq!(calls[1]["files"], json!({}));
    let (code, report, errors) = place.log(&["verify"]);
    assert_eq!(code, 0, "{report}{errors}");
    assert_eq!(line(&report, "entries"), "0 to 3");
    assert_eq!(line(&report, "verdict"), "intact");
    // The log contains no text of documents.
    let log = fs::read_to_string(place.segment()).unwrap();
    assert!(!log.contains("harbour"), "{log}");
}

fn sha256(text: &str) -> String {
    docent_access_log::Hash::digest(text.as_bytes()).to_string()
}

#[test]
fn who_may_have_seen_a_file_is_told_also_where_it_came_from_memory() {
    let place = Place::new();
    let mut session = place.session(&[]);
    session.text("search_documents", json!({"query": "harbour"}));
    session.text("read_document", json!({"path": "b.md"}));
    session.text("get_config", json!({}));
    session.close();
    let shown = |arguments: &[&str]| {
        let (code, text, errors) = place.log(&[&["show"], arguments].concat());
        assert_eq!(code, 0, "{errors}");
        text
    };
    let of_a = shown(&["--path", "docs/a.md"]);
    let lines: Vec<&str> = of_a.lines().collect();
    assert_eq!(lines.len(), 3, "{of_a}");
    assert!(
        lines[0].contains("search_documents  answered  2 files"),
        "{of_a}"
    );
    assert!(
        lines[1].contains("read_document  answered  memory"),
        "{of_a}"
    );
    assert!(lines[2].contains("get_config  answered  memory"), "{of_a}");
    assert_eq!(shown(&["--who", "local"]).lines().count(), 3);
    let whole: Value = serde_json::from_str(&shown(&["--call", "1"])).unwrap();
    assert_eq!(whole["tool"], "search_documents");
    let (code, text, _) = place.log(&["show", "--path", "docs/other.md"]);
    assert_eq!((code, text.as_str()), (1, ""));
}

#[test]
fn in_an_exact_log_nothing_comes_from_memory() {
    let place = Place::new();
    let mut session = place.session(&["--log-exact"]);
    for _ in 0..2 {
        session.text("search_documents", json!({"query": "harbour"}));
    }
    session.close();
    let calls = place.calls();
    for call in &calls {
        assert_eq!(call["callsBefore"], 0);
        assert_eq!(
            call["files"]["read"]["docs"].as_array().unwrap().len(),
            2,
            "{call}"
        );
    }
    assert_ne!(calls[0]["instance"], calls[1]["instance"]);
}

#[test]
fn what_was_changed_is_found_out() {
    let place = Place::new();
    let mut session = place.session(&[]);
    session.text("read_document", json!({"path": "a.md"}));
    session.text("read_document", json!({"path": "b.md"}));
    session.close();
    let whole = fs::read_to_string(place.segment()).unwrap();
    fs::write(place.segment(), whole.replace("a.md", "c.md")).unwrap();
    let (code, report, _) = place.log(&["verify"]);
    assert_eq!(code, 1, "{report}");
    let verdict = line(&report, "verdict");
    assert!(verdict.starts_with("TAMPERED WITH at entry 1:"), "{report}");
    // A server does not continue it either.
    let root = format!("docs={}", place.shown("docs"));
    let (code, _, errors) = ran(place.home.path(), &["mcp", "--root", &root, "--log", "log"]);
    assert_eq!(code, 2);
    assert!(errors.contains("see `docent log verify`"), "{errors}");
    fs::write(place.segment(), whole).unwrap();
    assert_eq!(place.log(&["verify"]).0, 0);
    fs::remove_dir_all(place.path("log")).unwrap();
    let (code, report, _) = place.log(&["verify"]);
    assert_eq!(code, 2, "{report}");
    assert!(
        report.starts_with("cannot tell: there is no log"),
        "{report}"
    );
}

#[test]
fn an_entry_is_proved_to_somebody_without_the_log() {
    let place = Place::new();
    let mut session = place.session(&[]);
    session.text("read_document", json!({"path": "a.md"}));
    session.close();
    let (code, proof, errors) = place.log(&["prove", "1"]);
    assert_eq!(code, 0, "{errors}");
    let (_, key, _) = place.log(&["key"]);
    let elsewhere = tree(&[("proof.json", &proof), ("key", &key)]);
    let check = |key: &str| {
        let arguments = ["log", "verify", "--proof", "proof.json", "--key", key];
        ran(elsewhere.path(), &arguments)
    };
    let (code, text, errors) = check("key");
    assert_eq!(code, 0, "{errors}");
    assert!(text.starts_with("entry 1 is in the log `docent/"), "{text}");
    assert_eq!(check(key.trim()).0, 0);
    let changed = proof.replacen("a.md", "b.md", 1);
    fs::write(elsewhere.path().join("proof.json"), changed).unwrap();
    assert_eq!(check("key").0, 1);
    assert_eq!(place.log(&["prove", "99"]).0, 2);
}

#[test]
fn an_anchor_keeps_what_the_machine_cannot_change() {
    let place = Place::new();
    let anchor = format!("file:{}", place.shown("anchor"));
    let mut session = place.session(&["--anchor", &anchor]);
    session.text("read_document", json!({"path": "a.md"}));
    session.close();
    let (code, report, _) = place.log(&["verify"]);
    assert_eq!(code, 2, "its own word is not enough: {report}");
    let (code, report, _) = place.log(&["verify", "--against", "anchor"]);
    assert_eq!(code, 0, "{report}");
    assert_eq!(line(&report, "anchored"), "to entry 2");
    // Also by an explicit command.
    let by_hand = ["anchor", "file:other"];
    assert_eq!(place.log(&by_hand).0, 0);
    assert_eq!(place.log(&["verify", "--against", "other"]).0, 0);
}

#[test]
fn what_is_erased_is_gone_and_the_rest_still_stands() {
    let place = Place::new();
    let mut session = place.session(&[]);
    for path in ["a.md", "b.md", "a.md"] {
        session.text("read_document", json!({"path": path}));
    }
    session.close();
    let (code, _, errors) = place.log(&["erase", "--path", "docs/a.md"]);
    assert_eq!((code, errors.trim()), (0, "docent: 2 entries erased"));
    let (code, report, _) = place.log(&["verify"]);
    assert_eq!(code, 0, "{report}");
    assert!(line(&report, "erased").starts_with('2'), "{report}");
    let log = fs::read_to_string(place.segment()).unwrap();
    assert!(!log.contains("a.md") && log.contains("b.md"), "{log}");
    assert_eq!(place.log(&["erase", "--path", "docs/a.md"]).0, 1);
    assert_eq!(place.log(&["drop", "--before", "90d"]).0, 1);
    assert_eq!(place.log(&["drop", "--before", "tomorrow"]).0, 2);
}

#[test]
fn every_way_over_http_is_recorded_and_the_end_is_sealed() {
    let place = Place::new();
    let mut server = place.server(&[]);
    server.call("/mcp", &[], "read_document", json!({"path": "a.md"}));
    let agent = [("User-Agent", "script")];
    let answer = server.get("/context?action=read&path=b.md", &agent);
    assert_eq!(answer.status, 200);
    let body = json!({"tool": "read_document", "arguments": {"path": "a.md"}});
    let own = format!("http://{}", server.host());
    let page = server.post("/api/call", &[("Origin", &own)], &body);
    assert_eq!(page.status, 200, "{page:?}");
    let opened = json!({"opened": 1, "names": [{"root": "docs", "path": "a.md"}]});
    assert_eq!(page.json()["files"], opened);
    let shown = |query: &str| {
        let answer = server.get(&format!("/api/log{query}"), &[]);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    };
    let all = shown("");
    let seqs = |log: &Value| -> Vec<u64> {
        let entries = log["entries"].as_array().unwrap().iter();
        entries
            .map(|entry| entry["seq"].as_u64().unwrap())
            .collect()
    };
    assert_eq!((&all["enabled"], seqs(&all)), (&json!(true), vec![3, 2, 1]));
    assert_eq!(
        (&all["seal"]["intact"], &all["seal"]["broken"]),
        (&json!(3), &Value::Null)
    );
    let of_b = shown("?root=docs&path=b.md");
    assert_eq!(seqs(&of_b), [2]);
    let entry = &of_b["entries"][0];
    assert_eq!(entry["files"], json!([{"root": "docs", "path": "b.md"}]));
    assert_eq!(
        (&entry["who"], &entry["client"]),
        (&json!("local"), &json!("script"))
    );
    assert_eq!(seqs(&shown("?before=3&who=local")), [2, 1]);
    assert_eq!(seqs(&shown("?who=ann")), [0; 0]);
    assert_eq!(server.get("/api/log?call=x", &[]).status, 400);
    let figures = server.get("/metrics", &[]).body;
    assert!(
        figures.contains("\ndocent_files_opened_total 3\n"),
        "{figures}"
    );
    server.terminate();
    assert!(server.ended().success());
    let calls = place.calls();
    let clients: Vec<&Value> = calls.iter().map(|call| &call["client"]).collect();
    assert_eq!(calls.len(), 3, "{calls:?}");
    assert_eq!(clients[1..], [&json!("script"), &json!("page")]);
    let last = fs::read_to_string(place.segment()).unwrap();
    assert!(last.lines().last().unwrap().contains("\"kind\":\"stop\""));
    let (code, report, _) = place.log(&["verify"]);
    assert_eq!(code, 0, "{report}");
    assert!(
        line(&report, "signed").starts_with("to entry 4 "),
        "{report}"
    );
}

#[test]
fn a_call_that_cannot_be_recorded_is_refused() {
    let place = Place::new();
    let server = place.server(&[]);
    server.call("/mcp", &[], "read_document", json!({"path": "a.md"}));
    assert_eq!(server.get("/readyz", &[]).status, 200);
    fs::remove_file(place.segment()).unwrap();
    let asked = call(1, "read_document", json!({"path": "a.md"}));
    let answer = server.post("/mcp", &[], &asked);
    assert!(!answer.body.contains("harbour"), "{answer:?}");
    assert!(answer.body.contains("cannot be recorded"), "{answer:?}");
    let ready = server.get("/readyz", &[]);
    assert_eq!(ready.status, 503, "{ready:?}");
}

/// Starts a server that ignores the signal for exceeding the limit of file sizes.
#[cfg(target_os = "linux")]
fn limited(place: &Place) -> Server {
    let script = "trap '' XFSZ; exec \"$0\" \"$@\"";
    let root = format!("docs={}:rw", place.shown("docs"));
    let program = crate::program::docent();
    let mut command = std::process::Command::new("/bin/sh");
    command
        .env_clear()
        .args(["-c", script])
        .arg(program.get_program());
    let open = ["serve", "--listen", "127.0.0.1:0", "--no-state", "--tools"];
    command.args(open).args(["all", "--root", &root]);
    command.args(["--log", &place.shown("log")]);
    Server::spawn(command)
}

/// Limits the size of each file of a server.
#[cfg(target_os = "linux")]
fn limit(server: &Server, bytes: Option<u64>) {
    use rustix::process::{Resource, Rlimit, prlimit};

    let limit = Rlimit {
        current: bytes,
        maximum: None,
    };
    prlimit(Some(server.pid()), Resource::Fsize, limit).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_recorded_has_no_effect_and_is_told() {
    let place = Place::new();
    let mut server = limited(&place);
    let asked = call(1, "read_document", json!({"path": "a.md"}));
    server.call("/mcp", &[], "read_document", json!({"path": "a.md"}));
    assert_eq!(server.get("/readyz", &[]).status, 200);
    let length = fs::metadata(place.segment()).unwrap().len();
    limit(&server, Some(length + 2048));
    // Each call is either recorded or not answered.
    let mut answered = 1;
    let refused = loop {
        let answer = server.post("/mcp", &[], &asked);
        if !answer.body.contains("harbour") {
            break answer;
        }
        answered += 1;
        assert!(answered < 100, "the log is full");
    };
    assert!(refused.body.contains("It was called"), "{refused:?}");
    assert_eq!(server.get("/readyz", &[]).status, 503);
    // From here on, every call is refused with that reason.
    let write = call(2, "write", json!({"path": "new.md", "content": "# new\n"}));
    for request in [&write, &asked] {
        let answer = server.post("/mcp", &[], request);
        assert!(answer.body.contains("No call was made"), "{answer:?}");
    }
    assert!(!place.path("docs/new.md").exists());
    let kept = server.get("/api/calls", &[]).json();
    assert_eq!(kept["calls"].as_array().unwrap().len(), answered, "{kept}");
    limit(&server, None);
    let written = server.post("/mcp", &[], &write);
    assert!(written.body.contains("\"isError\":false"), "{written:?}");
    assert_eq!(server.get("/readyz", &[]).status, 200);
    server.terminate();
    assert!(server.ended().success());
    let calls = place.calls();
    assert_eq!(calls.len(), answered + 1);
    let begun = calls.last().unwrap();
    assert!(
        begun["begun"].is_number() && begun["tool"] == "write",
        "{begun}"
    );
    let (code, report, _) = place.log(&["verify"]);
    assert_eq!(code, 0, "{report}");
    let (_, shown, _) = place.log(&["show"]);
    assert!(shown.contains("unrecorded  3 calls"), "{shown}");
    assert!(!shown.contains("begun"), "{shown}");
}

#[test]
fn a_write_is_in_the_log_before_it_is_made() {
    let place = Place::new();
    let root = format!("docs={}:rw", place.shown("docs"));
    let log = place.shown("log");
    let mut session = Session::initialized("2025-06-18", &["--root", &root, "--log", &log]);
    session.text("write", json!({"path": "new.md", "content": "# new\n"}));
    session.close();
    let (_, text, _) = place.log(&["show", "--json"]);
    let lines: Vec<Value> = text
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    let kinds: Vec<_> = lines
        .iter()
        .map(|line| line["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["start", "begin", "call", "stop"]);
    assert_eq!(lines[1]["arguments"], lines[2]["arguments"]);
    assert_eq!(lines[2]["begun"], 1);
    assert!(!lines[1].to_string().contains("# new"));
    // A truncated log is reported as such.
    let whole = fs::read_to_string(place.segment()).unwrap();
    let two: String = whole
        .lines()
        .take(2)
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(place.segment(), two).unwrap();
    fs::remove_file(place.path("log/checkpoints.jsonl")).unwrap();
    let (code, report, _) = place.log(&["verify"]);
    assert_eq!(code, 2, "nothing is signed: {report}");
    assert!(
        line(&report, "begun").starts_with("outcome unknown: entries 1;"),
        "{report}"
    );
    let (_, shown, _) = place.log(&["show", "--path", "docs/new.md"]);
    assert!(
        shown.contains("local  write  begun, outcome unknown"),
        "{shown}"
    );
    assert_eq!(place.log(&["erase", "--path", "docs/new.md"]).0, 0);
    assert!(
        !fs::read_to_string(place.segment())
            .unwrap()
            .contains("new.md")
    );
}

#[test]
fn what_nobody_signed_is_told_apart() {
    let place = Place::new();
    let mut session = place.session(&[]);
    session.text("read_document", json!({"path": "a.md"}));
    session.close();
    // A line is appended after the end of the log.
    let mut whole = fs::read_to_string(place.segment()).unwrap();
    let last = whole.lines().last().unwrap().to_owned();
    let mut forged: Value = serde_json::from_str(whole.lines().nth(1).unwrap()).unwrap();
    forged["seq"] = json!(3);
    forged["prev"] = leaf(&last).into();
    forged["who"] = json!("eve");
    let signed = whole.clone();
    whole.push_str(&format!("{forged}\n"));
    fs::write(place.segment(), &whole).unwrap();
    let (code, report, _) = place.log(&["verify"]);
    assert_eq!(code, 1, "{report}");
    assert!(
        line(&report, "verdict").starts_with("TAMPERED WITH at entry 3:"),
        "{report}"
    );
    assert_eq!(
        line(&report, "unsigned"),
        "1 entry: nothing shows who wrote them"
    );
    fs::write(place.segment(), signed).unwrap();
    let (code, report, _) = place.log(&["verify"]);
    assert!(code == 0 && !report.contains("unsigned"), "{report}");
}

/// Returns the hash of a line's leaf.
fn leaf(line: &str) -> String {
    docent_access_log::Hash::digest(&[&[0], line.as_bytes()].concat()).to_string()
}

#[test]
fn an_anchor_of_another_log_is_no_anchor_of_this_one() {
    let [place, other] = [Place::new(), Place::new()];
    for one in [&place, &other] {
        let anchor = format!("file:{}", one.shown("anchor"));
        let mut session = one.session(&["--anchor", &anchor]);
        session.text("read_document", json!({"path": "a.md"}));
        session.close();
    }
    let foreign = other.shown("anchor");
    let (code, report, _) = place.log(&["verify", "--against", &foreign]);
    assert_eq!(code, 1, "{report}");
    assert!(
        line(&report, "verdict").contains("it belongs to the log `docent/"),
        "{report}"
    );
    // Log and key are replaced as a whole, while the anchor is kept.
    for name in ["log", "log.key"] {
        let (from, to) = (other.path(name), place.path(name));
        if from.is_dir() {
            for entry in fs::read_dir(from).unwrap() {
                let entry = entry.unwrap();
                fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
            }
        } else {
            fs::copy(from, to).unwrap();
        }
    }
    assert_eq!(place.log(&["verify", "--against", &foreign]).0, 0);
    assert_eq!(place.log(&["verify", "--against", "anchor"]).0, 1);
}

#[test]
fn a_call_whose_client_goes_away_is_recorded_with_what_it_opened() {
    let (_directory, config) = long_work(ONE_THREAD);
    let home = tempfile::tempdir().unwrap();
    let log = home.path().join("log").display().to_string();
    let arguments = ["--config", &config, "--tools", "all", "--log", &log];
    let mut server = Server::start(&arguments);
    let mut asked = call(1, "search_documents", json!({"query": "absent"}));
    asked["params"]["_meta"] = json!({"progressToken": "token"});
    let stream = server.send("POST", "/mcp", &[ACCEPT], Some(&asked.to_string()));
    let mut lines = BufReader::new(stream).lines();
    while !lines
        .next()
        .unwrap()
        .unwrap()
        .contains("notifications/progress")
    {}
    drop(lines);
    // The only thread is free again.
    server.call("/mcp", &[], "get_config", json!({}));
    server.terminate();
    assert!(server.ended().success());
    let (_, text, _) = ran(home.path(), &["log", "show", "--log", "log", "--json"]);
    let mut lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let gone = lines.find(|line| line["tool"] == "search_documents");
    let gone = gone.unwrap_or_else(|| panic!("{text}"));
    assert_eq!(
        (&gone["outcome"], &gone["answer"]),
        (&json!("cancelled"), &Value::Null)
    );
    assert!(
        !gone["files"]["read"]["docs"].as_array().unwrap().is_empty(),
        "{gone}"
    );
}

#[test]
fn a_log_lies_in_no_root_and_has_one_writer() {
    let place = Place::new();
    let root = format!("docs={}", place.shown("docs"));
    let serve = |log: &Path| {
        let log = log.display().to_string();
        let arguments = ["mcp", "--root", &root, "--log", &log];
        ran(place.home.path(), &arguments)
    };
    let (code, _, errors) = serve(&place.docs().join("log"));
    assert!(code == 2 && errors.contains("is inside a root"), "{errors}");
    let _session = place.session(&[]);
    let (code, _, errors) = serve(&place.path("log"));
    assert!(
        code == 2 && errors.contains("another program writes"),
        "{errors}"
    );
    let (code, _, errors) = ran(place.home.path(), &["mcp", "--root", &root, "--log-exact"]);
    assert!(code == 2 && errors.contains("`--log DIR`"), "{errors}");
}
