//! The vector cache, keyed by the content of texts, so that vectors outlive the instances that
//! asked for them.
//!
//! The key of a vector is the digest of the model's fingerprint, the role and the text. No text is
//! stored. The vectors of passages are stored in a file and read on request. Memory holds those
//! that are in no file and, as far as there is room, those that queries are compared with.

mod counts;
mod file;
mod index;
mod key;
mod memory;
mod nearest;
mod record;
mod removal;
mod resident;

use std::collections::BTreeMap;
use std::path::Path;

use crate::contract::docent::docent::embed::{CountedDocument, Document, PassageCount};
use crate::embedder::{Model, Role};
use counts::StoredCounts;
use file::{Numbered, SizeLimit, VectorFile};
use memory::{CachedVector, Memory, is_known_at};
use nearest::NearestVectors;
use record::VectorRecord;

pub(crate) use key::Key;
pub use removal::remove_vectors_ambient;

/// A text whose vector is requested: its key and its place.
pub(crate) type Asked<'a> = (Key, &'a str);

/// A computed vector of a text.
pub(crate) struct Made<'a> {
    /// Key of the text.
    pub(crate) key: Key,
    /// Place of the text.
    pub(crate) place: &'a str,
    /// Vector of the text.
    pub(crate) vector: Vec<i8>,
}

/// The vectors in memory and in the file of a model.
pub(crate) struct Vectors {
    memory: Memory,
    /// Model whose file was opened last.
    model: Option<Key>,
    /// Vector file of the model; none if there is none.
    file: Option<VectorFile>,
    room: SizeLimit,
    /// Number of passages that ever became known.
    passages: u64,
    counts: StoredCounts,
    /// Number of losses when the counts were last checked.
    losses: u64,
    /// Number of losses in files that are no longer in use.
    past_losses: u64,
}

impl Vectors {
    /// Returns an empty cache, with limits in bytes for the vectors in memory and for the file of a
    /// model.
    pub(crate) fn new(memory_bytes: usize, file_bytes: u64) -> Self {
        Self {
            memory: Memory::new(memory_bytes),
            model: None,
            file: None,
            room: SizeLimit::new(file_bytes),
            passages: 0,
            counts: StoredCounts::default(),
            losses: 0,
            past_losses: 0,
        }
    }

    /// Stores the vectors of a model in its file in `directory`, and releases the file of any other
    /// model. Vectors that cannot be read are computed again on request.
    pub(crate) fn open_file_ambient(&mut self, directory: &Path, model: &Model) {
        let key = Key::for_model(&model.fingerprint);
        if self.model == Some(key) {
            return;
        }
        self.model = Some(key);
        // Vectors of two models cannot be compared, so all that were known before are lost to
        // the counts. The change of model itself counts as one loss.
        self.past_losses += 1 + self.file.as_ref().map_or(0, VectorFile::losses);
        // The old file is closed before the new one is opened. It may be the same file, and its
        // lock, which belongs to the open file, would make this program read-only.
        self.file = None;
        self.forget_counts_if_lossy();
        let dimensions = model.dimensions as usize;
        let opened = VectorFile::open_ambient(directory, key, dimensions, self.room, self.passages);
        let Ok((file, known)) = opened else {
            return;
        };
        self.passages = known;
        self.memory.forget(|key| file.number(key).is_some());
        let (path, vectors) = file.counts();
        self.counts = StoredCounts::read_ambient(&path, key, vectors).unwrap_or_default();
        self.file = Some(file);
    }

    /// Returns the passage counts of document versions, and the number of losses of vectors.
    pub(crate) fn passage_counts(
        &mut self,
        documents: &[Document],
    ) -> (Vec<Option<PassageCount>>, u64) {
        self.forget_counts_if_lossy();
        let counts = documents.iter().map(|one| self.counts.get(*one));
        (counts.collect(), self.losses)
    }

    /// Stores the passage counts of document versions, unless vectors were lost since `losses`.
    pub(crate) fn count(&mut self, losses: u64, documents: &[CountedDocument]) {
        self.forget_counts_if_lossy();
        if losses != self.losses {
            return;
        }
        for document in documents {
            self.counts.set(document);
        }
        self.write_counts();
    }

    fn forget_counts_if_lossy(&mut self) {
        let file = self.file.as_ref().map_or(0, VectorFile::losses);
        let losses = self.past_losses + self.memory.losses() + file;
        if losses != self.losses {
            self.losses = losses;
            self.counts = StoredCounts::default();
            self.write_counts();
        }
    }

    /// Writes the counts to their file. After a failure they are counted again.
    fn write_counts(&self) {
        if let (Some(file), Some(model)) = (&self.file, self.model)
            && file.is_ours()
        {
            let (path, vectors) = file.counts();
            let _ = self.counts.write_ambient(&path, model, vectors);
        }
    }

    /// Returns true if computed vectors are written for later programs.
    pub(crate) fn is_kept(&self) -> bool {
        self.file.as_ref().is_some_and(VectorFile::is_ours)
    }

    /// Returns true if the file had no room for some vectors.
    pub(crate) fn is_full(&self) -> bool {
        self.file.as_ref().is_some_and(VectorFile::is_full)
    }

