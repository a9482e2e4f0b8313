//! One instance of the component, and what it may touch.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use wasmtime::component::{Instance, InstancePre, ResourceTable, Val};
use wasmtime::{ResourceLimiter, Store, Trap, UpdateDeadline};
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use crate::adapter::values;
use crate::fault::{CallError, Fault};
use crate::guard::{Activity, Guard, GuardView, Preopen};
use crate::limits::{
    CORE_ITEMS, HOSTCALL_BYTES, Limits, OPEN_RESOURCES, STDERR_BYTES, TABLE_ENTRIES,
};
use crate::run::extractor::Shared;

/// What an instance is given.
pub(crate) struct Setup<'a> {
    pub(crate) preopens: Vec<Preopen>,
    pub(crate) environment: Vec<(&'a str, String)>,
    /// Who reads documents that are not text, for a guest that asks for it.
    pub(crate) extractor: Option<Shared>,
    pub(crate) limits: &'a Limits,
}

/// What belongs to a store: everything that its guest can reach.
pub struct State {
    wasi: WasiCtx,
    table: ResourceTable,
    guard: Guard,
    memory: MemoryLimit,
    stop: Stop,
    stderr: MemoryOutputPipe,
    pub(crate) extractor: Option<Shared>,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

impl State {
    pub(crate) fn guard_view(&mut self) -> GuardView<'_> {
        GuardView {
            guard: &mut self.guard,
            table: &mut self.table,
        }
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

/// Caps the memory of an instance, and remembers having done so.
struct MemoryLimit {
    cap: usize,
    refused: bool,
}

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let fits = desired <= self.cap;
        self.refused |= !fits;
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

/// An instance that is kept between calls. After a fault it must be dropped.
pub(crate) struct Warm {
    pub(crate) store: Store<State>,
    pub(crate) instance: Instance,
}

impl Warm {
    /// Makes an instance that can reach what `setup` gives and nothing else.
    pub(crate) async fn new(
        component: &InstancePre<State>,
        setup: Setup<'_>,
    ) -> wasmtime::Result<Self> {
        let stderr = MemoryOutputPipe::new(STDERR_BYTES);
        let mut wasi = WasiCtx::builder();
        wasi.stderr(stderr.clone());
        for (name, value) in &setup.environment {
            wasi.env(name, value);
        }
        let mut table = ResourceTable::new();
        table.set_max_capacity(OPEN_RESOURCES);
        let state = State {
            wasi: wasi.build(),
            table,
            guard: Guard::new(setup.preopens),
            memory: MemoryLimit {
                cap: setup.limits.memory,
                refused: false,
            },
            stop: Stop {
                deadline: None,
                cancel: CancellationToken::new(),
            },
            stderr,
            extractor: setup.extractor,
        };
        let mut store = Store::new(component.engine(), state);
        store.limiter(|state| &mut state.memory);
        store.set_hostcall_fuel(HOSTCALL_BYTES);
        store.set_max_component_handles(OPEN_RESOURCES);
        store.epoch_deadline_callback(|store| {
            let stop = &store.data().stop;
            let late = stop
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline);
            if late || stop.cancel.is_cancelled() {
                Err(Trap::Interrupt.into())
            } else {
                Ok(UpdateDeadline::Continue(1))
            }
        });
        store.set_epoch_deadline(1);
        let instance = component.instantiate_async(&mut store).await?;
        Ok(Self { store, instance })
    }

    /// Begins a call, and returns the record into which what it reads is counted.
    pub(crate) fn start_call(&mut self) -> Arc<Activity> {
        self.store.data_mut().guard.start_call()
    }

    /// Calls `function` with flat JSON arguments.
    ///
    /// # Errors
    /// The guest's refusal, or a fault; see [`Warm::guarded`].
    pub(crate) async fn call(
        &mut self,
        function: &str,
        arguments: Map<String, Value>,
        limits: &Limits,
        cancel: &CancellationToken,
    ) -> Result<Value, CallError> {
        let exported = self
            .instance
            .get_func(&mut self.store, function)
            .ok_or_else(|| Fault::NoFunction(function.to_owned()))?;
        let parameters = values::parameters(&exported.ty(&self.store), arguments)?;
        let result = self
            .guarded(limits.timeout, cancel, async |_, store| {
                let mut results = [Val::Bool(false)];
                exported
                    .call_async(store, &parameters, &mut results)
                    .await?;
                let [result] = results;
                Ok(result)
            })
            .await?;
        values::answer(result, limits.result)
    }

    /// Runs `call` on this instance until it ends, `timeout` is over or `cancel` is cancelled.
    ///
    /// # Errors
    /// [`Fault`] says how it ended; the instance must then be dropped.
    pub(crate) async fn guarded<T>(
        &mut self,
        timeout: Duration,
        cancel: &CancellationToken,
        call: impl AsyncFnOnce(&Instance, &mut Store<State>) -> wasmtime::Result<T>,
    ) -> Result<T, Fault> {
        let deadline = Instant::now() + timeout;
        self.store.data_mut().stop = Stop {
            deadline: Some(deadline),
            cancel: cancel.clone(),
        };
        self.store.set_epoch_deadline(1);
        // A guest that computes is stopped by the epoch, one that waits by dropping its future.
        let outcome = tokio::select! {
            biased;
            outcome = call(&self.instance, &mut self.store) => outcome,
            () = cancel.cancelled() => return Err(Fault::Cancelled),
            () = tokio::time::sleep_until(deadline.into()) => return Err(Fault::Timeout(timeout)),
        };
        outcome.map_err(|error| {
            if cancel.is_cancelled() {
                Fault::Cancelled
            } else if Instant::now() >= deadline {
                Fault::Timeout(timeout)
            } else if self.store.data().memory.refused {
                Fault::OutOfMemory(self.store.data().memory.cap)
            } else {
                Fault::Trap(cause(&error))
            }
        })
    }

    /// What the guest wrote to its standard error.
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.store.data().stderr.contents()).into_owned()
    }
}

/// Names a trap's cause without addresses or paths.
fn cause(error: &wasmtime::Error) -> String {
    error
        .downcast_ref::<Trap>()
        .map_or_else(|| "host call refused".to_owned(), Trap::to_string)
}
