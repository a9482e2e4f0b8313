//! Passage counts: the number of passages of documents, and how many of them are unknown. With them
//! a query can report missing vectors without reading a document.
//!
//! Documents are identified by digests alone. The counts are valid until the vector of any passage
//! is forgotten; then all of them are dropped and counted again. They are stored in a file beside
//! the vectors, which is replaced as a whole. A file that is damaged, or that was written for a
//! longer vector file than the present one, counts as empty.
//!
//! The file consists of `MAGIC`, the model's key, the length in bytes of the vector file for which
//! the counts are valid, and the counts, followed by the checksum of all that. Numbers are
//! little-endian.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

use super::file::write_private;
use super::key::{KEY_BYTES, Key};
use super::record::checksum;
use crate::contract::docent::docent::embed::{CountedDocument, Document, PassageCount};
use crate::limits::COUNTED_DOCUMENTS;

/// Magic bytes at the start of the file.
const MAGIC: &[u8; 12] = b"docent cnt 1";

/// Bytes of one count: two digests and two numbers.
const COUNT_BYTES: usize = 8 + 8 + 4 + 4;

/// Bytes before the first count.
const HEAD_BYTES: usize = MAGIC.len() + KEY_BYTES + 8;

/// The counts of documents: at least the last [`COUNTED_DOCUMENTS`] that were set or requested.
#[derive(Debug, Default)]
pub(super) struct StoredCounts {
    young: HashMap<u64, (u64, PassageCount)>,
    /// Previous generation, replaced when the young one is full.
    old: HashMap<u64, (u64, PassageCount)>,
}

impl StoredCounts {
    /// Returns the count of a version of a document.
    pub(super) fn get(&mut self, document: Document) -> Option<PassageCount> {
        let Document { place, version } = document;
        let young = self.young.get(&place).copied();
        let kept = match young {
            Some(kept) => kept,
            None => {
                let kept = self.old.remove(&place)?;
                self.keep(place, kept);
                kept
            }
        };
        (kept.0 == version).then_some(kept.1)
    }

    /// Sets the count of a version of a document, replacing that of any other version.
    pub(super) fn set(&mut self, counted: &CountedDocument) {
        let Document { place, version } = counted.document;
        self.keep(place, (version, counted.count));
    }

    fn keep(&mut self, place: u64, kept: (u64, PassageCount)) {
        if self.young.len() >= COUNTED_DOCUMENTS && !self.young.contains_key(&place) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(place, kept);
    }

    /// Reads the counts from a file, if they belong to this model and are valid for a vector file
    /// of `vectors` bytes.
    pub(super) fn read_ambient(path: &Path, model: Key, vectors: u64) -> Option<Self> {
        let most = HEAD_BYTES + 2 * COUNTED_DOCUMENTS * COUNT_BYTES + 4;
        if fs::metadata(path).ok()?.len() > most as u64 {
            return None;
        }
        let bytes = fs::read(path).ok()?;
        let (counted, sum) = bytes.split_last_chunk()?;
        let rest = counted.strip_prefix(&MAGIC[..])?;
        let (key, rest) = rest.split_first_chunk::<KEY_BYTES>()?;
        let (end, rest) = rest.split_first_chunk()?;
        let is_true = checksum(counted) == u32::from_le_bytes(*sum)
            && *key == model.0
            // The counts hold for the vector file as it was. If its end was lost since, as
            // after a loss of power, vectors that count as known are no longer there, and all
            // counts are dropped.
            && u64::from_le_bytes(*end) <= vectors;
        let (counts, behind) = rest.as_chunks::<COUNT_BYTES>();
        if !is_true || !behind.is_empty() {
            return None;
        }
        let mut read = Self::default();
        for count in counts {
            read.set(&parse(count));
        }
        Some(read)
    }

