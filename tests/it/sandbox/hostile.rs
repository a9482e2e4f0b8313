//! Helpers for the misbehaving component, and for components on threads.

use std::path::{Path, PathBuf};

use docent_host::grant::{Grants, Right};
use docent_host::{CallControl, CallError, Limits, Pool, Session, Settings};
use docent_tests::guest::{arguments, call, grant};
use serde_json::{Value, json};

use super::deed::Order;

/// Returns the misbehaving component with `directory` as its only root.
///
/// # Panics
/// If it cannot be loaded.
pub fn hostile(directory: &Path, right: Right, limits: Limits) -> Session {
    granted(grant(directory, right), limits)
}

/// Returns the misbehaving component with these grants.
///
/// # Panics
/// If it cannot be loaded.
pub fn granted(grants: Grants, limits: Limits) -> Session {
    Session::compile(&hostile_wasm(), grants, Settings::default(), limits)
        .expect("the component compiles")
}

/// The misbehaving component on the threads of a pool, driven from the calling thread.
pub struct Threads {
    pool: Pool,
    executor: tokio::runtime::Runtime,
}

impl Threads {
    /// Loads the component with `directory` as its only root, read-only.
    ///
    /// # Panics
    /// If it cannot be loaded.
    pub fn hostile(directory: &Path, limits: Limits) -> Self {
        let grants = grant(directory, Right::ReadOnly);
        Self::new(
            Pool::compile(&hostile_wasm(), grants, Settings::default(), limits)
                .expect("the component compiles"),
        )
    }

    /// Loads the real component with `directory` as its only root, read-only.
    ///
    /// # Panics
    /// If it cannot be loaded.
    pub fn docent(directory: &Path, limits: Limits) -> Self {
        Self::granted(grant(directory, Right::ReadOnly), limits)
    }

    /// Loads the real component with these grants.
    ///
    /// # Panics
    /// If it cannot be loaded.
    pub fn granted(grants: Grants, limits: Limits) -> Self {
        Self::new(Pool::load(grants, Settings::default(), limits).expect("the component loads"))
    }

    fn new(pool: Pool) -> Self {
        let executor = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime can be made");
        Self { pool, executor }
    }

    /// Calls a function with an object of arguments.
    ///
    /// # Errors
    /// The error of the call.
    pub fn call(
        &self,
        function: &str,
        object: Value,
        control: CallControl,
    ) -> Result<Value, CallError> {
        self.executor
            .block_on(self.pool.call(function, arguments(object), control))
    }

    /// Makes the misbehaving component perform a deed, and returns its findings.
    ///
    /// # Errors
    /// The outcome of the call, if it is not the guest's own message.
    pub fn make_it(
        &self,
        order: impl Into<Order>,
        control: CallControl,
    ) -> Result<String, CallError> {
        let query = json!({ "query": order.into().query() });
        own_words(self.call("search-documents", query, control))
    }
}

fn hostile_wasm() -> Vec<u8> {
    let path = PathBuf::from(env!("DOCENT_TEST_GUEST"));
    std::fs::read(path).expect("the build left the component")
}

/// Makes the misbehaving component perform a deed, and returns its findings.
///
/// # Errors
/// The outcome of the call, if it is not the guest's own message.
pub fn make_it(session: &mut Session, order: impl Into<Order>) -> Result<String, CallError> {
    let query = json!({ "query": order.into().query() });
    own_words(call(session, "search-documents", query))
}

fn own_words(result: Result<Value, CallError>) -> Result<String, CallError> {
    match result {
        Err(CallError::Refused(refusal)) => Ok(refusal.message),
        Err(fault) => Err(fault),
        Ok(answer) => panic!("the misbehaving component answered {answer}"),
    }
}
