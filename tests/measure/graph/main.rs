//! Finds and resolves the imports of a repository, and compares them with those of another program.
//! See `README.md`.
//!
//! ```sh
//! cargo run --release -p docent-test-graph -- DIRECTORY LANGUAGE [PEER]
//! ```
//!
//! LANGUAGE is `typescript`, `python` or `rust`, or `all` for a list of all imports. PEER is a file
//! with an edge per line, two paths below DIRECTORY separated by a tab; without it the edges are
//! printed in that form.
#![forbid(unsafe_code)]

mod edges;
mod verdict;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use edges::Repository;
use verdict::Verdict;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match &arguments[..] {
        [directory, what] => print(Path::new(directory), what),
        [directory, what, peer] => compare(Path::new(directory), what, Path::new(peer)),
        _ => Err("wrong arguments; expected a directory, a language and a file or nothing".into()),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("graph: {error}");
            ExitCode::FAILURE
        }
    }
}

fn print(directory: &Path, what: &str) -> Result<ExitCode, Box<dyn Error>> {
    let repository = Repository::read(directory)?;
    if what == "all" {
        for line in repository.listed() {
            println!("{line}");
        }
    } else {
        for (from, to) in repository.edges(what)? {
            println!("{from}\t{to}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn compare(directory: &Path, what: &str, peer: &Path) -> Result<ExitCode, Box<dyn Error>> {
    let own = Repository::read(directory)?.edges(what)?;
    let peer = std::fs::read_to_string(peer)?;
    let verdict = Verdict::compare(&own, &peer);
    println!("{verdict}");
    Ok(if verdict.is_good() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
