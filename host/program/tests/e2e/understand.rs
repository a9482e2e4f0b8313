//! `understand` through the real program: from the command line, and called by a client.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{Session, ran, tree};

fn notes() -> TempDir {
    tree(&[
        (
            "README.md",
            "# Notes\n\nWhat we know. [guide](docs/guide.md)\n",
        ),
        (
            "docs/guide.md",
            "# Guide\n\n## Set up\n\n[gone](gone.md) [site](https://example.org)\n",
        ),
        ("src/main.py", "from load import load_all\n\nload_all()\n"),
        ("src/load.py", "def load_all():\n    pass\n"),
    ])
}

#[test]
fn broken_links_end_with_one() {
    let directory = notes();
    let at = directory.path();
    let (code, out, err) = ran(at, &["links"]);
    assert_eq!(
        (code, out.as_str(), err.as_str()),
        (
            1,
            "README.md:3: docs/guide.md\n\
             docs/guide.md:5: gone.md (no such file)\n\
             docs/guide.md:5: https://example.org\n",
            ""
        )
    );
    let (code, out, _) = ran(at, &["links", "--broken"]);
    assert_eq!(
        (code, out.as_str()),
        (1, "docs/guide.md:5: gone.md (no such file)\n")
    );
    let (code, out, _) = ran(at, &["links", "-x"]);
    assert_eq!(
        (code, out.as_str()),
        (1, "docs/guide.md:5: https://example.org\n")
    );
    fs::write(at.join("docs/gone.md"), "# There\n").unwrap();
    assert_eq!(
        ran(at, &["links", "--broken"]),
        (0, String::new(), String::new())
    );
    let (code, out, _) = ran(at, &["links", "--json", "docs"]);
    let lines: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((code, lines.len()), (0, 3));
    assert_eq!(
        lines[2],
        json!({"type": "summary", "links": 2, "broken": 0, "several": 0, "unknown": 0})
    );
    let gone = lines.iter().find(|line| line["text"] == "gone.md").unwrap();
    assert_eq!(
        (&gone["to"], &gone["end"]),
        (&json!("docs/gone.md"), &json!("there"))
    );
    assert_eq!(ran(at, &["links", "none"]).0, 2);
}

#[test]
fn what_leads_to_a_file_stands_anywhere() {
    let directory = notes();
    fs::create_dir(directory.path().join(".git")).unwrap();
    // Paths are relative to the current directory, here below the top of the repository.
    let (code, out, err) = ran(&directory.path().join("docs"), &["understand", "guide.md"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("README.md:3: docs/guide.md"), "{out}");
    assert!(
        out.contains("- guide.md:5: gone.md (no such file)"),
        "{out}"
    );
    let (code, out, _) = ran(directory.path(), &["understand", "-s", "load_all"]);
    assert_eq!(code, 0);
    for place in [
        "src/load.py:1-2 `def load_all()`",
        "src/main.py:1:",
        "src/main.py:3:",
    ] {
        assert!(out.contains(place), "{place}: {out}");
    }
    let (code, out, _) = ran(directory.path(), &["understand", "-s", "load_al"]);
    assert_eq!(code, 1);
    assert!(out.contains("nearest: `load_all`"), "{out}");
    let (code, out, _) = ran(directory.path(), &["understand"]);
    assert_eq!(code, 0);
    assert!(out.contains("- README.md: What we know."), "{out}");
}

#[test]
fn a_client_goes_on_where_an_answer_ends() {
    let directory = notes();
    for number in 0..100 {
        let text = format!("# Note {number}\n\nIt is about subject {number}, and nothing else.\n");
        fs::write(directory.path().join(format!("{number:02}.md")), text).unwrap();
    }
    let root = format!("docs={}", directory.path().display());
    let mut session = Session::initialized("2025-11-25", &["--root", &root]);
    let arguments = json!({"aspects": ["summary"], "limits": {"maxChars": 1000}});
    let first = session.text("understand", arguments.clone());
    let call = first.lines().last().unwrap();
    let cursor = call
        .split("\"cursor\"")
        .nth(1)
        .and_then(|rest| rest.split('"').nth(1));
    let mut arguments = arguments;
    arguments["cursor"] = json!(cursor.unwrap_or_else(|| panic!("{first}")));
    let second = session.text("understand", arguments);
    assert!(
        first.contains("Note 0:") && !second.contains("Note 0:"),
        "{second}"
    );
    assert!(second.contains("Note "), "{second}");
}
