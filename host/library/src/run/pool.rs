//! Runs calls on a bounded pool of threads, each with a warm instance.

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
use crate::run::call_record::{Call, CallEnd, CallRecord};
use crate::run::learning::Learning;
use crate::run::load_error::LoadError;
use crate::run::loaded_component::{GrantedInstance, LoadedComponent, Settings};
use crate::run::trace::{Cache, TraceSink};

/// How a caller follows and ends a call.
#[derive(Clone, Default)]
pub struct CallControl {
    /// Ends the call, whatever the guest is doing.
    pub cancel: CancellationToken,
    /// Told about every half second what the call has done so far.
    pub progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
    /// Where it is noted which files the call opens.
    pub openings: Option<Arc<OpeningLog>>,
}

/// What a running call has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files opened.
    pub files: u64,
    /// Bytes read from them.
    pub bytes: u64,
    /// Passages whose vectors were known, or made.
    pub passages: u64,
}

/// The component, loaded, with threads to call it on.
pub struct Pool {
    workers: Arc<Workers>,
    learning: Arc<Learning>,
    /// Cancelled when the pool is dropped; every call's token stops with it.
    closing: CancellationToken,
}

struct Workers {
    component: Arc<LoadedComponent>,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// Warm instances; the one with the whole cache, if it is idle, is the last.
    idle: Vec<GrantedInstance>,
    cache_is_taken: bool,
    threads: usize,
    waiting: usize,
    /// Threads that are lost, and not to a root.
    lost: usize,
    closing: bool,
}

struct Job {
    record: Arc<CallRecord>,
    answer: oneshot::Sender<CallResult>,
}

type CallResult = Result<Value, CallError>;

/// How a thread's work on a call ended for its caller.
enum Attended {
    /// With a result.
    Answered(CallResult),
    /// Before it began, at a root that does not answer. Another thread may do it.
    NotBegun(Call),
}

impl Pool {
    /// Loads the embedded component with these directories, settings and limits. No thread is
    /// started and no instance made before the first call.
    ///
    /// # Errors
    /// When the component does not fit this machine.
    pub fn load(grants: Grants, settings: Settings, limits: Limits) -> Result<Self, LoadError> {
        Ok(Self::with(LoadedComponent::embedded(
            grants, settings, limits,
        )?))
    }

    /// Compiles another component with the same exports and loads it instead of the embedded one.
    ///
    /// # Errors
    /// When it is no component, or imports what docent does not give.
    #[cfg(feature = "compiler")]
    pub fn compile(
        wasm: &[u8],
        grants: Grants,
        settings: Settings,
        limits: Limits,
    ) -> Result<Self, LoadError> {
        Ok(Self::with(LoadedComponent::compiled(
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
            learning: Learning::new(component),
            closing: CancellationToken::new(),
        }
    }

    /// Has the trace of each call given to `sink` from now on. A second sink is not taken.
    pub fn trace(&self, sink: TraceSink) {
        self.workers.component.trace(sink);
    }

    /// Has an embedder asked what texts mean from now on. A second one is
    /// not taken.
    pub fn embed_with(&self, embedder: Arc<dyn Embedder>) {
        self.workers.component.embed_with(embedder);
    }

    /// Has what the embedder says of passages kept in `directory`, for later programs: vectors, and
    /// the paths of what they stand for, in files that only their owner can read. Where it lies in
    /// a root, or holds one, nothing is kept, for docent writes nothing of its own there.
    pub fn keep_vectors_ambient(&self, directory: &Path) {
        self.workers.component.keep_vectors_ambient(directory);
    }

    /// Has what questions found unknown by meaning made known between calls, until `until` is cancelled
    /// or the pool is dropped: the newest documents first, as many passages as a question may cost and
    /// has not cost, while no call runs.
    pub fn learn_between_calls(&self, until: CancellationToken) {
        self.learning.begin(until);
    }

    /// Calls the exported `function` with flat JSON arguments in camelCase and returns its answer.
    /// The future needs a tokio runtime with a timer.
    ///
    /// # Errors
    /// [`CallError::Refused`] when the guest refused; [`CallError::Fault`] when it failed, took too
    /// long, was cancelled, or no thread is free.
    pub async fn call(
        &self,
        function: &str,
        arguments: Map<String, Value>,
        control: CallControl,
    ) -> Result<Value, CallError> {
        let _calling = self.learning.call();
        // A child: what ends this call must not end the others of the same caller.
        let cancel = control.cancel.child_token();
        // A caller that goes away takes its call along.
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
                // The next thread leaves the silent root alone, so this ends with the last root.
                Attended::NotBegun(the_same) => call = the_same,
            }
        }
    }

    fn clock(&self) -> &Clock {
        &self.workers.component.limits().clock
    }

    /// Waits until a thread's work on a call ends, in whatever way.
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
                // An answer that is there counts, even if the caller gives up at the same moment.
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
                // Waiting has the same limit as running; a client has long given up by then.
                if since(submitted) > limit {
                    return failed(Fault::Busy);
                }
                continue;
            };
            // The guest is stopped at its deadline. Past the grace the kernel holds the thread, as
            // a dead network mount does.
            if since(started) > limit + GRACE {
                self.workers.abandon(record);
                return failed(Fault::Timeout(limit));
            }
            // All roots are looked at first, so one of them must not hold up calls for the others.
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
        self.learning.end();
        let mut queue = self.workers.lock();
        queue.closing = true;
        for job in queue.jobs.drain(..) {
            job.record.cancel.cancel();
        }
        self.workers.changed.notify_all();
    }
}

