//! Histories of the commands that write: their locations, and undo.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::editing::Desk;

/// Runs git in `directory` with this text on stdin.
#[track_caller]
fn git(directory: &Path, arguments: &[&str], input: &str) {
    let mut child = Command::new("git")
        .current_dir(directory)
        .env("HOME", directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success(), "git {arguments:?}");
}

#[test]
fn where_it_was_written_from_it_is_taken_back() {
    let desk = Desk::new(&[("notes/a.md", "one\n"), ("notes/b/c.md", "one\n")]);
    let edit = |directory: &str, file: &str| {
        let words = ["edit", file, "--old", "one", "--new", "two", "--apply"];
        desk.done(directory, &words).1
    };
    edit("", "notes/a.md");
    let (output, _) = desk.done("", &["history"]);
    assert!(output.contains("changed notes/a.md"), "{output}");
    desk.done("", &["undo"]);
    assert_eq!(desk.text("notes/a.md"), "one\n");
    // From another directory, the suggested undo command names the root.
    let told = edit("notes", "../notes/b/c.md");
    assert!(told.contains("`docent undo 1` undoes"), "{told}");
    let told = edit("notes/b", "../a.md");
    let root = desk.path("notes").canonicalize().unwrap();
    let command = format!("`docent undo 2 --root {}`", root.display());
    assert!(told.contains(&command), "{told}");
    desk.done("", &["undo", "--root", "notes", "2"]);
    assert_eq!(desk.text("notes/a.md"), "one\n");
}

#[test]
fn a_repository_has_one_history() {
    let desk = Desk::new(&[("notes/a.md", "one\n"), ("b.md", "one\n")]);
    git(&desk.path(""), &["init", "-q"], "");
    let edit = ["edit", "a.md", "--old", "one", "--new", "two"];
    let (diff, _) = desk.done("notes", &edit);
    git(&desk.path("notes"), &["apply"], &diff);
    assert_eq!(desk.text("notes/a.md"), "two\n");
    git(&desk.path("notes"), &["apply", "-R"], &diff);
    desk.done("notes", &[&edit[..], &["--apply"]].concat());
    assert_eq!(desk.text("notes/a.md"), "two\n");
    let (output, _) = desk.done("", &["history", "notes/a.md"]);
    assert!(output.contains("changed notes/a.md"), "{output}");
    desk.done("", &["undo"]);
    assert_eq!(desk.text("notes/a.md"), "one\n");
    // From the top, as with git.
    let (code, output, errors) = desk.fed("notes", &["apply", "-", "--apply"], &diff);
    assert_eq!(code, 0, "{output}{errors}");
    assert_eq!(desk.text("notes/a.md"), "two\n");
}

#[test]
fn a_long_history_comes_in_one_piece() {
    let desk = Desk::new(&[("a.md", "0\n")]);
    for number in 0..3 {
        let (old, new) = (number.to_string(), (number + 1).to_string());
        desk.done(
            "",
            &["edit", "a.md", "--old", &old, "--new", &new, "--apply"],
        );
    }
    let (output, errors) = desk.done("", &["history", "-n", "2"]);
    assert_eq!(output.lines().count(), 4, "{output}");
    assert_eq!(errors, "docent: only the newest 2 are shown, see --limit\n");
    let (output, errors) = desk.done("", &["history"]);
    assert_eq!(
        (output.lines().count(), errors.as_str()),
        (6, ""),
        "{output}"
    );
    let (code, output, _) = desk.run("", &["history", "b.md"]);
    assert_eq!((code, output.as_str()), (1, ""));
}

#[test]
fn without_a_state_nothing_is_kept_and_that_is_told() {
    let desk = Desk::new(&[("a.md", "one\n")]);
    let edit = [
        "edit",
        "a.md",
        "--old",
        "one",
        "--new",
        "two",
        "--apply",
        "--no-state",
    ];
    let (_, errors) = desk.done("", &edit);
    assert_eq!(
        errors,
        "docent: written; it cannot be undone, because no copy is kept\n"
    );
    let (code, _, errors) = desk.run("", &["undo", "--no-state"]);
    assert_eq!(code, 2);
    assert!(errors.contains("Leave --no-state out"), "{errors}");
    // The state directory would be visible through the root.
    let inside = ["undo", "--state", "kept"];
    let (code, _, errors) = desk.run("", &inside);
    assert_eq!(code, 2);
    assert!(errors.contains("--state DIR"), "{errors}");
    assert!(!desk.path("kept").exists());
}

#[test]
fn a_file_that_changed_since_is_not_taken_back() {
    let desk = Desk::new(&[("a.md", "one\n")]);
    desk.done(
        "",
        &["edit", "a.md", "--old", "one", "--new", "two", "--apply"],
    );
    fs::write(desk.path("a.md"), "three\n").unwrap();
    let (code, _, errors) = desk.run("", &["undo"]);
    assert_eq!(code, 2);
    assert!(
        errors.starts_with("docent: [conflict] `a.md` is "),
        "{errors}"
    );
    assert_eq!(desk.text("a.md"), "three\n");
}

#[test]
fn at_home_each_directory_has_a_history() {
    let desk = Desk::new(&[("notes/a.md", "one\n")]);
    let state = ["--state", ".local/state/docent"];
    let edit = [
        "edit",
        "notes/a.md",
        "--old",
        "one",
        "--new",
        "two",
        "--apply",
    ];
    let (_, errors) = desk.done("", &[&edit[..], &state].concat());
    let root = desk.path("notes").canonicalize().unwrap();
    let command = format!("`docent undo 1 --root {}` undoes", root.display());
    assert!(errors.contains(&command), "{errors}");
    desk.done("", &[&["undo", "notes/a.md"][..], &state].concat());
    assert_eq!(desk.text("notes/a.md"), "one\n");
}
