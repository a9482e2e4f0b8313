//! Writing as clients do it: the tools on offer, a change from its preview to its undo, and a
//! program that is killed during a write.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{Session, docent, ran, tree};

/// Maximum bytes of JSON for the tool descriptions in a read-only session.
const READING_BYTES: usize = 5_939;

/// Maximum bytes of JSON for the tool descriptions in a session with a writable root.
const WRITING_BYTES: usize = 10_752;

/// Starts `docent mcp` with exactly these arguments.
fn started(arguments: &[&str]) -> Session {
    let mut command = docent();
    command.arg("mcp").args(arguments);
    let mut session = Session::spawn(command);
    session.initialize("2025-11-25");
    session
}

fn root(directory: &TempDir, right: &str) -> String {
    format!("docs={}{right}", directory.path().display())
}

fn listed(session: &mut Session) -> Vec<Value> {
    let listed = session.request("tools/list", json!({}));
    listed["result"]["tools"].as_array().unwrap().clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect()
}

#[test]
fn the_tools_that_write_are_on_offer_where_something_may_be_written() {
    let directory = tree(&[("a.md", "word\n")]);
    let (reading, writing) = (root(&directory, ""), root(&directory, ":rw"));
    for set in [&[][..], &["--tools", "pillars"]] {
        let tools = listed(&mut started(&[&["--root", &reading], set].concat()));
        assert_eq!(names(&tools), ["explore", "understand", "find_files"]);
        let bytes = serde_json::to_string(&tools).unwrap().len();
        assert!(bytes <= READING_BYTES, "{bytes}");
        let arguments = [&["--no-state", "--root", &writing], set].concat();
        let tools = listed(&mut started(&arguments));
        let expected = [
            "explore",
            "understand",
            "find_files",
            "change",
            "write",
            "manage",
        ];
        assert_eq!(names(&tools), expected);
        let bytes = serde_json::to_string(&tools).unwrap().len();
        assert!(bytes <= WRITING_BYTES, "{bytes}");
    }
    let all = listed(&mut started(&["--root", &reading, "--tools", "all"]));
    let reads = |tool: &Value| tool["annotations"]["readOnlyHint"] == true;
    assert!(all.iter().all(reads), "{:?}", names(&all));
    let arguments = ["--no-state", "--root", &writing, "--tools", "all"];
    let all = listed(&mut started(&arguments));
    let writers: Vec<&Value> = all.iter().filter(|tool| !reads(tool)).collect();
    for (tool, destructive) in [
        ("change", true),
        ("write", true),
        ("manage", true),
        ("create_document", false),
        ("delete_document", true),
    ] {
        let tool = writers.iter().find(|it| it["name"] == tool).unwrap();
        let hints = &tool["annotations"];
        assert_eq!(hints["destructiveHint"], destructive, "{hints}");
        assert_eq!(hints["idempotentHint"], false, "{hints}");
        assert_eq!(hints["openWorldHint"], false, "{hints}");
    }
    assert_eq!(writers.len(), 5);
}

