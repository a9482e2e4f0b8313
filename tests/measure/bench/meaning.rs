//! The cost of semantic ranking with a complete vector cache: a nearest-neighbour search, and a
//! query compared with the same query ranked lexically. The embedder is a stub that answers at
//! once, so that only docent is measured.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use docent_host::embedder::{EmbedFailure, Embedder, Model, Role};
use docent_host::{Limits, Session};
use docent_tests::guest::{call, docent};
use serde_json::{Value, json};

use crate::corpus::Corpus;
use crate::process::median;
use crate::questions::cost;
use crate::table::Table;

/// Dimensions of a vector, as in e5-small and `MiniLM`.
const DIMENSIONS: u32 = 384;

/// Number of vectors that are searched.
const VECTORS: usize = 100_000;

/// Number of sections of a document, each of which is one passage.
const SECTIONS: usize = 1_000;

/// Bytes of a section: one is shorter than a passage, and two are longer.
const SECTION_BYTES: usize = 420;

/// Runs of each query.
const ROUNDS: usize = 21;

/// Maximum time of the nearest-neighbour search.
const NEAREST: Duration = Duration::from_millis(10);

/// Maximum additional time of a query over its lexical ranking.
const MEANING: Duration = Duration::from_millis(15);

/// Pairs of words that occur in the corpus and are not identifiers.
const QUESTIONS: [&str; 3] = [
    "deadlock checksum",
    "tokenizer panics",
    "checksum of a tokenizer",
];

/// The same search by numpy: four-byte numbers in memory, of which the nearest fifty are selected.
const NUMPY: &str = "
import time, numpy as np
vectors = np.random.default_rng(1).standard_normal((100_000, 384), dtype=np.float32)
question = vectors[0].copy()
def nearest():
    begun = time.process_time()
    products = vectors @ question
    near = np.argpartition(products, -50)[-50:]
    near[np.argsort(products[near])]
    return time.process_time() - begun
print(sorted(nearest() for _ in range(21))[10])
";

/// An embedder that answers at once, with vectors that depend on the text alone.
#[derive(Debug)]
struct AtOnce;

impl Embedder for AtOnce {
    fn model(&self, _: Duration) -> Result<Model, EmbedFailure> {
        Ok(Model {
            name: "at-once".to_owned(),
            fingerprint: "1".to_owned(),
            dimensions: DIMENSIONS,
            max_bytes: 2000,
            passages: 50,
            weight: 1.0,
        })
    }

    fn embed(
        &self,
        _: Role,
        texts: &[&str],
        _: Duration,
    ) -> Result<Vec<Option<Vec<f32>>>, EmbedFailure> {
        Ok(texts.iter().map(|text| Some(vector(text))).collect())
    }
}

/// Returns a vector whose direction is specific to the text: the digits of a generator (xorshift)
/// that is seeded with the text's bytes.
fn vector(text: &str) -> Vec<f32> {
    let mut state = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut number = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f32::from((state >> 48) as i16)
    };
    (0..DIMENSIONS).map(|_| number()).collect()
}

/// Measures and adds rows.
///
/// # Errors
/// If files cannot be written, or a call fails.
pub fn measure(table: &mut Table, corpus: &Corpus) -> Result<(), Box<dyn Error>> {
    nearest(table)?;
    question(table, &corpus.directory)
}

fn nearest(table: &mut Table) -> Result<(), Box<dyn Error>> {
    let (many, one, vectors) = (
        tempfile::tempdir()?,
        tempfile::tempdir()?,
        tempfile::tempdir()?,
    );
    for number in 0..VECTORS / SECTIONS {
        fs::write(many.path().join(format!("{number}.md")), sections(number))?;
    }
    fs::write(one.path().join("a.md"), "# A\n\nSome water in a river.\n")?;
    let passages = embed_all(many.path(), vectors.path())?;
    if passages != VECTORS {
        return Err(format!("{passages} passages; expected {VECTORS}").into());
    }
    // The same query on the same document, once beside all these vectors and once beside none.
    let none = tempfile::tempdir()?;
    for vectors in [vectors.path(), none.path()] {
        embed_all(one.path(), vectors)?;
    }
    let mut among = open(one.path(), vectors.path());
    let mut alone = open(one.path(), none.path());
    let ask = |session: &mut Session| cost_of(session, "water river", "auto");
    let (with, without) = in_turn(|| ask(&mut among), || ask(&mut alone))?;
    let figure = with.saturating_sub(without);
    let what = format!("nearest of {VECTORS} vectors, CPU");
    table.add_time(&what, figure, Some(NEAREST));
    match numpy() {
        Some(numpy) => table.add_ratio("the same, beside float32", figure, ("numpy", numpy), None),
        None => eprintln!("left out: `python3` on PATH has no numpy"),
    }
    Ok(())
}

