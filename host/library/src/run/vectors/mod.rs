//! The vectors that embedders gave, kept by the content of their texts, so that they outlive the
//! instances that asked for them.
//!
//! A vector goes by the digest of the model's fingerprint, the role and the text. No text is kept.
//! Those of passages stand in a file, which is read when one of them is asked for; in memory are
//! those that no file takes, and what questions are compared with, as far as there is room.

mod counts;
mod file;
mod index;
mod memory;
mod nearest;
mod record;
mod removal;
mod resident;

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::contract::docent::docent::embed::{CountedDocument, Document, PassageCount};
use crate::embedder::{Model, Role};
use counts::PassageCounts;
use file::{Numbered, Room, VectorFile};
use memory::{Kept, Memory};
use nearest::Nearest;
use record::Record;

pub use removal::remove_vectors_ambient;

/// Bytes of a key.
const KEY_BYTES: usize = 16;

/// What a vector goes by: the first half of a SHA-256. Whoever writes documents could make two texts
/// with the same weaker digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key([u8; KEY_BYTES]);

impl Key {
    /// Returns what the vector of a text goes by.
    pub(crate) fn new(fingerprint: &str, role: Role, text: &str) -> Self {
        let role: &[u8] = match role {
            Role::Query => b"query",
            Role::Passage => b"passage",
        };
        let mut hash = Sha256::new();
        for part in [fingerprint.as_bytes(), role, text.as_bytes()] {
            // Lengths first, so that no part runs over into the next.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let mut key = [0; KEY_BYTES];
        key.copy_from_slice(&hash.finalize()[..KEY_BYTES]);
        Self(key)
    }

    /// Returns what a model goes by.
    fn of_model(fingerprint: &str) -> Self {
        Self::new(fingerprint, Role::Passage, "")
    }
}

/// A text whose vector is asked for: what it goes by, and where it stands.
pub(crate) type Asked<'a> = (Key, &'a str);

/// A vector that was made, of a text.
pub(crate) struct Made<'a> {
    /// What it goes by.
    pub(crate) key: Key,
    /// Where the text stands.
    pub(crate) place: &'a str,
    /// The vector.
    pub(crate) vector: Vec<i8>,
}

/// Vectors in memory and in the file of a model.
pub(crate) struct Vectors {
    memory: Memory,
    /// Which model's file was looked for last.
    model: Option<Key>,
    /// None where there is none.
    file: Option<VectorFile>,
    room: Room,
    /// Passages that ever became known.
    passages: u64,
    counts: PassageCounts,
    /// How often vectors were forgotten when counts were looked at last.
    losses: u64,
    /// How often those of files that are not used any more were.
    past_losses: u64,
}

impl Vectors {
    /// Returns no vectors yet, and room for so many bytes of them in memory, and in the file of a
    /// model.
    pub(crate) fn new(memory_bytes: usize, file_bytes: u64) -> Self {
        Self {
            memory: Memory::new(memory_bytes),
            model: None,
            file: None,
            room: Room::new(file_bytes),
            passages: 0,
            counts: PassageCounts::default(),
            losses: 0,
            past_losses: 0,
        }
    }

    /// Has the vectors of a model kept in its file in `directory`, and the file of any other model
    /// left to others. What cannot be read is made again when it is asked for.
    pub(crate) fn open_file_ambient(&mut self, directory: &Path, model: &Model) {
        let key = Key::of_model(&model.fingerprint);
        if self.model == Some(key) {
            return;
        }
        self.model = Some(key);
        // What is known of another model is another matter.
        self.past_losses += 1 + self.file.as_ref().map_or(0, VectorFile::losses);
        // First the old one: it may be the same, whose lock is given back.
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
        self.counts = PassageCounts::read_ambient(&path, key, vectors).unwrap_or_default();
        self.file = Some(file);
    }

    /// Returns how many passages versions of documents have, and how often vectors were forgotten.
    pub(crate) fn counted(&mut self, documents: &[Document]) -> (Vec<Option<PassageCount>>, u64) {
        self.forget_counts_if_lossy();
        let counts = documents.iter().map(|one| self.counts.get(*one));
        (counts.collect(), self.losses)
    }

