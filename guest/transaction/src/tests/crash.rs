//! Tests of a crash at every call, with every legal loss.

use super::model::{Machine, Platform, Random, State, Tree};
use super::*;
use crate::undo::Target;

/// The thoroughness of a check.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// Maximum losses tried at each crash.
    pub(super) losses: usize,
    /// Maximum losses tried at each crash of the recovery itself.
    pub(super) second: usize,
}

pub(super) const SMALL: Effort = Effort {
    losses: 24,
    second: 2,
};

/// The law that a disk must satisfy after recovery.
struct Law<'c> {
    before: &'c Tree,
    after: &'c Tree,
    keeps: Keeps,
    platform: Platform,
}

/// The moment of a crash: before or after the operation returned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Underway,
    Returned,
}

impl Law<'_> {
    fn check(&self, left: State, when: When) -> Result<(), String> {
        let state = recover(left, self.keeps, self.platform)
            .map_err(|error| format!("recovery fails: {error:?}"))?;
        let tree = state.tree();
        let is_after = tree == *self.after;
        if !is_after && (tree != *self.before || when == When::Returned) {
            return Err(format!("neither old nor new: {:?}", as_texts(&tree)));
        }
        let machine = Machine::on(state, self.platform);
        let unresolved = with_journal(&machine, self.keeps, |journal| {
            journal.unresolved_operations()
        });
        if unresolved.as_ref().map(Vec::len) != Ok(0) {
            return Err(format!("a conflict with nobody: {unresolved:?}"));
        }
        if self.keeps == Keeps::Nothing {
            return Ok(());
        }
        let listed = with_journal(&machine, self.keeps, |journal| journal.history(None, 9));
        let page = listed.map_err(|error| format!("no history: {error:?}"))?;
        if page.operations.len() != usize::from(is_after) || !page.damaged.is_empty() {
            return Err(format!("the history does not agree: {page:?}"));
        }
        if is_after {
            let undone = with_journal(&machine, self.keeps, |journal| {
                journal.undo(Target::Latest, "manage", NOW)
            });
            if let Err(error) = undone {
                return Err(format!("cannot be undone: {error:?}"));
            }
            if machine.state().tree() != *self.before {
                return Err("undone, and not as before".to_owned());
            }
        }
        Ok(())
    }
}

fn as_texts(tree: &Tree) -> Vec<(&str, Option<String>)> {
    let text = |content: &Vec<u8>| String::from_utf8_lossy(content).into_owned();
    tree.iter()
        .map(|(path, content)| (path.as_str(), content.as_ref().map(text)))
        .collect()
}

/// Crashes `act` at every call, with every legal loss.
pub(super) fn check(
    start: &State,
    keeps: Keeps,
    platform: Platform,
    effort: Effort,
    act: impl Fn(&Journal<Handle>) -> Result<CommitOutcome, Error>,
) -> Result<(), String> {
    let machine = Machine::recording(start.clone(), platform);
    let done = with_journal(&machine, keeps, &act).map_err(|error| format!("{error:?}"))?;
    if done.unfinished.is_some() || !done.conflicts.is_empty() {
        return Err(format!("not done: {done:?}"));
    }
    let law = Law {
        before: &start.tree(),
        after: &machine.state().tree(),
        keeps,
        platform,
    };
    if has_reserved(law.after) || law.after == law.before {
        return Err(format!("done, and left as {:?}", as_texts(law.after)));
    }
    let mut random = Random(0x5eed_0fd0_ce00_0001);
    let crashes = machine
        .take_snapshots()
        .into_iter()
        .map(|state| (state, When::Underway));
    for (call, (state, when)) in crashes
        .chain([(machine.state(), When::Returned)])
        .enumerate()
    {
        // The process is killed, and what was pending still is. Then the recovery is killed, and
        // the power fails.
        law.check(state.clone(), when)
            .map_err(|told| format!("killed at {call}: {told}"))?;
        check_second(&law, &state, when, effort.losses, &mut random)
            .map_err(|told| format!("killed at {call}, {told}"))?;
        for left in state.losses(effort.losses, &mut random) {
            law.check(left.clone(), when)
                .map_err(|told| format!("power at {call}: {told}"))?;
            if random.next().is_multiple_of(8) {
                check_second(&law, &left, when, effort.second, &mut random)
                    .map_err(|told| format!("power at {call}, {told}"))?;
            }
        }
    }
    Ok(())
}

fn check_second(
    law: &Law<'_>,
    left: &State,
    when: When,
    losses: usize,
    random: &mut Random,
) -> Result<(), String> {
    let machine = Machine::recording(left.clone(), law.platform);
    let recovered = with_journal(&machine, law.keeps, |journal| journal.recover());
    recovered.map_err(|error| format!("recovery fails: {error:?}"))?;
    let crashes = machine
        .take_snapshots()
        .into_iter()
        .chain([machine.state()]);
    for (call, state) in crashes.enumerate() {
        let mut states = state.losses(losses, random);
        // A sample of many states, which differs from call to call.
        while states.len() > losses.max(1) {
            let index = random.next() % states.len() as u64;
            states.swap_remove(usize::try_from(index).unwrap_or_default());
        }
        for state in states {
            law.check(state, when)
                .map_err(|told| format!("again at {call}: {told}"))?;
        }
    }
    Ok(())
}

