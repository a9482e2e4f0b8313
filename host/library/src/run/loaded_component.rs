//! The component, loaded once and ready to make instances with the granted directories.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use wasmtime::component::{Component, InstancePre, Linker};

use crate::embedder::Embedder;
use crate::fault::{CallError, Fault};
use crate::grant::{Grant, Grants, HostPaths, Identity, StateIdentity, WriteAccess};
use crate::guard::{Activity, Intent, Preopen, WriteLock};
use crate::limits::{LOCK_WAIT, Limits};
use crate::run::embedding::Embedding;
use crate::run::extractor::Extractor;
use crate::run::image;
use crate::run::instance::Instance;
use crate::run::load_error::LoadError;
use crate::run::root_health::RootHealth;
use crate::run::state::{self, Helpers, State};
use crate::run::ticker::Ticker;
use crate::run::trace::{Cache, CallTrace, InstanceOrigin, Stage, Stopwatch, TraceSink};
use docent_adapter::{Tool, table};

/// The first segment of the guest paths of states: `/.docent-state/NAME` belongs to the root `NAME`.
const STATE: &str = ".docent-state";

/// What the guest is told beside its directories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Gitignore patterns of what is left out of every listing and search.
    pub exclude: Vec<String>,
    /// Minutes that the person's local time is ahead of UTC: times are shown in it, and taken to be in
    /// it where they are written without an offset. None where nobody says.
    pub utc_offset_minutes: Option<i32>,
}

/// A loaded component, ready to make instances.
pub(crate) struct LoadedComponent {
    component: InstancePre<State>,
    helpers: Helpers,
    ticker: Ticker,
    grants: Grants,
    host_paths: HostPaths,
    /// One for each grant, in their order.
    health: Vec<RootHealth>,
    settings: Settings,
    limits: Limits,
    /// Writes that were cut off. An instance that was made before may have seen half of one, and
    /// only one that starts finishes them.
    cut_off: AtomicU64,
    trace: OnceLock<TraceSink>,
}

/// Returns an offset from UTC as ISO 8601 writes it: `+09:00`.
fn offset(minutes: i32) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.unsigned_abs();
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Returns the tool that is the exported `function`; none where the contract has no such.
fn tool(function: &str) -> Option<&'static Tool> {
    table().tools.iter().find(|tool| tool.function == function)
}

/// What was found at a granted path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// This one, and what stood where the needs of undoing are kept.
    Directory(Identity, Option<StateIdentity>),
    /// No directory.
    Nothing,
    /// Nobody knows what: its file system does not answer.
    Silence,
}

/// An instance together with the directories that it was made with.
pub(crate) struct GrantedInstance {
    pub(crate) instance: Instance<State>,
    pub(crate) cache: Cache,
    pub(crate) origin: InstanceOrigin,
    /// No other of this process has it.
    number: u64,
    /// Calls that it has served.
    calls: u64,
    /// One for each grant, in their order.
    found: Vec<Found>,
    /// Writes that had been cut off when it was made.
    cut_off: u64,
}

/// How many instances this process has made.
static INSTANCES: AtomicU64 = AtomicU64::new(1);

