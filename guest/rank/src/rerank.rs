//! The second stage of ranking: the best documents of the first stage are read again, for features
//! that word counts do not capture.
//!
//! - **Closeness**: two words that follow each other in the query count again where they follow
//!   each other in the text, and where they are near each other, as in the sequential dependence
//!   model of Metzler and Croft, "A Markov Random Field Model for Term Dependencies", 2005. Each
//!   such pair is a feature whose occurrences saturate like those of a word
//!   ([`Ranking::weighted_score`]).
//! - **Headings**: a heading, title or file name that contains all words of the query counts the
//!   more the fewer other words it has, and most if it equals the query.
//! - **Names**: a query may name a file among other words, as `unpack an archive with tar` does
//!   `tar.md`. It counts as much as the name does in the query, if it has a word that no other file
//!   has in its name: `git` says little of `git.md` beside `git-commit.md`.
//! - **Symbols**, which no term captures, matched literally.
//! - **Company**: the part of the query found in one place, in any order: a long file contains all
//!   words somewhere, the relevant one contains them in one paragraph or one comment.
//!
//! Each is a share between 0 and 1 of the remainder above the first stage's score:
//! `1 - (1 - s) · (1 - closeness) · (1 - heading) · (1 - name) · (1 - symbols) · (1 - company)`.

use crate::bm25::{Bm25Query, Ranking};
use crate::passage_counts::{PassageCounts, PassageExtent};
use crate::statistics::{each_weighted_span, weight, word_tenths};
use crate::term_counts::TermCounts;
use docent_document::headings;
use docent_text::limits::SLICE_BYTES;
use docent_text::lines::slices;
use docent_text::time_budget::TimeBudget;
use docent_text::words::importance::{Importance, each_query_word};
use docent_text::words::terms::{Form, each_term};

/// Weight of a pair of consecutive query words in order, relative to its two words. Tuned on the
/// evaluation's development half, from 0.1 to 0.4.
const IN_ORDER: f64 = 0.3;

/// Weight of such a pair near each other. Tuned likewise, from 0.1 to 0.2.
const NEAR: f64 = 0.15;

/// Maximum distance between the starts of two words in order, in tenths of a word: leaves room for
/// one short word, or for the syllable pairs of the first.
const IN_ORDER_TENTHS: u32 = 20;

/// Maximum distance between words near each other, in tenths of a word: eight words.
const NEAR_TENTHS: u32 = 80;

/// Distance between stretches of different kinds, such as a heading and the text below, in tenths
/// of a word: more than any two words in order may be apart.
const STRETCH_TENTHS: u32 = 100;

/// Share of a heading that equals the query.
const HEADING: f64 = 0.5;

/// Share of a file name whose words are all in the query, if the query has no other words.
const NAME: f64 = 0.4;

/// Files whose names are examined, the best of the first stage: a millisecond at most.
const NAMED_FILES: usize = 1_000;

/// Share of all symbols of a query: more than that of a word, because symbols are written
/// deliberately.
const SYMBOLS: f64 = 0.6;

/// Share of a place in code that contains all words of the query; with fewer words, it falls with
/// the cube of their weight. Not used for documents, where the sum of all places is the better
/// signal: with it, 1 of 100 questions lost its page.
const COMPANY: f64 = 0.6;

/// Maximum distance from the first to the last word of one place, in tenths of a word: a paragraph.
const PLACE_TENTHS: u32 = 400;

/// Passages of a long document that are read again, best first.
const PASSAGES_READ_AGAIN: usize = 3;

/// Divisor of a long document's length in words, the cost of the part of it that is not read.
const UNREAD_SHARE: u32 = 32;

/// Returns the number of words of a document that the second stage reads.
pub fn words_read_again(document: &TermCounts) -> u32 {
    match &document.passages {
        None => document.length,
        Some(passages) => {
            passages.mean_words() * PASSAGES_READ_AGAIN as u32 + document.length / UNREAD_SHARE
        }
    }
}

