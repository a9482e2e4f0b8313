//! A bounded pool of threads that run calls, each with a warm instance.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::embedder::Embedder;
use crate::fault::{CallError, Fault};
use crate::grant::Grants;
use crate::guard::OpeningLog;
use crate::limits::{GRACE, LOOK, LOST_THREADS, Limits, PROGRESS};
use crate::run::background_embedding::BackgroundEmbedding;
use crate::run::call_record::{Call, CallEnd, CallRecord};
use crate::run::load_error::LoadError;
use crate::run::loaded_component::{GrantedInstance, LoadedComponent, Settings};
use crate::run::trace::{Cache, TraceSink};

/// The handles by which a caller follows and cancels a call.
#[derive(Clone, Default)]
pub struct CallControl {
    /// Token that cancels the call, whatever the guest is doing.
    pub cancel: CancellationToken,
    /// Callback that receives the call's progress about every half second.
    pub progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
    /// Log of the files that the call opens.
    pub openings: Option<Arc<OpeningLog>>,
}

/// The progress of a running call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files opened.
    pub files: u64,
    /// Bytes read from them.
    pub bytes: u64,
    /// Passages whose vectors were cached or computed.
    pub passages: u64,
}

/// The component, loaded, with threads to call it on.
pub struct Pool {
    workers: Arc<Workers>,
    background_embedding: Arc<BackgroundEmbedding>,
    /// Cancelled when the pool is dropped; the token of every call is cancelled with it.
    closing: CancellationToken,
}

struct Workers {
    component: Arc<LoadedComponent>,
    queue: Mutex<CallQueue>,
    changed: Condvar,
}

#[derive(Default)]
struct CallQueue {
    jobs: VecDeque<Job>,
    /// Warm instances; the one with the whole cache is the last, if it is idle.
    idle: Vec<GrantedInstance>,
    cache_is_taken: bool,
    threads: usize,
    waiting: usize,
    /// Lost threads that no root holds.
    lost: usize,
    closing: bool,
}

struct Job {
    record: Arc<CallRecord>,
    answer: oneshot::Sender<CallResult>,
}

type CallResult = Result<Value, CallError>;

/// The outcome of a thread's work on a call for its caller.
enum Attended {
    /// The call has a result.
    Answered(CallResult),
    /// The thread did not get past a root that does not answer. Another thread may run the call.
    NotBegun(Call),
}

impl Pool {
    /// Loads the embedded component with these directories, settings and limits. No thread is
    /// started and no instance created before the first call.
    ///
    /// # Errors
    /// If the component does not fit this machine.
    pub fn load(grants: Grants, settings: Settings, limits: Limits) -> Result<Self, LoadError> {
        Ok(Self::with(LoadedComponent::load_embedded(
            grants, settings, limits,
        )?))
    }

    /// Compiles another component with the same exports and loads it instead of the embedded one.
    ///
    /// # Errors
    /// If it is not a component, or imports an interface that docent does not provide.
    #[cfg(feature = "compiler")]
    pub fn compile(
        wasm: &[u8],
        grants: Grants,
        settings: Settings,
        limits: Limits,
    ) -> Result<Self, LoadError> {
        Ok(Self::with(LoadedComponent::compile(
            wasm, grants, settings, limits,
        )?))
    }

    fn with(component: LoadedComponent) -> Self {
        let component = Arc::new(component);
        let workers = Workers {
            component: Arc::clone(&component),
            queue: Mutex::default(),
            changed: Condvar::new(),
        };
        Self {
            workers: Arc::new(workers),
            background_embedding: BackgroundEmbedding::new(component),
            closing: CancellationToken::new(),
        }
    }

    /// Passes the trace of each call to `sink` from now on. Only the first sink is used.
    pub fn trace(&self, sink: TraceSink) {
        self.workers.component.trace(sink);
    }

    /// Uses an embedder from now on. Only the first embedder is used.
    pub fn embed_with(&self, embedder: Arc<dyn Embedder>) {
        self.workers.component.embed_with(embedder);
    }

