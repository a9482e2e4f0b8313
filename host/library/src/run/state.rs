//! The state of an instance of the main component.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use wasmtime::Trap;
use wasmtime::component::{HasSelf, Linker, ResourceTable, Val};
use wasmtime_wasi::p2::bindings::filesystem::preopens;
use wasmtime_wasi::p2::bindings::sync::filesystem::types;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use crate::clock::Clock;
use crate::contract::docent::docent::embed::{
    self, Bounds, CountedDocument, Counts, Document, Neighbours, Text,
};
use crate::contract::docent::docent::extract::{self, ExtractedDocument, Failure};
use crate::fault::{CallError, Fault};
use crate::guard::{Activity, Guard, GuardView, GuardedFilesystem, Intent, Preopen};
use crate::limits::Limits;
use crate::run::embedding::{Embedding, contract_model, role};
use crate::run::extractor::ReaderFactory;
use crate::run::imports;
use crate::run::instance::{Confined, Confinement, Instance};
use crate::run::trace::{Stage, Stopwatch};
use crate::values;

/// Maximum bytes of the name of a format, which readers return beside a text or in place of one.
const FORMAT_NAME_BYTES: usize = 64;

/// The state of a store: everything that its guest can access.
pub struct State {
    wasi: WasiCtx,
    table: ResourceTable,
    guard: Guard,
    confinement: Confinement,
    helpers: Helpers,
    /// Number of passages passed to the embedder in this call.
    given: u64,
}

/// The services that a guest can call beside its files.
#[derive(Clone)]
pub(crate) struct Helpers {
    /// Readers of documents other than text.
    pub(crate) extractor: Arc<ReaderFactory>,
    /// Embedding service.
    pub(crate) embedding: Arc<Embedding>,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

impl Confined for State {
    fn confinement(&mut self) -> &mut Confinement {
        &mut self.confinement
    }
}

impl State {
    /// Returns the state of a guest with these preopens, environment variables, memory limit in
    /// bytes and helpers, and nothing else; see [`Confinement::wasi`].
    pub(crate) fn new(
        preopens: Vec<Preopen>,
        environment: &[(&str, String)],
        helpers: Helpers,
        memory: usize,
        clock: Clock,
    ) -> Self {
        let confinement = Confinement::new(memory, clock);
        Self {
            wasi: confinement.wasi(environment),
            table: Confinement::table(),
            guard: Guard::new(preopens),
            confinement,
            helpers,
            given: 0,
        }
    }

    fn guard_view(&mut self) -> GuardView<'_> {
        GuardView {
            guard: &mut self.guard,
            table: &mut self.table,
        }
    }
}

/// Links the imports of the main component: only the interfaces listed in `wit/imports.txt`, the
/// readers, and the embedding service.
pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    imports::add_to_linker(linker)?;
    preopens::add_to_linker::<State, GuardedFilesystem>(linker, State::guard_view)?;
    types::add_to_linker::<State, GuardedFilesystem>(linker, State::guard_view)?;
    extract::add_to_linker::<State, HasSelf<State>>(linker, |state| state)?;
    embed::add_to_linker::<State, HasSelf<State>>(linker, |state| state)
}

impl State {
    /// Returns the time for a piece of work: the milliseconds that the guest allows, but at most
    /// the rest of the call.
    fn within_call(&self, milliseconds: u32) -> Duration {
        let (deadline, _) = self.confinement.stop();
        let left = deadline.map_or(Duration::MAX, |deadline| {
            deadline.saturating_duration_since(self.confinement.clock().now())
        });
        left.min(Duration::from_millis(milliseconds.into()))
    }

    /// Ends the call if its time is over, or it was cancelled: these are the caller's limits, and
    /// are not reported to the guest.
    fn end_if_over(&self) -> wasmtime::Result<()> {
        let (deadline, cancel) = self.confinement.stop();
        if cancel.is_cancelled()
            || deadline.is_some_and(|deadline| self.confinement.clock().now() >= deadline)
        {
            return Err(Trap::Interrupt.into());
        }
        Ok(())
    }
}

impl embed::Host for State {
    async fn describe(
        &mut self,
        milliseconds: u32,
    ) -> wasmtime::Result<Result<embed::Model, embed::Failure>> {
        let timeout = self.within_call(milliseconds);
        let model = self.helpers.embedding.describe(timeout);
        self.end_if_over()?;
        Ok(model.map(contract_model))
    }

    async fn embed(
        &mut self,
        as_what: embed::Role,
        texts: Vec<Text>,
        bounds: Bounds,
    ) -> wasmtime::Result<Result<Vec<i8>, embed::Failure>> {
        let timeout = self.within_call(bounds.milliseconds);
        let embedding = &self.helpers.embedding;
        let before = embedding.passages_given();
        let vectors = embedding.embed(role(as_what), &texts, bounds, timeout);
        // The count is a difference of a counter that all calls share, so passages that were
        // embedded for concurrent calls meanwhile count as well. Less of this query's budget
        // then remains for background embedding; the budget is never exceeded.
        self.given += embedding.passages_given().saturating_sub(before);
        if let (embed::Role::Passage, Ok(numbers)) = (as_what, &vectors) {
            let passages = count_given(numbers, texts.len());
            self.guard.activity().count_passages(passages);
        }
        self.end_if_over()?;
        Ok(vectors)
    }

