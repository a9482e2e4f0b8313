//! Background embedding: unknown passages are embedded between calls, after a call that asked for
//! them and while no call runs.
//!
//! It has a thread and an instance of its own, which caches nothing, so that no call waits for
//! either. When a call arrives, the background pass is cancelled, whatever the guest is doing;
//! vectors computed by then are kept. It continues when the call has ended, until all passages are
//! known or the query's budget of passages is used up.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::fault::{CallError, Fault};
use crate::guard::{Activity, Intent};
use crate::run::loaded_component::LoadedComponent;
use crate::run::trace::{Cache, Stopwatch};

/// The function of the component that embeds passages.
const FUNCTION: &str = "manage";

/// Prefix of the cursor of such a call.
const CURSOR: &str = "newest:";

/// The background embedding of a pool.
pub(crate) struct BackgroundEmbedding {
    component: Arc<LoadedComponent>,
    state: Mutex<LearningState>,
}

#[derive(Default)]
struct LearningState {
    /// Cancelled when background embedding ends; none if it never began.
    until: Option<CancellationToken>,
    /// Number of calls that run or wait.
    calls: usize,
    /// Token that cancels the current pass; none if there is none.
    pass: Option<CancellationToken>,
}

/// A guard for a call that runs or waits, until it is dropped.
pub(crate) struct Calling<'a>(&'a Arc<BackgroundEmbedding>);

impl BackgroundEmbedding {
    /// Returns a background embedding that has not begun.
    pub(crate) fn new(component: Arc<LoadedComponent>) -> Arc<Self> {
        Arc::new(Self {
            component,
            state: Mutex::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, LearningState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Embeds the passages that calls have asked for from now on, until `until` is cancelled.
    pub(crate) fn begin(&self, until: CancellationToken) {
        // A child token: `end` cancels it when this pool is dropped, and other pools of the
        // same server must continue.
        self.lock().until = Some(until.child_token());
    }

    /// Ends the background embedding.
    pub(crate) fn end(&self) {
        if let Some(until) = &self.lock().until {
            until.cancel();
        }
    }

    /// Begins a call, which cancels the current pass.
    pub(crate) fn call(self: &Arc<Self>) -> Calling<'_> {
        let mut state = self.lock();
        state.calls += 1;
        // The pass is cancelled and not waited for. It has an instance of its own, so the call
        // starts at once, while the guest of the pass is stopped at its next tick. The vectors
        // that it computed by then are cached.
        if let Some(pass) = &state.pass {
            pass.cancel();
        }
        Calling(self)
    }

    /// Returns the token of the next pass, if there is a root to embed and no call runs.
    fn next(&self, state: &LearningState) -> Option<CancellationToken> {
        let until = state.until.as_ref()?;
        let is_idle = state.calls == 0 && !until.is_cancelled();
        (is_idle && self.component.embedding().is_wanting()).then(|| until.child_token())
    }

    /// Starts a background thread, unless one is running or there is nothing to embed.
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
        let background_embedding = Arc::clone(self);
        let started = thread::Builder::new()
            .name("docent-learn".to_owned())
            .spawn(move || background_embedding.work(pass));
        if started.is_err() {
            // No thread could be started. The pass is marked as ended, and the end of the next
            // call tries again.
            self.lock().pass = None;
        }
    }

    /// Runs the loop of the thread: one pass after another.
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

    /// Embeds up to `passages` passages of a root, and counts all of its passages.
    async fn learn(&self, root: String, mut passages: u64, pass: &CancellationToken) {
        let embedding = self.component.embedding();
        loop {
            let before = embedding.passages_given();
            let result = self.slice(&root, passages, pass).await;
            passages = passages.saturating_sub(embedding.passages_given().saturating_sub(before));
            match result {
                Ok(true) => {}
                // The root is not put back into the queue. An embedder that is down would
                // otherwise be asked again and again while no call runs; the next query that
                // needs its vectors queues the root again.
                Ok(false) => return,
                Err(CallError::Fault(Fault::Cancelled)) => {
                    return embedding.want_again(root, passages);
                }
                Err(_) => return,
            }
        }
    }

    /// Embeds for some seconds, and returns true if something is left.
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
