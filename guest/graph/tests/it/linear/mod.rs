//! What is twice as large costs less than three times as much, whatever stands in it.
#![expect(clippy::disallowed_types, reason = "what is measured here is time")]

mod imports;
mod links;

use std::time::Duration;

/// As a try takes a millisecond or two, other work on the machine may outlast many.
const ATTEMPTS: usize = 1_000;

/// Checks that the second, which has twice as much to do, takes less than three times as long.
#[track_caller]
fn is_linear(what: &str, single: impl Fn() -> Duration, double: impl Fn() -> Duration) {
    let (mut once, mut twice) = (Duration::MAX, Duration::MAX);
    // The least of many tries is what it costs on a machine that does nothing else.
    for _ in 0..ATTEMPTS {
        once = once.min(single());
        twice = twice.min(double());
        if twice < 3 * once {
            return;
        }
    }
    panic!("{what:.20}: {once:?}, then {twice:?}");
}
