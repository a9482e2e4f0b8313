//! Occurrences of a query's words in a text, for the reasons of an item. Ranking counts more: the
//! parts of identifiers, and each pair of syllables, which would be too many to report as hits.

use std::ops::ControlFlow;

use docent_rank::bm25::{Bm25Query, Collection};
use docent_text::matching::finder::{Case, Finder};
use docent_text::words::identifier;
use docent_text::words::importance::Importance;
use docent_text::words::terms::{Form, Term};

use crate::limits::{COMMON_WORD_TEXTS, HIT_COUNT_BYTES};

/// The words of a query.
pub struct QueryWords<'q> {
    question: &'q Bm25Query,
    /// The identifier, if the query is one.
    identifier: Option<Finder>,
    words: Vec<QueryWord>,
}

/// A word with its terms.
struct QueryWord {
    /// As it is written.
    text: String,
    /// Indices of its terms among those of the question, and their forms.
    terms: Vec<(usize, Form)>,
    is_hangul: bool,
}

impl<'q> QueryWords<'q> {
    /// Returns the words of `text`, whose terms are those of `question`.
    pub fn new(text: &str, question: &'q Bm25Query) -> Self {
        let word = |run: &str| {
            let terms = Bm25Query::new(run);
            let place = |term: &Term| Some((question.place(*term)?, term.form));
            QueryWord {
                text: run.to_owned(),
                terms: terms.terms().iter().filter_map(place).collect(),
                is_hangul: run.starts_with(is_hangul),
            }
        };
        let words = runs(text).map(word);
        Self {
            question,
            identifier: identifier::parse_lone(text).map(|name| Finder::new(name, Case::Ignored)),
            words: words.filter(|word| !word.terms.is_empty()).collect(),
        }
    }

    /// Returns the number of words of `text` that are words of the query, or of occurrences of the
    /// query if it is one identifier; `None` if a text is too long to be counted.
    pub fn hits(&self, text: &str) -> Option<usize> {
        if text.len() > HIT_COUNT_BYTES {
            return None;
        }
        if let Some(finder) = &self.identifier {
            let hits = finder.hits(text).count();
            // In another spelling, such as `parse_config` for `parseConfig`, the name is found
            // by its words.
            if hits > 0 {
                return Some(hits);
            }
        }
        let mut hits = 0;
        self.each_run(text, |counts| {
            let most = self.words.iter().map(|word| word.occurrences(counts)).max();
            hits += most.unwrap_or(0) as usize;
            ControlFlow::Continue(())
        });
        Some(hits)
    }

    /// Calls `give` for each run of letters in `text` with the number of occurrences of each term
    /// of the question in it.
    fn each_run(&self, text: &str, mut give: impl FnMut(&[u32]) -> ControlFlow<()>) {
        let mut counts = vec![0; self.question.count_len()];
        for run in runs(text) {
            counts.fill(0);
            self.question.count_plain(run, 1, &mut counts);
            if give(&counts).is_break() {
                return;
            }
        }
    }

    /// Returns the words of the query that a text contains, as written, each once and without those
    /// that most texts contain; empty if it contains all of them.
    pub fn words_in(&self, text: &str, collection: &Collection) -> Vec<String> {
        let beginning = &text[..text.floor_char_boundary(HIT_COUNT_BYTES)];
        words_in(&self.telling_in(beginning, collection))
    }

    /// Returns the same for a text with these numbers of occurrences of each term of the question.
    pub fn words_in_counts(&self, counts: &[u32], collection: &Collection) -> Vec<String> {
        let mut words = self.mark_distinctive(collection);
        for (word, is_held) in &mut words {
            *is_held = word.occurrences(counts) > 0;
        }
        words_in(&words)
    }

    /// Returns true if a text contains at least one distinctive word, and each one that `other`
    /// contains.
    pub fn are_as_many_in(&self, text: &str, other: &str, collection: &Collection) -> bool {
        let held = |text: &str| -> Vec<bool> {
            let beginning = &text[..text.floor_char_boundary(HIT_COUNT_BYTES)];
            let words = self.telling_in(beginning, collection);
            words.into_iter().map(|(_, is_held)| is_held).collect()
        };
        let (own, other) = (held(text), held(other));
        own.contains(&true) && own.iter().zip(&other).all(|(own, other)| *own || !*other)
    }

    /// Returns the words that name something and do not occur, each once, given the number of texts
    /// with each term of the question; empty if no word occurs.
    pub fn missing(&self, counts: &[u32]) -> Vec<&str> {
        let mut missing: Vec<&str> = Vec::new();
        let mut are_all = true;
        for word in self.words.iter().filter(|word| self.is_named(word)) {
            if word.occurrences(counts) > 0 {
                are_all = false;
            } else if !missing.contains(&word.text.as_str()) {
                missing.push(&word.text);
            }
        }
        if are_all {
            return Vec::new();
        }
        missing
    }

