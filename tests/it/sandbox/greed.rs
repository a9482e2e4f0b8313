//! Tests that a guest that exceeds its share ends within its limit, and that the next call is
//! answered.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::alone::output_alone;
use super::deed::{GuestDeed, Order};
use super::hostile::{Threads, hostile, make_it};
use super::machine::{left_out, make_sparse};
use docent_host::grant::Right;
use docent_host::{CallControl, CallError, Fault, Limits, Session, Settings};
use docent_tests::guest::{grant, limits, looks, stepping};
use serde_json::Map;

use super::tree::Tree;

/// Time limit of a call in these tests.
const SHORT: Duration = Duration::from_millis(400);

/// Maximum clock checks of a call beyond its limit: its runner and its waiter may check at the same
/// time.
const LATE: u32 = 2;

fn tight() -> Limits {
    stepping(Limits {
        timeout: SHORT,
        memory: 64 << 20,
        ..limits()
    })
}

/// Makes a guest perform a deed, checks that it ended in time and that the next call is answered,
/// and returns the outcome.
fn end_of(order: impl Into<Order>) -> Result<String, Fault> {
    let order: Order = order.into();
    let tree = Tree::new();
    let limits = tight();
    let clock = limits.clock.clone();
    let threads = Threads::hostile(&tree.root, limits);
    let end = threads.make_it(order.clone(), CallControl::default());
    let took = clock.looks();
    assert!(took <= looks(SHORT) + LATE, "{order:?} took {took} looks");
    for _ in 0..3 {
        let next = threads.make_it(GuestDeed::Behave, CallControl::default());
        assert_eq!(next.unwrap(), "behaved", "after {order:?}");
    }
    end.map_err(|error| match error {
        CallError::Fault(fault) => fault,
        CallError::Refused(refusal) => panic!("{refusal}"),
    })
}

/// A component whose only module loops in its start function, before any call.
const LOOPS_AT_ITS_START: [u8; 48] = [
    0, b'a', b's', b'm', 13, 0, 1, 0, // a component
    1, 32, // with a module
    0, b'a', b's', b'm', 1, 0, 0, 0, //
    1, 4, 1, 0x60, 0, 0, // a type: () -> ()
    3, 2, 1, 0, // a function of it
    8, 1, 0, // that is called at the start
    10, 9, 1, 7, 0, 3, 0x40, 12, 0, 11, 11, // loop br 0 end end
    2, 4, 1, 0, 0, 0, // and an instance of the module
];

#[test]
fn what_never_starts_is_ended_at_its_limit() {
    let tree = Tree::new();
    let limits = tight();
    let clock = limits.clock.clone();
    let session = Session::compile(
        &LOOPS_AT_ITS_START,
        grant(&tree.root, Right::ReadOnly),
        Settings::default(),
        limits,
    );
    let end = session.unwrap().call("anything", Map::new());
    let is_timeout = |fault: &Fault| *fault == Fault::Timeout(SHORT);
    assert!(matches!(&end, Err(CallError::Fault(fault)) if is_timeout(fault)));
    assert!(clock.looks() <= looks(SHORT) + LATE);
}

#[test]
fn what_never_ends_is_ended_at_its_limit() {
    for deed in [
        GuestDeed::Loop,
        GuestDeed::Sleep,
        GuestDeed::SleepOften,
        GuestDeed::AskTheTime,
        GuestDeed::AskForStatus,
    ] {
        assert_eq!(end_of(deed), Err(Fault::Timeout(SHORT)), "{deed:?}");
    }
}

#[test]
fn memory_without_end_is_not_given() {
    assert_eq!(
        end_of(GuestDeed::Allocate),
        Err(Fault::OutOfMemory(64 << 20))
    );
}

#[test]
fn recursion_without_end_ends_the_call() {
    let end = end_of(GuestDeed::Recurse);
    assert!(matches!(&end, Err(Fault::Trap(_))), "{end:?}");
}

#[test]
fn panicking_and_leaving_end_the_call() {
    for deed in [GuestDeed::Panic, GuestDeed::Exit] {
        let end = end_of(deed);
        assert!(matches!(&end, Err(Fault::Trap(_))), "{deed:?}: {end:?}");
    }
}

