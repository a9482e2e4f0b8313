//! The embedded component with directories to look at, and calls of it.

use std::path::Path;
use std::time::Duration;

use docent_host::grant::{Grants, Right, RootSpec};
use docent_host::{CallError, Clock, Limits, Session, Settings};
use serde_json::{Map, Value};

/// How long one call may take in a test. Far more than any needs on a busy machine; a test that
/// comes near it hangs.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Returns the limits of a guest that nothing is kept for.
#[must_use]
pub fn limits() -> Limits {
    Limits {
        timeout: PATIENCE,
        cache: 0,
        ..Limits::default()
    }
}

/// How far a clock of [`stepping`] moves at each look: as far as the machine's does meanwhile.
const STEP: Duration = Duration::from_millis(10);

/// Returns these limits by a clock that stands still while no guest runs, so that what is limited is
/// how often a guest was asked whether its time is over, and no call ends because others keep the
/// machine busy.
#[must_use]
pub fn stepping(limits: Limits) -> Limits {
    Limits {
        clock: Clock::stepping(STEP),
        ..limits
    }
}

/// Returns how many looks at a clock of [`stepping`] take so long.
#[must_use]
pub fn looks(time: Duration) -> u32 {
    u32::try_from(time.as_millis() / STEP.as_millis()).unwrap_or(u32::MAX)
}

/// Grants `directory` under the name `docs`.
///
/// # Panics
/// When it cannot be granted.
#[must_use]
pub fn grant(directory: &Path, right: Right) -> Grants {
    let spec = RootSpec {
        name: Some("docs".to_owned()),
        path: directory.to_owned(),
        right,
        sensitive: false,
    };
    Grants::resolve_ambient(&[spec], None).expect("a test's directory can be granted")
}

/// Returns the component with `directory` as its only root, read-only.
///
/// # Panics
/// When it cannot be loaded.
#[must_use]
pub fn docent(directory: &Path, limits: Limits) -> Session {
    Session::load(
        grant(directory, Right::ReadOnly),
        Settings::default(),
        limits,
    )
    .expect("the component loads")
}

/// Returns the arguments of a call.
///
/// # Panics
/// When `arguments` is no object.
#[must_use]
pub fn arguments(arguments: Value) -> Map<String, Value> {
    match arguments {
        Value::Object(arguments) => arguments,
        other => panic!("{other} is no object"),
    }
}

/// Calls a function with an object of arguments.
///
/// # Errors
/// What the call says.
pub fn call(session: &mut Session, function: &str, object: Value) -> Result<Value, CallError> {
    session.call(function, arguments(object))
}

/// Returns the answers of all pages of a call.
///
/// # Panics
/// When a call fails, or the pages never end.
#[must_use]
pub fn pages(session: &mut Session, function: &str, object: Value) -> Vec<Value> {
    const MOST: usize = 1000;
    let mut arguments = arguments(object);
    let mut pages = Vec::new();
    while pages.len() < MOST {
        let page = match session.call(function, arguments.clone()) {
            Ok(page) => page,
            Err(error) => panic!("{function} {arguments:?}: {error}"),
        };
        let next = page.get("nextCursor").cloned();
        pages.push(page);
        match next {
            Some(next) => arguments.insert("cursor".to_owned(), next),
            None => return pages,
        };
    }
    panic!("{function} has more than {MOST} pages");
}
