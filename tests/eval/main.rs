//! Measures how good answers are: whether what answers a question is found and shown, and in how
//! many bytes, through the component.
//!
//! ```sh
//! cargo run --release -p docent-tests --bin eval -- DIRECTORY [--record NAME]
//! ```
//!
//! The directory holds pairs of files `SET.docs.jsonl` (`{"id", "text"}`, each written as a file of
//! that name) and `SET.queries.jsonl` (`{"id", "query", "relevant": [id]}`), and the repositories
//! that `fetch` brings; what is not there is not measured. Nothing of it is part of the project.
//! With `--record` the figures are kept under a name, to be shown beside later ones.
#![forbid(unsafe_code)]

mod answer;
mod ask;
mod code;
mod documents;
mod explorer;
mod extent;
mod language;
mod metrics;
mod repository;
mod smart_search;
mod table;
mod tasks;
mod words;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use docent_host::Limits;
use docent_tests::guest::docent;
use documents::Set;
use metrics::HEADER;
use table::{Record, Table};

/// Where the figures of the last release are kept.
const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/eval/figures.json");

/// The repositories whose code is asked about.
const REPOSITORIES: [&str; 5] = ["flask", "redis", "vue", "gin", "okhttp"];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(directory) = arguments.next() else {
        eprintln!("eval: no data was named; expected a directory");
        return ExitCode::FAILURE;
    };
    let name = match (arguments.next().as_deref(), arguments.next()) {
        (None, None) => None,
        (Some("--record"), Some(name)) => Some(name),
        _ => {
            eprintln!(
                "eval: wrong arguments; expected a directory, and `--record NAME` or nothing"
            );
            return ExitCode::FAILURE;
        }
    };
    match run(&PathBuf::from(directory), name.as_deref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("eval: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(directory: &Path, name: Option<&str>) -> Result<(), Box<dyn Error>> {
    let recorded = Record::parse(&fs::read_to_string(RECORD)?)?;
    let mut tables = vec![documents(directory)?];
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
