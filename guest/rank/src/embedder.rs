//! The interface of an embedder: its requests and its answers. *Never:* the server behind it, or
//! where vectors are kept.
//!
//! Answers are not trusted: a length that does not fit, a zero vector or a number out of range is
//! [`Failure::Broken`], and reported nearest passages are verified.

use std::fmt;

use crate::limits::{EMBEDDER_NAME_CHARS, EMBEDDER_WEIGHT, EMBEDDING_BYTES, EMBEDDING_DIMENSIONS};

/// The role of a text in a comparison. Some models distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A question.
    Query,
    /// A text that may answer it.
    Passage,
}

/// An embedding model.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Name, as answers show it.
    pub name: String,
    /// Fingerprint that distinguishes its vectors from those of all other models and versions.
    pub fingerprint: String,
    /// Dimensions of a vector.
    pub dimensions: usize,
    /// Maximum bytes that it reads of a text.
    pub max_bytes: usize,
    /// Maximum passages embedded for one question.
    pub passages: usize,
    /// Weight of the semantic order relative to the lexical one, which weighs 1. With 0, the model
    /// is only used for purely semantic searches.
    pub weight: f64,
}

/// The reason that there is no vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// No embedder is configured.
    #[error("no embedder is configured")]
    NoneConfigured,
    /// The embedder cannot be reached.
    #[error("the embedder cannot be reached")]
    Unavailable,
    /// The embedder rejects the request, for whatever reason.
    #[error("the embedder refuses")]
    Refused,
    /// A text exceeds the length that it accepts.
    #[error("a text is longer than the embedder takes")]
    TooLong,
    /// The time limit was exceeded.
    #[error("the embedder took too long")]
    TooSlow,
    /// The answer is invalid.
    #[error("the embedder's answer is invalid")]
    Broken,
}

/// A text to be embedded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingText {
    /// Embedded content.
    pub content: String,
    /// Place of the text, as [`Embedder::nearest`] reports it: one line per level, the widest
    /// first. Empty if it does not matter.
    pub place: String,
}

/// The limits of one embedding request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Milliseconds; with 0, only known vectors are returned, and none is computed.
    pub milliseconds: u32,
    /// Generation of the cache to use: vectors added later are left out. `None` for the current
    /// one.
    pub moment: Option<u64>,
}

/// The places of the passages nearest to a vector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nearest {
    /// Places as given with their texts, nearest first.
    pub places: Vec<String>,
    /// Generation of the cache at that time. 0 if nothing is cached.
    pub moment: u64,
}

/// A version of a document, as an embedder identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentVersion {
    /// Digest of its root and path.
    pub place: u64,
    /// Digest of the model, the split, and the identity of the version.
    pub version: u64,
}

/// The number of passages of one version of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassageCount {
    /// All passages.
    pub passages: u32,
    /// Passages whose vectors are not known and may be computed.
    pub unknown: u32,
}

/// The passage counts of documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentCounts {
    /// One for each document, `None` if it was not counted. Empty if nothing is cached.
    pub counts: Vec<Option<PassageCount>>,
    /// Number of times that vectors were evicted, and with them all counts.
    pub losses: u64,
}

/// A provider of embeddings.
pub trait Embedder: fmt::Debug {
    /// Describes the model, within a time limit in milliseconds.
    ///
    /// # Errors
    /// [`Failure`] if it cannot be described.
    fn describe(&self, milliseconds: u32) -> Result<Model, Failure>;

    /// Returns the concatenated vectors of texts: unit vectors times 127. A text without a vector
    /// has zeros: it was not known and there was no time, or it alone was rejected.
    ///
    /// # Errors
    /// [`Failure`] if there is no vector for any of them.
    fn embed(
        &self,
        role: Role,
        texts: &[EmbeddingText],
        bounds: Bounds,
    ) -> Result<Vec<i8>, Failure>;

