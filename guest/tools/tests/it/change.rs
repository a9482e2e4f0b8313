//! Tools that write: their laws, on the tree in memory.

use docent_api::types::ErrorCode;
use docent_api::writing::{
    ChangeAnswer, ChangeOptions, Edit, ExpectedHash, IfExists, LineRange, ManageCommand,
    ManageOptions, WriteOptions,
};
use docent_text::content_hash::{ContentHash, counted};
use docent_tools::{Docent, NO_CHANGE_OPTIONS, NO_EDIT, ToolSettings};
use docent_transaction::limits::FILES;
use docent_tree::disk::{Directory as _, Disk as _, Failure, Kind, OpenFile as _};
use docent_tree::memory::{MemoryDirectory, MemoryDisk};
use proptest::prelude::*;

/// Returns a disk with these files in the root `docs`, which may be written to, with a history.
pub fn disk(files: &[(&str, &str)]) -> MemoryDisk {
    let disk = MemoryDisk::with_files(files);
    disk.set_writable("docs");
    disk.grant_state();
    disk
}

/// Returns the tools over a disk.
pub fn docent(disk: &MemoryDisk) -> Docent<MemoryDisk> {
    Docent::new(disk.clone(), ToolSettings::default())
}

fn replace(path: &str, old: &str, new: &str) -> Edit {
    Edit {
        path: Some(path.to_owned()),
        old_text: Some(old.to_owned()),
        new_text: Some(new.to_owned()),
        ..NO_EDIT
    }
}

/// Returns an edit that applies a diff.
pub fn diff(text: &str) -> Edit {
    Edit {
        diff: Some(text.to_owned()),
        ..NO_EDIT
    }
}

/// Returns the options of a call.
pub fn options(dry_run: bool, plan_id: Option<&str>) -> Option<ChangeOptions> {
    Some(ChangeOptions {
        dry_run: Some(dry_run),
        plan_id: plan_id.map(str::to_owned),
        ..NO_CHANGE_OPTIONS
    })
}

/// Returns the content of the root, including reserved names: paths, and the bytes of files.
pub fn tree(disk: &MemoryDisk) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    gather(&disk.open_root(0).unwrap(), "", &mut found);
    found.sort();
    found
}

fn gather(directory: &MemoryDirectory, path: &str, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in directory.entries().unwrap().named {
        let path = format!("{path}{}", entry.name);
        match entry.kind {
            Kind::File => {
                let file = directory.open_file(&entry.name).unwrap();
                found.push((path, file.read_all(1 << 20).unwrap()));
            }
            Kind::Directory => {
                let below = directory.open_directory(&entry.name).unwrap();
                found.push((format!("{path}/"), Vec::new()));
                gather(&below, &format!("{path}/"), found);
            }
            _ => found.push((path, Vec::new())),
        }
    }
}

/// Takes a change back.
pub fn undo(docent: &mut Docent<MemoryDisk>, target: Option<&str>) {
    let options = ManageOptions {
        target: target.map(str::to_owned),
        limit: None,
        cursor: None,
        root: None,
    };
    docent.manage(ManageCommand::Undo, Some(options)).unwrap();
}

/// Returns the hashes of the files of an answer as they are afterwards.
fn hashes(answer: &ChangeAnswer) -> Vec<Option<&str>> {
    let files = answer.files.iter();
    files.map(|file| file.new_hash.as_deref()).collect()
}

/// Returns the concatenated differences of an answer.
fn diffs(answer: &ChangeAnswer) -> String {
    answer.files.iter().map(|file| file.diff.as_str()).collect()
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof!["[a-c]{0,3}", "# [a-c]{1,2}", "한글 [a-c]", "\t[a-c]"];
    let end = prop_oneof![Just("\n"), Just("\r\n")];
    let line = (line, end).prop_map(|(line, end)| line + end);
    let text = prop::collection::vec(line, 0..12).prop_map(|lines| lines.concat());
    prop::collection::vec(text, 1..4)
}

