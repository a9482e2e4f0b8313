//! Tests of the tests: if any single sync or check is omitted, one of them fails. A sync without
//! such a test would be superfluous, or the model disk too kind.

use docent_tree::disk::WriteFailure;

use super::crash::{SMALL, check_case};
use super::model::{Lasting, Machine, Platform, Random, State};
use super::*;
use crate::step::{Step, without};
use crate::undo::Target;

type Check = fn() -> Result<(), String>;

fn crashes(case: usize, keeps: Keeps) -> Result<(), String> {
    check_case(&CASES[case], keeps, Platform::Guarded, SMALL)
}

/// A journal that comes back must not take what a person has written since for a conflict.
fn a_finished_journal_stays_away() -> Result<(), String> {
    let machine = Machine::on(State::with_files(&[("a.md", "old")]), Platform::Guarded);
    let done = commit(&machine, Keeps::Nothing, vec![set("a.md", "old", "new")]);
    done.map_err(|error| format!("{error:?}"))?;
    let mut state = machine.state();
    state.save("a.md", b"newer");
    let expected = state.tree();
    for left in state.losses(64, &mut Random(5)) {
        let left = recover(left, Keeps::Nothing, Platform::Guarded);
        let tree = left.map_err(|error| format!("{error:?}"))?.tree();
        if tree != expected {
            return Err(format!("{tree:?}"));
        }
    }
    Ok(())
}

/// The contents of a conflict exist after any crash of the recovery that met it.
fn what_a_conflict_keeps_is_durable() -> Result<(), String> {
    let whole = Machine::recording(State::with_files(&[("a.md", "old")]), Platform::Guarded);
    let changes = || vec![set("a.md", "old", "ours")];
    commit(&whole, Keeps::History, changes()).map_err(|error| format!("{error:?}"))?;
    let mut random = Random(9);
    for mut state in whole.take_snapshots() {
        let is_done = state.tree()["a.md"] == Some(b"ours".to_vec());
        state.save("a.md", b"theirs");
        let machine = Machine::recording(state, Platform::Guarded);
        let recovered = with_journal(&machine, Keeps::History, |journal| journal.recover());
        let recovered = recovered
            .map_err(|error| format!("{error:?}"))?
            .rolled_forward;
        if is_done || recovered.is_none_or(|record| record.conflicts.is_empty()) {
            continue;
        }
        for state in machine
            .take_snapshots()
            .into_iter()
            .chain([machine.state()])
        {
            for left in state.losses(64, &mut random) {
                let left = recover(left, Keeps::History, Platform::Guarded);
                let machine = Machine::on(left.map_err(|e| format!("{e:?}"))?, Platform::Guarded);
                with_journal(&machine, Keeps::History, kept_by_conflicts)?;
            }
        }
    }
    Ok(())
}

fn kept_by_conflicts(journal: &Journal<Handle>) -> Result<(), String> {
    // Nothing is listed if the power failed before the commit was durable: all files are old then.
    for record in journal
        .unresolved_operations()
        .map_err(|error| format!("{error:?}"))?
    {
        let hashes: Vec<_> = record.conflicts.iter().flat_map(|c| &c.kept).collect();
        let contents: Vec<_> = hashes
            .iter()
            .map(|hash| kept_text(journal, **hash))
            .collect();
        if contents != [Some("ours".to_owned())] {
            return Err(format!("our content is gone: {contents:?}"));
        }
    }
    Ok(())
}

