//! The commands that write: their output, their changes, and their refusals.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{docent, tree};

/// A directory to write in, and one beside it for the data that undo needs.
pub struct Desk {
    pub temporary: TempDir,
}

impl Desk {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let files: Vec<_> = files
            .iter()
            .map(|(path, text)| (format!("w/{path}"), *text))
            .collect();
        let files: Vec<_> = files
            .iter()
            .map(|(path, text)| (path.as_str(), *text))
            .collect();
        Self {
            temporary: tree(&files),
        }
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.temporary.path().join("w").join(path)
    }

    pub fn text(&self, path: &str) -> String {
        String::from_utf8(fs::read(self.path(path)).unwrap()).unwrap()
    }

    /// Runs the program with this text on stdin, and returns its exit code, stdout and stderr.
    pub fn fed(&self, directory: &str, arguments: &[&str], input: &str) -> (i32, String, String) {
        let mut child = docent()
            .current_dir(self.path(directory))
            .env("XDG_STATE_HOME", self.temporary.path().join("state"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that refuses its arguments does not read stdin.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let code = output.status.code().unwrap();
        (code, text(output.stdout), text(output.stderr))
    }

    pub fn run(&self, directory: &str, arguments: &[&str]) -> (i32, String, String) {
        self.fed(directory, arguments, "")
    }

    /// Runs the program, which must succeed, and returns stdout and stderr.
    #[track_caller]
    pub fn done(&self, directory: &str, arguments: &[&str]) -> (String, String) {
        let (code, output, errors) = self.run(directory, arguments);
        assert_eq!(code, 0, "{arguments:?}: {output}{errors}");
        (output, errors)
    }
}

const DIFF: &str = "diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n@@ -1,3 +1,3 @@\n # A\n \n\
                    -old text\n+new text\n";

#[test]
fn an_edit_is_shown_then_written_then_taken_back() {
    let desk = Desk::new(&[("notes/a.md", "# A\n\nold text\n")]);
    let edit = ["edit", "a.md", "--old", "old", "--new", "new"];
    let (output, errors) = desk.done("notes", &edit);
    assert_eq!(output, DIFF);
    let told = "docent: dry run, nothing is written: add --apply to write it\n";
    assert_eq!(errors, told);
    assert_eq!(desk.text("notes/a.md"), "# A\n\nold text\n");

    let apply = [&edit[..], &["--apply", "--note", "better"]].concat();
    let (output, errors) = desk.done("notes", &apply);
    assert_eq!(output, DIFF);
    assert_eq!(errors, "docent: written; `docent undo 1` undoes it\n");
    assert_eq!(desk.text("notes/a.md"), "# A\n\nnew text\n");

    let (output, _) = desk.done("notes", &["history"]);
    assert!(output.starts_with("1  20"), "{output}");
    let told = "  change: better\n    changed a.md  +1 -1\n";
    assert!(output.ends_with(told), "{output}");

    let (output, errors) = desk.done("notes", &["undo"]);
    let told = "change 1 is undone; `docent redo 2` brings it back\n    changed a.md  +1 -1\n";
    assert_eq!((output.as_str(), errors.as_str()), (told, ""));
    assert_eq!(desk.text("notes/a.md"), "# A\n\nold text\n");
    desk.done("notes", &["redo", "2"]);
    assert_eq!(desk.text("notes/a.md"), "# A\n\nnew text\n");
    desk.done("notes", &["undo", "a.md"]);
    assert_eq!(desk.text("notes/a.md"), "# A\n\nold text\n");

    let left: Vec<_> = fs::read_dir(desk.path("notes")).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing stays beside it: {left:?}");
}

#[test]
fn bytes_come_back_as_they_were() {
    let text = "\u{feff}# A\r\n\r\nold text\r\nlast";
    let desk = Desk::new(&[("a.md", text)]);
    let edit = [
        "edit", "a.md", "--old", "A\n\nold", "--new", "B\n\nnew", "--apply",
    ];
    let (output, errors) = desk.done("", &edit);
    assert!(output.contains("-old text\r\n+new text\r\n"), "{output:?}");
    let told = "docent: `a.md` has the text, ignoring line endings\n";
    assert!(errors.starts_with(told), "{errors}");
    assert_eq!(desk.text("a.md"), "\u{feff}# B\r\n\r\nnew text\r\nlast");
    desk.done("", &["undo"]);
    assert_eq!(desk.text("a.md"), text);
}

#[test]
fn every_form_of_edit() {
    let desk = Desk::new(&[
        ("a.md", "# A\n\none\n\n## B\n\none\n"),
        ("new.txt", "- two\n"),
    ]);
    let edit = |words: &[&str], input: &str, expected: &str| {
        let line = [&["edit", "a.md", "--apply"], words].concat();
        let (code, output, errors) = desk.fed("", &line, input);
        assert_eq!(code, 0, "{words:?}: {output}{errors}");
        assert_eq!(desk.text("a.md"), expected, "{words:?}");
        desk.done("", &["undo"]);
    };
    let within = ["--old", "one", "--new", "- x", "--within", "B"];
    edit(&within, "", "# A\n\none\n\n## B\n\n- x\n");
    let all = ["--old", "one", "--new-file", "-", "--occurrence", "all"];
    edit(&all, "1", "# A\n\n1\n\n## B\n\n1\n");
    let near = ["--old", "one", "--new", "", "--line", "6"];
    edit(&near, "", "# A\n\none\n\n## B\n\n\n");
    let append = [
        "--section",
        "B",
        "--op",
        "append",
        "--content-file",
        "new.txt",
    ];
    edit(&append, "", "# A\n\none\n\n## B\n\none\n\n- two\n");
    let rename = ["--section", "A > B", "--op", "rename", "--content", "C"];
    edit(&rename, "", "# A\n\none\n\n## C\n\none\n");
    let insert = ["--insert", "two\n", "--at", "end"];
    edit(&insert, "", "# A\n\none\n\n## B\n\none\ntwo\n");

    // The hash proves that the line numbers are current.
    let stale = [
        "edit",
        "a.md",
        "--lines",
        "3",
        "--new",
        "x",
        "--hash",
        "000000000000",
    ];
    let (code, _, errors) = desk.run("", &stale);
    assert_eq!(code, 2);
    assert!(
        errors.starts_with("docent: [conflict] a.md: `--hash` is"),
        "{errors}"
    );
    let (_, json, _) = desk.run("", &["edit", "a.md", "--old", "A", "--new", "Z", "--json"]);
    let file: Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    let hash = file["oldHash"].as_str().unwrap();
    edit(
        &["--lines", "3", "--new", "x", "--hash", hash],
        "",
        "# A\n\nx\n\n## B\n\none\n",
    );
}

#[test]
fn what_is_not_certain_is_refused_with_the_places() {
    let desk = Desk::new(&[("a.md", "# A\n\none\n\n# B\n\none\n")]);
    let edit = |words: &[&str]| {
        let line = [&["edit", "a.md", "--apply"], words].concat();
        let (code, output, errors) = desk.run("", &line);
        assert_eq!((code, output.as_str()), (2, ""), "{words:?}");
        errors
    };
    let errors = edit(&["--old", "one", "--new", "1"]);
    let expected = "docent: [edit-ambiguous] a.md: the text is at 2 places:\nline 3 (§ A)";
    assert!(errors.starts_with(expected), "{errors}");
    assert!(errors.contains("\nline 7 (§ B)"), "{errors}");
    assert!(errors.contains("Nothing was written."), "{errors}");
    assert!(errors.contains("`--occurrence`"), "{errors}");
    let errors = edit(&["--old", "One", "--new", "1"]);
    assert!(
        errors.starts_with("docent: [edit-not-found] a.md: "),
        "{errors}"
    );
    let errors = edit(&["--new", "1"]);
    assert!(
        errors.contains("expected one of `--old`, `--insert`, `--section`, `--lines`"),
        "{errors}"
    );
    let errors = edit(&["--old", "one"]);
    assert!(errors.contains("`--old` needs `--new`"), "{errors}");
    assert_eq!(desk.text("a.md"), "# A\n\none\n\n# B\n\none\n");

    let (code, _, errors) = desk.run(
        "",
        &[
            "edit", "a.md", "--old", "one", "--new", "one", "--line", "3",
        ],
    );
    assert_eq!(code, 1, "{errors}");
    assert!(errors.contains("change nothing"), "{errors}");
    for (file, told) in [
        ("missing.md", "docent: `missing.md` cannot be opened: "),
        (".", "docent: `.` is a directory; expected a file\n"),
    ] {
        let (code, _, errors) = desk.run("", &["edit", file, "--old", "a", "--new", "b"]);
        assert_eq!(code, 2);
        assert!(errors.starts_with(told), "{errors}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_nobody_may_write_is_left_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let desk = Desk::new(&[("a.md", "one\n")]);
    let set = |mode| {
        fs::set_permissions(desk.path("a.md"), fs::Permissions::from_mode(mode)).unwrap();
    };
    set(0o444);
    let edit = ["edit", "a.md", "--old", "one", "--new", "two", "--apply"];
    let (code, _, errors) = desk.run("", &edit);
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains("may not be written to"), "{errors}");
    assert_eq!(desk.text("a.md"), "one\n");
    set(0o644);
    desk.done("", &edit);
    assert_eq!(desk.text("a.md"), "two\n");
}

#[test]
fn a_file_is_made_replaced_and_moved() {
    let desk = Desk::new(&[("a.md", "one\n"), ("c.md", "[a](a.md)\n")]);
    let write = ["write", "new/b.md"];
    let (code, output, _) = desk.fed("", &write, "- b\n");
    assert_eq!(code, 0);
    assert!(output.contains("new file mode 100644\n"), "{output}");
    assert!(!desk.path("new").exists(), "a dry run makes no directory");
    let (code, _, errors) = desk.fed("", &[&write[..], &["--apply"]].concat(), "- b\n");
    assert_eq!(code, 0, "{errors}");
    assert_eq!(desk.text("new/b.md"), "- b\n");

    let replace = ["write", "a.md", "--content", "- two\n", "--apply"];
    let (code, _, errors) = desk.run("", &replace);
    assert_eq!(code, 2);
    assert!(errors.contains("add --overwrite to replace it"), "{errors}");
    assert_eq!(desk.text("a.md"), "one\n");
    desk.done("", &[&replace[..], &["--overwrite"]].concat());
    assert_eq!(desk.text("a.md"), "- two\n");

    let (output, errors) = desk.done("", &["mv", "a.md", "new"]);
    assert!(
        output.contains("rename from a.md\nrename to new/a.md\n"),
        "{output}"
    );
    assert!(output.contains("\n+[a](new/a.md)\n"), "{output}");
    assert!(errors.starts_with("docent: dry run"), "{errors}");
    assert!(desk.path("a.md").exists());
    desk.done("", &["mv", "a.md", "new", "--apply"]);
    assert_eq!(desk.text("new/a.md"), "- two\n");
    assert_eq!(desk.text("c.md"), "[a](new/a.md)\n");
    assert!(!desk.path("a.md").exists());
    let (code, _, errors) = desk.run("", &["mv", "new/a.md", "missing/"]);
    assert_eq!(code, 2);
    assert!(
        errors.contains("`missing/` is not an existing directory"),
        "{errors}"
    );
    let (code, _, errors) = desk.run("", &["mv", "new/a.md", "new/b.md", "--apply"]);
    assert_eq!(code, 2);
    assert!(errors.contains("new/b.md` already exists"), "{errors}");

    // Also by its old name.
    for _ in 0..2 {
        desk.done("", &["undo", "a.md"]);
    }
    assert_eq!(desk.text("a.md"), "one\n");
    assert_eq!(desk.text("c.md"), "[a](a.md)\n");
    desk.done("", &["undo", "new/b.md"]);
    assert!(!desk.path("new").exists(), "its directory goes with it");
    let (code, _, errors) = desk.run("", &["undo"]);
    assert_eq!(code, 2);
    assert!(errors.contains("`docent history` lists"), "{errors}");
}

#[test]
fn a_file_is_made_from_a_template() {
    let desk = Desk::new(&[(".docent/templates/t.md", "# {{ title }}\n")]);
    let write = ["write", "a.md", "--template", "t", "--apply"];
    let (code, _, errors) = desk.run("", &write);
    assert_eq!(code, 2);
    assert!(errors.contains("`--set` lacks `title`"), "{errors}");
    desk.done("", &[&write[..], &["--set", "title=A = B"]].concat());
    assert_eq!(desk.text("a.md"), "# A = B\n");
}

#[test]
fn a_program_gets_an_object_a_line() {
    let desk = Desk::new(&[("notes/a.md", "one\n")]);
    let lines = |words: &[&str]| -> Vec<Value> {
        let (output, errors) = desk.done("", &[words, &["--json"]].concat());
        assert_eq!(errors, "");
        let lines = output.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let edit = ["edit", "notes/a.md", "--old", "one", "--new", "two"];
    let shown = lines(&edit);
    assert_eq!(shown[0]["type"], "file");
    assert_eq!(shown[0]["path"], "notes/a.md");
    assert_eq!(shown[0]["applied"], false);
    assert!(shown[0]["diff"].as_str().unwrap().contains("+two\n"));
    assert_eq!(shown[1]["type"], "summary");
    assert_eq!(shown[1]["applied"], false);
    let written = lines(&[&edit[..], &["--apply"]].concat());
    assert_eq!(written[1]["undoId"], "1");
    let undone = lines(&["undo"]);
    assert_eq!(
        (&undone[0]["id"], &undone[0]["reverses"]),
        (&"2".into(), &"1".into())
    );
    let history = lines(&["history", "-n", "1"]);
    assert_eq!(history[0]["type"], "change");
    assert_eq!(history[0]["files"][0]["path"], "notes/a.md");
    assert_eq!(history[1]["hasMore"], true);
}

#[cfg(unix)]
#[test]
fn a_directory_for_reading_only_is_told_as_such() {
    use std::os::unix::fs::PermissionsExt as _;

    let desk = Desk::new(&[("r/a.md", "one\n")]);
    let set = |mode| {
        let rights = fs::Permissions::from_mode(mode);
        fs::set_permissions(desk.path("r"), rights).unwrap();
    };
    set(0o555);
    // The superuser can write nevertheless.
    let is_writable = fs::write(desk.path("r/probe"), "").is_ok();
    let edit = ["edit", "r/a.md", "--old", "one", "--new", "two", "--apply"];
    let (code, _, errors) = desk.run("", &edit);
    set(0o755);
    if is_writable {
        assert_eq!(
            (code, desk.text("r/a.md").as_str()),
            (0, "two\n"),
            "{errors}"
        );
        return;
    }
    assert_eq!(code, 2);
    assert!(errors.contains("r/a.md` cannot be written"), "{errors}");
    assert_eq!(desk.text("r/a.md"), "one\n");
}

#[cfg(unix)]
#[test]
fn names_cannot_steer_a_terminal() {
    let name = "a\u{1b}[2J\u{202e}.md";
    let desk = Desk::new(&[(name, "one\u{1b}\n")]);
    let edit = ["edit", name, "--old", "one", "--new", "two"];
    let (_, errors) = desk.done("", &[&edit[..], &["--apply"]].concat());
    assert!(!errors.contains('\u{1b}'), "{errors:?}");
    for words in [
        &["history"][..],
        &["undo", name],
        &["history", "--color", "always"],
    ] {
        let (output, errors) = desk.done("", words);
        let plain = output.replace("\u{1b}[0m", "").replace("\u{1b}[35m", "");
        let plain = plain.replace("\u{1b}[1m", "").replace("\u{1b}[2m", "");
        assert!(
            !plain.contains(['\u{1b}', '\u{202e}']),
            "{words:?}: {output:?}"
        );
        assert!(!errors.contains('\u{1b}'), "{errors:?}");
        assert!(output.contains("a\\u{1b}[2J\\u{202e}.md"), "{output:?}");
    }
    let (code, _, errors) = desk.run("", &["edit", "\u{1b}[2J", "--old", "a", "--new", "b"]);
    assert_eq!(code, 2);
    assert!(!errors.contains('\u{1b}'), "{errors:?}");
    let (output, _) = desk.done("", &edit);
    let names = output.lines().take(3).collect::<String>();
    assert!(!names.contains('\u{1b}'), "{output:?}");
    assert!(
        output.contains("-one\u{1b}\n"),
        "a pipe gets the text as it is: {output:?}"
    );
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_to_be_edited_and_not_moved() {
    let desk = Desk::new(&[("a.md", "one\n")]);
    std::os::unix::fs::symlink("a.md", desk.path("link.md")).unwrap();
    desk.done(
        "",
        &["edit", "link.md", "--old", "one", "--new", "two", "--apply"],
    );
    assert_eq!(desk.text("a.md"), "two\n");
    assert!(desk.path("link.md").is_symlink());
    let (code, _, _) = desk.run("", &["mv", "link.md", "b.md", "--apply"]);
    assert_eq!(code, 2);
    assert!(desk.path("link.md").is_symlink() && desk.path("a.md").exists());
}

#[test]
fn a_difference_that_is_cut_is_no_success() {
    let long = |sign: &str| {
        (1..20_000)
            .map(|n| format!("{n}{sign}\n"))
            .collect::<String>()
    };
    let desk = Desk::new(&[("a.md", &long("")), ("new", &long("x"))]);
    let write = ["write", "a.md", "--from", "new", "--overwrite"];
    let (code, _, errors) = desk.run("", &write);
    assert_eq!(code, 2);
    assert!(errors.contains("is cut: it exceeds"), "{errors}");
    desk.done("", &[&write[..], &["--apply"]].concat());
    assert_eq!(desk.text("a.md"), desk.text("new"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_colours_and_what_to_do_next() {
    let desk = Desk::new(&[("a.md", "# A\n\nold\u{1b}\r\n")]);
    let state = desk.temporary.path().join("state");
    let variables = [("XDG_STATE_HOME", state.to_str().unwrap())];
    let look = |words: &[&str]| {
        let directory = desk.path("");
        crate::terminal::on_terminal(&directory, (80, 24), &variables, words)
    };
    let edit = ["edit", "a.md", "--old", "old", "--new", "new"];
    let (code, text) = look(&edit);
    let expected = "\u{1b}[1mdiff --git a/a.md b/a.md\u{1b}[0m\n\u{1b}[1m--- a/a.md\u{1b}[0m\n\
                    \u{1b}[1m+++ b/a.md\u{1b}[0m\n\u{1b}[36m@@ -1,3 +1,3 @@\u{1b}[0m\n # A\n \n\
                    \u{1b}[31m-old\\u{1b}\u{1b}[0m\n\u{1b}[32m+new\\u{1b}\u{1b}[0m\n\
                    \u{1b}[1mdry run, nothing is written: add --apply to write it\u{1b}[0m\n";
    assert_eq!((code, text.as_str()), (0, expected));
    let (_, text) = look(&[&edit[..], &["--apply", "--color", "never"]].concat());
    assert!(
        text.ends_with("+new\\u{1b}\nwritten; `docent undo 1` undoes it\n"),
        "{text:?}"
    );
    let (_, text) = look(&["history"]);
    assert!(
        text.starts_with("\u{1b}[1m1\u{1b}[0m  \u{1b}[2m20"),
        "{text:?}"
    );
}