/// A call: for some of the files an edit that replaces a stretch of it by something.
fn edits_of(texts: &[String], picks: &[(prop::sample::Index, String)]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (index, (pick, new)) in picks.iter().enumerate() {
        let Some(text) = texts.get(index) else { break };
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        if !lines.is_empty() {
            edits.push(replace(
                &format!("{index}.md"),
                pick.get::<&str>(&lines),
                new,
            ));
        }
    }
    edits
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_shown_is_written_and_taken_back(
        texts in texts(),
        picks in prop::collection::vec((any::<prop::sample::Index>(), "[x-z\n]{0,4}"), 1..4),
    ) {
        let disk = disk(&[]);
        for (index, text) in texts.iter().enumerate() {
            disk.write("docs", &format!("{index}.md"), text.as_bytes());
        }
        let before = tree(&disk);
        let edits = edits_of(&texts, &picks);
        prop_assume!(!edits.is_empty());
        let mut docent = docent(&disk);
        let Ok(shown) = docent.change(edits.clone(), options(true, None)) else {
            // Refused: then it is refused when it is to be written as well.
            prop_assert!(docent.change(edits, options(false, None)).is_err());
            prop_assert_eq!(tree(&disk), before);
            return Ok(());
        };
        prop_assert_eq!(&tree(&disk), &before);
        prop_assert!(!shown.applied);
        let Some(id) = &shown.plan_id else {
            prop_assert!(!shown.changed);
            return Ok(());
        };
        let written = docent.change(edits, options(false, Some(id))).unwrap();
        prop_assert_eq!(hashes(&written), hashes(&shown));
        prop_assert!(written.applied);
        let after = tree(&disk);
        prop_assert_ne!(&after, &before);
        undo(&mut docent, written.undo_id.as_deref());
        prop_assert_eq!(&tree(&disk), &before);
        // Applying the difference that was shown gives the same files.
        docent.change(vec![diff(&diffs(&shown))], options(false, None)).unwrap();
        prop_assert_eq!(&tree(&disk), &after);
    }
}

#[test]
fn each_undo_of_many_in_a_row_opens_as_many_files() {
    let opens = |count: u32| {
        let disk = disk(&[("a.md", "0\n")]);
        let mut docent = docent(&disk);
        for version in 0..count {
            let edit = replace("a.md", &version.to_string(), &(version + 1).to_string());
            docent.change(vec![edit], options(false, None)).unwrap();
        }
        disk.take_opens();
        for _ in 0..count {
            undo(&mut docent, None);
        }
        assert_eq!(tree(&disk), [("a.md".to_owned(), b"0\n".to_vec())]);
        disk.take_opens()
    };
    let (few, many) = (opens(100), opens(400));
    assert!(many <= few * 5, "{few} {many}");
}

#[test]
fn a_root_for_reading_is_not_touched() {
    let disk = MemoryDisk::with_files(&[("a.md", "one\n")]);
    disk.take_opens();
    let edits = vec![replace("a.md", "one", "two")];
    let error = docent(&disk).change(edits, options(false, None));
    assert_eq!(error.unwrap_err().code, ErrorCode::ReadOnly);
    assert_eq!(disk.take_opens(), 0);
}

#[test]
fn a_long_file_is_hashed_as_it_was_and_as_it_is() {
    let text = format!("one\n{}", "A line of a long text.\n".repeat(10_000));
    let disk = disk(&[("a.md", &text)]);
    let mut docent = docent(&disk);
    let hash = ContentHash::new(text.as_bytes()).short();
    let change = |new: &str, hash: &str| {
        let expect = ExpectedHash {
            path: "a.md".to_owned(),
            hash: hash.to_owned(),
        };
        let lines = Edit {
            path: Some("a.md".to_owned()),
            lines: Some(LineRange { first: 1, last: 1 }),
            hash: Some(hash.to_owned()),
            new_text: Some(new.to_owned()),
            ..NO_EDIT
        };
        let options = ChangeOptions {
            dry_run: Some(false),
            expect: Some(vec![expect]),
            ..NO_CHANGE_OPTIONS
        };
        (vec![lines], Some(options))
    };
    let (edits, options) = change("two", &hash);
    let before = counted::bytes();
    docent.change(edits, options).unwrap();
    let hashed = counted::bytes() - before;
    assert!(hashed < 2 * text.len() + 10_000, "{hashed}");
}

