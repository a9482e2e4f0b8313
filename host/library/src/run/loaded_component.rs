//! The component, loaded once and ready to make instances with the granted directories.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use wasmtime::component::{Component, InstancePre, Linker};

use crate::fault::{CallError, Fault};
use crate::grant::{Grant, Grants, Identity};
use crate::guard::{Activity, Preopen};
use crate::limits::Limits;
use crate::run::extractor::Extractor;
use crate::run::image;
use crate::run::instance::Instance;
use crate::run::load_error::LoadError;
use crate::run::state::{self, State};
use crate::run::ticker::Ticker;
use crate::run::trace::{Cache, CallTrace, InstanceOrigin, Stage, Stopwatch, TraceSink};

/// What the guest is told beside its directories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Gitignore patterns of what is left out of every listing and search.
    pub exclude: Vec<String>,
}

/// A loaded component, ready to make instances.
pub(crate) struct LoadedComponent {
    component: InstancePre<State>,
    extractor: Arc<Extractor>,
    ticker: Ticker,
    grants: Grants,
    settings: Settings,
    limits: Limits,
    trace: OnceLock<TraceSink>,
}

/// An instance together with the directories that it was made with.
pub(crate) struct GrantedInstance {
    pub(crate) instance: Instance<State>,
    pub(crate) cache: Cache,
    pub(crate) origin: InstanceOrigin,
    /// One for each grant, in their order; none for a directory that was not there.
    identities: Vec<Option<Identity>>,
}

impl LoadedComponent {
    /// Loads the component that the build compiled.
    pub(crate) fn embedded(
        grants: Grants,
        settings: Settings,
        limits: Limits,
    ) -> Result<Self, LoadError> {
        let component = image::component()?;
        Self::new(&component, None, grants, settings, limits)
    }

    /// Loads the component that the build compiled, and other readers for it.
    #[cfg(feature = "compiler")]
    pub(crate) fn with_readers(
        readers: &[u8],
        grants: Grants,
        settings: Settings,
        limits: Limits,
    ) -> Result<Self, LoadError> {
        let component = image::component()?;
        let readers = Component::new(component.engine(), readers)?;
        Self::new(&component, Some(readers), grants, settings, limits)
    }

    /// Compiles and loads another component.
    #[cfg(feature = "compiler")]
    pub(crate) fn compiled(
        wasm: &[u8],
        grants: Grants,
        settings: Settings,
        limits: Limits,
    ) -> Result<Self, LoadError> {
        let engine = wasmtime::Engine::new(&docent_tuning::shared())?;
        Self::new(
            &Component::new(&engine, wasm)?,
            None,
            grants,
            settings,
            limits,
        )
    }

    /// Links `component` to what it may import; its readers are those of the build where there are
    /// none in `readers`.
    fn new(
        component: &Component,
        readers: Option<Component>,
        grants: Grants,
        settings: Settings,
        limits: Limits,
    ) -> Result<Self, LoadError> {
        let engine = component.engine();
        let mut linker = Linker::<State>::new(engine);
        state::add_to_linker(&mut linker)?;
        let component = linker.instantiate_pre(component)?;
        Ok(Self {
            component,
            extractor: Arc::new(Extractor::new(engine, readers, &limits)),
            ticker: Ticker::new(engine.clone()),
            grants,
            settings,
            limits,
            trace: OnceLock::new(),
        })
    }

    /// Has the trace of each call given to `sink` from now on. A second sink is not taken.
    pub(crate) fn trace(&self, sink: TraceSink) {
        let _ = self.trace.set(sink);
    }

    /// Starts to measure a call, if somebody wants to know.
    pub(crate) fn stopwatch(&self) -> Stopwatch {
        Stopwatch::start(self.trace.get())
    }

