//! Measures how good answers are: whether what answers a question is found and shown, and in how
//! many bytes, through the component.
//!
//! ```sh
//! cargo run --release -p docent-test-eval -- DIRECTORY [--record NAME]
//! cargo run --release -p docent-test-eval -- DIRECTORY --embedder SPEC | --config FILE [--server PROCESS]
//! ```
//!
//! The directory holds pairs of files `SET.docs.jsonl` (`{"id", "text"}`, each written as a file of
//! that name) and `SET.queries.jsonl` (`{"id", "query", "relevant": [id]}`), and the repositories
//! that `fetch` brings; what is not there is not measured. Nothing of it is part of the project.
//! With `--record` the figures are kept under a name, to be shown beside later ones.
//!
//! With an embedder, named as to docent itself, no more is measured than how it changes the ranks of
//! the sets' documents. What it says is kept below `target/eval`. `--server` names the process that
//! it runs in, whose processor time is told.
#![forbid(unsafe_code)]

mod answer;
mod ask;
mod code;
mod cost;
mod documents;
mod explorer;
mod extent;
mod language;
mod meaning;
mod metrics;
mod prose;
mod remembering;
mod repository;
mod smart_search;
mod table;
mod tasks;
mod whole;
mod words;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cost::Meter;
use docent_host::Limits;
use docent_tests::guest::docent;
use documents::Set;
use metrics::HEADER;
use table::{Record, Table};

/// Where the figures of the last release are kept.
const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/figures.json");

/// The repositories whose code is asked about.
const REPOSITORIES: [&str; 5] = ["flask", "redis", "vue", "gin", "okhttp"];

/// What is to be measured.
#[derive(Debug, PartialEq)]
enum Asked {
    /// All of it; the figures are kept under a name, if there is one.
    All(Option<String>),
    /// What an embedder adds, as the flags of docent name it, in a server of this process.
    Meaning {
        embedder: Option<String>,
        config: Option<PathBuf>,
        server: Option<u32>,
    },
}

fn main() -> ExitCode {
    let outcome = asked(std::env::args().skip(1)).and_then(|(directory, asked)| match asked {
        Asked::All(name) => run(&directory, name.as_deref()),
        Asked::Meaning {
            embedder,
            config,
            server,
        } => {
            let embedder = docent::meaning::embedder_ambient(embedder, config)?;
            let embedder = embedder.ok_or("the configuration names no embedder")?;
            meaning::measure(&directory, embedder, &Meter { server }, &state()?)
        }
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("eval: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns what the command line says.
fn asked(mut words: impl Iterator<Item = String>) -> Result<(PathBuf, Asked), Box<dyn Error>> {
    let expected = "a directory, and `--record NAME`, or `--embedder SPEC` or `--config FILE` with \
                    `--server PROCESS`";
    let wrong = || format!("wrong arguments; expected {expected}");
    let directory = words.next().ok_or_else(wrong)?;
    let (mut record, mut embedder, mut config, mut server) = (None, None, None, None);
    while let Some(flag) = words.next() {
        let value = words.next().ok_or_else(wrong)?;
        match flag.as_str() {
            "--record" => record = Some(value),
            "--embedder" => embedder = Some(value),
            "--config" => config = Some(value.into()),
            "--server" => server = Some(value.parse()?),
            _ => return Err(wrong().into()),
        }
    }
    let asked = if embedder.is_some() || config.is_some() {
        if record.is_some() {
            return Err(wrong().into());
        }
        Asked::Meaning {
            embedder,
            config,
            server,
        }
    } else if server.is_some() {
        return Err(wrong().into());
    } else {
        Asked::All(record)
    };
    Ok((directory.into(), asked))
}

/// Returns where what embedders say is kept: beside the folder of what was built.
fn state() -> Result<PathBuf, Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let target = program.ancestors().nth(2);
    Ok(target
        .ok_or("a program lies in a folder of a target folder")?
        .join("eval/vectors"))
}

fn run(directory: &Path, name: Option<&str>) -> Result<(), Box<dyn Error>> {
    let recorded = Record::parse(&fs::read_to_string(RECORD)?)?;
    let mut tables = vec![documents(directory)?];
    tables.push(whole::measure(directory, &|root| {
        (smart_search::open(root), explorer::open(root))
    })?);
    tables.extend(code(directory)?);
    tables.extend(tasks::tables(directory, &explorer::open)?);
    for table in &tables {
        table.print(&recorded);
    }
    if let Some(name) = name {
        fs::write(RECORD, Record::of(name, &tables))?;
    }
    Ok(())
}

/// Prints how the sets' documents are ranked, and returns how they are shown.
fn documents(directory: &Path) -> Result<Table, Box<dyn Error>> {
    let mut table = Table::new("Documents");
    let names = documents::names(directory)?;
    if !names.is_empty() {
        println!("{:20} {HEADER}", "set, relevance");
    }
    for name in names {
        let set = Set::read(directory, &name)?;
        let tree = tempfile::tempdir()?;
        set.write(tree.path())?;
        let mut session = docent(tree.path(), Limits::default());
        for relevance in ["bm25", "density"] {
            let metrics = smart_search::measure(&mut session, &set, relevance)?;
            println!("{:20} {metrics}", format!("{name}, {relevance}"));
        }
        table.add(set.explore(&mut explorer::open(tree.path()))?);
    }
    Ok(table)
}

fn code(directory: &Path) -> Result<[Table; 3], Box<dyn Error>> {
    let mut tables = code::Tables::default();
    for name in REPOSITORIES {
        let root = directory.join("code").join(name);
        if root.is_dir() {
            tables.add(name, &root, &explorer::open)?;
        } else {
            eprintln!("eval: {name} is left out: there is no code/{name}");
        }
    }
    Ok([tables.names, tables.comments, tables.calls])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_asks_for_all_or_for_an_embedder() {
        let of = |line: &str| {
            let words = line.split_whitespace().map(str::to_owned);
            asked(words).map_err(|error| error.to_string())
        };
        let all = |name: Option<&str>| ("d".into(), Asked::All(name.map(str::to_owned)));
        assert_eq!(of("d"), Ok(all(None)));
        assert_eq!(of("d --record 0.1"), Ok(all(Some("0.1"))));
        let meaning = Asked::Meaning {
            embedder: Some("http://127.0.0.1:1/v1#m".to_owned()),
            config: None,
            server: Some(7),
        };
        let line = "d --embedder http://127.0.0.1:1/v1#m --server 7";
        assert_eq!(of(line), Ok(("d".into(), meaning)));
        for wrong in [
            "",
            "d --record",
            "d --server 7",
            "d --embedder a --record b",
            "d --embedder a --server x",
            "d x",
        ] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