    /// Returns the places of at most `most` passages with known vectors nearest to `vector`, among
    /// those whose place begins with `area`.
    fn nearest(&self, vector: &[i8], area: &str, most: usize, moment: Option<u64>) -> Nearest;

    /// Returns the passage counts of documents. `_asked` is the root that the question searches:
    /// its unknown passages may be embedded after the call. An embedder without a cache returns no
    /// counts.
    fn passage_counts(
        &self,
        _asked: Option<&str>,
        _documents: &[DocumentVersion],
    ) -> DocumentCounts {
        DocumentCounts::default()
    }

    /// Stores the passage counts of documents, unless vectors were evicted since `losses`.
    fn store_passage_counts(&self, _losses: u64, _documents: &[(DocumentVersion, PassageCount)]) {}
}

/// The absence of an embedder.
#[derive(Clone, Copy, Debug)]
pub struct NoEmbedder;

impl Embedder for NoEmbedder {
    fn describe(&self, _: u32) -> Result<Model, Failure> {
        Err(Failure::NoneConfigured)
    }

    fn embed(&self, _: Role, _: &[EmbeddingText], _: Bounds) -> Result<Vec<i8>, Failure> {
        Err(Failure::NoneConfigured)
    }

    fn nearest(&self, _: &[i8], _: &str, _: usize, _: Option<u64>) -> Nearest {
        Nearest::default()
    }
}

impl Model {
    /// Returns the model that an embedder describes, after validation.
    ///
    /// # Errors
    /// Those of [`Embedder::describe`], and [`Failure::Broken`] for an invalid description.
    pub fn from_embedder(embedder: &dyn Embedder, milliseconds: u32) -> Result<Self, Failure> {
        let mut model = embedder.describe(milliseconds)?;
        let (least, most) = EMBEDDING_BYTES;
        let has_name = !model.name.trim().is_empty();
        let can_be = has_name
            && (1..=EMBEDDING_DIMENSIONS).contains(&model.dimensions)
            && model.max_bytes >= least
            && (0.0..=EMBEDDER_WEIGHT).contains(&model.weight);
        if !can_be {
            return Err(Failure::Broken);
        }
        model.max_bytes = model.max_bytes.min(most);
        // The name comes from a server and is shown in answers. Without control characters it is
        // one line of text, so that it can neither add lines to an answer nor change a terminal.
        let is_shown = |c: &char| !c.is_control();
        let name = model.name.chars().filter(is_shown);
        model.name = name.take(EMBEDDER_NAME_CHARS).collect();
        Ok(model)
    }

    /// Returns the vectors of texts, `None` for a text without a vector.
    ///
    /// # Errors
    /// Those of [`Embedder::embed`], and [`Failure::Broken`] if their number or length is wrong.
    pub fn vectors(
        &self,
        embedder: &dyn Embedder,
        role: Role,
        texts: &[EmbeddingText],
        bounds: Bounds,
    ) -> Result<Vec<Option<Vec<i8>>>, Failure> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let numbers = embedder.embed(role, texts, bounds)?;
        // Vectors are identified by their position alone. If a number were missing or added, all
        // vectors after it would be those of other texts, and nothing would show it. So no
        // vector of such an answer is used.
        if numbers.len() != texts.len() * self.dimensions {
            return Err(Failure::Broken);
        }
        let vectors = numbers.chunks_exact(self.dimensions);
        let has_direction = |vector: &[i8]| vector.iter().any(|number| *number != 0);
        Ok(vectors
            .map(|vector| has_direction(vector).then(|| vector.to_vec()))
            .collect())
    }
}

