//! Text embeddings by encoders of the BERT family: `MiniLM`, e5 and bge in sizes suitable for a
//! CPU. Texts with similar meanings have nearby vectors.
//!
//! *Never:* files, clocks or randomness. The arithmetic is deterministic: a model gives the same
//! text the same vector on every machine.
#![forbid(unsafe_code)]

mod attention;
mod config;
mod encoder;
mod error;
mod math;
mod matrix;
mod packed;
mod product;
mod tokenizer;
mod vocabulary;
mod weights;

pub use error::ModelError;

use config::Config;
use encoder::Encoder;
use tokenizer::Tokenizer;

/// The files of a model's directory.
#[derive(Clone, Copy, Debug)]
pub struct Files<'a> {
    /// Content of `config.json`.
    pub config: &'a [u8],
    /// Content of `tokenizer.json`.
    pub tokenizer: &'a [u8],
    /// Content of `model.safetensors`.
    pub weights: &'a [u8],
}

/// The pooling of token vectors into the vector of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pooling {
    /// Mean of all tokens (`MiniLM`, e5).
    #[default]
    Mean,
    /// First token (bge).
    First,
}

/// The role of a text in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A question.
    Query,
    /// A text that may answer it.
    Passage,
}

/// The settings that are not in the files of a model.
#[derive(Clone, Debug, Default)]
pub struct ModelSettings {
    /// Pooling.
    pub pooling: Pooling,
    /// Prefix of a question: `query: ` for e5.
    pub query_prefix: String,
    /// Prefix of a passage: `passage: ` for e5.
    pub passage_prefix: String,
}

/// An embedding model.
pub struct Model {
    config: Config,
    settings: ModelSettings,
    tokenizer: Tokenizer,
    encoder: Encoder,
}

/// A streaming reader of a model: the file of weights is several times as large as the loaded
/// model.
pub struct ModelReader {
    config: Config,
    settings: ModelSettings,
    tokenizer: Tokenizer,
    weights: weights::Reader,
}

impl ModelReader {
    /// Begins with `config.json` and `tokenizer.json`; `weights_length` is the length of
    /// `model.safetensors` in bytes, which follows in pieces.
    ///
    /// # Errors
    /// If one of the two files is damaged or belongs to an unsupported kind of model, with the
    /// reason.
    pub fn new(
        config: &[u8],
        tokenizer: &[u8],
        weights_length: u64,
        settings: ModelSettings,
    ) -> Result<Self, ModelError> {
        let config = Config::read(config)?;
        let tokenizer = Tokenizer::read(tokenizer, config.vocab_size)?;
        let weights = weights::Reader::new(encoder::required_tensors(&config), weights_length);
        Ok(Self {
            config,
            settings,
            tokenizer,
            weights,
        })
    }

    /// Reads the next piece of `model.safetensors`, of any length. Weights are rounded to 8 bits.
    ///
    /// # Errors
    /// If the file is damaged or belongs to another model, as early as that is detected. No further
    /// piece may be pushed then.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), ModelError> {
        self.weights.push(piece)
    }

    /// Returns the model after the last piece.
    ///
    /// # Errors
    /// If there were fewer bytes than the model needs.
    pub fn finish(self) -> Result<Model, ModelError> {
        let encoder = Encoder::new(&self.config, self.weights.finish()?);
        Ok(Model {
            config: self.config,
            settings: self.settings,
            tokenizer: self.tokenizer,
            encoder,
        })
    }

    /// Returns `model.safetensors` with 8-bit weights after the last piece: a model of the same
    /// vectors in a quarter of the size.
    ///
    /// # Errors
    /// As for [`Self::finish`].
    pub fn into_packed(self) -> Result<Vec<u8>, ModelError> {
        let tensors = self.weights.finish()?;
        Ok(packed::file(
            &encoder::required_tensors(&self.config),
            &tensors,
        ))
    }
}

impl Model {
    /// Reads a model. Its weights are rounded to 8 bits.
    ///
    /// # Errors
    /// If a file is damaged, truncated, or belongs to an unsupported kind of model, with the
    /// reason.
    pub fn read(files: Files<'_>, settings: ModelSettings) -> Result<Self, ModelError> {
        let length = files.weights.len() as u64;
        let mut reader = ModelReader::new(files.config, files.tokenizer, length, settings)?;
        reader.push(files.weights)?;
        reader.finish()
    }

    /// Reads a model from static files. Weights that are 8-bit already are borrowed, so that this
    /// takes little time and memory.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn read_in_place(
        files: Files<'static>,
        settings: ModelSettings,
    ) -> Result<Self, ModelError> {
        let config = Config::read(files.config)?;
        let tokenizer = Tokenizer::read(files.tokenizer, config.vocab_size)?;
        let weights = weights::in_place(encoder::required_tensors(&config), files.weights)?;
        Ok(Self {
            encoder: Encoder::new(&config, weights),
            config,
            settings,
            tokenizer,
        })
    }

    /// Returns the dimensions of a vector.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.config.hidden_size
    }

    /// Tokenizes a text with its prefix and the start and end tokens. Text beyond the length of the
    /// model is truncated.
    #[must_use]
    pub fn tokens(&self, role: Role, text: &str) -> Vec<u32> {
        let prefix = match role {
            Role::Query => &self.settings.query_prefix,
            Role::Passage => &self.settings.passage_prefix,
        };
        let most = self.config.tokens();
        self.tokenizer.tokens(&format!("{prefix}{text}"), most)
    }

    /// Returns the vector of a text: a unit vector times 127, rounded; zeros if the output of the
    /// model has no direction.
    #[must_use]
    pub fn embed(&self, role: Role, text: &str) -> Vec<i8> {
        let states = self.encoder.encode(&self.tokens(role, text));
        let size = self.dimensions();
        let pooled = match self.settings.pooling {
            Pooling::First => states[..size].to_vec(),
            Pooling::Mean => {
                // The sum has the direction of the mean, and only the direction is kept:
                // `quantize` scales the vector to a fixed length.
                let mut sum = vec![0.0; size];
                for state in states.chunks_exact(size) {
                    for (sum, number) in sum.iter_mut().zip(state) {
                        *sum += number;
                    }
                }
                sum
            }
        };
        quantize(&pooled)
    }
}

/// Scales a vector to length 127 and rounds it.
fn quantize(vector: &[f32]) -> Vec<i8> {
    let squares: f32 = vector.iter().map(|number| number * number).sum();
    let length = squares.sqrt();
    // Not normal are zero, subnormal numbers, infinity and NaN: a vector of such a length has no
    // direction that could be scaled. Callers treat zeros as the absence of a vector.
    if !length.is_normal() {
        return vec![0; vector.len()];
    }
    let scaled = vector.iter().map(|number| number / length * 127.0);
    scaled.map(|number| number.round() as i8).collect()
}