    /// Writes the vectors of texts that were known at `moment` into the rows of `numbers`, records
    /// the current places of the texts, and returns the indices of the texts without a vector.
    pub(crate) fn fill(
        &mut self,
        texts: &[Asked<'_>],
        moment: Option<u64>,
        dimensions: usize,
        numbers: &mut [i8],
    ) -> Vec<usize> {
        let mut unknown = Vec::new();
        let mut moved = BTreeMap::new();
        let rows = numbers.chunks_exact_mut(dimensions);
        for (index, (text, row)) in texts.iter().zip(rows).enumerate() {
            if !self.fill_row(*text, moment, row, &mut moved) {
                unknown.push(index);
            }
        }
        self.keep(moved.into_values().collect());
        unknown
    }

    /// Writes the vector of a text into `row` if it is known. If the file has another place for the
    /// text, adds its current place to `moved`.
    fn fill_row(
        &mut self,
        (key, place): Asked<'_>,
        moment: Option<u64>,
        row: &mut [i8],
        moved: &mut BTreeMap<Key, Numbered>,
    ) -> bool {
        if let Some(vector) = self.memory.get(key, place, moment) {
            return copy_into(vector, row);
        }
        let Some(file) = &mut self.file else {
            return false;
        };
        let number = file.number(key);
        let Some(number) = number.filter(|number| is_known_at(*number, moment)) else {
            return false;
        };
        let Some((record, is_alive)) = file.get(key) else {
            return false;
        };
        let is_known = copy_into(&record.vector, row);
        if place.is_empty() || is_alive && *record.place == *place {
            // The same text may be at several places of one request. The last place wins; if it
            // is the one in the file, a change noted for an earlier one is withdrawn, and
            // nothing is written.
            moved.remove(&key);
        } else {
            let place = place.into();
            moved.insert(key, (VectorRecord { place, ..record }, number));
        }
        is_known
    }

    /// Stores vectors that a model computed for texts, unless they are known already.
    pub(crate) fn insert(&mut self, role: Role, fingerprint: &str, made: Vec<Made<'_>>) {
        let model = Key::for_model(fingerprint);
        let mut new = Vec::new();
        for Made { key, place, vector } in made {
            if self.is_known(key) || new.iter().any(|(record, _): &Numbered| record.key == key) {
                continue;
            }
            let record = VectorRecord {
                key,
                place: place.into(),
                vector: vector.into(),
            };
            let number = match role {
                Role::Query => 0,
                Role::Passage => {
                    self.passages += 1;
                    self.passages
                }
            };
            new.push((record, number));
        }
        // Vectors of queries are kept in memory only. A later program rarely gets the same
        // query again, and they would take the room of passages, which it does need.
        if role == Role::Passage && self.model == Some(model) {
            self.keep(new);
        } else {
            self.remember(model, new);
        }
    }

    fn is_known(&self, key: Key) -> bool {
        let file = self.file.as_ref();
        self.memory.has(key) || file.is_some_and(|file| file.number(key).is_some())
    }

    /// Stores vectors of the model whose file was opened: in the file, or else in memory.
    fn keep(&mut self, records: Vec<Numbered>) {
        let Some(model) = self.model else { return };
        let mut left = records;
        if let Some(file) = &mut self.file {
            left = file.append(left);
            for (record, _) in &left {
                // A record that the file did not accept is forgotten there, since memory has it
                // now. `nearest` compares with both, and a passage in both would be found
                // twice.
                file.forget(record.key);
            }
        }
        self.remember(model, left);
    }

    fn remember(&mut self, model: Key, records: Vec<Numbered>) {
        for (record, number) in records {
            self.memory.insert(CachedVector {
                model,
                record,
                number,
            });
        }
    }

    /// Returns the places, below `area`, of the passages of a model that were known at `moment` and
    /// are nearest to `vector`; and the moment.
    pub(crate) fn nearest(
        &mut self,
        fingerprint: &str,
        vector: &[i8],
        area: &str,
        most: usize,
        moment: Option<u64>,
    ) -> (Vec<String>, u64) {
        let moment = moment.unwrap_or(self.passages);
        let model = Key::for_model(fingerprint);
        let mut nearest = NearestVectors::new(vector, area, most);
        self.memory.offer(model, moment, &mut nearest);
        if let Some(file) = self.file.as_mut().filter(|_| self.model == Some(model)) {
            // Vectors that cannot be read count as unknown and are left out.
            let _ = file.offer(moment, &mut nearest);
        }
        (nearest.places(), moment)
    }
}

/// Copies a vector into a row, and returns true if their lengths are equal.
fn copy_into(vector: &[i8], row: &mut [i8]) -> bool {
    let is_as_long = vector.len() == row.len();
    if is_as_long {
        row.copy_from_slice(vector);
    }
    is_as_long
}

/// Returns a vector in its stored form: scaled to length 127, in integers; none if it is zero or
/// contains a number that is not finite.
pub(crate) fn whole_numbers(vector: &[f32]) -> Option<Vec<i8>> {
    let squares = vector.iter().map(|number| f64::from(*number).powi(2));
    let length = squares.sum::<f64>().sqrt();
    if !length.is_finite() || length < f64::from(f32::MIN_POSITIVE) {
        return None;
    }
    // No component exceeds the length of the vector, so each number is in -127..=127 and the
    // cast does not truncate.
    let whole = |number: &f32| (f64::from(*number) / length * 127.0).round() as i8;
    let numbers: Vec<i8> = vector.iter().map(whole).collect();
    numbers.iter().any(|number| *number != 0).then_some(numbers)
}

#[cfg(test)]
mod tests;
