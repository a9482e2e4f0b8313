//! Takes real edits from the histories of repositories, spoils them as models do, and counts which
//! of them docent makes, refuses while showing the right place, and makes wrong; and measures the
//! costs of edits. See `README.md`.
//!
//! ```sh
//! cargo run --release -p docent-test-edits -- DIRECTORY [NAME=PROGRAM...]
//! cargo run --release -p docent-test-edits -- patches DIRECTORY
//! cargo run --release -p docent-test-edits -- costs [NAME=PROGRAM...]
//! ```
//!
//! The directory holds the repositories that `fetch` downloads. The named programs get the same
//! edits: `server-filesystem`, `patchloom`, `mcp-text-editor` and `docent` over MCP.
#![forbid(unsafe_code)]

#[cfg(unix)]
mod costs;
mod history;
mod own;
mod patches;
mod server;
mod spoil;
mod verdict;

use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use history::{Edit, History};
use server::{Program, Server};
use spoil::Way;
use verdict::{Counts, HEADER};

/// Number of edits spoilt in each way: the first suitable ones, taking one repository after
/// another.
const EDITS: usize = 1_000;

/// Maximum number of printed edits that were made at a wrong place.
const TOLD: usize = 5;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(what) = arguments.next() else {
        eprintln!("edits: an argument is missing; expected a directory, `patches` or `costs`");
        return ExitCode::FAILURE;
    };
    if what == "patches" {
        let directory = arguments.next().unwrap_or_default();
        let compared = histories(Path::new(&directory)).and_then(patches::compare);
        return match compared {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("edits: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let servers: Result<Vec<Server>, _> = arguments.map(started).collect();
    let outcome = servers.and_then(|servers| {
        if what == "costs" {
            costs(servers)
        } else {
            failures(Path::new(&what), servers)
        }
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("edits: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Starts the server that an argument names.
fn started(argument: OsString) -> Result<Server, Box<dyn Error>> {
    let argument = argument.to_string_lossy().into_owned();
    let named = argument.split_once('=');
    let named = named.and_then(|(name, path)| Some((Program::called(name)?, path)));
    let (program, path) = named.ok_or_else(|| {
        format!(
            "wrong argument `{argument}`; expected `server-filesystem`, `patchloom`, \
             `mcp-text-editor` or `docent`, and `=` and its program"
        )
    })?;
    Server::start(program, Path::new(path))
}

#[cfg(unix)]
fn costs(servers: Vec<Server>) -> Result<(), Box<dyn Error>> {
    costs::print(servers)
}

#[cfg(not(unix))]
fn costs(_: Vec<Server>) -> Result<(), Box<dyn Error>> {
    Err("CPU time is measured on Unix alone".into())
}

/// The results of the edits that were spoilt in one way.
#[derive(Clone, Default)]
struct Tally {
    own: Counts,
    theirs: Vec<Counts>,
}

/// Prints the results of spoilt edits.
///
/// # Errors
/// If docent makes one at a wrong place, or git or a server does not answer.
fn failures(directory: &Path, mut servers: Vec<Server>) -> Result<(), Box<dyn Error>> {
    let mut histories = histories(directory)?;
    let mut tallies = vec![Tally::default(); Way::ALL.len()];
    for tally in &mut tallies {
        tally.theirs.resize(servers.len(), Counts::default());
    }
    while !histories.is_empty() && tallies.iter().any(|tally| tally.own.all() < EDITS) {
        let mut rest = Vec::new();
        for mut history in histories {
            if let Some(edit) = history.next()? {
                for (way, tally) in Way::ALL.into_iter().zip(&mut tallies) {
                    tally.add(&edit, way, &mut servers)?;
                }
                rest.push(history);
            }
        }
        histories = rest;
    }
    print("docent", &tallies, |tally| tally.own);
    for (index, server) in servers.iter().enumerate() {
        let name = match server.program {
            Program::Docent => "docent over MCP",
            other => other.name(),
        };
        print(name, &tallies, |tally| tally.theirs[index]);
    }
    let wrong: usize = tallies.iter().map(|tally| tally.own.wrong()).sum();
    if wrong > 0 {
        return Err(format!("{wrong} edits were made wrong; expected none").into());
    }
    Ok(())
}

/// Returns the histories of the repositories in a directory, sorted by name.
fn histories(directory: &Path) -> Result<Vec<History>, Box<dyn Error>> {
    let entries = std::fs::read_dir(directory)?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.retain(|path| path.join("HEAD").is_file() || path.join(".git").exists());
    paths.sort();
    if paths.is_empty() {
        return Err(format!("no repository lies in {}", directory.display()).into());
    }
    paths.iter().map(|path| History::open(path)).collect()
}

impl Tally {
    /// Spoils and judges an edit, if more are wanted and this way applies to it.
    fn add(&mut self, edit: &Edit, way: Way, servers: &mut [Server]) -> Result<(), Box<dyn Error>> {
        let number = self.own.all();
        if number == EDITS {
            return Ok(());
        }
        let Some(task) = way.spoil(edit, number) else {
            return Ok(());
        };
        let before = self.own.wrong();
        self.own.add(own::judge(&task)?);
        if self.own.wrong() > before && before < TOLD {
            let text = format!("{:?}\nby {:?}", task.old, task.new);
            eprintln!("wrong, {}, line {}: {text}", way.name(), task.first);
        }
        for (server, counts) in servers.iter_mut().zip(&mut self.theirs) {
            if let Some(verdict) = server.judge(edit, way, &task)? {
                counts.add(verdict);
            }
        }
        Ok(())
    }
}

fn print(program: &str, tallies: &[Tally], of: impl Fn(&Tally) -> Counts) {
    println!("\n## {program}\n\n{HEADER}");
    let mut all = Counts::default();
    for (way, tally) in Way::ALL.into_iter().zip(tallies) {
        let counts = of(tally);
        println!("| {} | {}", way.name(), counts.row());
        if way != Way::Not {
            all = all.and(counts);
        }
    }
    println!("| **all that are spoilt** | {}", all.row());
}
