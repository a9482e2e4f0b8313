//! Documents in binary formats, with the real program.

use std::collections::BTreeSet;

use docent_extract::fixtures::mail::{multipart, part};
use docent_extract::fixtures::{named, package};
use serde_json::Value;

use crate::program::{ran, tree};

const FILES: [&str; 3] = ["guide.docx", "manual.pdf", "sales.xlsx"];

fn documents() -> tempfile::TempDir {
    let directory = tree(&[("docs/notes.md", "# Notes\n\nNothing here.\n")]);
    for name in FILES {
        std::fs::write(directory.path().join("docs").join(name), named(name)).unwrap();
    }
    directory
}

#[test]
fn searched() {
    let directory = documents();
    let (code, output, errors) = ran(directory.path(), &["search", "설정", "docs"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    for name in FILES {
        assert!(output.contains(&format!("docs/{name}:")), "{output}");
    }
    assert!(!output.contains("notes.md"), "{output}");
}

#[test]
fn containers_are_searched_and_named_by_path() {
    // Two directories, between which the program shares the search of a root.
    let directory = tree(&[("docs/a/b.md", "kestrel\n"), ("docs/c/d.md", "nothing\n")]);
    let docs = directory.path().join("docs");
    let archive = package(&[
        ("guide/start.md", "# Start\n\nA kestrel.\n"),
        (".env", "kestrel"),
    ]);
    std::fs::write(docs.join("x.zip"), archive).unwrap();
    let bomb = "\0".repeat(65 << 20);
    std::fs::write(docs.join("bomb.zip"), package(&[("a.md", &bomb)])).unwrap();
    let parts = [
        part(&["Content-Type: text/plain"], "nothing"),
        part(
            &[
                "Content-Type: text/markdown",
                "Content-Disposition: attachment; filename=offer.md",
            ],
            "A kestrel.",
        ),
    ];
    let mail = multipart("mixed", &["From: a@b.kr", "Subject: Offer"], &parts);
    std::fs::write(docs.join("mail.eml"), mail).unwrap();
    let (code, output, _) = ran(directory.path(), &["search", "kestrel", "docs", "--json"]);
    let lines: Vec<Value> = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let found: BTreeSet<&str> = lines
        .iter()
        .filter_map(|line| line["path"].as_str())
        .collect();
    let expected = [
        "docs/a/b.md",
        "docs/mail.eml!/offer.md",
        "docs/x.zip!/guide/start.md",
    ];
    assert_eq!((code, found), (0, BTreeSet::from(expected)));
    let skipped = &lines.last().unwrap()["skipped"]["entries"];
    assert_eq!(skipped[0]["path"], "docs/bomb.zip!/a.md", "{skipped}");
    assert_eq!(skipped[0]["reason"], "too-large", "{skipped}");

    let show = |path: &str| ran(directory.path(), &["explore", path]);
    let (code, output, _) = show("docs/x.zip!/guide/start.md");
    assert!(code == 0 && output.contains("3\tA kestrel."), "{output}");
    let (_, output, _) = show("docs/x.zip!/.env");
    assert!(
        output.contains("sensitive") && !output.contains("kestrel"),
        "{output}"
    );
    let grep = ["grep", "kestrel", "docs/x.zip!"];
    let (_, output, _) = ran(directory.path(), &grep);
    assert_eq!(output, "docs/x.zip!/guide/start.md:3:A kestrel.\n");
}

#[test]
fn read() {
    let directory = documents();
    for (name, expected) in [
        ("guide.docx", "# 설정\n"),
        ("manual.pdf", "## 설정\n"),
        ("sales.xlsx", "| 1 | 설정 | 값 |\n| --- | --- | --- |\n"),
    ] {
        let path = format!("path={name}");
        let call = ["call", "read_document", &path, "--root", "docs", "--json"];
        let (code, output, errors) = ran(directory.path(), &call);
        assert_eq!((code, errors.as_str()), (0, ""), "{name}");
        let answer: Value = serde_json::from_str(&output).unwrap();
        let text = answer["text"].as_str().unwrap();
        assert!(text.contains(expected), "{name}: {text}");
        assert_eq!(answer["encoding"], name[name.len() - 4..].trim_matches('.'));
    }
}

#[test]
fn summarized_and_asked() {
    let directory = documents();
    for (name, title) in [
        ("guide.docx", "운영 안내서"),
        ("manual.pdf", "Manual"),
        ("sales.xlsx", "sales"),
    ] {
        let path = format!("docs/{name}");
        let (code, output, errors) = ran(directory.path(), &["summary", &path]);
        assert_eq!((code, errors.as_str()), (0, ""), "{name}");
        assert!(output.contains(title), "{name}: {output}");
        let (code, output, errors) = ran(directory.path(), &["query", "설정", &path]);
        assert_eq!((code, errors.as_str()), (0, ""), "{name}");
        assert!(output.contains("설정"), "{name}: {output}");
    }
    let (code, output, _) = ran(directory.path(), &["query", "설정", "docs"]);
    assert_eq!(code, 0);
    assert!(output.contains("docs/guide.docx"), "{output}");
}

#[test]
fn what_cannot_be_read_is_told() {
    let directory = documents();
    std::fs::write(
        directory.path().join("docs/torn.docx"),
        &named("guide.docx")[..500],
    )
    .unwrap();
    let (code, output, errors) = ran(directory.path(), &["search", "설정", "docs"]);
    assert_eq!(code, 0);
    assert_eq!(
        output.lines().filter(|line| line.contains("torn")).count(),
        0
    );
    assert!(errors.contains("docs/torn.docx (malformed)"), "{errors}");
}
