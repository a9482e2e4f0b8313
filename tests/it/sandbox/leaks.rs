//! Tests that hundreds of hostile calls leak no threads and no descriptors.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::alone::output_alone;
use super::deed::GuestDeed;
use super::hostile::Threads;
use super::machine::{count_of, make_fifo};
use docent_host::{CallControl, CallError, Fault, Limits};
use docent_tests::guest::{limits, stepping};
use serde_json::json;

/// Number of calls on one engine.
const CALLS: usize = 600;

/// Maximum time in which stopped threads end.
const SETTLING: Duration = Duration::from_secs(20);

/// The deeds that end in every possible way. A call that never ends by itself takes the whole
/// limit.
const DEEDS: [(GuestDeed, &str); 12] = [
    (GuestDeed::Panic, ""),
    (GuestDeed::Recurse, ""),
    (GuestDeed::Allocate, ""),
    (GuestDeed::Exit, ""),
    (GuestDeed::HoldDescriptors, ""),
    (GuestDeed::HoldStreams, ""),
    (GuestDeed::HoldPollables, ""),
    (GuestDeed::Keep, "innocent.md"),
    (GuestDeed::Open, "fifo"),
    (GuestDeed::Answer, "5000000"),
    (GuestDeed::Behave, ""),
    (GuestDeed::Sleep, ""),
];

/// Maximum additional descriptors of a second pool thread with a warm instance of its own.
const SECOND_THREAD: usize = 4;

fn assert_stable(warm: (usize, usize)) {
    let now = counts();
    let is_stable = now.0 <= warm.0 + 1 && now.1 <= warm.1 + SECOND_THREAD;
    assert!(is_stable, "threads and descriptors: {warm:?}, then {now:?}");
}

/// Returns the numbers of threads and descriptors of this process.
fn counts() -> (usize, usize) {
    (count_of("task"), count_of("fd"))
}

#[test]
fn hostile_calls_leave_nothing_behind() {
    if output_alone("sandbox::leaks::hostile_calls_leave_nothing_behind").is_none() {
        call_and_count();
    }
}

fn call_and_count() {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path();
    std::fs::write(root.join("innocent.md"), "harbour").unwrap();
    make_fifo(&root.join("fifo")).unwrap();
    for index in 0..50 {
        make_fifo(&root.join(format!("fifo-{index}.md"))).unwrap();
    }
    let tight = stepping(Limits {
        timeout: Duration::from_millis(60),
        memory: 32 << 20,
        ..limits()
    });
    // The component is loaded once for the whole process, and its image stays open.
    let alone = counts().0;
    let docent = Threads::docent(root, limits());
    let config = docent.call("get-config", json!({}), CallControl::default());
    assert!(config.is_ok(), "{config:?}");
    drop(docent);
    settle(|| counts().0 == alone);
    let before = counts();

    let threads = Threads::hostile(root, tight.clone());
    let one_round = |call: usize| {
        let (deed, object) = DEEDS[call % DEEDS.len()];
        // Every other sleeping call is cancelled instead of timing out.
        let control = CallControl::default();
        if deed == GuestDeed::Sleep && (call / DEEDS.len()).is_multiple_of(2) {
            control.cancel.cancel();
        }
        let end = threads.make_it(deed.to(object), control);
        match deed {
            GuestDeed::Behave => assert_eq!(end.unwrap(), "behaved"),
            GuestDeed::Open => assert!(!end.unwrap().contains("opened")),
            GuestDeed::Keep => assert_eq!(end.unwrap(), "kept 10"),
            _ => assert!(matches!(end, Err(CallError::Fault(_))), "{deed:?}: {end:?}"),
        }
    };
    (0..2 * DEEDS.len()).for_each(one_round);
    // Kept descriptors are dropped with the instance, at the next deed that ends it.
    one_round(0);
    let warm = counts();
    (0..CALLS).for_each(one_round);
    one_round(0);
    assert_stable(warm);

    // The same for the real component, over a tree of FIFOs.
    let docent = Threads::docent(root, limits());
    let search = || {
        let arguments = json!({ "query": "harbour" });
        let answer = docent
            .call("search-documents", arguments, CallControl::default())
            .unwrap();
        assert_eq!(answer["totalMatches"], 1, "{answer}");
        assert_eq!(answer["stats"]["skipped"]["count"], 51, "{answer}");
    };
    search();
    let warm = counts();
    (0..CALLS).for_each(|_| search());
    assert_stable(warm);
    drop(docent);

    // A call that is running when the engine is dropped.
    let last = Threads::hostile(
        root,
        Limits {
            timeout: SETTLING,
            ..tight
        },
    );
    let control = CallControl::default();
    let token = control.cancel.clone();
    let control = CallControl {
        progress: Some(Arc::new(move |_| token.cancel())),
        ..control
    };
    let end = last.make_it(GuestDeed::Loop, control);
    assert!(
        matches!(end, Err(CallError::Fault(Fault::Cancelled))),
        "{end:?}"
    );
    drop(last);
    drop(threads);

    settle(|| counts() == before);
    assert_eq!(before, counts());
}

/// Waits until stopped threads have ended.
fn settle(is_settled: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_settled() && started.elapsed() < SETTLING {
        std::thread::yield_now();
    }
}
