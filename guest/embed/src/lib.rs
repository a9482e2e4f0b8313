//! From texts to vectors that are near each other where the texts mean nearly the same, by an
//! encoder of the BERT family: `MiniLM`, e5 and bge in the sizes that a processor bears.
//!
//! Plain arithmetic: there is no file, no clock and no chance in it, and the same model gives the
//! same text the same vector on every machine.
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

/// The files of a model, as they lie in its directory.
#[derive(Clone, Copy, Debug)]
pub struct Files<'a> {
    /// `config.json`.
    pub config: &'a [u8],
    /// `tokenizer.json`.
    pub tokenizer: &'a [u8],
    /// `model.safetensors`.
    pub weights: &'a [u8],
}

/// How the vector of a text is made from what a model says of its tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pooling {
    /// The mean of all tokens (`MiniLM`, e5).
    #[default]
    Mean,
    /// The first token (bge).
    First,
}

/// What a text is compared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What somebody asks.
    Query,
    /// What may answer.
    Passage,
}

/// What the files of a model do not tell.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// How the vector of a text is made.
    pub pooling: Pooling,
    /// What is put before a question: `query: ` for e5.
    pub query_prefix: String,
    /// What is put before what may answer: `passage: ` for e5.
    pub passage_prefix: String,
}

/// A model that embeds.
pub struct Model {
    config: Config,
    settings: Settings,
    tokenizer: Tokenizer,
    encoder: Encoder,
}

/// A model whose weights come in pieces: they are several times as large as what is kept of them.
pub struct ModelReader {
    config: Config,
    settings: Settings,
    tokenizer: Tokenizer,
    weights: weights::Reader,
}

impl ModelReader {
    /// Begins with `config.json` and `tokenizer.json`; `model.safetensors` has `weights_length`
    /// bytes, which are to come.
    ///
    /// # Errors
    /// When one of the two is damaged, or that of another kind of model: which, and what of it.
    pub fn new(
        config: &[u8],
        tokenizer: &[u8],
        weights_length: u64,
        settings: Settings,
    ) -> Result<Self, ModelError> {
        let config = Config::read(config)?;
        let tokenizer = Tokenizer::read(tokenizer, config.vocab_size)?;
        let weights = weights::Reader::new(encoder::wanted(&config), weights_length);
        Ok(Self {
            config,
            settings,
            tokenizer,
            weights,
        })
    }

    /// Takes the next piece of `model.safetensors`, of any length. Its weights are rounded to 8 bits.
    ///
    /// # Errors
    /// When the file is damaged or that of another model, as soon as that is to be seen. There is no
    /// next piece then.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), ModelError> {
        self.weights.push(piece)
    }

    /// Returns the model, when all pieces have come.
    ///
    /// # Errors
    /// When there were fewer bytes than the model needs.
    pub fn finish(self) -> Result<Model, ModelError> {
        let encoder = Encoder::new(&self.config, self.weights.finish()?);
        Ok(Model {
            config: self.config,
            settings: self.settings,
            tokenizer: self.tokenizer,
            encoder,
        })
    }

    /// Returns `model.safetensors` with weights of 8 bits, when all pieces have come: a model of the
    /// same vectors in a quarter of the size.
    ///
    /// # Errors
    /// As [`Self::finish`].
    pub fn packed(self) -> Result<Vec<u8>, ModelError> {
        let tensors = self.weights.finish()?;
        Ok(packed::file(&encoder::wanted(&self.config), &tensors))
    }
}

impl Model {
    /// Reads a model. Its weights are rounded to 8 bits.
    ///
    /// # Errors
    /// When a file is damaged, cut off, or that of another kind of model: which, and what of it.
    pub fn read(files: Files<'_>, settings: Settings) -> Result<Self, ModelError> {
        let length = files.weights.len() as u64;
        let mut reader = ModelReader::new(files.config, files.tokenizer, length, settings)?;
        reader.push(files.weights)?;
        reader.finish()
    }

    /// Reads a model whose files are there for good. What is rounded to 8 bits in them already stays
    /// where it is, so that this takes little time and memory.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_in_place(files: Files<'static>, settings: Settings) -> Result<Self, ModelError> {
        let config = Config::read(files.config)?;
        let tokenizer = Tokenizer::read(files.tokenizer, config.vocab_size)?;
        let weights = weights::in_place(encoder::wanted(&config), files.weights)?;
        Ok(Self {
            encoder: Encoder::new(&config, weights),
            config,
            settings,
            tokenizer,
        })
    }

    /// Returns how many numbers a vector has.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.config.hidden_size
    }

    /// Returns the numbers of the pieces of a text, with what is put before it, what begins and what
    /// ends it. What is beyond the model's length is left out.
    #[must_use]
    pub fn tokens(&self, role: Role, text: &str) -> Vec<u32> {
        let prefix = match role {
            Role::Query => &self.settings.query_prefix,
            Role::Passage => &self.settings.passage_prefix,
        };
        let most = self.config.tokens();
        self.tokenizer.tokens(&format!("{prefix}{text}"), most)
    }

    /// Returns the vector of a text: a unit vector times 127, rounded; zeros where the model says
    /// nothing that is a direction.
    #[must_use]
    pub fn embed(&self, role: Role, text: &str) -> Vec<i8> {
        let states = self.encoder.encode(&self.tokens(role, text));
        let size = self.dimensions();
        let pooled = match self.settings.pooling {
            Pooling::First => states[..size].to_vec(),
            Pooling::Mean => {
                let mut sum = vec![0.0; size];
                for state in states.chunks_exact(size) {
                    for (sum, number) in sum.iter_mut().zip(state) {
                        *sum += number;
                    }
                }
                sum
            }
        };
        rounded(&pooled)
    }
}

/// Returns a vector brought to length 127 and rounded.
fn rounded(vector: &[f32]) -> Vec<i8> {
    let squares: f32 = vector.iter().map(|number| number * number).sum();
    let length = squares.sqrt();
    if !length.is_normal() {
        return vec![0; vector.len()];
    }
    let scaled = vector.iter().map(|number| number / length * 127.0);
    scaled.map(|number| number.round() as i8).collect()
}
