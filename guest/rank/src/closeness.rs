//! The second stage of ranking: the best documents of the first are read again, for what counts of
//! words do not tell.
//!
//! - **Closeness**: two words that follow each other in the query count again where they do so in
//!   the text, and where they stand near each other, as in the sequential dependence model
//!   of Metzler and Croft, "A Markov Random Field Model for Term Dependencies", 2005. Each such
//!   pair is a feature whose occurrences saturate as those of a word do ([`Ranking::weighted_score`]).
//! - **Headings**: a heading, title or file name that holds all words of the query counts the more
//!   the less it holds beside them, and most where it is the query.
//! - **Names**: a query may name a file among other words, as `unpack an archive with tar` does
//!   `tar.md`. It counts as much as the name does in the query, where it has a word that no other
//!   file has in its name: `git` says little of `git.md` beside `git-commit.md`.
//! - **Symbols**, which no word tells, letter by letter.
//! - **Company**: how much of the query stands in one place, whatever the order: a long file holds
//!   all words somewhere, the one that is meant holds them in one paragraph or one comment.
//!
//! Each is a share between 0 and 1 of what is left above the first stage's score:
//! `1 - (1 - s) · (1 - closeness) · (1 - heading) · (1 - name) · (1 - symbols) · (1 - company)`.

use crate::bm25::{Query, Ranking};
use crate::passage_counts::{PassageCounts, PassageExtent};
use crate::statistics::{each_stretch, weight, word_tenths};
use crate::term_counts::TermCounts;
use docent_document::headings;
use docent_text::limits::SLICE_BYTES;
use docent_text::lines::slices;
use docent_text::patience::Pace;
use docent_text::words::importance::{Importance, each_query_word};
use docent_text::words::terms::{Form, each_term};

/// What a pair of words counts where they follow each other, beside its two words. Chosen on the
/// evaluation's development half, from 0.1 to 0.4.
const IN_ORDER: f64 = 0.3;

/// The same where they are near each other. Chosen likewise, from 0.1 to 0.2.
const NEAR: f64 = 0.15;

/// Tenths of a word between the beginnings of two that follow each other: one short word may stand
/// between them, or the pairs of syllables of the first.
const IN_ORDER_TENTHS: u32 = 20;

/// The same for words near each other: eight words.
const NEAR_TENTHS: u32 = 80;

/// Between stretches of different kinds, such as a heading and the text below: more than any two
/// words may be apart that follow each other.
const STRETCH_TENTHS: u32 = 100;

/// The share of a heading that is the query.
const HEADING: f64 = 0.5;

/// The share of a file's name of which each word stands in the query, where the query is no more.
const NAME: f64 = 0.4;

/// Files whose names are looked at, the best of the first stage: a millisecond at most.
const NAMED_FILES: usize = 1_000;

/// The share of all symbols of a query: more than a word's, for who writes one means it.
const SYMBOLS: f64 = 0.6;

/// The share of a place in code that holds all words of the query; of one that holds less, as much
/// less as the cube of what they are worth. Of documents the sum of all places tells more: with it,
/// 1 of 100 questions lost its page.
const COMPANY: f64 = 0.6;

/// Words from the first to the last of those that stand in one place, in tenths: a paragraph.
const PLACE_TENTHS: u32 = 400;

/// Passages of a long document that are read again, best first.
const PASSAGES_READ_AGAIN: usize = 3;

/// The part of a long document's words, one in so many, that it costs to read what is not gone
/// through.
const UNREAD_SHARE: u32 = 32;

/// Returns how many words of a document the second stage goes through.
pub fn words_read_again(document: &TermCounts) -> u32 {
    match &document.passages {
        None => document.length,
        Some(passages) => {
            passages.mean_words() * PASSAGES_READ_AGAIN as u32 + document.length / UNREAD_SHARE
        }
    }
}

/// What is judged again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Documents and their sections.
    Document,
    /// Files of code: long ones, which hold most words somewhere, so that the first stage tells
    /// little of them.
    Code,
}

