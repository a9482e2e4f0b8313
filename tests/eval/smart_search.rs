//! How well `smart-search` ranks documents, and how early its sections answer.

use std::error::Error;

use docent_host::Session;
use docent_tests::guest::call;
use serde_json::{Value, json};

use crate::documents::{Set, text};
use crate::metrics::Metrics;

/// Asks each query twice: for ten documents, whose order gives the ranks, and with the defaults of
/// a caller, whose sections give the tokens.
///
/// # Errors
/// When a query has no text, or is refused.
pub fn measure(
    session: &mut Session,
    set: &Set,
    relevance: &str,
) -> Result<Metrics, Box<dyn Error>> {
    let mut metrics = Metrics::default();
    for query in &set.queries {
        let asked = text(query, "query")?;
        let relevant: Vec<&str> = query["relevant"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let is_relevant = |document: &Value| {
            document["path"]
                .as_str()
                .is_some_and(|path| relevant.contains(&path))
        };
        let mut ask = |limit: u32, tokens: u32| -> Result<Value, Box<dyn Error>> {
            let request = json!({
                "query": asked, "mode": "keyword", "limit": limit, "maxTokens": tokens,
                "relevance": relevance,
            });
            Ok(call(session, "smart-search", request)?)
        };
        let ranked = ask(10, 100_000)?;
        let documents = ranked["documents"].as_array().into_iter().flatten();
        let rank = (1..)
            .zip(documents)
            .find(|(_, document)| is_relevant(document));
        let answer = ask(5, 2000)?;
        let mut tokens = 0;
        let mut found = None;
        for document in answer["documents"].as_array().into_iter().flatten() {
            for section in document["sections"].as_array().into_iter().flatten() {
                tokens += section["tokens"].as_u64().unwrap_or_default();
                if found.is_none() && is_relevant(document) {
                    found = Some(tokens);
                }
            }
        }
        metrics.add(rank.map(|(rank, _)| rank), found);
    }
    Ok(metrics)
}
