//! Runs calls on a bounded pool of threads, each with a warm instance.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Instant;

use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::fault::{CallError, Fault};
use crate::grant::Grants;
use crate::guard::Activity;
use crate::limits::{GRACE, LOST_THREADS, Limits, PROGRESS};
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
}

/// What a running call has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files opened.
    pub files: u64,
    /// Bytes read from them.
    pub bytes: u64,
}

/// The component, loaded, with threads to call it on.
pub struct Pool {
    workers: Arc<Workers>,
    /// Cancelled when the pool is dropped; every call's token stops with it.
    closing: CancellationToken,
}

struct Workers {
    component: LoadedComponent,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// Warm instances; the one with a cache, if it is idle, is the last.
    idle: Vec<GrantedInstance>,
    cache_is_taken: bool,
    threads: usize,
    waiting: usize,
    lost: usize,
    closing: bool,
}

struct Job {
    call: Call,
    record: Arc<CallRecord>,
    answer: oneshot::Sender<Result<Value, CallError>>,
}

struct Call {
    function: String,
    arguments: Map<String, Value>,
    cancel: CancellationToken,
}

/// What the caller's side and the thread's side of a call know of each other.
#[derive(Default)]
struct CallRecord {
    started: OnceLock<(Instant, Arc<Activity>)>,
    abandoned: AtomicBool,
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
        let workers = Workers {
            component,
            queue: Mutex::default(),
            changed: Condvar::new(),
        };
        Self {
            workers: Arc::new(workers),
            closing: CancellationToken::new(),
        }
    }

    /// Has the trace of each call given to `sink` from now on. A second sink is not taken.
    pub fn trace(&self, sink: TraceSink) {
        self.workers.component.trace(sink);
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
        // A child: what ends this call must not end the others of the same caller.
        let cancel = control.cancel.child_token();
        // A caller that goes away takes its call along.
        let _guard = cancel.clone().drop_guard();
        let record = Arc::new(CallRecord::default());
        let (answer, mut answered) = oneshot::channel();
        let call = Call {
            function: function.to_owned(),
            arguments,
            cancel: cancel.clone(),
        };
        self.workers.submit(Job {
            call,
            record: Arc::clone(&record),
            answer,
        })?;
        let limit = self.workers.component.limits().timeout;
        let submitted = Instant::now();
        let mut ticks = tokio::time::interval(GRACE);
        let mut last_report = submitted;
        loop {
            tokio::select! {
                // An answer that is there counts, even if the caller gives up at the same moment.
                biased;
                result = &mut answered => {
                    return result.unwrap_or_else(|_| Err(unavailable("its thread has ended")));
                }
                () = cancel.cancelled() => return Err(Fault::Cancelled.into()),
                () = self.closing.cancelled() => return Err(Fault::Cancelled.into()),
                _ = ticks.tick() => {}
            }
            let Some((started, activity)) = record.started.get() else {
                // Waiting has the same limit as running; a client has long given up by then.
                if submitted.elapsed() > limit {
                    return Err(Fault::Busy.into());
                }
                continue;
            };
            // The guest is stopped at its deadline. Past the grace the kernel holds the thread, as
            // a dead network mount does.
            if started.elapsed() > limit + GRACE {
                self.workers.abandon(&record);
                return Err(Fault::Timeout(limit).into());
            }
            if let Some(progress) = &control.progress
                && last_report.elapsed() >= PROGRESS
            {
                last_report = Instant::now();
                let work = activity.work();
                progress(Progress {
                    files: work.files,
                    bytes: work.bytes,
                });
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.closing.cancel();
        let mut queue = self.workers.lock();
        queue.closing = true;
        for job in queue.jobs.drain(..) {
            job.call.cancel.cancel();
        }
        self.workers.changed.notify_all();
    }
}

impl Workers {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // A panic of ours ends its own call and not all later ones.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a call, and starts a thread for it if none is free and one more may be.
    fn submit(self: &Arc<Self>, job: Job) -> Result<(), Fault> {
        let limits = self.component.limits();
        let mut queue = self.lock();
        if queue.jobs.len() >= limits.queue || queue.lost >= LOST_THREADS {
            return Err(Fault::Busy);
        }
        queue.jobs.push_back(job);
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
        Ok(())
    }

    /// Gives up the thread of a call that the operating system holds; another may take its place.
    fn abandon(&self, record: &CallRecord) {
        let mut queue = self.lock();
        // Only one of the two sides may count the thread as lost.
        if !record.abandoned.swap(true, Ordering::AcqRel) {
            queue.threads -= 1;
            queue.lost += 1;
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
            let Some(job) = self.next() else { return };
            let Job {
                call,
                record,
                answer,
            } = job;
            // A panic of ours ends its call; what it held is dropped with it.
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                executor.block_on(self.run(call, &record))
            }));
            let result =
                outcome.unwrap_or_else(|_| Err(Fault::Trap("the host failed".to_owned()).into()));
            // A caller that went away no longer wants the answer.
            let _ = answer.send(result);
            let mut queue = self.lock();
            // It came back after all, and another has taken its place.
            if record.abandoned.load(Ordering::Acquire) {
                queue.lost -= 1;
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

    async fn run(&self, call: Call, record: &CallRecord) -> Result<Value, CallError> {
        // It may have waited until nobody wanted it any more.
        if call.cancel.is_cancelled() {
            return Err(Fault::Cancelled.into());
        }
        let stopwatch = self.component.stopwatch();
        let mut granted = self.take_instance().await?;
        // Until it is put back, whatever happens, the cache is free to be given again.
        let lease = CacheLease {
            workers: self,
            holds: granted.cache == Cache::Kept,
        };
        let activity = granted.instance.start_call();
        // Its time begins here; how long it waited in the queue is counted apart.
        let _ = record.started.set((Instant::now(), Arc::clone(&activity)));
        let named = (call.function.as_str(), call.arguments);
        let result = self
            .component
            .call(&mut granted, named, &call.cancel, &activity, stopwatch)
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
            _ => lease.give_back(granted),
        }
        result
    }

    /// Takes a warm instance, or makes one.
    async fn take_instance(&self) -> Result<GrantedInstance, Fault> {
        let cache = {
            let mut queue = self.lock();
            match queue.idle.pop() {
                Some(granted) if self.component.is_current(&granted) => return Ok(granted),
                // Its directories are others now. The new one inherits the right to the cache.
                Some(granted) => granted.cache,
                None if queue.cache_is_taken || self.component.limits().cache == 0 => Cache::Off,
                None => {
                    queue.cache_is_taken = true;
                    Cache::Kept
                }
            }
        };
        let granted = self.component.instance(cache).await;
        if granted.is_err() && cache == Cache::Kept {
            self.lock().cache_is_taken = false;
        }
        granted
    }
}

/// Returns the fault of a call for which no thread can run.
fn unavailable(reason: &str) -> CallError {
    Fault::Unavailable(format!("no thread could run the call: {reason}")).into()
}

/// The right to the one cache, for as long as an instance with it is in use.
struct CacheLease<'a> {
    workers: &'a Workers,
    holds: bool,
}

impl CacheLease<'_> {
    /// Keeps `granted` for the next call.
    fn give_back(mut self, granted: GrantedInstance) {
        let mut queue = self.workers.lock();
        match granted.cache {
            // On top, for the next call to find what was read.
            Cache::Kept => queue.idle.push(granted),
            Cache::Off => queue.idle.insert(0, granted),
        }
        self.holds = false;
    }
}

impl Drop for CacheLease<'_> {
    fn drop(&mut self) {
        if self.holds {
            self.workers.lock().cache_is_taken = false;
        }
    }
}