#[test]
fn a_file_that_may_not_be_written_to_is_left_as_it_is() {
    let disk = disk(&[("a.md", "one\n"), ("b.md", "[a](a.md)\n")]);
    disk.protect("b.md");
    let before = tree(&disk);
    let mut docent = docent(&disk);
    // A file whose links a move would rewrite is no exception.
    for edit in [replace("b.md", "[a]", "[x]"), moved("a.md", "c.md")] {
        let error = docent.change(vec![edit], options(false, None)).unwrap_err();
        assert_eq!(error.code, ErrorCode::ReadOnly);
        assert!(
            error.message.contains("`b.md` may not be"),
            "{}",
            error.message
        );
        assert_eq!(tree(&disk), before);
    }
    let error = docent.delete_document("b.md".to_owned(), None).unwrap_err();
    assert_eq!(error.code, ErrorCode::ReadOnly);
    assert_eq!(tree(&disk), before);
}

#[test]
fn two_hundred_edits_are_the_most() {
    let text: String = (0..201).map(|number| format!("line {number}\n")).collect();
    let disk = disk(&[("a.md", &text)]);
    let edit = |number: usize| replace("a.md", &format!("line {number}\n"), "x\n");
    let mut docent = docent(&disk);
    let mut change = |count| {
        let edits = (0..count).map(edit).collect();
        docent.change(edits, options(true, None))
    };
    assert_eq!(change(200).unwrap().files[0].edits.len(), 200);
    let error = change(201).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidRequest);
    assert!(
        error.message.contains("201; expected 1 to 200"),
        "{}",
        error.message
    );
}

fn moved(path: &str, to: &str) -> Edit {
    Edit {
        path: Some(path.to_owned()),
        move_: Some(to.to_owned()),
        ..NO_EDIT
    }
}

#[test]
fn a_move_is_taken_back_with_the_links_that_followed_it() {
    let disk = disk(&[
        ("a.md", "[b](d/b.md) 한글\r\n[gone](no.md)\r\n"),
        ("d/b.md", "[a](../a.md#x) ![c](c.png)\n"),
        ("d/c.png", "\0"),
        ("e.md", "[a](a.md)\n"),
    ]);
    let before = tree(&disk);
    let mut docent = docent(&disk);
    let edits = || {
        vec![
            moved("d/b.md", "f.md"),
            replace("a.md", "한글", "[new](d/b.md#y)"),
        ]
    };
    let shown = docent.change(edits(), options(true, None)).unwrap();
    assert_eq!(tree(&disk), before);
    let written = docent
        .change(edits(), options(false, shown.plan_id.as_deref()))
        .unwrap();
    assert_eq!(hashes(&written), hashes(&shown));
    assert_eq!(written.files.len(), 2);
    let after: Vec<(String, String)> = tree(&disk)
        .into_iter()
        .map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap()))
        .filter(|(path, _)| ["a.md", "f.md", "e.md"].contains(&path.as_str()))
        .collect();
    let expected = [
        ("a.md", "[b](f.md) [new](f.md#y)\r\n[gone](no.md)\r\n"),
        ("e.md", "[a](a.md)\n"),
        ("f.md", "[a](a.md#x) ![c](d/c.png)\n"),
    ];
    assert_eq!(after, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    undo(&mut docent, written.undo_id.as_deref());
    assert_eq!(tree(&disk), before);
}

#[test]
fn a_plan_is_another_where_another_document_links_to_what_moves() {
    let disk = disk(&[("a.md", "a\n"), ("b.md", "[a](a.md)\n")]);
    let mut docent = docent(&disk);
    let edits = || vec![moved("a.md", "c.md")];
    let id = docent.change(edits(), options(true, None)).unwrap().plan_id;
    disk.write("docs", "d.md", b"[[a]]\n");
    let before = tree(&disk);
    let error = docent.change(edits(), options(false, id.as_deref()));
    assert_eq!(error.unwrap_err().code, ErrorCode::Conflict);
    assert_eq!(tree(&disk), before);
}

#[test]
fn links_in_more_documents_than_one_call_may_write_are_said() {
    let disk = disk(&[("a.md", "a\n")]);
    for number in 0..FILES {
        disk.write("docs", &format!("d/{number}.md"), b"[a](../a.md)\n");
    }
    let mut docent = docent(&disk);
    let error = docent.change(vec![moved("a.md", "b.md")], options(false, None));
    let error = error.unwrap_err();
    assert_eq!(error.code, ErrorCode::LimitReached);
    assert!(
        error.message.contains("more than 10000"),
        "{}",
        error.message
    );
    let alone = Edit {
        update_links: Some(false),
        ..moved("a.md", "b.md")
    };
    let answer = docent.change(vec![alone], options(false, None)).unwrap();
    let impact = answer.impact.unwrap();
    assert_eq!(impact.broken.links.len(), 20);
    assert_eq!(impact.broken.more, 9_980);
    assert_eq!(impact.incoming.more, 9_980);
}

