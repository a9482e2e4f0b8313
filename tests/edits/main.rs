//! Takes real edits out of the histories of repositories, spoils them as models do, and counts
//! which docent makes, which it refuses showing the right place, and which it makes wrong; and
//! measures what edits cost. `README.md` says more.
//!
//! ```sh
//! cargo run --release -p docent-test-edits -- DIRECTORY [SERVER]
//! cargo run --release -p docent-test-edits -- costs [SERVER]
//! ```
//!
//! The directory holds the repositories that `fetch` brings. The server is the program of
//! `@modelcontextprotocol/server-filesystem`, asked for the same.
#![forbid(unsafe_code)]

#[cfg(unix)]
mod costs;
mod history;
mod own;
mod server;
mod spoil;
mod verdict;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use history::{Edit, History};
use server::Server;
use spoil::Way;
use verdict::{Counts, HEADER};

/// Edits that are spoilt in each way: the first that can be, of one repository after the other.
const EDITS: usize = 1_000;

/// Edits made at a wrong place that are told of.
const TOLD: usize = 5;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(what), server, None) = (arguments.next(), arguments.next(), arguments.next()) else {
        eprintln!(
            "edits: wrong arguments; expected a directory or `costs`, and a server or nothing"
        );
        return ExitCode::FAILURE;
    };
    let server = server.map(PathBuf::from);
    let outcome = if what == "costs" {
        costs(server.as_deref())
    } else {
        failures(Path::new(&what), server.as_deref())
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("edits: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(unix)]
fn costs(server: Option<&Path>) -> Result<(), Box<dyn Error>> {
    costs::print(server)
}

#[cfg(not(unix))]
fn costs(_: Option<&Path>) -> Result<(), Box<dyn Error>> {
    Err("CPU time is measured on Unix alone".into())
}

/// What became of the edits that were spoilt in one way.
#[derive(Clone, Copy, Default)]
struct Tally {
    own: Counts,
    theirs: Counts,
}

/// Prints what becomes of spoilt edits.
///
/// # Errors
/// When docent makes one at a wrong place, and when git or the server does not answer.
fn failures(directory: &Path, server: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let mut histories = histories(directory)?;
    let mut server = server.map(Server::start).transpose()?;
    let mut tallies = [Tally::default(); Way::ALL.len()];
    while !histories.is_empty() && tallies.iter().any(|tally| tally.own.all() < EDITS) {
        let mut rest = Vec::new();
        for mut history in histories {
            if let Some(edit) = history.next()? {
                for (way, tally) in Way::ALL.into_iter().zip(&mut tallies) {
                    tally.add(&edit, way, server.as_mut())?;
                }
                rest.push(history);
            }
        }
        histories = rest;
    }
    print("docent", &tallies, |tally| tally.own);
    if server.is_some() {
        print("server-filesystem", &tallies, |tally| tally.theirs);
    }
    let wrong: usize = tallies.iter().map(|tally| tally.own.wrong()).sum();
    if wrong > 0 {
        return Err(format!("{wrong} edits were made wrong; expected none").into());
    }
    Ok(())
}

/// Returns the histories of the repositories in a directory, by their names.
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
    /// Spoils an edit, if that is still wanted and there is something to spoil.
    fn add(
        &mut self,
        edit: &Edit,
        way: Way,
        server: Option<&mut Server>,
    ) -> Result<(), Box<dyn Error>> {
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
        if let Some(server) = server {
            self.theirs.add(server.judge(&task)?);
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
