//! Tests with trees and files of unreasonable size.

use std::fs;

use super::machine::{left_out, make_sparse};
use docent_host::Limits;
use docent_tests::guest::{call, docent, limits, pages};
use docent_tests::says::{code, paths};
use docent_tests::sweep::WORD;
use rustix::fs::{CWD, Mode, OFlags};
use serde_json::json;

use super::tree::{Tree, skipped};

#[test]
fn six_hundred_levels_are_survived() {
    let mut tree = Tree::new();
    // Longer than the maximum length of a path, so it is created from inside.
    let mut directory =
        rustix::fs::openat(CWD, &tree.root, OFlags::DIRECTORY, Mode::empty()).unwrap();
    for _ in 0..600 {
        rustix::fs::mkdirat(&directory, "level", Mode::from_raw_mode(0o755)).unwrap();
        directory =
            rustix::fs::openat(&directory, "level", OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    tree.innocent("level/near.md");
    tree.innocent("zebra/after.md");

    let mut session = tree.docent();
    let found = pages(&mut session, "search-documents", json!({ "query": WORD }));
    let found = paths(&found, "results");
    for path in ["innocent.md", "level/near.md", "zebra/after.md"] {
        assert!(
            found.iter().any(|found| found == path),
            "{path} in {found:?}"
        );
    }
    let skipped = skipped(&mut session);
    assert!(
        skipped.iter().any(|(_, reason)| reason == "too-deep"),
        "{skipped:?}"
    );
    let listed = pages(&mut session, "list-full-tree", json!({ "maxDepth": 64 }));
    assert!(paths(&listed, "entries").contains(&"zebra/after.md".to_owned()));
    let deep = vec!["level"; 600].join("/");
    for function in ["list-documents", "list-full-tree"] {
        let result = call(&mut session, function, json!({ "path": deep }));
        let answered = result.is_ok() || code(&result) == "document-not-found";
        assert!(answered, "{function}: {}", code(&result));
    }
    let result = call(
        &mut session,
        "read-document",
        json!({ "path": format!("{deep}/page.md") }),
    );
    assert_eq!(code(&result), "document-not-found");
}

#[test]
fn fifty_thousand_entries_are_all_listed() {
    const ENTRIES: usize = 50_000;
    let mut tree = Tree::new();
    let crowded = tree.root.join("crowded");
    fs::create_dir(&crowded).unwrap();
    for index in 0..ENTRIES {
        fs::write(crowded.join(format!("{index:05}.md")), "").unwrap();
    }
    tree.innocent("zebra.md");

    // Without a cache each page would list the directory again.
    let kept = Limits {
        cache: Limits::default().cache,
        ..limits()
    };
    let mut session = docent(&tree.root, kept);
    let mut last = String::new();
    let mut count = 0;
    let arguments = json!({ "path": "crowded", "limit": 1000 });
    for path in paths(&pages(&mut session, "list-documents", arguments), "entries") {
        assert!(path > last, "{path} after {last}");
        last = path;
        count += 1;
    }
    assert_eq!(count, ENTRIES);
    let found = pages(&mut session, "search-documents", json!({ "query": WORD }));
    assert_eq!(paths(&found, "results"), ["innocent.md", "zebra.md"]);
    assert!(
        found
            .iter()
            .all(|page| page["truncated"] == true || page.get("nextCursor").is_none())
    );
}

#[test]
fn a_sparse_file_of_a_tebibyte_is_passed_over() {
    let mut tree = Tree::new();
    tree.innocent("a.md");
    tree.innocent("z.md");
    if let Err(error) = make_sparse(&tree.root.join("huge.md"), 1 << 40) {
        left_out("a sparse file of 1 TiB", error);
        return;
    }
    let mut session = tree.docent();
    let found = pages(&mut session, "search-documents", json!({ "query": WORD }));
    assert_eq!(paths(&found, "results"), ["a.md", "innocent.md", "z.md"]);
    let skipped = skipped(&mut session);
    assert!(
        skipped.contains(&("huge.md".to_owned(), "too-large".to_owned())),
        "{skipped:?}"
    );
    for arguments in [
        json!({ "path": "huge.md" }),
        json!({ "path": "huge.md", "lines": "1-2" }),
        json!({ "path": "huge.md", "section": WORD }),
    ] {
        let result = call(&mut session, "read-document", arguments);
        assert_eq!(code(&result), "document-too-large");
    }
    let listed = pages(&mut session, "list-documents", json!({}));
    let entries = listed[0]["entries"].as_array().unwrap();
    let huge = entries
        .iter()
        .find(|entry| entry["path"] == "huge.md")
        .unwrap();
    assert_eq!(huge["size"], 1_u64 << 40);
}

#[test]
fn a_byte_more_than_a_document_may_have_is_passed_over() {
    const CAP: u64 = 64 << 20;
    let tree = Tree::new();
    for name in ["over.md", "over.docx"] {
        if let Err(error) = make_sparse(&tree.root.join(name), CAP + 1) {
            return left_out("a sparse file of 64 MiB", error);
        }
    }
    let mut session = tree.docent();
    let over = |name: &str| (name.to_owned(), "too-large".to_owned());
    assert_eq!(skipped(&mut session), [over("over.docx"), over("over.md")]);
    for path in ["over.md", "over.docx"] {
        let result = call(&mut session, "read-document", json!({ "path": path }));
        assert_eq!(code(&result), "document-too-large", "{path}");
    }
}