    /// Replaces the file with these counts.
    ///
    /// # Errors
    /// The error of the system; the file is then unchanged.
    pub(super) fn write_ambient(&self, path: &Path, model: Key, vectors: u64) -> io::Result<()> {
        let counts = self.young.len() + self.old.len();
        let mut bytes = Vec::with_capacity(HEAD_BYTES + counts * COUNT_BYTES + 4);
        bytes.extend(MAGIC);
        bytes.extend(model.0);
        bytes.extend(vectors.to_le_bytes());
        // The old generation is written first. Reading inserts the counts in this order, so
        // those that were used last are again in the young generation.
        for (place, (version, count)) in self.old.iter().chain(&self.young) {
            bytes.extend(place.to_le_bytes());
            bytes.extend(version.to_le_bytes());
            bytes.extend(count.passages.to_le_bytes());
            bytes.extend(count.unknown.to_le_bytes());
        }
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        write_private(path, &bytes)
    }
}

fn parse(bytes: &[u8; COUNT_BYTES]) -> CountedDocument {
    let long = |at: usize| {
        let mut number = [0; 8];
        number.copy_from_slice(&bytes[at..at + 8]);
        u64::from_le_bytes(number)
    };
    let numbers = long(16);
    CountedDocument {
        document: Document {
            place: long(0),
            version: long(8),
        },
        count: PassageCount {
            passages: numbers as u32,
            unknown: (numbers >> 32) as u32,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(place: u64, version: u64, unknown: u32) -> CountedDocument {
        let passages = 7;
        CountedDocument {
            document: Document { place, version },
            count: PassageCount { passages, unknown },
        }
    }

    fn unknown(counts: &mut StoredCounts, place: u64, version: u64) -> Option<u32> {
        let count = counts.get(Document { place, version });
        count.map(|count| count.unknown)
    }

    #[test]
    fn a_new_version_takes_the_place_of_the_one_before() {
        let mut counts = StoredCounts::default();
        counts.set(&counted(1, 1, 3));
        assert_eq!(unknown(&mut counts, 1, 1), Some(3));
        assert_eq!(unknown(&mut counts, 1, 2), None);
        counts.set(&counted(1, 2, 0));
        assert_eq!(unknown(&mut counts, 1, 1), None);
        assert_eq!(unknown(&mut counts, 1, 2), Some(0));
    }

    #[test]
    fn what_was_not_asked_for_longest_goes_first() {
        let mut counts = StoredCounts::default();
        for place in 0..2 * COUNTED_DOCUMENTS as u64 + 1 {
            counts.set(&counted(place, 1, 0));
            assert_eq!(unknown(&mut counts, 0, 1), Some(0));
            assert!(counts.young.len() <= COUNTED_DOCUMENTS);
        }
        assert_eq!(unknown(&mut counts, 1, 1), None);
    }

    #[test]
    fn a_file_holds_what_is_true_or_nothing() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a.counts");
        let model = Key([7; KEY_BYTES]);
        let mut counts = StoredCounts::default();
        for place in 0..9 {
            counts.set(&counted(place, place + 1, place as u32));
        }
        assert!(StoredCounts::read_ambient(&path, model, 100).is_none());
        counts.write_ambient(&path, model, 100).unwrap();
        let mut read = StoredCounts::read_ambient(&path, model, 100).unwrap();
        for place in 0..9 {
            assert_eq!(unknown(&mut read, place, place + 1), Some(place as u32));
        }
        // Vectors were added since, or lost.
        assert!(StoredCounts::read_ambient(&path, model, 101).is_some());
        assert!(StoredCounts::read_ambient(&path, model, 99).is_none());
        assert!(StoredCounts::read_ambient(&path, Key([8; KEY_BYTES]), 100).is_none());
        let whole = fs::read(&path).unwrap();
        for index in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[index] ^= 1;
            fs::write(&path, &damaged).unwrap();
            let read = StoredCounts::read_ambient(&path, model, 100);
            assert!(read.is_none(), "{index}");
            fs::write(&path, &whole[..index]).unwrap();
            let read = StoredCounts::read_ambient(&path, model, 100);
            assert!(read.is_none(), "{index}");
        }
    }
}
