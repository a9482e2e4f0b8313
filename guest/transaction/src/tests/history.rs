//! Tests of the limits of the history, and of the order in which it is pruned.

use super::model::{Machine, Platform, Random, State};
use super::*;
use crate::limits::HistoryLimits;
use crate::undo::Target;

/// Changes `a.md` from version to version, an hour apart, with 100 bytes in each.
fn with_operations(count: i64) -> State {
    let text = |version: i64| format!("{version:0100}");
    let machine = Machine::on(State::with_files(&[("a.md", &text(0))]), Platform::Guarded);
    for version in 0..count {
        let request = Request {
            now_ms: NOW + version * 3_600_000,
            ..request(vec![set("a.md", &text(version), &text(version + 1))])
        };
        let done = with_journal(&machine, Keeps::History, |journal| journal.commit(request));
        assert!(done.is_ok_and(|done| done.unfinished.is_none()));
    }
    machine.state()
}

fn pruned(machine: &Machine, limits: HistoryLimits, now_ms: i64) -> Vec<u64> {
    with_root_and_state(machine, |journal| {
        let journal = journal.with_limits(limits);
        assert_eq!(journal.prune(now_ms), Ok(()));
        ids(&journal)
    })
}

fn ids(journal: &Journal<Handle>) -> Vec<u64> {
    let named = journal.record_names().unwrap_or_default();
    named.into_iter().map(|named| named.id).collect()
}

fn with_root_and_state<R>(machine: &Machine, act: impl FnOnce(Journal<Handle>) -> R) -> R {
    let root = Writable::root(machine, 0, Consent::Withheld).expect("the root opens");
    let state = Writable::state(machine, 0).expect("the state opens");
    act(Journal::new(&root, state.as_ref()))
}

#[test]
fn the_oldest_go_first_and_never_the_latest() {
    let state = with_operations(6);
    let end = NOW + 5 * 3_600_000;
    let limits = |operations, hours: i64, bytes| HistoryLimits {
        operations,
        age_ms: hours * 3_600_000,
        bytes,
    };
    for (limits, now_ms, expected) in [
        (limits(9, 99, 9_999), end, &[1, 2, 3, 4, 5, 6][..]),
        (limits(2, 99, 9_999), end, &[5, 6]),
        (limits(0, 99, 9_999), end, &[6]),
        (limits(9, 2, 9_999), end, &[4, 5, 6]),
        (limits(9, 2, 9_999), end + 99 * 3_600_000, &[6]),
        (limits(9, 99, 250), end, &[5, 6]),
        (limits(9, 99, 0), end, &[6]),
    ] {
        let machine = Machine::on(state.clone(), Platform::Guarded);
        assert_eq!(pruned(&machine, limits, now_ms), expected, "{limits:?}");
        let kept = with_journal(&machine, Keeps::History, |journal| journal.kept_bytes());
        assert_eq!(kept, Ok(expected.len() as u64 * 100), "{limits:?}");
        let undone = with_journal(&machine, Keeps::History, |j| {
            j.undo(Target::Latest, "m", NOW)
        });
        assert!(undone.is_ok());
    }
}

#[test]
fn a_change_that_no_history_could_hold_is_refused() {
    let machine = Machine::on(
        State::with_files(&[("a.md", "0123456789")]),
        Platform::Guarded,
    );
    let limits = HistoryLimits {
        bytes: 9,
        ..HISTORY
    };
    let refused = with_root_and_state(&machine, |journal| {
        let journal = journal.with_limits(limits);
        journal.commit(request(vec![set("a.md", "0123456789", "x")]))
    });
    assert_eq!(refused.err(), Some(Error::TooLarge(10, 9)));
}

#[test]
fn history_goes_by_itself_after_some_operations() {
    let limits = HistoryLimits {
        operations: 3,
        ..HISTORY
    };
    let machine = Machine::on(State::with_files(&[("a.md", "0")]), Platform::Guarded);
    let mut most = 0;
    for version in 0..40 {
        let changes = vec![set(
            "a.md",
            &version.to_string(),
            &(version + 1).to_string(),
        )];
        with_root_and_state(&machine, |journal| {
            let journal = journal.with_limits(limits);
            assert!(journal.commit(request(changes)).is_ok());
            most = most.max(ids(&journal).len());
        });
    }
    assert!(most < 3 + 16, "{most}");
}

