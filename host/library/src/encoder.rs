//! An embedder that runs a model of the BERT family from a local directory, in a sandbox of its
//! own: the sandbox has no access to anything, and receives one text at a time.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use thiserror::Error;

use crate::embedder::{EmbedFailure, Embedder, Model, Role};
use crate::fault::Fault;
use crate::run::encoder::Worker;

/// The method by which the vector of a text is computed from the vectors of its tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// The mean of all tokens (`MiniLM`, e5).
    Mean,
    /// The first token (bge).
    First,
}

/// The settings of a model that its files do not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct EncoderSettings {
    /// Name of the model, as answers show it.
    pub name: String,
    /// Pooling method. If none is given, `1_Pooling/config.json` in the directory decides; without
    /// that file it is the mean.
    pub pooling: Option<Pooling>,
    /// Prefix of a query: `query: ` for e5.
    pub query_prefix: String,
    /// Prefix of a passage: `passage: ` for e5.
    pub passage_prefix: String,
    /// Maximum bytes that the model reads of a text, 64 or more.
    pub max_bytes: u32,
    /// Maximum passages that one query may embed.
    pub passages: u32,
    /// Weight of the semantic order of documents beside the lexical order, 0 to 100; see
    /// [`Model::weight`].
    pub weight: f64,
}

/// The reason why a model cannot be used.
#[derive(Debug, Error)]
pub enum EncoderError {
    /// One of its files cannot be used.
    #[error("`{}` {problem}", .path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// The problem with it.
        problem: FileProblem,
    },
    /// The files are damaged or belong to another kind of model; the message names the file and the
    /// problem.
    #[error("{0}")]
    Model(String),
    /// The sandbox failed, or the model exceeded its limits.
    #[error("{}", fault(.0))]
    Fault(#[from] Fault),
}

/// A problem with a file.
#[derive(Debug, Error)]
pub enum FileProblem {
    /// It is missing or cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It is a directory or a device.
    #[error("is not a regular file")]
    NotRegular,
    /// It is larger than the limit for this file.
    #[error("has {length} bytes; expected at most {most}")]
    TooLarge {
        /// Size in bytes.
        length: u64,
        /// Maximum size in bytes.
        most: u64,
    },
}

/// Describes the end of the sandbox in terms of the model: a [`Fault`] speaks of a call, and there
/// is none here.
fn fault(fault: &Fault) -> String {
    match fault {
        Fault::OutOfMemory(most) => format!(
            "the model needs more than {} MiB of memory, the limit for its sandbox",
            most >> 20
        ),
        Fault::Timeout(most) => format!(
            "the model took longer than {} s, the limit for its sandbox",
            most.as_secs()
        ),
        other => other.to_string(),
    }
}

/// The files of a model.
const CONFIG: &str = "config.json";
const TOKENIZER: &str = "tokenizer.json";
const WEIGHTS: &str = "model.safetensors";

/// Maximum bytes read of each file.
const CONFIG_BYTES: u64 = 1 << 20;
const TOKENIZER_BYTES: u64 = 64 << 20;
const WEIGHTS_BYTES: u64 = 4 << 30;

/// A directory with a model: `config.json`, `tokenizer.json` and `model.safetensors`.
#[derive(Clone, Debug)]
pub(crate) struct ModelDirectory(PathBuf);

/// The files of a model, open.
pub(crate) struct ModelFiles {
    pub(crate) config: Vec<u8>,
    pub(crate) tokenizer: Vec<u8>,
    pub(crate) weights: File,
    pub(crate) weights_length: u64,
    /// Pooling method that the directory configures.
    pub(crate) pooling: Option<Pooling>,
}

#[derive(Deserialize)]
struct PoolingConfig {
    #[serde(default)]
    pooling_mode_cls_token: bool,
}

impl ModelDirectory {
    /// Checks that the files are present; see [`Self::open_ambient`].
    fn check_ambient(&self) -> Result<(), EncoderError> {
        for (name, most) in [
            (CONFIG, CONFIG_BYTES),
            (TOKENIZER, TOKENIZER_BYTES),
            (WEIGHTS, WEIGHTS_BYTES),
        ] {
            self.file(name, most)?;
        }
        Ok(())
    }

