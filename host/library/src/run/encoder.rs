//! The encoder component with its model: one instance, in a thread of its own, that embeds one text
//! at a time.
//!
//! Loading takes seconds and much memory, so the instance is kept and shared by all callers. One
//! caller's text cannot reach another caller through it: it returns one vector of the model's
//! length for each text, and the same text always has the same vector.

use std::fmt;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;
#[cfg(feature = "compiler")]
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::clock::Clock;
use crate::embedder::{EmbedFailure, Model, Role};
use crate::encoder::{EncoderError, EncoderSettings, ModelDirectory, ModelFiles, Pooling};
use crate::fault::Fault;
use crate::limits::{EMBEDDING_DIMENSIONS, ENCODER_LOAD, ENCODER_MEMORY, ENCODER_TEXT};
use crate::run::image;
use crate::run::instance::Instance;
use crate::run::no_files::{self, NoFiles};
use crate::run::ticker::Ticker;

/// The bindings generated from `wit/`.
mod contract {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "encoding",
        exports: { default: async },
    });
}

use contract::Encoding;
use contract::exports::docent::docent::encoder;

/// Bytes of the weights that are passed to the guest at a time.
const PIECE: usize = 1 << 20;

/// A batch of texts that a caller waits for.
struct EmbedJob {
    role: Role,
    texts: Vec<String>,
    /// Channel for each vector as soon as it is computed.
    made: mpsc::Sender<Vec<i8>>,
}

/// The stage of loading the model.
enum LoadStage {
    /// Loading has not been requested.
    Resting,
    Loading,
    Ready {
        model: Model,
        jobs: mpsc::Sender<EmbedJob>,
    },
    /// The model cannot be used, as was reported.
    Failed,
    /// The worker was dropped.
    Closed,
}

struct EncoderState {
    directory: ModelDirectory,
    settings: EncoderSettings,
    report: Box<dyn Fn(&EncoderError) + Send + Sync>,
    stage: Mutex<LoadStage>,
    changed: Condvar,
    /// Cancelled when the worker is dropped.
    closed: CancellationToken,
    /// Component to compile in place of the built-in one.
    #[cfg(feature = "compiler")]
    other: Option<Vec<u8>>,
}

/// A handle to the encoder thread, which starts at the first request.
pub(crate) struct Worker(Arc<EncoderState>);

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EncoderState {
            directory,
            settings,
            ..
        } = &*self.0;
        f.debug_struct("Worker")
            .field("directory", directory)
            .field("settings", settings)
            .finish_non_exhaustive()
    }
}

impl Worker {
    pub(crate) fn new(
        directory: ModelDirectory,
        settings: EncoderSettings,
        report: Box<dyn Fn(&EncoderError) + Send + Sync>,
    ) -> Self {
        Self(Arc::new(EncoderState {
            directory,
            settings,
            report,
            stage: Mutex::new(LoadStage::Resting),
            changed: Condvar::new(),
            closed: CancellationToken::new(),
            #[cfg(feature = "compiler")]
            other: None,
        }))
    }

    /// Returns the same worker, not yet started, with another component.
    #[cfg(feature = "compiler")]
    pub(crate) fn with_component(mut self, wasm: Vec<u8>) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.0) {
            shared.other = Some(wasm);
        }
        self
    }

    /// Starts loading the model, if that has not started yet.
    pub(crate) fn begin(&self) {
        let mut stage = self.0.stage();
        if !matches!(*stage, LoadStage::Resting) {
            return;
        }
        let shared = Arc::clone(&self.0);
        let named = thread::Builder::new().name("docent-encoder".to_owned());
        // If no thread can be started now, the next request tries again.
        if named.spawn(move || run(&shared)).is_ok() {
            *stage = LoadStage::Loading;
        }
    }

    pub(crate) fn model(&self, timeout: Duration) -> Result<Model, EmbedFailure> {
        Ok(self.ready(timeout)?.0)
    }

    /// Returns the model and the channel for its jobs, if it is loaded in time.
    fn ready(&self, timeout: Duration) -> Result<(Model, mpsc::Sender<EmbedJob>), EmbedFailure> {
        self.begin();
        let loading = |stage: &mut LoadStage| matches!(stage, LoadStage::Loading);
        let waited = self
            .0
            .changed
            .wait_timeout_while(self.0.stage(), timeout, loading);
        let (stage, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match &*stage {
            LoadStage::Ready { model, jobs } => Ok((model.clone(), jobs.clone())),
            LoadStage::Loading => Err(EmbedFailure::TooSlow),
            LoadStage::Failed => Err(EmbedFailure::Broken),
            LoadStage::Resting | LoadStage::Closed => Err(EmbedFailure::Unavailable),
        }
    }

    pub(crate) fn embed(
        &self,
        role: Role,
        texts: &[&str],
        timeout: Duration,
    ) -> Result<Vec<Option<Vec<f32>>>, EmbedFailure> {
        let end = Instant::now() + timeout;
        let (_, jobs) = self.ready(timeout)?;
        let (made, vectors) = mpsc::channel();
        let job = EmbedJob {
            role,
            texts: texts.iter().map(|&text| text.to_owned()).collect(),
            made,
        };
        jobs.send(job).map_err(|_| EmbedFailure::Unavailable)?;
        let mut all = vec![None; texts.len()];
        for (index, slot) in all.iter_mut().enumerate() {
            let left = end.saturating_duration_since(Instant::now());
            match vectors.recv_timeout(left) {
                Ok(vector) => *slot = Some(vector.into_iter().map(f32::from).collect()),
                // A partial result is better than none: the vectors computed so far are
                // returned, and the texts without one are asked for again by a later query. The
                // thread notices that the channel is closed after the text that it is working
                // on.
                Err(_) if index > 0 => break,
                Err(mpsc::RecvTimeoutError::Timeout) => return Err(EmbedFailure::TooSlow),
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(EmbedFailure::Broken),
            }
        }
        Ok(all)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The stage holds the last sender of jobs. Replacing it closes the channel, which ends
        // the thread's loop; the token ends the text in progress, which may take seconds.
        *self.0.stage() = LoadStage::Closed;
        self.0.closed.cancel();
    }
}

