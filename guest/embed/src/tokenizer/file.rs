//! The content of `tokenizer.json`, whose vocabulary is parsed directly into a table.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::vocabulary::Vocabulary;

/// Maximum tokens, so that their indices fit their numbers.
const MOST_PIECES: usize = 1_000_000;

#[derive(Deserialize)]
pub(super) struct TokenizerFile {
    pub(super) model: TokenizerModel,
    pub(super) normalizer: Option<Normalizer>,
    #[serde(default)]
    pub(super) added_tokens: Vec<AddedToken>,
}

#[derive(Deserialize)]
pub(super) struct AddedToken {
    pub(super) id: u32,
    #[serde(default)]
    pub(super) special: bool,
}

#[derive(Deserialize)]
pub(super) struct TokenizerModel {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) vocab: Pieces,
    pub(super) unk_token: Option<String>,
    pub(super) continuing_subword_prefix: Option<String>,
    pub(super) max_input_chars_per_word: Option<usize>,
    pub(super) unk_id: Option<u32>,
}

/// A normalization step, or a sequence of steps; fields that a type does not have are `None`.
#[derive(Deserialize)]
pub(super) struct Normalizer {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) normalizers: Vec<Normalizer>,
    pub(super) precompiled_charsmap: Option<String>,
    pub(super) clean_text: Option<bool>,
    pub(super) handle_chinese_chars: Option<bool>,
    pub(super) strip_accents: Option<bool>,
    pub(super) lowercase: Option<bool>,
}

/// A vocabulary, with the score of each token if tokens have scores.
#[derive(Default)]
pub(super) struct Pieces {
    pub(super) vocabulary: Vocabulary,
    pub(super) scores: Vec<f32>,
}

impl<'de> Deserialize<'de> for Pieces {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PiecesVisitor)
    }
}

struct PiecesVisitor;

impl<'de> Visitor<'de> for PiecesVisitor {
    type Value = Pieces;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("pieces with their numbers, or with their scores")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pieces, A::Error> {
        let mut vocabulary = Vocabulary::default();
        let mut count = 0;
        while let Some((piece, id)) = map.next_entry::<std::borrow::Cow<'de, str>, u32>()? {
            check(&mut count)?;
            vocabulary.push(&piece, id);
        }
        let scores = Vec::new();
        Ok(Pieces { vocabulary, scores })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Pieces, A::Error> {
        let mut vocabulary = Vocabulary::default();
        let mut scores = Vec::new();
        let mut count = 0;
        while let Some((piece, score)) = seq.next_element::<(std::borrow::Cow<'de, str>, f64)>()? {
            let id = check(&mut count)?;
            if score.is_nan() || score.abs() > 1e6 {
                return Err(A::Error::custom("a piece scores beyond a million"));
            }
            vocabulary.push(&piece, id);
            scores.push(score as f32);
        }
        Ok(Pieces { vocabulary, scores })
    }
}

fn check<E: Error>(count: &mut usize) -> Result<u32, E> {
    if *count >= MOST_PIECES {
        return Err(E::custom(format!("more than {MOST_PIECES} pieces")));
    }
    *count += 1;
    Ok(*count as u32 - 1)
}
