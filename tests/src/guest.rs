//! Helpers to run the embedded component over directories, and to call it.

use std::path::Path;
use std::time::Duration;

use docent_host::grant::{Grants, Right, RootSpec};
use docent_host::{CallError, Clock, Limits, Session, Settings};
use serde_json::{Map, Value};

/// Time limit of one call in a test: far more than any needs on a busy machine. A test that comes
/// near it hangs.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Returns limits without a cache.
#[must_use]
pub fn limits() -> Limits {
    Limits {
        timeout: PATIENCE,
        cache: 0,
        ..Limits::default()
    }
}

/// Step of a [`stepping`] clock per check, equal to the interval of the checks.
const STEP: Duration = Duration::from_millis(10);

/// Returns these limits with a clock that only advances while a guest runs. They then limit the
/// number of deadline checks of a guest, and no call ends because other processes keep the machine
/// busy.
#[must_use]
pub fn stepping(limits: Limits) -> Limits {
    Limits {
        clock: Clock::stepping(STEP),
        ..limits
    }
}

/// Returns the number of checks in which a [`stepping`] clock advances by `time`.
#[must_use]
pub fn looks(time: Duration) -> u32 {
    u32::try_from(time.as_millis() / STEP.as_millis()).unwrap_or(u32::MAX)
}

/// Grants `directory` under the name `docs`.
///
/// # Panics
/// If it cannot be granted.
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
/// If it cannot be loaded.
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
/// If `arguments` is not an object.
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
/// The error of the call.
pub fn call(session: &mut Session, function: &str, object: Value) -> Result<Value, CallError> {
    session.call(function, arguments(object))
}

/// Returns the answers of all pages of a call.
///
/// # Panics
/// If a call fails, or the pages never end.
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
