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
use crate::contract::docent::docent::extract::{
    self, ExtractedDocument, Failure, Member, MemberList,
};
use crate::fault::{CallError, Fault};
use crate::guard::{Activity, Guard, GuardView, GuardedFilesystem, Intent, Preopen};
use crate::limits::Limits;
use crate::run::embedding::{Embedding, contract_model, role};
use crate::run::extractor::{ReaderFactory, ReaderInput};
use crate::run::imports;
use crate::run::instance::{Confined, Confinement, Instance};
use crate::run::trace::{Stage, Stopwatch};
use crate::values;

/// Maximum bytes of the name of a format, which readers return beside a text or in place of one.
const FORMAT_NAME_BYTES: usize = 64;

/// Maximum members of a container.
const MEMBERS: usize = 500;

/// Maximum bytes of the path of a member: 32 names of 255 bytes.
const MEMBER_PATH_BYTES: usize = 32 * 256;

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
    /// bytes and helpers, and nothing else; see [`Confinement::wasi`]. At most `watched_files`
    /// files are watched for it.
    pub(crate) fn new(
        preopens: Vec<Preopen>,
        environment: &[(&str, String)],
        helpers: Helpers,
        memory: usize,
        watched_files: usize,
        clock: Clock,
    ) -> Self {
        let guard = Guard::new(preopens, watched_files, clock.clone());
        let confinement = Confinement::new(memory, clock);
        Self {
            wasi: confinement.wasi(environment),
            table: Confinement::table(),
            guard,
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

impl State {
    /// Returns the time for a reader: the smallest of the rest of its call, what the guest allows
    /// for this document, and the configured limit of a document. One slow document must leave the
    /// call time for the others.
    fn reading_time(&self, milliseconds: u32) -> Duration {
        let most = self.helpers.extractor.timeout();
        self.within_call(milliseconds).min(most)
    }

    /// Returns the time for a container. A call that opens many containers by their paths is not
    /// ended by them: each gets at most half of the time that is left.
    fn container_time(&self, milliseconds: u32) -> Duration {
        let half_of_call = self.within_call(u32::MAX) / 2;
        self.reading_time(milliseconds).min(half_of_call)
    }
}

/// Converts the outcome of a reader. A result that exceeds the limits of the guest is that of a
/// compromised reader, and counts as broken. So does a text in place of the name of a format.
fn reader_outcome<R>(
    read: Result<Result<R, Failure>, Fault>,
    exceeds: impl FnOnce(&R) -> bool,
) -> Result<R, Failure> {
    match read {
        Ok(Ok(result)) if exceeds(&result) => Err(Failure::Broken),
        Ok(Err(Failure::Unsupported(name))) if name.len() > FORMAT_NAME_BYTES => {
            Err(Failure::Broken)
        }
        Ok(result) => result,
        Err(Fault::Timeout(_)) => Err(Failure::TooSlow),
        Err(Fault::OutOfMemory(_)) => Err(Failure::TooLarge),
        Err(_) => Err(Failure::Broken),
    }
}

/// Returns true if members exceed the limits of the guest, or those of all containers.
fn exceed_limits(members: &[Member], limits: extract::Limits) -> bool {
    let mut bytes = 0u64;
    for member in members {
        let content = member.content.as_ref();
        bytes = bytes.saturating_add(content.map_or(0, Vec::len) as u64);
    }
    bytes > u64::from(limits.unpacked_bytes)
        || exceed_path_limits(members.iter().map(|member| member.path.as_str()))
}

/// Returns true if the paths of members exceed the limits of all containers.
fn exceed_path_limits<'p>(mut paths: impl ExactSizeIterator<Item = &'p str>) -> bool {
    paths.len() > MEMBERS || paths.any(|path| path.len() > MEMBER_PATH_BYTES)
}

impl extract::Host for State {
    async fn extract(
        &mut self,
        extension: String,
        content: Vec<u8>,
        limits: extract::Limits,
    ) -> wasmtime::Result<Result<ExtractedDocument, Failure>> {
        let (_, cancel) = self.confinement.stop();
        let input = ReaderInput {
            extension: &extension,
            content: &content,
            caps: limits,
            timeout: self.reading_time(limits.milliseconds),
            cancel: &cancel,
        };
        let start = Instant::now();
        let document = self.helpers.extractor.read(input).await;
        self.guard.activity().count_document(start.elapsed());
        // If the call itself is over, it ends here. That is not a fault of the document, and
        // the guest must not report it as one.
        self.end_if_over()?;
        Ok(reader_outcome(document, |document| {
            document.text.len() > limits.text_bytes as usize
                || document.format.len() > FORMAT_NAME_BYTES
        }))
    }

    async fn list_members(
        &mut self,
        extension: String,
        content: Vec<u8>,
        limits: extract::Limits,
    ) -> wasmtime::Result<Result<MemberList, Failure>> {
        let (_, cancel) = self.confinement.stop();
        let input = ReaderInput {
            extension: &extension,
            content: &content,
            caps: limits,
            timeout: self.container_time(limits.milliseconds),
            cancel: &cancel,
        };
        let start = Instant::now();
        let listed = self.helpers.extractor.list_members(input).await;
        self.guard.activity().count_document(start.elapsed());
        self.end_if_over()?;
        Ok(reader_outcome(listed, |listed| {
            exceed_path_limits(listed.members.iter().map(|member| member.path.as_str()))
        }))
    }

    async fn unpack(
        &mut self,
        extension: String,
        content: Vec<u8>,
        paths: Option<Vec<String>>,
        limits: extract::Limits,
    ) -> wasmtime::Result<Result<Vec<Member>, Failure>> {
        let (_, cancel) = self.confinement.stop();
        let input = ReaderInput {
            extension: &extension,
            content: &content,
            caps: limits,
            timeout: self.container_time(limits.milliseconds),
            cancel: &cancel,
        };
        let start = Instant::now();
        let extractor = &self.helpers.extractor;
        let members = extractor.unpack(input, paths.as_deref()).await;
        self.guard.activity().count_document(start.elapsed());
        self.end_if_over()?;
        let members = reader_outcome(members, |members| exceed_limits(members, limits));
        // The component has all of them from here on, whichever it uses.
        if let (Ok(members), Some(openings)) = (&members, self.guard.activity().openings()) {
            let members = members.iter();
            let paths: Vec<&str> = members.map(|member| member.path.as_str()).collect();
            openings.note_members(&paths);
        }
        Ok(members)
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