    /// Stores the vectors of passages in `directory`, for later programs, with the paths of the
    /// passages, in files that only their owner can read. If the directory lies in a root, or
    /// contains one, nothing is stored, because docent writes nothing of its own there.
    pub fn keep_vectors_ambient(&self, directory: &Path) {
        self.workers.component.keep_vectors_ambient(directory);
    }

    /// Embeds passages that queries found unknown between calls, until `until` is cancelled or the
    /// pool is dropped. The newest documents come first, up to the query's remaining budget of
    /// passages, and only while no call runs.
    pub fn learn_between_calls(&self, until: CancellationToken) {
        self.background_embedding.begin(until);
    }

    /// Calls the exported `function` with flat JSON arguments in camelCase and returns its answer.
    /// The future needs a tokio runtime with a timer.
    ///
    /// # Errors
    /// [`CallError::Refused`] if the guest refused; [`CallError::Fault`] if it failed, exceeded its
    /// time limit, was cancelled, or no thread is free.
    pub async fn call(
        &self,
        function: &str,
        arguments: Map<String, Value>,
        control: CallControl,
    ) -> Result<Value, CallError> {
        let _calling = self.background_embedding.call();
        // A child token. This call cancels it when it ends or its future is dropped, which must
        // not cancel the other calls of the same caller.
        let cancel = control.cancel.child_token();
        // Dropping the future cancels the call.
        let _guard = cancel.clone().drop_guard();
        let submitted = self.clock().now();
        let mut call = Call {
            function: function.to_owned(),
            arguments,
        };
        loop {
            let record = Arc::new(CallRecord::new(
                call,
                cancel.clone(),
                control.openings.clone(),
            ));
            let answered = self.workers.submit(&record)?;
            match self.attend(&record, answered, &control, submitted).await {
                Attended::Answered(result) => return result,
                // The call is passed to another thread, which finds a placeholder in the place
                // of the silent root. Each repetition has one more silent root, so the loop
                // ends with the last root at the latest.
                Attended::NotBegun(the_same) => call = the_same,
            }
        }
    }

    fn clock(&self) -> &Clock {
        &self.workers.component.limits().clock
    }

