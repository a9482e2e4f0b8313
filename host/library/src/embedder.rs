//! The trait that an embedder implements, for programs that run docent with one.
//!
//! The program decides which embedder is asked and how. The library caches the vectors, so that
//! they outlive the instance that asked for them.

use std::fmt;
use std::time::Duration;

/// The role in which a text is compared. Some models embed queries and passages differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A search query.
    Query,
    /// A passage that may answer a query.
    Passage,
}

/// An embedding model.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Name of the model, as answers show it.
    pub name: String,
    /// Fingerprint that distinguishes its vectors from those of all other models, and of its
    /// other versions.
    pub fingerprint: String,
    /// Number of dimensions of a vector, 1 to 4096.
    pub dimensions: u32,
    /// Maximum bytes that the model reads of a text, 64 or more.
    pub max_bytes: u32,
    /// Maximum passages that one query may embed.
    pub passages: u32,
    /// Weight of the semantic order of documents, 0 to 100, beside the lexical order, which weighs
    /// 1. With 0 the model is asked only for purely semantic queries.
    pub weight: f64,
}

/// The reason why there is no vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbedFailure {
    /// The embedder cannot be reached.
    Unavailable,
    /// The embedder rejects the request.
    Refused,
    /// The timeout was over before the answer came.
    TooSlow,
    /// The answer is invalid.
    Broken,
}

/// An embedder of texts. It is called in the thread of the call that needs the vectors, and that
/// call blocks until it returns: it has to keep to its timeout.
pub trait Embedder: fmt::Debug + Send + Sync {
    /// Returns a description of the model.
    ///
    /// # Errors
    /// If the model cannot be described within `timeout`.
    fn model(&self, timeout: Duration) -> Result<Model, EmbedFailure>;

    /// Returns the vectors of texts, in the order of the texts and of any length; none for a single
    /// text that the embedder refuses.
    ///
    /// # Errors
    /// If no text can be embedded within `timeout`.
    fn embed(
        &self,
        role: Role,
        texts: &[&str],
        timeout: Duration,
    ) -> Result<Vec<Option<Vec<f32>>>, EmbedFailure>;
}
