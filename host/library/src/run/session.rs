//! A session: one instance, called in the calling thread, for command lines and embedding.

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

/// The component on the calling thread. Calls run one after another; the files that they read are
/// cached between them if the limits allow a cache.
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
    /// If the component does not fit this machine.
    pub fn load(grants: Grants, settings: Settings, limits: Limits) -> Result<Self, LoadError> {
        Self::with(Arc::new(LoadedComponent::load_embedded(
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
        Self::with(Arc::new(LoadedComponent::compile(
            wasm, grants, settings, limits,
        )?))
    }

    /// Loads the embedded component with other readers of documents other than text; the readers
    /// are compiled.
    ///
    /// # Errors
    /// If they are not a component.
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

    /// Returns another session with the same component, directories, settings and limits, for
    /// another thread. It shares only the component's code with this one.
    ///
    /// # Errors
    /// If the system has no more resources.
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
    /// [`CallError::Refused`] if the guest refused; [`CallError::Fault`] if it failed or exceeded
    /// its time limit.
    pub fn call(
        &mut self,
        function: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, CallError> {
        // Started before the instance, whose creation is a stage of the call.
        let stopwatch = self.component.stopwatch();
        let activity = Arc::<Activity>::default();
        let mut granted = self.take_instance(&activity)?;
        let intent = self.component.intent(function);
        granted.start_call(Arc::clone(&activity), intent);
        // The calling thread blocks, so nobody can cancel the call.
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

    /// Passes the trace of each call by name to `sink` from now on, including calls of twins. Only
    /// the first sink is used.
    pub fn trace(&self, sink: TraceSink) {
        self.component.trace(sink);
    }

    /// Uses an embedder from now on. Twins share it and its cached vectors. Only the first embedder
    /// is used.
    pub fn embed_with(&self, embedder: Arc<dyn Embedder>) {
        self.component.embed_with(embedder);
    }

    /// Stores the vectors of passages in `directory`, for later programs, with the paths of the
    /// passages, in files that only their owner can read. If the directory lies in a root, or
    /// contains one, nothing is stored, because docent writes nothing of its own there.
    pub fn keep_vectors_ambient(&self, directory: &Path) {
        self.component.keep_vectors_ambient(directory);
    }

    /// Returns true if vectors are written for later programs: a directory is set, a call has used
    /// the embedder, and no other program writes to the file of its model.
    #[must_use]
    pub fn keeps_vectors(&self) -> bool {
        self.component.keeps_vectors()
    }

    /// Returns true if some vectors had no room in the file of the embedder's model, which holds
    /// [`Limits::vector_file`] bytes.
    #[must_use]
    pub fn vectors_are_full(&self) -> bool {
        self.component.vectors_are_full()
    }

    /// Returns the limits of a call.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        self.component.limits()
    }

    /// Calls the component through the types that are generated from its contract.
    ///
    /// # Errors
    /// [`Fault`] if it failed or exceeded its time limit. A refusal is part of `T`.
    pub fn call_typed<T>(
        &mut self,
        call: impl AsyncFnOnce(&Docent, &mut Store<State>) -> wasmtime::Result<T>,
    ) -> Result<T, Fault> {
        let activity = Arc::<Activity>::default();
        let mut granted = self.take_instance(&activity)?;
        // The closure may call any function of the component, so the call is assumed to write:
        // it then waits for the write lock as long as a write does, and a fault counts as an
        // interrupted write.
        let intent = Intent::Write;
        granted.start_call(activity, intent);
        let limits = self.component.limits();
        let ticking = self.component.ticker().run()?;
        let never = CancellationToken::new();
        let result = self.executor.block_on(granted.instance.run_guarded(
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
        // A refusal is part of the result and leaves the instance intact. After a fault, the
        // guest stopped at an unknown point, and its memory must not be used again.
        if result.is_ok() && !self.component.limits().one_call {
            self.instance = Some(granted);
        }
        result
    }

    /// Takes the warm instance if its directories are unchanged, or creates one.
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
