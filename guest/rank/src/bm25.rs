//! The ranked score: BM25F, by Robertson, Zaragoza and Taylor, "Simple BM25 Extension to Multiple
//! Weighted Fields", 2004. What an occurrence counts depends on where it stands
//! ([`crate::statistics::weight`]), and the sum saturates.

use crate::statistics::{self, weight};
use docent_text::limits::SLICE_BYTES;
use docent_text::lines::slices;
use docent_text::patience::Pace;
use docent_text::words::terms::{Form, Initials, Term, each_term};

/// How soon further occurrences stop to count. Chosen on the evaluation's development half, where
/// anything from 1.2 to 3 does nearly as well.
const K1: f64 = 1.8;

/// How much a long text is held to need more occurrences. Chosen likewise, from 0.6 to 0.9.
const B: f64 = 0.8;

/// The different terms of a query, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    terms: Vec<Term>,
    initials: Initials,
}

/// Texts that are ranked together: how many, how long, and how many hold each term of the query.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    texts: u32,
    /// Their length in words, in all.
    length: u64,
    /// How many texts hold each term.
    document_frequencies: Vec<u32>,
}

/// What the terms of a query are worth in a collection.
#[derive(Debug)]
pub struct Ranking {
    /// Of each term: how rare it is, and how much of a word.
    term_weights: Vec<f64>,
    mean_length: f64,
    /// No sum over the terms reaches it.
    max_score: f64,
}

impl Query {
    /// Returns the terms of `text`.
    pub fn new(text: &str) -> Self {
        let mut terms: Vec<Term> = Vec::new();
        each_term(text, &Initials::ALL, |term| {
            if !terms.contains(&term) {
                terms.push(term);
            }
        });
        Self {
            terms,
            initials: Initials::of(text),
        }
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the terms.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Returns how often its terms stand in `text`, all together; none when the time is over.
    pub fn hits_within(&self, text: &str, pace: &mut Pace<'_>) -> Option<u32> {
        let mut counts = vec![0; self.terms.len()];
        for slice in slices(text, SLICE_BYTES) {
            if pace.is_over() {
                return None;
            }
            self.count_plain(slice, 1, &mut counts);
            pace.is_over_after(slice.len());
        }
        let sum = |sum: u32, count| sum.saturating_add(count);
        Some(counts.into_iter().fold(0, sum))
    }

    /// Adds to `counts`, which has a place for each term, what `text` holds.
    pub fn count_plain(&self, text: &str, weight: u32, counts: &mut [u32]) {
        each_term(text, &self.initials, |term| {
            self.count(term, weight, counts)
        });
    }

    /// Adds to `counts` what a Markdown text holds, as far as there is time, and returns its length
    /// in words.
    pub fn count_text(&self, text: &str, counts: &mut [u32], pace: &mut Pace<'_>) -> u32 {
        let mut length = 0;
        statistics::each_weighted_term(text, &self.initials, pace, |term, weight| {
            length += weight * statistics::word_tenths(term.form);
            self.count(term, weight, counts);
        });
        length / (weight::BODY * statistics::word_tenths(Form::Word))
    }

    /// Returns what its terms begin with.
    pub fn initials(&self) -> &Initials {
        &self.initials
    }

    /// Returns the place of a term among those of the query.
    pub fn place(&self, term: Term) -> Option<usize> {
        // Most terms of a text begin unlike any of the query, and are given as this one.
        if term == Term::OTHER {
            return None;
        }
        // A query has a handful of terms: no map is faster.
        self.terms.iter().position(|own| *own == term)
    }

    fn count(&self, term: Term, weight: u32, counts: &mut [u32]) {
        if let Some(at) = self.place(term) {
            counts[at] = counts[at].saturating_add(weight);
        }
    }
}

impl Collection {
    /// Adds a text of so many words that holds what `counts` says of each term; of none where that
    /// is empty.
    pub fn add(&mut self, length: u32, counts: &[u32]) {
        self.texts += 1;
        self.length += u64::from(length);
        let terms = self.document_frequencies.len().max(counts.len());
        self.document_frequencies.resize(terms, 0);
        for (frequency, count) in self.document_frequencies.iter_mut().zip(counts) {
            *frequency += u32::from(*count > 0);
        }
    }

    /// Returns how many texts there are.
    pub fn texts(&self) -> u32 {
        self.texts
    }

    /// Returns how many texts hold the term of this index.
    pub fn document_frequency(&self, term: usize) -> u32 {
        self.document_frequencies.get(term).copied().unwrap_or(0)
    }

    /// Returns the mean length in words, at least 1.
    pub fn mean_length(&self) -> f64 {
        // Exact: lengths in all are far below 2^53.
        (self.length as f64 / f64::from(self.texts.max(1))).max(1.0)
    }