    /// Waits until a thread's work on a call ends in any way.
    async fn attend(
        &self,
        record: &CallRecord,
        mut answered: oneshot::Receiver<CallResult>,
        control: &CallControl,
        submitted: Instant,
    ) -> Attended {
        let failed = |fault: Fault| Attended::Answered(Err(fault.into()));
        let limit = self.workers.component.limits().timeout;
        let since = |moment: Instant| self.clock().now().saturating_duration_since(moment);
        let mut ticks = tokio::time::interval(GRACE);
        let mut last_report = Instant::now();
        loop {
            tokio::select! {
                // The branches are tried in order, so an answer that is available counts even
                // if the caller cancels at the same moment. A write that was done would
                // otherwise be reported as cancelled.
                biased;
                result = &mut answered => {
                    let ended = || Err(unavailable("its thread has ended"));
                    return Attended::Answered(result.unwrap_or_else(|_| ended()));
                }
                () = record.cancel.cancelled() => return failed(Fault::Cancelled),
                () = self.closing.cancelled() => return failed(Fault::Cancelled),
                _ = ticks.tick() => {}
            }
            let Some(&started) = record.started.get() else {
                // A call that still waits for a thread has the same limit as one that runs;
                // clients have given up long before that.
                if since(submitted) > limit {
                    return failed(Fault::Busy);
                }
                continue;
            };
            // The guest itself is stopped at its deadline by the ticker. A thread that has not
            // returned after the grace period is held by the kernel, as in a read from a
            // network mount without its network. Nothing can interrupt such a system call, so
            // the thread is abandoned and its caller gets an error.
            if since(started) > limit + GRACE {
                self.workers.abandon(record);
                return failed(Fault::Timeout(limit));
            }
            // All roots are looked up before the guest runs, so a root that does not answer
            // would delay calls for all others. No guest has seen the call yet: it can be taken
            // back and passed to another thread without being run twice.
            if since(started) > LOOK
                && let Some(call) = record.take_call()
            {
                self.workers.abandon(record);
                return Attended::NotBegun(call);
            }
            if let Some(progress) = &control.progress
                && last_report.elapsed() >= PROGRESS
            {
                last_report = Instant::now();
                let work = record.activity.work();
                progress(Progress {
                    files: work.files,
                    bytes: work.bytes,
                    passages: work.passages,
                });
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.closing.cancel();
        self.background_embedding.end();
        let mut queue = self.workers.lock();
        queue.closing = true;
        for job in queue.jobs.drain(..) {
            job.record.cancel.cancel();
        }
        self.workers.changed.notify_all();
    }
}

impl Workers {
    fn lock(&self) -> MutexGuard<'_, CallQueue> {
        // The lock is taken even if it is poisoned: a panic in the host ends its own call and
        // not all later ones.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a call, and starts a thread for it if none is free and the limit allows one more.
    /// Returns the channel of its result.
    fn submit(
        self: &Arc<Self>,
        record: &Arc<CallRecord>,
    ) -> Result<oneshot::Receiver<CallResult>, Fault> {
        let limits = self.component.limits();
        let (answer, answered) = oneshot::channel();
        let mut queue = self.lock();
        if queue.jobs.len() >= limits.queue {
            // Calls that were cancelled while they waited are removed when the queue is full.
            // Otherwise a client that sends calls and cancels them could fill the queue, and
            // others would be refused.
            queue.jobs.retain(|job| !job.record.cancel.is_cancelled());
        }
        if queue.jobs.len() >= limits.queue || queue.lost >= LOST_THREADS {
            return Err(Fault::Busy);
        }
        queue.jobs.push_back(Job {
            record: Arc::clone(record),
            answer,
        });
        // A thread is only started if none waits: another thread costs an instance of its own,
        // with an empty cache. At least one thread is allowed, because with a configured limit
        // of 0 every call would wait in vain.
        if queue.waiting == 0 && queue.threads < limits.threads.max(1) {
            let workers = Arc::clone(self);
            let started = thread::Builder::new()
                .name("docent-call".to_owned())
                .spawn(move || workers.work());
            match started {
                Ok(_) => queue.threads += 1,
                // The existing threads will take the job.
                Err(_) if queue.threads > 0 => {}
                Err(_) => {
                    queue.jobs.pop_back();
                    return Err(Fault::Busy);
                }
            }
        }
        self.changed.notify_one();
        Ok(answered)
    }

    /// Abandons the thread of a call that the operating system holds; another thread may take its
    /// place and its right to the cache.
    fn abandon(&self, record: &CallRecord) {
        let root = record.activity.root();
        let mut queue = self.lock();
        // `end` is set once. If it is set already, the thread has finished in the meantime, or
        // was abandoned before, and the counts below are right.
        if record.end.set(CallEnd::Abandoned(root)).is_err() {
            return;
        }
        queue.threads -= 1;
        match root.and_then(|root| self.component.health(root)) {
            Some(root) => root.lose_thread(),
            None => queue.lost += 1,
        }
        if record.holds_cache.swap(false, Ordering::AcqRel) {
            queue.cache_is_taken = false;
        }
    }

    /// Counts a thread that was abandoned and returned after all.
    fn regain(&self, root: Option<usize>, queue: &mut CallQueue) {
        match root.and_then(|root| self.component.health(root)) {
            Some(root) => root.regain_thread(),
            None => queue.lost -= 1,
        }
    }

    /// Runs the loop of a thread: one call after another.
    fn work(&self) {
        // Each thread has its own executor. A guest's file system calls block the thread that
        // runs them, and would block every other call on a shared executor.
        let executor = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        let executor = match executor {
            Ok(executor) => executor,
            Err(error) => return self.resign(&error),
        };
        loop {
            let Some(Job { record, answer }) = self.next() else {
                return;
            };
            // A panic in the host ends its call. The instance of that call is dropped while the
            // stack unwinds, so no half-changed state is used again.
            let outcome = catch_unwind(AssertUnwindSafe(|| executor.block_on(self.run(&record))));
            let result =
                outcome.unwrap_or_else(|_| Err(Fault::Trap("the host failed".to_owned()).into()));
            // A caller that has gone no longer wants the answer.
            let _ = answer.send(result);
            let mut queue = self.lock();
            let _ = record.end.set(CallEnd::Returned);
            // The thread was abandoned and has returned after all. Another thread has taken its
            // place, so it ends and is counted as regained.
            if let Some(CallEnd::Abandoned(root)) = record.end.get() {
                self.regain(*root, &mut queue);
                return;
            }
            if queue.closing {
                queue.threads -= 1;
                return;
            }
        }
    }

    /// Ends a thread that cannot run calls. Queued jobs are left to the other threads, if there are
    /// any.
    fn resign(&self, error: &io::Error) {
        let mut queue = self.lock();
        queue.threads -= 1;
        if queue.threads == 0 {
            for job in queue.jobs.drain(..) {
                let _ = job.answer.send(Err(unavailable(&error.to_string())));
            }
        }
    }

    /// Waits for a job; returns none if the pool is closing.
    fn next(&self) -> Option<Job> {
        let mut queue = self.lock();
        loop {
            if queue.closing {
                queue.threads -= 1;
                return None;
            }
            if let Some(job) = queue.jobs.pop_front() {
                return Some(job);
            }
            queue.waiting += 1;
            queue = self
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
            queue.waiting -= 1;
        }
    }

    async fn run(&self, record: &CallRecord) -> CallResult {
        // The call may have been cancelled while it was queued.
        if record.cancel.is_cancelled() {
            return Err(Fault::Cancelled.into());
        }
        // The time is set before the roots are looked up. The caller measures the look by it,
        // and a root that never answers would otherwise never be noticed.
        let _ = record.started.set(self.component.limits().clock.now());
        let stopwatch = self.component.stopwatch();
        // The lease releases the right to the whole cache if the instance is not given back:
        // after a fault, after a panic, and if the call is cancelled. Without it no later
        // instance would ever get the cache.
        let lease = CacheLease {
            workers: self,
            record,
        };
        let mut granted = self.take_instance(record).await?;
        // The caller may have abandoned this thread during the look at the roots, and another
        // thread runs the call. `take_call` returns it to one of the two only, so that a write
        // is never made twice.
        let Some(Call {
            function,
            arguments,
        }) = record.take_call()
        else {
            return Err(Fault::Cancelled.into());
        };
        let activity = &record.activity;
        let intent = self.component.intent(&function);
        granted.start_call(Arc::clone(activity), intent);
        let named = (function.as_str(), arguments);
        let result = self
            .component
            .call(&mut granted, named, &record.cancel, activity, stopwatch)
            .await;
        match &result {
            Err(CallError::Fault(fault)) if fault.ends_the_instance() => {
                let said = granted.instance.stderr();
                if !said.is_empty() {
                    // The reader of the log may have gone; the call's caller gets the error in any
                    // case.
                    let _ = writeln!(
                        io::stderr(),
                        "docent: the component said: {}",
                        said.trim_end().escape_debug()
                    );
                }
            }
            // With `one_call` the instance is dropped after its call: it remembers the files
            // that it read, and nothing of them may appear in the answer to another call.
            _ if self.component.limits().one_call => {}
            _ => lease.give_back(granted),
        }
        result
    }

    /// Takes a warm instance, or makes one.
    async fn take_instance(&self, record: &CallRecord) -> Result<GrantedInstance, Fault> {
        let (warm, cache) = {
            let mut queue = self.lock();
            let warm = queue.idle.pop();
            let cache = match &warm {
                Some(granted) => granted.cache,
                None if !self.component.limits().keeps_a_cache() => Cache::Off,
                None if queue.cache_is_taken => Cache::Small,
                None => Cache::Kept,
            };
            if cache == Cache::Kept {
                queue.cache_is_taken = true;
                record.holds_cache.store(true, Ordering::Release);
            }
            (warm, cache)
        };
        // The roots are looked up without the lock of the queue. A root that does not answer
        // then holds only this thread; with the lock it would hold every call.
        if let Some(granted) = warm
            && self.component.is_current(&granted, &record.activity)
        {
            return Ok(granted);
        }
        // Its directories have changed. The new instance inherits the right to the cache.
        self.component.instance(cache, &record.activity).await
    }
}

/// Returns the fault of a call for which no thread can run.
fn unavailable(reason: &str) -> CallError {
    Fault::Unavailable(format!("no thread could run the call: {reason}")).into()
}

/// The right to the one whole cache until the call ends, if the call's record holds it.
struct CacheLease<'a> {
    workers: &'a Workers,
    record: &'a CallRecord,
}

impl CacheLease<'_> {
    /// Keeps `granted` for the next call.
    fn give_back(self, granted: GrantedInstance) {
        let mut queue = self.workers.lock();
        // Another thread, with an instance of its own, has taken this thread's place.
        if self.record.is_abandoned() {
            return;
        }
        self.record.holds_cache.store(false, Ordering::Release);
        match granted.cache {
            // The instance with the whole cache is put on top, so that the next call takes it
            // and finds the cached files. The others are put below it.
            Cache::Kept => queue.idle.push(granted),
            Cache::Small | Cache::Off => queue.idle.insert(0, granted),
        }
    }
}

