//! The ranks of documents in `smart-search`, and the position of the relevant sections in its
//! answers.

use std::error::Error;
use std::path::Path;

use docent_host::{Limits, Session};
use docent_tests::guest::{call, docent};
use serde_json::{Value, json};

use crate::ask::Search;
use crate::documents::{Set, text};
use crate::metrics::Metrics;

/// Asks each query twice: for ten documents, whose order gives the ranks, and with the default
/// options, whose sections give the tokens.
///
/// # Errors
/// If a query has no text, or is refused.
pub fn measure(
    session: &mut Session,
    set: &Set,
    relevance: &str,
) -> Result<Metrics, Box<dyn Error>> {
    let mut metrics = Metrics::default();
    for query in &set.queries {
        let options = json!({ "mode": "keyword", "relevance": relevance });
        let (rank, _) = first_relevant(session, query, options.clone())?;
        let answer = ask(session, query, options, (5, 2000))?;
        let mut tokens = 0;
        let mut found = None;
        for document in documents(&answer) {
            for section in document["sections"].as_array().into_iter().flatten() {
                tokens += section["tokens"].as_u64().unwrap_or_default();
                if found.is_none() && is_relevant(query, document) {
                    found = Some(tokens);
                }
            }
        }
        metrics.add(rank, found);
    }
    Ok(metrics)
}

/// Asks for ten documents, and returns the rank of the first relevant one, from 1, and the answer;
/// no rank if none is relevant.
///
/// # Errors
/// If the query has no text, or is refused.
pub fn first_relevant(
    session: &mut Session,
    query: &Value,
    options: Value,
) -> Result<(Option<u32>, Value), Box<dyn Error>> {
    let answer = ask(session, query, options, (10, 100_000))?;
    let rank = (1..)
        .zip(documents(&answer))
        .find(|(_, document)| is_relevant(query, document))
        .map(|(rank, _)| rank);
    Ok((rank, answer))
}

/// Opens a directory, and returns the function that finds its documents for a query; it returns
/// none if the query is refused.
///
/// # Panics
/// If the directory cannot be granted.
pub fn open(directory: &Path) -> Search {
    let mut session = docent(directory, Limits::default());
    Box::new(move |query, limit| {
        let request = json!({ "query": query, "limit": limit, "mode": "keyword" });
        let answer = call(&mut session, "smart-search", request).unwrap_or_default();
        let paths = documents(&answer).filter_map(|document| document["path"].as_str());
        paths.map(str::to_owned).collect()
    })
}

/// Asks for up to `limit` documents within `tokens`.
fn ask(
    session: &mut Session,
    query: &Value,
    options: Value,
    (limit, tokens): (u32, u32),
) -> Result<Value, Box<dyn Error>> {
    let mut request = options;
    request["query"] = text(query, "query")?.into();
    request["limit"] = limit.into();
    request["maxTokens"] = tokens.into();
    Ok(call(session, "smart-search", request)?)
}

fn documents(answer: &Value) -> impl Iterator<Item = &Value> {
    answer["documents"].as_array().into_iter().flatten()
}

fn is_relevant(query: &Value, document: &Value) -> bool {
    let relevant = query["relevant"].as_array();
    relevant.is_some_and(|relevant| relevant.contains(&document["path"]))
}
