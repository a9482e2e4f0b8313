//! What questions cost, by the component and by the same core without it.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use docent_host::Limits;
use docent_tests::guest::{call, docent, limits};
use serde_json::{Value, json};

use crate::native;
use crate::process::{median, own_cpu};

/// What questions cost, in CPU time.
#[derive(Clone, Copy)]
pub struct Questions {
    /// The first question to the whole tree.
    pub first: Duration,
    /// The same question again.
    pub again: Duration,
    /// Another question.
    pub other: Duration,
    /// A question to a document of 1 MB, by an instance that keeps nothing.
    pub long: Duration,
}

impl Questions {
    /// Returns what another process told.
    pub fn from_json(told: &Value) -> Self {
        let time = |key: &str| Duration::from_micros(told[key].as_u64().unwrap_or_default());
        Self {
            first: time("first"),
            again: time("again"),
            other: time("other"),
            long: time("long"),
        }
    }

    /// Returns the figures in microseconds.
    pub fn to_json(self) -> Value {
        let micros = |duration: Duration| duration.as_micros() as u64;
        json!({
            "first": micros(self.first),
            "again": micros(self.again),
            "other": micros(self.other),
            "long": micros(self.long),
        })
    }
}

/// Measures the component.
///
/// # Errors
/// When the system does not tell times.
pub fn by_component(
    corpus: &Path,
    long: &Path,
    questions: &[String],
    rounds: usize,
) -> Result<Questions, Box<dyn Error>> {
    let mut asked = docent(corpus, Limits::default());
    let mut cold = docent(long, limits());
    measure(
        questions,
        rounds,
        |question| {
            let answer = call(&mut asked, "smart-search", json!({ "query": question }));
            assert!(answer.is_ok(), "{answer:?}");
        },
        |question| {
            let request = json!({ "path": "longer.md", "query": question });
            let answer = call(&mut cold, "query-document", request);
            assert!(answer.is_ok(), "{answer:?}");
        },
    )
}

/// Measures the core alone.
///
/// # Errors
/// When a directory cannot be opened, or the system does not tell times.
pub fn by_core(
    corpus: &Path,
    long: &Path,
    questions: &[String],
    rounds: usize,
) -> Result<Questions, Box<dyn Error>> {
    let mut asked = native::docent(corpus, Limits::default().cache)?;
    let mut cold = native::docent(long, 0)?;
    measure(
        questions,
        rounds,
        |question| {
            let answer = asked.smart_search(question.to_owned(), None);
            assert!(answer.is_ok(), "{answer:?}");
        },
        |question| {
            let answer = cold.query_document("longer.md".to_owned(), question.to_owned(), None);
            assert!(answer.is_ok(), "{answer:?}");
        },
    )
}

/// Measures the first of `questions`, several times, and each of the others.
fn measure(
    questions: &[String],
    rounds: usize,
    mut ask: impl FnMut(&str),
    mut ask_one: impl FnMut(&str),
) -> Result<Questions, Box<dyn Error>> {
    let [question, others @ ..] = questions else {
        return Err("questions are missing".into());
    };
    let first = cost(|| ask(question))?;
    // What was written a moment ago is read again until its time stamp is certain.
    ask(question);
    let again = (0..rounds).map(|_| cost(|| ask(question)));
    let again: Vec<Duration> = again.collect::<Result<_, _>>()?;
    let other = others.iter().map(|other| cost(|| ask(other)));
    let other: Vec<Duration> = other.collect::<Result<_, _>>()?;
    let long = (0..rounds).map(|_| cost(|| ask_one(question)));
    let long: Vec<Duration> = long.collect::<Result<_, _>>()?;
    Ok(Questions {
        first,
        again: median(again.into_iter()),
        other: median(other.into_iter()),
        long: median(long.into_iter()),
    })
}

/// Returns the CPU time that a job takes.
///
/// # Errors
/// When the system does not tell it.
pub fn cost(job: impl FnOnce()) -> Result<Duration, Box<dyn Error>> {
    let before = own_cpu()?;
    job();
    Ok(own_cpu()? - before)
}
