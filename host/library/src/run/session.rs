//! One instance, called in the calling thread: for command lines and for embedding.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use wasmtime::Store;

use crate::contract::Docent;
use crate::embedder::Embedder;
use crate::fault::{CallError, Fault};
use crate::grant::Grants;
use crate::guard::{Activity, Intent};
use crate::limits::Limits;
use crate::run::load_error::LoadError;
use crate::run::loaded_component::{GrantedInstance, LoadedComponent, Settings};
use crate::run::state::State;
use crate::run::trace::{Cache, TraceSink};

/// The component on the calling thread. Calls run one after the other; what they read stays in a
/// cache between them when the limits allow one.
pub struct Session {
    component: Arc<LoadedComponent>,
    executor: tokio::runtime::Runtime,
    cache: Cache,
    instance: Option<GrantedInstance>,
}

impl Session {
    /// Loads the embedded component with these directories, settings and limits.
    ///
    /// # Errors
    /// When the component does not fit this machine.
    pub fn load(grants: Grants, settings: Settings, limits: Limits) -> Result<Self, LoadError> {
        Self::with(Arc::new(LoadedComponent::embedded(
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
        Self::with(Arc::new(LoadedComponent::compiled(
            wasm, grants, settings, limits,
        )?))
    }

    /// Loads the embedded component with other readers of documents that are not text, which are
    /// compiled.
    ///
    /// # Errors
    /// When they are no component.
    #[cfg(feature = "compiler")]
    pub fn with_readers(
        readers: &[u8],
        grants: Grants,
        settings: Settings,
        limits: Limits,
    ) -> Result<Self, LoadError> {
        Self::with(Arc::new(LoadedComponent::with_readers(
            readers, grants, settings, limits,
        )?))
    }

    /// Makes another session with the same component, directories, settings and limits, for another
    /// thread. It shares nothing with this one but the component's code.
    ///
    /// # Errors
    /// When the system gives no more resources.
    pub fn twin(&self) -> Result<Self, LoadError> {
        Self::with(Arc::clone(&self.component))
    }

    fn with(component: Arc<LoadedComponent>) -> Result<Self, LoadError> {
        let cache = if !component.limits().keeps_a_cache() {
            Cache::Off
        } else {
            Cache::Kept
        };
        let executor = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()?;
        Ok(Self {
            component,
            executor,
            cache,
            instance: None,
        })
    }

    /// Calls the exported `function` with flat JSON arguments in camelCase and returns its answer.
    ///
    /// # Errors
    /// [`CallError::Refused`] when the guest refused; [`CallError::Fault`] when it failed or took
    /// too long.
    pub fn call(
        &mut self,
        function: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, CallError> {
        // Before the instance: making one is a stage of the call.
        let stopwatch = self.component.stopwatch();
        let activity = Arc::<Activity>::default();
        let mut granted = self.take_instance(&activity)?;
        let intent = self.component.intent(function);
        granted.start_call(Arc::clone(&activity), intent);
        // The calling thread is the one that waits, so nobody is there to cancel.
        let never = CancellationToken::new();
        let call = (function, arguments);
        let result = self.executor.block_on(self.component.call(
            &mut granted,
            call,
            &never,
            &activity,
            stopwatch,
        ));
        let is_over = matches!(&result, Err(CallError::Fault(fault)) if fault.ends_the_instance());
        if !is_over && !self.component.limits().one_call {
            self.instance = Some(granted);
        }
        result
    }

    /// Has the trace of each call by name given to `sink` from now on, also of the calls of twins.
    /// A second sink is not taken.
    pub fn trace(&self, sink: TraceSink) {
        self.component.trace(sink);
    }

    /// Has an embedder asked what texts mean from now on. Twins share it, and what it said. A second
    /// one is not taken.
    pub fn embed_with(&self, embedder: Arc<dyn Embedder>) {
        self.component.embed_with(embedder);
    }

    /// Has what the embedder says of passages kept in `directory`, for later programs: vectors, and
    /// the paths of what they stand for, in files that only their owner can read. Where it lies in
    /// a root, or holds one, nothing is kept, for docent writes nothing of its own there.
    pub fn keep_vectors_ambient(&self, directory: &Path) {
        self.component.keep_vectors_ambient(directory);
    }

    /// Whether what the embedder says is written for later programs: a directory is named, a call has
    /// asked the embedder, and no other program adds to the file of its model.
    #[must_use]
    pub fn keeps_vectors(&self) -> bool {
        self.component.keeps_vectors()
    }

    /// Whether something of what the embedder said had no room in the file of its model, which holds
    /// [`Limits::vector_file`] bytes.
    #[must_use]
    pub fn vectors_are_full(&self) -> bool {
        self.component.vectors_are_full()
    }

    /// Returns what a call may use.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        self.component.limits()
    }

    /// Calls the component through the types that its contract generates.
    ///
    /// # Errors
    /// [`Fault`] when it failed or took too long. A refusal is part of `T`.
    pub fn typed<T>(
        &mut self,
        call: impl AsyncFnOnce(&Docent, &mut Store<State>) -> wasmtime::Result<T>,
    ) -> Result<T, Fault> {
        let activity = Arc::<Activity>::default();
        let mut granted = self.take_instance(&activity)?;
        // Which function is called, nobody here knows.
        let intent = Intent::Write;
        granted.start_call(activity, intent);
        let limits = self.component.limits();
        let ticking = self.component.ticker().run()?;
        let never = CancellationToken::new();
        let result = self.executor.block_on(granted.instance.guarded(
            limits.timeout,
            &never,
            async |instance, store| {
                let docent = Docent::new(&mut *store, instance)?;
                call(&docent, store).await
            },
        ));
        drop(ticking);
        let fault = result.as_ref().err();
        self.component.end_call(&mut granted, intent, fault);
        // A refusal is in the result; an error left the instance in an unknown state.
        if result.is_ok() && !self.component.limits().one_call {
            self.instance = Some(granted);
        }
        result
    }

    /// Takes the warm instance if its directories are still there, or makes one.
    fn take_instance(&mut self, activity: &Activity) -> Result<GrantedInstance, Fault> {
        if let Some(granted) = self.instance.take()
            && self.component.is_current(&granted, activity)
        {
            return Ok(granted);
        }
        let made = self.component.instance(self.cache, activity);
        self.executor.block_on(made)
    }
}