#[test]
fn what_another_program_wrote_meanwhile_is_no_part_of_the_plan() {
    let disk = disk(&[("a.md", "one\n"), ("b.md", "two\n")]);
    let mut docent = docent(&disk);
    let edits = || vec![replace("a.md", "one", "1"), replace("b.md", "two", "2")];
    let id = docent.change(edits(), options(true, None)).unwrap().plan_id;
    disk.write("docs", "b.md", b"two\nthree\n");
    let before = tree(&disk);
    let error = docent
        .change(edits(), options(false, id.as_deref()))
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    assert!(
        error.message.contains("a file has changed"),
        "{}",
        error.message
    );
    // Even if the edit no longer fits.
    disk.write("docs", "b.md", b"three\n");
    let error = docent
        .change(edits(), options(false, id.as_deref()))
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    // Even if the edits differ.
    disk.write("docs", "b.md", b"two\n");
    let other = vec![replace("a.md", "one", "I"), replace("b.md", "two", "2")];
    let error = docent
        .change(other, options(false, id.as_deref()))
        .unwrap_err();
    assert!(error.message.contains("not the edits"), "{}", error.message);
    assert_ne!(tree(&disk), before);
    docent
        .change(edits(), options(false, id.as_deref()))
        .unwrap();
}

#[test]
fn an_undo_loses_nothing_that_was_written_since() {
    let disk = disk(&[("a.md", "one\n")]);
    let mut docent = docent(&disk);
    let edits = vec![replace("a.md", "one", "two")];
    docent.change(edits, options(false, None)).unwrap();
    disk.write("docs", "a.md", b"three\n");
    let error = docent.manage(ManageCommand::Undo, None).unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    assert_eq!(tree(&disk), [("a.md".to_owned(), b"three\n".to_vec())]);
    disk.remove("docs", "a.md");
    let error = docent.manage(ManageCommand::Undo, None).unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    assert!(tree(&disk).is_empty());
}

#[test]
fn what_keeps_a_change_from_being_taken_back_is_said() {
    let disk = disk(&[("a.md", "one\nkept\n"), ("b.md", "b\n")]);
    let mut docent = docent(&disk);
    let refused = |docent: &mut Docent<MemoryDisk>, target: &str| {
        let options = ManageOptions {
            target: Some(target.to_owned()),
            limit: None,
            cursor: None,
            root: None,
        };
        let error = docent
            .manage(ManageCommand::Undo, Some(options))
            .unwrap_err();
        assert_eq!(error.code, ErrorCode::Conflict);
        (error.message, error.hint)
    };
    let hash = |text: &str| ContentHash::new(text.as_bytes()).short();
    let edits = vec![replace("a.md", "one", "two")];
    docent.change(edits, options(false, None)).unwrap();
    disk.write("docs", "a.md", b"two\nkept\nmore\n");
    // The text that it left is kept nowhere; that from before it is.
    let (message, hint) = refused(&mut docent, "1");
    let expected = format!(
        "`a.md` is `{}`; expected `{}`, which change 1 left: it changed at \
         2026-01-02T03:04:05.000Z, and nothing was reverted. The text that change 1 left is not kept. From before it to \
         now, with what it did itself:\ndiff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n\
         @@ -1,2 +1,3 @@\n-one\n+two\n kept\n+more",
        hash("two\nkept\nmore\n"),
        hash("two\nkept\n")
    );
    assert_eq!(message, expected);
    assert!(hint.contains("To revert change 1 all the same"), "{hint}");
    // A later change of ours keeps it, and has to go first.
    disk.write("docs", "a.md", b"two\nkept\n");
    let edits = vec![replace("a.md", "kept", "3")];
    docent.change(edits, options(false, None)).unwrap();
    let (message, hint) = refused(&mut docent, "1");
    assert!(message.contains("What changed since:\n"), "{message}");
    assert!(message.ends_with(" two\n-kept\n+3"), "{message}");
    assert!(hint.contains("Change 2 changed the file as well"), "{hint}");
    disk.remove("docs", "a.md");
    let (message, hint) = refused(&mut docent, "2");
    assert!(
        message.contains("`a.md` is not there; expected it with"),
        "{message}"
    );
    assert!(hint.contains("Ask the person where it went"), "{hint}");
    // The path to which a file is restored must be free.
    docent.delete_document("b.md".to_owned(), None).unwrap();
    disk.write("docs", "b.md", b"theirs\n");
    let (message, hint) = refused(&mut docent, "3");
    assert!(message.starts_with("`b.md` is there at 2026"), "{message}");
    assert!(hint.contains("Move it away"), "{hint}");
}

