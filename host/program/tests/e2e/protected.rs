//! Protected and missing files: a change of them is refused as a whole, by name.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::{PermissionsExt as _, chown};

use serde_json::json;

use crate::editing::Desk;
use crate::program::{Session, docent, tree};

#[cfg(unix)]
#[test]
fn a_directory_in_which_others_may_not_rename_is_left_whole() {
    use std::os::unix::process::CommandExt as _;

    const USER: u32 = 65_533;

    let directory = tree(&[("w/mine.md", "x\n"), ("w/theirs.md", "x\n"), ("s/kept", "")]);
    let path = |name: &str| directory.path().join(name);
    if chown(path("w/mine.md"), Some(USER), Some(USER)).is_err() {
        // Only root can act as another user.
        return;
    }
    chown(path("s"), Some(USER), Some(USER)).unwrap();
    for (name, mode) in [("", 0o755), ("w", 0o1777), ("w/theirs.md", 0o666)] {
        fs::set_permissions(path(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    let root = format!("{}:rw", path("w").display());
    let mut command = docent();
    command.args(["mcp", "--tools", "all", "--root", &root, "--state"]);
    command.arg(path("s")).uid(USER).gid(USER);
    let mut session = Session::spawn(command);
    session.initialize("2025-11-25");
    let edit = |name: &str| json!({ "path": name, "oldText": "x", "newText": "y" });
    for edits in [
        json!([edit("mine.md"), edit("theirs.md")]),
        json!([edit("mine.md"), { "path": "theirs.md", "move": "other.md" }]),
    ] {
        let request = json!({ "edits": edits, "dryRun": false });
        let refusal = session.refusal("change", request);
        assert!(
            refusal.contains("`theirs.md` cannot be put into its place"),
            "{refusal}"
        );
        for name in ["w/mine.md", "w/theirs.md"] {
            assert_eq!(fs::read_to_string(path(name)).unwrap(), "x\n", "{name}");
        }
        assert_eq!(
            fs::read_dir(path("w")).unwrap().count(),
            2,
            "nothing is left beside"
        );
    }
    // Files of the user are written, and new ones are created.
    let own = json!([edit("mine.md"), { "path": "mine.md", "move": "moved.md" }]);
    session.call("change", json!({ "edits": own, "dryRun": false }));
    assert_eq!(fs::read_to_string(path("w/moved.md")).unwrap(), "y\n");
}

#[test]
fn a_state_that_was_removed_is_made_again() {
    let directory = tree(&[("w/a.md", "0\n")]);
    let path = |name: &str| directory.path().join(name);
    let root = format!("{}:rw", path("w").display());
    let state = path("state");
    let state = state.to_str().unwrap();
    let mut session = Session::start(&["--structured", "--root", &root, "--state", state]);
    session.initialize("2025-11-25");
    let mut write = |old: &str, new: &str| {
        let edit = json!({ "path": "a.md", "oldText": old, "newText": new });
        let made = session.call("change", json!({ "edits": [edit], "dryRun": false }));
        assert_eq!(made["structuredContent"]["applied"], true, "{made}");
        made["structuredContent"]["undoId"].clone()
    };
    write("0", "1");
    for part in ["kept", "lock", ""] {
        let own = fs::read_dir(state).unwrap().next().unwrap().unwrap().path();
        let gone = own.join(part);
        if gone.is_dir() {
            fs::remove_dir_all(&gone).unwrap();
        } else {
            fs::remove_file(&gone).unwrap();
        }
        write("1", "2");
        write("2", "1");
        let private = |name: &str, mode: u32| {
            #[cfg(unix)]
            {
                let found = fs::metadata(own.join(name)).unwrap().permissions().mode();
                assert_eq!(found & 0o777, mode, "{name}");
            }
            #[cfg(not(unix))]
            let _ = (name, mode);
        };
        private("", 0o700);
        private("kept", 0o700);
        private("lock", 0o600);
    }
    let id = write("1", "3");
    let undone = session.call("manage", json!({ "command": "undo", "target": id }));
    assert_eq!(undone["isError"], false, "{undone}");
    assert_eq!(fs::read_to_string(path("w/a.md")).unwrap(), "1\n");
}

#[test]
fn a_history_that_cannot_be_read_is_told() {
    let desk = Desk::new(&[("a.md", "0\n")]);
    desk.done("", &["edit", "a.md", "--old", "0", "--new", "1", "--apply"]);
    let state = desk.temporary.path().join("state/docent");
    let own = fs::read_dir(state).unwrap().next().unwrap().unwrap().path();
    let records = own.join("kept/history");
    let record = fs::read_dir(&records)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    fs::write(record, "not what was written").unwrap();
    let (_, output, errors) = desk.run("", &["history"]);
    assert!(!output.contains("nothing was written"), "{output}");
    assert!(
        errors.contains("The record of change 1 cannot be read"),
        "{errors}"
    );
    let (code, _, errors) = desk.run("", &["undo"]);
    assert_eq!(code, 2);
    assert!(
        errors.contains("the record of operation 1 is damaged"),
        "{errors}"
    );
    assert_eq!(desk.text("a.md"), "1\n");
}

#[test]
fn directories_move_and_hidden_files_are_edited() {
    let desk = Desk::new(&[
        ("guide/a.md", "[b](../b.md)\n"),
        ("guide/part/c.md", "c\n"),
        ("b.md", "[a](guide/a.md)\n"),
        (".github/workflows/ci.yml", "on: push\n"),
        (".gitignore", "out/\n"),
        ("out/x.md", "x\n"),
    ]);
    let (output, _) = desk.done("", &["mv", "guide", "manual/", "--apply"]);
    assert!(
        output.contains("rename from guide/a.md\nrename to manual/a.md\n"),
        "{output}"
    );
    assert_eq!(desk.text("b.md"), "[a](manual/a.md)\n");
    assert!(!desk.path("guide").exists());
    // Into an existing directory.
    desk.done("", &["mv", "manual/part", ".", "--apply"]);
    assert_eq!(desk.text("part/c.md"), "c\n");

    let hidden = ".github/workflows/ci.yml";
    desk.done(
        "",
        &[
            "edit",
            hidden,
            "--old",
            "push",
            "--new",
            "pull_request",
            "--root",
            ".",
            "--apply",
        ],
    );
    assert_eq!(desk.text(hidden), "on: pull_request\n");
    desk.done(
        "",
        &[
            "edit",
            ".gitignore",
            "--old",
            "out/",
            "--new",
            "build/\nout/",
            "--apply",
        ],
    );
    desk.done(
        "",
        &[
            "mv",
            hidden,
            ".github/workflows/test.yml",
            "--root",
            ".",
            "--apply",
        ],
    );
    assert_eq!(
        desk.text(".github/workflows/test.yml"),
        "on: pull_request\n"
    );

    fs::create_dir_all(desk.path(".git/hooks")).unwrap();
    fs::write(desk.path(".git/hooks/pre-commit"), "a\n").unwrap();
    for (path, told) in [
        ("out/x.md", "is left out by ignore rules"),
        (".git/hooks/pre-commit", "belongs to version control"),
    ] {
        let (code, _, errors) = desk.run(
            "",
            &["edit", path, "--old", "x", "--new", "y", "--root", "."],
        );
        assert_eq!(code, 2);
        assert!(errors.contains(told), "{errors}");
    }
}