/// Without a state directory no reserved name stays in the root without a journal that names it.
fn what_a_conflict_leaves_in_a_root_is_told() -> Result<(), String> {
    let whole = Machine::recording(State::with_files(&[("a.md", "old")]), Platform::Guarded);
    let done = commit(&whole, Keeps::Nothing, vec![set("a.md", "old", "ours")]);
    done.map_err(|error| format!("{error:?}"))?;
    let (mut random, mut told) = (Random(13), 0);
    for mut state in whole.take_snapshots() {
        if state.tree()["a.md"] == Some(b"ours".to_vec()) {
            continue;
        }
        state.save("a.md", b"theirs");
        let machine = Machine::recording(state, Platform::Guarded);
        let recovered = with_journal(&machine, Keeps::Nothing, |journal| journal.recover());
        recovered.map_err(|error| format!("{error:?}"))?;
        for state in machine
            .take_snapshots()
            .into_iter()
            .chain([machine.state()])
        {
            for left in state.losses(64, &mut random) {
                let left = recover(left, Keeps::Nothing, Platform::Guarded);
                let left = left.map_err(|error| format!("{error:?}"))?;
                let is_left = has_reserved(&left.tree());
                let machine = Machine::on(left, Platform::Guarded);
                let unresolved =
                    with_journal(&machine, Keeps::Nothing, |j| j.unresolved_operations());
                if unresolved.as_ref().map(|records| !records.is_empty()) != Ok(is_left) {
                    return Err(format!("{is_left} and {unresolved:?}"));
                }
                told += usize::from(is_left);
            }
        }
    }
    match told {
        0 => Err("no conflict was met".to_owned()),
        _ => Ok(()),
    }
}

/// After a failure and its cleanup, no file comes back without the journal that names it.
fn what_was_prepared_in_vain_stays_away() -> Result<(), String> {
    let start = State::with_files(&[("d/a.md", "old"), ("b.md", "old")]);
    let changes = || vec![set("d/a.md", "old", "new"), set("b.md", "old", "new")];
    for call in 0..200 {
        let machine = Machine::on(start.clone(), Platform::Guarded);
        machine.fail(call, WriteFailure::NoSpace, Lasting::Once);
        if commit(&machine, Keeps::History, changes()).is_ok() {
            continue;
        }
        for left in machine.state().losses(64, &mut Random(11)) {
            let left = recover(left, Keeps::History, Platform::Guarded);
            let tree = left.map_err(|error| format!("{error:?}"))?.tree();
            if tree != start.tree() {
                return Err(format!("{tree:?}"));
            }
        }
    }
    Ok(())
}

fn between_the_looks() -> Result<(), String> {
    let (start, text) = (State::with_files(CASES[1].files), b"theirs");
    let calls = Machine::recording(start.clone(), Platform::Guarded);
    commit(&calls, Keeps::History, (CASES[1].changes)()).map_err(|e| format!("{e:?}"))?;
    let mut late = 0;
    for call in 0..calls.calls() {
        let machine = Machine::on(start.clone(), Platform::Guarded);
        machine.edit_at(call, |state| state.save("e/b.md", text));
        let done = commit(&machine, Keeps::History, (CASES[1].changes)());
        late += usize::from(done.is_ok_and(|done| !done.conflicts.is_empty()));
    }
    // Only an edit between the second read and the rename may be met so late.
    if late > 30 {
        return Err(format!("{late} edits were met after the commit point"));
    }
    Ok(())
}

/// A file under the name of a prepared one is put in place only if it holds what was prepared.
fn a_prepared_file_that_someone_changed() -> Result<(), String> {
    let start = State::with_files(&[("a.md", "old")]);
    let machine = Machine::recording(start, Platform::Guarded);
    let done = commit(&machine, Keeps::History, vec![set("a.md", "old", "new")]);
    done.map_err(|error| format!("{error:?}"))?;
    for mut state in machine.take_snapshots() {
        let tree = state.tree();
        let Some(prepared) = tree.keys().find(|path| path.starts_with(".docent-set-")) else {
            continue;
        };
        state.save(prepared, b"someone else's");
        let left = recover(state, Keeps::History, Platform::Guarded);
        let left = left.map_err(|error| format!("{error:?}"))?.tree();
        if left["a.md"] != Some(b"old".to_vec()) {
            return Err(format!("{left:?}"));
        }
    }
    Ok(())
}