    /// Keeps how many passages versions of documents have, unless vectors were forgotten since `losses`.
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
            self.counts = PassageCounts::default();
            self.write_counts();
        }
    }

    /// Writes the counts where they are kept. What cannot be written is counted again.
    fn write_counts(&self) {
        if let (Some(file), Some(model)) = (&self.file, self.model)
            && file.is_ours()
        {
            let (path, vectors) = file.counts();
            let _ = self.counts.write_ambient(&path, model, vectors);
        }
    }

    /// Whether what is made is written for later programs.
    pub(crate) fn is_kept(&self) -> bool {
        self.file.as_ref().is_some_and(VectorFile::is_ours)
    }

    /// Whether the file had no room for what was made.
    pub(crate) fn is_full(&self) -> bool {
        self.file.as_ref().is_some_and(VectorFile::is_full)
    }

    /// Writes the vectors of texts that were known at `moment` into the rows of `numbers`, notes where
    /// their texts stand now, and returns the indices of the texts that have none.
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

    /// Writes the vector of a text into `row`, if it is known, and into `moved` where the text stands
    /// if the file says otherwise.
    fn fill_row(
        &mut self,
        (key, place): Asked<'_>,
        moment: Option<u64>,
        row: &mut [i8],
        moved: &mut BTreeMap<Key, Numbered>,
    ) -> bool {
        if let Some(vector) = self.memory.get(key, place, moment) {
            return copied(vector, row);
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
        let is_known = copied(&record.vector, row);
        if place.is_empty() || is_alive && *record.place == *place {
            // Of several places that were told it is the last.
            moved.remove(&key);
        } else {
            let place = place.into();
            moved.insert(key, (Record { place, ..record }, number));
        }
        is_known
    }

    /// Keeps vectors that a model made of texts, if they are not known already.
    pub(crate) fn insert(&mut self, role: Role, fingerprint: &str, made: Vec<Made<'_>>) {
        let model = Key::of_model(fingerprint);
        let mut new = Vec::new();
        for Made { key, place, vector } in made {
            if self.is_known(key) || new.iter().any(|(record, _): &Numbered| record.key == key) {
                continue;
            }
            let record = Record {
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
        // Questions are not written: they are asked by others, and not again.
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

    /// Keeps vectors of the model whose file was looked for: there, else in memory.
    fn keep(&mut self, records: Vec<Numbered>) {
        let Some(model) = self.model else { return };
        let mut left = records;
        if let Some(file) = &mut self.file {
            left = file.append(left);
            for (record, _) in &left {
                // It is known in one of the two.
                file.forget(record.key);
            }
        }
        self.remember(model, left);
    }

    fn remember(&mut self, model: Key, records: Vec<Numbered>) {
        for (record, number) in records {
            self.memory.insert(Kept {
                model,
                record,
                number,
            });
        }
    }

    /// Returns the places of the passages of a model that were known at `moment` and are nearest to
    /// `vector`, of those that begin with `area`, and the moment.
    pub(crate) fn nearest(
        &mut self,
        fingerprint: &str,
        vector: &[i8],
        area: &str,
        most: usize,
        moment: Option<u64>,
    ) -> (Vec<String>, u64) {
        let moment = moment.unwrap_or(self.passages);
        let model = Key::of_model(fingerprint);
        let mut nearest = Nearest::new(vector, area, most);
        self.memory.offer(model, moment, &mut nearest);
        if let Some(file) = self.file.as_mut().filter(|_| self.model == Some(model)) {
            // What cannot be read is not known.
            let _ = file.offer(moment, &mut nearest);
        }
        (nearest.places(), moment)
    }
}

/// Whether the passage with this number was known at a moment.
fn is_known_at(number: u64, moment: Option<u64>) -> bool {
    moment.is_none_or(|moment| number <= moment)
}

/// Copies a vector into a row of its length, and returns whether it has that.
fn copied(vector: &[i8], row: &mut [i8]) -> bool {
    let is_as_long = vector.len() == row.len();
    if is_as_long {
        row.copy_from_slice(vector);
    }
    is_as_long
}

/// Returns a vector as it is kept: of length 127, in whole numbers; none where it has no direction
/// or a number in it is none.
pub(crate) fn whole_numbers(vector: &[f32]) -> Option<Vec<i8>> {
    let squares = vector.iter().map(|number| f64::from(*number).powi(2));
    let length = squares.sum::<f64>().sqrt();
    if !length.is_finite() || length < f64::from(f32::MIN_POSITIVE) {
        return None;
    }
    // Within -127 to 127: no number is longer than its vector.
    let whole = |number: &f32| (f64::from(*number) / length * 127.0).round() as i8;
    let numbers: Vec<i8> = vector.iter().map(whole).collect();
    numbers.iter().any(|number| *number != 0).then_some(numbers)
}

#[cfg(test)]
mod tests;