/// Returns the cosine similarity of two vectors, -1 to 1. Vectors of different lengths and zero
/// vectors have similarity 0.
pub fn similarity(a: &[i8], b: &[i8]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    let product = |a: &[i8], b: &[i8]| -> i64 {
        let pairs = a.iter().zip(b);
        // A sum of integers does not depend on its order, so this loop may be vectorised and
        // still has the same result on every machine. A sum of floating-point numbers depends on
        // it, and passages of nearly the same similarity would be ranked differently.
        pairs.map(|(a, b)| i64::from(*a) * i64::from(*b)).sum()
    };
    let norms = product(a, a) * product(b, b);
    if norms == 0 {
        return 0.0;
    }
    // Exact: products of 127 · 127 · 4096 are far below 2^53, and the product of the norms is
    // rounded once.
    product(a, b) as f64 / (norms as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An embedder with preset answers.
    #[derive(Debug)]
    struct Says(Model, Vec<i8>);

    impl Embedder for Says {
        fn describe(&self, _: u32) -> Result<Model, Failure> {
            Ok(self.0.clone())
        }

        fn embed(&self, _: Role, _: &[EmbeddingText], _: Bounds) -> Result<Vec<i8>, Failure> {
            Ok(self.1.clone())
        }

        fn nearest(&self, _: &[i8], _: &str, _: usize, _: Option<u64>) -> Nearest {
            Nearest::default()
        }
    }

    fn model() -> Model {
        Model {
            name: "a".to_owned(),
            fingerprint: "1".to_owned(),
            dimensions: 2,
            max_bytes: 512,
            passages: 50,
            weight: 1.0,
        }
    }

    #[test]
    fn a_model_that_cannot_be_is_none() {
        let of = |model: Model| Model::from_embedder(&Says(model, Vec::new()), 0);
        assert_eq!(of(model()), Ok(model()));
        type Spoil = fn(&mut Model);
        let spoils: [Spoil; 7] = [
            |model| model.name = " \n".to_owned(),
            |model| model.dimensions = 0,
            |model| model.dimensions = 1 << 20,
            |model| model.max_bytes = 3,
            |model| model.weight = f64::NAN,
            |model| model.weight = -1.0,
            |model| model.weight = f64::INFINITY,
        ];
        for (number, spoil) in spoils.into_iter().enumerate() {
            let mut spoilt = model();
            spoil(&mut spoilt);
            assert_eq!(of(spoilt), Err(Failure::Broken), "{number}");
        }
        let mut long = model();
        (long.name, long.max_bytes) = (format!("a\nb{}", "c".repeat(999)), usize::MAX);
        let long = of(long).unwrap();
        assert!(long.name.starts_with("abc") && long.name.len() <= 100);
        assert!(long.max_bytes < 100_000);
    }

    #[test]
    fn vectors_of_another_number_or_length_are_none() {
        let text = || EmbeddingText {
            content: "a".to_owned(),
            place: String::new(),
        };
        let bounds = Bounds {
            milliseconds: 1,
            moment: None,
        };
        let of = |numbers: &[i8]| {
            let embedder = Says(model(), numbers.to_vec());
            let texts = [text(), text()];
            model().vectors(&embedder, Role::Passage, &texts, bounds)
        };
        assert_eq!(of(&[1, 2, 0, 0]), Ok(vec![Some(vec![1, 2]), None]));
        for numbers in [&[][..], &[1, 2], &[1, 2, 3], &[1, 2, 3, 4, 5]] {
            assert_eq!(of(numbers), Err(Failure::Broken));
        }
    }

    #[test]
    fn alike_is_of_one_direction() {
        assert!((similarity(&[3, 4], &[6, 8]) - 1.0).abs() < 1e-9);
        assert!((similarity(&[3, 4], &[-3, -4]) + 1.0).abs() < 1e-9);
        assert_eq!(similarity(&[1, 0], &[0, 1]), 0.0);
        assert_eq!(similarity(&[0, 0], &[1, 1]), 0.0);
        assert_eq!(similarity(&[1], &[1, 1]), 0.0);
        let most = [-128; EMBEDDING_DIMENSIONS];
        assert!((similarity(&most, &most) - 1.0).abs() < 1e-9);
    }
}
