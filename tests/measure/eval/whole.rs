//! Evaluation of search in whole documents: a document should be found by the text of any of its
//! sections, however long it is.
//!
//! Each tree of documents is queried with three kinds of questions. Two are derived from the tree
//! itself, always the same; those that paraphrase were written by hand and are in `questions.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::json;

use crate::answer::{Paths, items, named, plain, shown};
use crate::ask::{Ask, OpenBoth};
use crate::prose::{Section, sections, sentences};
use crate::repository::{hash, walk};
use crate::table::{Row, Table};

/// The trees whose documents are queried.
const TREES: [&str; 10] = [
    "docs/book",
    "docs/react",
    "docs/qmd",
    "docs/rfcs",
    "docs/peps",
    "code/flask",
    "code/redis",
    "code/vue",
    "code/gin",
    "code/okhttp",
];

/// The extensions of documents.
const DOCUMENTS: [&str; 5] = [".md", ".mdx", ".rst", ".adoc", ".txt"];

/// The size classes: upper limit in bytes, and name.
const CLASSES: [(usize, &str); 4] = [
    (8 << 10, "under 8 KB"),
    (20 << 10, "8 to 20 KB"),
    (60 << 10, "20 to 60 KB"),
    (usize::MAX, "above 60 KB"),
];

/// Maximum questions of one kind per document, and of one class per tree.
const OF_DOCUMENT: usize = 4;
const OF_CLASS: usize = 40;

/// Number of documents among which the right one has to be.
const AMONG: usize = 5;

/// Minimum characters of a line that identifies a section.
const MARK_CHARS: usize = 20;

/// Characters on either side of a word that identify its place.
const BESIDE_CHARS: usize = 30;

/// Questions that were written by hand.
const BY_HAND: &str = include_str!("questions.json");

/// The origin of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A word that no other document contains, with a common word of its sentence.
    RareWord,
    /// A heading that no other document has.
    Heading,
    /// Written by hand, as a paraphrase.
    ByHand,
}

/// A question about a section of a document.
#[derive(Debug)]
struct Question {
    kind: Kind,
    class: usize,
    path: String,
    query: String,
    /// Texts, each of which identifies the section.
    marks: Vec<String>,
}

/// A document of a tree.
struct Document {
    path: String,
    text: String,
}

#[derive(Deserialize)]
struct ByHand {
    tree: String,
    path: String,
    heading: String,
    question: String,
}

/// The results of the questions of one kind and class.
#[derive(Default)]
struct Outcome {
    questions: usize,
    found: usize,
    named: usize,
    shown: usize,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::RareWord => "a rare word and a common one",
            Self::Heading => "a heading of its own",
            Self::ByHand => "in other words",
        }
    }
}

/// Queries the documents of the existing trees, and returns the results.
///
/// # Errors
/// If a tree cannot be read, or a handwritten question names a missing section.
pub fn measure(directory: &Path, open: OpenBoth<'_>) -> Result<Table, Box<dyn Error>> {
    let by_hand: Vec<ByHand> = serde_json::from_str(BY_HAND)?;
    let mut outcomes: BTreeMap<(Kind, usize), Outcome> = BTreeMap::new();
    for name in TREES {
        let root = directory.join(name);
        if !root.is_dir() {
            eprintln!("eval: the documents of {name} are left out: there is no such folder");
            continue;
        }
        let documents = documents(&root)?;
        let mut questions = derive_questions(&documents);
        for asked in by_hand.iter().filter(|asked| asked.tree == name) {
            questions.push(question_by_hand(asked, &documents)?);
        }
        let (mut search, mut explore) = open(&root);
        let paths: Paths = documents.iter().map(|one| one.path.clone()).collect();
        for question in &questions {
            let outcome = outcomes.entry((question.kind, question.class)).or_default();
            outcome.questions += 1;
            let found = search(&question.query, AMONG);
            outcome.found += usize::from(found.contains(&question.path));
            let (is_named, is_shown) = question.explore(&mut explore, &paths);
            outcome.named += usize::from(is_named);
            outcome.shown += usize::from(is_shown);
        }
    }
    let mut table = Table::new("Whole documents");
    for ((kind, class), outcome) in outcomes {
        let Outcome {
            questions,
            found,
            named,
            shown,
        } = outcome;
        let row = Row::new(format!("{}, {}", kind.name(), CLASSES[class].1));
        let row = row.whole("questions", questions);
        let row = row.share("among five", found as f64, questions);
        let row = row.share("explore: named", named as f64, questions);
        table.add(row.share("section shown", shown as f64, questions));
    }
    Ok(table)
}

