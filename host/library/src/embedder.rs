//! Who tells what texts mean, where the program that runs docent has someone to ask.
//!
//! What is asked, and of whom, is the program's affair; what is asked twice is not: the library
//! keeps what it was told, so that it outlives the instance that asked.

use std::fmt;
use std::time::Duration;

/// What a text is compared as. Some models are told which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What somebody asks.
    Query,
    /// What may answer.
    Passage,
}

/// A model that embeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Its name, as answers show it.
    pub name: String,
    /// What tells its vectors from those of all other models, and of other versions of it.
    pub fingerprint: String,
    /// Numbers of a vector, 1 to 4096.
    pub dimensions: u32,
    /// Bytes that it reads of a text, 64 or more.
    pub max_bytes: u32,
    /// Passages that one question may have it embed.
    pub passages: u32,
    /// What its order of documents weighs beside that by words, which weighs 1; 0 to 100. With 0 it
    /// is asked only where nothing but meaning is wanted.
    pub weight: f64,
}

/// Why there is no vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbedFailure {
    /// Nobody can be reached.
    Unavailable,
    /// What is asked is not taken.
    Refused,
    /// It took longer than there was time.
    TooSlow,
    /// What is answered makes no sense.
    Broken,
}

/// Who embeds texts. It is called in the thread of the call that asks, which waits for it: it has
/// to come back in time.
pub trait Embedder: fmt::Debug + Send + Sync {
    /// Returns which model it is.
    ///
    /// # Errors
    /// Why that cannot be told within `timeout`.
    fn model(&self, timeout: Duration) -> Result<Model, EmbedFailure>;

    /// Returns the vectors of texts, in their order and of any length; none for a text that it
    /// alone refuses.
    ///
    /// # Errors
    /// Why there is none of any of them within `timeout`.
    fn embed(
        &self,
        role: Role,
        texts: &[&str],
        timeout: Duration,
    ) -> Result<Vec<Option<Vec<f32>>>, EmbedFailure>;
}
