//! The component that reads documents which are not text: a fresh instance for each of them.
//!
//! Its readers are large, and what they read is written by anyone. An instance can reach nothing,
//! has a cap on its memory and a deadline, and is dropped after its one document: what it does
//! there ends the reading of that document and nothing else.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use wasmtime::component::{Component, InstancePre, Linker};
use wasmtime::{Engine, Trap};

use crate::contract::docent::docent::extract::{self, Failure, Format, Host};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::run::engine::add_imports;
use crate::run::instance::{Setup, State, Warm};

/// The interface that the readers export, and the function in it.
const INTERFACE: &str = "docent:docent/extract@0.1.0";
const FUNCTION: &str = "extract";

/// Makes instances of the readers, which are loaded when the first document needs them.
pub(crate) struct Extractor {
    engine: Engine,
    /// None for the component that the build compiled.
    component: Option<Component>,
    loaded: OnceLock<Option<InstancePre<State>>>,
    limits: Limits,
}

impl Extractor {
    /// Returns the readers for guests of `engine`, with the caps for readers in `limits`.
    pub(crate) fn new(engine: &Engine, component: Option<Component>, limits: &Limits) -> Self {
        Self {
            engine: engine.clone(),
            component,
            loaded: OnceLock::new(),
            limits: Limits {
                memory: limits.reader_memory,
                ..limits.clone()
            },
        }
    }

    /// Returns the readers, linked; none where they do not fit this machine.
    fn loaded(&self) -> Option<&InstancePre<State>> {
        let load = || {
            let component = match &self.component {
                Some(component) => component.clone(),
                None => crate::run::image::extractor(&self.engine).ok()?,
            };
            let mut linker = Linker::<State>::new(&self.engine);
            add_imports(&mut linker).ok()?;
            linker.instantiate_pre(&component).ok()
        };
        self.loaded.get_or_init(load).as_ref()
    }

    /// Reads a document in an instance of its own.
    ///
    /// # Errors
    /// How it ended.
    async fn read(
        &self,
        format: Format,
        content: &[u8],
        limits: extract::Limits,
        timeout: Duration,
        cancel: &CancellationToken,
    ) -> Result<Result<String, Failure>, Fault> {
        let broken = || Fault::Trap("the readers cannot be loaded".to_owned());
        let component = self.loaded().ok_or_else(broken)?;
        let setup = Setup {
            preopens: Vec::new(),
            environment: Vec::new(),
            extractor: None,
            limits: &self.limits,
        };
        let mut instance = Warm::new(component, setup).await.map_err(|_| broken())?;
        instance
            .guarded(timeout, cancel, async |instance, store| {
                let interface = instance.get_export_index(&mut *store, None, INTERFACE);
                let function = interface.and_then(|interface| {
                    instance.get_export_index(&mut *store, Some(&interface), FUNCTION)
                });
                let function = function.ok_or_else(|| wasmtime::format_err!("no `{FUNCTION}`"))?;
                let function = instance
                    .get_typed_func::<(Format, &[u8], extract::Limits), (Result<String, Failure>,)>(
                        &mut *store,
                        &function,
                    )?;
                let (text,) = function
                    .call_async(store, (format, content, limits))
                    .await?;
                Ok(text)
            })
            .await
    }
}

impl Host for State {
    async fn extract(
        &mut self,
        format: Format,
        content: Vec<u8>,
        limits: extract::Limits,
    ) -> wasmtime::Result<Result<String, Failure>> {
        let Some(extractor) = self.extractor.clone() else {
            return Ok(Err(Failure::Broken));
        };
        let (deadline, cancel) = self.stop();
        let left = deadline.map_or(Duration::MAX, |deadline| {
            deadline.saturating_duration_since(Instant::now())
        });
        let timeout = left.min(extractor.limits.reader_timeout);
        let text = extractor
            .read(format, &content, limits, timeout, &cancel)
            .await;
        // What ends the call is the caller's limit, and no fault of the document.
        if cancel.is_cancelled() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Trap::Interrupt.into());
        }
        Ok(match text {
            Ok(Ok(text)) if text.len() > limits.text_bytes as usize => Err(Failure::Broken),
            Ok(text) => text,
            Err(Fault::Timeout(_)) => Err(Failure::TooSlow),
            Err(Fault::OutOfMemory(_)) => Err(Failure::TooLarge),
            Err(_) => Err(Failure::Broken),
        })
    }
}

/// Links the readers for a guest.
pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    extract::add_to_linker::<State, wasmtime::component::HasSelf<State>>(linker, |state| state)
}

/// A guest's share in the readers.
pub(crate) type Shared = Arc<Extractor>;
