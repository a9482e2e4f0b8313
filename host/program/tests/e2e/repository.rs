//! Directories in a git repository, and names that a file system stores in another normal form.

use std::fs;

use serde_json::json;

use crate::editing::Desk;
use crate::program::{Session, ran, tree};

#[test]
fn rules_above_a_directory_hold_in_it() {
    let repository = tree(&[
        (".git/info/exclude", "mine.md\n"),
        (".gitignore", "made/\n/web/pages/draft.md\n*.tmp.md\n"),
        ("web/.ignore", "pages/old.md\n"),
        ("web/pages/a.md", "word\n"),
        ("web/pages/b.tmp.md", "word\n"),
        ("web/pages/kept/c.tmp.md", "word\n"),
        ("web/pages/kept/.gitignore", "!c.tmp.md\n"),
        ("web/pages/draft.md", "word\n"),
        ("web/pages/old.md", "word\n"),
        ("web/pages/mine.md", "word\n"),
        ("web/pages/made/d.md", "word\n"),
        ("made/e.md", "word\n"),
    ]);
    let top = repository.path();
    for (arguments, expected) in [
        (
            ["search", "-l", "word", "web/pages"],
            "web/pages/a.md\nweb/pages/kept/c.tmp.md\n",
        ),
        (
            ["search", "-l", "word", "."],
            "web/pages/a.md\nweb/pages/kept/c.tmp.md\n",
        ),
        // A path named explicitly is searched, even if an ignore file above excludes it.
        (
            ["search", "-l", "word", "web/pages/made"],
            "web/pages/made/d.md\n",
        ),
        (
            ["find", "--color=never", "*.md", "web/pages"],
            "web/pages/a.md\nweb/pages/kept/c.tmp.md\n",
        ),
    ] {
        let (_, output, errors) = ran(top, &arguments);
        let mut lines: Vec<&str> = output.lines().collect();
        lines.sort_unstable();
        let expected: Vec<&str> = expected.lines().collect();
        assert_eq!(lines, expected, "{arguments:?}: {errors}");
    }
    let root = top.join("web/pages");
    let mut session = Session::initialized("2025-06-18", &["--root", root.to_str().unwrap()]);
    let text = session.text("search_documents", json!({"query": "word"}));
    assert!(
        text.contains("a.md") && !text.contains("draft.md"),
        "{text}"
    );
    // Without a repository, the search for ignore files has no upper end.
    fs::remove_dir_all(top.join(".git")).unwrap();
    let (_, output, _) = ran(top, &["search", "-l", "word", "web/pages"]);
    assert_eq!(output.lines().count(), 7, "{output}");
}

#[test]
fn names_are_taken_in_every_normal_form() {
    let (typed, stored) = (
        "caf\u{E9} \u{D55C}.md",
        "cafe\u{301} \u{1112}\u{1161}\u{11AB}.md",
    );
    let link = format!("[x](<{typed}>) and [[caf\u{E9} \u{D55C}]]\n");
    let desk = Desk::new(&[(stored, "# One\n\nold text\n"), ("b.md", &link)]);
    desk.done(
        ".",
        &["edit", typed, "--old", "old", "--new", "new", "--apply"],
    );
    assert_eq!(desk.text(stored), "# One\n\nnew text\n");
    assert!(
        !desk.path(typed).exists()
            || desk.path(typed).canonicalize().unwrap()
                == desk.path(stored).canonicalize().unwrap()
    );
    let (code, output, errors) = desk.run(".", &["links", "--broken"]);
    assert_eq!((code, output.as_str()), (0, ""), "{errors}");
    desk.done(".", &["mv", typed, "moved.md", "--apply"]);
    let text = desk.text("b.md");
    assert_eq!(text, "[x](<moved.md>) and [[moved]]\n");
}