/// Returns the documents below a folder, sorted by path.
fn documents(root: &Path) -> Result<Vec<Document>, Box<dyn Error>> {
    let mut paths = Paths::new();
    walk(root, "", &mut paths)?;
    let is_document = |path: &String| DOCUMENTS.iter().any(|end| path.ends_with(end));
    let mut documents = Vec::new();
    for path in paths.into_iter().filter(is_document) {
        if let Ok(text) = fs::read_to_string(root.join(&path)) {
            documents.push(Document { path, text });
        }
    }
    Ok(documents)
}

fn class_of(document: &Document) -> usize {
    let within = |(most, _): &(usize, _)| document.text.len() < *most;
    CLASSES.iter().position(within).unwrap_or(CLASSES.len() - 1)
}

impl Question {
    /// Returns two flags: the default answer of `explore` names the document; it shows the section.
    fn explore(&self, ask: &mut Ask, paths: &Paths) -> (bool, bool) {
        let answer = ask(&json!({ "query": self.query }));
        let items = items(&answer, paths);
        let text = shown(&items, &self.path, answer.len());
        let is_shown = self.marks.iter().any(|mark| text.contains(mark));
        (named(&items, &self.path).is_some(), is_shown)
    }
}

/// Returns the questions that are derived from the documents of a tree.
fn derive_questions(documents: &[Document]) -> Vec<Question> {
    let all: Vec<Vec<Section<'_>>> = documents
        .iter()
        .map(|document| sections(&document.path, &document.text))
        .collect();
    let mut questions = rare_words(documents, &all);
    questions.extend(own_headings(documents, &all));
    // The same share of long and short documents, in an order that is independent of both.
    questions.sort_by_key(|question| hash(&format!("{}:{}", question.path, question.query)));
    let mut taken: BTreeMap<(Kind, usize), usize> = BTreeMap::new();
    let mut of_document: BTreeMap<(Kind, String), usize> = BTreeMap::new();
    questions.retain(|question| {
        let own = of_document
            .entry((question.kind, question.path.clone()))
            .or_default();
        let all = taken.entry((question.kind, question.class)).or_default();
        let is_taken = *own < OF_DOCUMENT && *all < OF_CLASS;
        *own += usize::from(is_taken);
        *all += usize::from(is_taken);
        is_taken
    });
    questions
}

