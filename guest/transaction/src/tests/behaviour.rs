//! Tests of requests that are refused, and of undo.

use docent_text::content_hash::counted;
use docent_tree::disk::WriteFailure;
use docent_tree::memory::MemoryDisk;

use super::model::{Machine, Platform, State};
use super::*;
use crate::undo::Target;

fn machine(files: &[(&str, &str)]) -> Machine {
    Machine::on(State::with_files(files), Platform::Guarded)
}

fn done(result: Result<CommitOutcome, Error>) -> u64 {
    let committed = result.expect("it is done");
    assert_eq!((committed.unfinished, committed.conflicts), (None, vec![]));
    committed.id.unwrap_or_default()
}

fn text(machine: &Machine, at: &str) -> Option<String> {
    let content = machine.state().tree().get(at).cloned()??;
    String::from_utf8(content).ok()
}

#[test]
fn refused_and_nothing_touched() {
    let files = [
        ("a.md", "a"),
        ("b.md", "b"),
        ("d/c.md", "c"),
        ("id_rsa", "key"),
    ];
    let found = |text: &str| Some(ContentHash::new(text.as_bytes()));
    let conflict = |at: &str, expected: &str, there: &str| Error::Conflict {
        path: path(at),
        expected: ContentHash::new(expected.as_bytes()),
        found: found(there),
    };
    let ok = || set("b.md", "b", "bb");
    for (changes, expected) in [
        (vec![], Error::NothingChanges),
        (vec![set("a.md", "a", "a")], Error::NothingChanges),
        (
            vec![ok(), set("a.md", "x", "y")],
            conflict("a.md", "x", "a"),
        ),
        (vec![ok(), delete("a.md", "x")], conflict("a.md", "x", "a")),
        (
            vec![ok(), set("z.md", "x", "y")],
            Error::NotFound(path("z.md")),
        ),
        (
            vec![ok(), set("z/z.md", "x", "y")],
            Error::NotFound(path("z/z.md")),
        ),
        (vec![ok(), set("d", "x", "y")], Error::NotAFile(path("d"))),
        (vec![ok(), new("a.md", "x")], Error::Exists(path("a.md"))),
        (vec![ok(), new("d", "x")], Error::Exists(path("d"))),
        (
            vec![ok(), new("a.md/n.md", "x")],
            Error::NotAFile(path("a.md/n.md")),
        ),
        (
            vec![ok(), move_file("a.md", "a", "d/c.md", None)],
            Error::Exists(path("d/c.md")),
        ),
        (
            vec![ok(), delete("b.md", "b")],
            Error::NamedTwice(path("b.md")),
        ),
        (
            vec![ok(), move_file("a.md", "a", "b.md", None)],
            Error::NamedTwice(path("b.md")),
        ),
        (
            vec![ok(), new(".docent-x", "x")],
            Error::Unwritable(path(".docent-x")),
        ),
        (
            vec![ok(), new(".DOCENT-x/n.md", "x")],
            Error::Unwritable(path(".DOCENT-x/n.md")),
        ),
        (vec![ok(), new("", "x")], Error::Unwritable(path(""))),
        (
            vec![ok(), set("id_rsa", "key", "x")],
            Error::Sensitive(path("id_rsa")),
        ),
        (
            vec![ok(), new(".ssh/x", "x")],
            Error::Sensitive(path(".ssh/x")),
        ),
        (
            vec![ok(), new("n/.ssh/x", "x")],
            Error::Sensitive(path("n/.ssh/x")),
        ),
        (
            vec![ok(), new("n/x.pem", "x")],
            Error::Sensitive(path("n/x.pem")),
        ),
        (
            vec![ok(), move_file("a.md", "a", "x.pem", None)],
            Error::Sensitive(path("x.pem")),
        ),
    ] {
        for keeps in [Keeps::History, Keeps::Nothing] {
            let machine = machine(&files);
            let before = machine.state().tree();
            let refused = commit(&machine, keeps, changes.clone());
            assert_eq!(refused.as_ref().err(), Some(&expected), "{changes:?}");
            assert_eq!(machine.state().tree(), before, "{changes:?}");
        }
    }
}

