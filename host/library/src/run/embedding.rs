//! What a guest is told of the meaning of texts: by the embedder that the program has given, and
//! from what it said before.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use crate::contract::docent::docent::embed::{
    self, Bounds, CountedDocument, Counts, Document, Failure, Neighbours, PassageCount, Text,
};
use crate::embedder::{EmbedFailure, Embedder, Model, Role};
use crate::limits::{EMBEDDED_TEXTS, EMBEDDING_DIMENSIONS};
use crate::run::vectors::{Asked, Key, Made, Vectors, whole_numbers};

/// An embedder, where there is one, and what it said.
pub(crate) struct Embedding {
    embedder: OnceLock<Arc<dyn Embedder>>,
    /// As it described itself last.
    model: Mutex<Option<Model>>,
    vectors: Mutex<Vectors>,
    /// Where vectors outlive the program; none where they do not.
    directory: OnceLock<PathBuf>,
    /// Passages that the embedder was ever given.
    given: AtomicU64,
    /// The roots of which not everything is known that was asked of, and how many passages may be
    /// embedded for that.
    wanted: Mutex<BTreeMap<String, u64>>,
}

impl Embedding {
    /// Returns no embedder yet, and room for so many bytes of vectors in memory, and in the file of
    /// a model.
    pub(crate) fn new(memory_bytes: usize, file_bytes: u64) -> Self {
        Self {
            embedder: OnceLock::new(),
            model: Mutex::new(None),
            vectors: Mutex::new(Vectors::new(memory_bytes, file_bytes)),
            directory: OnceLock::new(),
            given: AtomicU64::new(0),
            wanted: Mutex::default(),
        }
    }

    /// Has what is said of passages kept in a directory from now on. A second one is not taken.
    pub(crate) fn keep_in(&self, directory: PathBuf) {
        let _ = self.directory.set(directory);
    }

    /// Whether what is said of passages is written for later programs: there is a directory, the
    /// embedder has said which model it is, and no other program adds to its file.
    pub(crate) fn is_kept(&self) -> bool {
        self.vectors().is_kept()
    }

    /// Whether the file had no room for what was said of passages.
    pub(crate) fn is_full(&self) -> bool {
        self.vectors().is_full()
    }

    /// Has an embedder asked from now on. A second one is not taken.
    pub(crate) fn embed_with(&self, embedder: Arc<dyn Embedder>) {
        let _ = self.embedder.set(embedder);
    }

    fn embedder(&self) -> Result<&dyn Embedder, Failure> {
        let embedder = self.embedder.get().ok_or(Failure::NoneConfigured)?;
        Ok(&**embedder)
    }

