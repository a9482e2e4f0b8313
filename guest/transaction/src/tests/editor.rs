//! Tests with another program that saves a file between any two calls. Its text is never lost.

use super::model::{Machine, Platform, State};
use super::*;

const TEXT: &str = "what a person has just written";

/// Makes an editor save the file `at` before each call of the case in turn.
pub(super) fn check(case: &Case, keeps: Keeps, at: &'static str) -> Result<(), String> {
    let start = State::with_files(case.files);
    let whole = Machine::on(start.clone(), Platform::Guarded);
    commit(&whole, keeps, (case.changes)()).map_err(|error| format!("{error:?}"))?;
    for call in 0..=whole.calls() {
        let told = |what: &str| format!("{}, {keeps:?}, {at} saved at {call}: {what}", case.name);
        let machine = Machine::on(start.clone(), Platform::Guarded);
        machine.edit_at(call, |state| state.save(at, TEXT.as_bytes()));
        let done = commit(&machine, keeps, (case.changes)());
        // This call never came, because the operation was refused earlier.
        if machine.calls() <= call {
            continue;
        }
        let tree = machine.state().tree();
        if tree.get(at) != Some(&Some(TEXT.as_bytes().to_vec())) {
            return Err(told(&format!("its text is gone: {tree:?}")));
        }
        let is_foreign = |path: &&String| {
            path.as_str() != at && !at.starts_with(&format!("{path}/")) && !is_kept(path)
        };
        let others = |tree: &model::Tree| -> Vec<(String, Option<Vec<u8>>)> {
            let of = tree.iter().filter(|(path, _)| is_foreign(path));
            of.map(|(path, content)| (path.clone(), content.clone()))
                .collect()
        };
        match done {
            Err(Error::Conflict { .. } | Error::Exists(_))
                if others(&tree) == others(&start.tree()) => {}
            Err(error) => return Err(told(&format!("refused, not as before: {error:?}"))),
            Ok(done) => {
                let is_whole = others(&tree) == others(&whole.state().tree());
                // A move that meets a conflict leaves its source and its destination as they were.
                if !is_whole && done.conflicts.is_empty() {
                    return Err(told("not all of the rest is done"));
                }
                if done.unfinished.is_some() {
                    return Err(told("not finished"));
                }
                check_kept(&machine, keeps, &done).map_err(|what| told(&what))?;
            }
        }
    }
    Ok(())
}

/// Returns true if a conflict leaves such a path in a root without a state directory.
fn is_kept(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(is_reserved)
}

/// Checks that both contents of each conflict are kept and listed.
fn check_kept(machine: &Machine, keeps: Keeps, done: &CommitOutcome) -> Result<(), String> {
    let listed = with_journal(machine, keeps, |journal| journal.unresolved_operations());
    let listed = listed.map_err(|error| format!("{error:?}"))?;
    if listed.len() != usize::from(!done.conflicts.is_empty()) {
        return Err(format!("conflicts are not listed: {listed:?}"));
    }
    for conflict in &done.conflicts {
        let Some(ours) = done.record.entries[conflict.entry].action.new_hash() else {
            continue;
        };
        let tree = machine.state().tree();
        let is_in_tree = tree
            .values()
            .flatten()
            .any(|content| ContentHash::new(content) == ours);
        let is_kept = keeps == Keeps::History
            && with_journal(machine, keeps, |journal| journal.kept_content(ours))
                .is_ok_and(|kept| kept.is_some());
        if !is_in_tree && !is_kept {
            return Err(format!("our content is gone: {conflict:?}"));
        }
        let is_left = has_reserved(&tree);
        if keeps == Keeps::History && is_left {
            return Err("something is left".to_owned());
        }
    }
    Ok(())
}

/// The files of each case, old and new.
const SAVED: [(usize, &[&str]); 7] = [
    (0, &["a.md"]),
    (1, &["d/a.md", "e/b.md"]),
    (2, &["x/y/n.md", "m.md"]),
    (3, &["a.md", "d/b.md"]),
    (4, &["d/a.md", "e/c.md"]),
    (5, &["d/a.md", "n/a.md", "b.md"]),
    (6, &["a.md", "b.md"]),
];

