//! What questions cost, by the component and by the same core without it.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use docent_api::pillars::ExploreOptions;
use docent_host::Limits;
use docent_tests::guest::{call, docent, limits};
use docent_tools::NO_EXPLORE_OPTIONS;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::native;
use crate::process::{median, own_cpu};

/// What questions cost, in CPU time.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Questions {
    /// `smart-search` in the whole tree.
    pub smart: Series,
    /// `explore` in the whole tree.
    pub explore: Series,
    /// `query-document` in a document of 1 MB, by an instance that keeps nothing.
    pub long: Duration,
    /// The same in one without headings.
    pub bare: Duration,
}

/// What a tool costs that looks through the whole tree.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Series {
    /// The first question.
    pub first: Duration,
    /// The same again.
    pub again: Duration,
    /// Another one.
    pub other: Duration,
}

/// What is asked.
pub struct Asked<'a> {
    /// The tree.
    pub corpus: &'a Path,
    /// The directory of the long documents.
    pub long: &'a Path,
    /// The first of them is asked several times.
    pub questions: &'a [String],
    /// How often.
    pub rounds: usize,
}

/// The long document.
pub const LONG: &str = "longer.md";

/// The one without headings.
pub const BARE: &str = "bare.md";

/// Measures the component.
///
/// # Errors
/// When the system does not tell times.
pub fn by_component(asked: &Asked<'_>) -> Result<Questions, Box<dyn Error>> {
    let mut smart = docent(asked.corpus, Limits::default());
    let mut explore = docent(asked.corpus, Limits::default());
    let mut cold = docent(asked.long, limits());
    let mut one = |document: &str, question: &str| {
        let request = json!({ "path": document, "query": question });
        let answer = call(&mut cold, "query-document", request);
        assert!(answer.is_ok(), "{answer:?}");
    };
    Ok(Questions {
        smart: asked.tree(|question| {
            let answer = call(&mut smart, "smart-search", json!({ "query": question }));
            assert!(answer.is_ok(), "{answer:?}");
        })?,
        explore: asked.tree(|question| {
            let options = json!({ "query": question });
            let answer = call(&mut explore, "explore", options);
            assert!(answer.is_ok(), "{answer:?}");
        })?,
        long: asked.document(|question| one(LONG, question))?,
        bare: asked.document(|question| one(BARE, question))?,
    })
}

/// Measures the core alone.
///
/// # Errors
/// When a directory cannot be opened, or the system does not tell times.
pub fn by_core(asked: &Asked<'_>) -> Result<Questions, Box<dyn Error>> {
    let mut smart = native::docent(asked.corpus, Limits::default().cache)?;
    let mut explore = native::docent(asked.corpus, Limits::default().cache)?;
    let mut cold = native::docent(asked.long, 0)?;
    let mut one = |document: &str, question: &str| {
        let answer = cold.query_document(document.to_owned(), question.to_owned(), None);
        assert!(answer.is_ok(), "{answer:?}");
    };
    Ok(Questions {
        smart: asked.tree(|question| {
            let answer = smart.smart_search(question.to_owned(), None);
            assert!(answer.is_ok(), "{answer:?}");
        })?,
        explore: asked.tree(|question| {
            let options = ExploreOptions {
                query: Some(question.to_owned()),
                ..NO_EXPLORE_OPTIONS
            };
            let answer = explore.explore(Some(options));
            assert!(answer.is_ok(), "{answer:?}");
        })?,
        long: asked.document(|question| one(LONG, question))?,
        bare: asked.document(|question| one(BARE, question))?,
    })
}

impl Asked<'_> {
    fn tree(&self, mut ask: impl FnMut(&str)) -> Result<Series, Box<dyn Error>> {
        let [question, others @ ..] = self.questions else {
            return Err("questions are missing".into());
        };
        let first = cost(|| ask(question))?;
        // What was written a moment ago is read again until its time stamp is certain.
        ask(question);
        let again = (0..self.rounds).map(|_| cost(|| ask(question)));
        let again: Vec<Duration> = again.collect::<Result<_, _>>()?;
        let other = others.iter().map(|other| cost(|| ask(other)));
        let other: Vec<Duration> = other.collect::<Result<_, _>>()?;
        Ok(Series {
            first,
            again: median(again.into_iter()),
            other: median(other.into_iter()),
        })
    }

    fn document(&self, mut ask: impl FnMut(&str)) -> Result<Duration, Box<dyn Error>> {
        let question = self.questions.first().ok_or("questions are missing")?;
        let costs = (0..self.rounds).map(|_| cost(|| ask(question)));
        let costs: Vec<Duration> = costs.collect::<Result<_, _>>()?;
        Ok(median(costs.into_iter()))
    }
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
