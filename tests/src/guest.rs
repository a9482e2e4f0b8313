//! Guests with directories: the embedded component, and the one that misbehaves.

use std::path::{Path, PathBuf};
use std::time::Duration;

use docent_host::grant::{Grants, Right, RootSpec};
use docent_host::{CallControl, CallError, Engine, Limits, Session, Settings};
use serde_json::{Map, Value, json};

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

/// Returns the misbehaving component with `directory` as its only root.
///
/// # Panics
/// When it cannot be loaded.
#[must_use]
pub fn hostile(directory: &Path, right: Right, limits: Limits) -> Session {
    Session::compile(
        &hostile_wasm(),
        grant(directory, right),
        Settings::default(),
        limits,
    )
    .expect("the component compiles")
}

/// The misbehaving component on the threads of an engine, driven from the calling thread.
pub struct Threads {
    engine: Engine,
    executor: tokio::runtime::Runtime,
}

impl Threads {
    /// Loads the component with `directory` as its only root, read-only.
    ///
    /// # Panics
    /// When it cannot be loaded.
    #[must_use]
    pub fn hostile(directory: &Path, limits: Limits) -> Self {
        let grants = grant(directory, Right::ReadOnly);
        Self::new(
            Engine::compile(&hostile_wasm(), grants, Settings::default(), limits)
                .expect("the component compiles"),
        )
    }

    /// Loads the real component with `directory` as its only root, read-only.
    ///
    /// # Panics
    /// When it cannot be loaded.
    #[must_use]
    pub fn docent(directory: &Path, limits: Limits) -> Self {
        let grants = grant(directory, Right::ReadOnly);
        Self::new(Engine::load(grants, Settings::default(), limits).expect("the component loads"))
    }

    fn new(engine: Engine) -> Self {
        let executor = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime can be made");
        Self { engine, executor }
    }

    /// Calls a function with an object of arguments.
    ///
    /// # Errors
    /// What the call says.
    pub fn call(
        &self,
        function: &str,
        object: Value,
        control: CallControl,
    ) -> Result<Value, CallError> {
        self.executor
            .block_on(self.engine.call(function, arguments(object), control))
    }

    /// Makes the misbehaving component do something and returns what it found out.
    ///
    /// # Errors
    /// How the call ended, if not with the guest's own words.
    pub fn make_it(&self, deed: &str, control: CallControl) -> Result<String, CallError> {
        own_words(self.call("search-documents", json!({ "query": deed }), control))
    }
}

fn hostile_wasm() -> Vec<u8> {
    let path = PathBuf::from(env!("DOCENT_TEST_GUEST"));
    std::fs::read(path).expect("the build left the component")
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

/// Makes the misbehaving component do something and returns what it found out.
///
/// # Errors
/// How the call ended, if not with the guest's own words.
pub fn make_it(session: &mut Session, deed: &str) -> Result<String, CallError> {
    own_words(call(session, "search-documents", json!({ "query": deed })))
}

fn own_words(result: Result<Value, CallError>) -> Result<String, CallError> {
    match result {
        Err(CallError::Refused(refusal)) => Ok(refusal.message),
        Err(fault) => Err(fault),
        Ok(answer) => panic!("the misbehaving component answered {answer}"),
    }
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
