//! An instance of a component and its limits, whatever its guest may access.

use std::io;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use wasmtime::component::{self, InstancePre, ResourceTable};
use wasmtime::{ResourceLimiter, Store, Trap, UpdateDeadline};
use wasmtime_wasi::WasiCtx;
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;

use crate::clock::{Clock, GuestClock};
use crate::fault::Fault;
use crate::guard::SilentRoot;
use crate::limits::{CORE_ITEMS, HOSTCALL_BYTES, OPEN_RESOURCES, STDERR_BYTES, TABLE_ENTRIES};

/// The part of every guest's store that confines it: its limits, and the signals that stop it.
pub(crate) struct Confinement {
    memory: MemoryLimit,
    stop: Stop,
    clock: Clock,
    stderr: MemoryOutputPipe,
}

/// The state of a store whose guest is confined.
pub(crate) trait Confined: Send + 'static {
    /// Returns the guest's confinement.
    fn confinement(&mut self) -> &mut Confinement;
}

impl Confinement {
    /// Returns the confinement of a guest with a limit of `memory` bytes, whose time is measured by
    /// `clock`.
    pub(crate) fn new(memory: usize, clock: Clock) -> Self {
        Self {
            memory: MemoryLimit {
                cap: memory,
                total: 0,
                is_reached: false,
            },
            stop: Stop {
                deadline: None,
                cancel: CancellationToken::new(),
            },
            clock,
            stderr: MemoryOutputPipe::new(STDERR_BYTES),
        }
    }

    /// Returns the guest's WASI context except for files, which it gets elsewhere or not at all.
    ///
    /// Settings that are not set here have wasmtime-wasi's defaults, and these are relied on:
    ///
    /// * standard input is closed, and none of the three standard streams is a terminal;
    /// * standard output is discarded; the first bytes of standard error are kept for the log;
    /// * there are no arguments, and no environment variables except those in `environment`;
    /// * there are no preopened directories;
    /// * the wall clock is the machine's own;
    /// * sockets and random sources are not linked, so their settings have no effect.
    pub(crate) fn wasi(&self, environment: &[(&str, String)]) -> WasiCtx {
        let mut wasi = WasiCtx::builder();
        wasi.stderr(self.stderr.clone());
        // A guest that measures its own time, to return a partial answer before it is stopped,
        // has to use the clock by which it is stopped.
        wasi.monotonic_clock(GuestClock::new(self.clock.clone()));
        for (name, value) in environment {
            wasi.env(name, value);
        }
        wasi.build()
    }

    /// Returns an empty table for the guest's open resources.
    pub(crate) fn table() -> ResourceTable {
        let mut table = ResourceTable::new();
        table.set_max_capacity(OPEN_RESOURCES);
        table
    }

    /// Returns the clock of the deadline.
    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Returns the deadline of the call and the token that cancels it.
    pub(crate) fn stop(&self) -> (Option<Instant>, CancellationToken) {
        (self.stop.deadline, self.stop.cancel.clone())
    }
}

/// The conditions that stop a running guest.
struct Stop {
    deadline: Option<Instant>,
    cancel: CancellationToken,
}

/// A limiter of the total memory of an instance, which remembers if the limit was reached.
struct MemoryLimit {
    cap: usize,
    /// Bytes of all memories. Memories never shrink.
    total: usize,
    is_reached: bool,
}

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self.total.saturating_add(desired.saturating_sub(current));
        let fits = total <= self.cap;
        if fits {
            self.total = total;
        }
        // The guest's allocator aborts when memory is refused, which looks like any other trap.
        // With this flag the caller gets an error that says that the call needed too much
        // memory.
        self.is_reached |= !fits;
        // The request is refused without a trap: a guest that reserves memory in advance can
        // continue with less.
        Ok(fits)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(desired <= TABLE_ENTRIES)
    }

    fn instances(&self) -> usize {
        CORE_ITEMS
    }

    fn tables(&self) -> usize {
        CORE_ITEMS
    }

    fn memories(&self) -> usize {
        CORE_ITEMS
    }
}

/// Number of retries to create an instance whose memory the system would not seal. For the first
/// instance of a component, wasmtime writes the component's data to a file in memory and seals it.
/// Linux refuses this with `EBUSY` while it holds a page of that file itself, as when it moves
/// pages. The kernel waits for a moment before it refuses, so no wait is needed here.
const SEALINGS: u32 = 3;

fn is_busy(error: &wasmtime::Error) -> bool {
    let cause = error.root_cause().downcast_ref::<io::Error>();
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::ResourceBusy)
}

/// An instance and its store. After a fault it must be dropped.
pub(crate) struct Instance<S: 'static> {
    pub(crate) store: Store<S>,
    pub(crate) instance: component::Instance,
}

