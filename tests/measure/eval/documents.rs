//! Evaluation of the default answer of `explore` for documents: it should name and show the
//! document that answers a query.

use std::error::Error;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::answer::{Paths, items, named, share_shown};
use crate::ask::Ask;
use crate::metrics::{BYTES, SHOWN, Within, median};
use crate::table::Row;

/// A set of documents and queries, from two files of JSON lines.
pub struct Set {
    pub name: String,
    documents: Vec<Value>,
    pub queries: Vec<Value>,
}

/// Returns the names of the sets in a directory, sorted.
///
/// # Errors
/// If it cannot be listed.
pub fn names(directory: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".docs.jsonl").map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

impl Set {
    /// Reads a set.
    ///
    /// # Errors
    /// If its files cannot be read.
    pub fn read(directory: &Path, name: &str) -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            name: name.to_owned(),
            documents: lines(&directory.join(format!("{name}.docs.jsonl")))?,
            queries: lines(&directory.join(format!("{name}.queries.jsonl")))?,
        })
    }

    /// Writes each document to a file of its name.
    ///
    /// # Errors
    /// If a document has no name or text, or cannot be written.
    pub fn write(&self, tree: &Path) -> Result<(), Box<dyn Error>> {
        for document in &self.documents {
            fs::write(tree.join(text(document, "id")?), text(document, "text")?)?;
        }
        Ok(())
    }

    /// Asks each query and measures the answers.
    ///
    /// # Errors
    /// If a query has no text.
    pub fn explore(&self, ask: &mut Ask) -> Result<Row, Box<dyn Error>> {
        let mut paths = Paths::new();
        for document in &self.documents {
            paths.insert(text(document, "id")?.to_owned());
        }
        let (mut names, mut shows) = (Within::default(), Within::default());
        let mut hits = 0_u32;
        let mut sizes = Vec::new();
        for query in &self.queries {
            let answer = ask(&json!({ "query": text(query, "query")? }));
            let items = items(&answer, &paths);
            let relevant: Vec<&Value> = self.documents.iter().filter(|d| is_of(query, d)).collect();
            let named = relevant
                .iter()
                .filter_map(|d| named(&items, d["id"].as_str()?));
            let named: Vec<(usize, usize)> = named.collect();
            names.add(named.iter().map(|(end, _)| *end).min());
            hits += u32::from(named.iter().any(|(_, place)| *place <= 10));
            let is_shown = |within: usize| {
                relevant.iter().any(|document| {
                    let path = document["id"].as_str().unwrap_or_default();
                    let text = document["text"].as_str().unwrap_or_default();
                    share_shown(&items, path, text.split('\n'), within) >= SHOWN
                })
            };
            let limits = BYTES.into_iter().chain([answer.len()]);
            shows.add(limits.into_iter().find(|within| is_shown(*within)));
            sizes.push(answer.len());
        }
        let all = self.queries.len();
        let row = Row::new(self.name.as_str()).whole("questions", all);
        let row = names.shares(
            row,
            ["named@1000", "named@2000", "named@4000", "named"],
            all,
        );
        let row = row.share("hit@10", hits.into(), all);
        let row = shows.shares(
            row,
            ["shown@1000", "shown@2000", "shown@4000", "shown"],
            all,
        );
        Ok(row.whole("bytes", median(&mut sizes)))
    }
}

/// Returns true if a document is relevant to the query.
pub fn is_of(query: &Value, document: &Value) -> bool {
    query["relevant"]
        .as_array()
        .is_some_and(|relevant| relevant.contains(&document["id"]))
}

fn lines(path: &Path) -> Result<Vec<Value>, Box<dyn Error>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?)
}

/// Returns the text in a field of an object.
///
/// # Errors
/// If there is no text in a field of this name.
pub fn text<'a>(value: &'a Value, field: &str) -> Result<&'a str, Box<dyn Error>> {
    value[field]
        .as_str()
        .ok_or_else(|| format!("a line has no text `{field}`").into())
}
