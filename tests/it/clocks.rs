//! Tests count work instead of measuring time: on a busy machine a time limit fails although
//! nothing is wrong.

use std::collections::BTreeSet;
use std::fs;

use super::forgotten::{files, workspace};

/// The words in code that reads a clock, or waits for one.
const WORDS: [&str; 4] = ["Instant", ".elapsed()", "sleep(", "recv_timeout("];

/// The programs that measure time, and are not tests.
const MEASURING: [&str; 9] = [
    "tests/measure/bench/",
    "tests/measure/edits/",
    "tests/measure/eval/",
    "tests/measure/foreign/",
    "tests/fuzz/",
    "tests/measure/large/",
    "tests/measure/links/",
    "tests/measure/pdf/",
    "tests/measure/processes/",
];

/// The tests that may use a clock, with the reasons. None of them compares a duration with a limit
/// that work could reach.
const ALLOWED: [(&str, &str); 15] = [
    (
        "host/library/src/guard/write_lock.rs",
        "a lock that is held is waited for at least so long; a busy machine only waits longer",
    ),
    (
        "host/program/src/embedder/connection.rs",
        "a moment that an attempt ends at; nothing is measured",
    ),
    (
        "host/program/src/serve/http/connection/activity.rs",
        "the test's own clock, which it moves by adding to a moment",
    ),
    (
        "host/program/src/serve/http/scheduling/rate.rs",
        "the test's own clock, which it moves by adding to a moment",
    ),
    (
        "host/program/tests/e2e/http/lifecycle.rs",
        "waits for another process; the bound ends a test that would hang",
    ),
    (
        "host/program/tests/e2e/http/limits.rs",
        "an answer that is held back takes at least so long; a busy machine only takes longer",
    ),
    (
        "host/program/tests/e2e/http/server.rs",
        "waits for another process; the bound ends a test that would hang",
    ),
    (
        "host/program/tests/e2e/meaning/endpoint.rs",
        "the endpoint's part is to be slow; nobody measures it",
    ),
    (
        "host/program/tests/e2e/program.rs",
        "waits for another process; the bound ends a test that would hang",
    ),
    (
        "tests/fixtures/guests/src/greed.rs",
        "the guest's part is to sleep until it is stopped",
    ),
    (
        "tests/fixtures/guests/src/lib.rs",
        "the guest's part is to sleep until it is stopped",
    ),
    (
        "tests/it/sandbox/fresh.rs",
        "a file has to be older than the ticks of the kernel's clock, which no test can move; longer does no harm",
    ),
    (
        "tests/it/sandbox/leaks.rs",
        "waits for threads to end; the bound ends a test that would hang",
    ),
    (
        "tests/it/sandbox/watches.rs",
        "a file has to be older than the ticks of the kernel's clock, which no test can move; longer does no harm",
    ),
    (
        "tests/fixtures/named-tools/src/lib.rs",
        "the conformance tests want a tool that takes its time",
    ),
];

/// Returns the part of a file that only tests compile: all of a test file, and of another file the
/// text after the first `#[cfg(test)]` of an inline module.
fn tests_of<'a>(path: &str, text: &'a str) -> &'a str {
    let is_test =
        path.starts_with("tests/") || path.contains("/tests/") || path.ends_with("tests.rs");
    if is_test {
        return text;
    }
    text.split_once("#[cfg(test)]\nmod tests {")
        .map_or("", |(_, tests)| tests)
}

#[test]
fn tests_do_not_measure_time() {
    let workspace = workspace();
    let mut found = BTreeSet::new();
    for file in files() {
        let relative = file.strip_prefix(&workspace).unwrap();
        let path = relative.to_string_lossy().replace('\\', "/");
        let is_rust = path.ends_with(".rs") && path != "tests/it/clocks.rs";
        if !is_rust || MEASURING.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let tests = tests_of(&path, &text);
        if WORDS.iter().any(|word| tests.contains(word)) {
            found.insert(path);
        }
    }
    let allowed: BTreeSet<String> = ALLOWED.iter().map(|(path, _)| (*path).to_owned()).collect();
    let refused: Vec<&String> = found.difference(&allowed).collect();
    assert!(
        refused.is_empty(),
        "these look at a clock; expected tests that count, or a reason in `ALLOWED`: {refused:#?}"
    );
    let stale: Vec<&String> = allowed.difference(&found).collect();
    assert!(
        stale.is_empty(),
        "these have no need of it any more: {stale:#?}"
    );
}