impl Workers {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // A panic of ours ends its own call and not all later ones.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a call, and starts a thread for it if none is free and one more may be. Returns
    /// where its result will come from.
    fn submit(
        self: &Arc<Self>,
        record: &Arc<CallRecord>,
    ) -> Result<oneshot::Receiver<CallResult>, Fault> {
        let limits = self.component.limits();
        let (answer, answered) = oneshot::channel();
        let mut queue = self.lock();
        if queue.jobs.len() >= limits.queue {
            // Those that nobody waits for any more keep no place.
            queue.jobs.retain(|job| !job.record.cancel.is_cancelled());
        }
        if queue.jobs.len() >= limits.queue || queue.lost >= LOST_THREADS {
            return Err(Fault::Busy);
        }
        queue.jobs.push_back(Job {
            record: Arc::clone(record),
            answer,
        });
        // A waiting thread takes it; one more costs an instance of its own.
        // At least one there is: with an embedder's 0 every call would wait in vain.
        if queue.waiting == 0 && queue.threads < limits.threads.max(1) {
            let workers = Arc::clone(self);
            let started = thread::Builder::new()
                .name("docent-call".to_owned())
                .spawn(move || workers.work());
            match started {
                Ok(_) => queue.threads += 1,
                // The threads there are will come to it.
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

    /// Gives up the thread of a call that the operating system holds; another may take its place,
    /// and the cache.
    fn abandon(&self, record: &CallRecord) {
        let root = record.activity.root();
        let mut queue = self.lock();
        // Done in the meantime, or given up already.
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

    /// Counts a thread that was given up and came back after all.
    fn regain(&self, root: Option<usize>, queue: &mut Queue) {
        match root.and_then(|root| self.component.health(root)) {
            Some(root) => root.regain_thread(),
            None => queue.lost -= 1,
        }
    }

    /// A thread's life: one call after the other.
    fn work(&self) {
        // For each thread its own: a guest's calls of the filesystem block the thread that it runs
        // on.
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
            // A panic of ours ends its call; what it held is dropped with it.
            let outcome = catch_unwind(AssertUnwindSafe(|| executor.block_on(self.run(&record))));
            let result =
                outcome.unwrap_or_else(|_| Err(Fault::Trap("the host failed".to_owned()).into()));
            // A caller that went away no longer wants the answer.
            let _ = answer.send(result);
            let mut queue = self.lock();
            let _ = record.end.set(CallEnd::Returned);
            // Another has taken its place.
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

    /// Ends a thread that cannot run calls. What waits is left to the others, if there are any.
    fn resign(&self, error: &io::Error) {
        let mut queue = self.lock();
        queue.threads -= 1;
        if queue.threads == 0 {
            for job in queue.jobs.drain(..) {
                let _ = job.answer.send(Err(unavailable(&error.to_string())));
            }
        }
    }

    /// Waits for a call; none when the pool is gone.
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
        // It may have waited until nobody wanted it any more.
        if record.cancel.is_cancelled() {
            return Err(Fault::Cancelled.into());
        }
        // Before the roots are looked at: one that never answers has to be noticed.
        let _ = record.started.set(self.component.limits().clock.now());
        let stopwatch = self.component.stopwatch();
        // Until the instance is put back, whatever happens, the cache is free to be given again.
        let lease = CacheLease {
            workers: self,
            record,
        };
        let mut granted = self.take_instance(record).await?;
        // Whoever waits for it may have given this thread up, and another does the work.
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
                    // Whoever reads the log may be gone; the call's caller is told in any case.
                    let _ = writeln!(
                        io::stderr(),
                        "docent: the component said: {}",
                        said.trim_end().escape_debug()
                    );
                }
            }
            // It remembers what it read, and nobody else is to be told from that.
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
        // Without the lock: a root that does not answer holds this thread and no other.
        if let Some(granted) = warm
            && self.component.is_current(&granted, &record.activity)
        {
            return Ok(granted);
        }
        // Its directories are others now. The new one inherits the right to the cache.
        self.component.instance(cache, &record.activity).await
    }
}

/// Returns the fault of a call for which no thread can run.
fn unavailable(reason: &str) -> CallError {
    Fault::Unavailable(format!("no thread could run the call: {reason}")).into()
}

/// The right to the one whole cache, if a call's record holds it, until the call ends.
struct CacheLease<'a> {
    workers: &'a Workers,
    record: &'a CallRecord,
}

impl CacheLease<'_> {
    /// Keeps `granted` for the next call.
    fn give_back(self, granted: GrantedInstance) {
        let mut queue = self.workers.lock();
        // Another thread has the place of this one, and an instance of its own.
        if self.record.is_abandoned() {
            return;
        }
        self.record.holds_cache.store(false, Ordering::Release);
        match granted.cache {
            // On top, for the next call to find what was read.
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

    /// A pool with one thread that is busy, so that nothing is begun, and one place to wait in.
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
        // Both sides may find out, and it counts once.
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
