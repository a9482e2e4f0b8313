//! The ranked score: BM25F, by Robertson, Zaragoza and Taylor, "Simple BM25 Extension to Multiple
//! Weighted Fields", 2004. The weight of an occurrence depends on its position
//! ([`crate::statistics::weight`]), and the sum saturates.

use std::rc::Rc;

use crate::statistics::{self, weight};
use docent_text::limits::SLICE_BYTES;
use docent_text::lines::slices;
use docent_text::time_budget::TimeBudget;
use docent_text::words::importance::{Importance, each_query_word};
use docent_text::words::symbols::LiteralSymbol;
use docent_text::words::terms::{Form, Initials, Term, each_term};

/// Saturation of repeated occurrences (BM25's k1). Tuned on the evaluation's development half,
/// where anything from 1.2 to 3 does nearly as well.
const K1: f64 = 1.8;

/// Length normalization (BM25's b). Tuned likewise, from 0.6 to 0.9.
const B: f64 = 0.8;

/// Weight of a pair of syllables relative to a word. Tuned likewise, from 0.15 to 0.3.
const PAIR: f64 = 0.2;

/// Weight of a function word. Tuned likewise, from 0.1 to 0.5.
const JOINING: f64 = 0.3;

/// Weight of a question word: so small that it only decides between equals.
const ASKING: f64 = 0.01;

/// The distinct terms of a query, in order; if it has none, its symbols are used instead.
#[derive(Debug, PartialEq, Eq)]
pub struct Bm25Query {
    terms: Vec<Term>,
    /// Role of each term.
    roles: Vec<TermRole>,
    symbols: Vec<LiteralSymbol>,
    initials: Initials,
    /// Empty counts, shared by all texts without a term of the query, which most are.
    pub(crate) no_counts: Rc<[u32]>,
}

/// The role of a term in its query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TermRole {
    /// Index of the first word that it is part of.
    word: usize,
    /// Importance of the most important word that it is part of.
    importance: Importance,
}

/// Collection statistics: number and length of the texts that are ranked together, and document
/// frequencies of the terms of the query.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    texts: u32,
    /// Total length in words.
    length: u64,
    /// Number of texts that contain each term.
    document_frequencies: Vec<u32>,
}

/// The weights of the terms of a query in a collection.
#[derive(Debug)]
pub struct Ranking {
    /// Weight of each term: its rarity times its share of a word.
    term_weights: Vec<f64>,
    mean_length: f64,
    /// Upper bound of the sum over the terms, never reached.
    max_score: f64,
}

impl Bm25Query {
    /// Parses the terms and symbols of `text`.
    pub fn new(text: &str) -> Self {
        let mut query = Self {
            terms: Vec::new(),
            roles: Vec::new(),
            symbols: LiteralSymbol::parse_all(text),
            initials: Initials::from_query(text),
            no_counts: Rc::default(),
        };
        let mut word = 0;
        each_query_word(text, |run, importance| {
            each_term(run, &Initials::ALL, |term| {
                query.add(term, word, importance)
            });
            word += 1;
        });
        // Terms that cross from one script to another, which are in no run of either.
        each_term(text, &Initials::ALL, |term| {
            if !query.terms.contains(&term) {
                query.add(term, word, Importance::Names);
            }
        });
        query
    }

    fn add(&mut self, term: Term, word: usize, importance: Importance) {
        if let Some(at) = self.terms.iter().position(|own| *own == term) {
            let role = &mut self.roles[at];
            role.importance = role.importance.max(importance);
        } else {
            self.terms.push(term);
            self.roles.push(TermRole { word, importance });
        }
    }