    /// Calls `function` on `granted` with flat JSON arguments. What the guest does is counted in
    /// `activity`; `stopwatch` was started when the instance was asked for.
    ///
    /// # Errors
    /// The guest's refusal, or a fault.
    pub(crate) async fn call(
        &self,
        granted: &mut GrantedInstance,
        (function, arguments): (&str, Map<String, Value>),
        cancel: &CancellationToken,
        activity: &Activity,
        mut stopwatch: Stopwatch,
    ) -> Result<Value, CallError> {
        // The instance was made or taken before; its time ends where the call begins.
        stopwatch.lap(Stage::Instance);
        let ticking = self.ticker.run()?;
        let instance = &mut granted.instance;
        let result = instance
            .call(function, arguments, &self.limits, cancel, &mut stopwatch)
            .await;
        // Before the sink, which may take its time: nothing runs that has to be stopped.
        drop(ticking);
        if let Some(sink) = self.trace.get() {
            sink(&CallTrace {
                function: function.to_owned(),
                origin: granted.origin,
                cache: granted.cache,
                stages: stopwatch.stages(),
                work: activity.work(),
                failure: result.as_ref().err().map(ToString::to_string),
            });
        }
        granted.origin = InstanceOrigin::Warm;
        result
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn ticker(&self) -> &Ticker {
        &self.ticker
    }

    /// Whether the directories that `granted` was made with are still what stands at their paths.
    pub(crate) fn is_current(&self, granted: &GrantedInstance) -> bool {
        self.grants
            .all()
            .iter()
            .zip(&granted.identities)
            // One that was missing and still is makes no difference either.
            .all(|(grant, identity)| grant.identity_ambient() == *identity)
    }

    /// Makes an instance with the directories that stand at the granted paths now.
    ///
    /// # Errors
    /// [`Fault::Unavailable`] when the system gives no memory or descriptors for it.
    pub(crate) async fn instance(&self, cache: Cache) -> Result<GrantedInstance, Fault> {
        self.new_instance(cache).await.map_err(|error| {
            Fault::Unavailable(format!("no instance could be made: {}", error.root_cause()))
        })
    }

    async fn new_instance(&self, cache: Cache) -> wasmtime::Result<GrantedInstance> {
        let mut preopens = Vec::new();
        let mut identities = Vec::new();
        for grant in self.grants.all() {
            let path = format!("/{}", grant.name());
            match grant.open_ambient() {
                Ok((directory, identity)) => {
                    identities.push(Some(identity));
                    preopens.push(Preopen::new(path, directory, grant.right()));
                }
                // The others are still there to be searched, and this one may come back.
                Err(_) => {
                    identities.push(None);
                    preopens.push(Preopen::missing(path)?);
                }
            }
        }
        let state = State::new(
            preopens,
            &self.environment(cache),
            Arc::clone(&self.extractor),
            self.limits.memory,
        );
        Ok(GrantedInstance {
            instance: Instance::new(&self.component, state).await?,
            cache,
            origin: InstanceOrigin::New,
            identities,
        })
    }

    /// Returns the variables by which the guest learns its settings: it has no other configuration.
    fn environment(&self, cache: Cache) -> Vec<(&'static str, String)> {
        let timeout = self.limits.timeout.as_millis();
        // The guard's stamps can be relied on, without which a guest keeps nothing; and a tool that
        // knows its time ends with what it has before it is ended.
        let mut environment = vec![
            ("DOCENT_STAMPS", "1".to_owned()),
            ("DOCENT_TIMEOUT_MS", timeout.to_string()),
        ];
        if let Some(grant) = self.grants.default_grant() {
            environment.push(("DOCENT_DEFAULT_ROOT", grant.name().to_owned()));
        }
        if !self.settings.exclude.is_empty() {
            environment.push(("DOCENT_EXCLUDE", self.settings.exclude.join("\n")));
        }
        let sensitive = self
            .grants
            .all()
            .iter()
            .filter(|grant| grant.is_sensitive());
        let sensitive: Vec<&str> = sensitive.map(Grant::name).collect();
        if !sensitive.is_empty() {
            // No name holds a line break: the grants refuse it.
            environment.push(("DOCENT_SENSITIVE_ROOTS", sensitive.join("\n")));
        }
        if cache == Cache::Kept {
            environment.push(("DOCENT_CACHE_BYTES", self.limits.cache.to_string()));
        }
        environment
    }
}
