//! The vectors that embedders gave, kept by the content of their texts, so that they outlive the
//! instances that asked for them.
//!
//! A vector goes by the digest of the model's fingerprint, the role and the text. No text is kept.
//! What was not used for longest is forgotten first.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};

use crate::embedder::Role;
use crate::limits::VECTOR_ENTRY_BYTES;
use crate::run::vector_file::{KEY_BYTES, Record};

/// What a vector goes by: the first half of a SHA-256. Whoever writes documents could make two texts
/// with the same weaker digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key(pub(crate) [u8; KEY_BYTES]);

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
}

/// A vector that is kept.
struct Kept {
    key: Key,
    /// Which model made it: the fingerprint of a fingerprint.
    model: Key,
    vector: Box<[i8]>,
    /// Where the text stood when it was last asked for; empty where that was not told.
    place: Box<str>,
    /// Which one of the passages it is that were ever kept, from 1; 0 for a question.
    number: u64,
    used: u64,
}

impl Kept {
    fn bytes(&self) -> usize {
        VECTOR_ENTRY_BYTES + self.vector.len() + self.place.len()
    }
}

/// Vectors within a budget of bytes.
pub(crate) struct Vectors {
    kept: Vec<Kept>,
    places: HashMap<Key, usize>,
    budget: usize,
    bytes: usize,
    /// Passages that were ever kept.
    passages: u64,
    clock: u64,
}

impl Vectors {
    /// Returns no vectors yet, and room for so many bytes of them.
    pub(crate) fn new(budget: usize) -> Self {
        Self {
            kept: Vec::new(),
            places: HashMap::new(),
            budget,
            bytes: 0,
            passages: 0,
            clock: 0,
        }
    }

    /// Returns a vector that was known at `moment`, and notes where its text stands now.
    pub(crate) fn get(&mut self, key: Key, place: &str, moment: Option<u64>) -> Option<&[i8]> {
        let index = *self.places.get(&key)?;
        let kept = &mut self.kept[index];
        if moment.is_some_and(|moment| kept.number > moment) {
            return None;
        }
        self.clock += 1;
        kept.used = self.clock;
        let bytes = self.bytes - kept.place.len() + place.len();
        if !place.is_empty() && *kept.place != *place && bytes <= self.budget {
            self.bytes = bytes;
            kept.place = place.into();
        }
        Some(&kept.vector)
    }

    /// Keeps the vector of a text that stands at `place`, and returns whether it was unknown.
    pub(crate) fn insert(
        &mut self,
        (key, role): (Key, Role),
        fingerprint: &str,
        vector: &[i8],
        place: &str,
    ) -> bool {
        if self.places.contains_key(&key) {
            return false;
        }
        let number = match role {
            Role::Query => 0,
            Role::Passage => {
                self.passages += 1;
                self.passages
            }
        };
        self.clock += 1;
        let kept = Kept {
            key,
            model: model_key(fingerprint),
            vector: vector.into(),
            place: place.into(),
            number,
            used: self.clock,
        };
        if kept.bytes() <= self.budget {
            self.make_room(kept.bytes());
            self.bytes += kept.bytes();
            self.places.insert(key, self.kept.len());
            self.kept.push(kept);
        }
        true
    }

    /// Returns how many passages of a model are kept.
    pub(crate) fn count(&self, fingerprint: &str) -> usize {
        self.passages_of(fingerprint).count()
    }

    /// Returns the passages of a model that are kept, in the order in which they became known.
    pub(crate) fn records(&self, fingerprint: &str) -> Vec<Record> {
        let mut kept: Vec<&Kept> = self.passages_of(fingerprint).collect();
        kept.sort_by_key(|kept| kept.number);
        let record = |kept: &Kept| Record {
            key: kept.key.0,
            place: kept.place.clone(),
            vector: kept.vector.clone(),
        };
        kept.into_iter().map(record).collect()
    }

    fn passages_of(&self, fingerprint: &str) -> impl Iterator<Item = &Kept> {
        let model = model_key(fingerprint);
        let kept = self.kept.iter();
        kept.filter(move |kept| kept.number > 0 && kept.model == model)
    }

    /// Forgets what was not used for longest, so that so many bytes have room.
    fn make_room(&mut self, bytes: usize) {
        if self.bytes + bytes <= self.budget {
            return;
        }
        // A tenth at once: to find the oldest is to look at all.
        let least = self.budget - bytes;
        let target = least.min(self.budget / 10 * 9);
        self.kept.sort_by_key(|kept| std::cmp::Reverse(kept.used));
        while self.bytes > target
            && let Some(kept) = self.kept.pop()
        {
            self.bytes -= kept.bytes();
        }
        let kept = self.kept.iter().enumerate();
        self.places = kept.map(|(index, kept)| (kept.key, index)).collect();
    }

    /// Returns the places of the passages of a model that were known at `moment` and are nearest to
    /// `vector`, of those that begin with `area`, and the moment.
    pub(crate) fn nearest(
        &self,
        fingerprint: &str,
        vector: &[i8],
        area: &str,
        most: usize,
        moment: Option<u64>,
    ) -> (Vec<String>, u64) {
        let moment = moment.unwrap_or(self.passages);
        let model = model_key(fingerprint);
        let mut near: Vec<(i32, &str)> = self
            .kept
            .iter()
            .filter(|kept| (1..=moment).contains(&kept.number) && kept.model == model)
            .filter(|kept| kept.place.starts_with(area) && kept.vector.len() == vector.len())
            .map(|kept| (product(vector, &kept.vector), &*kept.place))
            .collect();
        let nearest_first = |a: &(i32, &str), b: &(i32, &str)| b.0.cmp(&a.0).then(a.1.cmp(b.1));
        if near.len() > most && most > 0 {
            near.select_nth_unstable_by(most - 1, nearest_first);
        }
        near.truncate(most);
        near.sort_by(nearest_first);
        let places = near.into_iter().map(|(_, place)| place.to_owned());
        (places.collect(), moment)
    }
}

