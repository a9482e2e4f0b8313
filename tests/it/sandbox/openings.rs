//! Tests that the host reports the files that a call opened, independent of the component.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use docent_host::grant::Right;
use docent_host::{CallControl, FileUsage, Limits, OpeningLog, Openings};
use docent_tests::guest::{grant, limits};
use serde_json::{Value, json};

use super::deed::GuestDeed;
use super::hostile::Threads;
use super::machine::make_fifo;

/// Returns the answer of a call, and the files that it opened.
fn opened(threads: &Threads, function: &str, arguments: Value) -> (Value, Openings) {
    let log = OpeningLog::new();
    let control = CallControl {
        openings: Some(Arc::clone(&log)),
        ..CallControl::default()
    };
    let answer = threads.call(function, arguments, control).unwrap();
    (answer, log.openings())
}

fn paths(openings: &Openings, usage: FileUsage) -> Vec<String> {
    let files = openings.files.iter().filter(|file| file.usage == usage);
    files
        .map(|file| format!("{}/{}", file.root, file.path))
        .collect()
}

fn with_cache() -> Limits {
    Limits {
        cache: 1 << 20,
        ..limits()
    }
}

const DOCUMENTS: [&str; 5] = [
    "a.md",
    "deep/er/b.md",
    "deep/er/c.md",
    "설명/한글.md",
    "z.txt",
];

fn documents() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for path in DOCUMENTS {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "the harbour\n").unwrap();
    }
    fs::write(directory.path().join("picture.png"), "harbour").unwrap();
    directory
}

#[test]
fn a_search_opens_all_documents_once_and_again_only_those_that_changed() {
    let directory = documents();
    let threads = Threads::docent(directory.path(), with_cache());
    fs::write(directory.path().join("z.txt"), "the harbour, the quay\n").unwrap();
    let search = || {
        let (answer, openings) = opened(&threads, "search-documents", json!({"query": "quay"}));
        assert_eq!(answer["totalMatches"], 1, "{answer}");
        openings
    };
    let first = search();
    let mut all: BTreeSet<String> = DOCUMENTS.map(|path| format!("docs/{path}")).into();
    // Only its content shows that it is not text.
    all.insert("docs/picture.png".to_owned());
    assert!(is_each_once(&first, &all), "{first:?}");
    assert_eq!((first.calls_before, first.left_out), (0, 0));
    assert!(first.instance.is_some());
    // A file written just now may change again undetected, until the clock has advanced.
    let mut calls = 1;
    let again = loop {
        let again = search();
        if again.files.len() == 1 || calls == 10_000 {
            break again;
        }
        calls += 1;
        std::thread::yield_now();
    };
    // A hit is shown from the file itself.
    assert_eq!(paths(&again, FileUsage::Read), ["docs/z.txt"]);
    assert_eq!(
        (again.instance, again.calls_before),
        (first.instance, calls)
    );
    fs::write(directory.path().join("a.md"), "the harbour of old\n").unwrap();
    let changed: BTreeSet<String> = ["a.md", "z.txt"].map(|path| format!("docs/{path}")).into();
    let third = search();
    assert!(is_each_once(&third, &changed), "{third:?}");
}

/// Returns true if exactly these files were read, each reported once.
fn is_each_once(openings: &Openings, all: &BTreeSet<String>) -> bool {
    let read = paths(openings, FileUsage::Read);
    read.len() == all.len() && BTreeSet::from_iter(read) == *all
}

#[test]
fn an_instance_for_one_call_answers_from_nothing_but_what_that_call_opened() {
    let directory = documents();
    let limits = Limits {
        one_call: true,
        ..with_cache()
    };
    let threads = Threads::docent(directory.path(), limits);
    let read = || opened(&threads, "read-document", json!({"path": "a.md"})).1;
    let (first, second) = (read(), read());
    assert_eq!(paths(&first, FileUsage::Read), ["docs/a.md"]);
    assert_eq!(first.files, second.files);
    assert_ne!(first.instance, second.instance);
    assert_eq!(second.calls_before, 0);
}

#[test]
fn what_a_component_hides_is_told_all_the_same() {
    let directory = documents();
    make_fifo(&directory.path().join("fifo")).unwrap();
    std::os::unix::fs::symlink("a.md", directory.path().join("link")).unwrap();
    let threads = Threads::hostile(directory.path(), limits());
    let open = |path: &str| {
        let log = OpeningLog::new();
        let control = CallControl {
            openings: Some(Arc::clone(&log)),
            ..CallControl::default()
        };
        threads.make_it(GuestDeed::Open.to(path), control).unwrap();
        log.openings()
    };
    let openings = open("deep/../deep/er/b.md");
    assert_eq!(paths(&openings, FileUsage::Read), ["docs/deep/er/b.md"]);
    for path in ["fifo", "link", "../outside", "/etc/passwd"] {
        let openings = open(path);
        assert_eq!(paths(&openings, FileUsage::Read), [""; 0], "{path}");
        let is_refused = |usage: FileUsage| matches!(usage, FileUsage::Refused(_));
        assert!(
            openings.files.iter().any(|file| is_refused(file.usage)),
            "{path}: {openings:?}"
        );
    }
    // A missing file is not reported as refused.
    assert_eq!(open("missing").files, []);
}

#[test]
fn what_a_write_changes_is_told_and_what_it_keeps_for_itself_is_not() {
    let directory = documents();
    let threads = Threads::granted(grant(directory.path(), Right::ReadWrite), limits());
    let edit = json!({"path": "a.md", "oldText": "harbour", "newText": "port"});
    let (answer, openings) = opened(&threads, "change", json!({"edits": [edit]}));
    assert_eq!(answer["applied"], false, "{answer}");
    assert_eq!(paths(&openings, FileUsage::Written), [""; 0]);
    let request = json!({"edits": [edit], "dryRun": false});
    let (answer, openings) = opened(&threads, "change", request);
    assert_eq!(answer["applied"], true, "{answer}");
    assert_eq!(paths(&openings, FileUsage::Written), ["docs/a.md"]);
    let own = openings
        .files
        .iter()
        .filter(|file| file.path.contains(".docent-") && file.usage != FileUsage::Read);
    assert_eq!(own.count(), 0, "{openings:?}");
    let request = json!({"path": "z.txt"});
    let (_, openings) = opened(&threads, "delete-document", request);
    assert_eq!(paths(&openings, FileUsage::Removed), ["docs/z.txt"]);
}
