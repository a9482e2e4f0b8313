//! What calls cost inside one process that keeps its instance: CPU time without a protocol.

use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use docent_host::Limits;
use docent_tests::guest::{call, docent, limits, pages};
use serde_json::{Value, json};

use crate::process::{median, own_cpu};

/// The first argument of the process that measures calls.
pub const INSIDE: &str = "inside";

/// Bytes of the long document that is read.
const LONG: usize = 200_000;

/// Bytes of the long document that is asked.
const LONGER: usize = 1_000_000;

/// What calls cost, in CPU time.
pub struct Costs {
    /// The first search, with a cache to fill.
    pub first: Duration,
    /// The same search again.
    pub again: Duration,
    /// A search for another word.
    pub other: Duration,
    /// Reading a document of 200 KB.
    pub read: Duration,
    /// The first question to the whole tree.
    pub question_first: Duration,
    /// The same question again.
    pub question_again: Duration,
    /// Another question.
    pub question_other: Duration,
    /// A question to a document of 1 MB, by an instance that keeps nothing.
    pub question_long: Duration,
    /// All pages of the whole tree, for the first time.
    pub tree: Duration,
    /// All pages of the whole tree, again.
    pub tree_again: Duration,
}

/// Measures in a process of its own.
///
/// # Errors
/// When that fails.
pub fn costs(corpus: &Path, words: &[&str], rounds: usize) -> Result<Costs, Box<dyn Error>> {
    let output = Command::new(std::env::current_exe()?)
        .arg(INSIDE)
        .arg(corpus)
        .arg(rounds.to_string())
        .args(words)
        .output()?;
    let told: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let time = |key: &str| Duration::from_micros(told[key].as_u64().unwrap_or_default());
    Ok(Costs {
        first: time("first"),
        again: time("again"),
        other: time("other"),
        read: time("read"),
        question_first: time("questionFirst"),
        question_again: time("questionAgain"),
        question_other: time("questionOther"),
        question_long: time("questionLong"),
        tree: time("tree"),
        tree_again: time("treeAgain"),
    })
}

/// Measures calls in this process and prints what they cost.
///
/// # Errors
/// When an argument is missing or a call fails.
pub fn measure_all(mut arguments: impl Iterator<Item = OsString>) -> Result<(), Box<dyn Error>> {
    let corpus = PathBuf::from(arguments.next().ok_or("a corpus is missing")?);
    let rounds: usize = arguments
        .next()
        .ok_or("rounds are missing")?
        .to_string_lossy()
        .parse()?;
    let words: Vec<String> = arguments
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let [word, others @ ..] = words.as_slice() else {
        return Err("words are missing".into());
    };

    let long = tempfile::tempdir()?;
    std::fs::write(long.path().join("long.md"), long_document(&corpus, LONG)?)?;
    let mut reader = docent(long.path(), Limits::default());
    let mut read = || {
        cost(|| {
            let answer = call(&mut reader, "read-document", json!({ "path": "long.md" }));
            assert!(answer.is_ok(), "{answer:?}");
        })
    };
    read()?;
    let reads: Vec<Duration> = (0..rounds).map(|_| read()).collect::<Result<_, _>>()?;

    let mut session = docent(&corpus, Limits::default());
    let mut search = |word: &str| {
        cost(|| {
            let _ = pages(&mut session, "search-documents", json!({ "query": word }));
        })
    };
    let first = search(word)?;
    // What was written a moment ago is read again until its time stamp is certain.
    search(word)?;
    let again: Vec<Duration> = (0..rounds)
        .map(|_| search(word))
        .collect::<Result<_, _>>()?;
    let other: Vec<Duration> = others
        .iter()
        .map(|word| search(word))
        .collect::<Result<_, _>>()?;

    let mut asked = docent(&corpus, Limits::default());
    let mut ask = |question: &str| {
        cost(|| {
            let answer = call(&mut asked, "smart-search", json!({ "query": question }));
            assert!(answer.is_ok(), "{answer:?}");
        })
    };
    let questions: Vec<String> = words.windows(2).map(|pair| pair.join(" ")).collect();
    let [question, other_questions @ ..] = questions.as_slice() else {
        return Err("words are missing".into());
    };
    let question_first = ask(question)?;
    ask(question)?;
    let question_again: Vec<Duration> = (0..rounds)
        .map(|_| ask(question))
        .collect::<Result<_, _>>()?;
    let question_other: Vec<Duration> = other_questions
        .iter()
        .map(|question| ask(question))
        .collect::<Result<_, _>>()?;

    std::fs::write(
        long.path().join("longer.md"),
        long_document(&corpus, LONGER)?,
    )?;
    let mut cold = docent(long.path(), limits());
    let mut ask_one = || {
        cost(|| {
            let request = json!({ "path": "longer.md", "query": question });
            let answer = call(&mut cold, "query-document", request);
            assert!(answer.is_ok(), "{answer:?}");
        })
    };
    let question_long: Vec<Duration> = (0..rounds).map(|_| ask_one()).collect::<Result<_, _>>()?;

    let mut lister = docent(&corpus, Limits::default());
    let mut list = || {
        cost(|| {
            let _ = pages(&mut lister, "list-full-tree", json!({ "limit": 1000 }));
        })
    };
    let tree = list()?;
    let tree_again: Vec<Duration> = (0..rounds).map(|_| list()).collect::<Result<_, _>>()?;

    let micros = |duration: Duration| duration.as_micros() as u64;
    println!(
        "{}",
        json!({
            "first": micros(first),
            "again": micros(median(again.into_iter())),
            "other": micros(median(other.into_iter())),
            "read": micros(median(reads.into_iter())),
            "questionFirst": micros(question_first),
            "questionAgain": micros(median(question_again.into_iter())),
            "questionOther": micros(median(question_other.into_iter())),
            "questionLong": micros(median(question_long.into_iter())),
            "tree": micros(tree),
            "treeAgain": micros(median(tree_again.into_iter())),
        })
    );
    Ok(())
}

fn cost(job: impl FnOnce()) -> Result<Duration, Box<dyn Error>> {
    let before = own_cpu()?;
    job();
    Ok(own_cpu()? - before)
}

/// Returns so many bytes of the text of the corpus's first documents as one.
fn long_document(corpus: &Path, length: usize) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    let folder = corpus.join("area-00/topic-000");
    let mut number = 0;
    while text.len() < length {
        text.push_str(&std::fs::read_to_string(
            folder.join(format!("note-{number:03}.md")),
        )?);
        number = (number + 1) % 50;
    }
    let mut end = length;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    Ok(text)
}
