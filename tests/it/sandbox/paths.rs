//! Tests with paths that try to lead out of a root, in every path argument of every tool.

use docent_host::grant::Right;
use docent_host::{CallError, Session, Settings};
use docent_tests::guest::{call, grant, limits};
use docent_tests::says::everything;
use docent_tests::sweep::{self, Outcome, WORD};
use serde_json::json;

use super::tree::{CANARY, Tree};
use super::writing::snapshot;

/// Paths that are refused by their text alone, before any file is accessed.
const MALFORMED: [&str; 29] = [
    "..",
    "../outside/secret.md",
    "../docs/innocent.md",
    "folder/../../outside/secret.md",
    "a/../..",
    "./../outside",
    "..\\outside\\secret.md",
    "folder\\..\\..\\outside",
    "/../outside/secret.md",
    "//etc/passwd",
    "///etc/passwd",
    "C:",
    "C:\\",
    "C:\\Windows\\win.ini",
    "c:/Windows/win.ini",
    "C:foo",
    "z:..\\outside",
    "\\\\server\\share\\file.md",
    "//server/share/file.md",
    "\\\\?\\C:\\file.md",
    "\\\\.\\PhysicalDrive0",
    "//?/C:/file.md",
    "\\??\\C:\\file.md",
    "innocent.md\0",
    "\0",
    "innocent.md\0/../../outside/secret.md",
    "folder/\0.md",
    "/C:/file.md",
    "/..",
];

/// Ordinary names of missing files: no decoding turns them into another path.
const MISSING: [&str; 12] = [
    "%2e%2e/outside/secret.md",
    "..%2foutside%2fsecret.md",
    "%2e%2e%2foutside",
    "..%5coutside",
    "%252e%252e/outside",
    "..%c0%afoutside/secret.md",
    "\u{ff0e}\u{ff0e}/outside/secret.md",
    "\u{2025}/outside/secret.md",
    "..\u{2215}outside",
    ".../outside/secret.md",
    ".. /outside/secret.md",
    "innocent.md/",
];

/// Returns the code with which a call is refused: writing tools refuse a read-only root before
/// anything else.
fn or_read_only(outcome: &Outcome, code: &'static str) -> &'static str {
    let mut tools = docent_host::tools::table().tools.iter();
    let reads = tools.any(|tool| tool.function == outcome.function && tool.read_only);
    if reads { code } else { "read-only" }
}

#[test]
fn what_leads_out_is_refused_in_every_argument() {
    let mut tree = Tree::new();
    tree.innocent("folder/page.md");
    let mut session = tree.docent();
    let long_segment = "x".repeat(256);
    let long_path = "folder/".repeat(600);
    let long_letters = "ü".repeat(128);
    let mut malformed = MALFORMED.to_vec();
    malformed.extend([
        long_segment.as_str(),
        long_path.as_str(),
        long_letters.as_str(),
    ]);
    let mut calls = 0;
    sweep::with_paths(&mut session, &malformed, |outcome| {
        calls += 1;
        let Err(CallError::Refused(refusal)) = &outcome.result else {
            panic!("{outcome:?}");
        };
        assert_eq!(refusal.code, or_read_only(&outcome, "invalid-path"));
        assert!(
            !refusal.message.is_empty() && !refusal.hint.is_empty(),
            "{outcome:?}"
        );
    });
    assert!(
        calls >= 4 * malformed.len(),
        "four tools take a path: {calls} calls"
    );
    tree.assert_nothing_leaks(&mut session, &malformed, &[]);
    tree.assert_only_innocent_found(&mut session);
}

#[test]
fn encodings_of_dots_and_slashes_are_letters() {
    let tree = Tree::new();
    let mut session = tree.docent();
    sweep::with_paths(&mut session, &MISSING, |outcome| {
        let text = everything(&outcome.result);
        assert!(!text.contains(CANARY), "{outcome:?}");
        // A trailing slash is not part of a name.
        if outcome
            .arguments
            .values()
            .all(|value| !value.to_string().contains("innocent.md/"))
        {
            let Err(CallError::Refused(refusal)) = &outcome.result else {
                panic!("{outcome:?}");
            };
            let expected = or_read_only(&outcome, "document-not-found");
            assert_eq!(refusal.code, expected, "{outcome:?}");
        }
    });
}

#[test]
fn roots_and_cursors_carry_no_paths() {
    let tree = Tree::new();
    let mut session = tree.docent();
    for tool in &docent_host::tools::table().tools {
        for (argument, expected) in [("root", "not-granted"), ("cursor", "invalid-cursor")] {
            if tool.argument(argument).is_none() {
                continue;
            }
            for hostile in ["../outside", "/", "/etc", "docs/..", "\0", "Li4vb3V0c2lkZQ"] {
                let is_object = tool
                    .argument(argument)
                    .is_some_and(|a| a["type"] == "object");
                let given = if is_object {
                    json!({"items": hostile})
                } else {
                    hostile.into()
                };
                let codes = sweep::variants(tool).into_iter().map(|mut arguments| {
                    if arguments.contains_key("path") {
                        arguments.insert("path".to_owned(), "innocent.md".into());
                    }
                    arguments.insert(argument.to_owned(), given.clone());
                    docent_tests::says::code(&session.call(&tool.function, arguments))
                });
                let codes: Vec<String> = codes.collect();
                // The root is checked first.
                let is_closed = !tool.read_only && argument != "root";
                let is_refused =
                    |code: &String| code == expected || is_closed && code == "read-only";
                // Not every command of a tool takes the argument.
                assert!(
                    codes.iter().any(is_refused),
                    "{} {hostile}: {codes:?}",
                    tool.name
                );
            }
        }
    }
}

#[test]
fn nothing_is_written_where_a_path_leads_out() {
    let tree = Tree::new();
    let around = tree.root.parent().unwrap();
    let grants = grant(&tree.root, Right::ReadWrite);
    let mut session = Session::load(grants, Settings::default(), limits()).unwrap();
    let before = snapshot(around);
    sweep::with_paths(&mut session, &MALFORMED, |outcome| {
        let code = docent_tests::says::code(&outcome.result);
        assert_eq!(code, "invalid-path", "{outcome:?}");
    });
    let text = json!({ "oldText": WORD, "newText": "quay" });
    for path in MALFORMED {
        let mut in_edit = text.clone();
        in_edit["path"] = path.into();
        let diff = format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-harbour\n+quay\n");
        for edit in [
            in_edit,
            json!({ "path": "innocent.md", "move": path }),
            json!({ "diff": diff }),
        ] {
            let request = json!({ "edits": [edit], "dryRun": false });
            let result = call(&mut session, "change", request);
            assert!(
                matches!(result, Err(CallError::Refused(_))),
                "{path:?}: {result:?}"
            );
        }
    }
    assert_eq!(before, snapshot(around));
}
