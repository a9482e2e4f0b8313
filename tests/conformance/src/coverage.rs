//! Coverage of the contract: each error code and each limit is reached by a case, or by a test that
//! is listed here with the reason why no case reaches it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Map;

use crate::case::{Case, case_files};
use crate::{memory, typed};

/// Names that no case can reach, each with the reason and the test that does, as `file::function`;
/// none if no test does.
type Elsewhere = [(&'static str, &'static str, Option<&'static str>)];

const ERROR_CODES: &Elsewhere = &[
    (
        "search-failed",
        "nothing of a search fails from matching on",
        None,
    ),
    ("no-results", "an empty answer says so itself", None),
    (
        "internal-error",
        "only a component that misbehaves gives it",
        None,
    ),
    (
        "write-failed",
        "the disks of cases do not fail",
        Some("guest/tools/tests/it/change.rs::a_disk_that_fails_says_so_and_leaves_all_as_it_was"),
    ),
    (
        "timeout",
        "the host ends a call",
        Some(
            "host/program/tests/e2e/limits.rs::a_call_that_takes_too_long_ends_and_the_next_one_answers",
        ),
    ),
];

const LIMITS: &Elsewhere = &[
    (
        "document",
        "a file of 64 MiB is too much for a tree in memory",
        Some("tests/it/sandbox/sizes.rs::a_byte_more_than_a_document_may_have_is_passed_over"),
    ),
    (
        "foreign-document",
        "as for `document`",
        Some("tests/it/sandbox/sizes.rs::a_byte_more_than_a_document_may_have_is_passed_over"),
    ),
    (
        "extracted-text",
        "a file whose text is that long is made in code",
        Some("tests/it/sandbox/foreign.rs::a_bomb_costs_one_document"),
    ),
    (
        "foreign-documents-per-call",
        "501 documents are made in code",
        Some("guest/tools/tests/it/foreign.rs::a_page_opens_so_many_and_the_next_goes_on"),
    ),
    (
        "walk-depth",
        "a path of so many levels is longer than a path may be",
        Some("tests/it/sandbox/sizes.rs::six_hundred_levels_are_survived"),
    ),
    (
        "edits",
        "201 edits are made in code",
        Some("guest/tools/tests/it/change.rs::two_hundred_edits_are_the_most"),
    ),
    (
        "changed-files",
        "a call names at most 200, and links to what moves are the others",
        Some("guest/transaction/src/tests/behaviour.rs::too_much_at_once"),
    ),
    (
        "changed-bytes",
        "as for `document`",
        Some("guest/transaction/src/tests/behaviour.rs::too_much_at_once"),
    ),
    (
        "history",
        "a thousand changes are made in code",
        Some("guest/transaction/src/tests/history.rs::the_oldest_go_first_and_never_the_latest"),
    ),
    (
        "history-age",
        "as for `history`",
        Some("guest/transaction/src/tests/history.rs::the_oldest_go_first_and_never_the_latest"),
    ),
    (
        "history-bytes",
        "as for `history`",
        Some("guest/transaction/src/tests/history.rs::the_oldest_go_first_and_never_the_latest"),
    ),
];

/// Panics unless each of `names` is `reached` by a case or listed in `elsewhere`, but not both.
fn assert_all(names: &[String], reached: &BTreeSet<String>, elsewhere: &Elsewhere) {
    for name in names {
        let is_elsewhere = elsewhere.iter().any(|(excepted, ..)| excepted == name);
        assert!(
            reached.contains(name) || is_elsewhere,
            "no case reaches `{name}`, and no other test is named"
        );
        assert!(
            !reached.contains(name) || !is_elsewhere,
            "a case reaches `{name}`: no other test need be named"
        );
    }
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, _, test) in elsewhere {
        assert!(names.iter().any(|known| known == name), "`{name}` is gone");
        let Some((file, function)) = test.and_then(|test| test.split_once("::")) else {
            continue;
        };
        let text = fs::read_to_string(workspace.join(file)).unwrap_or_default();
        let is_there = text.contains(&format!("fn {function}("));
        assert!(is_there, "`{function}` is not in `{file}`");
    }
    let unknown: Vec<&String> = reached.iter().filter(|r| !names.contains(r)).collect();
    assert!(unknown.is_empty(), "cases reach what is none: {unknown:?}");
}

fn cases() -> Vec<Case> {
    case_files()
        .into_iter()
        .flat_map(|file| file.cases)
        .collect()
}

#[test]
fn each_error_code_is_reached() {
    let contract = include_str!("../../../wit/types.wit");
    let (_, rest) = contract.split_once("enum error-code {").unwrap();
    let (codes, _) = rest.split_once('}').unwrap();
    let codes = codes
        .lines()
        // A line of documentation may end in a comma as well.
        .filter(|line| !line.trim_start().starts_with("///"))
        .filter_map(|line| line.trim().strip_suffix(','));
    let codes: Vec<String> = codes.map(str::to_owned).collect();
    let reached = cases()
        .iter()
        .flat_map(|case| &case.calls)
        .filter_map(|call| call.error.as_ref()?["code"].as_str())
        .map(str::to_owned)
        .collect();
    assert_all(&codes, &reached, ERROR_CODES);
}

#[test]
fn each_limit_is_reached() {
    let cases = cases();
    let any = &cases[0];
    let mut docent = typed::docent(memory::disk(any), any, "0");
    let config = typed::call(&mut docent, "get-config", Map::new()).unwrap();
    let limits = config["limits"].as_array().unwrap().iter();
    let limits: Vec<String> = limits
        .filter_map(|limit| limit["name"].as_str().map(str::to_owned))
        .collect();
    let reached = cases.iter().flat_map(|case| case.reaches.clone()).collect();
    assert_all(&limits, &reached, LIMITS);
}
