//! Tests with file names that are valid on disk and dangerous elsewhere.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use docent_tests::guest::{call, pages};
use docent_tests::says::paths;
use docent_tests::sweep::WORD;
use serde_json::json;

use super::tree::{Tree, skipped};

#[test]
fn every_name_that_is_text_is_found() {
    let mut tree = Tree::new();
    let longest = format!("{}.md", "x".repeat(252));
    let longest_letters = format!("{}.md", "문".repeat(84));
    let names = [
        "two\nlines.md",
        "carriage\rreturn.md",
        "tab\t.md",
        "bell\u{7}.md",
        "escape\u{1b}[31m.md",
        "right\u{202e}dm.exe.md",
        "mark\u{200f}.md",
        "zero\u{200b}width.md",
        "cafe\u{301}.md",
        "caf\u{e9}.md",
        "한글 문서.md",
        "👩‍👩‍👧.md",
        " leading space.md",
        "trailing space .md",
        "-rf.md",
        "--help.md",
        "star*.md",
        "question?.md",
        "[bracket].md",
        "{brace}.md",
        "!bang.md",
        "#hash.md",
        "quote'\".md",
        "dollar$(id).md",
        "back`tick`.md",
        "per%2fcent.md",
        "per%00cent.md",
        "a:b.md",
        "C:.md",
        "..md.md",
        "semi;colon|pipe&and.md",
        "<tag>.md",
        "CON.md",
        "folder\nwith lines/page.md",
        "folder.md/page.md",
        &longest,
        &longest_letters,
    ];
    for name in names {
        if !name.starts_with('.') {
            tree.innocent(name);
        }
    }
    // Listed and found under exactly the path by which it can be read.
    let mut session = tree.docent();
    fs::remove_file(tree.root.join("..md.md")).ok();
    tree.assert_only_innocent_found(&mut session);
    for path in paths(
        &pages(&mut session, "search-documents", json!({ "query": WORD })),
        "results",
    ) {
        if is_drive(&path) {
            continue;
        }
        let text = call(&mut session, "read-document", json!({ "path": path })).unwrap();
        assert!(text["text"].as_str().unwrap().contains(WORD), "{path:?}");
        assert_eq!(text["path"], path, "{path:?}");
    }
}

/// Returns true if a name looks like a drive letter, which requests must not contain on any system.
fn is_drive(path: &str) -> bool {
    path.as_bytes().get(1) == Some(&b':')
}

#[test]
fn names_that_are_no_text_hide_nothing() {
    let mut tree = Tree::new();
    for index in 0..40 {
        tree.innocent(&format!("folder/page-{index:02}.md"));
        let name = [
            b"page-".as_slice(),
            &[b'0' + index % 10, 0xff, index + 1],
            b".md",
        ]
        .concat();
        fs::write(
            tree.root.join("folder").join(OsStr::from_bytes(&name)),
            WORD,
        )
        .unwrap();
    }
    let directory = tree.root.join(OsStr::from_bytes(b"dir-\xc3"));
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join("page.md"), WORD).unwrap();

    let mut session = tree.docent();
    tree.assert_only_innocent_found(&mut session);
    let answer = call(&mut session, "search-documents", json!({ "query": WORD })).unwrap();
    assert_eq!(answer["stats"]["skipped"]["count"], 41, "{answer}");
    let skipped = skipped(&mut session);
    assert!(
        skipped.iter().all(|(_, reason)| reason == "name-not-utf8"),
        "{skipped:?}"
    );
    assert!(
        skipped
            .iter()
            .all(|(path, _)| path == "." || path == "folder"),
        "{skipped:?}"
    );
}