/// The kind of texts ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Documents and their sections.
    Document,
    /// Code files: long ones, which contain most words somewhere, so that the first stage says
    /// little about them.
    Code,
}

impl TextKind {
    /// Returns the maximum number of texts read again, best first, and the maximum of their total
    /// words.
    fn most(self) -> (usize, u32) {
        match self {
            // A text after these never gets among the first ten. About 240 KB, which are read in a
            // millisecond at most.
            Self::Document => (20, 40_000),
            // About 2.5 MB, some ten milliseconds.
            Self::Code => (60, 400_000),
        }
    }

    /// Returns the maximum number of texts read again.
    pub fn most_read_again(self) -> usize {
        self.most().0
    }

    /// Returns the number of texts worth reading again, given their lengths in words, best first.
    pub fn worth_reading(self, lengths: impl Iterator<Item = u32>) -> usize {
        let (texts, most) = self.most();
        let words = lengths.take(texts).scan(0u32, |words, length| {
            *words = words.saturating_add(length);
            Some(*words)
        });
        words.take_while(|words| *words <= most).count()
    }
}

/// A document to be ranked again.
#[derive(Clone, Copy, Debug)]
pub struct RerankInput<'a> {
    /// Path.
    pub path: &'a str,
    /// Text.
    pub text: &'a str,
    /// Length in words, as the first stage counts them.
    pub length: u32,
    /// Counts of its passages, if there are several: then only the best are read.
    pub passages: Option<&'a PassageCounts>,
    /// Score in the first stage.
    pub score: f64,
}

/// The second stage for one query.
#[derive(Debug)]
pub struct Reranker<'a> {
    query: &'a Bm25Query,
    ranking: &'a Ranking,
    kind: TextKind,
    /// Each word of the query.
    words: Vec<RerankWord>,
    /// Use of each word of the query in file names; empty if no names are given.
    names: Vec<NameUse>,
}

/// The files whose names contain a word.
#[derive(Clone, Debug, PartialEq)]
enum NameUse {
    None,
    /// Files of a single stem, in any directory and with any extension.
    Single(String),
    Several,
}

#[derive(Clone, Copy, Debug, Default)]
struct RerankWord {
    worth: f64,
    is_named: bool,
}

/// Positions of the query's words in a text, up to the point that was read.
struct WordPositions {
    /// Current position, in tenths of a word.
    now: u32,
    /// Last position of each word.
    last: Vec<Option<u32>>,
    /// For each pair of words, indexed by the second: occurrences in order, and near each other, in
    /// quarters.
    in_order: Vec<u32>,
    near: Vec<u32>,
    /// True if the last occurrence of the word was counted as near the one before it.
    is_counted: Vec<bool>,
    /// Maximum weight of the words found in one place.
    company: f64,
}

impl WordPositions {
    fn new(words: usize) -> Self {
        Self {
            now: 0,
            last: vec![None; words],
            in_order: vec![0; words],
            near: vec![0; words],
            is_counted: vec![false; words],
            company: 0.0,
        }
    }

    /// Counts an occurrence of a word here; `words` are those of the query.
    fn add(&mut self, word: usize, weight: u32, words: &[RerankWord]) {
        let now = self.now;
        let distance = |last: Option<u32>| last.map(|last| now - last);
        self.is_counted[word] = false;
        if word > 0
            && let Some(distance) = distance(self.last[word - 1]).filter(|distance| *distance > 0)
        {
            if distance <= IN_ORDER_TENTHS {
                self.in_order[word] = self.in_order[word].saturating_add(weight);
            }
            if distance <= NEAR_TENTHS {
                self.near[word] = self.near[word].saturating_add(weight);
                self.is_counted[word] = true;
            }
        }
        // The next word of the query occurred before this one: `archive the tar` for the query
        // `tar archive`. Each occurrence is counted as near its partner once. In
        // `tar archive tar` the word `archive` is counted by the first `tar`, and not again by
        // the second.
        let next = word + 1;
        if let Some(distance) = distance(self.last.get(next).copied().flatten())
            && distance <= NEAR_TENTHS
            && !self.is_counted[next]
        {
            self.near[next] = self.near[next].saturating_add(weight);
            self.is_counted[next] = true;
        }
        self.last[word] = Some(now);
        let is_here = |last: &Option<u32>| last.is_some_and(|last| now - last <= PLACE_TENTHS);
        let here = self.last.iter().zip(words);
        let here = here.filter(|(last, _)| is_here(last));
        self.company = self.company.max(here.map(|(_, word)| word.worth).sum());
    }
}

