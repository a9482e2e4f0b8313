//! The CPU time of calls inside one process that keeps its instance, without a protocol.

use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use docent_host::Limits;
use docent_tests::guest::{call, docent, pages};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::process::median;
use crate::questions::{self, Asked, BARE, LONG, Questions, cost};

/// First argument of the measuring process.
pub const INSIDE: &str = "inside";

/// Bytes of the document that is read.
const READ: usize = 200_000;

/// Bytes of the documents that are queried.
pub const ASKED: usize = 1_000_000;

/// The CPU times of calls.
#[derive(Serialize, Deserialize)]
pub struct Costs {
    /// The first search, which fills the cache.
    pub first: Duration,
    /// The same search again.
    pub again: Duration,
    /// A search for another word.
    pub other: Duration,
    /// Reading a document of 200 KB.
    pub read: Duration,
    /// Queries to the component.
    pub questions: Questions,
    /// The same queries to the core without a sandbox.
    pub native: Questions,
    /// The first listing of the whole tree, through all pages.
    pub tree: Duration,
    /// The second listing of the whole tree, through all pages.
    pub tree_again: Duration,
}

/// Measures calls in a separate process.
///
/// # Errors
/// If the process fails.
pub fn costs(corpus: &Path, words: &[&str], rounds: usize) -> Result<Costs, Box<dyn Error>> {
    let output = Command::new(std::env::current_exe()?)
        .arg(INSIDE)
        .arg(corpus)
        .arg(rounds.to_string())
        .args(words)
        .output()?;
    serde_json::from_slice(&output.stdout)
        .map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned().into())
}

/// Measures calls in this process, and prints their costs.
///
/// # Errors
/// If an argument is missing, or a call fails.
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
    std::fs::write(long.path().join("long.md"), long_document(&corpus, READ)?)?;
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
    // Files written just now are read again until their stamps settle.
    search(word)?;
    let again: Vec<Duration> = (0..rounds)
        .map(|_| search(word))
        .collect::<Result<_, _>>()?;
    let other: Vec<Duration> = others
        .iter()
        .map(|word| search(word))
        .collect::<Result<_, _>>()?;

    let asked = long_document(&corpus, ASKED)?;
    std::fs::write(long.path().join(BARE), without_headings(&asked))?;
    std::fs::write(long.path().join(LONG), asked)?;
    let questions: Vec<String> = words.windows(2).map(|pair| pair.join(" ")).collect();
    let asked = Asked {
        corpus: &corpus,
        long: long.path(),
        questions: &questions,
        rounds,
    };
    let by_component = questions::by_component(&asked)?;
    let by_core = questions::by_core(&asked)?;

    let mut lister = docent(&corpus, Limits::default());
    let mut list = || {
        cost(|| {
            let _ = pages(&mut lister, "list-full-tree", json!({ "limit": 1000 }));
        })
    };
    let tree = list()?;
    let tree_again: Vec<Duration> = (0..rounds).map(|_| list()).collect::<Result<_, _>>()?;

    let costs = Costs {
        first,
        again: median(again.into_iter()),
        other: median(other.into_iter()),
        read: median(reads.into_iter()),
        questions: by_component,
        native: by_core,
        tree,
        tree_again: median(tree_again.into_iter()),
    };
    println!("{}", serde_json::to_string(&costs)?);
    Ok(())
}

/// Returns a text with its headings turned into plain lines.
fn without_headings(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    let plain = lines.map(|line| line.trim_start_matches(['#', '=', '-']));
    plain.collect()
}

/// Returns the first documents of the corpus as one text of `length` bytes.
///
/// # Errors
/// If one of them cannot be read.
pub fn long_document(corpus: &Path, length: usize) -> Result<String, Box<dyn Error>> {
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
