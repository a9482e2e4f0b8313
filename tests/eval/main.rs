//! Measures how well `smart-search` finds what answers, through the component.
//!
//! ```sh
//! cargo run --release -p docent-tests --bin eval -- DIRECTORY
//! ```
//!
//! The directory holds pairs of files `SET.docs.jsonl` (`{"id", "text"}`, each written as a file of
//! that name) and `SET.queries.jsonl` (`{"id", "query", "relevant": [id]}`). Nothing of it is part
//! of the project.
#![forbid(unsafe_code)]

mod metrics;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use docent_host::{Limits, Session};
use docent_tests::guest::{call, docent};
use metrics::{HEADER, Metrics};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let Some(directory) = std::env::args_os().nth(1) else {
        eprintln!("eval: no data was named; expected a directory");
        return ExitCode::FAILURE;
    };
    match run(&PathBuf::from(directory)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("eval: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(directory: &Path) -> Result<(), Box<dyn Error>> {
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".docs.jsonl").map(str::to_owned));
    }
    names.sort();
    if names.is_empty() {
        return Err("the directory holds no set; expected files `SET.docs.jsonl`".into());
    }
    println!("{:20} {HEADER}", "set, relevance");
    for name in names {
        let documents = lines(&directory.join(format!("{name}.docs.jsonl")))?;
        let queries = lines(&directory.join(format!("{name}.queries.jsonl")))?;
        let tree = tempfile::tempdir()?;
        for document in &documents {
            let (id, text) = (text(document, "id")?, text(document, "text")?);
            fs::write(tree.path().join(id), text)?;
        }
        let mut session = docent(tree.path(), Limits::default());
        for relevance in ["bm25", "density"] {
            let metrics = measure(&mut session, &queries, relevance)?;
            println!("{:20} {metrics}", format!("{name}, {relevance}"));
        }
    }
    Ok(())
}

fn lines(path: &Path) -> Result<Vec<Value>, Box<dyn Error>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?)
}

fn text<'a>(value: &'a Value, field: &str) -> Result<&'a str, Box<dyn Error>> {
    value[field]
        .as_str()
        .ok_or_else(|| format!("a line has no text `{field}`").into())
}

/// Asks each query twice: for ten documents, whose order gives the ranks, and with the defaults of a
/// caller, whose sections give the tokens.
fn measure(
    session: &mut Session,
    queries: &[Value],
    relevance: &str,
) -> Result<Metrics, Box<dyn Error>> {
    let mut metrics = Metrics::default();
    for query in queries {
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