impl<'a> Reranker<'a> {
    /// Creates the second stage after the first one of `query`.
    pub fn new(query: &'a Bm25Query, ranking: &'a Ranking, kind: TextKind) -> Self {
        let mut words: Vec<RerankWord> = Vec::new();
        for (index, term) in query.terms().iter().enumerate() {
            if term.form == Form::Pair {
                continue;
            }
            let (word, importance) = query.word_for_term(index);
            words.resize(words.len().max(word + 1), RerankWord::default());
            let own = &mut words[word];
            own.worth = own.worth.max(ranking.term_weight(index));
            own.is_named |= importance == Importance::Names;
        }
        // If the query has no content word, all of its words count as such.
        if words.iter().all(|word| !word.is_named) {
            words.iter_mut().for_each(|word| word.is_named = true);
        }
        Self {
            query,
            ranking,
            kind,
            words,
            names: Vec::new(),
        }
    }

    /// Considers the names of the files at these paths, one of which the query may name.
    pub fn with_paths<'p>(mut self, paths: impl Iterator<Item = &'p str>) -> Self {
        // A word alone names no file among other words, and code is looked up by its definitions.
        if self.kind == TextKind::Code || self.words.len() < 2 {
            return self;
        }
        let mut names = vec![NameUse::None; self.words.len()];
        for path in paths.take(NAMED_FILES) {
            let stem = stem(path);
            self.each_word_of_name(stem, |word| {
                let Some(word) = word else { return };
                let is_same = matches!(&names[word], NameUse::Single(other) if other == stem);
                names[word] = match names[word] {
                    NameUse::None => NameUse::Single(stem.to_owned()),
                    _ if is_same => return,
                    _ => NameUse::Several,
                };
            });
        }
        self.names = names;
        self
    }

    /// Returns the score of a document, at least that of the first stage and below 1, or `None` if
    /// the time budget is spent first.
    pub fn score(
        &self,
        document: RerankInput<'_>,
        time_budget: &mut TimeBudget<'_>,
    ) -> Option<f64> {
        let RerankInput { path, text, .. } = document;
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = stem(path);
        let title = headings::title(name, text);
        let mut heading = self.heading(stem);
        if let Some(title) = &title {
            heading = heading.max(self.heading(title));
        }
        let left = 1.0 - NAME * self.name_match(stem);
        let Some(passages) = document.passages else {
            let left = left * self.remainder(text, document.length, heading, time_budget)?;
            return Some(1.0 - (1.0 - document.score) * left);
        };
        let best = passages.best(self.ranking, PASSAGES_READ_AGAIN);
        let greatest = best.first().map_or(0.0, |passage| passage.score);
        let mut score = document.score;
        for passage in best {
            let PassageExtent { span, words } = passage.extent;
            // If the text has changed since it was counted, the span may be beyond its end or
            // within a character. Then all of the text is read.
            let text = text.get(span).unwrap_or(text);
            let left = left * self.remainder(text, words, heading, time_budget)?;
            // The score of the document is that of its best passage. A passage that scored half
            // of it starts from half of it, so that headings and closeness must make up for the
            // distance.
            let own = document.score * passage.score / greatest;
            score = score.max(1.0 - (1.0 - own) * left);
        }
        Some(score)
    }

    /// Returns the remainder between the score and 1 that a text of `words` words leaves, or `None`
    /// if the time budget is spent first. `heading` is the match of the heading above it.
    fn remainder(
        &self,
        text: &str,
        words: u32,
        mut heading: f64,
        time_budget: &mut TimeBudget<'_>,
    ) -> Option<f64> {
        let mut places = WordPositions::new(self.words.len());
        each_weighted_span(text, |stretch, weight| {
            let inside = &text[stretch];
            if weight == weight::HEADING {
                heading = heading.max(self.heading(inside));
            }
            self.add_word_positions(inside, weight, &mut places, time_budget);
        });
        if time_budget.is_over() {
            return None;
        }
        let closeness = self.closeness(&places, words);
        let left = (1.0 - closeness)
            * (1.0 - HEADING * heading)
            * (1.0 - SYMBOLS * self.symbols(text))
            * (1.0 - COMPANY * self.company(&places));
        Some(left)
    }

    fn add_word_positions(
        &self,
        text: &str,
        weight: u32,
        places: &mut WordPositions,
        time_budget: &mut TimeBudget<'_>,
    ) {
        // A single word has no neighbours.
        if self.words.len() < 2 {
            return;
        }
        for slice in slices(text, SLICE_BYTES) {
            if time_budget.is_over_after(slice.len()) {
                return;
            }
            each_term(slice, self.query.initials(), |term| {
                if term.form == Form::Word
                    && let Some(at) = self.query.place(term)
                {
                    places.add(self.query.word_for_term(at).0, weight, &self.words);
                }
                places.now = places.now.saturating_add(word_tenths(term.form));
            });
        }
        places.now = places.now.saturating_add(STRETCH_TENTHS);
    }

    /// Returns the closeness of the query's words in a text of `length` words.
    fn closeness(&self, places: &WordPositions, length: u32) -> f64 {
        let pairs = 1..self.words.len();
        let held = pairs.flat_map(|second| {
            let worth = self.words[second - 1].worth + self.words[second].worth;
            let in_order = (IN_ORDER * worth, places.in_order[second]);
            [in_order, (NEAR * worth, places.near[second])]
        });
        // At most 2 · (IN_ORDER + NEAR), which is below 1.
        self.ranking.weighted_score(length, held)
    }

    /// Returns the cube of the weight of the query's words found in one place, 0 to 1.
    fn company(&self, places: &WordPositions) -> f64 {
        let all: f64 = self.words.iter().map(|word| word.worth).sum();
        // Two words are covered by their closeness.
        if self.kind == TextKind::Document || self.words.len() < 3 || all <= 0.0 {
            return 0.0;
        }
        let share = (places.company / all).min(1.0);
        share * share * share
    }

    /// Returns the share of a heading that is the query, 0 to 1; 0 if it lacks a word.
    fn heading(&self, heading: &str) -> f64 {
        let mut held = vec![false; self.words.len()];
        let (mut own, mut others) = (0u32, 0u32);
        each_term(heading, self.query.initials(), |term| {
            if term.form == Form::Word {
                match self.query.place(term) {
                    Some(at) => {
                        held[self.query.word_for_term(at).0] = true;
                        own += 1;
                    }
                    None => others += 1,
                }
            }
        });
        let mut named = self.words.iter().zip(&held);
        if own == 0 || !named.all(|(word, held)| *held || !word.is_named) {
            return 0.0;
        }
        let share = f64::from(own) / f64::from(own + others);
        share * share
    }

    /// Returns the weight in the query of the words of a file name, 0 to 1; 0 if the query lacks
    /// one of them, or if other files have all of them in their names.
    fn name_match(&self, stem: &str) -> f64 {
        let mut held = vec![false; self.words.len()];
        let mut is_all = true;
        self.each_word_of_name(stem, |word| match word {
            Some(word) => held[word] = true,
            None => is_all = false,
        });
        let is_own = |word: usize| self.names.get(word) == Some(&NameUse::Single(stem.to_owned()));
        if !is_all || !(0..held.len()).any(|word| held[word] && is_own(word)) {
            return 0.0;
        }
        let all: f64 = self.words.iter().map(|word| word.worth).sum();
        let held = self.words.iter().zip(held).filter(|(_, held)| *held);
        held.map(|(word, _)| word.worth).sum::<f64>() / all
    }

    /// Emits, for each content word of a file name, the index of the query's word.
    fn each_word_of_name(&self, stem: &str, mut give: impl FnMut(Option<usize>)) {
        each_query_word(stem, |run, importance| {
            let mut place = None;
            let mut forms = 0;
            each_term(run, self.query.initials(), |term| {
                // The first term of an identifier is the whole; for Hangul, which may have a
                // particle, any term counts.
                if term.form == Form::Word && (forms == 0 || !run.is_ascii()) {
                    place = place.or(self.query.place(term));
                    forms += 1;
                }
            });
            let word = place.map(|place| self.query.word_for_term(place).0);
            if word.is_some() || importance == Importance::Names {
                give(word);
            }
        });
    }

    /// Returns the share of the query's symbols in a text, by clarity, 0 to 1.
    fn symbols(&self, text: &str) -> f64 {
        let symbols = self.query.symbols();
        // In a query without words, the first stage has counted them.
        if symbols.is_empty() || self.query.is_symbols() {
            return 0.0;
        }
        let held = symbols.iter().map(|symbol| {
            let count = f64::from(symbol.count_in(text));
            count / (count + 1.0)
        });
        held.sum::<f64>() / symbols.len() as f64
    }
}

