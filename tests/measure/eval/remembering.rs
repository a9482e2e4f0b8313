//! An embedder with a persistent cache of its own, so that no text is embedded twice, also across
//! runs, independent of docent's cache.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use docent_host::embedder::{EmbedFailure, Embedder, Model, Role};
use sha2::{Digest as _, Sha256};

/// Bytes of a key.
const KEY_BYTES: usize = 32;

/// The key of a vector: the digest of its role and text.
type Key = [u8; KEY_BYTES];

/// An embedder with the cache of all its vectors.
#[derive(Debug)]
pub struct Remembering {
    inner: Arc<dyn Embedder>,
    model: Model,
    said: Mutex<Said>,
}

/// The cached vectors, in memory and in a file.
#[derive(Debug)]
struct Said {
    vectors: HashMap<Key, Vec<f32>>,
    file: File,
    /// Number of passages that this program has embedded.
    passages: usize,
}

impl Remembering {
    /// Returns an embedder that is only called for vectors missing in its model's file in
    /// `directory`.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn open(inner: Arc<dyn Embedder>, model: Model, directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        let digest = Sha256::digest(model.fingerprint.as_bytes());
        let name: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let path = directory.join(name);
        let mut options = OpenOptions::new();
        let file = options.append(true).create(true).open(&path)?;
        let record = KEY_BYTES + size_of::<f32>() * model.dimensions as usize;
        let written = fs::read(path)?;
        let (records, torn) = written.split_at(written.len() / record * record);
        file.set_len((written.len() - torn.len()) as u64)?;
        let vectors = records.chunks_exact(record).filter_map(|record| {
            let (key, numbers) = record.split_first_chunk()?;
            Some((
                *key,
                numbers
                    .as_chunks()
                    .0
                    .iter()
                    .map(|four| f32::from_le_bytes(*four))
                    .collect(),
            ))
        });
        let vectors = vectors.collect();
        Ok(Self {
            inner,
            model,
            said: Mutex::new(Said {
                vectors,
                file,
                passages: 0,
            }),
        })
    }

    /// Returns the model.
    pub fn described(&self) -> &Model {
        &self.model
    }

    /// Returns the number of passages that this program has embedded.
    pub fn passages(&self) -> usize {
        self.said().passages
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Said {
    /// Stores a vector.
    fn keep(&mut self, key: Key, vector: Vec<f32>) -> io::Result<()> {
        let mut record = key.to_vec();
        record.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
        self.file.write_all(&record)?;
        self.vectors.insert(key, vector);
        Ok(())
    }
}

impl Embedder for Remembering {
    fn model(&self, _: Duration) -> Result<Model, EmbedFailure> {
        Ok(self.model.clone())
    }

    fn embed(
        &self,
        role: Role,
        texts: &[&str],
        timeout: Duration,
    ) -> Result<Vec<Option<Vec<f32>>>, EmbedFailure> {
        let mut said = self.said();
        let keys: Vec<Key> = texts.iter().map(|text| key(role, text)).collect();
        let is_new = |key: &Key| !said.vectors.contains_key(key);
        let new: Vec<usize> = (0..texts.len()).filter(|&at| is_new(&keys[at])).collect();
        if !new.is_empty() {
            let asked: Vec<&str> = new.iter().map(|&at| texts[at]).collect();
            let made = self.inner.embed(role, &asked, timeout)?;
            if role == Role::Passage {
                said.passages += asked.len();
            }
            for (at, vector) in new.into_iter().zip(made) {
                if let Some(vector) = vector {
                    // Records in the file have a fixed length, so a vector of another length could
                    // not be read back.
                    if vector.len() != self.model.dimensions as usize {
                        return Err(EmbedFailure::Broken);
                    }
                    said.keep(keys[at], vector)
                        .map_err(|_| EmbedFailure::Unavailable)?;
                }
            }
        }
        Ok(keys
            .iter()
            .map(|key| said.vectors.get(key).cloned())
            .collect())
    }
}

fn key(role: Role, text: &str) -> Key {
    let role: &[u8] = match role {
        Role::Query => b"query\n",
        Role::Passage => b"passage\n",
    };
    Sha256::new()
        .chain_update(role)
        .chain_update(text)
        .finalize()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An embedder whose vectors encode the lengths of texts, and which records its texts.
    #[derive(Debug, Default)]
    struct Lengths(Mutex<Vec<String>>);

    impl Embedder for Lengths {
        fn model(&self, _: Duration) -> Result<Model, EmbedFailure> {
            Err(EmbedFailure::Unavailable)
        }

        fn embed(
            &self,
            _: Role,
            texts: &[&str],
            _: Duration,
        ) -> Result<Vec<Option<Vec<f32>>>, EmbedFailure> {
            let mut asked = self.0.lock().unwrap();
            asked.extend(texts.iter().map(|text| (*text).to_owned()));
            let one = |text: &&str| (*text != "refused").then(|| vec![text.len() as f32, 1.0]);
            Ok(texts.iter().map(one).collect())
        }
    }

    #[test]
    fn what_was_said_is_not_asked_again_by_a_later_run() {
        let home = tempfile::tempdir().unwrap();
        let model = Model {
            name: "lengths".to_owned(),
            fingerprint: "1".to_owned(),
            dimensions: 2,
            max_bytes: 1000,
            passages: 50,
            weight: 1.0,
        };
        let lengths = Arc::<Lengths>::default();
        let open = || {
            let inner = Arc::clone(&lengths) as Arc<dyn Embedder>;
            Remembering::open(inner, model.clone(), home.path()).unwrap()
        };
        let of = |embedder: &Remembering, role, texts: &[&str]| {
            embedder.embed(role, texts, Duration::ZERO).unwrap()
        };
        let (a, bb) = (Some(vec![1.0, 1.0]), Some(vec![2.0, 1.0]));
        let first = open();
        assert_eq!(
            of(&first, Role::Passage, &["a", "refused"]),
            [a.clone(), None]
        );
        assert_eq!(
            of(&first, Role::Passage, &["bb", "a"]),
            [bb.clone(), a.clone()]
        );
        assert_eq!(of(&first, Role::Query, &["a"]), std::slice::from_ref(&a));
        assert_eq!(first.passages(), 3);
        drop(first);
        // Truncated in the middle of the last record, which is a query's.
        let file = fs::read_dir(home.path())
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let written = fs::read(&file).unwrap();
        fs::write(&file, &written[..written.len() - 1]).unwrap();
        let later = open();
        assert_eq!(of(&later, Role::Passage, &["a", "bb"]), [a.clone(), bb]);
        assert_eq!(later.passages(), 0);
        assert_eq!(of(&later, Role::Query, &["a"]), [a]);
        assert_eq!(*lengths.0.lock().unwrap(), ["a", "refused", "bb", "a", "a"]);
    }
}