#[test]
fn what_writes_is_unknown_where_nothing_may_be_written() {
    let directory = tree(&[("a.md", "word\n")]);
    let reading = root(&directory, "");
    let mut session = started(&["--root", &reading, "--tools", "all"]);
    for tool in [
        "change",
        "write",
        "manage",
        "create_document",
        "delete_document",
    ] {
        let call = json!({ "name": tool, "arguments": {} });
        let error = session.request("tools/call", call)["error"].clone();
        assert_eq!(error["code"], -32602, "{error}");
        let expected = format!("unknown tool `{tool}`; it writes, and all roots are read-only");
        assert_eq!(error["message"], expected);
    }
    let none = ran(
        directory.path(),
        &["mcp", "--root", &reading, "--tools", "write"],
    );
    assert_eq!(none.0, 2, "{none:?}");
    let called = [
        "call",
        "write",
        "path=b.md",
        "content=x",
        "--root",
        &reading,
    ];
    let (code, _, errors) = ran(directory.path(), &called);
    assert_eq!(code, 1);
    assert!(errors.contains("[read-only]"), "{errors}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

/// Returns the output of git in a working tree; none without git.
fn git(directory: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=e@example.org"])
        .args(arguments)
        .current_dir(directory)
        .output()
        .ok()?;
    assert!(output.status.success(), "{output:?}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_change_is_shown_made_and_undone() {
    let directory = tree(&[("guide/a.md", "# A\n\none\n"), ("b.md", "one\r\n")]);
    let (other, state) = (tree(&[("c.md", "one\n")]), tree(&[]));
    let root_of_git = directory.path();
    for command in [
        &["init", "--quiet"][..],
        &["add", "."],
        &["commit", "--quiet", "--message=first"],
    ] {
        git(root_of_git, command);
    }
    let status = || git(root_of_git, &["status", "--porcelain"]).unwrap_or_default();
    let read = |path: &str| fs::read_to_string(root_of_git.join(path)).unwrap();
    let mut session = started(&[
        "--structured",
        "--root",
        &root(&directory, ":rw"),
        "--root",
        &format!("other={}", other.path().display()),
        "--state",
        state.path().to_str().unwrap(),
    ]);
    let edit = |path: &str| json!({ "path": path, "oldText": "one", "newText": "two" });
    let edits = json!([edit("guide/a.md"), edit("b.md")]);

    let shown = session.call("change", json!({ "edits": edits }));
    let shown = &shown["structuredContent"];
    assert_eq!(shown["applied"], false, "{shown}");
    let plan = &shown["planId"];
    assert!(plan.is_string(), "{shown}");
    assert_eq!(status(), "");

    let request = json!({ "edits": edits, "dryRun": false, "planId": plan });
    let made = session.call("change", request);
    let made = &made["structuredContent"];
    assert_eq!(made["applied"], true, "{made}");
    assert_eq!(made["rollbackAvailable"], true, "{made}");
    assert_eq!(read("guide/a.md"), "# A\n\ntwo\n");
    assert_eq!(read("b.md"), "two\r\n");
    let changed = status();
    assert!(
        changed.lines().all(|line| line.starts_with(" M ")),
        "{changed}"
    );

    let undo = json!({ "command": "undo", "target": made["undoId"] });
    let undone = session.call("manage", undo);
    assert_eq!(undone["isError"], false, "{undone}");
    assert_eq!(read("guide/a.md"), "# A\n\none\n");
    assert_eq!(read("b.md"), "one\r\n");
    assert_eq!(
        status(),
        "",
        "git knows the contents, and nothing else is there"
    );

    let elsewhere = json!({ "edits": [edit("c.md")], "dryRun": false, "root": "other" });
    let refusal = session.refusal("change", elsewhere);
    assert!(refusal.starts_with("[read-only]"), "{refusal}");
    assert!(fs::read_dir(state.path()).unwrap().count() > 0);
    drop(session);
    assert_eq!(fs::read(other.path().join("c.md")).unwrap(), b"one\n");
}

/// Files that one change replaces, the maximum of the tool.
const FILES: usize = 200;

/// A root whose files are all changed at once, by programs that are killed during the change.
struct Killed {
    directory: TempDir,
    state: Vec<String>,
    random: u64,
}

impl Killed {
    fn new(state: &[&str]) -> Self {
        let memory = Path::new("/dev/shm");
        // The result does not depend on the kind of disk, and this one is fast.
        let directory = if memory.is_dir() {
            tempfile::tempdir_in(memory).unwrap()
        } else {
            tempfile::tempdir().unwrap()
        };
        let root = directory.path().join("docs");
        fs::create_dir(&root).unwrap();
        for number in 0..FILES {
            fs::write(root.join(format!("{number:03}.md")), "round 0\n").unwrap();
        }
        let there = |part: &&str| part.replace("STATE", directory.path().to_str().unwrap());
        let state = state.iter().map(there).collect();
        Self {
            directory,
            state,
            random: 1,
        }
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("docs")
    }

    /// Returns `docent call` with these arguments.
    fn call(&self, words: &[&str]) -> Command {
        let mut command = docent();
        let root = format!("{}:rw", self.root().display());
        command
            .arg("call")
            .args(words)
            .args(["--json", "--root", &root]);
        command.args(&self.state);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn change(&self, old: &str, round: usize) -> Command {
        let new = format!("round {round}\n");
        let edit =
            |number| json!({"path": format!("{number:03}.md"), "oldText": old, "newText": new});
        let edits: Vec<Value> = (0..FILES).map(edit).collect();
        self.call(&[
            "change",
            &json!({"edits": edits, "dryRun": false}).to_string(),
        ])
    }

    /// Starts a command, and kills it after a random number of looks at the root. Every other time,
    /// they are counted from the first temporary file of docent in the root, during a write.
    fn kill(&mut self, mut command: Command) {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let number = self.random >> 48;
        let (mut counts, mut looks) = (number.is_multiple_of(2), number / 2 % MOST_LOOKS);
        let mut child = command.spawn().unwrap();
        while looks > 0 && child.try_wait().unwrap().is_none() {
            counts |= self.is_cut_off();
            looks -= u64::from(counts);
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Returns true if the root contains a temporary file of docent.
    fn is_cut_off(&self) -> bool {
        let mut entries = fs::read_dir(self.root()).unwrap();
        entries.any(|entry| {
            entry
                .unwrap()
                .file_name()
                .to_string_lossy()
                .starts_with('.')
        })
    }

    /// Returns the content of the files, which must be the same in all.
    fn content(&self) -> String {
        let contents = |number| fs::read_to_string(self.root().join(format!("{number:03}.md")));
        let first = contents(0).unwrap();
        for number in 1..FILES {
            assert_eq!(contents(number).unwrap(), first, "{number}");
        }
        first
    }
}

/// Maximum looks at the root before a program is killed.
const MOST_LOOKS: u64 = 200;

/// Changes that the history keeps.
const KEPT: usize = 1000;

/// Maximum surplus changes before the history is trimmed.
const BETWEEN_LOOKS: usize = 128;

/// Returns the number of rounds: `usual`, or that of `just killed`.
fn rounds(usual: usize) -> usize {
    let rounds = std::env::var("ROUNDS").ok();
    rounds.map_or(usual, |rounds| rounds.parse().unwrap())
}

/// Kills programs that write, and in every third round also the next one, which recovers. Returns
/// the number of completed changes.
fn rounds_of_killing(killed: &mut Killed, rounds: usize) -> usize {
    assert!(killed.change("round 0\n", 1).status().unwrap().success());
    let (mut made, mut cut_off) = (1, 0);
    for round in 2..rounds + 2 {
        let old = killed.content();
        let change = killed.change(&old, round);
        killed.kill(change);
        cut_off += usize::from(killed.is_cut_off());
        if round % 3 == 0 {
            let reading = killed.call(&["list_documents"]);
            killed.kill(reading);
        }
        assert!(killed.call(&["list_documents"]).status().unwrap().success());
        assert!(!killed.is_cut_off(), "round {round}");
        let content = killed.content();
        if content != old {
            assert_eq!(content, format!("round {round}\n"));
            made += 1;
        }
    }
    assert!(cut_off > rounds / 20, "{cut_off} of {rounds} were cut off");
    made
}

#[test]
fn a_program_that_is_killed_leaves_all_old_or_all_new() {
    let mut killed = Killed::new(&["--state", "STATE/state"]);
    let made = rounds_of_killing(&mut killed, rounds(50));
    let state = killed.directory.path().join("state");
    let kept = fs::read_dir(state).unwrap().next().unwrap().unwrap();
    let history = kept.path().join("kept/history");
    let recorded = fs::read_dir(history).unwrap().count();
    let least = made.min(KEPT);
    let most = made.min(KEPT + BETWEEN_LOOKS);
    assert!((least..=most).contains(&recorded), "{recorded} of {made}");
}

#[test]
fn the_same_without_a_state_directory() {
    let mut killed = Killed::new(&["--no-state"]);
    rounds_of_killing(&mut killed, rounds(25));
}