#[test]
fn a_file_of_several_names_is_not_replaced() {
    let mut state = State::with_files(&[("a.md", "a")]);
    state.set_links("a.md", 2);
    let machine = Machine::on(state, Platform::Guarded);
    let refused = commit(&machine, Keeps::History, vec![set("a.md", "a", "b")]);
    let expected = Error::HardLinks {
        path: path("a.md"),
        links: 2,
    };
    assert_eq!(refused.err(), Some(expected));
}

#[test]
fn a_file_that_may_not_be_written_to_keeps_its_content() -> Result<(), Box<dyn std::error::Error>> {
    let disk = MemoryDisk::with_files(&[("a.md", "a"), ("b.md", "b")]);
    disk.set_writable("docs");
    disk.protect("a.md");
    let root = Writable::root(&disk, 0, Consent::Withheld)?;
    let journal = Journal::new(&root, None);
    for own in [
        set("a.md", "a", "a2"),
        delete("a.md", "a"),
        move_file("a.md", "a", "c.md", Some("c")),
    ] {
        let refused = journal.commit(request(vec![set("b.md", "b", "b2"), own]));
        assert_eq!(refused.err(), Some(Error::Protected(path("a.md"))));
        assert_eq!(root.read("a.md", 9).ok(), Some(b"a".to_vec()));
        assert_eq!(root.read("b.md", 9).ok(), Some(b"b".to_vec()));
    }
    // A name belongs to its directory.
    done(journal.commit(request(vec![move_file("a.md", "a", "c.md", None)])));
    assert_eq!(root.read("c.md", 9).ok(), Some(b"a".to_vec()));
    Ok(())
}

#[test]
fn too_much_at_once() {
    let machine = machine(&[("a.md", "a")]);
    let many = (0..=crate::limits::FILES)
        .map(|n| new(&format!("{n}.md"), ""))
        .collect();
    let refused = commit(&machine, Keeps::History, many);
    assert_eq!(
        refused.err(),
        Some(Error::TooManyFiles(crate::limits::FILES + 1))
    );
    let long = "a".repeat(crate::limits::TRANSACTION_BYTES / 2 + 1);
    let refused = commit(
        &machine,
        Keeps::History,
        vec![new("b", &long), new("c", &long)],
    );
    assert!(matches!(refused, Err(Error::TooLarge(..))));
}

#[test]
fn undone_and_redone_again_and_again() {
    let machine = machine(&[("a.md", "1")]);
    for (old, new) in [("1", "2"), ("2", "3")] {
        done(commit(
            &machine,
            Keeps::History,
            vec![set("a.md", old, new)],
        ));
    }
    let undo = || {
        with_journal(&machine, Keeps::History, |j| {
            j.undo(Target::Latest, "m", NOW)
        })
    };
    let redo = || {
        with_journal(&machine, Keeps::History, |j| {
            j.redo(Target::Latest, "m", NOW)
        })
    };
    let seen = |act: &dyn Fn() -> Result<CommitOutcome, Error>| {
        done(act());
        text(&machine, "a.md").unwrap_or_default()
    };
    assert_eq!(seen(&undo), "2");
    assert_eq!(seen(&undo), "1");
    assert_eq!(undo().err(), Some(Error::NothingToUndo));
    assert_eq!(seen(&redo), "2");
    assert_eq!(seen(&redo), "3");
    assert_eq!(redo().err(), Some(Error::NothingToUndo));
    assert_eq!(seen(&undo), "2");
    assert_eq!(seen(&redo), "3");
}

#[test]
fn a_file_is_hashed_once_and_then_compared() {
    let (old, new) = ("o".repeat(100_000), "n".repeat(100_001));
    let few = old.len() / 10;
    let machine = machine(&[("a.md", &old)]);
    let both = change(FileOperation::Set {
        path: path("a.md"),
        expected: content(&old).into(),
        content: content(&new),
    });
    // A content that the caller has hashed need not be hashed again.
    let before = counted::bytes();
    done(commit(&machine, Keeps::History, vec![both]));
    assert!(counted::bytes() - before < few);
    // An undo knows the file and the kept contents by their hashes alone.
    let before = counted::bytes();
    done(with_journal(&machine, Keeps::History, |journal| {
        journal.undo(Target::Latest, "m", NOW)
    }));
    assert!(counted::bytes() - before < old.len() + new.len() + few);
    assert_eq!(text(&machine, "a.md"), Some(old));
}