/// Returns the questions with rare words, each with a common word of its sentence.
fn rare_words(documents: &[Document], all: &[Vec<Section<'_>>]) -> Vec<Question> {
    // The documents that contain each word, keyed by the beginning of the word, regardless of its
    // ending.
    let mut holders: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (index, document) in documents.iter().enumerate() {
        for word in words(&document.text) {
            holders.entry(beginning(&word)).or_default().insert(index);
        }
    }
    let frequency = |word: &str| holders.get(&beginning(word)).map_or(0, BTreeSet::len);
    let common = (documents.len() / 20).max(3)..=documents.len() / 2;
    let mut questions = Vec::new();
    for (document, sections) in documents.iter().zip(all) {
        for sentence in sentences(sections) {
            let words: Vec<String> = words(&sentence.text).collect();
            let is_rare = |word: &&String| is_word(word, 5, 3) && frequency(word) == 1;
            let is_common =
                |word: &&String| is_word(word, 4, 2) && common.contains(&frequency(word));
            let by_hash = |word: &&String| hash(word);
            let Some(rare) = words.iter().filter(is_rare).min_by_key(by_hash) else {
                continue;
            };
            let Some(other) = words.iter().filter(is_common).min_by_key(by_hash) else {
                continue;
            };
            questions.push(Question {
                kind: Kind::RareWord,
                class: class_of(document),
                path: document.path.clone(),
                query: format!("{rare} {other}"),
                marks: marks_of_word(&document.text, rare),
            });
        }
    }
    questions
}

/// Returns the words of a text, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

fn is_hangul(word: &str) -> bool {
    word.chars().all(|c| ('가'..='힣').contains(&c))
}

/// Returns true if it is a word with this minimum of Latin letters or Hangul syllables.
fn is_word(word: &str, letters: usize, syllables: usize) -> bool {
    let count = word.chars().count();
    (is_hangul(word) && count >= syllables)
        || (count >= letters && word.chars().all(|c| c.is_ascii_lowercase()))
}

/// Returns the beginning of a word, short enough to drop most endings.
fn beginning(word: &str) -> String {
    let count = word.chars().count();
    let least = if is_hangul(word) {
        2
    } else {
        count.saturating_sub(3).max(5)
    };
    word.chars().take(least).collect()
}

/// Returns the text around each occurrence of a word.
fn marks_of_word(text: &str, word: &str) -> Vec<String> {
    let mut marks = Vec::new();
    for line in text.lines() {
        // Lower case has the same length in bytes, except for letters that no such word contains.
        let folded = line.to_lowercase();
        if folded.len() != line.len() {
            continue;
        }
        for (at, _) in folded.match_indices(word) {
            let before = line[..at]
                .char_indices()
                .rev()
                .nth(BESIDE_CHARS)
                .map_or(0, |(at, _)| at);
            let behind = &line[at + word.len()..];
            let end = behind
                .char_indices()
                .nth(BESIDE_CHARS)
                .map_or(behind.len(), |(at, _)| at);
            marks.push(plain(&line[before..at + word.len() + end]));
        }
    }
    marks
}

/// Returns the questions with headings of at least three words that only one document has.
fn own_headings(documents: &[Document], all: &[Vec<Section<'_>>]) -> Vec<Question> {
    let mut holders: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (index, sections) in all.iter().enumerate() {
        for section in sections {
            let heading = section.heading.to_lowercase();
            holders.entry(heading).or_default().insert(index);
        }
    }
    let mut questions = Vec::new();
    for (document, sections) in documents.iter().zip(all) {
        for section in sections {
            let words = section.heading.split_whitespace();
            let words = words
                .filter(|word| word.contains(char::is_alphanumeric))
                .count();
            let marks = marks_of_section(section);
            let is_own = holders[&section.heading.to_lowercase()].len() == 1;
            if words >= 3 && is_own && !marks.is_empty() {
                questions.push(Question {
                    kind: Kind::Heading,
                    class: class_of(document),
                    path: document.path.clone(),
                    query: section.heading.clone(),
                    marks,
                });
            }
        }
    }
    questions
}

/// Returns the lines that identify a section.
fn marks_of_section(section: &Section<'_>) -> Vec<String> {
    let lines = section.lines.iter().map(|line| plain(line));
    let mark = |line: String| {
        let end = line
            .char_indices()
            .nth(2 * BESIDE_CHARS)
            .map_or(line.len(), |(at, _)| at);
        line[..end].to_owned()
    };
    lines
        .filter(|line| line.chars().count() >= MARK_CHARS)
        .map(mark)
        .collect()
}

fn question_by_hand(asked: &ByHand, documents: &[Document]) -> Result<Question, Box<dyn Error>> {
    let missing = || {
        format!(
            "{}/{} has no section `{}`",
            asked.tree, asked.path, asked.heading
        )
    };
    let document = documents
        .iter()
        .find(|one| one.path == asked.path)
        .ok_or_else(missing)?;
    let all = sections(&document.path, &document.text);
    let section = all
        .iter()
        .find(|one| one.heading == asked.heading)
        .ok_or_else(missing)?;
    Ok(Question {
        kind: Kind::ByHand,
        class: class_of(document),
        path: asked.path.clone(),
        query: asked.question.clone(),
        marks: marks_of_section(section),
    })
}