    /// Returns the words that most texts do not contain, each once, with true if the text contains
    /// it.
    fn telling_in(&self, text: &str, collection: &Collection) -> Vec<(&QueryWord, bool)> {
        let mut words = self.mark_distinctive(collection);
        self.each_run(text, |counts| {
            for (word, is_held) in &mut words {
                *is_held = *is_held || word.occurrences(counts) > 0;
            }
            ControlFlow::Continue(())
        });
        words
    }

    /// Returns the words that most texts do not contain, each once, all with false.
    fn mark_distinctive(&self, collection: &Collection) -> Vec<(&QueryWord, bool)> {
        let mut words: Vec<(&QueryWord, bool)> = Vec::new();
        for word in &self.words {
            let is_new = words.iter().all(|(other, _)| other.text != word.text);
            if is_new && self.is_named(word) && !self.is_common(word, collection) {
                words.push((word, false));
            }
        }
        words
    }

    /// Returns true if a heading contains a word of the query, other than words that most texts
    /// contain.
    pub fn are_in_heading(&self, heading: &str, collection: &Collection) -> bool {
        let is_telling = |word: &&QueryWord| !self.is_common(word, collection);
        let words: Vec<&QueryWord> = self.words.iter().filter(is_telling).collect();
        let mut is_held = false;
        self.each_run(heading, |counts| {
            is_held = words.iter().any(|word| word.occurrences(counts) > 0);
            match is_held {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        is_held
    }

    /// Returns true if a heading equals the query: it contains all of its words and no others,
    /// apart from words that most texts contain. Always false for a query of one word, since such
    /// queries outnumber the headings of one word.
    pub fn are_all_of(&self, heading: &str, collection: &Collection) -> bool {
        let mut held = vec![false; self.words.len()];
        let mut is_known = true;
        self.each_run(heading, |counts| {
            is_known = false;
            for (word, held) in self.words.iter().zip(&mut held) {
                let is_it = word.occurrences(counts) > 0;
                *held |= is_it;
                is_known |= is_it;
            }
            match is_known {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        if !is_known {
            return false;
        }
        let is_named = |word: &QueryWord| !self.is_common(word, collection);
        let mut words = self.words.iter().zip(&held);
        self.words.len() > 1 && words.all(|(word, held)| *held || !is_named(word))
    }

    /// Returns true if a word says what the query is about: it is neither a question word nor a
    /// function word such as a particle.
    fn is_named(&self, word: &QueryWord) -> bool {
        let mut places = word.terms.iter().map(|(place, _)| *place);
        places.any(|place| self.question.word_for_term(place).1 == Importance::Names)
    }

    fn is_common(&self, word: &QueryWord, collection: &Collection) -> bool {
        let mut places = word.terms.iter().map(|(place, _)| *place);
        let texts = collection.texts();
        let in_most = |place| collection.document_frequency(place) > texts / 2;
        texts >= COMMON_WORD_TEXTS && places.all(in_most)
    }
}

impl QueryWord {
    /// Returns the number of its occurrences, given the number of occurrences of each term of the
    /// question.
    fn occurrences(&self, counts: &[u32]) -> u32 {
        let count = |place: &usize| counts.get(*place).copied().unwrap_or(0);
        let of = |form: Form| {
            let terms = self.terms.iter().filter(move |(_, own)| *own == form);
            terms.map(|(place, _)| count(place))
        };
        if self.is_hangul {
            // A word has two terms if its last syllable may be a particle: one of the two has
            // to occur. Within a longer word there is no term for the whole, but all of its
            // pairs of syllables occur.
            let is_word = of(Form::Word).any(|count| count > 0);
            let is_inside = of(Form::Pair).min().is_some_and(|count| count > 0);
            return u32::from(is_word || is_inside);
        }
        // A part of an identifier is not the identifier, so all of its terms are required.
        of(Form::Word).min().unwrap_or(0)
    }
}

/// Returns the words that occur, or an empty list if all do.
fn words_in(words: &[(&QueryWord, bool)]) -> Vec<String> {
    let held = words.iter().filter(|(_, is_held)| *is_held);
    if held.clone().count() == words.len() {
        return Vec::new();
    }
    held.map(|(word, _)| word.text.clone()).collect()
}

/// Returns the runs of letters, digits and `_` in a text, Hangul apart: `React를` is two.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.flat_map(|word| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let is_other = |c: char| is_hangul(c) != is_hangul(first);
            let (run, behind) = rest.split_at(rest.find(is_other).unwrap_or(rest.len()));
            rest = behind;
            Some(run)
        })
    })
}

/// Returns true if a character is a syllable of Hangul, or a part of one in decomposed text.
fn is_hangul(c: char) -> bool {
    matches!(c, '가'..='힣' | '\u{1100}'..='\u{11FF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(query: &str, text: &str) -> Option<usize> {
        QueryWords::new(query, &Bm25Query::new(query)).hits(text)
    }

    #[test]
    fn words_count_and_their_parts_do_not() {
        for (query, text, expected) in [
            ("needle2", "a needle2 and a needle, 2 of them", 1),
            ("QMD_EMBED_MODEL", "QMD_EMBED_MODEL: a model to embed", 1),
            ("QMD_EMBED_MODEL", "`qmd_embed_model`, QMD_EMBED_MODEL", 2),
            ("rust-version", "the rust-version of Rust", 1),
            ("cache size", "The cache has a size. Caches!", 3),
            ("설정", "설정을 바꾼다. 환경설정", 2),
            ("값", "값을", 1),
            ("React", "React는", 1),
            ("absent", "present", 0),
        ] {
            assert_eq!(hits(query, text), Some(expected), "{query} in {text}");
        }
        assert_eq!(hits("a", &"a ".repeat(HIT_COUNT_BYTES)), None);
    }

    #[test]
    fn the_words_that_are_held() {
        let held = |query: &str, text: &str| {
            QueryWords::new(query, &Bm25Query::new(query)).words_in(text, &Collection::default())
        };
        assert_eq!(held("cache size", "The cache."), ["cache"]);
        assert!(held("cache size", "Cache and size").is_empty());
        assert_eq!(held("설정 cache", "설정을 바꾼다"), ["설정"]);
        assert_eq!(held("how to tar로 압축", "how tar로 푼다"), ["tar"]);
        assert!(held("cache size", "nothing").is_empty());
    }

    #[test]
    fn a_heading_that_is_the_query() {
        for (query, heading, expected) in [
            ("validating references", "Validating References", true),
            ("validate the references", "Validating the References", true),
            (
                "validating references",
                "Validating References with Lifetimes",
                false,
            ),
            ("validating references", "Validating", false),
            ("references", "References", false),
            ("설정 방법", "설정 방법", true),
        ] {
            let question = Bm25Query::new(query);
            let words = QueryWords::new(query, &question);
            let is_it = words.are_all_of(heading, &Collection::default());
            assert_eq!(is_it, expected, "{query}: {heading}");
        }
    }

    #[test]
    fn the_words_that_counts_tell() {
        let question = Bm25Query::new("cache size 설정");
        for text in [
            "The cache.",
            "설정을 바꾼다",
            "Sizes, caches: 설정",
            "nothing",
        ] {
            let mut counts = vec![0; question.count_len()];
            question.count_plain(text, 4, &mut counts);
            let words = QueryWords::new("cache size 설정", &question);
            let none = Collection::default();
            assert_eq!(
                words.words_in_counts(&counts, &none),
                words.words_in(text, &none),
                "{text}"
            );
        }
    }

    #[test]
    fn a_text_with_as_many_words_as_another() {
        let question = Bm25Query::new("the cache size");
        let words = QueryWords::new("the cache size", &question);
        for (text, other, expected) in [
            ("sizes of a cache", "cache size", true),
            ("the cache", "cache size", false),
            ("cache size", "the cache", true),
            ("nothing", "nothing", false),
        ] {
            let are = words.are_as_many_in(text, other, &Collection::default());
            assert_eq!(are, expected, "{text}: {other}");
        }
    }

    #[test]
    fn the_words_that_nothing_holds() {
        for (query, text, expected) in [
            ("cache zebra of zebra", "The cache.", &["zebra"][..]),
            ("how is the cache", "cache", &[]),
            ("caches", "The cache.", &[]),
            ("설정 얼룩말", "설정을 바꾼다", &["얼룩말"]),
            ("zebra crossing", "The cache.", &[]),
        ] {
            let question = Bm25Query::new(query);
            let mut counts = vec![0; question.count_len()];
            question.count_plain(text, 1, &mut counts);
            let words = QueryWords::new(query, &question);
            assert_eq!(words.missing(&counts), expected, "{query}");
        }
    }

    #[test]
    fn a_word_of_most_texts_makes_no_heading_match() {
        let question = Bm25Query::new("adding with");
        let mut collection = Collection::default();
        for number in 0..COMMON_WORD_TEXTS {
            collection.add(9, &[u32::from(number == 0), 1]);
        }
        let words = QueryWords::new("adding with", &question);
        assert!(words.are_in_heading("Adding more", &collection));
        assert!(!words.are_in_heading("Lists with names", &collection));
        assert!(words.are_in_heading("Lists with names", &Collection::default()));
    }
}