#[test]
fn undone_by_number_and_by_path() {
    let machine = machine(&[("a.md", "a"), ("b.md", "b")]);
    let first = done(commit(
        &machine,
        Keeps::History,
        vec![set("a.md", "a", "a2")],
    ));
    let second = done(commit(
        &machine,
        Keeps::History,
        vec![set("b.md", "b", "b2")],
    ));
    assert!(second > first);
    let undo = |target: Target<'_>| {
        with_journal(&machine, Keeps::History, |journal| {
            journal.undo(target, "m", NOW)
        })
    };
    let at = path("a.md");
    done(undo(Target::Path(&at)));
    assert_eq!(text(&machine, "a.md").as_deref(), Some("a"));
    assert_eq!(undo(Target::Path(&at)).err(), Some(Error::NothingToUndo));
    assert_eq!(
        undo(Target::Id(first)).err(),
        Some(Error::AlreadyUndone(first))
    );
    done(undo(Target::Id(second)));
    assert_eq!(text(&machine, "b.md").as_deref(), Some("b"));
    assert_eq!(
        undo(Target::Id(99)).err(),
        Some(Error::UnknownOperation(99))
    );
}

#[test]
fn nothing_is_undone_that_would_lose_newer_text() {
    let machine = machine(&[("a.md", "a"), ("b.md", "b")]);
    done(commit(
        &machine,
        Keeps::History,
        vec![set("a.md", "a", "a2"), set("b.md", "b", "b2")],
    ));
    let mut state = machine.state();
    state.save("b.md", b"newer");
    let machine = Machine::on(state, Platform::Guarded);
    let undone = with_journal(&machine, Keeps::History, |j| {
        j.undo(Target::Latest, "m", NOW)
    });
    assert!(matches!(undone, Err(Error::Conflict { path, .. }) if path.as_str() == "b.md"));
    assert_eq!(text(&machine, "a.md").as_deref(), Some("a2"));
    assert_eq!(text(&machine, "b.md").as_deref(), Some("newer"));
}

#[test]
fn directories_that_a_write_made_go_with_its_undo_unless_something_is_in_them() {
    for (more, expected) in [(None, false), (Some("x/other.md"), true)] {
        let machine = machine(&[("a.md", "a")]);
        done(commit(&machine, Keeps::History, vec![new("x/y/n.md", "n")]));
        let mut state = machine.state();
        if let Some(more) = more {
            state.save(more, b"other");
        }
        let machine = Machine::on(state, Platform::Guarded);
        done(with_journal(&machine, Keeps::History, |j| {
            j.undo(Target::Latest, "m", NOW)
        }));
        let tree = machine.state().tree();
        assert!(!tree.contains_key("x/y"));
        assert_eq!(tree.contains_key("x"), expected);
        done(with_journal(&machine, Keeps::History, |j| {
            j.redo(Target::Latest, "m", NOW)
        }));
        assert_eq!(text(&machine, "x/y/n.md").as_deref(), Some("n"));
    }
}

#[test]
fn without_a_state_directory_nothing_is_undone() {
    let machine = machine(&[("a.md", "a")]);
    let committed = commit(&machine, Keeps::Nothing, vec![set("a.md", "a", "b")]);
    assert_eq!(committed.map(|done| done.id), Ok(None));
    let undone = with_journal(&machine, Keeps::Nothing, |j| {
        j.undo(Target::Latest, "m", NOW)
    });
    assert_eq!(undone.err(), Some(Error::NoHistory));
}

#[test]
fn a_damaged_journal_is_left_alone_and_stops_writing() {
    let mut state = State::with_files(&[("a.md", "a")]);
    state.save(".docent-journal-committed", b"not a journal");
    let machine = Machine::on(state, Platform::Guarded);
    let before = machine.state().tree();
    let refused = commit(&machine, Keeps::Nothing, vec![set("a.md", "a", "b")]);
    assert_eq!(refused.err(), Some(Error::DamagedJournal));
    assert_eq!(machine.state().tree(), before);
}

