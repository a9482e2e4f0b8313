//! `--trace`: the stages of a call, on stderr and nowhere else.

use serde_json::json;

use crate::program::{Session, docent, ran, run, tree};

/// Returns the lines of a trace, without their common prefix.
fn trace(stderr: &str) -> Vec<&str> {
    stderr
        .lines()
        .filter_map(|line| line.strip_prefix("docent: trace: "))
        .collect()
}

/// Returns the words of the first line that starts with `start`.
#[track_caller]
fn words<'a>(trace: &[&'a str], start: &str) -> Vec<&'a str> {
    let line = trace
        .iter()
        .find(|line| line.trim_start().starts_with(start));
    line.unwrap_or_else(|| panic!("no line starts with {start}: {trace:#?}"))
        .split_whitespace()
        .collect()
}

#[test]
fn a_command_tells_what_it_did_if_it_is_asked() {
    let directory = tree(&[("a.md", "# A\n\nfox\n"), ("b/c.md", "no\n")]);
    let (code, plain, silent) = ran(directory.path(), &["search", "--limit", "9", "fox", "."]);
    assert_eq!((code, silent.as_str()), (0, ""));
    for arguments in [
        ["--trace", "search", "--limit", "9", "fox", "."],
        ["search", "--limit", "9", "fox", ".", "--trace"],
    ] {
        let (code, output, errors) = ran(directory.path(), &arguments);
        assert_eq!((code, &output), (0, &plain));
        let trace = trace(&errors);
        assert_eq!(trace.len(), errors.lines().count(), "{errors}");
        assert_eq!(
            words(&trace, "component")[..3],
            ["component", "loaded", "in"]
        );
        assert_eq!(words(&trace, "search-documents")[1..3], ["answered", "in"]);
        let instance = words(&trace, "instance");
        assert_eq!(instance[2..], ["ms,", "new,", "without", "a", "cache"]);
        for stage in ["arguments", "guest", "answer"] {
            let time: f64 = words(&trace, stage)[1].parse().unwrap();
            assert!((0.0..60_000.0).contains(&time), "{stage}: {time}");
        }
        let opened = words(&trace, "opened");
        assert_eq!(opened[1..4], ["2", "files", "(12"], "{opened:?}");
        assert_eq!(opened[5], "read),", "{opened:?}");
    }
}

#[test]
fn pages_of_links_do_not_read_the_tree_anew() {
    let links: String = (0..40)
        .map(|number| format!("[a](missing/{number:04}/{}.md)\n", "name".repeat(20)))
        .collect();
    let files: Vec<(String, &str)> = (0..150)
        .map(|number| (format!("d/f{number}.md"), links.as_str()))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
    let directory = tree(&files);
    let (code, output, errors) = ran(directory.path(), &["links", "--trace", "--root", "."]);
    assert_eq!((code, output.lines().count()), (1, 6_000));
    let trace = trace(&errors);
    let calls = trace
        .iter()
        .filter(|line| line.contains("answered in"))
        .count();
    assert!(calls > 4, "{errors}");
    let opened = trace.iter().filter_map(|line| {
        let (_, behind) = line.split_once("opened ")?;
        behind.split(' ').next()?.parse::<usize>().ok()
    });
    // A file written a moment ago is read again, because its time may not reveal a change.
    assert!(opened.sum::<usize>() <= 300, "{errors}");
}

#[test]
fn a_call_that_fails_says_so() {
    let directory = tree(&[]);
    let arguments = [
        "call",
        "--trace",
        "read_document",
        "path=no.md",
        "--root",
        ".",
    ];
    let (code, output, errors) = ran(directory.path(), &arguments);
    assert_eq!((code, output.as_str()), (1, ""));
    let trace = trace(&errors);
    assert_eq!(words(&trace, "read-document")[1..3], ["failed", "in"]);
}

#[test]
fn the_server_shows_what_came_from_the_cache() {
    let directory = tree(&[("a.md", "# A\n\nfox\n"), ("b.md", "fox\n")]);
    let root = directory.path().to_str().unwrap();
    let mut command = docent();
    command.args(["mcp", "--trace", "--tools", "all", "--root", root]);
    let mut session = Session::spawn(command);
    session.initialize("2025-11-25");
    let first = session.text("search_documents", json!({"query": "fox"}));
    let second = session.text("search_documents", json!({"query": "fox"}));
    assert_eq!(first, second);
    let errors = session.close_for_errors();
    let trace = trace(&errors);
    let calls: Vec<usize> = (0..trace.len())
        .filter(|line| trace[*line].starts_with("search-documents answered"))
        .collect();
    assert_eq!(calls.len(), 2, "{errors}");
    let (first, second) = trace.split_at(calls[1]);
    assert_eq!(
        words(first, "instance")[3..],
        ["new,", "with", "a", "cache"]
    );
    assert_eq!(
        words(second, "instance")[3..],
        ["warm,", "with", "a", "cache"]
    );
    // Both, and again those whose hits are shown.
    assert_eq!(words(first, "opened")[1..3], ["4", "files"]);
    assert_eq!(words(first, "answer rendered")[..2], ["answer", "rendered"]);
    // A file that has just changed is read again: its stamp is not trusted yet. But it was checked.
    let stamps = words(second, "stamps");
    assert_ne!((stamps[1], stamps[6]), ("0", "0"), "{stamps:?}");
}

#[test]
fn every_command_takes_it() {
    let directory = tree(&[("a.md", "# A\n\nfox #tag\n")]);
    for (command, function) in [
        (&["find", "*.md", "."][..], "find-files"),
        (&["explore", "."], "explore"),
        (&["query", "fox", "."], "smart-search"),
        (&["summary", "a.md"], "summarize-document"),
        (&["tags", "tag", "."], "context-search"),
        (&["doctor", "--root", "."], "search-documents"),
    ] {
        let output = run(directory.path(), &[command, &["--trace"]].concat());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(words(&trace(&errors), function)[1], "answered", "{errors}");
    }
}