impl TextKind {
    /// Returns how many texts are read again, best first, and words of all of them together.
    fn most(self) -> (usize, u32) {
        match self {
            // Of more, none gets among the first ten. About 240 KB, which are gone through in a
            // millisecond at most.
            Self::Document => (20, 40_000),
            // About 2.5 MB, some ten milliseconds.
            Self::Code => (60, 400_000),
        }
    }

    /// Returns how many texts are read again at most.
    pub fn most_read_again(self) -> usize {
        self.most().0
    }

    /// Returns how many texts of these lengths in words, best first, are worth reading again.
    pub fn worth_reading(self, lengths: impl Iterator<Item = u32>) -> usize {
        let (texts, most) = self.most();
        let words = lengths.take(texts).scan(0u32, |words, length| {
            *words = words.saturating_add(length);
            Some(*words)
        });
        words.take_while(|words| *words <= most).count()
    }
}

/// A document to be judged again.
#[derive(Clone, Copy, Debug)]
pub struct ReadDocument<'a> {
    /// Its path.
    pub path: &'a str,
    /// Its text.
    pub text: &'a str,
    /// Its length in words, as the first stage counts them.
    pub length: u32,
    /// What its passages hold, where there are several: then the best are read, and no others.
    pub passages: Option<&'a PassageCounts>,
    /// The first stage's score.
    pub score: f64,
}

/// The second stage for one query.
#[derive(Debug)]
pub struct SecondStage<'a> {
    query: &'a Query,
    ranking: &'a Ranking,
    kind: TextKind,
    /// Of each word of the query: what it is worth, and whether it names something.
    words: Vec<QueryWord>,
    /// Of each word of the query, which files have it in their names; empty where none are known.
    names: Vec<NameUse>,
}

/// Which files have a word in their names.
#[derive(Clone, Debug, PartialEq)]
enum NameUse {
    None,
    /// Those of this name, whatever their directories and extensions.
    Of(String),
    Several,
}

#[derive(Clone, Copy, Debug, Default)]
struct QueryWord {
    worth: f64,
    is_named: bool,
}

/// Where the words of a query stand in a text, as far as it was gone through.
struct Places {
    /// In tenths of a word.
    now: u32,
    /// Where each word stood last.
    last: Vec<Option<u32>>,
    /// Of each pair of words, named by the second: how often they follow each other, and stand near
    /// each other, in quarters.
    in_order: Vec<u32>,
    near: Vec<u32>,
    /// Whether the last occurrence of each word was counted as near the one before it.
    is_counted: Vec<bool>,
    /// What the words of one place are worth, where that is most.
    company: f64,
}

