//! Loads the component once and runs calls on warm instances.

use std::sync::Arc;

use thiserror::Error;
use wasmtime::StoreContextMut;
use wasmtime::component::{Component, HasData, InstancePre, Linker, ResourceTable};
use wasmtime_wasi::WasiView as _;
use wasmtime_wasi::p2::bindings as wasi;

use crate::grant::{Grant, Grants, Identity};
use crate::guard::{GuardedFilesystem, Preopen};
use crate::limits::Limits;
use crate::run::extractor::{self, Extractor};
use crate::run::instance::{Setup, State, Warm};
use crate::run::ticker::Ticker;

/// Why the component cannot be run.
#[derive(Debug, Error)]
#[error("the component cannot be loaded: {0}")]
pub struct LoadError(String);

impl From<wasmtime::Error> for LoadError {
    fn from(error: wasmtime::Error) -> Self {
        Self(format!("{error:#}"))
    }
}

/// What the guest is told beside its directories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Gitignore patterns of what is left out of every listing and search.
    pub exclude: Vec<String>,
}

/// A loaded component, ready to make instances.
pub(crate) struct Runtime {
    component: InstancePre<State>,
    extractor: Arc<Extractor>,
    ticker: Ticker,
    grants: Grants,
    settings: Settings,
    limits: Limits,
}

/// Whether an instance keeps document text between calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cache {
    /// As much as the limits say.
    Kept,
    /// None.
    Off,
}

/// An instance together with the directories that it was given.
pub(crate) struct Seat {
    pub(crate) warm: Warm,
    pub(crate) cache: Cache,
    identities: Vec<Option<Identity>>,
}

impl Runtime {
    /// Loads the component that the build compiled.
    pub(crate) fn embedded(
        grants: Grants,
        settings: Settings,
        limits: Limits,
    ) -> Result<Self, LoadError> {
        let component = crate::run::image::component().map_err(LoadError)?;
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
        let component = crate::run::image::component().map_err(LoadError)?;
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

    /// Links `component` to what it may import: nothing beyond the list that is committed in
    /// `wit/imports.txt`, and the readers; those of the build where there are none in `readers`.
    fn new(
        component: &Component,
        readers: Option<Component>,
        grants: Grants,
        settings: Settings,
        limits: Limits,
    ) -> Result<Self, LoadError> {
        let engine = component.engine();
        let mut linker = Linker::<State>::new(engine);
        add_imports(&mut linker)?;
        extractor::add_to_linker(&mut linker)?;
        let component = linker.instantiate_pre(component)?;
        Ok(Self {
            component,
            extractor: Arc::new(Extractor::new(engine, readers, &limits)),
            ticker: Ticker::new(engine.clone()),
            grants,
            settings,
            limits,
        })
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn ticker(&self) -> &Ticker {
        &self.ticker
    }

    /// Whether the directories that `seat` was given are still what stands at their paths.
    pub(crate) fn is_current(&self, seat: &Seat) -> bool {
        self.grants
            .all()
            .iter()
            .zip(&seat.identities)
            .all(|(grant, given)| grant.identity_ambient() == *given)
    }

    /// Makes an instance with the directories that stand at the granted paths now.
    pub(crate) async fn seat(&self, cache: Cache) -> wasmtime::Result<Seat> {
        let mut preopens = Vec::new();
        let mut identities = Vec::new();
        for grant in self.grants.all() {
            let path = format!("/{}", grant.name());
            match grant.open_ambient() {
                Ok((directory, identity)) => {
                    identities.push(Some(identity));
                    preopens.push(Preopen::new(path, directory, grant.right()));
                }
                Err(_) => {
                    identities.push(None);
                    preopens.push(Preopen::missing(path)?);
                }
            }
        }
        let timeout = self.limits.timeout.as_millis();
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
            environment.push(("DOCENT_SENSITIVE_ROOTS", sensitive.join("\n")));
        }
        if cache == Cache::Kept {
            environment.push(("DOCENT_CACHE_BYTES", self.limits.cache.to_string()));
        }
        let setup = Setup {
            preopens,
            environment,
            extractor: Some(Arc::clone(&self.extractor)),
            limits: &self.limits,
        };
        let warm = Warm::new(&self.component, setup).await?;
        Ok(Seat {
            warm,
            cache,
            identities,
        })
    }
}

/// What a guest's hash maps are seeded with. Constant, so that the same call takes the same course
/// in every run; keys chosen to collide cost at most the call's own time limit.
const HASH_SEED: (u64, u64) = (0x646f_6365_6e74_2d31, 0x646f_6365_6e74_2d32);

/// Adds what a guest may import, interface by interface. There is no network, no process, no
/// random source and no terminal among it.
pub(crate) fn add_imports(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    use wasi::{cli, clocks, filesystem};
    use wasmtime_wasi::cli::{WasiCli, WasiCliView as _};
    use wasmtime_wasi::clocks::{WasiClocks, WasiClocksView as _};

    wasmtime_wasi_io::bindings::wasi::io::error::add_to_linker::<State, Table>(linker, table)?;
    wasmtime_wasi_io::bindings::wasi::io::poll::add_to_linker::<State, Table>(linker, table)?;
    wasmtime_wasi_io::bindings::wasi::io::streams::add_to_linker::<State, Table>(linker, table)?;
    clocks::wall_clock::add_to_linker::<State, WasiClocks>(linker, State::clocks)?;
    clocks::monotonic_clock::add_to_linker::<State, WasiClocks>(linker, State::clocks)?;
    cli::environment::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::exit::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::stdin::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::stdout::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::stderr::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::terminal_input::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::terminal_output::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::terminal_stdin::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::terminal_stdout::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::terminal_stderr::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    // Libraries in the guest use hash maps, which ask for a seed.
    linker
        .instance("wasi:random/insecure-seed@0.2.6")?
        .func_wrap("insecure-seed", |_: StoreContextMut<'_, State>, (): ()| {
            Ok((HASH_SEED,))
        })?;
    filesystem::preopens::add_to_linker::<State, GuardedFilesystem>(linker, State::guard_view)?;
    wasi::sync::filesystem::types::add_to_linker::<State, GuardedFilesystem>(
        linker,
        State::guard_view,
    )?;
    Ok(())
}

/// Names the table of open resources to the linker.
struct Table;

impl HasData for Table {
    type Data<'a> = &'a mut ResourceTable;
}

fn table(state: &mut State) -> &mut ResourceTable {
    state.ctx().table
}