fn a_kept_content_that_someone_changed() -> Result<(), String> {
    let machine = Machine::on(State::with_files(&[("a.md", "old")]), Platform::Guarded);
    let done = commit(&machine, Keeps::History, vec![set("a.md", "old", "new")]);
    done.map_err(|error| format!("{error:?}"))?;
    let mut state = machine.state();
    let hash = ContentHash::new(b"old").to_string();
    state.tamper("objects", &hash, b"someone else's");
    let machine = Machine::on(state, Platform::Guarded);
    let undone = with_journal(&machine, Keeps::History, |j| {
        j.undo(Target::Latest, "m", NOW)
    });
    match undone {
        Err(Error::ContentGone(_)) => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

fn edited(case: usize, at: &'static str) -> Result<(), String> {
    editor::check(&CASES[case], Keeps::History, at)
}

macro_rules! mutants {
    ($($name:ident: $step:ident => $check:expr;)*) => {$(
        #[test]
        fn $name() -> Result<(), String> {
            let check: Check = $check;
            check()?;
            match without(Step::$step, check) {
                Ok(()) => Err("nothing fails without it".to_owned()),
                Err(_) => Ok(()),
            }
        }
    )*

    #[test]
    fn each_step_has_a_test() {
        // The match keeps the list complete: a new step does not compile without a line above.
        let listed = |step: Step| match step {
            $(Step::$step => stringify!($name),)*
        };
        assert_eq!(listed(Step::Commit), "commit_sync");
    }};
}

mutants! {
    object_content_sync: ObjectContent => || crashes(0, Keeps::History);
    object_names_sync: ObjectNames => || crashes(0, Keeps::History);
    journal_content_sync: JournalContent => || crashes(0, Keeps::History);
    journal_name_sync: JournalName => || crashes(1, Keeps::History);
    prepared_content_sync: PreparedContent => || crashes(0, Keeps::History);
    prepared_names_sync: PreparedNames => || crashes(1, Keeps::History);
    made_names_sync: MadeNames => || crashes(2, Keeps::History);
    commit_sync: Commit => || crashes(1, Keeps::History);
    commit_sync_in_recovery: CommitFound => || crashes(1, Keeps::History);
    placed_names_sync: PlacedNames => || crashes(1, Keeps::History);
    leftover_names_sync: LeftoverNames => || crashes(4, Keeps::History);
    conflict_names_sync: ConflictNames => what_a_conflict_keeps_is_durable;
    unresolved_content_sync: UnresolvedContent => what_a_conflict_leaves_in_a_root_is_told;
    unresolved_name_sync: UnresolvedName => what_a_conflict_leaves_in_a_root_is_told;
    record_content_sync: RecordContent => || crashes(0, Keeps::History);
    record_name_sync: RecordName => || crashes(0, Keeps::History);
    journal_gone_sync: JournalGone => a_finished_journal_stays_away;
    rolled_back_names_sync: RolledBackNames => what_was_prepared_in_vain_stays_away;
    placeholder_gone_sync: PlaceholderGone => || {
        check_case(&CASES[0], Keeps::History, Platform::Stock, SMALL)
    };
    pruned_names_sync: PrunedNames => super::history::check_pruning;
    restored_content_sync: RestoredContent => super::withdrawn::check;
    restoring_names_sync: RestoringNames => super::withdrawn::check;
    restored_names_sync: RestoredNames => super::withdrawn::check;
    withdrawal_sync: Withdrawal => super::withdrawn::check;
    second_check: SecondCheck => between_the_looks;
    replaced_version_check: ReplacedVersion => || edited(0, "a.md");
    nothing_replaced_check: NothingReplaced => || edited(2, "m.md");
    deleted_content_check: DeletedContent => || edited(3, "d/b.md");
    moved_content_check: MovedContent => || edited(4, "d/a.md");
    prepared_hash_check: PreparedHash => a_prepared_file_that_someone_changed;
    object_hash_check: ObjectHash => a_kept_content_that_someone_changed;
}
