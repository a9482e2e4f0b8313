//! Paths that try to lead out, in every argument of every tool that takes a path.

use docent_host::CallError;
use docent_tests::says::everything;
use docent_tests::sweep;

use super::tree::{CANARY, Tree};

/// Refused from the text alone, before any file is touched.
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

/// Names like any other, which nothing bears: no decoding turns them into something else.
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
        assert_eq!(refusal.code, "invalid-path", "{outcome:?}");
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
        // A slash at the end is no part of a name.
        if outcome
            .arguments
            .values()
            .all(|value| !value.to_string().contains("innocent.md/"))
        {
            let Err(CallError::Refused(refusal)) = &outcome.result else {
                panic!("{outcome:?}");
            };
            assert_eq!(refusal.code, "document-not-found", "{outcome:?}");
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
                let mut arguments = sweep::necessary(tool);
                for name in tool.required() {
                    arguments.insert(name.to_owned(), "innocent.md".into());
                }
                let is_object = tool
                    .argument(argument)
                    .is_some_and(|a| a["type"] == "object");
                let given = if is_object {
                    serde_json::json!({"items": hostile})
                } else {
                    hostile.into()
                };
                arguments.insert(argument.to_owned(), given);
                let result = session.call(&tool.function, arguments);
                assert_eq!(
                    docent_tests::says::code(&result),
                    expected,
                    "{} {hostile}",
                    tool.name
                );
            }
        }
    }
}
