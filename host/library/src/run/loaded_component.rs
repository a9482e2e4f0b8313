//! The component, loaded once and ready to create instances with the granted directories.

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
use crate::grant::{Grant, Grants, HostPaths, Identity, StateIdentity, WriteHandles};
use crate::guard::{Activity, Intent, Preopen, WriteLock};
use crate::limits::{LOCK_WAIT, Limits};
use crate::run::embedding::Embedding;
use crate::run::extractor::ReaderFactory;
use crate::run::image;
use crate::run::instance::Instance;
use crate::run::load_error::LoadError;
use crate::run::root_health::RootHealth;
use crate::run::state::{self, Helpers, State};
use crate::run::ticker::Ticker;
use crate::run::trace::{Cache, CallTrace, InstanceOrigin, Stage, Stopwatch, TraceSink};
use docent_tool_catalog::{Tool, table};

/// First segment of the guest paths of states: `/.docent-state/NAME` belongs to the root `NAME`.
const STATE: &str = ".docent-state";

/// The guest's settings beside its directories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Gitignore patterns of files that every listing and search excludes.
    pub exclude: Vec<String>,
    /// Offset of the person's local time from UTC in minutes: times are shown in it, and times
    /// without an offset are read in it. None if it is not known.
    pub utc_offset_minutes: Option<i32>,
}

/// A loaded component, ready to create instances.
pub(crate) struct LoadedComponent {
    component: InstancePre<State>,
    helpers: Helpers,
    ticker: Ticker,
    grants: Grants,
    host_paths: HostPaths,
    /// Health of each root, in the order of the grants.
    health: Vec<RootHealth>,
    settings: Settings,
    limits: Limits,
    /// Number of interrupted writes. An instance created before one may have read its partial
    /// result, and only a new instance completes it.
    cut_off: AtomicU64,
    trace: OnceLock<TraceSink>,
}

/// Formats an offset from UTC as in ISO 8601: `+09:00`.
fn offset(minutes: i32) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.unsigned_abs();
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Returns the tool of the exported `function`; none if the contract has no such tool.
fn tool(function: &str) -> Option<&'static Tool> {
    table().tools.iter().find(|tool| tool.function == function)
}

/// The result of looking up a granted path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GrantedPath {
    /// A directory, and its root's state if there was one.
    Directory(Identity, Option<StateIdentity>),
    /// No directory.
    Nothing,
    /// Unknown: its file system does not answer.
    Silence,
}

/// An instance together with the directories with which it was created.
pub(crate) struct GrantedInstance {
    pub(crate) instance: Instance<State>,
    pub(crate) cache: Cache,
    pub(crate) origin: InstanceOrigin,
    /// Number of the instance, unique within this process.
    number: u64,
    /// Number of calls that it has served.
    calls: u64,
    /// Lookup result of each grant, in their order.
    found: Vec<GrantedPath>,
    /// Number of interrupted writes when it was created.
    cut_off: u64,
}

/// The number of the next instance of this process.
static INSTANCES: AtomicU64 = AtomicU64::new(1);

impl GrantedInstance {
    /// Begins a call; its file operations are recorded in `activity`.
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
    pub(crate) fn load_embedded(
        grants: Grants,
        settings: Settings,
        limits: Limits,
    ) -> Result<Self, LoadError> {
        let component = image::component()?;
        Self::new(&component, None, grants, settings, limits)
    }

    /// Loads the component that the build compiled, with other readers.
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
    pub(crate) fn compile(
        wasm: &[u8],
        grants: Grants,
        settings: Settings,
        limits: Limits,
    ) -> Result<Self, LoadError> {
        let engine = wasmtime::Engine::new(&docent_engine_config::shared_config(cfg!(windows)))?;
        Self::new(
            &Component::new(&engine, wasm)?,
            None,
            grants,
            settings,
            limits,
        )
    }

    /// Links `component` to its imports. Without `readers`, the readers that the build compiled are
    /// used.
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
                extractor: Arc::new(ReaderFactory::new(engine, readers, &limits)),
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

    /// Passes the trace of each call to `sink` from now on. Only the first sink is used.
    pub(crate) fn trace(&self, sink: TraceSink) {
        let _ = self.trace.set(sink);
    }

    /// Uses an embedder from now on. Only the first embedder is used.
    pub(crate) fn embed_with(&self, embedder: Arc<dyn Embedder>) {
        self.helpers.embedding.embed_with(embedder);
    }

    /// Stores the vectors of passages in `directory`, unless it lies in a root or contains one.
    pub(crate) fn keep_vectors_ambient(&self, directory: &Path) {
        if let Some(directory) = self.grants.apart_ambient(directory) {
            self.helpers.embedding.keep_in(directory);
        }
    }

    /// Returns true if vectors are written for later programs.
    pub(crate) fn keeps_vectors(&self) -> bool {
        self.helpers.embedding.is_kept()
    }

    /// Returns true if the vector file of the embedder's model had no room for some vectors.
    pub(crate) fn vectors_are_full(&self) -> bool {
        self.helpers.embedding.is_full()
    }