    /// Opens the files, and reads the small ones. Symbolic links are followed: the person has named
    /// the directory.
    ///
    /// # Errors
    /// If a file is missing, is not a regular file, or is larger than its limit.
    pub(crate) fn open_ambient(&self) -> Result<ModelFiles, EncoderError> {
        let (weights, weights_length) = self.file(WEIGHTS, WEIGHTS_BYTES)?;
        Ok(ModelFiles {
            config: self.content(CONFIG, CONFIG_BYTES)?,
            tokenizer: self.content(TOKENIZER, TOKENIZER_BYTES)?,
            weights,
            weights_length,
            pooling: self.pooling(),
        })
    }

    /// Returns the pooling method that the directory configures, if it configures one.
    fn pooling(&self) -> Option<Pooling> {
        let text = self.content("1_Pooling/config.json", CONFIG_BYTES).ok()?;
        let config: PoolingConfig = serde_json::from_slice(&text).ok()?;
        Some(match config.pooling_mode_cls_token {
            true => Pooling::First,
            false => Pooling::Mean,
        })
    }

    fn content(&self, name: &str, most: u64) -> Result<Vec<u8>, EncoderError> {
        let (file, length) = self.file(name, most)?;
        let mut content = Vec::with_capacity(length as usize);
        // The file is read up to the size that was checked, since it may grow meanwhile.
        let read = file.take(length).read_to_end(&mut content);
        read.map_err(|error| self.problem(name, error.into()))?;
        Ok(content)
    }

    fn file(&self, name: &str, most: u64) -> Result<(File, u64), EncoderError> {
        open(&self.0.join(name), most).map_err(|problem| self.problem(name, problem))
    }

    fn problem(&self, name: &str, problem: FileProblem) -> EncoderError {
        EncoderError::File {
            path: self.0.join(name),
            problem,
        }
    }
}

/// Opens a file and refuses anything but a regular file: opening a named pipe would block until
/// another process writes to it.
fn open(path: &Path, most: u64) -> Result<(File, u64), FileProblem> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    let file = options.open(path)?;
    let facts = file.metadata()?;
    if !facts.is_file() {
        return Err(FileProblem::NotRegular);
    }
    let length = facts.len();
    if length > most {
        return Err(FileProblem::TooLarge { length, most });
    }
    Ok((file, length))
}

/// An embedder that runs the model of a directory in a sandbox.
///
/// The model is loaded at the first request, or by [`Encoder::begin`], in a thread of its own. That
/// thread embeds one text after another, and ends when the encoder is dropped.
#[derive(Debug)]
pub struct Encoder {
    worker: Worker,
}

impl Encoder {
    /// Returns the model in `directory`. The files have to be present, and are read later. `report`
    /// is called when the model turns out to be unusable, once for each attempt to load it.
    ///
    /// # Errors
    /// If a file is missing, is not a regular file, or is larger than its limit.
    pub fn open_ambient(
        directory: &Path,
        settings: EncoderSettings,
        report: impl Fn(&EncoderError) + Send + Sync + 'static,
    ) -> Result<Self, EncoderError> {
        let directory = ModelDirectory(directory.to_owned());
        directory.check_ambient()?;
        Ok(Self {
            worker: Worker::new(directory, settings, Box::new(report)),
        })
    }

    /// Returns the same encoder with another component in place of docent's own; the component is
    /// compiled.
    ///
    /// # Errors
    /// See [`Self::open_ambient`].
    #[cfg(feature = "compiler")]
    pub fn with_component_ambient(
        wasm: Vec<u8>,
        directory: &Path,
        settings: EncoderSettings,
        report: impl Fn(&EncoderError) + Send + Sync + 'static,
    ) -> Result<Self, EncoderError> {
        let encoder = Self::open_ambient(directory, settings, report)?;
        Ok(Self {
            worker: encoder.worker.with_component(wasm),
        })
    }

    /// Starts loading the model, if that has not started yet.
    pub fn begin(&self) {
        self.worker.begin();
    }
}

impl Embedder for Encoder {
    fn model(&self, timeout: Duration) -> Result<Model, EmbedFailure> {
        self.worker.model(timeout)
    }

    fn embed(
        &self,
        role: Role,
        texts: &[&str],
        timeout: Duration,
    ) -> Result<Vec<Option<Vec<f32>>>, EmbedFailure> {
        self.worker.embed(role, texts, timeout)
    }
}