pub(super) fn check_case(
    case: &Case,
    keeps: Keeps,
    platform: Platform,
    effort: Effort,
) -> Result<(), String> {
    let start = State::with_files(case.files);
    check(&start, keeps, platform, effort, |journal| {
        journal.commit(request((case.changes)()))
    })
    .map_err(|told| format!("{}, {keeps:?}, {platform:?}: {told}", case.name))
}

#[test]
fn all_old_or_all_new_with_a_history() -> Result<(), String> {
    CASES
        .iter()
        .try_for_each(|case| check_case(case, Keeps::History, Platform::Guarded, SMALL))
}

#[test]
fn all_old_or_all_new_without_a_state_directory() -> Result<(), String> {
    CASES
        .iter()
        .try_for_each(|case| check_case(case, Keeps::Nothing, Platform::Guarded, SMALL))
}

#[test]
fn all_old_or_all_new_on_other_hosts() -> Result<(), String> {
    for keeps in [Keeps::History, Keeps::Nothing] {
        for case in CASES {
            check_case(case, keeps, Platform::Stock, SMALL)?;
        }
    }
    Ok(())
}

#[test]
fn an_undo_is_all_or_nothing_as_well() -> Result<(), String> {
    for case in CASES {
        let machine = Machine::on(State::with_files(case.files), Platform::Guarded);
        commit(&machine, Keeps::History, (case.changes)()).map_err(|e| format!("{e:?}"))?;
        let before = machine.state();
        let recording = Machine::recording(before.clone(), Platform::Guarded);
        let undo = |journal: &Journal<Handle>| journal.undo(Target::Latest, "manage", NOW);
        with_journal(&recording, Keeps::History, undo).map_err(|e| format!("{e:?}"))?;
        let after = recording.state();
        let trees = [before.tree(), after.tree()];
        if trees[1] != State::with_files(case.files).tree() {
            return Err(format!("{}: undone, and not as before", case.name));
        }
        let mut random = Random(7);
        for (call, state) in recording
            .take_snapshots()
            .into_iter()
            .chain([after])
            .enumerate()
        {
            for left in state.losses(24, &mut random).into_iter().chain([state]) {
                let told = |what: &str| format!("{}, at {call}: {what}", case.name);
                let left = recover(left, Keeps::History, Platform::Guarded)
                    .map_err(|error| told(&format!("{error:?}")))?;
                let is_undone = left.tree() == trees[1];
                if !is_undone && left.tree() != trees[0] {
                    return Err(told("neither done nor undone"));
                }
                let machine = Machine::on(left, Platform::Guarded);
                let page = with_journal(&machine, Keeps::History, |j| j.history(None, 9));
                let listed = page.map(|page| page.operations.len());
                if listed != Ok(1 + usize::from(is_undone)) {
                    return Err(told("the history does not agree"));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_directory_that_moves_is_all_here_or_all_there() -> Result<(), String> {
    let start = State::with_files(&[("d/a.md", "a"), ("d/e/b.md", "b"), ("f.md", "f")]);
    for keeps in [Keeps::History, Keeps::Nothing] {
        check(&start, keeps, Platform::Guarded, SMALL, |journal| {
            let changes = vec![
                move_file("d/a.md", "a", "n/m/a.md", Some("new")),
                move_file("d/e/b.md", "b", "n/m/e/b.md", None),
                set("f.md", "f", "g"),
            ];
            journal.commit(Request {
                emptied: vec![path("d/e"), path("d")],
                ..request(changes)
            })
        })?;
    }
    Ok(())
}

#[test]
fn a_large_transaction_by_samples() -> Result<(), String> {
    let names: Vec<String> = (0..8).map(|n| format!("d{}/f{n}.md", n % 3)).collect();
    let mut start = State::with_files(&[]);
    for name in &names {
        start.save(name, name.as_bytes());
    }
    let changes = || {
        let edits = names.iter().enumerate().map(|(n, name)| match n % 4 {
            0 => set(name, name, &format!("the new {name}")),
            1 => delete(name, name),
            2 => move_file(name, name, &format!("moved/{n}.md"), None),
            _ => move_file(name, name, &format!("d0/moved-{n}.md"), Some("changed")),
        });
        let mut edits: Vec<Change> = edits.collect();
        edits.push(new("d1/new/n.md", "n"));
        edits
    };
    for keeps in [Keeps::History, Keeps::Nothing] {
        let effort = Effort {
            losses: 3,
            second: 1,
        };
        check(&start, keeps, Platform::Guarded, effort, |journal| {
            journal.commit(request(changes()))
        })?;
    }
    Ok(())
}

#[test]
fn killed_without_a_loss_of_power_where_directories_cannot_be_synced() -> Result<(), String> {
    for case in CASES {
        let platform = Platform::WithoutDirectorySync;
        let start = State::with_files(case.files);
        let machine = Machine::recording(start.clone(), platform);
        let done = commit(&machine, Keeps::History, (case.changes)());
        let durability = done.map(|done| done.durability);
        if durability != Ok(docent_tree::disk::Durability::Unknown) {
            return Err(format!("{}: {durability:?}", case.name));
        }
        let trees = [start.tree(), machine.state().tree()];
        for state in machine.take_snapshots() {
            let left = recover(state, Keeps::History, platform).map_err(|e| format!("{e:?}"))?;
            if !trees.contains(&left.tree()) {
                return Err(format!("{}: neither old nor new", case.name));
            }
        }
    }
    Ok(())
}
