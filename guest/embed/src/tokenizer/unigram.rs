//! Unigram tokenization: the split of a word with the highest total score.

use std::collections::BTreeSet;

use super::charsmap::Charsmap;
use super::file::Normalizer;
use crate::vocabulary::{FnvHash, Vocabulary};

/// The sign for the space before a word.
const SPACE: char = '▁';

/// Penalty of an unknown character relative to the lowest score.
const UNKNOWN: f32 = 10.0;

/// A Unigram tokenizer.
pub(super) struct Unigram {
    charsmap: Option<Charsmap>,
    scores: Vec<f32>,
    unknown: u32,
    unknown_score: f32,
    /// Special tokens, which a text must not be able to spell.
    special: BTreeSet<u32>,
}

/// The best split up to a position in a word.
#[derive(Clone, Copy)]
struct BestSplit {
    score: f32,
    from: usize,
    id: u32,
}

impl Unigram {
    pub(super) fn new(
        normalizer: &Option<Normalizer>,
        scores: Vec<f32>,
        unknown: u32,
        mut special: BTreeSet<u32>,
    ) -> Result<Self, String> {
        let mut charsmap = None;
        let mut steps: Vec<&Normalizer> = normalizer.iter().collect();
        while let Some(step) = steps.pop() {
            match (step.kind.as_str(), &step.precompiled_charsmap) {
                ("Sequence", _) => steps.extend(&step.normalizers),
                ("Precompiled", Some(map)) => charsmap = Some(Charsmap::read(map)?),
                // These steps only change spaces. Here any number of spaces separates two words,
                // so that they have nothing to do.
                ("Replace" | "Strip", _) => {}
                (other, _) => {
                    return Err(format!(
                        "it normalises by `{other}`; expected `Precompiled`"
                    ));
                }
            }
        }
        special.insert(unknown);
        let least = scores
            .iter()
            .fold(f32::MAX, |least, &score| least.min(score));
        Ok(Self {
            charsmap,
            unknown_score: least - UNKNOWN,
            scores,
            unknown,
            special,
        })
    }

    /// Appends the tokens of a text until there are at least `most`; may exceed it slightly.
    pub(super) fn cut(
        &self,
        vocabulary: &Vocabulary,
        text: &str,
        most: usize,
        tokens: &mut Vec<u32>,
    ) {
        let mapped;
        let text = match &self.charsmap {
            Some(charsmap) => {
                mapped = charsmap.apply(text);
                &mapped
            }
            None => text,
        };
        let mut word = String::new();
        for part in text.split_whitespace() {
            // A literal space sign begins a word as well.
            for part in part.split(SPACE) {
                if tokens.len() >= most {
                    return;
                }
                word.clear();
                word.push(SPACE);
                word.push_str(part);
                self.cut_word(vocabulary, &word, tokens);
            }
        }
    }

    fn cut_word(&self, vocabulary: &Vocabulary, word: &str, tokens: &mut Vec<u32>) {
        let mut bounds: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
        bounds.push(word.len());
        let nowhere = BestSplit {
            score: f32::NEG_INFINITY,
            from: 0,
            id: self.unknown,
        };
        let mut ways = vec![nowhere; bounds.len()];
        ways[0].score = 0.0;
        for start in 0..bounds.len() - 1 {
            let score = ways[start].score;
            let mut reach = |end: usize, way: BestSplit| {
                if way.score > ways[end].score {
                    ways[end] = way;
                }
            };
            let mut hash = FnvHash::EMPTY;
            let mut is_one_known = false;
            // No token is longer than the longest of the vocabulary. With this bound the time is
            // in proportion to the word, which in a text without spaces is the whole text. Only
            // the best split up to each position is kept (the algorithm of Viterbi).
            let last = bounds.len().min(start + vocabulary.longest() + 1);
            for end in start + 1..last {
                hash = hash.with(&word.as_bytes()[bounds[end - 1]..bounds[end]]);
                let piece = &word.as_bytes()[bounds[start]..bounds[end]];
                let id = vocabulary.find(hash, piece);
                // A text may contain `</s>` or `<mask>` literally. If it became the special
                // token, a document could end its own text for the model or change how the rest
                // is read.
                let Some(id) = id.filter(|id| !self.special.contains(id)) else {
                    continue;
                };
                is_one_known |= end == start + 1;
                let way = BestSplit {
                    score: score + self.scores[id as usize],
                    from: start,
                    id,
                };
                reach(end, way);
            }
            if !is_one_known {
                let way = BestSplit {
                    score: score + self.unknown_score,
                    from: start,
                    id: self.unknown,
                };
                reach(start + 1, way);
            }
        }
        let first = tokens.len();
        let mut end = bounds.len() - 1;
        while end > 0 {
            let way = ways[end];
            // Consecutive unknown characters are one token.
            let continues = way.id == self.unknown && tokens[first..].last() == Some(&way.id);
            if !continues {
                tokens.push(way.id);
            }
            end = way.from;
        }
        tokens[first..].reverse();
    }
}
