//! One instance of a component and the caps that it runs under, whatever its guest may reach.

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

/// What belongs to the store of every guest: its caps, and who may stop it.
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
    /// Returns the confinement of a guest that may hold `memory` bytes, and whose time goes by
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

    /// Returns what the guest finds of WASI beside files, which it gets elsewhere or not at all.
    ///
    /// What is not set here has wasmtime-wasi's default, and these are relied on:
    ///
    /// * standard input is closed, and none of the three standard streams is a terminal;
    /// * standard output is swallowed; of standard error the first bytes are kept for the log;
    /// * there are no arguments, and no environment variables but those in `environment`;
    /// * there are no preopened directories;
    /// * the wall clock is the machine's own;
    /// * sockets and random sources are not linked, so what is set of them does not matter.
    pub(crate) fn wasi(&self, environment: &[(&str, String)]) -> WasiCtx {
        let mut wasi = WasiCtx::builder();
        wasi.stderr(self.stderr.clone());
        // A guest that keeps its time by itself has to go by the same clock as who stops it.
        wasi.monotonic_clock(GuestClock::new(self.clock.clone()));
        for (name, value) in environment {
            wasi.env(name, value);
        }
        wasi.build()
    }

    /// Returns an empty table for what the guest holds open.
    pub(crate) fn table() -> ResourceTable {
        let mut table = ResourceTable::new();
        table.set_max_capacity(OPEN_RESOURCES);
        table
    }

    /// Returns the clock that the deadline is meant by.
    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Returns when the call has to end, and by what it is cancelled.
    pub(crate) fn stop(&self) -> (Option<Instant>, CancellationToken) {
        (self.stop.deadline, self.stop.cancel.clone())
    }
}

/// When a running guest has to stop.
struct Stop {
    deadline: Option<Instant>,
    cancel: CancellationToken,
}

/// Caps what all memories of an instance hold together, and remembers having done so.
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
        // The guest's allocator aborts, which looks like any trap: this tells the two apart.
        self.is_reached |= !fits;
        // Refused and no trap: a guest that asks for room before it needs it can go on with less.
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

/// How often it is tried again to make an instance whose memory the system would not seal. The first
/// instance of a component has wasmtime write the component's data to a file in memory and seal it,
/// which Linux refuses with `EBUSY` while it has hold of one of the pages for itself, as when it moves
/// them; it waits a moment for that, so nobody has to here.
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
    /// Makes an instance that can reach what `state` holds and nothing else.
    ///
    /// Every instance has, whatever it is given:
    ///
    /// * memories that together cannot grow beyond the cap in its [`Confinement`];
    /// * tables of [`TABLE_ENTRIES`], and [`CORE_ITEMS`] memories, tables and core instances;
    /// * [`OPEN_RESOURCES`] handles, and [`HOSTCALL_BYTES`] for what it passes in one host call;
    /// * no time to run but `timeout` for what it does when it is made: each call gives it some,
    ///   see [`Instance::guarded`].
    ///
    /// # Errors
    /// [`Fault::Timeout`] when it was not made in time, [`Fault::Unavailable`] when the system
    /// gives no memory or descriptors for it. The engine's epoch has to move on meanwhile.
    pub(crate) async fn new(
        component: &InstancePre<S>,
        state: S,
        timeout: Duration,
    ) -> Result<Self, Fault> {
        let mut store = Store::new(component.engine(), state);
        store.limiter(|state| &mut state.confinement().memory);
        store.set_hostcall_fuel(HOSTCALL_BYTES);
        store.set_max_component_handles(OPEN_RESOURCES);
        // Runs in the guest's thread at each tick of the ticker, so it must cost next to nothing.
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
        // A module's start function is code of the guest like any other.
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

    /// Runs `call` on this instance until it ends, `timeout` is over or `cancel` is cancelled.
    ///
    /// # Errors
    /// [`Fault`] says how it ended; the instance must then be dropped.
    pub(crate) async fn guarded<T>(
        &mut self,
        timeout: Duration,
        cancel: &CancellationToken,
        call: impl AsyncFnOnce(&component::Instance, &mut Store<S>) -> wasmtime::Result<T>,
    ) -> Result<T, Fault> {
        let instance = &self.instance;
        let outcome = in_time(&mut self.store, timeout, cancel, async |store| {
            call(instance, store).await
        });
        // A guest whose memory is refused traps: what was refused says more than how it ended.
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

    /// Returns what the guest wrote to its standard error.
    pub(crate) fn stderr(&mut self) -> String {
        let stderr = &self.store.data_mut().confinement().stderr;
        String::from_utf8_lossy(&stderr.contents()).into_owned()
    }
}

/// Does `work` in a store until it ends, `timeout` is over or `cancel` is cancelled.
///
/// # Errors
/// [`Fault::Timeout`] and [`Fault::Cancelled`]; how else it failed is within.
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
    // While an instance rests, ticks pass by: without this its first one would be overdue.
    store.set_epoch_deadline(1);
    // A guest that computes is stopped by the epoch, one that waits by dropping its future.
    let outcome = tokio::select! {
        // An answer that is there counts, even if the time is over at the same moment.
        biased;
        outcome = work(store) => outcome,
        () = cancel.cancelled() => return Err(Fault::Cancelled),
        () = clock.sleep_until(deadline) => return Err(Fault::Timeout(timeout)),
    };
    // A guest that is stopped traps: what stopped it says more than how, and the caller's wish
    // comes before the host's limits.
    match outcome {
        Err(_) if cancel.is_cancelled() => Err(Fault::Cancelled),
        Err(_) if clock.now() >= deadline => Err(Fault::Timeout(timeout)),
        outcome => Ok(outcome),
    }
}

/// Names a trap's cause without addresses or paths.
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
