//! A model of the BERT family that lies in a directory, and embeds in a sandbox of its own: it can
//! reach nothing, and is handed one text at a time.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use thiserror::Error;

use crate::embedder::{EmbedFailure, Embedder, Model, Role};
use crate::fault::Fault;
use crate::run::encoder::Worker;

/// How the vector of a text is made from what a model says of its tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// The mean of all tokens (`MiniLM`, e5).
    Mean,
    /// The first token (bge).
    First,
}

/// What is said of a model beside its files.
#[derive(Clone, Debug, PartialEq)]
pub struct EncoderSettings {
    /// Its name, as answers show it.
    pub name: String,
    /// How the vector of a text is made. Where it is not said, `1_Pooling/config.json` in the
    /// directory says it, and else it is the mean.
    pub pooling: Option<Pooling>,
    /// What is put before a question: `query: ` for e5.
    pub query_prefix: String,
    /// What is put before a passage: `passage: ` for e5.
    pub passage_prefix: String,
    /// Bytes that it reads of a text, 64 or more.
    pub max_bytes: u32,
    /// Passages that one question may have it embed.
    pub passages: u32,
    /// What its order of documents weighs beside that by words, 0 to 100; see [`Model::weight`].
    pub weight: f64,
}

/// Why a model cannot be used.
#[derive(Debug, Error)]
pub enum EncoderError {
    /// One of its files.
    #[error("`{}` {problem}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        problem: FileProblem,
    },
    /// The files are damaged, or those of another kind of model: which, and what of it.
    #[error("{0}")]
    Model(String),
    /// The sandbox, or what the model asked of it.
    #[error("{}", fault(.0))]
    Fault(#[from] Fault),
}

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum FileProblem {
    /// It is not there, or may not be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It is a directory or a device.
    #[error("is no regular file")]
    NotRegular,
    /// It has more bytes than such a file has.
    #[error("has {length} bytes; expected at most {most}")]
    TooLarge {
        /// Its bytes.
        length: u64,
        /// The most that are read.
        most: u64,
    },
}

/// Says how the sandbox ended in words that fit a model: a call, of which a [`Fault`] speaks, there
/// is none.
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

/// Bytes that are read of each.
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
    /// As the directory has it.
    pub(crate) pooling: Option<Pooling>,
}

#[derive(Deserialize)]
struct PoolingConfig {
    #[serde(default)]
    pooling_mode_cls_token: bool,
}

impl ModelDirectory {
    /// Looks whether the files are there; see [`Self::open_ambient`].
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

    /// Opens the files; of the small ones, reads what is in them. Links are followed: the person has
    /// named the directory.
    ///
    /// # Errors
    /// When one is missing, no regular file, or larger than such a file is.
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

    /// Returns the pooling that the directory names, if it does.
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
        // No more than was there when it was looked at.
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

/// Opens a regular file, and nothing else: who opens a named pipe waits for ever for somebody who
/// writes to it.
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

/// A model in a directory, which embeds in a sandbox.
///
/// It is loaded when it is first asked for, or [`Encoder::begin`] says so, in a thread of its own,
/// which then embeds one text after another; it ends with the encoder.
#[derive(Debug)]
pub struct Encoder {
    worker: Worker,
}

impl Encoder {
    /// Returns the model in `directory`, whose files are there, and not yet read. `report` is told
    /// when it turns out that it cannot be used, once each time that it is loaded.
    ///
    /// # Errors
    /// When a file is missing, no regular file, or larger than such a file is.
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

    /// Returns the same with another component in place of docent's own, which is compiled.
    ///
    /// # Errors
    /// As above.
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

    /// Begins to load the model, if that was not begun.
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
