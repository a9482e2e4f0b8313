//! Runs calls on a bounded pool of threads, each with a warm instance.

use std::collections::VecDeque;
use std::io::Write as _;
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
use crate::run::engine::{Cache, LoadError, Runtime, Seat, Settings};

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
pub struct Engine {
    pool: Arc<Pool>,
    /// Cancelled when the engine is dropped; every call's token stops with it.
    closing: CancellationToken,
}

struct Pool {
    runtime: Runtime,
    state: Mutex<PoolState>,
    changed: Condvar,
}

#[derive(Default)]
struct PoolState {
    jobs: VecDeque<Job>,
    /// Warm instances; the one with a cache, if it is idle, is the last.
    idle: Vec<Seat>,
    cache_is_given: bool,
    threads: usize,
    waiting: usize,
    lost: usize,
    closing: bool,
}

struct Job {
    call: Call,
    run: Arc<Run>,
    answer: oneshot::Sender<Result<Value, CallError>>,
}

struct Call {
    function: String,
    arguments: Map<String, Value>,
    cancel: CancellationToken,
}

/// What the caller's side and the thread's side of a call know of each other.
#[derive(Default)]
struct Run {
    started: OnceLock<(Instant, Arc<Activity>)>,
    abandoned: AtomicBool,
}

impl Engine {
    /// Loads the embedded component with these directories, settings and limits. No thread is
    /// started and no instance made before the first call.
    ///
    /// # Errors
    /// When the component does not fit this machine.
    pub fn load(grants: Grants, settings: Settings, limits: Limits) -> Result<Self, LoadError> {
        Ok(Self::with(Runtime::embedded(grants, settings, limits)?))
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
        Ok(Self::with(Runtime::compiled(
            wasm, grants, settings, limits,
        )?))
    }