    /// Returns what the terms of `query` are worth here, for texts that are `mean_length` words
    /// long on average.
    pub fn rank(&self, query: &Query, mean_length: f64) -> Ranking {
        let weight = |(index, term): (usize, &Term)| {
            let frequency = f64::from(self.document_frequency(index));
            let rarity = (f64::from(self.texts) - frequency + 0.5) / (frequency + 0.5);
            let form = f64::from(statistics::word_tenths(term.form)) / 10.0;
            // One is added, as Lucene does: without it a term that most texts hold would count
            // against those that hold it.
            form * ln(1.0 + rarity)
        };
        let term_weights: Vec<f64> = query.terms.iter().enumerate().map(weight).collect();
        // What a text of no length would have that holds every term without end.
        let max_score = term_weights.iter().sum::<f64>() * (K1 + 1.0);
        Ranking {
            term_weights,
            mean_length,
            max_score,
        }
    }
}

impl Ranking {
    /// Returns the score of a text of so many words that holds what `counts` says, in quarters:
    /// above 0 when it holds a term, and below 1, which no number of occurrences reaches.
    pub fn score(&self, length: u32, counts: &[u32]) -> f64 {
        let norm = K1 * (1.0 - B + B * f64::from(length) / self.mean_length);
        let mut sum = 0.0;
        for (weight, &count) in self.term_weights.iter().zip(counts) {
            let occurrences = f64::from(count) / f64::from(weight::BODY);
            sum += weight * occurrences * (K1 + 1.0) / (occurrences + norm);
        }
        if self.max_score > 0.0 {
            sum / self.max_score
        } else {
            0.0
        }
    }
}

/// Returns the natural logarithm of a number from 1 on, to about 14 digits: by arithmetic alone, so
/// that it is the same on every machine.
fn ln(number: f64) -> f64 {
    let (mut fraction, mut doublings) = (number, 0u32);
    // Between 1 and the root of 2 the series below needs nine terms for 14 digits.
    while fraction > std::f64::consts::SQRT_2 {
        fraction /= 2.0;
        doublings += 1;
    }
    // ln x = 2 artanh ((x - 1) / (x + 1)); the ratio is at most 0.172.
    let ratio = (fraction - 1.0) / (fraction + 1.0);
    let square = ratio * ratio;
    let mut sum = 0.0;
    for odd in (1..=17).rev().step_by(2) {
        sum = sum * square + 1.0 / f64::from(odd);
    }
    2.0 * ratio * sum + f64::from(doublings) * std::f64::consts::LN_2
}

/// Returns a score as answers show it, with four digits.
pub fn rounded_score(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms() {
        for number in [1.0, 1.000_1, 1.4, 1.5, 2.0, 3.0, 10.0, 1234.5, 1e9] {
            assert!((ln(number) - number.ln()).abs() < 1e-12, "{number}");
        }
    }

    /// Two texts of four words on average; by hand: ln(1 + 1.5 / 1.5) · 1 / (1 + 1.8 · (0.2 + 0.8 ·
    /// 1)).
    #[test]
    fn golden() {
        let query = Query::new("port");
        let mut collection = Collection::default();
        let texts = ["the port is open", "the door is shut"];
        let counted = texts.map(|text| {
            let mut counts = [0];
            let length = query.count_text(text, &mut counts, &mut Pace::endless());
            collection.add(length, &counts);
            (length, counts)
        });
        assert_eq!(counted, [(4, [4]), (4, [0])]);
        let ranking = collection.rank(&query, collection.mean_length());
        assert!((ranking.term_weights[0] - std::f64::consts::LN_2).abs() < 1e-12);
        assert_eq!(rounded_score(ranking.score(4, &[4])), 0.3571);
        assert_eq!(ranking.score(4, &[0]), 0.0);
        assert_eq!(rounded_score(ranking.score(8, &[4])), 0.2358);
        assert_eq!(rounded_score(ranking.score(4, &[8])), 0.5263);
    }

    #[test]
    fn rare_terms_and_headings_count_more() {
        let query = Query::new("common rare");
        let mut collection = Collection::default();
        for i in 0..10 {
            collection.add(100, &[4, if i == 0 { 4 } else { 0 }]);
        }
        let ranking = collection.rank(&query, collection.mean_length());
        assert!(ranking.score(100, &[0, 4]) > 5.0 * ranking.score(100, &[4, 0]));
        let mut counts = [0, 0];
        query.count_text("# Rare\n\ncommon\n", &mut counts, &mut Pace::endless());
        assert_eq!(counts, [weight::BODY, weight::HEADING]);
    }

    #[test]
    fn texts_that_hold_nothing_are_counted() {
        let mut collection = Collection::default();
        for counts in [&[0, 4][..], &[], &[4, 4], &[]] {
            collection.add(10, counts);
        }
        assert_eq!(collection.texts(), 4);
        assert_eq!(
            [0, 1].map(|term| collection.document_frequency(term)),
            [1, 2]
        );
    }

    #[test]
    fn a_query_has_each_term_once() {
        assert_eq!(Query::new("the The THE").terms().len(), 1);
        assert!(Query::new("?! --").is_empty());
    }
}
