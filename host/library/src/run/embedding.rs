//! The embedding service for guests: the embedder that the program provides, and a cache of its
//! vectors.

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

/// An embedder, if there is one, and the cache of its vectors.
pub(crate) struct Embedding {
    embedder: OnceLock<Arc<dyn Embedder>>,
    /// Model, as the embedder last described it.
    model: Mutex<Option<Model>>,
    vectors: Mutex<Vectors>,
    /// Directory of the vector files; none if vectors are only kept in memory.
    directory: OnceLock<PathBuf>,
    /// Number of passages that the embedder was ever given.
    given: AtomicU64,
    /// Roots with unknown passages that a query has asked for, and the number of passages that may
    /// be embedded for each.
    wanted: Mutex<BTreeMap<String, u64>>,
}

impl Embedding {
    /// Returns a service without an embedder, with limits in bytes for the vectors in memory and
    /// for the file of a model.
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

    /// Stores the vectors of passages in a directory from now on. Only the first directory is used.
    pub(crate) fn keep_in(&self, directory: PathBuf) {
        let _ = self.directory.set(directory);
    }

    /// Returns true if the vectors of passages are written for later programs: there is a
    /// directory, the embedder has described its model, and no other program writes to the model's
    /// file.
    pub(crate) fn is_kept(&self) -> bool {
        self.vectors().is_kept()
    }

    /// Returns true if the file had no room for some vectors of passages.
    pub(crate) fn is_full(&self) -> bool {
        self.vectors().is_full()
    }

    /// Uses an embedder from now on. Only the first embedder is used.
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

    fn lock_wanted(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn model(&self) -> MutexGuard<'_, Option<Model>> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a description of the model.
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

    /// Returns the vectors of texts, concatenated; an unknown vector is all zeros.
    pub(crate) fn embed(
        &self,
        role: Role,
        texts: &[Text],
        bounds: Bounds,
        timeout: Duration,
    ) -> Result<Vec<i8>, Failure> {
        self.embedder()?;
        // The number of texts is limited because the answer is allocated before it is known:
        // each text costs as many bytes here as the model has dimensions, and a guest may pass
        // a list of millions of empty texts.
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
        // A query whose pages continue asks for the state at a past moment, so that later pages
        // have the order of the first. A vector that is computed now did not exist then, so
        // none is computed.
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
        // The embedder is called without the lock of the cache: it may take seconds, and calls
        // whose vectors are all cached must not wait for it. Two calls may compute the same
        // vector meanwhile; the second one is dropped when it is inserted.
        let made = self.compute_vectors(role, &contents, dimensions, timeout)?;
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

    /// Returns the vectors that the embedder computes for texts; none for a single text that it
    /// refuses.
    fn compute_vectors(
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
            vector.map(|one| quantize(one, dimensions)).transpose()
        };
        made.iter().map(whole).collect()
    }

    /// Returns the number of passages that the embedder was ever given.
    pub(crate) fn passages_given(&self) -> u64 {
        self.given.load(Ordering::Relaxed)
    }

    /// Returns the passage counts of document versions. If a query asks for them in root `asked`
    /// and some passages are unknown, that root is queued for background embedding; `given`
    /// passages have already been embedded for the query.
    pub(crate) fn passage_counts(
        &self,
        asked: Option<String>,
        given: u64,
        documents: &[Document],
    ) -> Counts {
        let (of, losses) = self.vectors().passage_counts(documents);
        if let Some(root) = asked {
            let is_unknown = |count: &Option<PassageCount>| count.is_none_or(|one| one.unknown > 0);
            let model = self.model().clone();
            let most = model.map_or(0, |model| u64::from(model.passages));
            let mut wanted = self.lock_wanted();
            if of.iter().any(is_unknown) {
                wanted.insert(root, most.saturating_sub(given));
            } else {
                wanted.remove(&root);
            }
        }
        Counts { of, losses }
    }

    /// Stores the passage counts of document versions.
    pub(crate) fn count(&self, losses: u64, documents: &[CountedDocument]) {
        self.vectors().count(losses, documents);
    }

    /// Returns true if a root is queued for background embedding.
    pub(crate) fn is_wanting(&self) -> bool {
        !self.lock_wanted().is_empty()
    }

    /// Takes a root from the queue, with the number of passages that may be embedded for it.
    pub(crate) fn take_wanted(&self) -> Option<(String, u64)> {
        self.lock_wanted().pop_first()
    }

    /// Puts a root back into the queue, unless a later query has queued it.
    pub(crate) fn want_again(&self, root: String, passages: u64) {
        self.lock_wanted().entry(root).or_insert(passages);
    }

    /// Returns the places of the passages nearest to a vector.
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

/// Returns a vector in its stored form, if it has the model's length and is not zero.
fn quantize(vector: &[f32], dimensions: usize) -> Result<Vec<i8>, Failure> {
    let whole = (vector.len() == dimensions).then(|| whole_numbers(vector));
    whole.flatten().ok_or(Failure::Broken)
}

/// Converts a model to the contract's type.
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

/// Converts a role to the library's type.
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

    /// An embedder that records its texts, and answers with vectors that encode their lengths.
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
        // Vectors of queries are not written.
        assert!(
            first
                .embed(Role::Query, &texts(&["q"]), NOW, SECOND)
                .is_ok()
        );
        // A second program reads the same file, and writes nothing.
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
