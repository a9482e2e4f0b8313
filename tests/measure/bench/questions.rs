//! The cost of queries, by the component and by the core without a sandbox.

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

/// The CPU times of queries.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Questions {
    /// `smart-search` in the whole tree.
    pub smart: Series,
    /// `explore` in the whole tree.
    pub explore: Series,
    /// `query-document` in a document of 1 MB, by an instance without a cache.
    pub long: Duration,
    /// The same query in a document without headings.
    pub bare: Duration,
}

/// The cost of a tool that scans the whole tree.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Series {
    /// The first query.
    pub first: Duration,
    /// The same query again.
    pub again: Duration,
    /// Another query.
    pub other: Duration,
}

/// The inputs of the measurement.
pub struct Asked<'a> {
    /// Directory of the tree.
    pub corpus: &'a Path,
    /// Directory of the long documents.
    pub long: &'a Path,
    /// Queries; the first one is repeated.
    pub questions: &'a [String],
    /// Number of repetitions.
    pub rounds: usize,
}

/// Name of the long document.
pub const LONG: &str = "longer.md";

/// Name of the long document without headings.
pub const BARE: &str = "bare.md";

/// Measures the component.
///
/// # Errors
/// If the system does not report times.
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
/// If a directory cannot be opened, or the system does not report times.
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
        // Files written just now are read again until their stamps settle.
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

/// Returns the CPU time of a job.
///
/// # Errors
/// If the system does not report it.
pub fn cost(job: impl FnOnce()) -> Result<Duration, Box<dyn Error>> {
    let before = own_cpu()?;
    job();
    Ok(own_cpu()? - before)
}
