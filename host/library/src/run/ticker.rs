//! The ticker, which makes running guests check at intervals whether they should stop.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use wasmtime::Engine;

use crate::clock::TICK;
use crate::fault::Fault;

/// A ticker that advances the engine's epoch while calls run, and is idle otherwise.
pub(crate) struct Ticker {
    shared: Arc<TickerState>,
    engine: Engine,
}

struct TickerState {
    state: Mutex<RunningCalls>,
    changed: Condvar,
}

#[derive(Default)]
struct RunningCalls {
    running: usize,
    thread: Thread,
}

#[derive(Default, PartialEq, Eq)]
enum Thread {
    #[default]
    NotStarted,
    Started,
    Ending,
}

impl Ticker {
    pub(crate) fn new(engine: Engine) -> Self {
        let shared = TickerState {
            state: Mutex::default(),
            changed: Condvar::new(),
        };
        Self {
            shared: Arc::new(shared),
            engine,
        }
    }

    /// Ticks until the returned guard is dropped.
    ///
    /// # Errors
    /// [`Fault::Unavailable`] if no thread can be started: without ticks nothing would stop a
    /// guest.
    pub(crate) fn run(&self) -> Result<Ticking, Fault> {
        self.run_in(|tick| {
            let named = thread::Builder::new().name("docent-ticker".to_owned());
            named.spawn(tick).map(drop)
        })
    }

    /// Ticks as [`Self::run`] does, in a thread that `start` starts.
    fn run_in(
        &self,
        start: impl FnOnce(Box<dyn FnOnce() + Send>) -> io::Result<()>,
    ) -> Result<Ticking, Fault> {
        let mut calls = self.shared.lock();
        // The thread starts with the first call, so that a program that only loads the
        // component has no extra thread. If it cannot be started, the call fails, since nothing
        // would stop its guest, and the next call tries again.
        if calls.thread == Thread::NotStarted {
            let (shared, engine) = (Arc::clone(&self.shared), self.engine.clone());
            start(Box::new(move || shared.tick(&engine))).map_err(|error| {
                Fault::Unavailable(format!("no clock could be started: {error}"))
            })?;
            calls.thread = Thread::Started;
        }
        calls.running += 1;
        self.shared.changed.notify_all();
        Ok(Ticking(Arc::clone(&self.shared)))
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.lock().thread = Thread::Ending;
        self.shared.changed.notify_all();
    }
}

impl TickerState {
    fn lock(&self) -> std::sync::MutexGuard<'_, RunningCalls> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tick(&self, engine: &Engine) {
        let mut calls = self.lock();
        while calls.thread != Thread::Ending {
            calls = if calls.running == 0 {
                self.changed
                    .wait(calls)
                    .unwrap_or_else(PoisonError::into_inner)
            } else {
                // A new call wakes the wait early, and the extra tick costs a running guest one
                // look at the clock.
                let waited = self.changed.wait_timeout(calls, TICK);
                engine.increment_epoch();
                waited.unwrap_or_else(PoisonError::into_inner).0
            };
        }
    }
}

/// A guard for a running call.
pub(crate) struct Ticking(Arc<TickerState>);

impl Drop for Ticking {
    fn drop(&mut self) {
        // The ticker is not woken for this. It notices at its next tick that no call is
        // running, and waits for one.
        self.0.lock().running -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_could_not_be_had_is_tried_again() {
        let ticker = Ticker::new(Engine::default());
        let refused = ticker.run_in(|_| Err(io::ErrorKind::WouldBlock.into()));
        assert!(matches!(refused, Err(Fault::Unavailable(_))));
        let mut started = 0;
        for _ in 0..2 {
            let ticking = ticker.run_in(|_| {
                started += 1;
                Ok(())
            });
            assert!(ticking.is_ok());
        }
        assert_eq!(started, 1);
    }
}
