//! Who tells what texts mean: what is asked of an embedder, and what it answers. Who serves it, and
//! where it keeps what it has made, nobody here knows.
//!
//! Nothing that it answers is believed: a length that does not fit, a vector of no direction or a
//! number out of range is [`Failure::Broken`], and what it takes for near is looked at again.

use std::fmt;

use crate::limits::{EMBEDDER_NAME_CHARS, EMBEDDER_WEIGHT, EMBEDDING_BYTES, EMBEDDING_DIMENSIONS};

/// What a text is to be compared as. Some models are told which it is.
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
    /// What tells its vectors from those of all others, of other versions of it as well.
    pub fingerprint: String,
    /// Numbers of a vector.
    pub dimensions: usize,
    /// Bytes that it reads of a text at most.
    pub max_bytes: usize,
    /// Passages that one question may have it embed.
    pub passages: usize,
    /// What its order weighs beside that by words, which weighs 1; with 0 it is asked only where
    /// nothing but meaning is wanted.
    pub weight: f64,
}

/// Why there is no vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The person has configured none.
    #[error("no embedder is configured")]
    NoneConfigured,
    /// It cannot be reached.
    #[error("the embedder cannot be reached")]
    Unavailable,
    /// It does not take what it is asked, whoever may be at fault.
    #[error("the embedder refuses")]
    Refused,
    /// A text is longer than it takes.
    #[error("a text is longer than the embedder takes")]
    TooLong,
    /// It took longer than it had.
    #[error("the embedder took too long")]
    TooSlow,
    /// What it answers makes no sense.
    #[error("what the embedder answers makes no sense")]
    Broken,
}

/// A text to be embedded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// What is embedded.
    pub content: String,
    /// Where it stands, for [`Embedder::nearest`] to tell: a line a level, the widest first. Empty
    /// where that does not matter.
    pub place: String,
}

/// How far an embedder may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Milliseconds; with 0 it tells what it knows already and makes nothing.
    pub milliseconds: u32,
    /// As it was at that moment: what it came to know later is left out. None for now.
    pub moment: Option<u64>,
}

/// The places of the passages that are nearest to a vector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nearest {
    /// Nearest first, each as it was given with its text.
    pub places: Vec<String>,
    /// When that was so: how much the embedder knew. 0 where it keeps nothing.
    pub moment: u64,
}

/// A version of a document, as those who embed texts are told of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Document {
    /// A digest of its root and path.
    pub place: u64,
    /// A digest of the model, the way of cutting, and what tells the version from others.
    pub version: u64,
}

/// The number of passages of one version of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassageCount {
    /// All of them.
    pub passages: u32,
    /// Those whose vectors are not known and may be made.
    pub unknown: u32,
}

/// The counts of the passages of documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentCounts {
    /// One for each document; none where it was not counted. Empty where nothing is kept.
    pub of: Vec<Option<PassageCount>>,
    /// The number of times that vectors of passages were forgotten, and with them all counts.
    pub losses: u64,
}

/// Who embeds texts.
pub trait Embedder: fmt::Debug {
    /// Returns which model it is, within so many milliseconds.
    ///
    /// # Errors
    /// [`Failure`] says why there is none.
    fn describe(&self, milliseconds: u32) -> Result<Model, Failure>;

    /// Returns the vectors of texts, one after another: unit vectors times 127. One of zeros stands
    /// for a text that has none: it was not known and there was no time, or it alone was refused.
    ///
    /// # Errors
    /// [`Failure`] says why there is none of any of them.
    fn embed(&self, role: Role, texts: &[Text], bounds: Bounds) -> Result<Vec<i8>, Failure>;

    /// Returns where those passages stand whose vectors are known and nearest to `vector`, at most
    /// so many of those whose place begins with `area`.
    fn nearest(&self, vector: &[i8], area: &str, most: usize, moment: Option<u64>) -> Nearest;

    /// Returns how many passages documents have. `asked` is the root that a question is asked of: what
    /// is not known of that may be made known when the call has ended. Who keeps nothing says nothing
    /// of any.
    fn counted(&self, _asked: Option<&str>, _documents: &[Document]) -> DocumentCounts {
        DocumentCounts::default()
    }

    /// Keeps how many passages documents have, unless vectors were forgotten since `losses`.
    fn count(&self, _losses: u64, _documents: &[(Document, PassageCount)]) {}
}

/// No embedder.
#[derive(Clone, Copy, Debug)]
pub struct NoEmbedder;

impl Embedder for NoEmbedder {
    fn describe(&self, _: u32) -> Result<Model, Failure> {
        Err(Failure::NoneConfigured)
    }

    fn embed(&self, _: Role, _: &[Text], _: Bounds) -> Result<Vec<i8>, Failure> {
        Err(Failure::NoneConfigured)
    }

    fn nearest(&self, _: &[i8], _: &str, _: usize, _: Option<u64>) -> Nearest {
        Nearest::default()
    }
}

impl Model {
    /// Returns the model that an embedder describes, if that can be.
    ///
    /// # Errors
    /// Those of [`Embedder::describe`], and [`Failure::Broken`] for a model that cannot be.
    pub fn of(embedder: &dyn Embedder, milliseconds: u32) -> Result<Self, Failure> {
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
        // One line, which cannot pass for anything else.
        let is_shown = |c: &char| !c.is_control();
        let name = model.name.chars().filter(is_shown);
        model.name = name.take(EMBEDDER_NAME_CHARS).collect();
        Ok(model)
    }

    /// Returns the vectors of texts, none where a text has none.
    ///
    /// # Errors
    /// Those of [`Embedder::embed`], and [`Failure::Broken`] where they are not as many, or not as
    /// long, as they should be.
    pub fn vectors(
        &self,
        embedder: &dyn Embedder,
        role: Role,
        texts: &[Text],
        bounds: Bounds,
    ) -> Result<Vec<Option<Vec<i8>>>, Failure> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let numbers = embedder.embed(role, texts, bounds)?;
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

/// Returns how alike in meaning two texts of these vectors are: the cosine between them, -1 to 1.
/// Vectors of different lengths, and those of no direction, are not alike: 0.
pub fn similarity(a: &[i8], b: &[i8]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    let product = |a: &[i8], b: &[i8]| -> i64 {
        let pairs = a.iter().zip(b);
        // Whole numbers, so that every machine comes to the same.
        pairs.map(|(a, b)| i64::from(*a) * i64::from(*b)).sum()
    };
    let norms = product(a, a) * product(b, b);
    if norms == 0 {
        return 0.0;
    }
    // Exact: products of 127 · 127 · 4096 are far below 2^53, their norms' product is rounded once.
    product(a, b) as f64 / (norms as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers what it is told to.
    #[derive(Debug)]
    struct Says(Model, Vec<i8>);

    impl Embedder for Says {
        fn describe(&self, _: u32) -> Result<Model, Failure> {
            Ok(self.0.clone())
        }

        fn embed(&self, _: Role, _: &[Text], _: Bounds) -> Result<Vec<i8>, Failure> {
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
        let of = |model: Model| Model::of(&Says(model, Vec::new()), 0);
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
        let text = || Text {
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
