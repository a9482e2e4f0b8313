//! Tests of a name that may not be replaced or moved: nothing is begun if the system says so
//! beforehand, and everything is withdrawn if it shows only at the rename.

use docent_tree::disk::WriteFailure;

use super::model::{Machine, Platform, Random, RefusalTime, State};
use super::*;

/// Transactions whose last step is refused: the name, the files, and the request.
const REFUSED: &[(&str, Case)] = &[
    (
        "z.md",
        Case {
            name: "two files in two directories",
            files: &[("d/a.md", "old a"), ("e/z.md", "old z")],
            changes: || {
                vec![
                    set("d/a.md", "old a", "the new a"),
                    set("e/z.md", "old z", "the new z"),
                ]
            },
        },
    ),
    (
        "z.md",
        Case {
            name: "one comes and one goes",
            files: &[("d/b.md", "old b"), ("z.md", "old z")],
            changes: || {
                vec![
                    new("x/y/n.md", "new n"),
                    delete("d/b.md", "old b"),
                    delete("z.md", "old z"),
                ]
            },
        },
    ),
    (
        "z.md",
        Case {
            name: "files move",
            files: &[("d/a.md", "old a"), ("d/b.md", "old b"), ("z.md", "to d/a")],
            changes: || {
                vec![
                    move_file("d/a.md", "old a", "n/a.md", Some("the new a")),
                    move_file("d/b.md", "old b", "e/c.md", None),
                    set("z.md", "to d/a", "to n/a"),
                ]
            },
        },
    ),
    (
        "z.md",
        Case {
            name: "the first step is refused",
            files: &[("z.md", "old z"), ("a.md", "old a")],
            changes: || vec![set("z.md", "old z", "new z"), set("a.md", "old a", "new a")],
        },
    ),
];

fn start(case: &Case, fixed: &str, told: RefusalTime) -> (State, Machine) {
    let start = State::with_files(case.files);
    let machine = Machine::recording(start.clone(), Platform::Guarded);
    machine.fix(fixed, told);
    (start, machine)
}

#[test]
fn what_is_told_beforehand_is_refused_before_anything_is_made() {
    for (fixed, case) in REFUSED {
        let (start, machine) = start(case, fixed, RefusalTime::Beforehand);
        let refused = commit(&machine, Keeps::History, (case.changes)()).unwrap_err();
        let is_named = matches!(&refused, Error::Fixed(path) if path.as_str().ends_with(fixed));
        assert!(is_named, "{}: {refused:?}", case.name);
        assert_eq!(machine.state().tree(), start.tree(), "{}", case.name);
    }
}

#[test]
fn a_place_that_may_not_be_taken_is_refused_as_well() {
    let start = State::with_files(&[("a.md", "a")]);
    for changes in [
        vec![new("n.md", "n")],
        vec![move_file("a.md", "a", "n.md", None)],
    ] {
        let machine = Machine::on(start.clone(), Platform::Guarded);
        machine.fix("n.md", RefusalTime::Beforehand);
        let refused = commit(&machine, Keeps::History, changes).unwrap_err();
        assert_eq!(refused, Error::Fixed(path("n.md")));
    }
}

/// Checks that a refusal after the commit point is withdrawn, whenever the power fails.
pub(super) fn check() -> Result<(), String> {
    let mut random = Random(17);
    for (fixed, case) in REFUSED {
        for keeps in [Keeps::History, Keeps::Nothing] {
            let told = |what: &str| format!("{}, {keeps:?}: {what}", case.name);
            let (start, machine) = start(case, fixed, RefusalTime::Then);
            let before = start.tree();
            let whole = Machine::on(start, Platform::Guarded);
            commit(&whole, keeps, (case.changes)()).map_err(|error| format!("{error:?}"))?;
            let after = whole.state().tree();
            match commit(&machine, keeps, (case.changes)()) {
                Err(Error::Disk {
                    path: Some(path),
                    failure: WriteFailure::Permission,
                }) if path.as_str().ends_with(fixed) => {}
                other => return Err(told(&format!("{other:?}"))),
            }
            if machine.state().tree() != before {
                return Err(told("refused, and not as before"));
            }
            let history = with_journal(&machine, keeps, |journal| journal.history(None, 9));
            if keeps == Keeps::History && history.is_ok_and(|page| !page.operations.is_empty()) {
                return Err(told("refused, and in the history"));
            }
            let crashes = machine.take_snapshots();
            for (call, state) in crashes.into_iter().enumerate() {
                for left in state.losses(24, &mut random).into_iter().chain([state]) {
                    let left = recover(left, keeps, Platform::Guarded)
                        .map_err(|error| told(&format!("{error:?}")))?
                        .tree();
                    if left != before && left != after {
                        return Err(told(&format!("neither old nor new at {call}")));
                    }
                }
            }
            for left in machine.state().losses(64, &mut random) {
                let left = recover(left, keeps, Platform::Guarded)
                    .map_err(|error| told(&format!("{error:?}")))?;
                if left.tree() != before {
                    return Err(told("refused, and back after a loss of power"));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn what_shows_behind_the_commit_point_is_taken_back() -> Result<(), String> {
    check()
}

#[test]
fn what_somebody_saved_meanwhile_stays() {
    let (_, case) = &REFUSED[0];
    let whole = Machine::on(State::with_files(case.files), Platform::Guarded);
    commit(&whole, Keeps::History, (case.changes)()).unwrap();
    for call in 0..2 * whole.calls() {
        let machine = Machine::on(State::with_files(case.files), Platform::Guarded);
        machine.fix("z.md", RefusalTime::Then);
        machine.edit_at(call, |state| state.save("d/a.md", b"theirs"));
        let done = commit(&machine, Keeps::History, (case.changes)());
        let tree = machine.state().tree();
        let is_saved = tree["d/a.md"] == Some(b"theirs".to_vec());
        let is_never_reached = machine.calls() <= call;
        let is_kept =
            done.is_ok_and(|done| !done.conflicts.is_empty() || done.unfinished.is_some());
        assert!(is_saved || is_never_reached || is_kept, "{call}: {tree:?}");
        assert_eq!(tree["e/z.md"], Some(b"old z".to_vec()));
    }
}