impl EncoderState {
    fn stage(&self) -> MutexGuard<'_, LoadStage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn component(&self) -> Result<Component, Fault> {
        #[cfg(feature = "compiler")]
        if let Some(wasm) = &self.other {
            let engine = Engine::new(&docent_engine_config::shared_config(cfg!(windows)))
                .map_err(|_| cannot_load())?;
            return Component::new(&engine, wasm).map_err(|_| cannot_load());
        }
        image::encoder().map_err(|_| cannot_load())
    }

    /// Makes all callers wait until the model is loaded again. Returns the sender of their jobs;
    /// none if the worker was dropped.
    fn load_again(&self) -> Option<mpsc::Sender<EmbedJob>> {
        let mut stage = self.stage();
        if matches!(*stage, LoadStage::Closed) {
            return None;
        }
        match std::mem::replace(&mut *stage, LoadStage::Loading) {
            LoadStage::Ready { jobs, .. } => Some(jobs),
            _ => None,
        }
    }

    /// Enters another stage, unless the worker was dropped.
    fn enter(&self, next: LoadStage) {
        let mut stage = self.stage();
        if !matches!(*stage, LoadStage::Closed) {
            *stage = next;
        }
        self.changed.notify_all();
    }
}

/// Loads the model and embeds until the worker is dropped. After a fault it continues with another
/// instance, because other callers' jobs are still queued.
fn run(shared: &EncoderState) {
    if let Err(error) = embed_all(shared) {
        // Dropping the worker interrupts the guest, which is not a problem of the model and is
        // not reported.
        if !shared.closed.is_cancelled() {
            (shared.report)(&error);
        }
        shared.enter(LoadStage::Failed);
    }
}

fn embed_all(shared: &EncoderState) -> Result<(), EncoderError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|error| Fault::Unavailable(format!("no runtime could be made: {error}")))?;
    let (jobs, waiting) = mpsc::channel();
    let mut jobs = Some(jobs);
    // The sender of jobs moves between this loop and the stage. While an instance is ready, the
    // stage has it and gives clones to callers; it is here only while the model is being
    // loaded. The loop must not keep a clone: `recv` would never report that the worker was
    // dropped.
    while let Some(ready) = jobs.take() {
        let mut encoder = runtime.block_on(LoadedEncoder::load(shared))?;
        let model = encoder.model.clone();
        shared.enter(LoadStage::Ready { model, jobs: ready });
        while let Ok(job) = waiting.recv() {
            if runtime.block_on(encoder.work(&job)).is_err() {
                // The stage changes to loading before the job is dropped. A caller learns of
                // the failure when the job's channel closes; in the other order it could send
                // its next job to the failed instance.
                jobs = shared.load_again();
                break;
            }
        }
    }
    Ok(())
}

fn cannot_load() -> Fault {
    Fault::Unavailable("the component that embeds cannot be loaded".to_owned())
}

/// An instance with its model loaded.
struct LoadedEncoder {
    instance: Instance<NoFiles>,
    exports: Encoding,
    ticker: Ticker,
    model: Model,
    closed: CancellationToken,
}