    /// Returns true if there is nothing to search for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.symbols.is_empty()
    }

    /// Returns true if it contains no word, so that texts are searched for its symbols.
    pub fn is_symbols(&self) -> bool {
        self.terms.is_empty() && !self.symbols.is_empty()
    }

    /// Returns its symbols.
    pub fn symbols(&self) -> &[LiteralSymbol] {
        &self.symbols
    }

    /// Returns the number of counts per text: one for each term, or for each symbol if it has no
    /// terms.
    pub fn count_len(&self) -> usize {
        if self.is_symbols() {
            self.symbols.len()
        } else {
            self.terms.len()
        }
    }

    /// Returns the index and the importance of the word that the term of this index is part of.
    pub fn word_for_term(&self, term: usize) -> (usize, Importance) {
        let role = self.roles[term];
        (role.word, role.importance)
    }

    /// Returns the terms.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Returns the total number of occurrences of its terms in `text`, or `None` if the time budget
    /// is spent first.
    pub fn hits_within(&self, text: &str, time_budget: &mut TimeBudget<'_>) -> Option<u32> {
        let mut counts = vec![0; self.count_len()];
        for slice in slices(text, SLICE_BYTES) {
            if time_budget.is_over() {
                return None;
            }
            self.count_plain(slice, 1, &mut counts);
            time_budget.is_over_after(slice.len());
        }
        let sum = |sum: u32, count| sum.saturating_add(count);
        Some(counts.into_iter().fold(0, sum))
    }

    /// Adds the occurrences in `text` to `counts`, which has [`Self::count_len`] elements.
    pub fn count_plain(&self, text: &str, weight: u32, counts: &mut [u32]) {
        self.count_symbols(text, weight, counts);
        each_term(text, &self.initials, |term| {
            self.count(term, weight, counts)
        });
    }

    /// Adds the occurrences of its symbols in `text` to `counts`, if it has no terms.
    pub fn count_symbols(&self, text: &str, weight: u32, counts: &mut [u32]) {
        if self.is_symbols() {
            for (symbol, count) in self.symbols.iter().zip(counts) {
                let hits = symbol.count_in(text).saturating_mul(weight);
                *count = count.saturating_add(hits);
            }
        }
    }

    /// Adds the weighted occurrences in a Markdown text to `counts`, until the time budget is
    /// spent, and returns its length in words.
    pub fn count_text(
        &self,
        text: &str,
        counts: &mut [u32],
        time_budget: &mut TimeBudget<'_>,
    ) -> u32 {
        let mut length = 0;
        // Symbols are written in code as deliberately as in text, so their weight is the same in
        // both.
        self.count_symbols(text, weight::BODY, counts);
        statistics::each_weighted_term(text, &self.initials, time_budget, |term, weight| {
            length += weight * statistics::word_tenths(term.form);
            self.count(term, weight, counts);
        });
        length / (weight::BODY * statistics::word_tenths(Form::Word))
    }

    /// Returns the initials of its terms.
    pub fn initials(&self) -> &Initials {
        &self.initials
    }

    /// Returns the index of a term in the query.
    pub fn place(&self, term: Term) -> Option<usize> {
        // Most terms of a text share no initial with the query, and are emitted as this
        // placeholder.
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
    /// Adds a text of `length` words with the given counts per term; empty counts mean none of the
    /// terms.
    pub fn add(&mut self, length: u32, counts: &[u32]) {
        self.texts += 1;
        self.length += u64::from(length);
        let terms = self.document_frequencies.len().max(counts.len());
        self.document_frequencies.resize(terms, 0);
        for (frequency, count) in self.document_frequencies.iter_mut().zip(counts) {
            *frequency += u32::from(*count > 0);
        }
    }

    /// Returns the number of texts.
    pub fn texts(&self) -> u32 {
        self.texts
    }

    /// Returns the number of texts that contain the term of this index.
    pub fn document_frequency(&self, term: usize) -> u32 {
        self.document_frequencies.get(term).copied().unwrap_or(0)
    }

    /// Returns the mean length in words, at least 1.
    pub fn mean_length(&self) -> f64 {
        // Exact: total lengths are far below 2^53.
        (self.length as f64 / f64::from(self.texts.max(1))).max(1.0)
    }

    /// Returns the weights of the terms of `query` in this collection, for texts that are
    /// `mean_length` words long on average.
    pub fn rank(&self, query: &Bm25Query, mean_length: f64) -> Ranking {
        let rarity = |index: usize| {
            let frequency = f64::from(self.document_frequency(index));
            let rarity = (f64::from(self.texts) - frequency + 0.5) / (frequency + 0.5);
            // One is added, as in Lucene. Otherwise the logarithm of a term that more than half
            // of the texts contain is negative, and a text would rank lower for containing a
            // word of the query than for lacking it.
            ln(1.0 + rarity)
        };
        let names = |index: usize| query.roles[index].importance == Importance::Names;
        let is_held = |index: usize| self.document_frequency(index) > 0;
        let terms = 0..query.terms.len();
        // Words that ask or join count little if any text has a word that names something:
        // `how to install` is about `install`. If no text has one, they are all that is left of
        // the query, and count in full, so that `how to` still finds the texts in which it
        // occurs.
        let is_about_something = terms.clone().any(|index| names(index) && is_held(index));
        let term_weight = |index: usize| {
            let form = match query.terms[index].form {
                Form::Word => 1.0,
                Form::Pair => PAIR,
            };
            let importance = match query.roles[index].importance {
                Importance::Asks if is_about_something => ASKING,
                Importance::Joins if is_about_something => JOINING,
                _ => 1.0,
            };
            form * importance * rarity(index)
        };
        let term_weights: Vec<f64> = if query.is_symbols() {
            (0..query.count_len()).map(rarity).collect()
        } else {
            terms.map(term_weight).collect()
        };
        // The limit for a text of length zero with infinitely many occurrences of every term.
        let max_score = term_weights.iter().sum::<f64>() * (K1 + 1.0);
        Ranking {
            term_weights,
            mean_length,
            max_score,
        }
    }
}

