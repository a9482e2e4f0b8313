//! What is not known by meaning is made known between calls: when one has ended that asked, and as long
//! as none runs.
//!
//! It has a thread and an instance of its own, which keeps nothing, so that no call waits for either.
//! When a call comes it is stopped, whatever the guest is doing; what was made by then is kept. It goes on
//! when the call has ended, until all is known or as many passages are made as the question may cost.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::fault::{CallError, Fault};
use crate::guard::{Activity, Intent};
use crate::run::loaded_component::LoadedComponent;
use crate::run::trace::{Cache, Stopwatch};

/// The function of the component that makes vectors.
const FUNCTION: &str = "manage";

/// What the cursor of such a call begins with.
const CURSOR: &str = "newest:";

/// Learns between the calls of a pool.
pub(crate) struct Learning {
    component: Arc<LoadedComponent>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Cancelled when nothing is to be learned any more; none where nothing ever is.
    until: Option<CancellationToken>,
    /// Calls that run or wait.
    calls: usize,
    /// Ends what is being learned; none while nothing is.
    pass: Option<CancellationToken>,
}

/// A call that runs or waits, until it is dropped.
pub(crate) struct Calling<'a>(&'a Arc<Learning>);

impl Learning {
    /// Returns one that learns nothing yet.
    pub(crate) fn new(component: Arc<LoadedComponent>) -> Arc<Self> {
        Arc::new(Self {
            component,
            state: Mutex::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Learns from now on what calls have asked for, until `until` is cancelled.
    pub(crate) fn begin(&self, until: CancellationToken) {
        // One of its own: the end of this pool is not that of others.
        self.lock().until = Some(until.child_token());
    }

    /// Learns nothing any more.
    pub(crate) fn end(&self) {
        if let Some(until) = &self.lock().until {
            until.cancel();
        }
    }

    /// Begins a call, for which everything else stops.
    pub(crate) fn call(self: &Arc<Self>) -> Calling<'_> {
        let mut state = self.lock();
        state.calls += 1;
        if let Some(pass) = &state.pass {
            pass.cancel();
        }
        Calling(self)
    }

    /// Returns what ends the next pass, if there is to be one.
    fn next(&self, state: &State) -> Option<CancellationToken> {
        let until = state.until.as_ref()?;
        let is_idle = state.calls == 0 && !until.is_cancelled();
        (is_idle && self.component.embedding().is_wanting()).then(|| until.child_token())
    }

    /// Starts a thread that learns, unless there is one, or nothing to be learned.
    fn start(self: &Arc<Self>) {
        let mut state = self.lock();
        if state.pass.is_some() {
            return;
        }
        let Some(pass) = self.next(&state) else {
            return;
        };
        state.pass = Some(pass.clone());
        drop(state);
        let learning = Arc::clone(self);
        let started = thread::Builder::new()
            .name("docent-learn".to_owned())
            .spawn(move || learning.work(pass));
        if started.is_err() {
            // The next call that ends tries it again.
            self.lock().pass = None;
        }
    }

    /// A thread's life: one pass after the other.
    fn work(&self, mut pass: CancellationToken) {
        let executor = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        loop {
            if let (Ok(executor), Some((root, passages))) =
                (&executor, self.component.embedding().take_wanted())
            {
                executor.block_on(self.learn(root, passages, &pass));
            }
            let mut state = self.lock();
            match self.next(&state).filter(|_| executor.is_ok()) {
                Some(next) => {
                    state.pass = Some(next.clone());
                    pass = next;
                }
                None => {
                    state.pass = None;
                    return;
                }
            }
        }
    }

    /// Has so many passages of a root embedded, and all counted.
    async fn learn(&self, root: String, mut passages: u64, pass: &CancellationToken) {
        let embedding = self.component.embedding();
        loop {
            let before = embedding.given();
            let result = self.slice(&root, passages, pass).await;
            passages = passages.saturating_sub(embedding.given().saturating_sub(before));
            match result {
                Ok(true) => {}
                // An embedder that fails is not asked again before somebody else does.
                Ok(false) => return,
                Err(CallError::Fault(Fault::Cancelled)) => {
                    return embedding.want_again(root, passages);
                }
                Err(_) => return,
            }
        }
    }

    /// Learns for some seconds, and returns whether something is left.
    async fn slice(
        &self,
        root: &str,
        passages: u64,
        pass: &CancellationToken,
    ) -> Result<bool, CallError> {
        let activity = Arc::<Activity>::default();
        let mut granted = self.component.instance(Cache::Off, &activity).await?;
        granted.start_call(activity, Intent::Read);
        let mut request = Map::new();
        request.insert("command".to_owned(), json!("reindex"));
        request.insert("root".to_owned(), json!(root));
        request.insert("cursor".to_owned(), json!(format!("{CURSOR}{passages}")));
        let ticking = self.component.ticker().run()?;
        let limits = self.component.limits();
        let mut unmeasured = Stopwatch::start(None);
        let instance = &mut granted.instance;
        let answer = instance
            .call(FUNCTION, request, limits, pass, &mut unmeasured)
            .await;
        drop(ticking);
        granted.instance.end_call();
        let has_more = |answer: Value| answer.get("nextCursor").is_some_and(Value::is_string);
        answer.map(has_more)
    }
}

impl Drop for Calling<'_> {
    fn drop(&mut self) {
        self.0.lock().calls -= 1;
        self.0.start();
    }
}