#[test]
fn no_text_is_lost() -> Result<(), String> {
    for keeps in [Keeps::History, Keeps::Nothing] {
        for (case, paths) in SAVED {
            for at in paths {
                check(&CASES[case], keeps, at)?;
            }
        }
    }
    Ok(())
}

#[test]
fn what_changes_between_the_looks_stops_everything() -> Result<(), String> {
    // Before the commit point nothing is half done: the other file is unchanged.
    let start = State::with_files(CASES[1].files);
    let machine = Machine::recording(start.clone(), Platform::Guarded);
    commit(&machine, Keeps::History, (CASES[1].changes)()).map_err(|e| format!("{e:?}"))?;
    let mut refused = 0;
    for call in 0..machine.calls() {
        let machine = Machine::on(start.clone(), Platform::Guarded);
        machine.edit_at(call, |state| state.save("e/b.md", TEXT.as_bytes()));
        if let Err(Error::Conflict { path, .. }) =
            commit(&machine, Keeps::History, (CASES[1].changes)())
        {
            refused += 1;
            assert_eq!(path.as_str(), "e/b.md");
            assert_eq!(machine.state().tree()["d/a.md"], Some(b"old a".to_vec()));
        }
    }
    // The first read of the files cannot have caught this many.
    if refused < 20 {
        return Err(format!("the second look has caught little: {refused}"));
    }
    Ok(())
}

#[test]
fn a_recovery_that_meets_an_edit_keeps_both() -> Result<(), String> {
    let case = &CASES[1];
    let machine = Machine::recording(State::with_files(case.files), Platform::Guarded);
    commit(&machine, Keeps::History, (case.changes)()).map_err(|e| format!("{e:?}"))?;
    let after = machine.state().tree();
    let mut conflicts = 0;
    for mut state in machine.take_snapshots() {
        let is_done = state.tree().get("e/b.md") == after.get("e/b.md");
        state.save("e/b.md", TEXT.as_bytes());
        let left = recover(state, Keeps::History, Platform::Guarded)
            .map_err(|error| format!("{error:?}"))?;
        assert_eq!(left.tree()["e/b.md"], Some(TEXT.as_bytes().to_vec()));
        assert!(!has_reserved(&left.tree()));
        let machine = Machine::on(left, Platform::Guarded);
        let listed = with_journal(&machine, Keeps::History, |journal| {
            journal.unresolved_operations()
        });
        for record in listed.map_err(|error| format!("{error:?}"))? {
            assert!(!is_done || record.conflicts[0].kept.is_empty());
            assert_eq!(
                record.conflicts[0].found,
                Some(ContentHash::new(TEXT.as_bytes()))
            );
            for hash in &record.conflicts[0].kept {
                let kept = with_journal(&machine, Keeps::History, |journal| {
                    kept_text(journal, *hash)
                });
                assert_eq!(kept.as_deref(), Some("the new b"));
                conflicts += 1;
            }
        }
    }
    if conflicts == 0 {
        return Err("no conflict was met".to_owned());
    }
    Ok(())
}

#[test]
fn a_file_whose_destination_is_gone_goes_back() -> Result<(), String> {
    let case = &CASES[4];
    let machine = Machine::recording(State::with_files(case.files), Platform::Guarded);
    commit(&machine, Keeps::History, (case.changes)()).map_err(|e| format!("{e:?}"))?;
    let mut waited = 0;
    for mut state in machine.take_snapshots() {
        let tree = state.tree();
        if tree.contains_key("e/c.md") {
            continue;
        }
        waited += usize::from(!tree.contains_key("d/a.md"));
        state.remove("e");
        let left = recover(state, Keeps::History, Platform::Guarded);
        let left = left.map_err(|error| format!("{error:?}"))?.tree();
        assert_eq!(left["d/a.md"], Some(b"old a".to_vec()));
        assert!(!has_reserved(&left), "{left:?}");
    }
    if waited == 0 {
        return Err("it never waited aside".to_owned());
    }
    Ok(())
}