impl GrantedInstance {
    /// Begins a call; what it does is noted in `activity`.
    pub(crate) fn start_call(&mut self, activity: Arc<Activity>, intent: Intent) {
        if let Some(openings) = activity.openings() {
            openings.note_instance(self.number, self.calls);
        }
        self.calls += 1;
        self.instance.start_call(activity, intent);
    }
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
            helpers: Helpers {
                extractor: Arc::new(Extractor::new(engine, readers, &limits)),
                embedding: Arc::new(Embedding::new(limits.vectors, limits.vector_file)),
            },
            ticker: Ticker::new(engine.clone()),
            health: grants.all().iter().map(|_| RootHealth::new()).collect(),
            host_paths: HostPaths::new_ambient(&grants),
            grants,
            settings,
            limits,
            cut_off: AtomicU64::new(0),
            trace: OnceLock::new(),
        })
    }

    /// Has the trace of each call given to `sink` from now on. A second sink is not taken.
    pub(crate) fn trace(&self, sink: TraceSink) {
        let _ = self.trace.set(sink);
    }

    /// Has an embedder asked what texts mean from now on. A second one is not taken.
    pub(crate) fn embed_with(&self, embedder: Arc<dyn Embedder>) {
        self.helpers.embedding.embed_with(embedder);
    }

    /// Has what an embedder says of passages kept in `directory`, unless it lies in a root.
    pub(crate) fn keep_vectors_ambient(&self, directory: &Path) {
        if let Some(directory) = self.grants.apart_ambient(directory) {
            self.helpers.embedding.keep_in(directory);
        }
    }

    /// Whether what the embedder says is written for later programs.
    pub(crate) fn keeps_vectors(&self) -> bool {
        self.helpers.embedding.is_kept()
    }

    /// Whether the file of the embedder's model had no room for what it says.
    pub(crate) fn vectors_are_full(&self) -> bool {
        self.helpers.embedding.is_full()
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
        (function, mut arguments): (&str, Map<String, Value>),
        cancel: &CancellationToken,
        activity: &Activity,
        mut stopwatch: Stopwatch,
    ) -> Result<Value, CallError> {
        // The instance was made or taken before; its time ends where the call begins.
        stopwatch.lap(Stage::Instance);
        if let Some(tool) = tool(function) {
            self.host_paths.replace(tool, &mut arguments);
        }
        let ticking = self.ticker.run()?;
        let instance = &mut granted.instance;
        let result = instance
            .call(function, arguments, &self.limits, cancel, &mut stopwatch)
            .await;
        // Before the sink, which may take its time: nothing runs that has to be stopped.
        drop(ticking);
        let fault = match &result {
            Err(CallError::Fault(fault)) => Some(fault),
            _ => None,
        };
        self.end_call(granted, self.intent(function), fault);
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

    /// Tells what a call of `function` is for. What nobody knows may write.
    pub(crate) fn intent(&self, function: &str) -> Intent {
        match tool(function) {
            Some(tool) if tool.read_only => Intent::Read,
            _ => Intent::Write,
        }
    }

    /// Ends a call, with a fault or without: what was held for it alone is given back. A write that
    /// was cut off is finished by the next instance, before anything is read.
    pub(crate) fn end_call(
        &self,
        granted: &mut GrantedInstance,
        intent: Intent,
        fault: Option<&Fault>,
    ) {
        if intent == Intent::Write && fault.is_some_and(Fault::ends_the_instance) {
            // Before others may write: who waits for that has to know.
            self.cut_off.fetch_add(1, Ordering::Relaxed);
        }
        granted.instance.end_call();
    }

    /// Returns who tells what texts mean.
    pub(crate) fn embedding(&self) -> &Embedding {
        &self.helpers.embedding
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn ticker(&self) -> &Ticker {
        &self.ticker
    }

    /// Returns the health of the root with this index.
    pub(crate) fn health(&self, root: usize) -> Option<&RootHealth> {
        self.health.get(root)
    }

    /// Whether the directories that `granted` was made with are still what stands at their paths,
    /// and no write has been cut off since. Which of them is looked at is noted in `activity`.
    pub(crate) fn is_current(&self, granted: &GrantedInstance, activity: &Activity) -> bool {
        if granted.cut_off != self.cut_off.load(Ordering::Relaxed) {
            return false;
        }
        let roots = self.grants.all().iter().zip(&self.health);
        roots
            .zip(&granted.found)
            .enumerate()
            .all(|(index, ((grant, health), before))| {
                activity.enter_root(index);
                let now = match health.look(|| grant.identity_ambient()) {
                    Some(Some(identity)) => {
                        Found::Directory(identity, grant.state_identity_ambient())
                    }
                    Some(None) => Found::Nothing,
                    None => Found::Silence,
                };
                activity.leave_root();
                now == *before
            })
    }

    /// Makes an instance with the directories that stand at the granted paths now. Which of them
    /// is looked at is noted in `activity`.
    ///
    /// # Errors
    /// [`Fault::Unavailable`] when the system gives no memory or descriptors for it,
    /// [`Fault::Timeout`] when it takes longer than a call may.
    pub(crate) async fn instance(
        &self,
        cache: Cache,
        activity: &Activity,
    ) -> Result<GrantedInstance, Fault> {
        let cut_off = self.cut_off.load(Ordering::Relaxed);
        let (preopens, found) = self.preopens(activity).map_err(|error| {
            Fault::Unavailable(format!("no instance could be made: {}", error.root_cause()))
        })?;
        let state = State::new(
            preopens,
            &self.environment(cache),
            self.helpers.clone(),
            self.limits.memory,
            self.limits.clock.clone(),
        );
        let ticking = self.ticker.run()?;
        let instance = Instance::new(&self.component, state, self.limits.timeout).await?;
        drop(ticking);
        Ok(GrantedInstance {
            instance,
            cache,
            origin: InstanceOrigin::New,
            number: INSTANCES.fetch_add(1, Ordering::Relaxed),
            calls: 0,
            found,
            cut_off,
        })
    }

    /// Opens what stands at the granted paths now, and behind that the states of the roots.
    fn preopens(&self, activity: &Activity) -> wasmtime::Result<(Vec<Preopen>, Vec<Found>)> {
        let mut preopens = Vec::new();
        let mut states = Vec::new();
        let mut found = Vec::new();
        for (index, (grant, health)) in self.grants.all().iter().zip(&self.health).enumerate() {
            let path = format!("/{}", grant.name());
            activity.enter_root(index);
            let opened = health.look(|| {
                let (directory, identity) = grant.open_ambient()?;
                let access = grant.write_access_ambient(&directory);
                io::Result::Ok((directory, identity, access))
            });
            activity.leave_root();
            match opened {
                Some(Ok((directory, identity, access))) => {
                    found.push(Found::Directory(identity, grant.state_identity_ambient()));
                    preopens.push(match access {
                        Some(Ok(WriteAccess { lock, state })) => {
                            let lock = Arc::new(WriteLock::new(lock, self.lock_wait()));
                            if let Some(state) = state {
                                let at = format!("/{STATE}/{}", grant.name());
                                states.push(Preopen::state(at, state, Arc::clone(&lock)));
                            }
                            Preopen::locked(path, directory, lock)
                        }
                        // Nor where it fails: nobody could say who else writes.
                        None | Some(Err(_)) => Preopen::read_only(path, directory),
                    });
                }
                // The others are still there to be searched, and this one may come back.
                Some(Err(_)) => {
                    found.push(Found::Nothing);
                    preopens.push(Preopen::missing(path)?);
                }
                None => {
                    found.push(Found::Silence);
                    preopens.push(Preopen::silent(path)?);
                }
            }
        }
        preopens.append(&mut states);
        Ok((preopens, found))
    }

    /// How long a call waits for others to end their writes: it has to end in time itself.
    fn lock_wait(&self) -> Duration {
        LOCK_WAIT.min(self.limits.timeout / 2)
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
        let above = self.grants.all().iter().flat_map(|grant| {
            let files = grant.ignore_files_above().iter();
            files.map(
                move |file| json!({"root": grant.name(), "below": file.below, "text": file.text}),
            )
        });
        let above: Vec<Value> = above.collect();
        if !above.is_empty() {
            environment.push(("DOCENT_IGNORE_ABOVE", Value::Array(above).to_string()));
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
        if let Some(minutes) = self.settings.utc_offset_minutes {
            environment.push(("DOCENT_UTC_OFFSET", offset(minutes)));
        }
        let bytes = match cache {
            Cache::Kept => self.limits.cache_within_memory(),
            Cache::Small => self.limits.small_cache(),
            Cache::Off => 0,
        };
        if bytes > 0 {
            environment.push(("DOCENT_CACHE_BYTES", bytes.to_string()));
        }
        environment
    }
}
