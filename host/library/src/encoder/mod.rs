//! An embedder that runs a model of the BERT family from a local directory, in a sandbox of its
//! own: the sandbox has no access to anything, and receives one text at a time.

mod directory;
mod error;
mod settings;

use std::path::Path;
use std::time::Duration;

use crate::embedder::{EmbedFailure, Embedder, Model, Role};
use crate::run::encoder::Worker;

pub use error::{EncoderError, FileProblem};
pub use settings::{EncoderSettings, Pooling};

pub(crate) use directory::{ModelDirectory, ModelFiles};

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
        let directory = ModelDirectory::new(directory);
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