/// Returns the file stem of a path.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bm25::Collection;

    /// Returns the scores of texts with equal scores in the first stage.
    fn scores<const N: usize>(query: &str, texts: [(&str, &str); N]) -> [f64; N] {
        let query = Bm25Query::new(query);
        let mut collection = Collection::default();
        for held in [0, 1, 0, 0] {
            collection.add(20, &vec![held; query.count_len()]);
        }
        let ranking = collection.rank(&query, 20.0);
        let stage = Reranker::new(&query, &ranking, TextKind::Document);
        texts.map(|(path, text)| {
            let document = RerankInput {
                path,
                text,
                length: 20,
                passages: None,
                score: 0.4,
            };
            stage
                .score(document, &mut TimeBudget::unlimited())
                .unwrap_or(0.0)
        })
    }

    #[test]
    fn words_that_stand_together_count_more() {
        for (query, texts) in [
            (
                "thread pool",
                [
                    "A thread pool runs it.",
                    "The pool has some more than one thread.",
                    "A pool is there. It is somewhat larger than most people think of when they hear \
                 of one, or of a single thread.",
                ],
            ),
            (
                "메모리 누수",
                [
                    "메모리 누수를 찾는다",
                    "누수는 보통 늦게 보이는 메모리 문제다",
                    "누수가 보이면 먼저 기록을 남기고 나서 다시 실행해 본 다음에 그래도 안 되면 다른 \
                 것들과 함께 메모리를 본다",
                ],
            ),
        ] {
            let [phrase, near, apart] = scores(query, texts.map(|text| ("a.md", text)));
            assert!(
                phrase > near && near > apart,
                "{query}: {phrase} {near} {apart}"
            );
            assert_eq!(apart, 0.4);
        }
    }

    #[test]
    fn a_heading_that_is_the_query_wins() {
        let [exact, more, lacks, title, name] = scores(
            "error handling",
            [
                ("a.md", "text\n\n## Handling Errors\n\ntext\n"),
                (
                    "a.md",
                    "text\n\n## Error handling in the second part of it\n\ntext\n",
                ),
                ("a.md", "text\n\n## Errors\n\ntext handling\n"),
                ("a.md", "---\ntitle: Error handling\n---\ntext\n"),
                ("docs/error-handling.md", "text\n"),
            ],
        );
        assert!(exact > more && more > lacks && lacks == 0.4);
        assert!(title > 0.6 && name > 0.6 && exact > 0.6);
        let [asked] = scores("what is ownership?", [("a.md", "# Ownership\n")]);
        assert!(asked > 0.6);
    }

    #[test]
    fn a_file_is_named_by_what_only_its_name_holds() {
        let score = |query: &str, path: &str, paths: &[&str]| {
            let query = Bm25Query::new(query);
            let mut collection = Collection::default();
            collection.add(20, &vec![1; query.count_len()]);
            collection.add(20, &vec![0; query.count_len()]);
            let ranking = collection.rank(&query, 20.0);
            let stage = Reranker::new(&query, &ranking, TextKind::Document);
            let stage = stage.with_paths(paths.iter().copied());
            let document = RerankInput {
                path,
                text: "text\n",
                length: 20,
                passages: None,
                score: 0.4,
            };
            stage
                .score(document, &mut TimeBudget::unlimited())
                .unwrap_or(0.0)
        };
        let paths = ["ko/tar.md", "en/tar.md", "git.md", "git-lfs.md", "a.md"];
        for (query, path, is_named) in [
            ("tar로 압축 풀기", "ko/tar.md", true),
            ("unpack an archive with tar", "en/tar.md", true),
            ("undo a commit with git", "git.md", false),
            ("large files with git lfs", "git-lfs.md", true),
            ("large files with git", "git-lfs.md", false),
            ("unpack an archive", "ko/tar.md", false),
        ] {
            let found = score(query, path, &paths);
            assert_eq!(found > 0.4, is_named, "{query}: {found}");
        }
    }

    #[test]
    fn symbols_beside_words_are_found_as_such() {
        let [with, without] = scores(
            "? operator",
            [
                ("a.md", "use `?` as an operator"),
                ("a.md", "is it an operator? yes"),
            ],
        );
        assert!(with > without, "{with} {without}");
        let [with, without] = scores("C++ build", [("a.md", "C++ build"), ("a.md", "C build")]);
        assert!(with > without);
    }

    #[test]
    fn one_place_counts_in_code() {
        let query = Bm25Query::new("lantern harbour night");
        let mut collection = Collection::default();
        collection.add(20, &vec![1; query.count_len()]);
        collection.add(20, &vec![0; query.count_len()]);
        let ranking = collection.rank(&query, 20.0);
        let apart = format!("night {0} harbour {0} lantern", "other ".repeat(60));
        let near = "night and at the harbour still no lantern";
        let score = |kind, text: &str| {
            let document = RerankInput {
                path: "a.c",
                text,
                length: 20,
                passages: None,
                score: 0.4,
            };
            let stage = Reranker::new(&query, &ranking, kind);
            stage
                .score(document, &mut TimeBudget::unlimited())
                .unwrap_or(0.0)
        };
        let code = |text| score(TextKind::Code, text);
        assert!(code(near) > code(&apart) + 0.3, "{}", code(near));
        assert!(code(near) > score(TextKind::Document, near));
    }

    #[test]
    fn only_so_much_is_read_again() {
        let kind = TextKind::Document;
        let (texts, words) = kind.most();
        assert_eq!(kind.worth_reading(std::iter::repeat_n(10, 1000)), texts);
        assert_eq!(kind.worth_reading([words, 1].into_iter()), 1);
        assert_eq!(kind.worth_reading([words + 1, 1].into_iter()), 0);
        assert_eq!(kind.worth_reading([1, u32::MAX, 1].into_iter()), 1);
    }

    proptest! {
        #[test]
        fn no_score_falls_or_reaches_1(
            query in "(a|b|how|값을|`\\?`|the|C\\+\\+)( (a|b|c_d|the|설정|&&)){0,5}",
            text in "((a|b|c_d|\\? |값|설정을|&&|C\\+\\+|# | |\n)( |\n)?){0,60}",
        ) {
            let [score] = scores(&query, [("b.md", &text)]);
            prop_assert!((0.4..1.0).contains(&score), "{}", score);
        }
    }
}
