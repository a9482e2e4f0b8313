//! `docent query`, `docent summary` and `docent tags`.

use serde_json::Value;

use crate::program::{ran, tree};

fn notes() -> tempfile::TempDir {
    tree(&[
        (
            "notes/setup.md",
            "---\ntitle: Setting up\ntags: [rust, tools/wasm]\ncreated: 2025-03-01\n---\n\
             # Setting up\n\nThis guide is short.\n\n## Installation\n\n\
             Install it with the package manager.\n\n\
             ## Removal\n\nDelete the directory.\n",
        ),
        (
            "notes/projects/plan.md",
            "---\ntags: rust\n---\n# The plan\n\n\
             Write a guide. See [setup](../setup.md) and [gone](gone.md).\n",
        ),
        (
            "notes/steering.md",
            "# \u{1b}[31mRed\n\nharbour \u{1b}[2J\n",
        ),
    ])
}

fn lines(output: &str) -> Vec<Value> {
    output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_question_gets_its_sections() {
    let directory = notes();
    let (code, output, errors) = ran(directory.path(), &["query", "how to install?", "notes"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(
        output,
        "notes/setup.md:10  Setting up > Installation\n\
         ## Installation\n\nInstall it with the package manager.\n"
    );
    let (_, beside, _) = ran(
        directory.path(),
        &["query", "installation", "notes/setup.md"],
    );
    assert_eq!(beside, output, "one document answers as well");
}

#[test]
fn a_question_without_answer_is_no_error() {
    let directory = notes();
    for place in ["notes", "notes/setup.md"] {
        let (code, output, errors) = ran(directory.path(), &["query", "xyzzyqqq", place]);
        assert_eq!(
            (code, output.as_str(), errors.as_str()),
            (1, "", ""),
            "{place}"
        );
    }
    let (code, _, errors) = ran(directory.path(), &["query", "install", "gone", "notes"]);
    assert_eq!(code, 2);
    assert!(errors.contains("`gone` cannot be searched"), "{errors}");
    let (code, _, errors) = ran(directory.path(), &["query", "install", "-t", "5", "notes"]);
    assert_eq!(code, 2);
    assert!(errors.contains("--max-tokens"), "{errors}");
}

#[test]
fn a_question_can_be_answered_in_json() {
    let directory = notes();
    let (code, output, _) = ran(directory.path(), &["query", "--json", "install", "notes"]);
    let lines = lines(&output);
    assert_eq!((code, lines.len()), (0, 2));
    assert_eq!(lines[0]["type"], "section");
    assert_eq!(lines[0]["path"], "notes/setup.md");
    assert_eq!(lines[0]["firstLine"], 10);
    assert_eq!(lines[1]["type"], "summary");
    assert_eq!(lines[1]["tokensUsed"], lines[0]["tokens"]);
}

#[test]
fn documents_cannot_steer_the_terminal() {
    let directory = notes();
    for arguments in [
        ["query", "harbour", "notes"],
        ["query", "harbour", "notes/steering.md"],
        ["summary", "notes/steering.md", "notes/setup.md"],
        ["tags", "--content=harbour", "notes"],
    ] {
        let (code, output, _) = ran(directory.path(), &arguments);
        assert_eq!(code, 0, "{arguments:?}");
        assert!(!output.contains('\u{1b}'), "{arguments:?}: {output}");
    }
}

#[test]
fn a_summary_tells_what_a_document_is_about() {
    let directory = notes();
    let arguments = ["summary", "notes/projects/plan.md", "notes/setup.md"];
    let (code, output, errors) = ran(directory.path(), &arguments);
    assert_eq!((code, errors.as_str()), (0, ""));
    for part in [
        "The plan",
        "setup.md",
        "gone.md",
        "Setting up",
        "Installation",
    ] {
        assert!(output.contains(part), "{part}: {output}");
    }
    let (code, output, _) = ran(directory.path(), &["summary", "--json", "notes/setup.md"]);
    let lines = lines(&output);
    assert_eq!((code, lines.len()), (0, 1));
    assert_eq!(lines[0]["path"], "notes/setup.md");
    assert_eq!(lines[0]["toc"].as_array().map(Vec::len), Some(3));
    let (code, _, errors) = ran(directory.path(), &["summary", "notes"]);
    assert_eq!(code, 2);
    assert!(
        errors.contains("`notes` is a directory; expected documents"),
        "{errors}"
    );
}

#[test]
fn documents_are_found_by_what_they_say_of_themselves() {
    let directory = notes();
    for (arguments, expected) in [
        (
            &["tags", "rust", "notes"][..],
            &["notes/projects/plan.md", "notes/setup.md"][..],
        ),
        (&["tags", "#Rust,tools", "notes"], &["notes/setup.md"]),
        (
            &["tags", "--category", "projects", "notes"],
            &["notes/projects/plan.md"],
        ),
        (
            &["tags", "wasm", "--title", "plan", "--any", "notes"],
            &["notes/projects/plan.md"],
        ),
        (
            &[
                "tags",
                "rust",
                "--date",
                "created",
                "--from",
                "2025-03-01",
                "--to",
                "2025-03-01",
                "notes",
            ],
            &["notes/setup.md"],
        ),
        (
            &["tags", "-n1", "rust", "notes"],
            &["notes/projects/plan.md"],
        ),
        (&["tags", "python", "notes"], &[]),
    ] {
        let (code, output, _) = ran(directory.path(), arguments);
        assert_eq!(
            output.lines().collect::<Vec<_>>(),
            expected,
            "{arguments:?}"
        );
        assert_eq!(code, i32::from(expected.is_empty()), "{arguments:?}");
    }
    let (_, output, _) = ran(directory.path(), &["tags", "--json", "rust", "notes"]);
    let lines = lines(&output);
    assert_eq!(lines[0]["type"], "document");
    assert!(lines[0]["why"].is_array());
    assert_eq!(lines[2]["totalCount"], 2);
    let (code, _, errors) = ran(directory.path(), &["tags"]);
    assert_eq!(code, 2);
    assert!(errors.contains("nothing to look for"), "{errors}");
}