/// Returns the options of a write of this text.
fn written(text: &str) -> WriteOptions {
    WriteOptions {
        content: Some(text.to_owned()),
        template: None,
        variables: None,
        front_matter: None,
        if_exists: None,
        expect_hash: None,
        dry_run: None,
        plan_id: None,
        note: None,
        root: None,
    }
}

#[test]
fn what_a_dry_run_has_shown_is_not_shown_again() {
    let disk = disk(&[("a.md", "one\n"), ("b.md", "[a](a.md)\n")]);
    let mut docent = docent(&disk);
    let edits = || {
        let moved = Edit {
            path: Some("a.md".to_owned()),
            move_: Some("c.md".to_owned()),
            ..NO_EDIT
        };
        vec![replace("a.md", "one", "two"), moved]
    };
    let shown = docent.change(edits(), options(true, None)).unwrap();
    assert!(shown.files.iter().all(|file| !file.diff.is_empty()));
    assert!(shown.impact.is_some());
    let plan = shown.plan_id.as_deref();
    let applied = docent.change(edits(), options(false, plan)).unwrap();
    assert!(applied.applied && applied.undo_id.is_some());
    assert_eq!(diffs(&applied), "");
    assert!(applied.impact.is_none() && applied.warnings.is_empty());
    assert_eq!(hashes(&applied), hashes(&shown));
    // At once, everything is shown.
    undo(&mut docent, None);
    let applied = docent.change(edits(), options(false, None)).unwrap();
    assert!(!diffs(&applied).is_empty() && applied.impact.is_some());
}

#[test]
fn a_plan_is_written_without_its_edits() {
    let disk = disk(&[("a.md", "one\n"), ("b.md", "one\n")]);
    let mut docent = docent(&disk);
    let shown = |docent: &mut Docent<MemoryDisk>, path: &str| {
        let edits = vec![replace(path, "one", "two")];
        docent
            .change(edits, options(true, None))
            .unwrap()
            .plan_id
            .unwrap()
    };
    let (first, second) = (shown(&mut docent, "a.md"), shown(&mut docent, "b.md"));
    let applied = docent
        .change(Vec::new(), options(false, Some(&first)))
        .unwrap();
    assert!(applied.applied);
    assert_eq!(applied.files[0].path, "a.md");
    // Only once, since the content of the file has changed.
    let again = docent
        .change(Vec::new(), options(false, Some(&first)))
        .unwrap_err();
    assert_eq!(again.code, ErrorCode::Conflict);
    // The plan is unknown to an instance that did not show it, and to one that has dropped it.
    let other = self::docent(&disk).change(Vec::new(), options(false, Some(&second)));
    assert_eq!(other.unwrap_err().code, ErrorCode::Conflict);
    for name in ["c", "d", "e", "f"] {
        disk.write("docs", &format!("{name}.md"), b"one\n");
        shown(&mut docent, &format!("{name}.md"));
    }
    let forgotten = docent
        .change(Vec::new(), options(false, Some(&second)))
        .unwrap_err();
    assert!(
        forgotten.message.contains("is no longer kept"),
        "{}",
        forgotten.message
    );
    // Without a plan, an empty list of edits is refused.
    let none = docent.change(Vec::new(), options(false, None)).unwrap_err();
    assert_eq!(none.code, ErrorCode::InvalidRequest);
}