/// Returns what a model goes by.
pub(crate) fn model_key(fingerprint: &str) -> Key {
    Key::new(fingerprint, Role::Passage, "")
}

/// Returns the product of two vectors: unit vectors times 127, so that it orders as the cosine does.
fn product(a: &[i8], b: &[i8]) -> i32 {
    // At most 4096 · 128 · 128.
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
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
mod tests {
    use super::*;

    fn key(text: &str) -> (Key, Role) {
        (Key::new("m", Role::Passage, text), Role::Passage)
    }

    fn with(texts: &[(&str, [i8; 2])], budget: usize) -> Vectors {
        let mut vectors = Vectors::new(budget);
        for (text, vector) in texts {
            vectors.insert(key(text), "m", vector, &format!("docs\n{text}"));
        }
        vectors
    }

    #[test]
    fn kept_by_model_role_and_text() {
        let mut vectors = with(&[("a", [1, 2])], 10_000);
        assert_eq!(vectors.get(key("a").0, "", None), Some(&[1, 2][..]));
        for other in [
            Key::new("n", Role::Passage, "a"),
            Key::new("m", Role::Query, "a"),
            Key::new("m", Role::Passage, "b"),
            Key::new("mp", Role::Passage, "a"),
        ] {
            assert_eq!(vectors.get(other, "", None), None);
        }
    }

    #[test]
    fn the_nearest_of_an_area_and_a_moment() {
        let mut vectors = with(&[("a", [127, 0]), ("b", [90, 90]), ("c", [0, 127])], 10_000);
        let near = |vectors: &Vectors, most, moment| {
            vectors.nearest("m", &[127, 10], "docs\n", most, moment)
        };
        let places = |names: &[&str]| -> Vec<String> {
            names.iter().map(|name| format!("docs\n{name}")).collect()
        };
        assert_eq!(near(&vectors, 9, None), (places(&["a", "b", "c"]), 3));
        assert_eq!(near(&vectors, 1, None), (places(&["a"]), 3));
        assert_eq!(near(&vectors, 9, Some(2)), (places(&["a", "b"]), 2));
        assert_eq!(near(&vectors, 0, None), (Vec::new(), 3));
        assert!(
            vectors
                .nearest("n", &[127, 10], "docs\n", 9, None)
                .0
                .is_empty()
        );
        assert!(
            vectors
                .nearest("m", &[127, 10], "notes\n", 9, None)
                .0
                .is_empty()
        );
        assert!(vectors.nearest("m", &[1], "docs\n", 9, None).0.is_empty());
        assert_eq!(vectors.get(key("c").0, "", Some(2)), None);
        // A text that has moved is told where it stands now.
        vectors.get(key("a").0, "docs\nz", None);
        assert_eq!(near(&vectors, 1, None).0, places(&["z"]));
        // A question is no passage.
        let question = (Key::new("m", Role::Query, "q"), Role::Query);
        vectors.insert(question, "m", &[127, 10], "");
        assert_eq!(vectors.nearest("m", &[127, 10], "", 9, None).0.len(), 3);
        assert_eq!(vectors.nearest("m", &[127, 10], "", 9, None).1, 3);
        assert_eq!((vectors.count("m"), vectors.count("n")), (3, 0));
        let kept = vectors.records("m").into_iter();
        let kept: Vec<String> = kept.map(|record| record.place.to_string()).collect();
        assert_eq!(kept, places(&["z", "b", "c"]));
    }

    #[test]
    fn the_oldest_goes_first_and_the_budget_is_kept() {
        let mut vectors = Vectors::new(100 * VECTOR_ENTRY_BYTES);
        for number in 0..1000 {
            vectors.insert(key(&number.to_string()), "m", &[1; 40], "docs\na");
            vectors.get(key("0").0, "", None);
            assert!(vectors.bytes <= vectors.budget);
            let bytes: usize = vectors.kept.iter().map(Kept::bytes).sum();
            assert_eq!(bytes, vectors.bytes);
        }
        assert!(vectors.get(key("0").0, "", None).is_some());
        assert!(vectors.get(key("999").0, "", None).is_some());
        assert!(vectors.get(key("1").0, "", None).is_none());
        assert!(vectors.kept.len() > 40);
        vectors.insert(key("huge"), "m", &vec![1; 200 * VECTOR_ENTRY_BYTES], "");
        vectors.get(key("999").0, &"x".repeat(200 * VECTOR_ENTRY_BYTES), None);
        assert!(vectors.bytes <= vectors.budget);
        assert!(vectors.get(key("999").0, "", None).is_some());
    }

    #[test]
    fn whole_numbers_of_what_has_a_direction() {
        assert_eq!(whole_numbers(&[3.0, 4.0]), Some(vec![76, 102]));
        assert_eq!(whole_numbers(&[-1e-20, 0.0]), Some(vec![-127, 0]));
        assert_eq!(whole_numbers(&[f32::MAX, f32::MAX]), Some(vec![90, 90]));
        for none in [
            &[][..],
            &[0.0, 0.0],
            &[f32::NAN, 1.0],
            &[f32::INFINITY, 1.0],
        ] {
            assert_eq!(whole_numbers(none), None, "{none:?}");
        }
    }
}