    async fn nearest(
        &mut self,
        vector: Vec<i8>,
        area: String,
        most: u32,
        moment: Option<u64>,
    ) -> wasmtime::Result<Neighbours> {
        Ok(self.helpers.embedding.nearest(&vector, &area, most, moment))
    }

    async fn counted(
        &mut self,
        asked: Option<String>,
        documents: Vec<Document>,
    ) -> wasmtime::Result<Counts> {
        let embedding = &self.helpers.embedding;
        Ok(embedding.passage_counts(asked, self.given, &documents))
    }

    async fn count(
        &mut self,
        losses: u64,
        documents: Vec<CountedDocument>,
    ) -> wasmtime::Result<()> {
        self.helpers.embedding.count(losses, &documents);
        Ok(())
    }
}

/// Returns how many of the texts have a vector: the others have zeros.
fn count_given(numbers: &[i8], texts: usize) -> usize {
    let dimensions = numbers.len() / texts.max(1);
    let vectors = numbers.chunks(dimensions.max(1));
    vectors
        .filter(|vector| vector.iter().any(|number| *number != 0))
        .count()
}

impl extract::Host for State {
    async fn extract(
        &mut self,
        extension: String,
        content: Vec<u8>,
        limits: extract::Limits,
    ) -> wasmtime::Result<Result<ExtractedDocument, Failure>> {
        let (_, cancel) = self.confinement.stop();
        let extractor = &self.helpers.extractor;
        // The reader gets the smallest of three times: the rest of its call, what the guest
        // allows for this document, and the configured limit of a document. One slow document
        // must leave the call time for the others.
        let timeout = self
            .within_call(limits.milliseconds)
            .min(extractor.timeout());
        let start = Instant::now();
        let document = extractor
            .read(&extension, &content, limits, timeout, &cancel)
            .await;
        self.guard.activity().count_document(start.elapsed());
        // If the call itself is over, it ends here. That is not a fault of the document, and
        // the guest must not report it as one.
        self.end_if_over()?;
        Ok(match document {
            // The guest has named the most text that it can take. A reader that returns more
            // ignores its limit, as a compromised one would, and counts as broken. So does one
            // that returns a text in place of the name of a format.
            Ok(Ok(document))
                if document.text.len() > limits.text_bytes as usize
                    || document.format.len() > FORMAT_NAME_BYTES =>
            {
                Err(Failure::Broken)
            }
            Ok(Err(Failure::Unsupported(name))) if name.len() > FORMAT_NAME_BYTES => {
                Err(Failure::Broken)
            }
            Ok(document) => document,
            Err(Fault::Timeout(_)) => Err(Failure::TooSlow),
            Err(Fault::OutOfMemory(_)) => Err(Failure::TooLarge),
            Err(_) => Err(Failure::Broken),
        })
    }
}

impl Instance<State> {
    /// Begins a call; its file operations are counted in `activity`.
    pub(crate) fn start_call(&mut self, activity: Arc<Activity>, intent: Intent) {
        let state = self.store.data_mut();
        state.given = 0;
        state.guard.start_call(activity, intent);
    }

    /// Ends a call and releases everything held for it.
    pub(crate) fn end_call(&mut self) {
        self.store.data_mut().guard.end_call();
    }

    /// Calls `function` with flat JSON arguments.
    ///
    /// # Errors
    /// The guest's refusal, or a fault; see [`Instance::guarded`].
    pub(crate) async fn call(
        &mut self,
        function: &str,
        arguments: Map<String, Value>,
        limits: &Limits,
        cancel: &CancellationToken,
        stopwatch: &mut Stopwatch,
    ) -> Result<Value, CallError> {
        let exported = self
            .instance
            .get_func(&mut self.store, function)
            .ok_or_else(|| Fault::NoFunction(function.to_owned()))?;
        let parameters = values::parameters(&exported.ty(&self.store), arguments)?;
        stopwatch.lap(Stage::Arguments);
        let result = self
            .run_guarded(limits.timeout, cancel, async |_, store| {
                // `call_async` writes each value that the function returns into a slot.
                // Functions of the contract return exactly one; the value in the slot is
                // overwritten.
                let mut results = [Val::Bool(false)];
                exported
                    .call_async(store, &parameters, &mut results)
                    .await?;
                let [result] = results;
                Ok(result)
            })
            .await;
        // The stage is recorded after a failure as well. The running time of a guest that was
        // stopped is what the trace is read for.
        stopwatch.lap(Stage::Guest);
        let answer = values::answer(result?, limits.result);
        stopwatch.lap(Stage::Answer);
        answer
    }
}