#[test]
fn a_journal_that_a_later_version_has_prepared_is_left_to_it() {
    let start = State::with_files(&[("a.md", "a")]);
    let machine = Machine::recording(start, Platform::Guarded);
    done(commit(
        &machine,
        Keeps::Nothing,
        vec![set("a.md", "a", "b")],
    ));
    let prepared = ".docent-journal-prepared";
    let mut left = 0;
    for mut state in machine.take_snapshots() {
        let Some(Some(journal)) = state.tree().remove(prepared) else {
            continue;
        };
        let text = String::from_utf8(journal).expect("a journal is text");
        let later = text.replacen("operation 1", "operation 2", 1);
        if later == text {
            continue;
        }
        state.save(prepared, later.as_bytes());
        let machine = Machine::on(state, Platform::Guarded);
        let before = machine.state().tree();
        let refused = commit(&machine, Keeps::Nothing, vec![set("a.md", "a", "c")]);
        assert_eq!(refused.err(), Some(Error::DamagedJournal));
        assert_eq!(machine.state().tree(), before);
        left += 1;
    }
    assert!(left > 0);
}

#[test]
fn paths_that_no_journal_could_hold_are_refused() {
    let machine = machine(&[("a.md", "a")]);
    let deep = "d/".repeat(2_040);
    let files = (0..32).map(|number| new(&format!("{number}/{deep}n.md"), "n"));
    let before = machine.state().tree();
    let refused = commit(&machine, Keeps::Nothing, files.collect());
    assert!(matches!(refused, Err(Error::TooLarge(..))));
    assert_eq!(machine.state().tree(), before);
}

#[test]
fn a_tree_in_memory_is_written_to_as_well() -> Result<(), Box<dyn std::error::Error>> {
    let disk = MemoryDisk::with_files(&[("a.md", "a"), ("d/b.md", "b")]);
    disk.set_writable("docs");
    disk.grant_state();
    let root = Writable::root(&disk, 0, Consent::Withheld)?;
    let state = Writable::state(&disk, 0)?;
    let journal = Journal::new(&root, state.as_ref());
    done(journal.commit(request(vec![
        set("a.md", "a", "a2"),
        move_file("d/b.md", "b", "n/b.md", Some("b2")),
    ])));
    assert_eq!(root.read("a.md", 9).ok(), Some(b"a2".to_vec()));
    done(journal.undo(Target::Latest, "m", NOW));
    assert_eq!(root.read("a.md", 9).ok(), Some(b"a".to_vec()));
    let names: Vec<String> = root.entries()?.named.into_iter().map(|e| e.name).collect();
    assert_eq!(names, ["d", "a.md"]);
    Ok(())
}

#[test]
fn a_failure_names_its_path() {
    let machine = machine(&[("a.md", "a")]);
    let whole = commit(&machine, Keeps::Nothing, vec![new("n.md", "n")]);
    assert!(whole.is_ok());
    let failing = Machine::on(State::with_files(&[]), Platform::Guarded);
    // The call that creates the prepared file: it follows the journal with its two writes and
    // syncs.
    let mut named = 0;
    for call in 0..machine.calls() {
        let failing_now = Machine::on(failing.state(), Platform::Guarded);
        failing_now.fail(call, WriteFailure::NoSpace, model::Lasting::Once);
        let refused = commit(&failing_now, Keeps::Nothing, vec![new("n.md", "n")]);
        let at = Some(path("n.md"));
        let failure = WriteFailure::NoSpace;
        named += usize::from(refused == Err(Error::Disk { path: at, failure }));
    }
    assert!(named >= 3, "{named}");
}

#[test]
fn what_a_host_without_a_state_directory_left_is_finished_by_one_with_it() {
    let start = State::with_files(&[("a.md", "a"), ("b.md", "b")]);
    let machine = Machine::recording(start, Platform::Guarded);
    let changes = vec![set("a.md", "a", "a2"), set("b.md", "b", "b2")];
    done(commit(&machine, Keeps::Nothing, changes));
    for state in machine.take_snapshots() {
        let left = recover(state, Keeps::History, Platform::Guarded).expect("it recovers");
        let (tree, text) = (left.tree(), |text: &str| Some(text.as_bytes().to_vec()));
        assert!(!has_reserved(&tree));
        assert_eq!(tree["a.md"] == text("a2"), tree["b.md"] == text("b2"));
    }
}