impl Drop for CacheLease<'_> {
    fn drop(&mut self) {
        if self.record.holds_cache.swap(false, Ordering::AcqRel) {
            self.workers.lock().cache_is_taken = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grant::{Right, RootSpec};

    /// Returns a pool whose only thread is busy, so that no call is begun, with a queue of one.
    fn busy() -> (tempfile::TempDir, Pool) {
        let directory = tempfile::tempdir().unwrap();
        let root = RootSpec {
            name: None,
            path: directory.path().to_owned(),
            right: Right::ReadOnly,
            sensitive: false,
        };
        let limits = Limits {
            threads: 1,
            queue: 1,
            ..Limits::default()
        };
        let grants = Grants::resolve_ambient(&[root], None).unwrap();
        let pool = Pool::load(grants, Settings::default(), limits).unwrap();
        pool.workers.lock().threads = 1;
        (directory, pool)
    }

    fn record() -> Arc<CallRecord> {
        let call = Call {
            function: "get-config".to_owned(),
            arguments: Map::new(),
        };
        Arc::new(CallRecord::new(call, CancellationToken::new(), None))
    }

    #[test]
    fn a_call_that_nobody_waits_for_keeps_no_place() {
        let (_directory, pool) = busy();
        let (first, second) = (record(), record());
        assert!(pool.workers.submit(&first).is_ok());
        assert!(matches!(pool.workers.submit(&second), Err(Fault::Busy)));
        first.cancel.cancel();
        assert!(pool.workers.submit(&second).is_ok());
    }

    #[test]
    fn instances_at_the_same_time_all_keep_something() {
        let (_directory, pool) = busy();
        let executor = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let caches = executor.block_on(async {
            let (one, other) = (record(), record());
            let one = pool.workers.take_instance(&one).await.unwrap();
            let other = pool.workers.take_instance(&other).await.unwrap();
            [one.cache, other.cache]
        });
        assert_eq!(caches, [Cache::Kept, Cache::Small]);
    }

    #[test]
    fn a_thread_that_is_given_up_leaves_its_place_and_the_cache_to_another() {
        let (_directory, pool) = busy();
        let record = record();
        record.activity.enter_root(0);
        record.holds_cache.store(true, Ordering::Release);
        pool.workers.lock().cache_is_taken = true;
        // Both sides may detect it, and it counts once.
        pool.workers.abandon(&record);
        pool.workers.abandon(&record);
        let mut queue = pool.workers.lock();
        assert_eq!((queue.threads, queue.lost), (0, 0));
        assert!(!queue.cache_is_taken);
        assert_eq!(record.end.get(), Some(&CallEnd::Abandoned(Some(0))));
        pool.workers.regain(Some(0), &mut queue);
    }

    #[test]
    fn a_thread_that_has_done_its_call_is_not_given_up() {
        let (_directory, pool) = busy();
        let record = record();
        record.end.set(CallEnd::Returned).unwrap();
        pool.workers.abandon(&record);
        let queue = pool.workers.lock();
        assert_eq!((queue.threads, queue.lost), (1, 0));
        assert!(!record.is_abandoned());
    }
}