impl<S: Confined> Instance<S> {
    /// Creates an instance that can access `state` and nothing else.
    ///
    /// Every instance has these limits, whatever its state:
    ///
    /// * memories whose total cannot grow beyond the cap in its [`Confinement`];
    /// * tables of [`TABLE_ENTRIES`], and [`CORE_ITEMS`] memories, tables and core instances;
    /// * [`OPEN_RESOURCES`] handles, and [`HOSTCALL_BYTES`] passed in one host call;
    /// * `timeout` for the code that runs at its creation, and otherwise no time: each call grants
    ///   some, see [`Instance::guarded`].
    ///
    /// # Errors
    /// [`Fault::Timeout`] if it was not created in time, [`Fault::Unavailable`] if the system has
    /// no memory or descriptors for it. The engine's epoch has to advance meanwhile.
    pub(crate) async fn new(
        component: &InstancePre<S>,
        state: S,
        timeout: Duration,
    ) -> Result<Self, Fault> {
        let mut store = Store::new(component.engine(), state);
        store.limiter(|state| &mut state.confinement().memory);
        store.set_hostcall_fuel(HOSTCALL_BYTES);
        store.set_max_component_handles(OPEN_RESOURCES);
        // The callback runs in the guest's thread at each tick, every 10 ms, in the middle of
        // the guest's code. It reads a clock and a flag; anything slower would slow down every
        // guest.
        store.epoch_deadline_callback(|mut store| {
            let Confinement { stop, clock, .. } = store.data_mut().confinement();
            let now = clock.look();
            let is_late = stop.deadline.is_some_and(|deadline| now >= deadline);
            if is_late || stop.cancel.is_cancelled() {
                Err(Trap::Interrupt.into())
            } else {
                Ok(UpdateDeadline::Continue(1))
            }
        });
        // Creating an instance runs guest code, the start functions of its modules. They have
        // the same time limit as a call; a module that loops there would otherwise hold the
        // thread for ever.
        let never = CancellationToken::new();
        let made = in_time(&mut store, timeout, &never, async |store| {
            let mut left = SEALINGS;
            loop {
                match component.instantiate_async(&mut *store).await {
                    Err(error) if left > 0 && is_busy(&error) => left -= 1,
                    made => return made,
                }
            }
        });
        let instance = made.await?.map_err(|error| {
            Fault::Unavailable(format!("no instance could be made: {}", error.root_cause()))
        })?;
        Ok(Self { store, instance })
    }

    /// Runs `call` on this instance until it ends, `timeout` expires or `cancel` is cancelled.
    ///
    /// # Errors
    /// [`Fault`] describes the end; the instance must then be dropped.
    pub(crate) async fn run_guarded<T>(
        &mut self,
        timeout: Duration,
        cancel: &CancellationToken,
        call: impl AsyncFnOnce(&component::Instance, &mut Store<S>) -> wasmtime::Result<T>,
    ) -> Result<T, Fault> {
        let instance = &self.instance;
        let outcome = in_time(&mut self.store, timeout, cancel, async |store| {
            call(instance, store).await
        });
        // The trap is reported by its cause. A guest whose memory was refused, or that accessed
        // a root which does not answer, ends with a trap whose text says nothing of either.
        outcome.await?.map_err(|error| {
            let memory = &self.store.data_mut().confinement().memory;
            if memory.is_reached {
                Fault::OutOfMemory(memory.cap)
            } else if let Some(SilentRoot(name)) = error.downcast_ref::<SilentRoot>() {
                Fault::RootSilent(name.clone())
            } else {
                Fault::Trap(cause(&error))
            }
        })
    }

    /// Returns the guest's output to its standard error.
    pub(crate) fn stderr(&mut self) -> String {
        let stderr = &self.store.data_mut().confinement().stderr;
        String::from_utf8_lossy(&stderr.contents()).into_owned()
    }
}

/// Runs `work` in a store until it ends, `timeout` expires or `cancel` is cancelled.
///
/// # Errors
/// [`Fault::Timeout`] and [`Fault::Cancelled`]; other failures are in the inner result.
async fn in_time<S: Confined, T>(
    store: &mut Store<S>,
    timeout: Duration,
    cancel: &CancellationToken,
    work: impl AsyncFnOnce(&mut Store<S>) -> wasmtime::Result<T>,
) -> Result<wasmtime::Result<T>, Fault> {
    let confinement = store.data_mut().confinement();
    let clock = confinement.clock.clone();
    let deadline = clock.now() + timeout;
    confinement.stop = Stop {
        deadline: Some(deadline),
        cancel: cancel.clone(),
    };
    // The epoch advances while other instances run and this one is idle. The deadline is set
    // relative to the present epoch, because an overdue one would call the callback at once.
    store.set_epoch_deadline(1);
    // A guest that computes is stopped by the epoch, because its future does not return to the
    // executor. A guest that waits, for a reader or a timer, is stopped by dropping its future.
    let outcome = tokio::select! {
        // An available answer counts, even if the time expires at the same moment.
        biased;
        outcome = work(store) => outcome,
        () = cancel.cancelled() => return Err(Fault::Cancelled),
        () = clock.sleep_until(deadline) => return Err(Fault::Timeout(timeout)),
    };
    // A guest that was stopped ends with a trap. The reason for the stop is reported instead of
    // it. A cancellation by the caller takes precedence over the time limit, which may have
    // passed as well.
    match outcome {
        Err(_) if cancel.is_cancelled() => Err(Fault::Cancelled),
        Err(_) if clock.now() >= deadline => Err(Fault::Timeout(timeout)),
        outcome => Ok(outcome),
    }
}

/// Returns a trap's cause without addresses or paths.
fn cause(error: &wasmtime::Error) -> String {
    error
        .downcast_ref::<Trap>()
        .map_or_else(|| "host call refused".to_owned(), Trap::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_busy_is_told_from_what_fails() {
        let failed = |kind| wasmtime::Error::from(io::Error::from(kind)).context("sealing");
        assert!(is_busy(&failed(io::ErrorKind::ResourceBusy)));
        assert!(!is_busy(&failed(io::ErrorKind::OutOfMemory)));
        assert!(!is_busy(&wasmtime::Error::from(Trap::Interrupt)));
    }

    #[test]
    fn all_memories_share_one_cap() -> wasmtime::Result<()> {
        let mut limit = MemoryLimit {
            cap: 100,
            total: 0,
            is_reached: false,
        };
        assert!(limit.memory_growing(0, 40, None)?);
        assert!(limit.memory_growing(0, 50, None)?);
        assert!(!limit.memory_growing(40, 60, None)?);
        assert!(limit.is_reached);
        assert!(limit.memory_growing(40, 50, None)?);
        Ok(())
    }
}
