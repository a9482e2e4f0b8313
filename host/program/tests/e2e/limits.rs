//! Long calls: progress, cancellation, timeout, and end of input.
//!
//! A call is long without many bytes on disk: one large document has hundreds of names.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{Session, docent, tree};

/// Bytes of the large document.
const BYTES: usize = 24 * 1024 * 1024;

/// Hard links to it. Searching all of them takes far longer than any test.
const NAMES: u64 = 990;

pub fn long_work(config: &str) -> (TempDir, String) {
    long_work_in(NAMES, BYTES, config)
}

/// Returns a directory of `names` hard links to one document, and its configuration file.
fn long_work_in(names: u64, bytes: usize, config: &str) -> (TempDir, String) {
    let directory = tree(&[("docent.toml", config)]);
    let documents = directory.path().join("docs");
    fs::create_dir(&documents).unwrap();
    let first = documents.join("000.md");
    fs::write(&first, "some text of a document\n".repeat(bytes / 24)).unwrap();
    for number in 1..names {
        fs::hard_link(&first, documents.join(format!("{number:03}.md"))).unwrap();
    }
    let file = directory.path().join("docent.toml").display().to_string();
    (directory, file)
}

/// Checks in the output of `--trace` that a search of [`long_work`] stopped early, for this reason.
fn was_stopped(trace: &str, reason: &str) {
    let mut lines = trace
        .lines()
        .map(|line| line.trim_start_matches("docent: trace: "));
    let failed = lines.find(|line| line.contains(" failed in "));
    assert!(failed.is_some_and(|line| line.contains(reason)), "{trace}");
    let opened = lines.find_map(|line| line.trim_start().strip_prefix("opened "));
    let files = opened.and_then(|opened| opened.split_whitespace().next());
    let files: u64 = files
        .and_then(|files| files.parse().ok())
        .expect("files are counted");
    assert!(files < NAMES, "{trace}");
}

/// Starts a session with tracing.
fn traced(config: &str) -> Session {
    let mut command = docent();
    command.args(["--trace", "mcp", "--config", config, "--tools", "all"]);
    let mut session = Session::spawn(command);
    session.initialize("2025-11-25");
    session
}

/// Configuration with one thread, so that a call that was not stopped would delay the next.
pub const ONE_THREAD: &str =
    "roots = [{ path = \"docs\" }]\n[limits]\nthreads = 1\ntimeout-ms = 600000\n";

#[test]
fn a_long_call_reports_progress_and_cancelling_stops_the_guest() {
    let (_directory, config) = long_work(ONE_THREAD);
    let mut session = traced(&config);
    let id = session.send(
        "tools/call",
        json!({"name": "search_documents", "arguments": {"query": "absent"},
               "_meta": {"progressToken": "token"}}),
    );
    let mut last = 0.0;
    for _ in 0..2 {
        let report = session.message();
        assert_eq!(report["method"], "notifications/progress", "{report}");
        assert_eq!(report["params"]["progressToken"], "token");
        let progress = report["params"]["progress"].as_f64().unwrap();
        assert!(progress > last, "{report}");
        last = progress;
    }
    session.notify("notifications/cancelled", json!({"requestId": id}));
    // The only thread is free again, and the cancelled call has no answer.
    let next = session.send("tools/call", json!({"name": "get_config", "arguments": {}}));
    let answer = loop {
        let message = session.message();
        if message.get("id").is_some() {
            break message;
        }
    };
    assert_eq!(answer["id"], next, "{answer}");
    was_stopped(&session.close_for_errors(), "cancelled");
}

#[test]
fn the_end_of_the_input_ends_running_calls() {
    let (_directory, config) = long_work(ONE_THREAD);
    let mut session = traced(&config);
    session.send(
        "tools/call",
        json!({"name": "search_documents", "arguments": {"query": "absent"},
               "_meta": {"progressToken": "token"}}),
    );
    // The call is running.
    assert_eq!(session.message()["method"], "notifications/progress");
    let (status, rest) = session.close();
    assert!(status.success(), "{status}");
    // If the call is answered at all, then with its fault, and without results.
    let mut answers = rest.iter().filter(|message| message.get("id").is_some());
    let is_cancelled = |answer: &Value| answer.to_string().contains("the call was cancelled");
    assert!(answers.all(is_cancelled), "{rest:?}");
}

#[test]
fn a_call_that_takes_too_long_ends_and_the_next_one_answers() {
    let (_directory, config) =
        long_work("roots = [{ path = \"docs\" }]\n[limits]\nthreads = 1\ntimeout-ms = 300\n");
    let mut session = traced(&config);
    let text = session.refusal("smart_search", json!({"query": "absent"}));
    assert!(text.starts_with("[timeout] "), "{text}");
    assert!(session.text("get_config", json!({})).contains("# docent"));
    was_stopped(
        &session.close_for_errors(),
        "the call was ended after 300 ms",
    );
}

#[test]
fn a_tool_with_a_cursor_ends_before_its_host_ends_it() {
    // A tool has nine tenths of the time, and the rest for the document that it is reading then.
    // That takes a twentieth of a second, far less than the rest on a busy machine too.
    let (_directory, config) = long_work_in(
        10 * NAMES,
        BYTES / 4,
        "roots = [{ path = \"docs\" }]\n[limits]\nthreads = 1\ntimeout-ms = 10000\n",
    );
    let mut session = Session::initialized("2025-11-25", &["--config", &config]);
    let arguments = json!({"query": "absent", "limits": {"timeoutMs": 60_000}});
    let text = session.text("explore", arguments);
    assert!(text.contains("The time ran out"), "{text}");
    assert!(text.contains("\"cursor\":\""), "{text}");
    let arguments = json!({"query": "absent", "timeoutMs": 60_000});
    let text = session.text("search_documents", arguments);
    assert!(text.contains("searched so far (truncated)"), "{text}");
}

/// Returns the program with less address space than one instance reserves.
#[cfg(target_os = "linux")]
fn cramped(arguments: &[&str]) -> std::process::Command {
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", "ulimit -v 3000000 && exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_docent"))
        .args(arguments)
        .stdin(std::process::Stdio::null());
    command
}

/// No guest ran, so the failure is not a trap.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_made_is_unavailable_and_no_trap() {
    let directory = tree(&[("a.md", "fox\n")]);
    let root = directory.path().to_str().unwrap();
    let start = "[ERR_MCP_500] internal-error: no instance could be made: ";
    let end = "\nNo call was made; see `docent doctor`.";

    let output = cramped(&["call", "get_config", "--root", root])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.starts_with(start), "{text}");
    assert!(text.trim_end().ends_with(end.trim_end()), "{text}");

    let mut session = Session::spawn(cramped(&["mcp", "--tools", "all", "--root", root]));
    session.initialize("2025-11-25");
    for _ in 0..2 {
        let text = session.refusal("get_config", json!({}));
        assert!(text.starts_with(start), "{text}");
        assert!(text.ends_with(end), "{text}");
        assert!(!text.contains("stopped"), "{text}");
    }
}