fn question(table: &mut Table, corpus: &Path) -> Result<(), Box<dyn Error>> {
    let vectors = tempfile::tempdir()?;
    let passages = embed_all(corpus, vectors.path())?;
    let mut by_meaning = open(corpus, vectors.path());
    let mut by_words = open(corpus, vectors.path());
    let (mut meaning, mut words) = (Vec::new(), Vec::new());
    for question in QUESTIONS {
        let (auto, keyword) = in_turn(
            || cost_of(&mut by_meaning, question, "auto"),
            || cost_of(&mut by_words, question, "keyword"),
        )?;
        meaning.push(auto);
        words.push(keyword);
    }
    let (meaning, words) = (median(meaning.into_iter()), median(words.into_iter()));
    let of = format!("question, 10 000 documents, {passages} passages known");
    table.add_time(&format!("{of}, by words, CPU"), words, None);
    table.add_time(&format!("{of}, by meaning too, CPU"), meaning, None);
    let more = meaning.saturating_sub(words);
    table.add_time("what meaning adds to a question, CPU", more, Some(MEANING));
    Ok(())
}

/// Runs two jobs in turn, with some warm-up runs, and returns the median time of each.
fn in_turn(
    mut first: impl FnMut() -> Result<Duration, Box<dyn Error>>,
    mut second: impl FnMut() -> Result<Duration, Box<dyn Error>>,
) -> Result<(Duration, Duration), Box<dyn Error>> {
    let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS + 2 {
        let (first, second) = (first()?, second()?);
        if round >= 2 {
            firsts.push(first);
            seconds.push(second);
        }
    }
    Ok((median(firsts.into_iter()), median(seconds.into_iter())))
}

fn cost_of(session: &mut Session, query: &str, mode: &str) -> Result<Duration, Box<dyn Error>> {
    let request = json!({ "query": query, "mode": mode });
    let mut answer = Ok(Value::Null);
    let cost = cost(|| answer = call(session, "smart-search", request))?;
    let answer = answer?;
    if answer["degraded"] != Value::Bool(false) || answer["documents"] == json!([]) {
        return Err(format!("`{query}` is answered in part: {answer}").into());
    }
    Ok(cost)
}

fn open(tree: &Path, vectors: &Path) -> Session {
    let session = docent(tree, Limits::default());
    session.embed_with(Arc::new(AtOnce));
    session.keep_vectors_ambient(vectors);
    session
}

/// Embeds and stores all passages of a tree, and returns their number.
fn embed_all(tree: &Path, vectors: &Path) -> Result<usize, Box<dyn Error>> {
    let mut session = open(tree, vectors);
    let (mut passages, mut request) = (0, json!({ "command": "reindex" }));
    loop {
        let answer = call(&mut session, "manage", request.clone())?;
        let made = &answer["vectors"]["passages"];
        passages += made.as_u64().ok_or("no passages were embedded")? as usize;
        let Some(next) = answer.get("nextCursor").filter(|next| !next.is_null()) else {
            return Ok(passages);
        };
        request["cursor"] = next.clone();
    }
}

/// Returns a document with one passage per section; no two passages are equal.
fn sections(document: usize) -> String {
    let mut text = String::new();
    for section in 0..SECTIONS {
        let start = text.len();
        // Infallible.
        let _ = write!(text, "# Part {document}-{section}\n\n");
        while text.len() - start < SECTION_BYTES {
            text.push_str("A plain line of text.\n");
        }
    }
    text
}

/// Returns the time of the same search by `numpy`; none if it is not installed.
fn numpy() -> Option<Duration> {
    let output = Command::new("python3").args(["-c", NUMPY]).output().ok()?;
    let seconds = String::from_utf8(output.stdout).ok()?;
    Some(Duration::from_secs_f64(seconds.trim().parse().ok()?))
}