#[test]
fn what_is_refused_again_is_a_conflict_and_stops_nothing_else() {
    let machine = Machine::recording(
        State::with_files(&[("a.md", "a"), ("b.md", "b")]),
        Platform::Guarded,
    );
    let changes = || vec![set("a.md", "a", "a2"), set("b.md", "b", "b2")];
    done(commit(&machine, Keeps::History, changes()));
    let mut conflicts = 0;
    for state in machine.take_snapshots() {
        for call in 0..60 {
            let machine = Machine::on(state.clone(), Platform::Guarded);
            machine.fail(call, WriteFailure::Permission, model::Lasting::Once);
            let recovered = with_journal(&machine, Keeps::History, |journal| journal.recover());
            let left = recover(machine.state(), Keeps::History, Platform::Guarded);
            let tree = left.expect("it recovers").tree();
            assert!(!has_reserved(&tree), "{tree:?}");
            let record = recovered
                .ok()
                .and_then(|recovered| recovered.rolled_forward);
            conflicts += record.map_or(0, |record| record.conflicts.len());
        }
    }
    assert!(conflicts > 0);
}

#[test]
fn more_files_than_are_open_at_once() {
    let count = crate::limits::OPEN_FILES + 6;
    let names: Vec<String> = (0..count).map(|n| format!("d{}/{n}.md", n % 3)).collect();
    let mut state = State::with_files(&[]);
    // Every seventh content is shared with another file, and is kept once.
    let old = |n: usize| format!("old {}", n / 7);
    for (n, name) in names.iter().enumerate() {
        state.save(name, old(n).as_bytes());
    }
    let before = state.tree();
    let machine = Machine::on(state, Platform::Guarded);
    let changes = names.iter().enumerate();
    let changes = changes
        .map(|(n, name)| set(name, &old(n), &format!("new {n}")))
        .collect();
    done(commit(&machine, Keeps::History, changes));
    for (n, name) in names.iter().enumerate() {
        assert_eq!(text(&machine, name), Some(format!("new {n}")));
    }
    done(with_journal(&machine, Keeps::History, |j| {
        j.undo(Target::Latest, "m", NOW)
    }));
    assert_eq!(machine.state().tree(), before);
}

#[test]
fn a_journal_that_came_with_a_tree_leads_nowhere_hidden() {
    use crate::record::{Action, OperationOrigin, Record, RecordedChange};

    let hash = ContentHash::new(b"run me");
    let action = |to: &str| Action::Move {
        path: path("a.sh"),
        to: path(to),
        old: hash,
        new: hash,
    };
    for (to, is_followed) in [
        (".git/hooks/pre-commit", false),
        ("d/.x/y", false),
        ("d/b.sh", true),
    ] {
        let record = Record {
            id: 1,
            time_ms: NOW,
            tool: String::new(),
            note: String::new(),
            origin: OperationOrigin::Change,
            entries: vec![RecordedChange {
                action: action(to),
                lines: LineCounts::default(),
            }],
            made: vec![],
            removed: vec![],
            conflicts: vec![],
        };
        let mut state =
            State::with_files(&[("a.sh", "run me"), (".git/hooks/x", ""), ("d/.x/z", "")]);
        let bytes = record.encode();
        state.save(".docent-journal-committed", &bytes);
        for keeps in [Keeps::Nothing, Keeps::History] {
            let left = recover(state.clone(), keeps, Platform::Guarded);
            let is_refused = left.as_ref().err() == Some(&Error::DamagedJournal);
            assert_eq!(is_refused, !is_followed && keeps == Keeps::Nothing, "{to}");
            if let Ok(left) = left {
                assert_eq!(left.tree().contains_key("a.sh"), !is_followed, "{to}");
                assert_eq!(left.tree().contains_key(to), is_followed, "{to}");
            }
        }
    }
}

#[test]
fn hidden_files_are_written_where_there_is_a_state_directory() {
    for (keeps, expected) in [
        (Keeps::History, None),
        (Keeps::Nothing, Some(Error::Hidden(path(".github/a.yml")))),
    ] {
        let machine = machine(&[(".github/a.yml", "a")]);
        let refused = commit(&machine, keeps, vec![set(".github/a.yml", "a", "b")]).err();
        assert_eq!(refused, expected);
    }
}
