//! Tests of a disk that fails at every call: a failure before the commit point leaves nothing, one
//! after it everything, at once or after the next recovery.

use docent_tree::disk::WriteFailure;

use super::model::{Lasting, Machine, Platform, State};
use super::*;

fn check(
    case: &Case,
    keeps: Keeps,
    platform: Platform,
    failure: WriteFailure,
    lasting: Lasting,
) -> Result<(), String> {
    let start = State::with_files(case.files);
    let whole = Machine::on(start.clone(), platform);
    commit(&whole, keeps, (case.changes)()).map_err(|error| format!("{error:?}"))?;
    let (before, after) = (start.tree(), whole.state().tree());
    for call in 0..whole.calls() {
        let told = |what: &str| {
            format!(
                "{}, {keeps:?}, {platform:?}, {failure:?} {lasting:?} at {call}: {what}",
                case.name
            )
        };
        let machine = Machine::on(start.clone(), platform);
        machine.fail(call, failure, lasting);
        let done = commit(&machine, keeps, (case.changes)());
        let left = machine.state();
        let recovered = recover(left.clone(), keeps, platform)
            .map_err(|error| told(&format!("{error:?}")))?
            .tree();
        match done {
            Err(_) => {
                // A single failure leaves nothing for recovery either.
                if lasting == Lasting::Once && has_reserved(&left.tree()) {
                    let is_cleaning = left.tree().len() > before.len();
                    if !is_cleaning {
                        return Err(told("something is left"));
                    }
                }
                if recovered != before {
                    return Err(told("refused, and not as before"));
                }
            }
            Ok(done) => {
                if done.unfinished.is_none() && left.tree() != after {
                    return Err(told("done, and not so"));
                }
                if recovered != after {
                    return Err(told("committed, and not done"));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn nothing_or_all_whatever_fails() -> Result<(), String> {
    for failure in [
        WriteFailure::NoSpace,
        WriteFailure::Io,
        WriteFailure::ReadOnly,
    ] {
        for lasting in [Lasting::Once, Lasting::FromThenOn] {
            for keeps in [Keeps::History, Keeps::Nothing] {
                for case in CASES {
                    check(case, keeps, Platform::Guarded, failure, lasting)?;
                    check(case, keeps, Platform::Stock, failure, lasting)?;
                }
            }
        }
    }
    Ok(())
}

#[test]
fn access_that_is_refused_from_some_call_on() -> Result<(), String> {
    for keeps in [Keeps::History, Keeps::Nothing] {
        for case in CASES {
            let failure = WriteFailure::Permission;
            check(case, keeps, Platform::Guarded, failure, Lasting::FromThenOn)?;
        }
    }
    Ok(())
}