    fn with(runtime: Runtime) -> Self {
        let pool = Pool {
            runtime,
            state: Mutex::default(),
            changed: Condvar::new(),
        };
        Self {
            pool: Arc::new(pool),
            closing: CancellationToken::new(),
        }
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
        let cancel = control.cancel.child_token();
        // A caller that goes away takes its call along.
        let _guard = cancel.clone().drop_guard();
        let run = Arc::new(Run::default());
        let (answer, mut answered) = oneshot::channel();
        let call = Call {
            function: function.to_owned(),
            arguments,
            cancel: cancel.clone(),
        };
        self.pool.submit(Job {
            call,
            run: Arc::clone(&run),
            answer,
        })?;
        let limit = self.pool.runtime.limits().timeout;
        let submitted = Instant::now();
        let mut ticks = tokio::time::interval(GRACE);
        let mut told = submitted;
        loop {
            tokio::select! {
                biased;
                result = &mut answered => {
                    return result.unwrap_or_else(|_| Err(Fault::Trap("its thread ended".to_owned()).into()));
                }
                () = cancel.cancelled() => return Err(Fault::Cancelled.into()),
                () = self.closing.cancelled() => return Err(Fault::Cancelled.into()),
                _ = ticks.tick() => {}
            }
            let Some((started, activity)) = run.started.get() else {
                if submitted.elapsed() > limit {
                    return Err(Fault::Busy.into());
                }
                continue;
            };
            if started.elapsed() > limit + GRACE {
                self.pool.abandon(&run);
                return Err(Fault::Timeout(limit).into());
            }
            if let Some(progress) = &control.progress
                && told.elapsed() >= PROGRESS
            {
                told = Instant::now();
                progress(Progress {
                    files: activity.files(),
                    bytes: activity.bytes(),
                });
            }
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.closing.cancel();
        let mut state = self.pool.lock();
        state.closing = true;
        for job in state.jobs.drain(..) {
            job.call.cancel.cancel();
        }
        self.pool.changed.notify_all();
    }
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a call, and starts a thread for it if none is free and one more may be.
    fn submit(self: &Arc<Self>, job: Job) -> Result<(), Fault> {
        let limits = self.runtime.limits();
        let mut state = self.lock();
        if state.jobs.len() >= limits.queue || state.lost >= LOST_THREADS {
            return Err(Fault::Busy);
        }
        state.jobs.push_back(job);
        if state.waiting == 0 && state.threads < limits.threads.max(1) {
            let pool = Arc::clone(self);
            let started = thread::Builder::new()
                .name("docent-call".to_owned())
                .spawn(move || pool.work());
            match started {
                Ok(_) => state.threads += 1,
                Err(_) if state.threads > 0 => {}
                Err(_) => {
                    state.jobs.pop_back();
                    return Err(Fault::Busy);
                }
            }
        }
        self.changed.notify_one();
        Ok(())
    }

    /// Gives up the thread of a call that the operating system holds; another may take its place.
    fn abandon(&self, run: &Run) {
        let mut state = self.lock();
        if !run.abandoned.swap(true, Ordering::AcqRel) {
            state.threads -= 1;
            state.lost += 1;
        }
    }

    /// A thread's life: one call after the other.
    fn work(&self) {
        let Ok(executor) = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
        else {
            self.lock().threads -= 1;
            return;
        };
        loop {
            let Some(job) = self.next() else { return };
            let Job { call, run, answer } = job;
            let outcome =
                catch_unwind(AssertUnwindSafe(|| executor.block_on(self.run(call, &run))));
            let result =
                outcome.unwrap_or_else(|_| Err(Fault::Trap("the host failed".to_owned()).into()));
            // A caller that went away no longer wants the answer.
            let _ = answer.send(result);
            let mut state = self.lock();
            if run.abandoned.load(Ordering::Acquire) {
                state.lost -= 1;
                return;
            }
            if state.closing {
                state.threads -= 1;
                return;
            }
        }
    }

    /// Waits for a call; none when the engine is gone.
    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if state.closing {
                state.threads -= 1;
                return None;
            }
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            state.waiting += 1;
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    async fn run(&self, call: Call, run: &Run) -> Result<Value, CallError> {
        if call.cancel.is_cancelled() {
            return Err(Fault::Cancelled.into());
        }
        let mut seat = self.take_seat().await?;
        // Until it is put back, whatever happens, the cache is free to be given again.
        let lease = CacheLease {
            pool: self,
            holds: seat.cache == Cache::Kept,
        };
        let activity = seat.warm.start_call();
        let _ = run.started.set((Instant::now(), activity));
        let limits = self.runtime.limits();
        let ticking = self.runtime.ticker().run();
        let result = seat
            .warm
            .call(&call.function, call.arguments, limits, &call.cancel)
            .await;
        drop(ticking);
        match &result {
            Err(CallError::Fault(fault)) if fault.ends_the_instance() => {
                let said = seat.warm.stderr();
                if !said.is_empty() {
                    // Whoever reads the log may be gone; the call's caller is told in any case.
                    let _ = writeln!(
                        std::io::stderr(),
                        "docent: the component said: {}",
                        said.trim_end().escape_debug()
                    );
                }
            }
            _ => lease.give_back(seat),
        }
        result
    }

    /// Takes a warm instance, or makes one.
    async fn take_seat(&self) -> Result<Seat, Fault> {
        let cache = {
            let mut state = self.lock();
            match state.idle.pop() {
                Some(seat) if self.runtime.is_current(&seat) => return Ok(seat),
                Some(seat) => seat.cache,
                None if state.cache_is_given || self.runtime.limits().cache == 0 => Cache::Off,
                None => {
                    state.cache_is_given = true;
                    Cache::Kept
                }
            }
        };
        self.runtime.seat(cache).await.map_err(|error| {
            if cache == Cache::Kept {
                self.lock().cache_is_given = false;
            }
            Fault::Trap(format!("no instance could be made: {}", error.root_cause()))
        })
    }
}

/// The right to the one cache, for as long as an instance with it is in use.
struct CacheLease<'a> {
    pool: &'a Pool,
    holds: bool,
}

impl CacheLease<'_> {
    /// Keeps `seat` for the next call.
    fn give_back(mut self, seat: Seat) {
        let mut state = self.pool.lock();
        match seat.cache {
            Cache::Kept => state.idle.push(seat),
            Cache::Off => state.idle.insert(0, seat),
        }
        self.holds = false;
    }
}

impl Drop for CacheLease<'_> {
    fn drop(&mut self) {
        if self.holds {
            self.pool.lock().cache_is_given = false;
        }
    }
}
