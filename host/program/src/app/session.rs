//! Setups, grants and sessions.

use std::path::PathBuf;
use std::time::Duration;

use docent_host::grant::{Grants, RootSpec};
use docent_host::{Limits, Session, Settings};

use super::App;
use crate::config::{self, ConfigError, Flags, Setup, StatePlace};
use crate::embedder::{Background, NamedEmbedder};
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;

/// Name of the directory of vectors in the state directory.
pub const VECTORS: &str = "vectors";

impl App {
    /// Resolves the configuration.
    ///
    /// # Errors
    /// Returns [`ConfigError`] for a malformed configuration or flag.
    pub fn load_setup(&self, flags: &Flags) -> Result<Setup, ConfigError> {
        config::setup(flags, &self.surroundings())
    }

    /// Returns the setup and its grants, at least one directory.
    ///
    /// # Errors
    /// Returns an error if the configuration is malformed, or if a directory cannot be granted.
    pub fn grant(&self, flags: &Flags) -> Result<(Setup, Grants), CommandError> {
        let setup = self.load_setup(flags)?;
        if setup.roots.is_empty() {
            return Err(config::no_roots(&self.surroundings()).into());
        }
        let grants = self.grant_roots(&setup, &setup.roots, setup.default_root.as_deref())?;
        Ok((setup, grants))
    }

    /// Grants these roots. Even read-only roots are granted their state directory: an interrupted
    /// write is completed first.
    ///
    /// # Errors
    /// Returns an error if a directory cannot be granted.
    pub fn grant_roots(
        &self,
        setup: &Setup,
        roots: &[RootSpec],
        default: Option<&str>,
    ) -> Result<Grants, CommandError> {
        let grants = Grants::resolve_ambient(roots, default)?;
        Ok(match &setup.state {
            StatePlace::Directory(directory) => grants.keep_state_ambient(directory)?,
            StatePlace::None => grants,
        })
    }

    /// Creates a session for a single call, which gains nothing from a cache.
    ///
    /// # Errors
    /// Returns an error if the component or the embedder cannot be loaded.
    pub fn session(&self, setup: &Setup, grants: Grants) -> Result<Session, CommandError> {
        // The session makes one call, so cached text would cost memory and never be used.
        let limits = Limits {
            cache: 0,
            ..self.limits(setup)
        };
        self.session_within(setup, grants, limits)
    }

    /// Creates a session for a command that reads the same files in several pages.
    ///
    /// # Errors
    /// Returns an error if the component or the embedder cannot be loaded.
    pub fn session_of_pages(&self, setup: &Setup, grants: Grants) -> Result<Session, CommandError> {
        self.session_within(setup, grants, self.limits(setup))
    }

    fn session_within(
        &self,
        setup: &Setup,
        grants: Grants,
        limits: Limits,
    ) -> Result<Session, CommandError> {
        let load = || Session::load(grants, self.settings(setup), limits);
        let session = self.trace.time("component loaded", load)?;
        if let Some((embedder, vectors)) = self.embedder(setup)? {
            session.embed_with(embedder.embedder());
            if let Some(directory) = vectors {
                session.keep_vectors_ambient(&directory);
            }
        }
        if let Some(sink) = self.trace.sink() {
            session.trace(sink);
        }
        Ok(session)
    }

    /// Returns true if passages without vectors are embedded between calls.
    pub fn learns(&self, setup: &Setup) -> bool {
        let spec = setup.embedder.as_ref();
        spec.is_some_and(|spec| spec.background() == Background::Embeds)
    }

    /// Returns the embedder, and the directory of its vectors.
    ///
    /// # Errors
    /// Returns an error if it is a model whose files are missing.
    pub fn embedder(
        &self,
        setup: &Setup,
    ) -> Result<Option<(NamedEmbedder, Option<PathBuf>)>, CommandError> {
        let Some(spec) = &setup.embedder else {
            return Ok(None);
        };
        let vectors = match &setup.state {
            StatePlace::Directory(state) => Some(state.join(VECTORS)),
            StatePlace::None => None,
        };
        Ok(Some((spec.create()?, vectors)))
    }

    /// Prints the embedder and the address to which texts are sent, if one is configured.
    pub fn say_where_texts_go(&self, setup: &Setup) {
        if let Some(spec) = &setup.embedder {
            let spec = spec.description();
            note(format_args!("embeddings come from {spec}"));
        }
    }

    /// Returns the settings of the component.
    pub fn settings(&self, setup: &Setup) -> Settings {
        // The offset is read once, at the start, and passed to the component, which has no time
        // zones. A service therefore keeps its offset when the clocks change, until it is
        // restarted.
        let offset = self.now().offset().local_minus_utc();
        Settings {
            exclude: setup.exclude.clone(),
            utc_offset_minutes: Some(offset / 60),
        }
    }

    /// Returns the limits of the component.
    pub fn limits(&self, setup: &Setup) -> Limits {
        let set = &setup.limits;
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        // More than this machine can address is equivalent to no limit.
        let mib = |number: u64| count(number.saturating_mul(1 << 20));
        let built_in = Limits::default();
        Limits {
            timeout: set
                .timeout_ms
                .map_or(built_in.timeout, Duration::from_millis),
            memory: set.memory_mb.map_or(built_in.memory, mib),
            cache: set.cache_mb.map_or(built_in.cache, mib),
            watched_files: set.watched_files.map_or(built_in.watched_files, count),
            threads: set.threads.map_or(built_in.threads, count),
            ..built_in
        }
    }
}