    /// Starts to measure a call, if there is a sink for its trace.
    pub(crate) fn stopwatch(&self) -> Stopwatch {
        Stopwatch::start(self.trace.get())
    }

    /// Calls `function` on `granted` with flat JSON arguments. The guest's file operations are
    /// counted in `activity`; `stopwatch` was started when the instance was requested.
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
        // The stage that provides the instance ends here; the stopwatch was started before it.
        stopwatch.lap(Stage::Instance);
        if let Some(tool) = tool(function) {
            self.host_paths.replace(tool, &mut arguments);
        }
        let ticking = self.ticker.run()?;
        let instance = &mut granted.instance;
        let result = instance
            .call(function, arguments, &self.limits, cancel, &mut stopwatch)
            .await;
        // The ticker is released before the sink is called, which may write to a slow terminal.
        // From here on no guest runs that may have to be stopped.
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

    /// Returns the intent of a call of `function`. An unknown function is assumed to write.
    pub(crate) fn intent(&self, function: &str) -> Intent {
        match tool(function) {
            Some(tool) if tool.read_only => Intent::Read,
            _ => Intent::Write,
        }
    }

    /// Ends a call, with a fault or without one, and releases everything held for it. An
    /// interrupted write is completed by the next instance, before it reads anything.
    pub(crate) fn end_call(
        &self,
        granted: &mut GrantedInstance,
        intent: Intent,
        fault: Option<&Fault>,
    ) {
        if intent == Intent::Write && fault.is_some_and(Fault::ends_the_instance) {
            // The number is increased before the write lock is released, so that the next
            // writer sees it: its instance is replaced by a new one, which completes the
            // interrupted write before it reads anything. In the other order, a writer could
            // build on half of that write.
            self.cut_off.fetch_add(1, Ordering::Relaxed);
        }
        granted.instance.end_call();
    }

    /// Returns the embedding service.
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

    /// Returns true if the directories of `granted` are still at their paths, and no write has been
    /// interrupted since. The root that is being looked up is recorded in `activity`.
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
                        GrantedPath::Directory(identity, grant.state_identity_ambient())
                    }
                    Some(None) => GrantedPath::Nothing,
                    None => GrantedPath::Silence,
                };
                activity.leave_root();
                now == *before
            })
    }

    /// Creates an instance with the directories that are at the granted paths now. The root that is
    /// being looked up is recorded in `activity`.
    ///
    /// # Errors
    /// [`Fault::Unavailable`] if the system has no memory or descriptors for it, [`Fault::Timeout`]
    /// if it takes longer than the limit of a call.
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
            match cache {
                Cache::Kept => self.limits.watched_files,
                // It lives for a call, or holds the stamps of few files.
                Cache::Small | Cache::Off => 0,
            },
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

    /// Opens the directories at the granted paths, followed by the states of the roots.
    fn preopens(&self, activity: &Activity) -> wasmtime::Result<(Vec<Preopen>, Vec<GrantedPath>)> {
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
                    found.push(GrantedPath::Directory(
                        identity,
                        grant.state_identity_ambient(),
                    ));
                    preopens.push(match access {
                        Some(Ok(WriteHandles { lock, state })) => {
                            let lock = Arc::new(WriteLock::new(lock, self.lock_wait()));
                            if let Some(state) = state {
                                let at = format!("/{STATE}/{}", grant.name());
                                states.push(Preopen::state(at, state, Arc::clone(&lock)));
                            }
                            Preopen::with_lock(path, directory, lock)
                        }
                        // The root is read-only as well if its lock cannot be opened. Without
                        // the lock, other writers could not be excluded.
                        None | Some(Err(_)) => Preopen::read_only(path, directory),
                    });
                }
                // A root that is gone, such as a removed disk, gets a placeholder. The other
                // roots remain usable, the positions and names stay the same, and the next call
                // finds the root again if it is back.
                Some(Err(_)) => {
                    found.push(GrantedPath::Nothing);
                    preopens.push(Preopen::missing(path)?);
                }
                None => {
                    found.push(GrantedPath::Silence);
                    preopens.push(Preopen::silent(path)?);
                }
            }
        }
        preopens.append(&mut states);
        Ok((preopens, found))
    }

    /// Returns the maximum time that a call waits for other writers: it must end in time itself.
    fn lock_wait(&self) -> Duration {
        LOCK_WAIT.min(self.limits.timeout / 2)
    }

    /// Returns the environment variables with the guest's settings: it has no other configuration.
    fn environment(&self, cache: Cache) -> Vec<(&'static str, String)> {
        let timeout = self.limits.timeout.as_millis();
        // `DOCENT_STAMPS` says that `metadata-hash` changes with the content, which WASI does
        // not require; without the variable the guest caches nothing. `DOCENT_TIMEOUT_MS` lets
        // a tool return a partial answer before it is stopped and returns nothing.
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
            // Names are separated by line breaks, which the grants refuse in a name.
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