#[test]
fn history_goes_after_a_commit_that_was_cut_off_as_well() {
    let limits = HistoryLimits {
        operations: 3,
        ..HISTORY
    };
    let machine = Machine::recording(with_operations(5), Platform::Guarded);
    let (old, new) = (format!("{:0100}", 5), format!("{:0100}", 6));
    let done = with_journal(&machine, Keeps::History, |journal| {
        journal.commit(request(vec![set("a.md", &old, &new)]))
    });
    assert!(done.is_ok());
    let mut finished = 0;
    for state in machine.take_snapshots() {
        let machine = Machine::on(state, Platform::Guarded);
        with_root_and_state(&machine, |journal| {
            let journal = journal.with_limits(limits);
            if journal
                .recover()
                .is_ok_and(|found| found.rolled_forward.is_some())
            {
                finished += 1;
                assert_eq!(ids(&journal), [4, 5, 6]);
            }
        });
    }
    assert!(finished > 0);
}

#[test]
fn pages_put_together_are_the_whole() {
    let machine = Machine::on(with_operations(5), Platform::Guarded);
    let undo = |journal: &Journal<Handle>| journal.undo(Target::Latest, "manage", NOW);
    with_journal(&machine, Keeps::History, undo).expect("it is undone");
    let page = |before, limit| {
        with_journal(&machine, Keeps::History, |journal| {
            journal.history(before, limit)
        })
        .expect("there is a history")
    };
    let whole = page(None, 99);
    let ids: Vec<u64> = whole.operations.iter().map(|o| o.record.id).collect();
    assert_eq!(ids, [6, 5, 4, 3, 2, 1]);
    let undone: Vec<bool> = whole.operations.iter().map(|o| o.is_undone).collect();
    assert_eq!(undone, [false, true, false, false, false, false]);
    assert_eq!(
        whole.operations[0].record.entries[0].lines,
        LineCounts {
            added: 2,
            removed: 1
        }
    );
    for limit in 1..7 {
        let (mut before, mut together) = (None, Vec::new());
        loop {
            let part = page(before, limit);
            together.extend(part.operations);
            before = part.next;
            if before.is_none() {
                break;
            }
        }
        assert_eq!(together, whole.operations, "{limit}");
    }
}

/// Checks that no readable record names a content that is gone, whenever the power fails.
pub(super) fn check_pruning() -> Result<(), String> {
    let machine = Machine::recording(with_operations(3), Platform::Guarded);
    let limits = HistoryLimits {
        operations: 1,
        ..HISTORY
    };
    pruned(&machine, limits, NOW);
    let mut random = Random(3);
    for state in machine
        .take_snapshots()
        .into_iter()
        .chain([machine.state()])
    {
        for left in state.losses(64, &mut random) {
            let machine = Machine::on(left, Platform::Guarded);
            let whole = with_journal(&machine, Keeps::History, |journal| {
                let page = journal.history(None, 9)?;
                let mut objects = page.operations.iter().flat_map(|o| o.record.objects());
                Ok::<_, Error>(
                    objects.all(|hash| journal.kept_content(hash).is_ok_and(|k| k.is_some())),
                )
            });
            if whole != Ok(true) {
                return Err("a record names what is gone".to_owned());
            }
        }
    }
    Ok(())
}

#[test]
fn a_record_goes_before_its_contents() -> Result<(), String> {
    check_pruning()
}

#[test]
fn a_damaged_record_hides_no_other_and_keeps_contents_from_going() {
    let mut state = with_operations(3);
    state.tamper("history", "0000000002", b"docent operation 1\tnonsense");
    let machine = Machine::on(state, Platform::Guarded);
    let before = with_journal(&machine, Keeps::History, |journal| journal.kept_bytes());
    let page = with_journal(&machine, Keeps::History, |journal| journal.history(None, 9))
        .expect("there is a history");
    assert_eq!((page.operations.len(), page.damaged), (2, vec![2]));
    pruned(&machine, HISTORY, NOW);
    let after = with_journal(&machine, Keeps::History, |journal| journal.kept_bytes());
    assert_eq!(before, after);
}

#[test]
fn as_many_changes_as_are_kept_can_be_taken_back_and_brought_back() {
    let count = 24;
    let limits = HistoryLimits {
        operations: 24,
        age_ms: i64::MAX,
        bytes: u64::MAX,
    };
    let machine = Machine::on(with_operations(count), Platform::Guarded);
    let version = |machine: &Machine| {
        let text = machine.state().tree()["a.md"].clone().unwrap_or_default();
        let text = String::from_utf8(text).unwrap_or_default();
        text.parse::<i64>().ok()
    };
    for step in 1..=count {
        let undone = with_root_and_state(&machine, |journal| {
            let journal = journal.with_limits(limits);
            journal.undo(Target::Latest, "manage", NOW)
        });
        assert!(undone.is_ok(), "{step}: {undone:?}");
        assert_eq!(version(&machine), Some(count - step));
    }
    for step in 1..=count {
        let redone = with_root_and_state(&machine, |journal| {
            let journal = journal.with_limits(limits);
            journal.redo(Target::Latest, "manage", NOW)
        });
        assert!(redone.is_ok(), "{step}: {redone:?}");
        assert_eq!(version(&machine), Some(step));
    }
}
