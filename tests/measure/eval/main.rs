//! Measures the quality of answers through the component: an answer should find and show the
//! evidence, in few bytes.
//!
//! ```sh
//! cargo run --release -p docent-test-eval -- DIRECTORY [--record NAME]
//! cargo run --release -p docent-test-eval -- DIRECTORY \
//!     --embedder SPEC | --config FILE [--server PROCESS]
//! ```
//!
//! The directory holds pairs of files `SET.docs.jsonl` (`{"id", "text"}`, each written as a file of
//! that name) and `SET.queries.jsonl` (`{"id", "query", "relevant": [id]}`), and the repositories
//! that `fetch` downloads; missing ones are not measured. None of it is part of the project. With
//! `--record` the figures are stored under a name, and later runs show them for comparison.
//!
//! With an embedder, given as for docent itself, only the change of the documents' ranks is
//! measured. Its vectors are cached below `target/eval`. `--server` gives the process in which it
//! runs, whose CPU time is reported.
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

/// The file with the figures of the last release.
const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/figures.json");

/// The repositories for queries about code.
const REPOSITORIES: [&str; 5] = ["flask", "redis", "vue", "gin", "okhttp"];

/// The requested measurements.
#[derive(Debug, PartialEq)]
enum Asked {
    /// All of them; the figures are stored under a name, if one is given.
    All(Option<String>),
    /// The effect of an embedder, given by the flags of docent, in a server with this process id.
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

/// Parses the command line.
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

/// Returns the directory of the cached vectors: beside the folder of the build.
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
        fs::write(RECORD, Record::from_tables(name, &tables))?;
    }
    Ok(())
}

/// Prints the ranks of the sets' documents, and returns the table of the shown ones.
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