#[test]
fn handles_are_counted() {
    for deed in [
        GuestDeed::HoldDescriptors,
        GuestDeed::HoldStreams,
        GuestDeed::HoldPollables,
    ] {
        let end = end_of(deed);
        assert!(matches!(&end, Err(Fault::Trap(_))), "{deed:?}: {end:?}");
    }
}

#[test]
fn huge_arguments_of_host_calls_are_refused() {
    let end = end_of(GuestDeed::PollMany);
    assert!(end.is_err(), "{end:?}");
}

#[test]
fn huge_answers_are_refused() {
    let limit = tight().result;
    let words = |bytes: usize| end_of(GuestDeed::Answer.to(bytes));
    assert_eq!(words(limit + 1), Err(Fault::ResultTooLarge(limit)));
    assert!(words(48 << 20).is_err());
    // Its code and hint count as well.
    assert_eq!(words(limit - 100).map(|words| words.len()), Ok(limit - 100));
}

#[test]
fn huge_reads_are_cut() {
    let tree = Tree::new();
    if let Err(error) = make_sparse(&tree.root.join("huge.md"), 1 << 40) {
        return left_out("a sparse file of 1 TiB", error);
    }
    let mut session = hostile(&tree.root, Right::ReadOnly, tight());
    let read = make_it(&mut session, GuestDeed::ReadMuch.to("huge.md")).unwrap();
    for bytes in read.split(' ') {
        let bytes: u64 = bytes.parse().unwrap();
        assert!((1..=1 << 20).contains(&bytes), "{read}");
    }
}

#[test]
fn nobody_is_at_the_keyboard() {
    assert_eq!(end_of(GuestDeed::WaitForInput), Ok("true 0".to_owned()));
}

#[test]
fn what_a_guest_prints_goes_nowhere() {
    let Some(output) = output_alone("sandbox::greed::what_a_guest_prints_goes_nowhere") else {
        assert_eq!(end_of(GuestDeed::Print), Ok("printed, 0 lost".to_owned()));
        // It is the host's choice to let it continue once its log is full.
        let _ = end_of(GuestDeed::Complain);
        assert!(matches!(
            end_of(GuestDeed::PanicAtLength),
            Err(Fault::Trap(_))
        ));
        return;
    };
    assert!(!String::from_utf8_lossy(&output.stdout).contains("nobody asked"));
    assert!(
        output.stderr.len() < 64 << 10,
        "{} bytes of log",
        output.stderr.len()
    );
}

#[test]
fn a_cancelled_call_ends_at_once() {
    let tree = Tree::new();
    for deed in [GuestDeed::Loop, GuestDeed::Sleep, GuestDeed::AskForStatus] {
        let limits = stepping(limits());
        let clock = limits.clock.clone();
        let threads = Threads::hostile(&tree.root, limits);
        let control = CallControl::default();
        let cancelled = Arc::new(OnceLock::new());
        let (token, when, at) = (
            control.cancel.clone(),
            Arc::clone(&cancelled),
            clock.clone(),
        );
        // Progress is only reported for running calls.
        let control = CallControl {
            progress: Some(Arc::new(move |_| {
                when.get_or_init(|| at.looks());
                token.cancel();
            })),
            ..control
        };
        let end = threads.make_it(deed, control);
        assert!(
            matches!(end, Err(CallError::Fault(Fault::Cancelled))),
            "{deed:?}: {end:?}"
        );
        let cancelled = cancelled.get().expect("progress was told");
        let later = clock.looks() - cancelled;
        assert!(later <= LATE, "{deed:?} was looked at {later} times");
        let next = threads.make_it(GuestDeed::Behave, CallControl::default());
        assert_eq!(next.unwrap(), "behaved", "after {deed:?}");
    }
}

#[test]
fn a_call_cancelled_before_it_starts_never_runs() {
    let tree = Tree::new();
    let threads = Threads::hostile(&tree.root, limits());
    let control = CallControl::default();
    control.cancel.cancel();
    let end = threads.make_it(GuestDeed::Loop, control);
    assert!(
        matches!(end, Err(CallError::Fault(Fault::Cancelled))),
        "{end:?}"
    );
}
