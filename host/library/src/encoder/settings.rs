//! The settings of a model.

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
    /// [`Model::weight`](crate::embedder::Model::weight).
    pub weight: f64,
}