impl LoadedEncoder {
    /// Creates an instance and passes the model to it.
    async fn load(shared: &EncoderState) -> Result<Self, EncoderError> {
        let files = shared.directory.open_ambient()?;
        let settings = &shared.settings;
        let component = shared.component()?;
        let linked = no_files::link(&component).map_err(|_| cannot_load())?;
        let state = NoFiles::new(ENCODER_MEMORY, Clock::system());
        let ticker = Ticker::new(component.engine().clone());
        let ticking = ticker.run()?;
        let mut instance = Instance::new(&linked, state, ENCODER_LOAD).await?;
        let exports = Encoding::new(&mut instance.store, &instance.instance);
        let exports = exports.map_err(|_| cannot_load())?;
        let closed = shared.closed.clone();
        let model = hand_over(&mut instance, &exports, files, settings, &closed).await?;
        drop(ticking);
        Ok(Self {
            instance,
            exports,
            ticker,
            model,
            closed,
        })
    }

    /// Embeds the texts of a job until all are done, or the caller has gone.
    ///
    /// # Errors
    /// If the instance must not be used any more.
    async fn work(&mut self, job: &EmbedJob) -> Result<(), Fault> {
        let _ticking = self.ticker.run()?;
        for text in &job.texts {
            let vector = self.encode(job.role, text).await?;
            if job.made.send(vector).is_err() {
                break;
            }
        }
        Ok(())
    }

    async fn encode(&mut self, role: Role, text: &str) -> Result<Vec<i8>, Fault> {
        let role = match role {
            Role::Query => encoder::Role::Query,
            Role::Passage => encoder::Role::Passage,
        };
        let interface = self.exports.docent_docent_encoder();
        let closed = &self.closed;
        let vector = self
            .instance
            .run_guarded(ENCODER_TEXT, closed, async |_, store| {
                interface.call_encode(store, role, text).await
            });
        let dimensions = self.model.dimensions as usize;
        vector
            .await?
            .ok()
            .filter(|vector| vector.len() == dimensions)
            .ok_or_else(|| Fault::Trap("it gave no vector of its model".to_owned()))
    }
}

/// Passes the files of a model to the instance. Returns the model.
async fn hand_over(
    instance: &mut Instance<NoFiles>,
    exports: &Encoding,
    mut files: ModelFiles,
    settings: &EncoderSettings,
    closed: &CancellationToken,
) -> Result<Model, EncoderError> {
    let interface = exports.docent_docent_encoder();
    let pooling = settings.pooling.or(files.pooling).unwrap_or(Pooling::Mean);
    let own = encoder::Settings {
        pooling: match pooling {
            Pooling::Mean => encoder::Pooling::Mean,
            Pooling::First => encoder::Pooling::First,
        },
        query_prefix: settings.query_prefix.clone(),
        passage_prefix: settings.passage_prefix.clone(),
    };
    let ModelFiles {
        config, tokenizer, ..
    } = &files;
    let mut digest = Sha256::new();
    for file in [config, tokenizer] {
        // The length separates one file from the next. Without it, moving bytes from the end of
        // one file to the beginning of the other would leave the digest as it is.
        digest.update(file.len().to_le_bytes());
        digest.update(file);
    }
    let length = files.weights_length;
    instance
        .run_guarded(ENCODER_LOAD, closed, async |_, store| {
            interface
                .call_begin(store, config, tokenizer, length, &own)
                .await
        })
        .await?
        .map_err(EncoderError::Model)?;
    let mut piece = vec![0; PIECE];
    let mut left = length;
    while left > 0 {
        let part = &mut piece[..left.min(PIECE as u64) as usize];
        read_part(&mut files.weights, part)?;
        left -= part.len() as u64;
        digest.update(&*part);
        instance
            .run_guarded(ENCODER_LOAD, closed, async |_, store| {
                interface.call_add_weights(store, part).await
            })
            .await?
            .map_err(EncoderError::Model)?;
    }
    let dimensions = instance
        .run_guarded(ENCODER_LOAD, closed, async |_, store| {
            interface.call_finish(store).await
        })
        .await?
        .map_err(EncoderError::Model)?;
    if !(1..=EMBEDDING_DIMENSIONS).contains(&dimensions) {
        let problem =
            format!("vectors of {dimensions} numbers; expected 1 to {EMBEDDING_DIMENSIONS}");
        return Err(EncoderError::Model(problem));
    }
    let digest: String = digest
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let EncoderSettings {
        query_prefix,
        passage_prefix,
        ..
    } = settings;
    Ok(Model {
        name: settings.name.clone(),
        fingerprint: format!("encoder 1 {digest} {pooling:?} {query_prefix:?} {passage_prefix:?}"),
        dimensions,
        max_bytes: settings.max_bytes,
        passages: settings.passages,
        weight: settings.weight,
    })
}

/// Reads the next part of the weights.
fn read_part(weights: &mut impl io::Read, part: &mut [u8]) -> Result<(), EncoderError> {
    weights.read_exact(part).map_err(|error| {
        let problem = format!("`model.safetensors`: it cannot be read to its end: {error}");
        EncoderError::Model(problem)
    })
}
