//! Tests of transactions on a disk that loses power, fails, and is changed by other programs.

mod behaviour;
mod crash;
mod editor;
mod faults;
mod history;
mod model;
mod mutants;
mod record;
mod withdrawn;

use docent_tree::door::Consent;
use docent_tree::path::RelPath;
use docent_tree::reserved::is_reserved;
use docent_tree::write::Writable;

use crate::error::Error;
use crate::journal::{Change, CommitOutcome, FileOperation, Journal, Request};
use crate::limits::HISTORY;
use crate::record::LineCounts;
use docent_text::content_hash::{ContentHash, HashedContent};
use model::{Handle, Machine, Platform, State, Tree};

/// Time of all calls unless a test says otherwise: 2026-01-02T03:04:05Z.
const NOW: i64 = 1_767_323_045_000;

/// The presence of a state directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keeps {
    History,
    Nothing,
}

fn path(text: &str) -> RelPath {
    RelPath::parse(text).expect("a path of a test is valid")
}

fn content(text: &str) -> HashedContent {
    HashedContent::new(text.as_bytes().to_vec())
}

fn change(operation: FileOperation) -> Change {
    let lines = LineCounts {
        added: 1,
        removed: 2,
    };
    Change { operation, lines }
}

fn set(at: &str, old: &str, new: &str) -> Change {
    change(FileOperation::Set {
        path: path(at),
        expected: ContentHash::new(old.as_bytes()).into(),
        content: content(new),
    })
}

fn new(at: &str, text: &str) -> Change {
    change(FileOperation::New {
        path: path(at),
        content: content(text),
    })
}

fn delete(at: &str, old: &str) -> Change {
    change(FileOperation::Delete {
        path: path(at),
        expected: ContentHash::new(old.as_bytes()).into(),
    })
}

fn move_file(at: &str, old: &str, to: &str, text: Option<&str>) -> Change {
    change(FileOperation::Move {
        path: path(at),
        to: path(to),
        expected: ContentHash::new(old.as_bytes()).into(),
        content: text.map(content),
    })
}

fn request(changes: Vec<Change>) -> Request {
    Request {
        changes,
        emptied: Vec::new(),
        tool: "change".to_owned(),
        note: "a test".to_owned(),
        now_ms: NOW,
    }
}

/// Returns a kept content as text.
fn kept_text(journal: &Journal<Handle>, hash: ContentHash) -> Option<String> {
    let kept = journal.kept_content(hash).ok()??;
    String::from_utf8(kept.bytes().to_vec()).ok()
}

/// Calls `act` with the journal of a machine, as a fresh process has it.
fn with_journal<R>(machine: &Machine, keeps: Keeps, act: impl FnOnce(&Journal<Handle>) -> R) -> R {
    let root = Writable::root(machine, 0, Consent::Withheld).expect("the root opens");
    let state = Writable::state(machine, 0).expect("the state opens");
    let state = state.filter(|_| keeps == Keeps::History);
    act(&Journal::new(&root, state.as_ref()).with_limits(HISTORY))
}

fn commit(machine: &Machine, keeps: Keeps, changes: Vec<Change>) -> Result<CommitOutcome, Error> {
    with_journal(machine, keeps, |journal| journal.commit(request(changes)))
}

/// Recovers in a fresh process, and returns the disk afterwards.
fn recover(state: State, keeps: Keeps, platform: Platform) -> Result<State, Error> {
    let machine = Machine::on(state, platform);
    with_journal(&machine, keeps, |journal| journal.recover())?;
    Ok(machine.state())
}

fn has_reserved(tree: &Tree) -> bool {
    tree.keys().any(|path| path.split('/').any(is_reserved))
}

/// A transaction to be tried in many ways.
struct Case {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    changes: fn() -> Vec<Change>,
}

const CASES: &[Case] = &[
    Case {
        name: "one file",
        files: &[("a.md", "old a")],
        changes: || vec![set("a.md", "old a", "the new a")],
    },
    Case {
        name: "two files in two directories",
        files: &[("d/a.md", "old a"), ("e/b.md", "old b")],
        changes: || {
            vec![
                set("d/a.md", "old a", "the new a"),
                set("e/b.md", "old b", "the new b"),
            ]
        },
    },
    Case {
        name: "new files in new directories",
        files: &[("a.md", "old a")],
        changes: || vec![new("x/y/n.md", "new n"), new("m.md", "new m")],
    },
    Case {
        name: "a deletion and a change",
        files: &[("a.md", "old a"), ("d/b.md", "old b")],
        changes: || vec![delete("d/b.md", "old b"), set("a.md", "old a", "new a")],
    },
    Case {
        name: "a file moves to another directory",
        files: &[("d/a.md", "old a"), ("e/b.md", "b")],
        changes: || vec![move_file("d/a.md", "old a", "e/c.md", None)],
    },
    Case {
        name: "a file moves into a new directory and changes, with a link to it",
        files: &[("d/a.md", "old a"), ("b.md", "to d/a")],
        changes: || {
            vec![
                move_file("d/a.md", "old a", "n/a.md", Some("the new a")),
                set("b.md", "to d/a", "to n/a"),
            ]
        },
    },
    Case {
        name: "a file is renamed where it is",
        files: &[("a.md", "old a")],
        changes: || vec![move_file("a.md", "old a", "b.md", Some("new a"))],
    },
    Case {
        name: "empty contents",
        files: &[("a.md", ""), ("b.md", "old b")],
        changes: || {
            vec![
                set("a.md", "", "new a"),
                set("b.md", "old b", ""),
                new("c.md", ""),
            ]
        },
    },
];