impl Places {
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
    fn add(&mut self, word: usize, weight: u32, words: &[QueryWord]) {
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
        // The next word of the query stood before this one.
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

impl<'a> SecondStage<'a> {
    /// Returns the second stage behind the first one of `query`.
    pub fn new(query: &'a Query, ranking: &'a Ranking, kind: TextKind) -> Self {
        let mut words: Vec<QueryWord> = Vec::new();
        for (index, term) in query.terms().iter().enumerate() {
            if term.form == Form::Pair {
                continue;
            }
            let (word, importance) = query.word_of(index);
            words.resize(words.len().max(word + 1), QueryWord::default());
            let own = &mut words[word];
            own.worth = own.worth.max(ranking.term_weight(index));
            own.is_named |= importance == Importance::Names;
        }
        // Of a query that names nothing all words are asked for.
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

    /// Returns the same with the files at these paths, one of which the query may name.
    pub fn among<'p>(mut self, paths: impl Iterator<Item = &'p str>) -> Self {
        // A word alone is no name among others, and code is looked up by what it defines.
        if self.kind == TextKind::Code || self.words.len() < 2 {
            return self;
        }
        let mut names = vec![NameUse::None; self.words.len()];
        for path in paths.take(NAMED_FILES) {
            let stem = stem(path);
            self.each_word_of_name(stem, |word| {
                let Some(word) = word else { return };
                let is_same = matches!(&names[word], NameUse::Of(other) if other == stem);
                names[word] = match names[word] {
                    NameUse::None => NameUse::Of(stem.to_owned()),
                    _ if is_same => return,
                    _ => NameUse::Several,
                };
            });
        }
        self.names = names;
        self
    }

    /// Returns the score of a document, at least the first stage's and below 1; none when the time
    /// is over.
    pub fn score(&self, document: ReadDocument<'_>, pace: &mut Pace<'_>) -> Option<f64> {
        let ReadDocument { path, text, .. } = document;
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = stem(path);
        let title = headings::title(name, text);
        let mut heading = self.heading(stem);
        if let Some(title) = &title {
            heading = heading.max(self.heading(title));
        }
        let left = 1.0 - NAME * self.named(stem);
        let Some(passages) = document.passages else {
            let left = left * self.left(text, document.length, heading, pace)?;
            return Some(1.0 - (1.0 - document.score) * left);
        };
        let best = passages.best(self.ranking, PASSAGES_READ_AGAIN);
        let greatest = best.first().map_or(0.0, |passage| passage.score);
        let mut score = document.score;
        for passage in best {
            let PassageExtent { span, words } = passage.extent;
            // Its text is another by now; then the whole stands for it.
            let text = text.get(span).unwrap_or(text);
            let left = left * self.left(text, words, heading, pace)?;
            // One that is behind by its words stands as much behind here.
            let own = document.score * passage.score / greatest;
            score = score.max(1.0 - (1.0 - own) * left);
        }
        Some(score)
    }

    /// Returns what a text of so many words leaves between the first stage's score and 1; none when
    /// the time is over. `heading` is how much of a heading above it is the query.
    fn left(&self, text: &str, words: u32, mut heading: f64, pace: &mut Pace<'_>) -> Option<f64> {
        let mut places = Places::new(self.words.len());
        each_stretch(text, |stretch, weight| {
            let inside = &text[stretch];
            if weight == weight::HEADING {
                heading = heading.max(self.heading(inside));
            }
            self.add_places(inside, weight, &mut places, pace);
        });
        if pace.is_over() {
            return None;
        }
        let closeness = self.closeness(&places, words);
        let left = (1.0 - closeness)
            * (1.0 - HEADING * heading)
            * (1.0 - SYMBOLS * self.symbols(text))
            * (1.0 - COMPANY * self.company(&places));
        Some(left)
    }

    fn add_places(&self, text: &str, weight: u32, places: &mut Places, pace: &mut Pace<'_>) {
        // A word alone is near nothing.
        if self.words.len() < 2 {
            return;
        }
        for slice in slices(text, SLICE_BYTES) {
            if pace.is_over_after(slice.len()) {
                return;
            }
            each_term(slice, self.query.initials(), |term| {
                if term.form == Form::Word
                    && let Some(at) = self.query.place(term)
                {
                    places.add(self.query.word_of(at).0, weight, &self.words);
                }
                places.now = places.now.saturating_add(word_tenths(term.form));
            });
        }
        places.now = places.now.saturating_add(STRETCH_TENTHS);
    }

    /// Returns what the words of the query say together in a text of so many words.
    fn closeness(&self, places: &Places, length: u32) -> f64 {
        let pairs = 1..self.words.len();
        let held = pairs.flat_map(|second| {
            let worth = self.words[second - 1].worth + self.words[second].worth;
            let in_order = (IN_ORDER * worth, places.in_order[second]);
            [in_order, (NEAR * worth, places.near[second])]
        });
        // At most 2 · (IN_ORDER + NEAR), which is below 1.
        self.ranking.weighted_score(length, held)
    }

    /// Returns how much of the query stands in one place, 0 to 1, the cube of what it is worth.
    fn company(&self, places: &Places) -> f64 {
        let all: f64 = self.words.iter().map(|word| word.worth).sum();
        // Two words are told by their closeness.
        if self.kind == TextKind::Document || self.words.len() < 3 || all <= 0.0 {
            return 0.0;
        }
        let share = (places.company / all).min(1.0);
        share * share * share
    }

    /// Returns how much of a heading is the query, 0 to 1; 0 where a word is missing.
    fn heading(&self, heading: &str) -> f64 {
        let mut held = vec![false; self.words.len()];
        let (mut own, mut others) = (0u32, 0u32);
        each_term(heading, self.query.initials(), |term| {
            if term.form == Form::Word {
                match self.query.place(term) {
                    Some(at) => {
                        held[self.query.word_of(at).0] = true;
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

    /// Returns what the words of a file's name are worth in the query, 0 to 1; 0 where the query
    /// lacks one of them, or other files have all of them in their names.
    fn named(&self, stem: &str) -> f64 {
        let mut held = vec![false; self.words.len()];
        let mut is_all = true;
        self.each_word_of_name(stem, |word| match word {
            Some(word) => held[word] = true,
            None => is_all = false,
        });
        let is_own = |word: usize| self.names.get(word) == Some(&NameUse::Of(stem.to_owned()));
        if !is_all || !(0..held.len()).any(|word| held[word] && is_own(word)) {
            return 0.0;
        }
        let all: f64 = self.words.iter().map(|word| word.worth).sum();
        let held = self.words.iter().zip(held).filter(|(_, held)| *held);
        held.map(|(word, _)| word.worth).sum::<f64>() / all
    }

    /// Gives, of each word in a file's name that names something, which word of the query it is.
    fn each_word_of_name(&self, stem: &str, mut give: impl FnMut(Option<usize>)) {
        each_query_word(stem, |run, importance| {
            let mut place = None;
            let mut forms = 0;
            each_term(run, self.query.initials(), |term| {
                // Of an identifier the first is all of it; of Hangul, with a particle, any is.
                if term.form == Form::Word && (forms == 0 || !run.is_ascii()) {
                    place = place.or(self.query.place(term));
                    forms += 1;
                }
            });
            let word = place.map(|place| self.query.word_of(place).0);
            if word.is_some() || importance == Importance::Names {
                give(word);
            }
        });
    }

    /// Returns how many of the query's symbols a text holds, and how clearly, 0 to 1.
    fn symbols(&self, text: &str) -> f64 {
        let symbols = self.query.symbols();
        // Without a word they are what the first stage counted.
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

/// Returns the name of the file at a path without its extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bm25::Collection;

    /// Returns the scores of texts that score the same in the first stage.
    fn scores<const N: usize>(query: &str, texts: [(&str, &str); N]) -> [f64; N] {
        let query = Query::new(query);
        let mut collection = Collection::default();
        for held in [0, 1, 0, 0] {
            collection.add(20, &vec![held; query.counted()]);
        }
        let ranking = collection.rank(&query, 20.0);
        let stage = SecondStage::new(&query, &ranking, TextKind::Document);
        texts.map(|(path, text)| {
            let document = ReadDocument {
                path,
                text,
                length: 20,
                passages: None,
                score: 0.4,
            };
            stage.score(document, &mut Pace::endless()).unwrap_or(0.0)
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
            let query = Query::new(query);
            let mut collection = Collection::default();
            collection.add(20, &vec![1; query.counted()]);
            collection.add(20, &vec![0; query.counted()]);
            let ranking = collection.rank(&query, 20.0);
            let stage = SecondStage::new(&query, &ranking, TextKind::Document);
            let stage = stage.among(paths.iter().copied());
            let document = ReadDocument {
                path,
                text: "text\n",
                length: 20,
                passages: None,
                score: 0.4,
            };
            stage.score(document, &mut Pace::endless()).unwrap_or(0.0)
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
    fn of_code_one_place_counts() {
        let query = Query::new("lantern harbour night");
        let mut collection = Collection::default();
        collection.add(20, &vec![1; query.counted()]);
        collection.add(20, &vec![0; query.counted()]);
        let ranking = collection.rank(&query, 20.0);
        let apart = format!("night {0} harbour {0} lantern", "other ".repeat(60));
        let near = "night and at the harbour still no lantern";
        let score = |kind, text: &str| {
            let document = ReadDocument {
                path: "a.c",
                text,
                length: 20,
                passages: None,
                score: 0.4,
            };
            let stage = SecondStage::new(&query, &ranking, kind);
            stage.score(document, &mut Pace::endless()).unwrap_or(0.0)
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