impl Ranking {
    /// Returns the score of a text of `length` words with the given counts, in quarters: above 0 if
    /// it contains a term, and always below 1.
    pub fn score(&self, length: u32, counts: &[u32]) -> f64 {
        let held = self
            .term_weights
            .iter()
            .copied()
            .zip(counts.iter().copied());
        self.weighted_score(length, held)
    }

    /// Returns the score of a text of `length` words for features given as pairs of a weight and a
    /// count in quarters, on the scale of [`Self::score`].
    pub fn weighted_score(&self, length: u32, held: impl Iterator<Item = (f64, u32)>) -> f64 {
        let norm = K1 * (1.0 - B + B * f64::from(length) / self.mean_length);
        let mut sum = 0.0;
        for (weight, count) in held {
            let occurrences = f64::from(count) / f64::from(weight::BODY);
            sum += weight * occurrences * (K1 + 1.0) / (occurrences + norm);
        }
        if self.max_score > 0.0 {
            sum / self.max_score
        } else {
            0.0
        }
    }

    /// Returns the weight of the term of this index.
    pub fn term_weight(&self, term: usize) -> f64 {
        self.term_weights[term]
    }
}

/// Returns the natural logarithm of a number of at least 1, to about 14 digits. Computed with basic
/// arithmetic alone, so that it is equal on every machine.
fn ln(number: f64) -> f64 {
    let (mut fraction, mut doublings) = (number, 0u32);
    // `f64::ln` may differ in its last digit between platforms, and with it the order of texts
    // that score alike. Additions, multiplications and divisions are rounded in the same way
    // everywhere. Between 1 and the square root of 2 the series below needs nine terms for 14
    // digits.
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

/// Rounds a score to four digits, as answers show it.
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
        let query = Bm25Query::new("port");
        let mut collection = Collection::default();
        let texts = ["the port is open", "the door is shut"];
        let counted = texts.map(|text| {
            let mut counts = [0];
            let length = query.count_text(text, &mut counts, &mut TimeBudget::unlimited());
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
        let query = Bm25Query::new("common rare");
        let mut collection = Collection::default();
        for i in 0..10 {
            collection.add(100, &[4, if i == 0 { 4 } else { 0 }]);
        }
        let ranking = collection.rank(&query, collection.mean_length());
        assert!(ranking.score(100, &[0, 4]) > 5.0 * ranking.score(100, &[4, 0]));
        let mut counts = [0, 0];
        query.count_text(
            "# Rare\n\ncommon\n",
            &mut counts,
            &mut TimeBudget::unlimited(),
        );
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
        assert_eq!(Bm25Query::new("the The THE").terms().len(), 1);
        assert!(Bm25Query::new(", …").is_empty());
    }

    fn scores(query: &Bm25Query, collection: &Collection, counts: [&[u32]; 2]) -> [f64; 2] {
        let ranking = collection.rank(query, 10.0);
        counts.map(|counts| ranking.score(10, counts))
    }

    /// Ten texts, one of which contains the rare question word, and half the content word.
    #[test]
    fn question_words_count_if_nothing_else_matches() {
        for (text, joins) in [
            ("how port", false),
            ("방법 port", false),
            ("the port", true),
        ] {
            let query = Bm25Query::new(text);
            let places = query.count_len();
            let held = |asks: u32, names: u32| {
                let mut counts = vec![asks; places];
                counts[places - 1] = names;
                counts
            };
            let mut collection = Collection::default();
            for i in 0..10 {
                collection.add(10, &held(u32::from(i == 0) * 4, u32::from(i % 2 == 1) * 4));
            }
            let [asks, names] = scores(&query, &collection, [&held(4, 0), &held(0, 4)]);
            assert!(
                asks > 0.0 && (joins || asks * 10.0 < names),
                "{text}: {asks}, {names}"
            );

            let mut nothing = Collection::default();
            nothing.add(10, &held(4, 0));
            nothing.add(10, &held(0, 0));
            let [asks, _] = scores(&query, &nothing, [&held(4, 0), &held(0, 0)]);
            assert!(asks > 0.05, "{text}: {asks}");
        }
    }

    #[test]
    fn symbols_are_counted_where_there_is_no_word() {
        let query = Bm25Query::new("?");
        assert!(query.is_symbols() && !query.is_empty());
        let mut counts = vec![0; query.count_len()];
        let text = "Is it so? `a?`\n\n```rust\nlet a = b()?;\n```\n";
        query.count_text(text, &mut counts, &mut TimeBudget::unlimited());
        assert_eq!(counts, [2 * weight::BODY]);
        assert!(!Bm25Query::new("? operator").is_symbols());
    }
}