    fn vectors(&self) -> MutexGuard<'_, Vectors> {
        self.vectors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wanted(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn model(&self) -> MutexGuard<'_, Option<Model>> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns which model it is.
    pub(crate) fn describe(&self, timeout: Duration) -> Result<Model, Failure> {
        let model = self.embedder()?.model(timeout).map_err(failure)?;
        if !(1..=EMBEDDING_DIMENSIONS).contains(&model.dimensions) {
            return Err(Failure::Broken);
        }
        if let Some(directory) = self.directory.get() {
            self.vectors().open_file_ambient(directory, &model);
        }
        *self.model() = Some(model.clone());
        Ok(model)
    }

    /// Returns the vectors of texts, one after another, of zeros where there is none.
    pub(crate) fn embed(
        &self,
        role: Role,
        texts: &[Text],
        bounds: Bounds,
        timeout: Duration,
    ) -> Result<Vec<i8>, Failure> {
        self.embedder()?;
        // Each costs as many bytes here as the model has dimensions.
        if texts.len() > EMBEDDED_TEXTS {
            return Err(Failure::Refused);
        }
        let described = self.model().clone();
        let model = match described {
            Some(model) => model,
            None => self.describe(timeout)?,
        };
        let fingerprint = &model.fingerprint;
        let dimensions = model.dimensions as usize;
        let asked: Vec<Asked> = texts
            .iter()
            .map(|text| {
                let key = Key::new(fingerprint, role, &text.content);
                (key, text.place.as_str())
            })
            .collect();
        let mut numbers = vec![0; texts.len() * dimensions];
        let unknown = self
            .vectors()
            .fill(&asked, bounds.moment, dimensions, &mut numbers);
        // As it was at a moment that is past nothing can be made.
        if unknown.is_empty() || timeout.is_zero() || bounds.moment.is_some() {
            return Ok(numbers);
        }
        let contents: Vec<&str> = unknown
            .iter()
            .map(|&index| texts[index].content.as_str())
            .collect();
        if role == Role::Passage {
            self.given
                .fetch_add(contents.len() as u64, Ordering::Relaxed);
        }
        // Not while others wait for what is known.
        let made = self.made(role, &contents, dimensions, timeout)?;
        let mut new = Vec::new();
        for (&index, vector) in unknown.iter().zip(made) {
            let Some(vector) = vector else { continue };
            numbers[index * dimensions..][..dimensions].copy_from_slice(&vector);
            let (key, place) = asked[index];
            new.push(Made { key, place, vector });
        }
        self.vectors().insert(role, fingerprint, new);
        Ok(numbers)
    }

    /// Returns the vectors that the embedder makes of texts; none for one that it alone refuses.
    fn made(
        &self,
        role: Role,
        texts: &[&str],
        dimensions: usize,
        timeout: Duration,
    ) -> Result<Vec<Option<Vec<i8>>>, Failure> {
        let made = self.embedder()?.embed(role, texts, timeout);
        let made = made.map_err(failure)?;
        if made.len() != texts.len() {
            return Err(Failure::Broken);
        }
        let whole = |vector: &Option<Vec<f32>>| {
            let vector = vector.as_ref();
            vector.map(|one| checked(one, dimensions)).transpose()
        };
        made.iter().map(whole).collect()
    }

    /// Returns how many passages the embedder was ever given.
    pub(crate) fn given(&self) -> u64 {
        self.given.load(Ordering::Relaxed)
    }

    /// Returns how many passages versions of documents have. Where a question is asked of root `asked`,
    /// and something of it is not known, that root is wanted, `given` passages having been embedded for
    /// the question.
    pub(crate) fn counted(
        &self,
        asked: Option<String>,
        given: u64,
        documents: &[Document],
    ) -> Counts {
        let (of, losses) = self.vectors().counted(documents);
        if let Some(root) = asked {
            let is_unknown = |count: &Option<PassageCount>| count.is_none_or(|one| one.unknown > 0);
            let model = self.model().clone();
            let most = model.map_or(0, |model| u64::from(model.passages));
            let mut wanted = self.wanted();
            if of.iter().any(is_unknown) {
                wanted.insert(root, most.saturating_sub(given));
            } else {
                wanted.remove(&root);
            }
        }
        Counts { of, losses }
    }

    /// Keeps how many passages versions of documents have.
    pub(crate) fn count(&self, losses: u64, documents: &[CountedDocument]) {
        self.vectors().count(losses, documents);
    }

    /// Whether something is wanted.
    pub(crate) fn is_wanting(&self) -> bool {
        !self.wanted().is_empty()
    }

    /// Takes a root that is wanted, with how many passages of it may be embedded.
    pub(crate) fn take_wanted(&self) -> Option<(String, u64)> {
        self.wanted().pop_first()
    }

    /// Gives a root back that is still wanted, unless a later question has said so.
    pub(crate) fn want_again(&self, root: String, passages: u64) {
        self.wanted().entry(root).or_insert(passages);
    }

    /// Returns the places that are nearest to a vector.
    pub(crate) fn nearest(
        &self,
        vector: &[i8],
        area: &str,
        most: u32,
        moment: Option<u64>,
    ) -> Neighbours {
        let Some(model) = self.model().clone() else {
            return Neighbours {
                places: Vec::new(),
                moment: 0,
            };
        };
        let most = most as usize;
        let mut vectors = self.vectors();
        let (places, moment) = vectors.nearest(&model.fingerprint, vector, area, most, moment);
        Neighbours { places, moment }
    }
}

/// Returns a vector as it is kept, if it is of the model's length and has a direction.
fn checked(vector: &[f32], dimensions: usize) -> Result<Vec<i8>, Failure> {
    let whole = (vector.len() == dimensions).then(|| whole_numbers(vector));
    whole.flatten().ok_or(Failure::Broken)
}

/// Returns a model as the contract has it.
pub(crate) fn contract_model(model: Model) -> embed::Model {
    embed::Model {
        name: model.name,
        fingerprint: model.fingerprint,
        dimensions: model.dimensions,
        max_bytes: model.max_bytes,
        passages: model.passages,
        weight: model.weight,
    }
}

/// Returns a role as the library has it.
pub(crate) fn role(role: embed::Role) -> Role {
    match role {
        embed::Role::Query => Role::Query,
        embed::Role::Passage => Role::Passage,
    }
}

fn failure(failure: EmbedFailure) -> Failure {
    match failure {
        EmbedFailure::Unavailable => Failure::Unavailable,
        EmbedFailure::Refused => Failure::Refused,
        EmbedFailure::TooSlow => Failure::TooSlow,
        EmbedFailure::Broken => Failure::Broken,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the texts that it is given, and answers vectors of their lengths.
    #[derive(Debug, Default)]
    struct Lengths {
        dimensions: u32,
        given: Mutex<Vec<String>>,
        says: Option<Vec<Option<Vec<f32>>>>,
    }

    impl Embedder for Lengths {
        fn model(&self, _: Duration) -> Result<Model, EmbedFailure> {
            Ok(Model {
                name: "lengths".to_owned(),
                fingerprint: "1".to_owned(),
                dimensions: self.dimensions,
                max_bytes: 1000,
                passages: 50,
                weight: 1.0,
            })
        }

        fn embed(
            &self,
            _: Role,
            texts: &[&str],
            _: Duration,
        ) -> Result<Vec<Option<Vec<f32>>>, EmbedFailure> {
            self.given
                .lock()
                .unwrap()
                .extend(texts.iter().map(|text| (*text).to_owned()));
            let one = |text: &&str| Some(vec![text.len() as f32, 1.0]);
            let says = || texts.iter().map(one).collect();
            Ok(self.says.clone().unwrap_or_else(says))
        }
    }

    fn texts(contents: &[&str]) -> Vec<Text> {
        let text = |content: &&str| Text {
            content: (*content).to_owned(),
            place: format!("docs\n{content}"),
        };
        contents.iter().map(text).collect()
    }

    fn with(embedder: Lengths) -> (Arc<Lengths>, Embedding) {
        let (embedder, embedding) = (Arc::new(embedder), Embedding::new(1 << 20, 1 << 30));
        embedding.embed_with(Arc::clone(&embedder) as Arc<dyn Embedder>);
        (embedder, embedding)
    }

    const NOW: Bounds = Bounds {
        milliseconds: 1000,
        moment: None,
    };

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn what_was_told_is_not_asked_again() {
        let (embedder, embedding) = with(Lengths {
            dimensions: 2,
            ..Lengths::default()
        });
        let of = |contents: &[&str], timeout| {
            embedding.embed(Role::Passage, &texts(contents), NOW, timeout)
        };
        assert_eq!(of(&["a"], Duration::ZERO), Ok(vec![0, 0]));
        assert_eq!(of(&["a"], SECOND), Ok(vec![90, 90]));
        assert_eq!(of(&["bb", "a"], Duration::ZERO), Ok(vec![0, 0, 90, 90]));
        assert!(of(&["bb", "a"], SECOND).is_ok());
        assert_eq!(*embedder.given.lock().unwrap(), ["a", "bb"]);
        let near = embedding.nearest(&[127, 0], "docs\n", 9, None);
        assert_eq!(near.places, ["docs\nbb", "docs\na"]);
        assert_eq!(near.moment, 2);
        let before = Bounds {
            moment: Some(1),
            ..NOW
        };
        let past = embedding.embed(Role::Passage, &texts(&["a", "bb", "c"]), before, SECOND);
        assert_eq!(past, Ok(vec![90, 90, 0, 0, 0, 0]));
    }

    #[test]
    fn what_was_told_outlives_the_program() {
        let home = tempfile::tempdir().unwrap();
        let begin = || {
            let (embedder, embedding) = with(Lengths {
                dimensions: 2,
                ..Lengths::default()
            });
            embedding.keep_in(home.path().join("vectors"));
            embedding.describe(SECOND).unwrap();
            (embedder, embedding)
        };
        let (_, first) = begin();
        let asked = |embedding: &Embedding, contents: &[&str], timeout| {
            embedding.embed(Role::Passage, &texts(contents), NOW, timeout)
        };
        assert_eq!(asked(&first, &["a"], SECOND), Ok(vec![90, 90]));
        // Questions are not written.
        assert!(
            first
                .embed(Role::Query, &texts(&["q"]), NOW, SECOND)
                .is_ok()
        );
        // Beside it another program reads, and adds nothing.
        let (_, beside) = begin();
        assert_eq!(asked(&beside, &["a"], Duration::ZERO), Ok(vec![90, 90]));
        assert!(asked(&beside, &["bb"], SECOND).is_ok());
        drop((first, beside));
        let (embedder, later) = begin();
        assert_eq!(
            asked(&later, &["a", "bb"], Duration::ZERO),
            Ok(vec![90, 90, 0, 0])
        );
        assert_eq!(later.nearest(&[1, 1], "docs", 9, None).places, ["docs\na"]);
        assert!(asked(&later, &["bb"], SECOND).is_ok());
        assert_eq!(*embedder.given.lock().unwrap(), ["bb"]);
        drop(later);
        let (_, last) = begin();
        assert_eq!(last.nearest(&[1, 1], "docs", 9, None).moment, 2);
    }

    #[test]
    fn without_an_embedder_nothing_is_said() {
        let embedding = Embedding::new(1 << 20, 1 << 30);
        assert_eq!(
            embedding.describe(SECOND).err(),
            Some(Failure::NoneConfigured)
        );
        let embedded = embedding.embed(Role::Query, &texts(&["a"]), NOW, SECOND);
        assert_eq!(embedded, Err(Failure::NoneConfigured));
        assert_eq!(embedding.nearest(&[1], "", 9, None).places, [""; 0]);
    }

    #[test]
    fn what_makes_no_sense_is_not_kept() {
        let cases: [Vec<Option<Vec<f32>>>; 6] = [
            vec![],
            vec![Some(vec![1.0, 0.0]); 2],
            vec![Some(vec![1.0])],
            vec![Some(vec![1.0, f32::NAN])],
            vec![Some(vec![0.0, 0.0])],
            vec![Some(vec![1.0; 1 << 16])],
        ];
        for says in cases {
            let (_, embedding) = with(Lengths {
                dimensions: 2,
                says: Some(says),
                ..Lengths::default()
            });
            for _ in 0..2 {
                let embedded = embedding.embed(Role::Passage, &texts(&["a"]), NOW, SECOND);
                assert_eq!(embedded, Err(Failure::Broken));
            }
            assert_eq!(embedding.nearest(&[1, 1], "", 9, None).moment, 0);
        }
        for dimensions in [0, 5000, u32::MAX] {
            let (_, embedding) = with(Lengths {
                dimensions,
                ..Lengths::default()
            });
            assert_eq!(embedding.describe(SECOND).err(), Some(Failure::Broken));
        }
    }

    #[test]
    fn more_texts_than_a_guest_needs_are_refused() {
        let (embedder, embedding) = with(Lengths {
            dimensions: 2,
            ..Lengths::default()
        });
        let many = texts(&vec!["a"; EMBEDDED_TEXTS + 1]);
        let of = |texts: &[Text]| embedding.embed(Role::Passage, texts, NOW, SECOND);
        assert_eq!(of(&many), Err(Failure::Refused));
        assert!(embedder.given.lock().unwrap().is_empty());
        assert!(of(&many[1..]).is_ok());
    }

    #[test]
    fn a_text_that_is_refused_alone_has_zeros() {
        let (_, embedding) = with(Lengths {
            dimensions: 2,
            says: Some(vec![None, Some(vec![1.0, 0.0])]),
            ..Lengths::default()
        });
        let embedded = embedding.embed(Role::Passage, &texts(&["a", "b"]), NOW, SECOND);
        assert_eq!(embedded, Ok(vec![0, 0, 127, 0]));
    }
}