#[test]
fn a_write_is_held_to_what_its_dry_run_showed() {
    let disk = disk(&[("a.md", "one\n")]);
    let mut docent = docent(&disk);
    let mut write = |text: &str, dry_run: bool, plan_id: Option<String>| {
        let options = WriteOptions {
            if_exists: Some(IfExists::Overwrite),
            dry_run: Some(dry_run),
            plan_id,
            ..written(text)
        };
        docent.write("a.md".to_owned(), Some(options))
    };
    let shown = write("two\n", true, None).unwrap();
    assert!(!shown.file.diff.is_empty() && shown.plan_id.is_some());
    // Another text, and another plan, are conflicts.
    for (text, plan) in [
        ("three\n", shown.plan_id.clone()),
        ("two\n", Some("0".to_owned())),
    ] {
        let error = write(text, false, plan).unwrap_err();
        assert_eq!(error.code, ErrorCode::Conflict);
    }
    disk.write("docs", "a.md", b"other\n");
    let error = write("two\n", false, shown.plan_id.clone()).unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    disk.write("docs", "a.md", b"one\n");
    let applied = write("two\n", false, shown.plan_id).unwrap();
    assert!(applied.file.applied && applied.undo_id.is_some());
    assert_eq!((applied.file.diff.as_str(), &applied.plan_id), ("", &None));
    assert_eq!(applied.file.new_hash, shown.file.new_hash);
    // A write without effect has no plan.
    assert_eq!(write("two\n", true, None).unwrap().plan_id, None);
}

#[test]
fn directories_that_a_write_made_go_with_it() {
    let disk = disk(&[("a.md", "one\n")]);
    let before = tree(&disk);
    let mut docent = docent(&disk);
    let options = written("x\n");
    docent.write("b/c/d.md".to_owned(), Some(options)).unwrap();
    assert_eq!(tree(&disk).len(), 4);
    undo(&mut docent, None);
    assert_eq!(tree(&disk), before);
}

#[test]
fn a_probe_leaves_nothing() {
    for has_state in [false, true] {
        let disk = MemoryDisk::with_files(&[("a.md", "one\n")]);
        disk.set_writable("docs");
        if has_state {
            disk.grant_state();
        }
        let before = tree(&disk);
        let answer = docent(&disk).manage(ManageCommand::Test, None).unwrap();
        let steps: Vec<&str> = answer.steps.iter().map(|step| step.name.as_str()).collect();
        let taken_back = if has_state { "undo" } else { "remove" };
        assert_eq!(steps, ["write", "read", taken_back, "gone"]);
        assert!(answer.steps.iter().all(|step| step.passed));
        assert_eq!(tree(&disk), before);
    }
}

#[test]
fn sensitive_files_are_edited_with_the_consent_of_both_alone() {
    let disk = disk(&[(".env", "K=1\n")]);
    for (granted, asked) in [(false, false), (false, true), (true, false), (true, true)] {
        let settings = ToolSettings {
            sensitive_roots: granted.then(|| "docs".to_owned()).into_iter().collect(),
            ..ToolSettings::default()
        };
        let mut docent = Docent::new(disk.clone(), settings);
        let mut options = options(true, None);
        if let Some(options) = &mut options {
            options.allow_sensitive = Some(asked);
        }
        let outcome = docent.change(vec![replace(".env", "K=1", "K=2")], options);
        assert_eq!(outcome.is_ok(), granted && asked);
        if let Err(error) = outcome {
            assert_eq!(error.code, ErrorCode::Sensitive);
        }
    }
}

#[test]
fn a_disk_that_fails_says_so_and_leaves_all_as_it_was() {
    let mut failures = 0;
    // At each time that the file is opened, from the first to the last.
    for nth in 1..8 {
        let disk = disk(&[("a.md", "one\n"), ("b.md", "two\n")]);
        let mut opened = 0;
        disk.on_open(move |disk, path| {
            opened += usize::from(path == "b.md");
            if opened == nth {
                disk.deny("docs", "b.md", Failure::Io);
            }
        });
        let edits = vec![replace("a.md", "one", "1"), replace("b.md", "two", "2")];
        let Err(error) = docent(&disk).change(edits, options(false, None)) else {
            continue;
        };
        failures += usize::from(error.code == ErrorCode::WriteFailed);
        disk.on_open(|_, _| ());
        disk.write("docs", "b.md", b"two\n");
        let expected = [("a.md", "one\n"), ("b.md", "two\n")];
        let expected = expected.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        assert_eq!(tree(&disk), expected);
    }
    assert!(failures > 0);
}
