//! Local paths in arguments: accepted inside a granted directory, refused elsewhere, and never
//! created below a root by mistake.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{Session, docent, tree};

/// Creates `notes`, which may be written, and `docs`, beside a file that is not granted.
fn home() -> TempDir {
    tree(&[
        ("notes/todo.md", "# Todo\n\nWrite the report.\n"),
        ("docs/guide/setup.md", "# Setup\n\nInstall it.\n"),
        ("outside.md", "canary\n"),
    ])
}

/// Starts `docent mcp` with both directories, for a person whose home is `directory`.
fn session(directory: &Path) -> Session {
    let mut command = docent();
    command
        .env("HOME", directory)
        .args(["mcp", "--tools", "all", "--structured", "--no-state"])
        .arg("--root")
        .arg(format!("{}:rw", directory.join("notes").display()))
        .arg("--root")
        .arg(directory.join("docs"));
    let mut session = Session::spawn(command);
    session.initialize("2025-11-25");
    session
}

fn read(session: &mut Session, path: &str) -> Value {
    session.call("read_document", json!({"path": path}))
}

#[test]
fn an_absolute_path_in_a_root_is_that_root_and_the_rest() {
    let directory = home();
    let mut session = session(directory.path());
    let at = directory.path().display();
    for (path, root, expected) in [
        (format!("{at}/notes/todo.md"), "notes", "todo.md"),
        (
            format!("{at}/docs/guide/setup.md"),
            "docs",
            "guide/setup.md",
        ),
        (
            format!("{at}/docs/./guide/../guide/setup.md:1"),
            "docs",
            "guide/setup.md",
        ),
        (
            format!("file://{at}/docs/guide/setup.md"),
            "docs",
            "guide/setup.md",
        ),
        ("~/notes/todo.md".to_owned(), "notes", "todo.md"),
        (
            "docent://docs/guide/setup.md".to_owned(),
            "docs",
            "guide/setup.md",
        ),
        ("docs/guide/setup.md".to_owned(), "docs", "guide/setup.md"),
        ("/todo.md".to_owned(), "notes", "todo.md"),
    ] {
        let result = read(&mut session, &path);
        let answer = &result["structuredContent"];
        assert_eq!(
            (&answer["root"], &answer["path"]),
            (&json!(root), &json!(expected)),
            "{path}: {result}"
        );
    }
    let found = session.call(
        "explore",
        json!({"query": "install", "paths": [format!("{at}/docs")]}),
    );
    let found = &found["structuredContent"];
    assert_eq!(found["root"], "docs", "{found}");
    assert_eq!(found["data"]["docs"][0]["filePath"], "guide/setup.md");
    let files = session.call("find_files", json!({"path": format!("{at}/docs/guide")}));
    let files = &files["structuredContent"]["matches"];
    assert_eq!(files[0]["path"], "guide/setup.md", "{files}");
}

#[test]
fn a_path_outside_is_refused_and_nothing_is_made() {
    let directory = home();
    let mut session = session(directory.path());
    let at = directory.path().display();
    for path in [
        format!("{at}/outside.md"),
        format!("{at}/notes/../outside.md"),
        format!("{at}/notes2/a.md"),
        format!("file://{at}/outside.md"),
        "~/outside.md".to_owned(),
        "/etc/passwd".to_owned(),
    ] {
        for (tool, arguments) in [
            ("read_document", json!({"path": path})),
            ("explore", json!({"paths": [path]})),
            ("search_documents", json!({"query": "canary", "path": path})),
            ("understand", json!({"paths": [path]})),
            ("find_files", json!({"path": path})),
            ("write", json!({"path": path, "content": "x"})),
            ("create_document", json!({"path": path, "content": "x"})),
            ("delete_document", json!({"path": path})),
            (
                "change",
                json!({"edits": [{"path": path, "insert": "x", "at": "end"}]}),
            ),
            (
                "change",
                json!({"edits": [{"path": "todo.md", "move": path}], "dryRun": false}),
            ),
        ] {
            let refusal = session.call(tool, arguments);
            assert_eq!(refusal["isError"], true, "{tool} {path}: {refusal}");
            let text = refusal["content"][0]["text"].as_str().unwrap();
            assert!(text.contains("invalid-path"), "{tool} {path}: {text}");
            assert!(!text.contains("canary"), "{tool} {path}: {text}");
        }
    }
    let left: Vec<_> = fs::read_dir(directory.path().join("notes"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["todo.md"]);
}

#[test]
fn what_is_written_by_an_absolute_path_lands_in_its_root() {
    let directory = home();
    let mut session = session(directory.path());
    let new = directory.path().join("notes/plans/new.md");
    let written = session.call("write", json!({"file_path": new, "text": "# New\n"}));
    let file = &written["structuredContent"]["file"];
    assert_eq!(file["path"], "plans/new.md", "{written}");
    assert_eq!(fs::read_to_string(&new).unwrap(), "# New\n");
    let edit = json!({
        "edits": [{"file_path": new, "old_string": "New", "new_string": "Old"}],
        "dryRun": "false",
    });
    let changed = session.call("change", edit);
    assert_eq!(changed["structuredContent"]["applied"], true, "{changed}");
    assert_eq!(fs::read_to_string(&new).unwrap(), "# Old\n");
    // By the root's name, if no directory has that name.
    let written = session.call("write", json!({"path": "notes/b.md", "content": ""}));
    let file = &written["structuredContent"]["file"];
    assert_eq!(file["path"], "b.md", "{written}");
    assert!(directory.path().join("notes/b.md").exists());
}

/// A root that is granted through a link is also accessible by the path with the link.
#[cfg(unix)]
#[test]
fn a_root_is_known_by_the_path_that_was_granted() {
    let directory = home();
    let link = directory.path().join("shortcut");
    std::os::unix::fs::symlink(directory.path().join("notes"), &link).unwrap();
    let mut command = docent();
    command
        .args(["mcp", "--tools", "all", "--structured", "--root"])
        .arg(&link);
    let mut session = Session::spawn(command);
    session.initialize("2025-11-25");
    for base in [link, directory.path().join("notes").canonicalize().unwrap()] {
        let path = base.join("todo.md").display().to_string();
        let result = read(&mut session, &path);
        assert_eq!(result["structuredContent"]["path"], "todo.md", "{result}");
    }
}
